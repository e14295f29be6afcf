"""Runs that were cut off: the person is greeted with them, and the list and the line below tell of them."""

import contextlib

from PySide6.QtCore import QObject, Signal

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.execution.recovery import InterruptedRun
from tandem_desktop.orchestration.workroom import Workroom
from tandem_desktop.ui.commands import Commands
from tandem_desktop.ui.models.plans_model import PlansModel
from tandem_desktop.ui.plan.execution_plan_panel import ExecutionPlanPanel
from tandem_desktop.ui.words import tr


class Interruptions(QObject):
    """Looks for them when asked. How one of them ends the person decides in the sheet of the panel."""

    disk_changed = Signal(str)

    def __init__(
        self, workroom: Workroom, commands: Commands, plans: PlansModel, panel: ExecutionPlanPanel, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._workroom, self._commands, self._plans, self._panel = workroom, commands, plans, panel
        panel.settle_requested.connect(self.greet)

    def greet(self) -> None:
        """Ask about the first one, if there is any."""
        self._commands.run(self._workroom.interrupted(), self._greet)

    def look(self) -> None:
        """Tell of them without asking anything."""
        self._commands.run(self._workroom.interrupted(), self._note)

    def _greet(self, waiting: tuple[InterruptedRun, ...]) -> None:
        self._note(waiting)
        for run in waiting[:1]:
            words = tr("Interrupted: {done} of {total} operations are done", done=run.done, total=run.total)
            self.disk_changed.emit(words)
            self._panel.show_interrupted(run, self._title(run.plan_id))

    def _note(self, waiting: tuple[InterruptedRun, ...]) -> None:
        self._plans.set_interrupted({run.plan_id: (run.done, run.total) for run in waiting})

    def _title(self, plan_id: PlanId) -> str:
        """As it stands on disk: when a window opens, the list of plans is not there yet."""
        with contextlib.suppress(TandemError):
            return self._workroom.engine.plans.meta(plan_id).title
        return ""
