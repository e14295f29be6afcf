"""The diff of one file, ready to show."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from tandem_desktop.diff import look_alikes
from tandem_desktop.diff.hunks import Hunk, hunks
from tandem_desktop.diff.lines import LineChange, changes
from tandem_desktop.diff.text import EMPTY_LINES, Document, is_hidden, is_plain
from tandem_desktop.ui.diff.special import SpecialText, content_notes
from tandem_desktop.ui.i18n import tr, tr_n

TOKEN = re.compile("⟨[^⟩]*⟩|[\u2400-\u2421]")
"""The token for a hidden character. Files cannot fake one: the same characters in a file are escaped."""
_LONE_RETURN = re.compile("\r(?!\n)")
_NO_SPACE = str.maketrans("", "", " \t\n\v\f\r")
MOST_NAMED = 3


class DiffSide:
    """The lines of one file version. Thread-safe: only caches change."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.document = Document.of(content)

    def __len__(self) -> int:
        return len(self.document.lines)

    @cached_property
    def is_plain(self) -> bool:
        """Whether no line needs escaping; true for most source."""
        return is_plain(self.content.replace(b"\r\n", b"\n"), bytes([*range(0x20, 0x7F)]) + b"\t\n")

    @cached_property
    def text(self) -> str:
        """All lines as they are shown, with newlines between them; for lexing and searching."""
        return "\n".join(self.lines(0, len(self)))

    def line(self, index: int) -> str:
        """One line as shown, without its newline: hidden characters and imitated letters are tokens."""
        return self.document.display(self.document.lines[index])

    def has_blank_run(self, start: int, end: int) -> bool:
        """Whether so many blank lines follow each other in a range that they are drawn as their number."""
        run = 0
        for index in range(start, end):
            run = run + 1 if self.is_blank(index) else 0
            if run >= EMPTY_LINES:
                return True
        return False

    def lines(self, start: int, end: int) -> Iterator[str]:
        return map(self.line, range(start, end))

    def length(self, index: int) -> int:
        """About how many characters a line has, known without decoding it."""
        return len(self.document.lines[index])

    def without_space(self, index: int) -> str:
        """One line without its blanks, tabs and line end; every other character counts."""
        return self.document.lines[index].decode(self.document.encoding).translate(_NO_SPACE)

    def is_blank(self, index: int) -> bool:
        """Whether nothing of a line can be seen."""
        return self.document.is_blank(self.document.lines[index])

    def has_newline(self, index: int) -> bool:
        return index < len(self) - 1 or self.document.lines[index].endswith((b"\n", b"\n\0", b"\0\n"))

    def hidden(self) -> tuple[str, ...]:
        """The hidden characters of this content by name: "right-to-left override (U+202E) on line 3"."""
        if self.is_plain or self.document.is_binary:
            return ()
        text = self.content.decode(self.document.encoding)
        found = {each for each in set(text) - set("\r\ufeff") if is_hidden(each)}
        places = [(text.index(each), _named(each)) for each in found]
        lone = _LONE_RETURN.search(text)
        if lone:
            places.append((lone.start(), tr("a carriage return inside a line")))
        if imitated := look_alikes.in_text(text):
            places.append((imitated[0], tr("letters of another alphabet that look like Latin ones")))
        return tuple(
            tr("{name} on line {line}", name=name, line=text.count(chr(10), 0, at) + 1) for at, name in sorted(places)
        )


def hidden_text(side: DiffSide) -> str:
    """The banner text; empty if there is nothing hidden."""
    found = side.hidden()
    if not found:
        return ""
    named = ", ".join(found[:MOST_NAMED])
    if len(found) > MOST_NAMED:
        named = tr("{named} and {n} more kinds", named=named, n=len(found) - MOST_NAMED)
    return tr("Characters you would not see are drawn as tokens: {named}.", named=named)


def _named(character: str) -> str:
    name = unicodedata.name(character, "").lower().replace("-", " ")
    code = f"U+{ord(character):04X}"
    return f"{name} ({code})" if name else tr("control character {code}", code=code)


PREVIEW_LINES = 200


class StretchKind(Enum):
    """What a run of lines is: far from any change, near one, or changed."""

    GAP = auto()
    CONTEXT = auto()
    CHANGE = auto()


class DiffStretch(NamedTuple):
    """Lines `old_start:old_end` stand against `new_start:new_end`; zero-based, ends excluded. A gap has no hunk (0)."""

    kind: StretchKind
    hunk: int
    old_start: int
    old_end: int
    new_start: int
    new_end: int


@dataclass(frozen=True)
class FileDiff:
    """Two contents and how they differ. `is_preview` while only the first lines of the new one are known."""

    path: str
    old: DiffSide
    new: DiffSide
    hunks: tuple[Hunk, ...]
    stretches: tuple[DiffStretch, ...]
    notes: tuple[SpecialText, ...] = ()
    """Changes that have no lines: line ends, encodings, images, links, modes."""
    banner: str = ""
    """Names the hidden characters; empty when there are none."""
    longest: int = 0
    """About how many characters the longest line near a change has."""
    is_preview: bool = False
    added: int = field(default=0)
    removed: int = field(default=0)

    @cached_property
    def by_white_space(self) -> dict[DiffStretch, tuple[tuple[DiffStretch, bool], ...]]:
        """The parts of each change that has lines which differ only in white space, and whether they are such lines."""
        if self.is_binary:
            return {}
        changed = (stretch for stretch in self.stretches if stretch.kind is StretchKind.CHANGE)
        cut = {stretch: tuple(self._cut_at_space(stretch)) for stretch in changed}
        return {stretch: parts for stretch, parts in cut.items() if any(is_space for _, is_space in parts)}

    def _cut_at_space(self, stretch: DiffStretch) -> Iterator[tuple[DiffStretch, bool]]:
        _, _, old, old_end, new, new_end = stretch
        removed = [self.old.without_space(line) for line in range(old, old_end)]
        added = [self.new.without_space(line) for line in range(new, new_end)]
        done = 0, 0
        found = () if removed == added else changes(*([each.encode() for each in side] for side in (removed, added)))
        for change in (*found, LineChange(len(removed), len(removed), len(added), len(added))):
            for (start, new_start), (end, last), is_space in (
                (done, (change.old_start, change.new_start), True),
                ((change.old_start, change.new_start), (change.old_end, change.new_end), False),
            ):
                if end > start or last > new_start:
                    lines = DiffStretch(stretch.kind, stretch.hunk, old + start, old + end, new + new_start, new + last)
                    yield lines, is_space
            done = change.old_end, change.new_end

    @cached_property
    def is_one_encoding(self) -> bool:
        """Whether both sides have the same encoding, so that equal bytes look equal."""
        return self.old.document.encoding == self.new.document.encoding

    @property
    def is_binary(self) -> bool:
        return self.old.document.is_binary or self.new.document.is_binary

    @property
    def counts(self) -> str:
        """`3 lines added, 2 removed, 1 change`."""
        added = tr_n("{n} line added", "{n} lines added", self.added)
        changes = tr_n("{n} change", "{n} changes", len(self.hunks))
        return tr("{added}, {removed} removed, {changes}", added=added, removed=self.removed, changes=changes)


def build_file_diff(
    path: str,
    before: bytes,
    after: bytes,
    *,
    known_hunks: Sequence[Hunk] | None = None,
    notes: Sequence[SpecialText] = (),
) -> FileDiff:
    """Compare, unless the hunks of these contents are known already. Takes its time; call it on another thread.

    `notes` are additional facts that the contents do not show, such as a new mode.
    """
    old, new = DiffSide(before), DiffSide(after)
    made = tuple(hunks(before, after) if known_hunks is None else known_hunks)
    told = content_notes(before, after, old.document, new.document)
    if notes and before == after:
        told = ()
    banner = hidden_text(new) or hidden_text(old)
    warned = (SpecialText(banner, "warning", is_risk=True),) if banner else ()
    return FileDiff(
        path=path,
        old=old,
        new=new,
        hunks=made,
        stretches=tuple(_stretches(made, len(old), len(new))),
        notes=(*warned, *notes, *told),
        banner=banner,
        longest=max((len(line.raw) for hunk in made for line in hunk.lines), default=0),
        added=sum(hunk.added for hunk in made),
        removed=sum(hunk.removed for hunk in made),
    )


def preview_file_diff(path: str, before: bytes, after: bytes) -> FileDiff:
    """The first lines of the new content, shown while the comparison runs. Fast for any size."""
    shown = DiffSide(_first_lines(after or before))
    lines = len(shown)
    return FileDiff(
        path=path,
        old=shown,
        new=shown,
        hunks=(),
        stretches=(DiffStretch(StretchKind.CONTEXT, 0, 0, lines, 0, lines),),
        notes=(SpecialText(tr("Comparing…"), "clock"),),
        longest=max(map(len, shown.document.lines), default=0),
        is_preview=True,
    )


def _first_lines(content: bytes) -> bytes:
    end = 0
    for _ in range(PREVIEW_LINES):
        newline = content.find(b"\n", end, end + 20_000)
        if newline < 0:
            return content[: end or 20_000]
        end = newline + 1
    return content[:end]


def _stretches(made: Sequence[Hunk], old_length: int, new_length: int) -> Iterator[DiffStretch]:
    old = new = 0
    for hunk in made:
        start = hunk.old_start - (1 if hunk.old_count else 0)
        if start > old:
            yield DiffStretch(StretchKind.GAP, 0, old, start, new, new + start - old)
            old, new = start, new + start - old
        for is_context, run in groupby(hunk.lines, key=lambda line: line.kind == " "):
            kinds = [line.kind for line in run]
            old_end = old + len(kinds) - kinds.count("+")
            new_end = new + len(kinds) - kinds.count("-")
            yield DiffStretch(
                StretchKind.CONTEXT if is_context else StretchKind.CHANGE, hunk.n, old, old_end, new, new_end
            )
            old, new = old_end, new_end
    if old < old_length:
        yield DiffStretch(StretchKind.GAP, 0, old, old_length, new, new_length)
