"""propose, review, drop, restore, branch: calls that make a plan or a revision of one."""

from tandem_desktop.cli import shapes
from tandem_desktop.cli.answers import Answer, count
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.inputs import read_input
from tandem_desktop.cli.lines import Line, Span, Tone
from tandem_desktop.cli.wording import summary_table
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.review.choices import Drop
from tandem_desktop.staging.hazards import explain


def propose(call: Call) -> Answer:
    raw = read_input(call.arguments.file, "plan JSON", call.console)
    return proposed(call, call.engine.proposals.propose(raw))


def review(call: Call) -> Answer:
    raw = read_input(call.arguments.file, "a unified diff", call.console)
    version = call.engine.proposals.review_patch(raw)
    answer = proposed(call, version)
    if not call.arguments.no_window and not call.console.as_json:
        call.console.answer(answer.lines)
        call.close()
        try:
            call.open_window(call.workspace.absolute(), version.plan_id, "")
        except BadInputError as refusal:  # the plan is made, window or not
            call.console.remark(refusal.message)
    return answer


def drop(call: Call) -> Answer:
    plan_id = call.plan_id()
    drops = [Drop.parse(text) for text in call.arguments.drops]
    return proposed(call, call.engine.proposals.drop(plan_id, drops))


def restore(call: Call) -> Answer:
    return proposed(call, call.engine.proposals.restore(call.plan_id(), call.arguments.revision))


def branch(call: Call) -> Answer:
    version = call.engine.proposals.branch(call.plan_id(), call.arguments.revision)
    answer = proposed(call, version)
    point = version.branched_from
    assert point is not None
    words = f"An alternative to {point.plan_id} r{point.revision}, which stays as it is."
    against = call.command("compare", point.plan_id, str(point.revision), version.plan_id, str(version.revision))
    data = {**answer.data, "branched_from": shapes.branch_point(point)}
    return Answer(data, [*answer.lines, words], next=f"Change it, then compare the two: {against}")


def proposed(call: Call, version: PlanVersion) -> Answer:
    """A plan that waits for a decision, as every call that made one answers."""
    call.known.update(plan_id=version.plan_id, revision=version.revision)
    views = call.engine.view(version)
    data = shapes.proposal(version, views)
    operations = count(len(views), "operation")
    lines: list[Line] = [
        (Span(version.plan_id, Tone.STRONG), f"  r{version.revision}  {version.title}"),
        f"{operations} staged; no file has been touched.",
        *summary_table(views),
    ]
    for flag in sorted({flag for view in views for flag in view.flags}, key=lambda flag: flag.value):
        lines.append((Span(f"! {flag.value}", Tone.WARNING), f": {explain(flag)}"))
    lines.append(("Digest  ", Span(data["digest"], Tone.STRONG)))
    return Answer(data, lines, next=call.command("show", version.plan_id, "--diff"))
