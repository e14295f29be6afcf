"""A plan in words: operations, states, flags, sums and moments as the panel says them; nobody else's words come in."""

from datetime import datetime

from tandem_desktop.domain.execution import ResultStatus, RunKind, RunStatus
from tandem_desktop.domain.operations import (
    Absent,
    DirectoryState,
    FileState,
    NodeState,
    OperationKind,
    StagedOperation,
    SymlinkState,
)
from tandem_desktop.domain.plan import PlanStatus
from tandem_desktop.review.draft import Part
from tandem_desktop.review.drift import Drifted
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.review.totals import Totals
from tandem_desktop.staging.difference import Difference
from tandem_desktop.staging.hazards import Hazard, explain
from tandem_desktop.staging.text import visible

FITS_ITS_LINE = 80
"""Characters of a command that a row shows in full."""

KINDS = {
    OperationKind.CREATE: "create",
    OperationKind.MODIFY: "edit",
    OperationKind.DELETE: "delete",
    OperationKind.MOVE: "move",
    OperationKind.CHMOD: "mode",
    OperationKind.SYMLINK: "link",
    OperationKind.MKDIR: "folder",
    OperationKind.COMMAND: "run",
}
STATUSES = {
    PlanStatus.DRAFT: "Drafting",
    PlanStatus.PROPOSED: "Reviewing",
    PlanStatus.APPROVED: "Approved",
    PlanStatus.EXECUTING: "Executing",
    PlanStatus.PAUSED: "Paused",
    PlanStatus.COMPLETED: "Completed",
    PlanStatus.FAILED: "Failed",
    PlanStatus.REJECTED: "Being reworked",
    PlanStatus.NEEDS_REVIEW: "Needs a person",
    PlanStatus.CANCELLED: "Cancelled",
    PlanStatus.EXPIRED: "Expired",
    PlanStatus.STALLED: "Interrupted",
    PlanStatus.SUPERSEDED: "Superseded",
}
RESULTS = {
    ResultStatus.PENDING: "waiting",
    ResultStatus.RUNNING: "running",
    ResultStatus.COMPLETED: "verified",
    ResultStatus.FAILED: "failed",
    ResultStatus.SKIPPED: "skipped",
    ResultStatus.ROLLED_BACK: "rolled back",
    ResultStatus.CANCELLED: "not run",
}
RUNS = {
    RunStatus.RUNNING: "running",
    RunStatus.COMPLETED: "completed",
    RunStatus.FAILED: "failed",
    RunStatus.CANCELLED: "stopped",
    RunStatus.INTERRUPTED: "interrupted",
    RunStatus.UNDONE: "undone",
}
RUN_KINDS = {RunKind.APPLY: "Applied", RunKind.UNDO: "Undid", RunKind.REDO: "Brought back"}
FLAGS = {
    Hazard.RUNS_CODE: "Runs code by itself",
    Hazard.INSTRUCTS_AGENTS: "Instructs agents",
    Hazard.SECRET: "Secret",
    Hazard.EXECUTABLE: "Becomes executable",
    Hazard.HIDDEN_CHARACTERS: "Hidden characters",
    Hazard.LINK: "Symbolic link",
    Hazard.BINARY: "Not readable text",
    Hazard.LARGE: "Large",
    Hazard.IRREVERSIBLE: "Cannot be undone",
    Hazard.OUTSIDE: "Outside the workspace",
}
_DRIFTS = {
    Difference.MODIFIED: "The file changed on disk after it was staged.",
    Difference.DELETED: "The file was deleted on disk after this was staged.",
    Difference.CREATED: "A file appeared on disk here after this was staged.",
    Difference.MODE: "The file's mode changed on disk after it was staged.",
    Difference.TYPE: "Something else took this place on disk after this was staged.",
}
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3_600, 86_400


def counted(number: int, one: str, many: str = "") -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def kind_word(operation: StagedOperation) -> str:
    return KINDS.get(operation.kind, str(operation.kind))


def kind_counts(totals: Totals) -> str:
    """`2 created, 2 edited, 1 deleted`; commands are counted elsewhere."""
    participles = {
        OperationKind.CREATE: "created",
        OperationKind.MODIFY: "edited",
        OperationKind.DELETE: "deleted",
        OperationKind.MOVE: "moved",
        OperationKind.CHMOD: "changed in mode",
        OperationKind.SYMLINK: "linked",
        OperationKind.MKDIR: "made as a folder",
    }
    return ", ".join(f"{count:,} {participles[kind]}" for kind, count in totals.kinds if kind in participles)


def subject(operation: StagedOperation) -> tuple[str, str]:
    """The folder part and the name part of what the row is about; a command has only a name."""
    if operation.call is not None:
        first, *rest = visible_lines(operation.call.command)
        return "", f"{first} …" if rest else first
    folder, name = split_path(operation.path or "")
    if operation.to is not None:
        name = f"{name} → {visible(operation.to)}"
    elif isinstance(operation.after, SymlinkState):
        name = f"{name} → {visible(operation.after.target)}"
    return folder, name


def title(operation: StagedOperation) -> str:
    """One line for a list, a screen reader or a sheet: `edit app/settings.py`."""
    folder, name = subject(operation)
    return f"{kind_word(operation)} {folder}{name}"


def split_path(path: str) -> tuple[str, str]:
    folder, slash, name = path.rpartition("/")
    return visible(folder + slash), visible(name)


def agent_words(operation: StagedOperation) -> str:
    """One line of the agent's reason, or nothing; always to be marked as the agent's."""
    words = operation.rationale or ("" if operation.recorded_from else operation.description)
    return visible(" ".join(words.split()))


def mode_change(operation: StagedOperation) -> str:
    """`0644 → 0755` where the mode changes."""
    before, after = _mode(operation.base), _mode(operation.after)
    return f"{before:04o} → {after:04o}" if before is not None and after is not None and before != after else ""


def state_words(state: NodeState) -> str:
    """What is, or will be, at a path."""
    match state:
        case Absent():
            return "nothing"
        case FileState():
            return f"a file of {counted(state.size, 'byte')}, mode {state.mode:04o}"
        case SymlinkState():
            return f"a symbolic link to {visible(state.target)}"
        case DirectoryState():
            return f"a folder, mode {state.mode:04o}"


def drift_words(drifted: Drifted, operation: StagedOperation) -> str:
    words = _DRIFTS[drifted.change]
    if drifted.lines:
        words = f"{words.removesuffix('.')} ({counted(drifted.lines, 'line')})."
    return words if drifted.path in operation.paths else f"{visible(drifted.path)}: {words[0].lower()}{words[1:]}"


def flag_sentence(flag: Hazard, operation: StagedOperation) -> str:
    """The flag's title, said of this operation."""
    if operation.call is not None and flag is Hazard.IRREVERSIBLE:
        return "Command, effects cannot be undone"
    if operation.call is not None and flag is Hazard.RUNS_CODE:
        return "Command, runs code"
    return FLAGS.get(flag, flag.value)


def flag_explanation(flag: Hazard) -> str:
    return explain(flag)


def command_conditions(operation: StagedOperation, workspace: str = "") -> str:
    """`in orders-api · 120 s at most`."""
    call = operation.call
    if call is None:
        return ""
    home = workspace or "the workspace"
    where = home if call.cwd == "." else f"{home}/{visible(call.cwd)}" if workspace else visible(call.cwd)
    return f"in {where} · {call.timeout_s:,} s at most"


def short_digest(digest: str) -> str:
    return f"{digest[:6]}…{digest[-4:]}" if len(digest) > 12 else digest


def long_digest(digest: str) -> str:
    """Groups the eye can compare; the whole is in the tooltip and in what is copied."""
    return f"{digest[:8]} {digest[8:16]} … {digest[-8:]}" if len(digest) > 24 else digest


def since(moment: datetime, now: datetime) -> str:
    """`2 h ago`."""
    seconds = max(0, int((now - moment).total_seconds()))
    if seconds < _MINUTE_S:
        return "just now"
    if seconds < _HOUR_S:
        return f"{seconds // _MINUTE_S} min ago"
    if seconds < 2 * _DAY_S:
        return f"{seconds // _HOUR_S} h ago"
    return f"{seconds // _DAY_S} days ago"


def day(moment: datetime, now: datetime) -> str:
    """`Today`, `Yesterday`, `3 May 2026`, as the person's calendar has it."""
    local, today = moment.astimezone().date(), now.astimezone().date()
    known = {0: "Today", 1: "Yesterday"}
    return known.get((today - local).days, f"{local.day} {local:%B %Y}")


def visible_lines(text: str) -> list[str]:
    """Lines as they will be run, with hidden characters as tokens; never an empty list."""
    return [visible(line) for line in text.split("\n")] or [""]


def _mode(state: NodeState) -> int | None:
    return state.mode if isinstance(state, FileState | DirectoryState) else None


def part_words(part: Part) -> str:
    """What a person changed inside an operation."""
    if part.edited is not None:
        return "edited by you"
    lines = len(part.added) + len(part.removed)
    told = (
        f"{counted(len(part.hunks), 'change')} dropped" if part.hunks else "",
        f"{counted(lines, 'line')} left out" if lines else "",
    )
    return ", ".join(filter(None, told))


def is_told_in_its_line(view: OperationView) -> bool:
    """Whether a closed row says all there is: no text changes, and a command that fits."""
    call = view.operation.call
    if call is not None:
        return "\n" not in call.command and len(call.command) <= FITS_ITS_LINE
    return not view.hunks
