"""Everything that is shown of one changed file, made away from the window's thread and never changed after."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from tandem_desktop.staging.hunks import Hunk, hunks
from tandem_desktop.ui.diff.side import Side, hidden_in_words
from tandem_desktop.ui.diff.special_content import Words, words_about_content
from tandem_desktop.ui.words import tr, tr_n

PREVIEW_LINES = 200


class StretchKind(Enum):
    """What a run of lines is: far from any change, near one, or changed."""

    GAP = auto()
    CONTEXT = auto()
    CHANGE = auto()


class Stretch(NamedTuple):
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
    old: Side
    new: Side
    hunks: tuple[Hunk, ...]
    stretches: tuple[Stretch, ...]
    words: tuple[Words, ...] = ()
    """What cannot be said by lines: line ends, encodings, images, links, modes."""
    banner: str = ""
    """Names the characters a reader would not see; empty when there are none."""
    longest: int = 0
    """About how many characters the longest line near a change has."""
    is_preview: bool = False
    added: int = field(default=0)
    removed: int = field(default=0)

    @cached_property
    def is_one_encoding(self) -> bool:
        """Whether equal bytes look equal on both sides."""
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
    words: Sequence[Words] = (),
) -> FileDiff:
    """Compare, unless the hunks of these contents are known already. Takes its time; call it on another thread.

    `words` is what is to be said besides what the contents tell, such as a new mode.
    """
    old, new = Side(before), Side(after)
    made = tuple(hunks(before, after) if known_hunks is None else known_hunks)
    told = words_about_content(before, after, old.document, new.document)
    if words and before == after:
        told = ()
    banner = hidden_in_words(new) or hidden_in_words(old)
    warned = (Words(banner, "warning", is_risk=True),) if banner else ()
    return FileDiff(
        path=path,
        old=old,
        new=new,
        hunks=made,
        stretches=tuple(_stretches(made, len(old), len(new))),
        words=(*warned, *words, *told),
        banner=banner,
        longest=max((len(line.raw) for hunk in made for line in hunk.lines), default=0),
        added=sum(hunk.added for hunk in made),
        removed=sum(hunk.removed for hunk in made),
    )


def preview_file_diff(path: str, before: bytes, after: bytes) -> FileDiff:
    """The first lines of the content, at once and whatever its size, to be read while the rest is compared."""
    shown = Side(_first_lines(after or before))
    lines = len(shown)
    return FileDiff(
        path=path,
        old=shown,
        new=shown,
        hunks=(),
        stretches=(Stretch(StretchKind.CONTEXT, 0, 0, lines, 0, lines),),
        words=(Words(tr("Comparing…"), "clock"),),
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


def _stretches(made: Sequence[Hunk], old_length: int, new_length: int) -> Iterator[Stretch]:
    old = new = 0
    for hunk in made:
        start = hunk.old_start - (1 if hunk.old_count else 0)
        if start > old:
            yield Stretch(StretchKind.GAP, 0, old, start, new, new + start - old)
            old, new = start, new + start - old
        for is_context, run in groupby(hunk.lines, key=lambda line: line.kind == " "):
            kinds = [line.kind for line in run]
            old_end = old + len(kinds) - kinds.count("+")
            new_end = new + len(kinds) - kinds.count("-")
            yield Stretch(StretchKind.CONTEXT if is_context else StretchKind.CHANGE, hunk.n, old, old_end, new, new_end)
            old, new = old_end, new_end
    if old < old_length:
        yield Stretch(StretchKind.GAP, 0, old, old_length, new, new_length)
