"""Hunks of a diff and their unified format."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice, repeat
from typing import NamedTuple

from tandem_desktop.diff.lines import LineChange, changes
from tandem_desktop.diff.text import EMPTY_LINES, Document, ends_without_newline, newline_of, split_lines
from tandem_desktop.domain.errors import StepRefusedError
from tandem_desktop.storage.gc_tuning import raised_gc_threshold

CONTEXT_LINES = 3
_LARGE = 1024 * 1024


class HunkLine(NamedTuple):
    """One line of the file with its newline; `kind` is `" "`, `"-"` or `"+"`.

    A tuple, because a large diff has a hundred thousand of them and creating a dataclass takes twice as long.
    """

    kind: str
    raw: bytes
    no_newline: bool = False
    """The last line of a file that does not end in a newline."""


_made_line: Callable[[tuple[str, bytes, bool]], HunkLine] = partial(tuple.__new__, HunkLine)


@dataclass(frozen=True, slots=True)
class Hunk:
    """Changed lines with their context; line numbers count from one, as in a unified diff."""

    n: int
    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[HunkLine, ...]

    @property
    def header(self) -> str:
        return f"@@ -{_span(self.old_start, self.old_count)} +{_span(self.new_start, self.new_count)} @@"

    @property
    def added(self) -> int:
        return sum(line.kind == "+" for line in self.lines)

    @property
    def removed(self) -> int:
        return sum(line.kind == "-" for line in self.lines)


def hunks(before: bytes, after: bytes, context: int = CONTEXT_LINES) -> tuple[Hunk, ...]:
    """Hunks that turn `before` into `after`, for any bytes; none when they are equal."""
    if len(before) + len(after) < _LARGE:
        return _compared(before, after, context)
    with raised_gc_threshold():
        return _compared(before, after, context)


def _compared(before: bytes, after: bytes, context: int) -> tuple[Hunk, ...]:
    old, new = split_lines(before), split_lines(after)
    made = tuple(_hunks([*_groups(changes(old, new), context)], old, new, context))
    if made and (ends_without_newline(before) or ends_without_newline(after)):
        made = (*made[:-1], _marked(made[-1], before, after, len(old), len(new)))
    return made


def rebuild(before: bytes, wanted: Iterable[Hunk]) -> bytes:
    """Apply hunks to the very bytes they were made from; all of them give the after-bytes.

    Raises:
        StepRefusedError: a hunk was made from other bytes than these.
    """
    return b"".join(_rebuilt(before, wanted))


def keep(before: bytes, all_hunks: Sequence[Hunk], dropped: Collection[int]) -> bytes:
    """The content when the hunks with these numbers are left out."""
    return rebuild(before, kept(all_hunks, dropped))


def kept(all_hunks: Sequence[Hunk], dropped: Collection[int]) -> tuple[Hunk, ...]:
    """The other hunks, with their numbers, and recomputed positions in the new file.

    Raises:
        StepRefusedError: a number names no hunk.
    """
    unknown = sorted(set(dropped) - {hunk.n for hunk in all_hunks})
    if unknown:
        raise StepRefusedError(
            f"There is no hunk {unknown[0]}; the hunks are numbered 1 to {len(all_hunks)}.",
            next="Choose among the numbers shown with the diff.",
        )
    shift = 0
    chosen: list[Hunk] = []
    for hunk in all_hunks:
        if hunk.n in dropped:
            continue
        start = _zero_based(hunk.old_start, hunk.old_count) + shift
        chosen.append(replace(hunk, new_start=_one_based(start, hunk.new_count)))
        shift += hunk.new_count - hunk.old_count
    return tuple(chosen)


def keep_lines(
    before: bytes, all_hunks: Sequence[Hunk], *, added: Collection[int] = (), removed: Collection[int] = ()
) -> bytes:
    """The content when some added lines, by their new numbers, do not come and some removed ones, by their old, stay.

    A line that stays comes before the lines that were to replace it. One that was the last of its file, without a
    newline, gets one when another follows it now.

    Raises:
        StepRefusedError: a number names no line that was added or removed.
    """
    chosen = [_without_lines(hunk, added, removed) for hunk in all_hunks]
    for sign, wanted in (("+", added), ("-", removed)):
        known = {number for hunk in all_hunks for number in numbered(hunk, sign)}
        if unknown := sorted(set(wanted) - known):
            raise StepRefusedError(
                f"Line {sign}{unknown[0]} is not one that was {'added' if sign == '+' else 'removed'}.",
                next="Choose among the numbers shown with the diff.",
            )
    *lines, last = _rebuilt(before, chosen) or [b""]
    newline = newline_of(before)
    return b"".join(line if line.endswith(newline) else line + newline for line in lines) + last


def numbered(hunk: Hunk, sign: str) -> dict[int, HunkLine]:
    """The added (`+`) lines of a hunk by their numbers in the new file, or the removed (`-`) ones by their old."""
    start = hunk.new_start if sign == "+" else hunk.old_start
    own = (line for line in hunk.lines if line.kind in (" ", sign))
    return {number: line for number, line in enumerate(own, start=start) if line.kind == sign}


def _rebuilt(before: bytes, wanted: Iterable[Hunk]) -> list[bytes]:
    old = split_lines(before)
    pieces: list[bytes] = []
    position = 0
    for hunk in sorted(wanted, key=lambda hunk: hunk.n):
        start = _zero_based(hunk.old_start, hunk.old_count)
        end = start + hunk.old_count
        if start < position or old[start:end] != [line.raw for line in hunk.lines if line.kind != "+"]:
            raise StepRefusedError(
                f"Hunk {hunk.n} ({hunk.header}) was not made from this content.",
                next="Read the file again and compare it anew.",
            )
        pieces.extend(old[position:start])
        pieces.extend(line.raw for line in hunk.lines if line.kind != "-")
        position = end
    pieces.extend(old[position:])
    return pieces


def _without_lines(hunk: Hunk, added: Collection[int], removed: Collection[int]) -> Hunk:
    old, new = hunk.old_start, hunk.new_start
    lines: list[HunkLine] = []
    for line in hunk.lines:
        if line.kind == "-":
            lines.append(line._replace(kind=" ") if old in removed else line)
        elif line.kind == " " or new not in added:
            lines.append(line)
        old += line.kind != "+"
        new += line.kind != "-"
    return replace(hunk, lines=tuple(lines), new_count=sum(line.kind != "-" for line in lines))


def _groups(found: Sequence[LineChange], context: int) -> Iterator[list[LineChange]]:
    """Merge changes whose contexts touch into one hunk."""
    group: list[LineChange] = []
    for change in found:
        if group and change.old_start - group[-1].old_end > 2 * context:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunks(groups: list[list[LineChange]], old: list[bytes], new: list[bytes], context: int) -> Iterator[Hunk]:
    """The hunk of each group. The lines of all are made together, as a call for each few of them takes longer."""
    kinds: list[str] = []
    raw: list[bytes] = []
    spans: list[tuple[int, int, int, int, int]] = []
    for group in groups:
        first, last = group[0], group[-1]
        position = old_start = max(0, first.old_start - context)
        old_end = min(len(old), last.old_end + context)
        for from_old, to_old, from_new, to_new in group:
            kinds.append(" " * (from_old - position) + "-" * (to_old - from_old) + "+" * (to_new - from_new))
            raw += old[position:to_old]
            raw += new[from_new:to_new]
            position = to_old
        kinds.append(" " * (old_end - position))
        raw += old[position:old_end]
        new_start = first.new_start - (first.old_start - old_start)
        new_end = last.new_end + (old_end - last.old_end)
        spans.append((old_start, old_end - old_start, new_start, new_end - new_start, len(raw)))
    made = map(_made_line, zip("".join(kinds), raw, repeat(False)))
    done = 0
    for n, (old_start, old_count, new_start, new_count, end) in enumerate(spans, start=1):
        yield Hunk(
            n=n,
            old_start=_one_based(old_start, old_count),
            old_count=old_count,
            new_start=_one_based(new_start, new_count),
            new_count=new_count,
            lines=tuple(islice(made, end - done)),
        )
        done = end


def _marked(hunk: Hunk, before: bytes, after: bytes, old_length: int, new_length: int) -> Hunk:
    """Only the last hunk can hold a line without newline: the last one of either side."""
    lines = list(hunk.lines)
    reaches_old_end = _zero_based(hunk.old_start, hunk.old_count) + hunk.old_count == old_length
    reaches_new_end = _zero_based(hunk.new_start, hunk.new_count) + hunk.new_count == new_length
    for kinds, is_open in (
        (" -", reaches_old_end and ends_without_newline(before)),
        (" +", reaches_new_end and ends_without_newline(after)),
    ):
        places = [place for place, line in enumerate(lines) if line.kind in kinds]
        if is_open and places:
            lines[places[-1]] = lines[places[-1]]._replace(no_newline=True)
    return replace(hunk, lines=tuple(lines))


def _one_based(start: int, count: int) -> int:
    """A side without lines names the line before it, as in `@@ -3,0 +4 @@`."""
    return start + 1 if count else start


def _zero_based(start: int, count: int) -> int:
    return start - 1 if count else start


def _span(start: int, count: int) -> str:
    return str(start) if count == 1 else f"{start},{count}"


_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def unified(path_before: str | None, path_after: str | None, hunks: Iterable[Hunk]) -> bytes:
    """A unified diff of one file; None for the side where there is none. `git apply` accepts it for text."""
    pieces = [b"--- " + _name("a/", path_before) + b"\n", b"+++ " + _name("b/", path_after) + b"\n"]
    for hunk in hunks:
        pieces.append(hunk.header.encode() + b"\n")
        for line in hunk.lines:
            pieces.append(line.kind.encode() + line.raw)
            if line.no_newline:
                pieces.append(b"\n\\ No newline at end of file\n")
    return b"".join(pieces)


def quoted_path(path: str) -> bytes:
    """A path as git writes it: in quotes with octal escapes when it holds anything but plain characters."""
    raw = path.encode("utf-8", "surrogateescape")
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in raw):
        return raw
    return f'"{"".join(_escaped(byte) for byte in raw)}"'.encode()


def _name(prefix: str, path: str | None) -> bytes:
    if path is None:
        return b"/dev/null"
    name = quoted_path(prefix + path)
    # A tab ends the name for every reader, so that a space inside it does not.
    return name + b"\t" if b" " in name and not name.startswith(b'"') else name


def _escaped(byte: int) -> str:
    if byte in _ESCAPES:
        return "\\" + _ESCAPES[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


def displayed(hunk: Hunk, before: Document, after: Document) -> Iterator[tuple[str, str]]:
    """The kind and the text of each line as a person reads it; many empty changed lines are told by their number."""

    def key(line: HunkLine) -> tuple[str, bool]:
        return line.kind, line.kind != " " and (after if line.kind == "+" else before).is_blank(line.raw)

    for (kind, is_blank), run in groupby(hunk.lines, key=key):
        lines = [*run]
        if is_blank and len(lines) >= EMPTY_LINES:
            yield kind, f"⟨¶×{len(lines):,}⟩"
        else:
            yield from ((kind, (after if kind == "+" else before).display(line.raw)) for line in lines)
        if lines[-1].no_newline:
            yield "\\", " No newline at end of file"
