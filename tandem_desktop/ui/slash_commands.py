"""Slash commands of the window and their reports."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from tandem_desktop.background import Background
from tandem_desktop.diff.text import visible_line
from tandem_desktop.domain.agent_protocol import EntryKind
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import PlanId, SessionId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.template import PlanTemplate, read_template_words
from tandem_desktop.plans.index import PlanListing, PlanSummary
from tandem_desktop.services.statistics import PlanFigures, plan_figures
from tandem_desktop.staging.simulate import Problem
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_n
from tandem_desktop.ui.models.plans import PlansModel
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.threads import Commands

_SHOWN = 20
_ENDED = later("{rate} ({part} of {whole} ended plans)")
_TRIED = later("{rate} ({part} of {whole} tried)")


def plans_report(plans: Sequence[PlanSummary], waiting: int) -> str:
    """The number of waiting plans and the list of plans."""
    if not plans:
        return tr("No plan answers to that.")
    waits = tr_n("{n} waits for you", "{n} wait for you", waiting)
    lines = [
        tr_n("**{n} plan**, {waits}.", "**{n} plans**, {waits}.", len(plans), waits=waits),
        "",
        f"| {tr('Plan')} | | {tr('Revision')} |",
        "|---|---|---|",
    ]
    lines += [
        f"| {_cell(visible_line(plan.title))} | {wording.STATUSES[plan.status]} | {plan.revision} |"
        for plan in plans[:_SHOWN]
    ]
    if len(plans) > _SHOWN:
        lines += ["", tr("{n} more are in the list at the left.", n=f"{len(plans) - _SHOWN:,}")]
    return "\n".join(lines)


def templates_report(templates: Sequence[PlanTemplate]) -> str:
    """The templates and how to use each."""
    if not templates:
        return tr("There is no template yet. Open a plan and type `/save-template NAME`; the recipes are always there.")
    return "\n".join(
        [
            f"**{tr('Templates')}**",
            "",
            *(f"- {_cell(visible_line(each.title))}: `{_usage(each)}`" for each in templates),
        ]
    )


def template_report(template: PlanTemplate) -> str:
    return tr("Kept as **{name}**. Use it in any workspace: `{usage}`", name=template.name, usage=_usage(template))


def _usage(template: PlanTemplate) -> str:
    return " ".join(["/template", template.name, *(f"{each.name}={each.example}" for each in template.parameters)])


def figures_report(figures: PlanFigures) -> str:
    """The table of `/plan-stats`."""
    if not figures.plans:
        return tr("There are no plans here yet, so there is nothing to count.")
    states = ", ".join(f"{count:,} {wording.STATUSES[status].lower()}" for status, count in figures.by_status)
    rows = [
        (tr("Plans"), f"{figures.plans:,} ({states})"),
        (tr("Completion"), _rate(figures.completion_rate, figures.completed, figures.ended, _ENDED)),
        (tr("Proposals per plan"), f"{figures.proposals_per_plan or 0:.1f}"),
        (tr("Operations done"), _rate(figures.success_rate, figures.operations_done, figures.operations, _TRIED)),
        (tr("Runs"), tr("{runs}, {undone} undone", runs=f"{figures.runs:,}", undone=f"{figures.undone:,}")),
    ]
    if figures.satisfaction is not None:
        rating, count = f"{figures.satisfaction:.1f}", f"{len(figures.ratings):,}"
        rows.append((tr("Rating"), tr("{rating} of 5 ({count} rated)", rating=rating, count=count)))
    if figures.seconds_for_ten is not None:
        rows.append((tr("Ten operations take"), f"{figures.seconds_for_ten:.1f} s"))
    if figures.tool_gaps:
        wanted = ", ".join(f"{_cell(tool)} ({count:,} ×)" for tool, count in figures.tool_gaps[:_SHOWN])
        rows.append((tr("Tools wanted and not there"), wanted))
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


def simulation_report(version: PlanVersion, problems: Sequence[Problem]) -> str:
    """The plan's operations in order, and those that do not apply to the current files."""
    wrong = {problem.step: problem.reason for problem in problems}
    what = {"title": _cell(visible_line(version.title)), "revision": version.revision}
    head = tr(
        "**{title}**, revision {revision}, simulated on the files as they are: every operation would apply.", **what
    )
    if wrong:
        head = tr_n(
            "**{title}**, revision {revision}, simulated on the files as they are: {n} would not apply.",
            "**{title}**, revision {revision}, simulated on the files as they are: {n} would not apply.",
            len(wrong),
            **what,
        )
    lines = [head, "", f"| | {tr('Operation')} | |", "|---|---|---|"]
    for number, operation in enumerate(version.operations[:_SHOWN], start=1):
        outcome = _cell(wrong.get(operation.id, tr("would apply")))
        lines.append(f"| {number} | {_cell(_operation(operation))} | {outcome} |")
    if len(version.operations) > _SHOWN:
        lines += ["", _more(len(version.operations) - _SHOWN)]
    return "\n".join([*lines, "", tr("Nothing was run and nothing was written.")])


def _operation(operation: StagedOperation) -> str:
    return f"{wording.kind_word(operation)} {''.join(wording.subject(operation))}"


def _rate(rate: float | None, part: int, whole: int, of: str) -> str:
    if rate is None:
        return tr("nothing to count yet")
    return tr_marked(of, rate=f"{rate:.0%}", part=f"{part:,}", whole=f"{whole:,}")


def _more(count: int) -> str:
    return tr_n("{n} more operation is in the plan.", "{n} more operations are in the plan.", count)


def _cell(text: str) -> str:
    """Escape text of a plan, so that it creates no link, code or table cell."""
    escaped = "".join(f"\\{letter}" if letter in _MARKUP else letter for letter in " ".join(text.split()))
    return escaped or "—"


_MARKUP = "\\`*_{}[]<>()#+!|~"


class WindowCommands(QObject):
    """Carries out the window's slash commands; reports go into the conversation."""

    mode_wanted = Signal()
    perspectives_wanted = Signal(str)
    """The task to ask the advisors about."""
    orchestration_wanted = Signal(str)
    """The task to orchestrate."""
    plans_wanted = Signal(str)
    """The text to search for in the plan list."""
    reflection_wanted = Signal()
    plan_made = Signal(str)
    """Id of a plan made from a template."""
    failed = Signal(object)

    def __init__(
        self,
        background: Background,
        commands: Commands,
        plans: PlansModel,
        shown: Callable[[], tuple[SessionId, PlanId | None]],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._background = background
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
                self._background.chat.note(self._shown()[0], tr("Say what they should look at: /perspectives TASK"))
            case "orchestrate" if words == "stop":
                self._background.orchestrations.stop()
            case "orchestrate" if words:
                self.orchestration_wanted.emit(words)
            case "orchestrate":
                self._background.chat.note(self._shown()[0], tr("Say what is to be done: /orchestrate TASK"))
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
                self._report(templates_report(self._background.engine.templates.all()))
            case "save-template":
                self._save_template(words)

    def inject_planning_tools(self) -> None:
        """Send the planning instructions to the agent again."""
        session_id = self._shown()[0]
        told = self._background.conversations.inject_planning_tools(session_id)
        words = tr("The agent is told of the planning tools with your next message.")
        self._background.chat.note(session_id, words if told else tr("No agent is there yet; ask it something first."))

    def _list(self, words: str) -> None:
        def listed(listing: PlanListing) -> None:
            self._plans.set_plans(listing.plans)
            self._report(plans_report(self._plans.plans, self._plans.waiting))

        self.plans_wanted.emit(words)
        self._commands.run(self._background.run(self._background.engine.listing), listed, self.failed.emit)

    def _count(self) -> None:
        self._commands.run(
            self._background.run(plan_figures, self._background.engine),
            lambda figures: self._report(figures_report(figures)),
            self.failed.emit,
        )

    def _simulate(self, words: str) -> None:
        plan_id = self._shown()[1]
        try:
            plan_id = self._background.engine.plans.resolve(words) if words else plan_id
        except TandemError as error:
            self.failed.emit(error)
            return
        if plan_id is None:
            self._background.chat.note(self._shown()[0], tr("Open a plan first, or name one: /plan-simulate PLAN"))
            return
        version = self._background.engine.plans.revision(plan_id)
        self._commands.run(
            self._background.run(self._background.engine.simulate, plan_id),
            lambda problems: self._report(simulation_report(version, problems)),
            self.failed.emit,
        )

    def _use_template(self, words: str) -> None:
        def make(name: str, values: dict[str, str]) -> None:
            made = self._background.run(self._background.engine.templates.use, name, values)
            self._commands.run(made, lambda version: self.plan_made.emit(version.plan_id), self.failed.emit)

        self._with_values(words, make)

    def _save_template(self, words: str) -> None:
        session_id, plan_id = self._shown()
        if plan_id is None:
            self._background.chat.note(session_id, tr("Open the plan first that the template is to be made of."))
            return

        def save(name: str, values: dict[str, str]) -> None:
            saved = self._background.run(self._background.engine.templates.save, plan_id, name, values)
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
        self._background.chat.note(self._shown()[0], markdown, EntryKind.REPORT)
