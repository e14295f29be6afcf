"""stats, rate: how plans have fared, and what a person thought of one."""

from tandem_desktop.cli.answers import Answer
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.lines import Line, Span, Tone, table
from tandem_desktop.orchestration.plan_figures import Metric, PlanFigures, plan_figures

_WORDS = {
    "completion_rate": ("Plans that were carried out, of those that ended", "{:.0%}"),
    "revisions_per_plan": ("Revisions per plan, a person's own left out", "{:.1f}"),
    "operation_success_rate": ("Operations that did what was approved", "{:.0%}"),
    "satisfaction": ("What people thought of them, from 1 to 5", "{:.1f}"),
    "seconds_for_ten_operations": ("Ten operations take", "{:.1f} s"),
}


def stats(call: Call) -> Answer:
    figures = plan_figures(call.engine)
    data = {
        "plans": figures.plans,
        "by_status": {status.value: number for status, number in figures.by_status},
        "ended": figures.ended,
        "completed": figures.completed,
        "proposals": figures.proposals,
        "operations": figures.operations,
        "operations_done": figures.operations_done,
        "runs": figures.runs,
        "undone": figures.undone,
        "rated": len(figures.ratings),
        "metrics": [
            {"name": each.name, "value": each.value, "aim": each.aim, "target": each.target, "met": each.is_met}
            for each in figures.metrics
        ],
        "tool_gaps": [{"tool": tool, "count": number} for tool, number in figures.tool_gaps],
        "would_block": [{"tool": tool, "count": number} for tool, number in figures.would_block],
    }
    return Answer(data, _lines(figures), next=call.command("list"))


def rate(call: Call) -> Answer:
    plan_id = call.plan_id()
    meta = call.engine.decisions.rate(plan_id, call.arguments.rating)
    data = {"plan_id": plan_id, "rating": meta.rating}
    return Answer(data, [(Span(plan_id, Tone.STRONG), f" is rated {meta.rating} of 5.")], next=call.command("stats"))


def _lines(figures: PlanFigures) -> list[Line]:
    if not figures.plans:
        return ["There are no plans here yet, so there is nothing to count."]
    states = ", ".join(f"{number:,} {status.value.replace('_', ' ')}" for status, number in figures.by_status)
    lines: list[Line] = [
        f"{figures.plans:,} plans: {states}",
        f"{figures.runs:,} runs, {figures.undone:,} undone; {figures.operations_done:,} of {figures.operations:,} "
        f"operations done",
        *table(_row(each) for each in figures.metrics),
    ]
    if figures.tool_gaps:
        lines.append("Tools that were wanted and are not there:")
        lines += table((tool, f"{number:,} ×") for tool, number in figures.tool_gaps[:20])
    if figures.would_block:
        lines.append("Calls that the guard would have blocked:")
        lines += table((tool, f"{number:,} ×") for tool, number in figures.would_block[:20])
    return lines


def _row(metric: Metric) -> tuple[str | Span, ...]:
    words, form = _WORDS[metric.name]
    aim = f"aim: {metric.aim} {form.format(metric.target)}"
    if metric.value is None:
        return words, "nothing to count yet", aim
    tone = Tone.STRONG if metric.is_met else Tone.WARNING
    return words, Span(form.format(metric.value), tone), aim
