"""Tool calls as window text."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from tandem_desktop.diff.hunks import hunks
from tandem_desktop.diff.text import visible_in_a_line, visible_name
from tandem_desktop.domain.agent_protocol import ProposedDiff, ToolCall, ToolCallStatus, ToolKind
from tandem_desktop.ui.i18n import counted_lines, later, tr, tr_marked

_QUEUED = "command was queued"
_ADVISORS = {
    "perspective": (later("asked"), later("asks"), later("could not ask")),
    "synthesis": (later("put together"), later("puts together"), later("could not put together")),
}
_LONGEST_SUBJECT = 400
_COUNTED_BYTES = 400_000
"""Lines of larger proposals are not counted here; the plan shows the figures."""


class ChipMark(StrEnum):
    """The state shown by the icon."""

    WORKING = "working"
    DONE = "done"
    STAGED = "staged"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ChipWords:
    """The text of a chip: verb, subject and figures."""

    mark: ChipMark
    verb: str
    subject: str
    path: str = ""
    """The path of the subject, if it is a file."""
    added: int = 0
    removed: int = 0
    more: str = ""
    output: str = ""
    is_prose: bool = False
    """Whether the subject is prose, not a path or a command."""

    def sentence(self) -> str:
        figures = counted_lines(self.added, self.removed)
        return " ".join(word for word in (self.verb, self.subject, figures, self.more) if word)


def chip_words(calls: Sequence[ToolCall], *, is_allowed: bool = False) -> ChipWords:
    """The text for one call, or for several consecutive reads.

    A change that the person allowed by its card, `is_allowed`, is not held back in a plan.
    """
    last = calls[-1]
    if last.tool in _ADVISORS:
        return _advisor(last)
    if last.kind is ToolKind.EXECUTE or last.command:
        return _command(last)
    if last.kind in (ToolKind.EDIT, ToolKind.DELETE, ToolKind.MOVE) or last.diffs:
        return _change(last, is_allowed=is_allowed)
    return _look(calls)


def _advisor(call: ToolCall) -> ChipWords:
    """The text for an advisor's chip."""
    done, doing, failed = map(tr_marked, _ADVISORS[call.tool])
    verb = {ToolCallStatus.COMPLETED: done, ToolCallStatus.FAILED: failed}.get(call.status, doing)
    return ChipWords(_mark(call, ChipMark.DONE), verb, _title(call), output=call.output, is_prose=True)


def _command(call: ToolCall) -> ChipWords:
    subject = _cut(visible_in_a_line(call.command or call.title or call.tool))
    if _QUEUED in call.output:
        return ChipWords(ChipMark.STAGED, tr("command queued"), subject, output=call.output)
    if call.exit_code is not None:
        ended = tr("exit {code}", code=call.exit_code)
        mark = ChipMark.FAILED if call.exit_code else ChipMark.DONE
        return ChipWords(mark, tr("ran"), subject, more=ended, output=call.output)
    verb = {ToolCallStatus.COMPLETED: tr("ran"), ToolCallStatus.FAILED: tr("failed")}
    return ChipWords(_mark(call, ChipMark.DONE), verb.get(call.status, tr("runs")), subject, output=call.output)


def _change(call: ToolCall, *, is_allowed: bool) -> ChipWords:
    paths = call.paths or tuple(diff.path for diff in call.diffs)
    added = removed = 0
    for diff in call.diffs:
        more, less = _counts(diff)
        added, removed = added + more, removed + less
    verbs = {
        ToolKind.DELETE: (tr("staged delete"), tr("deletes"), tr("could not delete")),
        ToolKind.MOVE: (tr("staged move"), tr("moves"), tr("could not move")),
    }
    done, doing, failed = verbs.get(call.kind, (tr("staged"), tr("edits"), tr("could not edit")))
    done = done if not is_allowed else doing
    verb = {ToolCallStatus.COMPLETED: done, ToolCallStatus.FAILED: failed}.get(call.status, doing)
    subject = _subject(call, paths)
    # For changes only a failure's output is shown: the plan shows the rest.
    output = call.output if call.status is ToolCallStatus.FAILED else ""
    first = paths[0] if paths else ""
    others = "" if call.kind is ToolKind.MOVE else _others(paths)
    mark = _mark(call, ChipMark.DONE if is_allowed else ChipMark.STAGED)
    return ChipWords(mark, verb, subject, first, added, removed, others, output)


def _look(calls: Sequence[ToolCall]) -> ChipWords:
    last = calls[-1]
    verbs = {
        ToolKind.READ: (tr("read"), tr("reads"), tr("could not read")),
        ToolKind.SEARCH: (tr("searched"), tr("searches"), tr("could not search")),
        ToolKind.FETCH: (tr("fetched"), tr("fetches"), tr("could not fetch")),
        ToolKind.THINK: (tr("thought about"), tr("thinks about"), tr("could not think about")),
    }
    done, doing, failed = verbs.get(last.kind, (tr("used"), tr("uses"), tr("could not use")))
    verb = {ToolCallStatus.COMPLETED: done, ToolCallStatus.FAILED: failed}.get(last.status, doing)
    paths = tuple(dict.fromkeys(path for call in calls for path in call.paths))
    first = paths[0] if paths and last.kind is ToolKind.READ else ""
    subject = _cut(visible_name(first)) if first else _title(calls[0])
    return ChipWords(
        _mark(last, ChipMark.DONE),
        verb,
        subject,
        first,
        more=_others(paths) if first else _more(len(calls) - 1),
        output="\n".join(call.output.rstrip("\n") for call in calls if call.output),
    )


def _subject(call: ToolCall, paths: Sequence[str]) -> str:
    if call.kind is ToolKind.MOVE and len(paths) > 1:
        return " → ".join(_cut(visible_name(path)) for path in paths[:2])
    return _cut(visible_name(paths[0])) if paths else _title(call)


def _title(call: ToolCall) -> str:
    return _cut(visible_in_a_line(" ".join((call.title or call.tool or tr("a tool")).split())))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SUBJECT else f"{text[:_LONGEST_SUBJECT]}…"


def _others(paths: Sequence[str]) -> str:
    return _more(len(paths) - 1)


def _more(count: int) -> str:
    return tr("and {n} more", n=count) if count > 0 else ""


def _mark(call: ToolCall, done: ChipMark) -> ChipMark:
    if call.status is ToolCallStatus.FAILED:
        return ChipMark.FAILED
    return done if call.status is ToolCallStatus.COMPLETED else ChipMark.WORKING


def _counts(diff: ProposedDiff) -> tuple[int, int]:
    old, new = (diff.old_text or "").encode("utf-8", "replace"), diff.new_text.encode("utf-8", "replace")
    if len(old) + len(new) > _COUNTED_BYTES:
        return 0, 0
    found = hunks(old, new, context=0)
    return sum(hunk.added for hunk in found), sum(hunk.removed for hunk in found)
