"""A person goes back to one of their messages: files, conversation or both, after a look at what that means."""

from collections.abc import Callable

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.orchestration.restore_points import PointPreview, RestoredPoint, Restoring
from tandem_desktop.orchestration.workroom import Workroom
from tandem_desktop.ui.chat.chat_pane import ChatPane
from tandem_desktop.ui.commands import Commands
from tandem_desktop.ui.plan.execution_plan_panel import ExecutionPlanPanel
from tandem_desktop.ui.wishes import Wishes
from tandem_desktop.ui.words import tr, tr_n


class GoingBack(Wishes):
    """Between the conversation, the sheet and the workroom."""

    def __init__(
        self,
        workroom: Workroom,
        commands: Commands,
        chat: ChatPane,
        panel: ExecutionPlanPanel,
        session: Callable[[], SessionId],
    ) -> None:
        super().__init__(chat)
        self._workroom, self._commands, self._chat = workroom, commands, chat
        self._sheet, self._session = panel.sheets.back, session
        self._asked = SessionId("")
        chat.back_requested.connect(self._look)
        self._sheet.confirmed.connect(self._go)

    def _look(self, entry: int) -> None:
        self._asked = self._session()
        future = self._workroom.preview_point(self._asked, entry)
        self._commands.run(future, lambda preview: self._ask(entry, preview), self._refused)

    def _ask(self, entry: int, preview: PointPreview) -> None:
        known = self._chat.model.entry(entry)
        if known is not None and self._session() == self._asked:
            self._sheet.ask(entry, known.text, preview)

    def _go(self, entry: int, what: Restoring) -> None:
        self._commands.run(self._workroom.restore_point(self._asked, entry, what), self._gone, self._refused)

    def _gone(self, point: RestoredPoint) -> None:
        if self._session() == self._asked:
            self._chat.set_entries(self._workroom.entries(self._asked))
        self.said.emit(_told(point), "ok")
        self.changed.emit()

    def _refused(self, error: TandemError) -> None:
        self.failed.emit(error)


def _told(point: RestoredPoint) -> str:
    aside = tr_n("{n} entry set aside", "{n} entries set aside", point.entries)
    if point.run is None:
        return tr("Went back: {aside}.", aside=aside) if point.entries else tr("Went back: nothing had to change.")
    if not point.entries:
        return tr("Went back: the files are as they were then.")
    return tr("Went back: the files are as they were then and {aside}.", aside=aside)
