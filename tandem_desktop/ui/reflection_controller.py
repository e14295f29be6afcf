"""Carries out reflections after failed runs."""

from concurrent.futures import Future

from PySide6.QtCore import QObject

from tandem_desktop.advisors.reflection import CurrentReflection
from tandem_desktop.background import Background
from tandem_desktop.domain.agent_protocol import EntryKind
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.events import PlanProposed, ReflectionCompleted, RunFinished, TandemEvent
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.reflection import Reflection
from tandem_desktop.domain.runs import RunStatus
from tandem_desktop.ui.chat.pane import ChatPane
from tandem_desktop.ui.chat.reflection_card import ReflectionFacts, ReflectionRequest
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.plan_controller import RequestController
from tandem_desktop.ui.threads import Commands
from tandem_desktop.ui.turn_controller import AgentChoice


class ReflectionController(RequestController):
    """Starts reflections after failed runs and shows their cards. One at a time; Escape stops it."""

    def __init__(
        self, background: Background, commands: Commands, chat: ChatPane, agents: AgentChoice, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._reflections = background.reflections
        self._background = background
        self._commands = commands
        self._chat = chat
        self._agents = agents
        self._asking: Future[Reflection] | None = None
        chat.reflection_requested.connect(self._carry_out)
        chat.stop_requested.connect(self.stop)

    def follow_event(self, event: TandemEvent) -> None:
        if isinstance(event, RunFinished) and event.status in (RunStatus.FAILED, RunStatus.COMPLETED):
            self._consider(event.run_id)
        elif isinstance(event, ReflectionCompleted):
            self._show(event.run_id)
        elif isinstance(event, PlanProposed):
            self.show_cards(event.plan_id)

    def show_cards(self, plan_id: PlanId | None = None) -> None:
        """Update the reflection cards of the shown conversation, or only those of one plan."""
        for entry in (row.last for row in self._chat.model.rows):
            if entry.kind is EntryKind.REFLECTION and entry.run_id and plan_id in (None, entry.plan_id):
                self._show(entry.run_id)

    def ask(self, plan_id: PlanId | None) -> None:
        """Start a reflection on the last run of the plan."""
        run_id = self._background.engine.plans.meta(plan_id).execution_session if plan_id is not None else None
        if run_id is None:
            self.said.emit(tr("There is no run to look back at; open a plan that has run."), "info")
        else:
            self._ask(run_id)

    def stop(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            self._rest()

    def _consider(self, run_id: RunId) -> None:
        profile = self._agents.profile
        if profile is not None:
            wanted = self._reflections.is_wanted(run_id, profile)
            self._commands.run(wanted, lambda yes: self._ask(run_id) if yes else None)

    def _ask(self, run_id: RunId) -> None:
        profile = self._agents.profile
        if profile is None or self._asking is not None:
            self.said.emit(tr("An agent is being asked, or looked for; try again in a moment."), "info")
            return
        self._asking = self._reflections.reflect(run_id, profile)
        self._chat.set_working(True, tr("Asking {title} what went wrong…", title=profile.title))
        self._commands.run(self._asking, lambda _: self._rest(), self._not_asked)

    def _not_asked(self, error: TandemError) -> None:
        self._rest()
        self.failed.emit(error)

    def _rest(self) -> None:
        self._asking = None
        self._chat.set_working(False, go_on=False)

    def _show(self, run_id: RunId) -> None:
        self._commands.run(self._reflections.reflected(run_id), self._found)

    def _found(self, found: CurrentReflection | None) -> None:
        if found is not None:
            self._chat.set_reflection(ReflectionFacts(found.reflection, found.is_open))

    def _carry_out(self, request: ReflectionRequest) -> None:
        run_id = RunId(request.run_id)
        if request.makes_revision:
            made = self._reflections.make_revision(run_id)
            words = tr("The revision waits for your review.")
            self._commands.run(made, lambda _: self.said.emit(words, "info"), self.failed.emit)
        elif request.verdict is not None:
            judged = self._reflections.judge(run_id, request.number, request.verdict)
            self._commands.run(judged, lambda _: self._show(run_id), lambda error: self._refused(run_id, error))
        else:
            self._ask(run_id)

    def _refused(self, run_id: RunId, error: TandemError) -> None:
        self.failed.emit(error)
        self._show(run_id)
