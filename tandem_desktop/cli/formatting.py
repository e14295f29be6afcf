"""Operations as text for the terminal."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from tandem_desktop.cli.console import EscapedText, Line, Piece, Span, Tone, named, sentence, table
from tandem_desktop.diff.text import Document, visible, visible_command, visible_in_a_line, visible_line, visible_name
from tandem_desktop.domain.operations import FileState, NodeState, StagedOperation
from tandem_desktop.domain.paths import ROOT
from tandem_desktop.domain.perspectives import ChapoPerspective
from tandem_desktop.domain.runs import OperationResult, ResultStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tandem_desktop.diff.hunk_classes import ProvedChange
    from tandem_desktop.diff.hunks import Hunk
    from tandem_desktop.domain.ids import OperationId
    from tandem_desktop.domain.perspectives import Perspective, Perspectives
    from tandem_desktop.domain.plan import PlanVersion
    from tandem_desktop.review.attention import AttentionGroup
    from tandem_desktop.review.compare import Interdiff
    from tandem_desktop.review.operation_view import OperationView
    from tandem_desktop.staging.git_effects import GitEffect
    from tandem_desktop.storage.objects import ObjectStore

_INDENT = "      "
_RESULT_TONES = {
    ResultStatus.COMPLETED: Tone.ADDED,
    ResultStatus.FAILED: Tone.FAILED,
    ResultStatus.ROLLED_BACK: Tone.WARNING,
    ResultStatus.SKIPPED: Tone.WARNING,
    ResultStatus.CANCELLED: Tone.WARNING,
}


def summary_table(views: tuple[OperationView, ...]) -> list[Line]:
    """One line per operation."""
    return table(_summary_row(view) for view in views)


_MOST_LINES = 5_000
_MOST_LINES_OF_ALL = 50_000
_MOST_BYTES, _MOST_BYTES_OF_ALL = 200_000, 2_000_000
"""A line can be as long as its file."""


class DiffLimit:
    """How many lines of diffs, and how much in them, one answer holds; with `whole` all of them."""

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self._lines_left = _MOST_LINES_OF_ALL
        self._bytes_left = _MOST_BYTES_OF_ALL

    @property
    def most_bytes(self) -> int | None:
        from tandem_desktop.review.operation_view import MOST_COMPARED_BYTES

        return None if self._whole else MOST_COMPARED_BYTES

    def of(self, hunks: tuple[Hunk, ...]) -> tuple[tuple[Hunk, ...], int]:
        """The hunks of one operation, cut where it is too much, and how many lines are left out."""
        total = sum(len(hunk.lines) for hunk in hunks)
        allowed = total if self._whole else self._take(hunks)
        if allowed == total:
            return hunks, 0
        kept: list[Hunk] = []
        left = allowed
        for hunk in hunks:
            if left <= 0:
                break
            kept.append(replace(hunk, lines=hunk.lines[:left]))
            left -= len(hunk.lines)
        return tuple(kept), total - allowed

    def _take(self, hunks: tuple[Hunk, ...]) -> int:
        """How many lines there is room for; a line is shown whole or not at all."""
        most_lines, most_bytes = min(_MOST_LINES, self._lines_left), min(_MOST_BYTES, self._bytes_left)
        lines = size = 0
        for line in chain.from_iterable(hunk.lines for hunk in hunks):
            if lines == most_lines or size + len(line.raw) > most_bytes:
                break
            lines, size = lines + 1, size + len(line.raw)
        self._lines_left -= lines
        self._bytes_left -= size
        return lines


def attention_lines(views: Iterable[OperationView]) -> Iterator[Line]:
    """What needs attention, the gravest first: each group of equal hazards under its flags."""
    from tandem_desktop.review.attention import attention

    groups = attention(views)
    if groups:
        yield Span("Needs attention, the gravest first:", Tone.STRONG)
    for group in groups:
        yield from _group_lines(group)


def _group_lines(group: AttentionGroup) -> Iterator[Line]:
    title = f"  {group.title.lower()}" if group.title else ""
    number = f"  ({len(group.views)})" if len(group.views) > 1 else ""
    reasons = [" ".join(dict.fromkeys(view.why(flag) for flag in view.flags)) for view in group.views]
    common = reasons[0] if len(reasons) > 1 and len(set(reasons)) == 1 else ""
    flags = " ".join(flag.value for flag in group.flags)
    yield ("  ", Span(f"! {flags}", Tone.WARNING), f"{title}{number}{': ' if common else ''}{common}")
    for view, why in zip(group.views, reasons, strict=True):
        staged = view.operation
        command = f": {visible_in_a_line(staged.command)}" if staged.command else ""
        shown = EscapedText(f"  {staged.action_with(visible_name)}{command}")
        told = "" if common else f"  {why}"
        yield (_INDENT, Span(staged.id, Tone.STRONG), shown, Span(told, Tone.QUIET))


def note_lines(views: Iterable[OperationView]) -> Iterator[Line]:
    """Each note once, after the first operation that it is about and the number of the others."""
    about: dict[str, list[StagedOperation]] = {}
    for view in views:
        for note in dict.fromkeys(view.notes):
            about.setdefault(note, []).append(view.operation)
    for note, operations in about.items():
        first = operations[0]
        more = f" and {len(operations) - 1} more" if len(operations) > 1 else ""
        path = first.to or first.path
        name: tuple[Piece, ...] = ("  ", named(path)) if path is not None else ()
        yield (Span(first.id, Tone.STRONG), *name, f"{more}: ", sentence(note))


def in_full(
    view: OperationView,
    documents: tuple[Document, Document] | None,
    beside: tuple[OperationId, ...] = (),
    task: str = "",
    *,
    limit: DiffLimit | None = None,
    whole: str = "",
    proved: tuple[ProvedChange, ...] = (),
    versions: Iterable[Line] = (),
) -> Iterator[Line]:
    """Everything a reviewer needs about one operation; with its hunks when the two sides are handed in.

    `whole` is the call that prints what exceeds the limit, `versions` what a lock file changes.
    """
    staged = view.operation
    yield (Span(staged.id, Tone.STRONG), "  ", _action(staged), *_counts(view))
    yield from _command(staged)
    if staged.recorded_from:
        yield f"{_INDENT}recorded from a rehearsal, in place of:"
        yield from command_text(staged.recorded_from)
    if task:
        yield f"{_INDENT}task {task}"
    if staged.blocked_by:
        yield f"{_INDENT}after {', '.join(staged.blocked_by)}"
    if beside:
        yield f"{_INDENT}side by side with {', '.join(beside)}, not seeing what the other changes"
    for flag in view.flags:
        yield (_INDENT, Span(f"! {flag.value}", Tone.WARNING), f": {view.why(flag)}")
    yield from ((_INDENT, sentence(note)) for note in view.notes)
    if staged.is_effect:
        yield (_INDENT, Span(staged.description, Tone.QUIET))
    for label, words in (
        ("the agent says", staged.agent_description),
        ("its reason", staged.rationale),
        ("its view of the risk", staged.risk),
    ):
        if words:
            yield (_INDENT, Span(f"{label}: ", Tone.QUIET), Span(words, Tone.QUIET))
    yield from versions
    if documents is not None:
        yield from _difference(view, *documents, limit or DiffLimit(whole=True), whole, proved)


def ignored_lines(version: PlanVersion, include: str) -> Iterator[Line]:
    """What is left out because git ignores it, and the call that takes it in."""
    if version.ignored is not None:
        yield (Span(version.ignored.sentence(), Tone.QUIET), Span(f" Take some in with: {include}", Tone.QUIET))


_LAST_LINES = 3


def ran_lines(version: PlanVersion, *, whole: bool) -> Iterator[Line]:
    """The commands the agent ran in its shadow, with the end of their output, or all that is kept of it."""
    if version.ran:
        yield "Ran in the shadow, and not run again by apply:"
    for each in version.ran:
        where = EscapedText("" if each.cwd == ROOT else f", in {visible_name(each.cwd)}")
        tone = Tone.WARNING if each.exit_code or each.has_failed else Tone.PLACE
        yield from command_text(each.command)
        yield (_INDENT, Span(each.outcome, tone), where)
        lines = each.output.rstrip("\n").split("\n") if each.output.strip() else []
        hidden = 0 if whole else max(0, len(lines) - _LAST_LINES)
        if hidden:
            yield (_INDENT, Span(f"… {hidden} more lines of output; --diff shows them", Tone.QUIET))
        yield from ((_INDENT, Span("│ ", Tone.QUIET), Span(line, Tone.QUIET)) for line in lines[hidden:])


def result_table(results: tuple[OperationResult, ...], operations: tuple[StagedOperation, ...] = ()) -> list[Line]:
    """One line per operation of a run."""
    words = {staged.id: _action(staged) for staged in operations}
    return table(_result_row(result, words.get(result.id, "")) for result in results)


def git_lines(effects: Iterable[GitEffect], heading: str) -> list[str]:
    """The changes of each repository under a heading; it names the repository unless it is the workspace's own."""
    lines: list[str] = []
    for effect in effects:
        if effect.lines:
            where = "" if effect.repository == "." else f" {effect.repository}"
            lines.append(f"{heading[0].upper()}{heading[1:]}{where}:")
            lines += [f"  {line}" for line in effect.lines]
    return lines


def between(found: Interdiff) -> Iterator[Line]:
    """How two revisions of one operation differ in what they leave."""
    before, after = Document.of(found.earlier), Document.of(found.later)
    if not found.hunks:
        yield f"{_INDENT}the same bytes; something else about it changed"
    elif before.is_binary or after.is_binary:
        yield (_INDENT, Span("binary; the bytes are not shown", Tone.PLACE))
    else:
        for each in found.hunks:
            yield from _hunk(each, before, after)


def agent_text(content: str) -> Iterator[Line]:
    """The plan's own text, line by line."""
    for text in content.rstrip("\n").split("\n"):
        yield (Span("  │ ", Tone.QUIET), text)


def command_text(command: str) -> Iterator[Line]:
    """A command, whole; what cannot be seen of it is spelled out or counted."""
    first = "$ "
    for text in visible_command(command):
        yield (_INDENT, Span(first, Tone.QUIET), Span(EscapedText(text), Tone.STRONG))
        first = "  "


def documents(view: OperationView, objects: ObjectStore) -> tuple[Document, Document]:
    """Both sides of an operation; empty where they are not compared."""
    if view.is_too_large:
        return Document.of(b""), Document.of(b"")
    return _document(view.operation.base, objects), _document(view.operation.after, objects)


def _document(state: NodeState, objects: ObjectStore) -> Document:
    return Document.of(objects.read(state.sha256) if isinstance(state, FileState) else b"")


def _action(staged: StagedOperation) -> EscapedText:
    return EscapedText(staged.action_with(visible if staged.is_run else visible_name))


def _summary_row(view: OperationView) -> tuple[Piece, ...]:
    staged = view.operation
    command = f": {' ⏎ '.join(visible_command(staged.command))}" if staged.command else ""
    flags = " ".join(flag.value for flag in view.flags)
    plus, minus = (f"+{view.added}", f"-{view.removed}") if view.hunks else ("", "")
    return (
        Span(staged.id, Tone.STRONG),
        Span(plus, Tone.ADDED),
        Span(minus, Tone.REMOVED),
        EscapedText(f"{_action(staged)}{command}"),
        Span(flags, Tone.WARNING),
    )


def _result_row(result: OperationResult, words: str) -> tuple[Piece, ...]:
    status = Span(result.status.value.replace("_", " "), _RESULT_TONES.get(result.status, Tone.PLAIN))
    error = visible_line(result.error or "")
    why = EscapedText(f"{words}: {error}" if error and words else error or words)
    return (Span(result.id, Tone.STRONG), status, why)


def _counts(view: OperationView) -> tuple[Piece, ...]:
    if not view.hunks:
        return ()
    return ("  ", Span(f"+{view.added}", Tone.ADDED), " ", Span(f"-{view.removed}", Tone.REMOVED))


def _command(staged: StagedOperation) -> Iterator[Line]:
    """The exact text, whole, and where and how it will run."""
    if (external := staged.external_call) is not None:
        yield from command_text(external.text)
        about = f" on {external.target}" if external.target else ""
        yield f"{_INDENT}called{about} by the agent that asked, once, after approval"
    if (call := staged.command_call) is None:
        return
    yield from command_text(call.command)
    where = "the workspace" if call.cwd == "." else visible_name(call.cwd)
    yield EscapedText(f"{_INDENT}in {where}, at most {call.timeout_s} s")
    for name, value in call.env:
        yield (f"{_INDENT}with {name}=", EscapedText(" ⏎ ".join(visible_command(value))))


def _difference(
    view: OperationView,
    before: Document,
    after: Document,
    limit: DiffLimit,
    whole: str,
    proved: tuple[ProvedChange, ...],
) -> Iterator[Line]:
    if view.is_too_large:
        from tandem_desktop.staging.hazards import Hazard

        is_binary = Hazard.BINARY in view.flags
        words = "binary; the bytes are not shown: " if is_binary else "too large to be compared here: "
        yield (_INDENT, Span(words, Tone.PLACE), _sizes(view.operation))
        if not is_binary:
            yield f"{_INDENT}All of it is printed by: {whole}"
        return
    if not view.hunks:
        return
    if before.is_binary or after.is_binary:
        yield (_INDENT, Span("binary; the bytes are not shown: ", Tone.PLACE), _sizes(view.operation))
        return
    if "none" not in (before.endings, after.endings) and before.endings != after.endings:
        yield (_INDENT, Span(f"line ends change from {before.endings} to {after.endings}", Tone.WARNING))
    shown, left_out = limit.of(view.hunks)
    for found, entire in zip(shown, view.hunks, strict=False):
        yield from _hunk(found, before, after, _class_text(entire, proved))
    if left_out:
        number = "1 more line is" if left_out == 1 else f"{left_out:,} more lines are"
        yield (
            _INDENT,
            Span(f"… {number} not shown. All of it is printed by: {whole}", Tone.WARNING),
        )


_CLASSES = {
    "format": "format only",
    "comment": "comments only",
    "move": "moved",
    "rename": "renamed",
    "mechanical": "mechanical",
}


def _class_text(found: Hunk, proved: tuple[ProvedChange, ...]) -> str:
    """What a hunk is proved to be, with the other places of what moved."""
    from tandem_desktop.diff.hunk_classes import ChangeClass, class_of

    own = [each for each in proved if each.lines.hunk == found.n]
    words = [_CLASSES[kind]] if (kind := class_of(found, own)) else []
    for each in own:
        if each.kind is ChangeClass.RENAME:
            words.append(visible_name(each.path))
        elif each.path:
            way = "to" if each.lines.old[0] < each.lines.old[1] else "from"
            words.append(f"{each.lines.count} lines {way} {visible_name(each.path)}:{each.line}")
    return ", ".join(dict.fromkeys(words))


def _hunk(found: Hunk, before: Document, after: Document, words: str = "") -> Iterator[Line]:
    from tandem_desktop.diff.hunks import displayed

    told = (Span(EscapedText(f"  {words}"), Tone.QUIET),) if words else ()
    yield (_INDENT, Span(f"hunk {found.n}  {found.header}", Tone.PLACE), *told)
    tones = {"+": Tone.ADDED, "-": Tone.REMOVED, " ": Tone.PLAIN}
    for kind, text in displayed(found, before, after):
        yield (_INDENT, Span(EscapedText(kind + text), tones.get(kind, Tone.QUIET)))


def _sizes(staged: StagedOperation) -> str:
    def side(state: object) -> str:
        return f"{state.size:,} bytes ({state.sha256[:16]}…)" if isinstance(state, FileState) else "nothing"

    return f"{side(staged.base)} → {side(staged.after)}"


def perspective_lines(found: Perspectives) -> list[Line]:
    """A line for each perspective, and which are missing."""
    lines: list[Line] = [
        (Span(f"{each.agent.value.upper():<6}", Tone.STRONG), f" {_in_short(each)}") for each in found.voices
    ]
    lines += [(Span("! ", Tone.WARNING), f"Without {lost.part.upper()}: {lost.reason}") for lost in found.missing]
    return lines


def _in_short(found: Perspective) -> str:
    risk = f", {found.risk_assessment.value} risk" if isinstance(found, ChapoPerspective) else ""
    read = f"; read {len(found.files_read)} files" if found.files_read else "; read no file"
    return f"{found.estimated_effort.value} effort{risk}, {len(found.concerns)} concerns{read}. {found.analysis}"
