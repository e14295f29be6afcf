"""What a person asks of the conversation beyond talking: open an address, a file, the record; paste a picture."""

from collections.abc import Callable
from pathlib import PurePath

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from tandem_desktop.domain.ids import SessionId
from tandem_desktop.orchestration.session_record import SessionRecord
from tandem_desktop.orchestration.workroom import Workroom
from tandem_desktop.storage import atomic
from tandem_desktop.ui.chat.as_markdown import conversation_markdown
from tandem_desktop.ui.chat.chat_pane import ChatPane
from tandem_desktop.ui.editor import open_in_editor
from tandem_desktop.ui.plan.confirm_sheet import ConfirmSheet
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.words import tr

_OPENED = ("http", "https", "mailto")


class ChatErrands(QObject):
    """Nothing is opened before its address was on screen, and nothing but pages and mail."""

    said = Signal(str, str)

    def __init__(
        self,
        theme: Theme,
        chat: ChatPane,
        workroom: Workroom,
        session: Callable[[], SessionId],
        open_address: Callable[[QUrl], object] = QDesktopServices.openUrl,
    ) -> None:
        super().__init__(chat)
        self._workroom = workroom
        self._session = session
        self._open_address = open_address
        self.sheet = ConfirmSheet(chat, theme)
        self.sheet.back.setText(tr("Stay here"))
        chat.link_activated.connect(self._ask_about)
        chat.file_activated.connect(self._open_file)
        chat.record_requested.connect(self._open_record)
        chat.refused.connect(lambda words: self.said.emit(words, "risk"))

    def _ask_about(self, address: str) -> None:
        url = QUrl(address)
        if url.scheme().lower() not in _OPENED:
            words = tr("Only pages and mail are opened from a conversation, not {address}", address=address)
            self.said.emit(words, "risk")
            return
        shown = url.toDisplayString(QUrl.ComponentFormattingOption.FullyEncoded)

        def open_it() -> None:
            self._open_address(url)

        self.sheet.ask(tr("Open this address in your browser?"), shown, tr("Open"), open_it)

    def _open_file(self, name: str) -> None:
        root = self._workroom.engine.locations.workspace
        path = PurePath(name)
        if path.is_absolute() or ".." in path.parts:
            self.said.emit(tr("{name} is not in this workspace.", name=name), "risk")
            return
        problem = open_in_editor(root / path, 1, self._workroom.engine.settings.editor)
        if problem:
            self.said.emit(problem, "info")

    def open_as_markdown(self) -> None:
        """The conversation in the person's editor, as a file beside its record."""
        folder = self._workroom.engine.locations.sessions / self._session()
        file = folder / "conversation.md"
        text = conversation_markdown(self._workroom.entries(self._session()))
        try:
            atomic.make_directory(folder, mode=0o700)
            atomic.replace(file, text.encode("utf-8", "replace"), mode=0o600)
        except OSError as error:
            words = tr("The conversation could not be written to {file}: {reason}.", file=file, reason=error.strerror)
            self.said.emit(words, "risk")
            return
        problem = open_in_editor(file, 1, self._workroom.engine.settings.editor)
        if problem:
            self.said.emit(tr("The conversation is in {file}. {problem}", file=file, problem=problem), "info")

    def open_advice(self, role: str) -> None:
        """What somebody who was asked about the task read, did and said, message by message, in the person's editor."""
        file = SessionRecord(self._workroom.engine.locations.sessions / self._session()).advice(role)
        if not file.exists():
            self.said.emit(tr("Nothing is kept here of what {role} was asked.", role=role.upper()), "info")
            return
        problem = open_in_editor(file, 1, self._workroom.engine.settings.editor)
        if problem:
            words = tr("What {role} was asked and did is in {file}.", role=role.upper(), file=file)
            self.said.emit(f"{words} {problem}", "info")

    def _open_record(self) -> None:
        folder = self._workroom.engine.locations.sessions / self._session()
        if not self._open_address(QUrl.fromLocalFile(str(folder))):
            self.said.emit(tr("What was said, message by message, is in {folder}", folder=folder), "info")
