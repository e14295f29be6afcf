"""The log: what Tandem noted and what agents wrote to their error output, searched by typing, copied in one press."""

from collections.abc import Callable

from PySide6.QtCore import QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QWidget

from tandem_desktop.staging.text import visible
from tandem_desktop.storage.logbook import Logbook, LogLine
from tandem_desktop.ui.home_path import from_home
from tandem_desktop.ui.plan.sheet import Sheet
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button, QuietButton
from tandem_desktop.ui.widgets.elided_label import ElidedLabel
from tandem_desktop.ui.widgets.search_field import SearchField
from tandem_desktop.ui.widgets.segmented import Segmented
from tandem_desktop.ui.words import later, tr, tr_marked

_WIDE, _TALL, _LEAST = 900, 460, 120
_LOOK_MS = 500
_SOURCES = (("all", later("Everything")), ("tandem", "Tandem"), ("agent", later("Agents")))


class LogSheet(Sheet):
    """Shows lines as they were written; whatever could hide in them is drawn as a token."""

    said = Signal(str, str)

    def __init__(
        self,
        host: QWidget,
        theme: Theme,
        logbook: Logbook,
        open_address: Callable[[QUrl], object] = QDesktopServices.openUrl,
    ) -> None:
        super().__init__(host, theme, "log-sheet", tr("Log"), wide=_WIDE)
        self._logbook = logbook
        self._open_address = open_address
        self._shown = (-1, "", "")
        self.sources = Segmented(theme, tuple((key, tr_marked(words)) for key, words in _SOURCES), tr("Whose lines"))
        self.search = SearchField(theme, tr("Search the log"))
        self.search.setObjectName("log-search")
        self.text = QPlainTextEdit()
        self.text.setObjectName("log-text")
        self.text.setAccessibleName(tr("Log"))
        self.text.setProperty("role", "code-block")
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.place = ElidedLabel(theme, visible(from_home(logbook.folder)), token="muted", code=True)
        head = QHBoxLayout()
        head.setSpacing(theme.px(12))
        head.addWidget(self.sources)
        head.addWidget(self.search, 1)
        self.body.addLayout(head)
        self.body.addWidget(self.text, 1)
        folder = Button(theme, tr("Open folder"), icon_name="folder")
        copy = Button(theme, tr("Copy"), icon_name="copy")
        close = QuietButton(theme, tr("Close"), "Esc")
        ways = (("folder", folder, self._open), ("copy", copy, self._copy), ("close", close, self.leave))
        for name, button, slot in ways:
            button.setObjectName(f"log-{name}")
            button.clicked.connect(lambda _checked=False, slot=slot: slot())
        self.add_buttons(folder, copy, close, note=self.place)
        self._looking = QTimer(self, interval=_LOOK_MS)
        self._looking.timeout.connect(self._look)
        self.sources.chosen.connect(lambda _: self._look())
        self.search.textChanged.connect(lambda _: self._look())
        self.search.left.connect(lambda: self.text.setFocus() if self.search.text() else self.leave())
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_log(self) -> None:
        """From its end; what is logged while it is open is shown too."""
        self.search.clear()
        self._look()
        self._looking.start()
        self.open(self.search)

    def shut(self) -> None:
        self._looking.stop()
        super().shut()

    def fit(self) -> None:
        """The text gives way where the window is low, also while it is open."""
        room = self.height() - self._theme.px(240)
        self.text.setFixedHeight(max(self._theme.px(_LEAST), min(self._theme.px(_TALL), room)))
        super().fit()

    def _look(self) -> None:
        wanted = (self._logbook.count, self.sources.current, self.search.text())
        if wanted == self._shown:
            return
        self._shown = wanted
        every = [line for line in self._logbook.lines if self._is_chosen(line)]
        found = [line for line in every if wanted[2].casefold() in str(line).casefold()]
        bar = self.text.verticalScrollBar()
        is_at_end, place = bar.value() >= bar.maximum(), bar.value()
        self.text.setPlainText("\n".join(map(_shown, found)) or self._nothing(bool(every)))
        bar.setValue(bar.maximum() if is_at_end else place)
        self.search.set_count(f"{len(found):,} of {len(every):,}" if wanted[2] else "")

    def _is_chosen(self, line: LogLine) -> bool:
        return {"all": True, "tandem": not line.is_agents, "agent": line.is_agents}[self.sources.current]

    def _nothing(self, is_searched: bool) -> str:
        if is_searched:
            return tr("No line holds these words.")
        is_about_agents = self.sources.current == "agent"
        return tr("No agent has written to its error output.") if is_about_agents else tr("Nothing was logged yet.")

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.said.emit(tr("Copied the log as it is shown."), "ok")

    def _open(self) -> None:
        if not self._open_address(QUrl.fromLocalFile(str(self._logbook.folder))):
            self.said.emit(tr("The log is kept in {folder}", folder=self._logbook.folder), "info")

    def _restyle(self) -> None:
        self.text.setFont(self._theme.code_font())
        self.text.document().setDocumentMargin(self._theme.px(8))


def _shown(line: LogLine) -> str:
    return "\n".join(map(visible, str(line).split("\n")))
