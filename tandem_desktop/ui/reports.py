"""Answers of the window to its own commands, as Markdown for the conversation."""

from collections.abc import Sequence

from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.template import PlanTemplate
from tandem_desktop.orchestration.plan_figures import PlanFigures
from tandem_desktop.plans.plan_index import PlanSummary
from tandem_desktop.staging.simulate import Problem
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.words import later, tr, tr_marked, tr_n

_SHOWN = 20
_ENDED = later("{rate} ({part} of {whole} ended plans)")
_TRIED = later("{rate} ({part} of {whole} tried)")


def plans_report(plans: Sequence[PlanSummary], waiting: int) -> str:
    """How many plans wait, and which plans there are."""
    if not plans:
        return tr("No plan answers to that.")
    waits = tr_n("{n} waits for you", "{n} wait for you", waiting)
    lines = [
        tr_n("**{n} plan**, {waits}.", "**{n} plans**, {waits}.", len(plans), waits=waits),
        "",
        f"| {tr('Plan')} | | {tr('Revision')} |",
        "|---|---|---|",
    ]
    lines += [f"| {_cell(plan.title)} | {wording.STATUSES[plan.status]} | {plan.revision} |" for plan in plans[:_SHOWN]]
    if len(plans) > _SHOWN:
        lines += ["", tr("{n} more are in the list at the left.", n=f"{len(plans) - _SHOWN:,}")]
    return "\n".join(lines)


def templates_report(templates: Sequence[PlanTemplate]) -> str:
    """Which templates there are, and how each is used."""
    if not templates:
        return tr("There is no template yet. Open a plan and type `/save-template NAME`; the recipes are always there.")
    return "\n".join(
        [f"**{tr('Templates')}**", "", *(f"- {_cell(each.title)}: `{_usage(each)}`" for each in templates)]
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
    """What a plan would do in order, and what of it would not apply to the files as they are."""
    wrong = {problem.step: problem.reason for problem in problems}
    what = {"title": _cell(version.title), "revision": version.revision}
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
    """Words of plans are data: they open no link, no code and no other cell."""
    escaped = "".join(f"\\{letter}" if letter in _MARKUP else letter for letter in " ".join(text.split()))
    return escaped or "—"


_MARKUP = "\\`*_{}[]<>()#+!|~"
