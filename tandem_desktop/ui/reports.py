"""Answers of the window to its own commands, as Markdown for the conversation."""

from collections.abc import Sequence

from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import PlanStatus, PlanVersion
from tandem_desktop.domain.template import PlanTemplate
from tandem_desktop.orchestration.plan_figures import PlanFigures
from tandem_desktop.plans.plan_index import PlanSummary
from tandem_desktop.staging.simulate import Problem
from tandem_desktop.ui.plan import wording

_SHOWN = 20
_STATUS = {
    PlanStatus.PROPOSED: "waiting for review",
    PlanStatus.EXECUTING: "running",
    PlanStatus.COMPLETED: "applied",
    PlanStatus.REJECTED: "sent back",
    PlanStatus.NEEDS_REVIEW: "needs a person",
    PlanStatus.STALLED: "interrupted",
}


def plans_report(plans: Sequence[PlanSummary], waiting: int) -> str:
    """How many plans wait, and which plans there are."""
    if not plans:
        return "No plan answers to that."
    waits = "1 waits for you" if waiting == 1 else f"{waiting} wait for you"
    lines = [f"**{wording.counted(len(plans), 'plan')}**, {waits}.", "", "| Plan | | Revision |", "|---|---|---|"]
    lines += [f"| {_cell(plan.title)} | {_status(plan.status)} | {plan.revision} |" for plan in plans[:_SHOWN]]
    if len(plans) > _SHOWN:
        lines += ["", f"{len(plans) - _SHOWN:,} more are in the list at the left."]
    return "\n".join(lines)


def templates_report(templates: Sequence[PlanTemplate]) -> str:
    """Which templates there are, and how each is used."""
    if not templates:
        return "There is no template yet. Open a plan and type `/save-template NAME`; the recipes are always there."
    return "\n".join(["**Templates**", "", *(f"- {_cell(each.title)}: `{_usage(each)}`" for each in templates)])


def template_report(template: PlanTemplate) -> str:
    return f"Kept as **{template.name}**. Use it in any workspace: `{_usage(template)}`"


def _usage(template: PlanTemplate) -> str:
    return " ".join(["/template", template.name, *(f"{each.name}={each.example}" for each in template.parameters)])


def figures_report(figures: PlanFigures) -> str:
    """The table of `/plan-stats`."""
    if not figures.plans:
        return "There are no plans here yet, so there is nothing to count."
    states = ", ".join(f"{count:,} {_status(status)}" for status, count in figures.by_status)
    rows = [
        ("Plans", f"{figures.plans:,} ({states})"),
        ("Completion", _rate(figures.completion_rate, figures.completed, figures.ended, "ended plans")),
        ("Proposals per plan", f"{figures.proposals_per_plan or 0:.1f}"),
        ("Operations done", _rate(figures.success_rate, figures.operations_done, figures.operations, "tried")),
        ("Runs", f"{figures.runs:,}, {figures.undone:,} undone"),
    ]
    if figures.satisfaction is not None:
        rows.append(("Rating", f"{figures.satisfaction:.1f} of 5 ({len(figures.ratings):,} rated)"))
    if figures.seconds_for_ten is not None:
        rows.append(("Ten operations take", f"{figures.seconds_for_ten:.1f} s"))
    if figures.tool_gaps:
        wanted = ", ".join(f"{_cell(tool)} ({count:,} ×)" for tool, count in figures.tool_gaps[:_SHOWN])
        rows.append(("Tools wanted and not there", wanted))
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


def simulation_report(version: PlanVersion, problems: Sequence[Problem]) -> str:
    """What a plan would do in order, and what of it would not apply to the files as they are."""
    wrong = {problem.step: problem.reason for problem in problems}
    head = f"**{_cell(version.title)}**, revision {version.revision}, simulated on the files as they are: "
    head += "every operation would apply." if not wrong else f"{len(wrong)} would not apply."
    lines = [head, "", "| | Operation | |", "|---|---|---|"]
    for number, operation in enumerate(version.operations[:_SHOWN], start=1):
        outcome = _cell(wrong.get(operation.id, "would apply"))
        lines.append(f"| {number} | {_cell(_operation(operation))} | {outcome} |")
    if len(version.operations) > _SHOWN:
        lines += ["", f"{len(version.operations) - _SHOWN:,} more operations are in the plan."]
    return "\n".join([*lines, "", "Nothing was run and nothing was written."])


def _operation(operation: StagedOperation) -> str:
    return f"{wording.kind_word(operation)} {''.join(wording.subject(operation))}"


def _rate(rate: float | None, part: int, whole: int, of: str) -> str:
    return "nothing to count yet" if rate is None else f"{rate:.0%} ({part:,} of {whole:,} {of})"


def _status(status: PlanStatus) -> str:
    return _STATUS.get(status, status.value.replace("_", " "))


def _cell(text: str) -> str:
    """Words of plans are data: they open no link, no code and no other cell."""
    escaped = "".join(f"\\{letter}" if letter in _MARKUP else letter for letter in " ".join(text.split()))
    return escaped or "—"


_MARKUP = "\\`*_{}[]<>()#+!|~"
