"""The slash commands the window carries out itself: no agent hears of them."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from tandem_desktop.domain.chat import EntryKind
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import PlanId, SessionId
from tandem_desktop.domain.template import read_template_words
from tandem_desktop.orchestration.workroom import Workroom
from tandem_desktop.plans.plan_index import PlanListing
from tandem_desktop.ui.commands import Commands
from tandem_desktop.ui.models.plans_model import PlansModel
from tandem_desktop.ui.reports import figures_report, plans_report, simulation_report, template_report, templates_report
from tandem_desktop.ui.words import tr


class WindowCommands(QObject):
    """Answers in the conversation they were asked in."""

    mode_wanted = Signal()
    perspectives_wanted = Signal(str)
    """The task that several minds should look at."""
    plans_wanted = Signal(str)
    """The words to look for in the list of plans."""
    reflection_wanted = Signal()
    plan_made = Signal(str)
    """A plan came of a template."""
    failed = Signal(object)

    def __init__(
        self,
        workroom: Workroom,
        commands: Commands,
        plans: PlansModel,
        shown: Callable[[], tuple[SessionId, PlanId | None]],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._workroom = workroom
        self._commands = commands
        self._plans = plans
        self._shown = shown

    def carry_out(self, name: str, words: str) -> None:
        match name:
            case "plan":
                self.mode_wanted.emit()
            case "perspectives" if words:
                self.perspectives_wanted.emit(words)
            case "perspectives":
                self._workroom.chat.note(self._shown()[0], tr("Say what they should look at: /perspectives TASK"))
            case "plans":
                self._list(words)
            case "plan-stats":
                self._count()
            case "reflect":
                self.reflection_wanted.emit()
            case "plan-simulate":
                self._simulate(words)
            case "template" if words:
                self._use_template(words)
            case "template":
                self._report(templates_report(self._workroom.engine.templates.all()))
            case "save-template":
                self._save_template(words)

    def inject_planning_tools(self) -> None:
        """Tell the agent once more how a plan is presented, with an example."""
        session_id = self._shown()[0]
        told = self._workroom.conversations.inject_planning_tools(session_id)
        words = tr("The agent hears of the planning tools with your next message.")
        self._workroom.chat.note(session_id, words if told else tr("No agent is there yet; ask it something first."))

    def _list(self, words: str) -> None:
        def listed(listing: PlanListing) -> None:
            self._plans.set_plans(listing.plans)
            self._report(plans_report(self._plans.plans, self._plans.waiting))

        self.plans_wanted.emit(words)
        self._commands.run(self._workroom.plans(), listed, self.failed.emit)

    def _count(self) -> None:
        self._commands.run(
            self._workroom.figures(), lambda figures: self._report(figures_report(figures)), self.failed.emit
        )

    def _simulate(self, words: str) -> None:
        plan_id = self._shown()[1]
        try:
            plan_id = self._workroom.engine.plans.resolve(words) if words else plan_id
        except TandemError as error:
            self.failed.emit(error)
            return
        if plan_id is None:
            self._workroom.chat.note(self._shown()[0], tr("Open a plan first, or name one: /plan-simulate PLAN"))
            return
        version = self._workroom.engine.plans.revision(plan_id)
        self._commands.run(
            self._workroom.simulate(plan_id),
            lambda problems: self._report(simulation_report(version, problems)),
            self.failed.emit,
        )

    def _use_template(self, words: str) -> None:
        def make(name: str, values: dict[str, str]) -> None:
            made = self._workroom.use_template(name, values)
            self._commands.run(made, lambda version: self.plan_made.emit(version.plan_id), self.failed.emit)

        self._with_values(words, make)

    def _save_template(self, words: str) -> None:
        session_id, plan_id = self._shown()
        if plan_id is None:
            self._workroom.chat.note(session_id, tr("Open the plan first that the template is to be made of."))
            return

        def save(name: str, values: dict[str, str]) -> None:
            saved = self._workroom.save_template(plan_id, name, values)
            self._commands.run(saved, lambda template: self._report(template_report(template)), self.failed.emit)

        self._with_values(words, save)

    def _with_values(self, words: str, do: Callable[[str, dict[str, str]], None]) -> None:
        try:
            name, values = read_template_words(words)
        except TandemError as error:
            self.failed.emit(error)
            return
        do(name, values)

    def _report(self, markdown: str) -> None:
        self._workroom.chat.note(self._shown()[0], markdown, EntryKind.REPORT)
