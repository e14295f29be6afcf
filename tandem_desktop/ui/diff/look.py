"""How a comparison is being looked at: read by what paints it, changed by what hears keys and the pointer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from tandem_desktop.ui.diff.cells import wrap
from tandem_desktop.ui.diff.diff_rows import CellKind, DiffRows, Row
from tandem_desktop.ui.diff.diff_search import DiffSearch
from tandem_desktop.ui.diff.highlighter import Marks
from tandem_desktop.ui.diff.hunk_title import title_of
from tandem_desktop.ui.diff.line_styles import LineKey, LineStyles, StyledLine
from tandem_desktop.ui.diff.panes import Pane, Panes
from tandem_desktop.ui.diff.selection import Selection, line_of
from tandem_desktop.ui.words import tr, tr_table

FEWEST = 3
"""Unchanged lines around a change that are always shown."""


class Whitespace(Enum):
    """Where spaces and tabs are drawn: where they changed or end a line, everywhere, or nowhere."""

    CHANGED = auto()
    ALL = auto()
    NONE = auto()


NEXT_WHITESPACE = {
    Whitespace.CHANGED: Whitespace.ALL,
    Whitespace.ALL: Whitespace.NONE,
    Whitespace.NONE: Whitespace.CHANGED,
}
WHITESPACE_WORDS = tr_table(
    {
        Whitespace.CHANGED: "Show changed white space",
        Whitespace.ALL: "Show all white space",
        Whitespace.NONE: "Hide white space",
    }
)


@dataclass
class Look:
    """What a view shows at the moment."""

    rows: DiffRows
    styles: LineStyles
    panes: Panes
    titles: dict[int, str] = field(default_factory=dict)
    dropped: frozenset[int] = frozenset()
    dropped_lines: frozenset[tuple[bool, int]] = frozenset()
    """Single lines that are left out: old or not, and counted from zero."""
    offers: frozenset[str] = frozenset({"drop", "comment", "keep"})
    """What a person can do with a change here."""
    whitespace: Whitespace = Whitespace.CHANGED
    wraps: bool = False
    context: int = FEWEST
    """Unchanged lines around each change."""
    more: Mapping[int, int] = field(default_factory=dict)
    """Further lines shown at both ends of a fold, by its number."""
    scrolled: int = 0
    current: int = -1
    has_focus: bool = False
    selection: Selection | None = None
    search: DiffSearch | None = None
    found: int = -1
    hovered: tuple[int, str] | None = None
    """A row and what the pointer is on: a button of its bar, `gutter`, `fold`, or `cut`."""

    def title(self, hunk: int) -> str:
        """The function or class a change lies in, looked for when it is first asked."""
        if hunk not in self.titles:
            diff = self.rows.diff
            self.titles[hunk] = title_of(diff.path, diff.hunks[hunk - 1], diff.new)
        return self.titles[hunk]

    def shown(self, row: Row, pane: Pane) -> "ShownLine | None":
        """The line a row shows in a pane, with all that is drawn on it."""
        # An unchanged line is the same on both sides, so it is made ready only once.
        is_shared = not row.is_change and row.new is not None and self.rows.diff.is_one_encoding
        key = line_of(row, False if is_shared else pane.is_old)
        if key is None:
            return None
        styled = self.styles.line(*key)
        starts = wrap(styled.text, styled.cells, self.panes.columns()) if self.wraps else (0,)
        side = self.rows.diff.old if key[0] else self.rows.diff.new
        return ShownLine(
            key=key,
            kind=cell_kind(row, pane),
            styled=styled,
            marks=self.styles.marks(row.pair, key[0]) if row.is_change else (),
            starts=starts,
            scrolled=0 if self.wraps else self.scrolled,
            is_open=not styled.cut and not side.has_newline(key[1]),
        )

    def wrapped_height(self, row: Row) -> int:
        """What a row needs beyond its first line where long lines are wrapped."""
        lines = (self.shown(row, pane) for pane in self.panes.panes)
        return max(len(line.starts) - 1 if line else 0 for line in lines) * self.panes.line

    def found_in(self, row: Row, line: "ShownLine") -> tuple[list[tuple[int, int]], tuple[int, int] | None]:
        """Every match in a line, and the one a person is at. Unchanged lines are searched once, shown twice."""
        if self.search is None:
            return [], None
        is_old, number = line.key if row.is_change or row.new is None else (False, row.new)
        now = self.search.matches[self.found] if 0 <= self.found < len(self.search) else None
        is_here = now is not None and (now.is_old, now.line) == (is_old, number)
        return self.search.in_line(is_old, number), (now.start, now.end) if now and is_here else None


class ShownLine(NamedTuple):
    """One line in one pane. A tuple, like all that is made anew for every line of every frame."""

    key: LineKey
    kind: CellKind
    styled: StyledLine
    marks: Marks
    starts: tuple[int, ...]
    """Where its visual lines begin; more than one when it wraps."""
    scrolled: int
    is_open: bool
    """The last line, without a newline."""

    @property
    def end_text(self) -> str:
        """What is said after the last character that is shown; mostly nothing."""
        if self.styled.cut:
            is_changed = any(end > len(self.styled.text) for _, end in self.marks)
            cut = f"{self.styled.cut:,}"
            return tr("⋯ {cut} more, changed", cut=cut) if is_changed else tr("⋯ {cut} more", cut=cut)
        return tr("no newline at the end") if self.is_open else ""


def cell_kind(row: Row, pane: Pane) -> CellKind:
    if pane.is_old is None:
        return CellKind.CONTEXT if not row.is_change else CellKind.REMOVED if row.new is None else CellKind.ADDED
    return row.left if pane.is_old else row.right
