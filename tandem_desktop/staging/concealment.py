"""Finds what a reader would overlook: look-alikes, and blanks that push text out of sight."""

from collections import Counter
from collections.abc import Iterator, Sequence

from tandem_desktop.diff import look_alikes
from tandem_desktop.diff.text import (
    BLANK_RUN,
    DEEPEST_INDENTATION,
    EMPTY_LINES,
    is_blank,
    visible,
    visible_name,
)
from tandem_desktop.domain.operations import StagedOperation, SymlinkState

FARTHEST_COLUMN = 120
"""A run of blanks that aligns text with its neighbours up to here is a table."""
_TAB = 4
_MOST_NAMED = 3
_ODD_BLANKS = b"\x0b\x0c\x1c\x1d\x1e\x1f"
_BLANKS = b" \t\r" + _ODD_BLANKS
_KINDS = bytes(0x20 if each in _BLANKS else each if each == 0x0A else 0x78 for each in range(256))
"""For each byte a blank, a newline, or `x` for all else: so runs are found by comparing bytes."""


def about_names(operation: StagedOperation) -> Iterator[str]:
    """Sentences about paths and link targets that pass for others."""
    names = list(operation.paths)
    if isinstance(operation.after, SymlinkState):
        names.append(operation.after.target)
    for name in names:
        marked = look_alikes.in_name(name)
        if not marked:
            continue
        alike = look_alikes.read_as(name, marked)
        if alike != name:
            yield f"The name {visible_name(name)} looks like {visible(alike)}, and is not."
        else:
            yield f"The name {visible_name(name)} is another one on disks that drop, join or split at the marked signs."


def about_command(text: str) -> Iterator[str]:
    """Sentences about a command, or a value it is given."""
    blanks = [len(run[0]) for run in BLANK_RUN.finditer(text)]
    if blanks:
        yield f"It has {max(blanks):,} blanks in a row, shown as their number."
    empty = _longest_gap(text.split("\n"))
    if empty >= EMPTY_LINES:
        yield f"It has {empty:,} empty lines in a row, shown as their number."
    turned = look_alikes.reordered(text)
    if turned:
        yield "Its letters that are written from right to left change the order in which arguments are drawn."
    if marked := sorted({*look_alikes.in_command(text)}.difference(turned)) or look_alikes.in_text(text):
        yield f"{_spelled_word(text, marked)} looks like other letters or signs than it has."


def about_added_lines(before: bytes | None, after: bytes) -> Iterator[str]:
    """Sentences about the lines that `after` adds; both are text in UTF-8. Quick where all of it is plain."""
    is_ascii = after.isascii()
    may_push = not is_ascii or _may_push(after)
    may_gap = not is_ascii or _may_gap(after)
    if is_ascii and not may_push and not may_gap:
        return
    lines = after.decode("utf-8", "replace").split("\n")
    added = _added(before, after)
    if may_push:
        yield from _about_blanks(lines, added)
    if may_gap:
        yield from _about_gaps(before, lines)
    if not is_ascii:
        yield from _about_look_alikes(lines, added)


def _may_push(content: bytes) -> bool:
    """Whether a line of ASCII may have a run of blanks to tell of: a quick look at all of it."""
    kinds = content.translate(_KINDS)
    if b" " * 20 not in kinds:
        return False
    is_mixed = b" \t" in content or b"\t " in content
    has_odd = is_mixed or any(each in content for each in _ODD_BLANKS)
    return has_odd or b"x" + b" " * 20 in kinds or b" " * 81 in kinds or b"\t" * 20 in content


def _may_gap(content: bytes) -> bool:
    """Whether so many lines in a row hold nothing but blanks."""
    squeezed = content.translate(None, _BLANKS)
    return squeezed.startswith(b"\n" * EMPTY_LINES) or b"\n" * (EMPTY_LINES + 1) in squeezed


def _about_blanks(lines: Sequence[str], added: Sequence[int]) -> Iterator[str]:
    found = [(number, run) for number in added if (run := _pushing_run(lines, number))]
    if found:
        number, count = max(found, key=lambda each: each[1])
        yield f"Line {number + 1} has {count:,} blanks in a row, shown as their number."


def _pushing_run(lines: Sequence[str], number: int) -> int:
    """The longest run of blanks of a line that is neither indentation nor the gap of a table."""
    line = lines[number]
    longest = 0
    for run in BLANK_RUN.finditer(line):
        start, end = run.span()
        if not line[:end].strip(" \t") and len(line[:end].expandtabs(_TAB)) <= DEEPEST_INDENTATION:
            continue
        if end < len(line) and not run[0].strip(" \t") and _is_aligned(lines, number, end):
            continue
        longest = max(longest, end - start)
    return longest


def _is_aligned(lines: Sequence[str], number: int, at: int) -> bool:
    """True if a line above or below has text that begins in the same column."""
    text = lines[number].expandtabs(_TAB)
    column = len(lines[number][:at].expandtabs(_TAB))
    if column > FARTHEST_COLUMN:
        return False
    for beside in (*lines[max(0, number - 2) : number], *lines[number + 1 : number + 3]):
        other = beside[: 2 * FARTHEST_COLUMN].expandtabs(_TAB)
        if len(other) > column and not other[column].isspace():
            is_column = other[column - 1].isspace() or other[column] == text[column]
            if is_column:
                return True
    return False


def _about_gaps(before: bytes | None, lines: Sequence[str]) -> Iterator[str]:
    """Empty lines with text after them that were not there before."""
    gaps = [*_gaps(lines)]
    if not gaps:
        return
    known = Counter((count, text) for count, _, text in _gaps((before or b"").decode("utf-8", "replace").split("\n")))
    found = []
    for count, start, text in gaps:
        if known[count, text]:
            known[count, text] -= 1
        else:
            found.append((count, start))
    if found:
        count, start = max(found)
        yield f"{count:,} empty lines follow each other from line {start + 1} on, shown as their number."


def _gaps(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """How many empty lines follow each other, where, and the text after them."""
    at = EMPTY_LINES - 1
    while at < len(lines):
        if is_blank(lines[at]):
            start = at
            while start and is_blank(lines[start - 1]):
                start -= 1
            while at < len(lines) and is_blank(lines[at]):
                at += 1
            if at < len(lines) and at - start >= EMPTY_LINES:
                yield at - start, start, lines[at]
        at += EMPTY_LINES  # so many in a row cannot lie between


def _about_look_alikes(lines: Sequence[str], added: Sequence[int]) -> Iterator[str]:
    named: dict[str, int] = {}
    for number in added:
        marked = look_alikes.in_text(lines[number])
        if marked:
            named.setdefault(_spelled_word(lines[number], marked), number)
    text = "\n".join(lines[number] for number in added if not lines[number].isascii())
    twins = [*look_alikes.twin_words(text, "\n".join(lines))] if text else []
    shown = [f"{word} on line {number + 1}" for word, number in named.items()]
    shown += [f"{_all_spelled(word)}, beside {other}," for word, other in twins]
    if shown:
        told = ", ".join(shown[:_MOST_NAMED])
        more = f" and {len(shown) - _MOST_NAMED:,} more" if len(shown) > _MOST_NAMED else ""
        yield f"{told}{more} {'looks' if len(shown) == 1 else 'look'} like another word."


def _spelled_word(text: str, marked: Sequence[int]) -> str:
    """The word around the first marked character, with the marked ones spelled out."""
    start = end = marked[0]
    while start > 0 and not text[start - 1].isspace() and marked[0] - start < 30:
        start -= 1
    while end < len(text) and not text[end].isspace() and end - marked[0] < 30:
        end += 1
    chosen = frozenset(marked)
    return "".join(f"⟨U+{ord(text[at]):04X}⟩" if at in chosen else visible(text[at]) for at in range(start, end))


def _all_spelled(word: str) -> str:
    return "".join(each if each.isascii() else f"⟨U+{ord(each):04X}⟩" for each in word)


def _longest_gap(lines: Sequence[str]) -> int:
    longest = run = 0
    for line in lines:
        run = run + 1 if is_blank(line) else 0
        longest = max(longest, run)
    return longest


def _added(before: bytes | None, after: bytes) -> list[int]:
    """The lines of `after` that occur more often than in `before`."""
    lines = after.split(b"\n")
    if before is None:
        return [*range(len(lines))]
    there = Counter(before.split(b"\n"))
    added: list[int] = []
    for number, line in enumerate(lines):
        if there[line]:
            there[line] -= 1
        else:
            added.append(number)
    return added
