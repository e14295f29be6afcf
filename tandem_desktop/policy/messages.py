"""Messages to agents about the session and rejected requests."""

from collections.abc import Sequence
from dataclasses import dataclass

from tandem_desktop.domain.operations import ExternalCall, StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.runs import OperationResult, OtherChange, ResultStatus, RunStatus


def denied(feedback: str) -> str:
    """A person rejected a plan."""
    return f"denied: {feedback.strip()}"


def cancelled_before_running(tool: str, guidance: str = "") -> str:
    """A person refused one use of a tool."""
    said = f"User guidance: {guidance.strip()}\n" if guidance.strip() else "The user gave no further guidance.\n"
    return (
        f"Tool '{tool}' execution cancelled before running.\n"
        f"{said}"
        "Do not assume the operation succeeded; request updated guidance or offer alternatives."
    )


def command_queued(number: int | None = None) -> str:
    """A command was refused because it became part of the plan."""
    name = "for the plan" if number is None else f"as operation {number}"
    return f"Not run now: the command was queued {name}. It runs when the person approves. Go on with the next step."


def call_queued(number: int | None = None) -> str:
    """An external call was refused because it became part of the plan."""
    name = "" if number is None else f" as operation {number}"
    return (
        f"Not called now: its effects are outside the workspace, so it is queued for approval{name}. You are asked to "
        "make the call when the person has approved it. Go on with the next step."
    )


def make_call(call: ExternalCall) -> str:
    """The person approved an external call: its agent makes it now."""
    about = f" (on {call.target})" if call.target else ""
    return (
        f"The person approved this call{about}. Make it now, exactly once, with exactly these arguments, and do "
        f"nothing else in this turn:\n\ntool: {call.tool}\narguments: {call.arguments}"
    )


def command_denied() -> str:
    """A command was refused and is not part of the plan either."""
    return "Commands are not run while planning. Go on without it, and name it in the plan if it is needed."


def no_person_to_ask() -> str:
    """A request where no person can be asked."""
    return "There is no person to confirm this. Go on without it."


def answered_twice(request_id: str) -> str:
    """A request with an id that is already answered."""
    return f"The request {request_id} has been answered before."


def turn_over(reason: str) -> str:
    """A request that was open when the turn, the agent or the session ended."""
    return f"Cancelled: {reason}" if reason else "Cancelled."


_OUTPUT_LIMIT = 4000


def after_run(
    operations: Sequence[StagedOperation],
    results: Sequence[OperationResult],
    *,
    status: RunStatus,
    rolled_back: bool,
    by_person: "DecidedByUser | None" = None,
    notes: str = "",
    meanwhile: Sequence[OtherChange] = (),
) -> str:
    """How a run ended, operation by operation, what the person had changed of the plan, and what is on disk now."""
    by_id = {result.id: result for result in results}
    lines = [_headline(status, rolled_back)]
    lines.extend(_line(operation, by_id.get(operation.id), rolled_back=rolled_back) for operation in operations)
    if by_person is not None:
        lines.extend(by_person.lines())
    if notes.strip():
        lines.append(f"The person's notes on it:\n{notes.strip()}")
    if meanwhile:
        others = _listed([f"{each.path} ({each.change})" for each in meanwhile])
        lines.append(f"While it ran, something else changed: {others}.")
    lines.append("Your copy of these files is what is on disk now. Read a file again before you rely on it.")
    return "\n".join(lines)


def after_undo(changed: Sequence[str], merged: Sequence[str] = ()) -> str:
    """A person undid a run."""
    lines = ["The person undid what was applied. These paths are as they were before: " + _listed(changed) + "."]
    if merged:
        lines.append("Later edits by the person were kept in: " + _listed(merged) + ".")
    return "\n".join(lines)


_MOST_ADDED = 20
"""Named one by one; a folder that the person took into the plan may have thousands of files."""


@dataclass(frozen=True, slots=True)
class DecidedByUser:
    """A person's changes to an agent's revision."""

    left_out: tuple[StagedOperation, ...] = ()
    changed: tuple[StagedOperation, ...] = ()
    """The operations of the person's revision."""
    added: tuple[StagedOperation, ...] = ()
    is_reordered: bool = False
    has_other_text: bool = False

    def lines(self) -> list[str]:
        """One sentence for each operation."""
        return [
            *(f"- {described(operation)}: left out by the person" for operation in self.left_out),
            *(f"- {described(operation)}: changed by the person before it was approved" for operation in self.changed),
            *(f"- {described(operation)}: added by the person" for operation in self.added[:_MOST_ADDED]),
            *(
                [f"- {more:,} more operations: added by the person"]
                if (more := len(self.added) - _MOST_ADDED) > 0
                else []
            ),
            *(["- the order of the operations: changed by the person"] if self.is_reordered else []),
            *(["- the plan text: changed by the person"] if self.has_other_text else []),
        ]


def plan_changed(by_person: DecidedByUser) -> str:
    """A person removed or changed something in a waiting plan."""
    lines = ["The person changed the plan:", *by_person.lines()]
    if by_person.left_out:
        lines.append("What was left out is as it is on disk again. Do not bring it back unless asked to.")
    if by_person.changed:
        lines.append("What was changed is in your copy as the person wants it. Read it again before you go on.")
    return "\n".join(lines)


def plan_cancelled() -> str:
    """The plan was cancelled."""
    return "The person cancelled the plan. Nothing of it was applied. Wait for the next request."


def plan_superseded() -> str:
    """An alternative to the plan was applied."""
    return (
        "The person applied an alternative to your plan, so yours was put aside and nothing of it was applied. "
        "Your copy is as the disk is. Wait for the next request."
    )


def taken_over(title: str, text: str, carried: Sequence[StagedOperation], left: Sequence[StagedOperation]) -> str:
    """An agent continues a plan that another agent or conversation made."""
    lines = [f"You take over a plan: {title}", "This is its text:", text.strip()]
    if carried:
        lines += ["These operations of it are in your copy, or queued, already:", *map(_item, carried)]
    if left:
        lines += ["These are not, because the files changed on disk since. Do them again where they are still wanted:"]
        lines += map(_item, left)
    lines.append("What you leave as it is stays in the plan.")
    return "\n".join(lines)


def handed_over(title: str, text: str) -> str:
    """An agent follows up on a finished plan that it did not make."""
    return "\n".join(
        (f"Another agent made this plan, and you follow up on it: {title}", "This was its text:", text.strip())
    )


def continued(task: str, plan: PlanVersion | None, said: str = "") -> str:
    """An agent goes on with a session whose conversation it does not have any more; `said` is the end of it."""
    lines = ["You continue earlier work, and its conversation is not available. The first task was:", task.strip()]
    if said.strip():
        lines += ["What was said last:", said.strip()]
    if plan is not None:
        lines += [f"The plan so far: {plan.title}", plan.content.strip()]
        lines += ["Its operations are in your copy, or queued, already:", *map(_item, plan.operations)]
    return "\n".join(line for line in lines if line)


def rework(feedback: str, earlier: Sequence[str] = ()) -> str:
    """A person sent the plan back, with words and comments; `earlier` is what it was sent back with before."""
    lines = [denied(feedback)]
    if earlier:
        lines.append("What the person said to earlier revisions of this plan still holds:")
        lines += [f"{number}. {each.strip()}" for number, each in enumerate(earlier, start=1)]
    lines.append("You are still in Plan mode and nothing was applied. Revise the plan and present it again.")
    return "\n".join(lines)


def plan_approved() -> str:
    """The plan was accepted and will be carried out by Tandem."""
    return "The person approved the plan. Tandem carries it out now and tells you the result."


def carry_out(title: str, text: str) -> str:
    """A text-only plan was approved: its agent carries it out."""
    return "\n".join(
        (
            f"The person approved this plan, which has no operations yet: {title}",
            text.strip(),
            "Carry it out now, as it is written. What you change is staged, and the person reviews it first.",
        )
    )


def go_on(numbers: Sequence[int]) -> str:
    """For an agent that stopped at a refusal: its commands were queued, and there is more to do."""
    if len(numbers) == 1:
        return f"Your command was queued as operation {numbers[0]}, go on."
    return f"Your commands were queued as operations {', '.join(map(str, numbers))}, go on."


def described(operation: StagedOperation) -> str:
    """A short description of one operation, from its effect, not from the agent's text."""
    if operation.is_run:
        return f"{operation.id} run `{operation.subject}`"
    to = f" to {operation.to}" if operation.to else ""
    return f"{operation.id} {operation.kind.value} {operation.path}{to}"


def _item(operation: StagedOperation) -> str:
    return f"- {described(operation)}"


_HEADLINES = {
    RunStatus.COMPLETED: "The approved plan was applied and checked on disk.",
    RunStatus.FAILED: "The run of the approved plan failed.",
    RunStatus.CANCELLED: "The person stopped the run of the approved plan.",
    RunStatus.INTERRUPTED: "The run of the approved plan was cut off and waits for the person to settle it.",
    RunStatus.UNDONE: "The run of the approved plan was undone.",
    RunStatus.RUNNING: "The approved plan is being applied.",
}


def _headline(status: RunStatus, rolled_back: bool) -> str:
    return _HEADLINES[status] + (" Everything was rolled back: the files are as before." if rolled_back else "")


def _line(operation: StagedOperation, result: OperationResult | None, *, rolled_back: bool) -> str:
    status = ResultStatus.PENDING if result is None else result.status
    if rolled_back and status is ResultStatus.COMPLETED:
        status = ResultStatus.ROLLED_BACK
    line = f"- {described(operation)}: {status.value.replace('_', ' ')}"
    if result is None:
        return line
    if result.error:
        line += f" ({result.error})"
    if operation.is_run and result.exit_code is not None:
        line += f", exit code {result.exit_code}"
    if result.output:
        kept = result.output[-_OUTPUT_LIMIT:].rstrip()
        line += "\n  output" + (" (its end)" if len(result.output) > _OUTPUT_LIMIT else "") + ":\n"
        line += "\n".join(f"    {row}" for row in kept.splitlines())
    return line


def _listed(paths: Sequence[str]) -> str:
    return ", ".join(paths) if paths else "none"
