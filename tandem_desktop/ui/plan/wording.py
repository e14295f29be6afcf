"""Plan terms as window text."""

from datetime import datetime
from itertools import dropwhile

from tandem_desktop.diff.hunk_classes import ProvedChange, class_of
from tandem_desktop.diff.hunks import displayed
from tandem_desktop.diff.text import Document, is_blank, visible, visible_command, visible_name
from tandem_desktop.domain.operations import (
    Absent,
    DirectoryState,
    FileState,
    NodeState,
    OperationKind,
    StagedOperation,
    SymlinkState,
)
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.review import Coverage
from tandem_desktop.domain.runs import ResultStatus, RunKind, RunStatus
from tandem_desktop.review.attention import AttentionGroup
from tandem_desktop.review.choices import ChoicePart
from tandem_desktop.review.drift import Drifted
from tandem_desktop.review.operation_view import OperationView, Totals
from tandem_desktop.review.ranking import Rank
from tandem_desktop.staging.changes import Difference
from tandem_desktop.staging.hazards import Hazard
from tandem_desktop.staging.path_rules import bundled_path_rules
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_n, tr_table

FITS_ITS_LINE = 80
"""Characters of a command that a row shows in full."""

STATUSES = tr_table(
    {
        PlanStatus.DRAFT: "Draft",
        PlanStatus.PROPOSED: "Proposed",
        PlanStatus.APPROVED: "Approved",
        PlanStatus.EXECUTING: "Executing",
        PlanStatus.PAUSED: "Paused",
        PlanStatus.COMPLETED: "Completed",
        PlanStatus.FAILED: "Failed",
        PlanStatus.UNDONE: "Undone",
        PlanStatus.REJECTED: "Rejected",
        PlanStatus.NEEDS_REVIEW: "Needs review",
        PlanStatus.CANCELLED: "Cancelled",
        PlanStatus.EXPIRED: "Expired",
        PlanStatus.STALLED: "Interrupted",
        PlanStatus.SUPERSEDED: "Superseded",
    }
)
"""The labels of `PlanStatus.label`, translated: header, chat, rail and reports all show these."""
STATUS_TONES = {
    PlanStatus.DRAFT: "info",
    PlanStatus.PROPOSED: "risk",
    PlanStatus.APPROVED: "info",
    PlanStatus.EXECUTING: "info",
    PlanStatus.PAUSED: "risk",
    PlanStatus.COMPLETED: "ok",
    PlanStatus.FAILED: "error",
    PlanStatus.UNDONE: "neutral",
    PlanStatus.REJECTED: "info",
    PlanStatus.NEEDS_REVIEW: "risk",
    PlanStatus.CANCELLED: "neutral",
    PlanStatus.EXPIRED: "risk",
    PlanStatus.STALLED: "error",
    PlanStatus.SUPERSEDED: "neutral",
}
RESULTS = tr_table(
    {
        ResultStatus.PENDING: "waiting",
        ResultStatus.RUNNING: "running",
        ResultStatus.COMPLETED: "verified",
        ResultStatus.FAILED: "failed",
        ResultStatus.SKIPPED: "skipped",
        ResultStatus.ROLLED_BACK: "rolled back",
        ResultStatus.CANCELLED: "not run",
    }
)
RUNS = tr_table(
    {
        RunStatus.RUNNING: "running",
        RunStatus.COMPLETED: "completed",
        RunStatus.FAILED: "failed",
        RunStatus.CANCELLED: "stopped",
        RunStatus.INTERRUPTED: "interrupted",
        RunStatus.UNDONE: "undone",
    }
)
GENERATED = tr_table({"lock file": "lock file", "generated file": "generated file"})
RUN_KINDS = tr_table({RunKind.APPLY: "Apply", RunKind.UNDO: "Undo", RunKind.REDO: "Redo"})
FLAGS = tr_table(
    {
        Hazard.RUNS_CODE: "Can run code",
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
)
_DRIFTS = tr_table(
    {
        Difference.MODIFIED: "The file changed on disk after it was staged.",
        Difference.DELETED: "The file was deleted on disk after this was staged.",
        Difference.CREATED: "A file appeared on disk here after this was staged.",
        Difference.MODE: "The file's mode changed on disk after it was staged.",
        Difference.TYPE: "Something else took this place on disk after this was staged.",
    }
)
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3_600, 86_400


def kind_word(operation: StagedOperation) -> str:
    return tr_marked(operation.kind.spec.label)


_LETTERS = {
    OperationKind.CREATE: ("A", "added_ink"),
    OperationKind.MKDIR: ("A", "added_ink"),
    OperationKind.SYMLINK: ("A", "added_ink"),
    OperationKind.MODIFY: ("M", "link"),
    OperationKind.CHMOD: ("M", "link"),
    OperationKind.DELETE: ("D", "removed_ink"),
    OperationKind.MOVE: ("R", "syntax_keyword"),
    OperationKind.COMMAND: ("$", "text"),
    OperationKind.EXTERNAL: ("↗", "text"),
}


def kind_letter(operation: StagedOperation) -> tuple[str, str]:
    """The letter of a kind as in git, and the colour it is drawn in."""
    return _LETTERS[operation.kind]


def kind_counts(totals: Totals) -> str:
    """`2 created, 2 edited, 1 deleted`; commands are counted elsewhere."""
    counted = ((kind.spec, count) for kind, count in totals.kinds)
    return ", ".join(f"{count:,} {tr_marked(spec.participle)}" for spec, count in counted if not spec.is_run)


def subject(operation: StagedOperation) -> tuple[str, str]:
    """The folder part and the name part of what the row is about; a command has only a name."""
    if operation.is_run:
        lines = operation.subject.split("\n")
        first, *rest = visible_command("\n".join([*dropwhile(is_blank, lines)] or lines))
        return "", f"{first} …" if rest else first
    folder, name = split_path(operation.path or "")
    if operation.to is not None:
        name = f"{name} → {visible_name(operation.to)}"
    elif isinstance(operation.after, SymlinkState):
        name = f"{name} → {visible_name(operation.after.target)}"
    return folder, name


def title(operation: StagedOperation) -> str:
    """One line for a list, a screen reader or a sheet: `edit app/settings.py`."""
    folder, name = subject(operation)
    return f"{kind_word(operation)} {folder}{name}"


def split_path(path: str) -> tuple[str, str]:
    folder, slash, name = path.rpartition("/")
    return visible_name(folder + slash), visible_name(name)


_TOOL_VERBS = frozenset(("edit", "write", "create", "update", "modify", "delete", "replace"))


def agent_reason(operation: StagedOperation) -> str:
    """One line of the agent's reason, or nothing; always to be marked as the agent's.

    A name of the tool and the path, which the row has, is no reason.
    """
    words = " ".join((operation.rationale or operation.agent_description).split())
    return "" if only_names(words, operation.path or "") else visible(words)


def only_names(words: str, path: str) -> bool:
    """Whether the words say no more than `Edit app.py`, which the row says."""
    verb, _, rest = words.lower().partition(" ")
    place = (rest if verb in _TOOL_VERBS else words.lower()).strip("`'\"").removeprefix("./")
    return bool(path) and place in (path.lower(), path.rpartition("/")[2].lower())


def mode_change(operation: StagedOperation) -> str:
    """`0644 → 0755` where the mode changes."""
    before, after = _mode(operation.base), _mode(operation.after)
    return f"{before:04o} → {after:04o}" if before is not None and after is not None and before != after else ""


def state_text(state: NodeState) -> str:
    """The node at a path as text."""
    match state:
        case Absent():
            return tr("nothing")
        case FileState():
            return tr_n(
                "a file of {n} byte, mode {mode}",
                "a file of {n} bytes, mode {mode}",
                state.size,
                mode=f"{state.mode:04o}",
            )
        case SymlinkState():
            return tr("a symbolic link to {target}", target=visible_name(state.target))
        case DirectoryState():
            return tr("a folder, mode {mode}", mode=f"{state.mode:04o}")


def drift_words(drifted: Drifted, operation: StagedOperation) -> str:
    words = _DRIFTS[drifted.change]
    if drifted.lines:
        lines = tr_n("{n} line", "{n} lines", drifted.lines)
        words = f"{words.removesuffix('.')} ({lines})."
    return words if drifted.path in operation.paths else f"{visible_name(drifted.path)}: {words[0].lower()}{words[1:]}"


def flag_title(view: OperationView, flag: Hazard) -> str:
    """The flag's title for this operation: of what can run code, the case, such as `Continuous integration`."""
    kind = _kind_title(view, flag)
    return kind if kind and flag is Hazard.RUNS_CODE else flag_sentence(flag, view.operation)


def _kind_title(view: OperationView, flag: Hazard) -> str:
    """The kind of file that has the flag, in words; empty where none is known, and of commands."""
    kind = bundled_path_rules().kinds.get(view.kind_of(flag), "") if view.operation.call is None else ""
    return tr_marked(kind) if kind else ""


def flag_sentence(flag: Hazard, operation: StagedOperation) -> str:
    """The flag's title where nothing but the operation is known."""
    if operation.kind.spec.is_external and flag is Hazard.IRREVERSIBLE:
        return tr("External call, effects cannot be undone")
    if operation.call is not None and flag is Hazard.IRREVERSIBLE:
        return tr("Command, effects cannot be undone")
    if operation.call is not None and flag is Hazard.RUNS_CODE:
        return tr("Command, runs code")
    return FLAGS.get(flag, flag.value)


def flag_reason(view: OperationView, flag: Hazard) -> str:
    """Why the operation has the flag: what happens to such a file, or what the flag means."""
    return tr_marked(view.why(flag))


def group_title(group: AttentionGroup) -> str:
    """`Continuous integration · not readable text · 3 files`; of a command its flags."""
    view = group.views[0]
    first = view.operation
    flags: list[Hazard] = list(group.flags)
    if first.call is not None and Hazard.IRREVERSIBLE in flags:
        flags = [Hazard.IRREVERSIBLE, *(each for each in flags if each not in (Hazard.IRREVERSIBLE, Hazard.RUNS_CODE))]
    gravest, *others = (flag_title(view, each) for each in flags)
    kind = _kind_title(view, group.flags[0])
    kind = "" if kind == gravest else kind
    files = tr_n("{n} file", "{n} files", len(group.views)) if len(group.views) > 1 else ""
    return " · ".join(filter(None, (gravest, *map(str.lower, others), kind, files)))


def command_conditions(operation: StagedOperation, workspace: str = "") -> str:
    """`in orders-api · 120 s at most`."""
    call = operation.command_call
    if call is None:
        return ""
    home = workspace or tr("the workspace")
    where = home if call.cwd == "." else f"{home}/{visible_name(call.cwd)}" if workspace else visible_name(call.cwd)
    return tr("in {where} · {seconds} s at most", where=where, seconds=f"{call.timeout_s:,}")


def coverage_words(coverage: Coverage) -> str:
    """How much of it was on screen: `You opened 3 of 4 operations; 1 folded part was never expanded.`"""
    values = {"shown": coverage.shown, "operations": coverage.operations}
    told = tr("You opened {shown} of {operations} operations.", **values)
    if coverage.folded:
        told = tr_n(
            "You opened {shown} of {operations} operations; {n} folded part was never expanded.",
            "You opened {shown} of {operations} operations; {n} folded parts were never expanded.",
            coverage.folded,
            **values,
        )
    if not coverage.proved:
        return told
    folded = tr_n(
        "{n} change stayed folded, proved to be mechanical.",
        "{n} changes stayed folded, proved to be mechanical.",
        coverage.proved,
    )
    return f"{told} {folded}"


_MOST_SPOKEN = 400
"""Lines of an opened diff that are told with its row; all of them can be read as text."""


def spoken_changes(view: OperationView) -> str:
    """The changed lines with their context, for screen readers: a list has nothing but its rows in their tree."""
    spoken: list[str] = []
    for hunk in view.hunks:
        sides = (Document.of(b"".join(each.raw for each in hunk.lines if each.kind != out)) for out in "+-")
        spoken.append(tr("Change {number} of {count}", number=hunk.n, count=len(view.hunks)))
        for kind, text in displayed(hunk, *sides):
            spoken.append(tr_marked(_SPOKEN_KINDS[kind]).format(line=text) if kind in _SPOKEN_KINDS else text)
        if len(spoken) > _MOST_SPOKEN:
            return "\n".join([*spoken[:_MOST_SPOKEN], tr("More of it can be read as text.")])
    return "\n".join(spoken)


_SPOKEN_KINDS = {"+": later("added {line}"), "-": later("removed {line}")}
_PROVED = tr_table(
    {
        "format": "format only",
        "comment": "comments only",
        "move": "moved",
        "rename": "renamed",
        "mechanical": "mechanical",
    }
)
RANKS = tr_table(
    {
        Rank.FLAGGED: "Flagged",
        Rank.FAILING: "New failures",
        Rank.INTERFACE: "Public interface",
        Rank.BEHAVIOUR: "Behaviour",
        Rank.TESTS: "Tests",
        Rank.MECHANICAL: "Mechanical",
        Rank.GENERATED: "Generated",
    }
)


def proved_words(view: OperationView, proved: tuple[ProvedChange, ...]) -> str:
    """`format only` of an operation all of whose changes are proved; `3 of 5 mechanical` of some; else nothing."""
    kinds = [class_of(hunk, proved) for hunk in view.hunks] if proved else []
    if not any(kinds):
        return ""
    if not all(kinds):
        done = sum(map(bool, kinds))
        return tr("{done} of {total} changes mechanical", done=done, total=len(kinds))
    return _PROVED[kinds[0] if len(set(kinds)) == 1 else "mechanical"]


def short_digest(digest: str) -> str:
    return f"{digest[:6]}…{digest[-4:]}" if len(digest) > 12 else digest


def long_digest(digest: str) -> str:
    """Shortened in groups for comparing; the tooltip and the copy have the whole digest."""
    return f"{digest[:8]} {digest[8:16]} … {digest[-8:]}" if len(digest) > 24 else digest


def since(moment: datetime, now: datetime) -> str:
    """`2 h ago`."""
    seconds = max(0, int((now - moment).total_seconds()))
    if seconds < _MINUTE_S:
        return tr("just now")
    if seconds < _HOUR_S:
        return tr_n("{n} min ago", "{n} min ago", seconds // _MINUTE_S)
    if seconds < 2 * _DAY_S:
        return tr_n("{n} h ago", "{n} h ago", seconds // _HOUR_S)
    return tr_n("{n} day ago", "{n} days ago", seconds // _DAY_S)


def day(moment: datetime, now: datetime) -> str:
    """`Today`, `Yesterday`, `3 May 2026`, as the person's calendar has it."""
    local, today = moment.astimezone().date(), now.astimezone().date()
    known = {0: tr("Today"), 1: tr("Yesterday")}
    return known.get((today - local).days, f"{local.day} {local:%B %Y}")


def visible_lines(text: str) -> list[str]:
    """Lines of a text, with hidden characters as tokens; never an empty list."""
    return [visible(line) for line in text.split("\n")] or [""]


def _mode(state: NodeState) -> int | None:
    return state.mode if isinstance(state, FileState | DirectoryState) else None


def part_words(part: ChoicePart) -> str:
    """What a person changed inside an operation."""
    if part.edited is not None:
        return tr("edited by you")
    lines = len(part.added) + len(part.removed)
    told = (
        tr_n("{n} change dropped", "{n} changes dropped", len(part.hunks)) if part.hunks else "",
        tr_n("{n} line left out", "{n} lines left out", lines) if lines else "",
    )
    return ", ".join(filter(None, told))


def is_told_in_its_line(view: OperationView) -> bool:
    """Whether a collapsed row shows everything: no text changes, and a command that fits."""
    text = view.operation.call_text
    if text is not None:
        lines = visible_command(text)
        return len(lines) == 1 and len(lines[0]) <= FITS_ITS_LINE
    return not view.hunks
