"""An agent is asked for a better order of the plan on screen; what it says is offered, and nothing more."""

from PySide6.QtCore import QObject

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.orchestration.workroom import Workroom
from tandem_desktop.tasks.suggested_order import SuggestedOrder
from tandem_desktop.ui.agent_choice import AgentChoice
from tandem_desktop.ui.commands import Commands
from tandem_desktop.ui.plan.execution_plan_panel import ExecutionPlanPanel
from tandem_desktop.ui.wishes import Wishes
from tandem_desktop.ui.words import tr


class OrderWishes(Wishes):
    """Between the tasks and the workroom."""

    def __init__(
        self, workroom: Workroom, commands: Commands, panel: ExecutionPlanPanel, agents: AgentChoice, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._workroom, self._commands, self._panel, self._agents = workroom, commands, panel, agents
        panel.tasks.order_asked.connect(self._ask)

    def _ask(self) -> None:
        page, profile = self._panel.page, self._agents.profile
        if page is None or profile is None:
            self._panel.tasks.stop_waiting()
            self.said.emit(tr("Tandem is still looking for agents; try again in a moment."), "info")
            return
        version = page.version

        def arrived(suggested: SuggestedOrder) -> None:
            shown = self._panel.page
            self._panel.tasks.stop_waiting()
            if shown is not None and shown.version == version:
                self._panel.tasks.show_advice(suggested)

        def refused(error: TandemError) -> None:
            self._panel.tasks.stop_waiting()
            self.failed.emit(error)

        self._commands.latest("order", self._workroom.conversations.advise_order(version, profile), arrived, refused)
