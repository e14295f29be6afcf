"""While a plan waits on screen, what happens to its files on disk is told without being asked for."""

from PySide6.QtCore import QObject, Signal

from tandem_desktop.events.events import DiskTouched, TandemEvent
from tandem_desktop.orchestration.workroom import Workroom
from tandem_desktop.review.drift import Drifted
from tandem_desktop.ui.commands import Commands
from tandem_desktop.ui.plan.execution_plan_panel import ExecutionPlanPanel
from tandem_desktop.ui.words import tr_n


class DriftFollower(QObject):
    """Has the paths of the plan on screen watched, and looks again when something happened there."""

    found = Signal(str)
    """How many files drifted, in words; nothing when none did."""

    def __init__(self, workroom: Workroom, commands: Commands, panel: ExecutionPlanPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._workroom = workroom
        self._commands = commands
        self._panel = panel

    def follow_panel(self) -> None:
        """Another page is shown, or the same in another state."""
        page = self._panel.page
        if page is None or not self._panel.is_waiting:
            self._workroom.watch(None)
            self.found.emit("")
            return
        self._workroom.watch(page.version.plan_id, page.paths)
        count = len(page.drifted)
        drifted = tr_n("{n} file drifted since staging", "{n} files drifted since staging", count)
        self.found.emit(drifted if count else "")

    def follow_event(self, event: TandemEvent) -> None:
        if isinstance(event, DiskTouched) and self._is_shown(event):
            looked = self._workroom.drift(event.plan_id)
            self._commands.latest("drift", looked, lambda drifted: self._looked(event, drifted))

    def _looked(self, event: DiskTouched, drifted: tuple[Drifted, ...]) -> None:
        if self._is_shown(event):
            self._panel.show_drift(drifted)

    def _is_shown(self, event: DiskTouched) -> bool:
        page = self._panel.page
        return page is not None and page.version.plan_id == event.plan_id and self._panel.is_waiting
