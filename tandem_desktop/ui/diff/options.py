"""Diff options and hunk titles."""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import Enum, auto
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from tandem_desktop.diff.hunks import Hunk
from tandem_desktop.ui.diff.model import DiffSide
from tandem_desktop.ui.diff.panes import Pane, Panes
from tandem_desktop.ui.diff.rows import CellKind, DiffRow, DiffRows
from tandem_desktop.ui.diff.search import DiffSearch
from tandem_desktop.ui.diff.selection import Selection, line_of
from tandem_desktop.ui.diff.styles import LineKey, LineStyles, Marks, StyledLine, wrap
from tandem_desktop.ui.i18n import later, tr, tr_table

FARTHEST = 2_000
"""Lines searched backwards for the enclosing definition."""
_LONGEST = 200
_CALLABLE = re.compile(
    r"^\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|override|async|pub(?:\([^)]*\))?|"
    r"unsafe|const|extern|inline|suspend|open)\s+)*(?:def|function\*?|func|fn|fun|sub)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)"
)
_TYPE = re.compile(
    r"^\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|sealed|data|pub(?:\([^)]*\))?)\s+)*"
    r"(?:class|interface|struct|enum|trait|impl|module|namespace)\s+([A-Za-z_][\w:<>]*)"
)
_HEADINGS = {
    ".md": re.compile(r"^#{1,6}\s+(.+)$"),
    ".toml": re.compile(r"^(\[.+\])\s*$"),
    ".ini": re.compile(r"^(\[.+\])\s*$"),
    ".cfg": re.compile(r"^(\[.+\])\s*$"),
}


def title_of(path: str, hunk: Hunk, new: DiffSide) -> str:
    """The enclosing function, class or heading; empty if there is none."""
    heading = _HEADINGS.get(PurePosixPath(path).suffix)
    at = hunk.new_start - (1 if hunk.new_count else 0)
    first: int | None = None
    for line in hunk.lines:
        if line.kind != " " and first is None:
            first = at
        if line.kind == "+" and (name := _name(new, at, heading)):
            return name
        at += line.kind != "-"
    return _around(new, min(at if first is None else first, len(new) - 1), heading)


def _around(new: DiffSide, at: int, heading: re.Pattern[str] | None) -> str:
    indent = _indent(new, at)
    for line in range(at - 1, max(-1, at - FARTHEST), -1):
        here = _indent(new, line)
        if here is None:
            continue
        is_outside = indent is None or here < indent or heading is not None
        if is_outside and (name := _name(new, line, heading)):
            return name
        if is_outside and here == 0 and heading is None:
            return ""
    return ""


def _name(new: DiffSide, at: int, heading: re.Pattern[str] | None) -> str:
    if not 0 <= at < len(new) or new.length(at) > _LONGEST:
        return ""
    text = new.line(at)
    if heading:
        found = heading.match(text)
        return found[1].strip() if found else ""
    if found := _CALLABLE.match(text):
        return f"{found[1]}()"
    found = _TYPE.match(text)
    return found[1] if found else ""


def _indent(new: DiffSide, at: int) -> int | None:
    """None for a blank line and for one with only closing brackets."""
    if not 0 <= at < len(new) or new.length(at) > _LONGEST:
        return None
    text = new.line(at)
    stripped = text.lstrip()
    return len(text) - len(stripped) if stripped.strip(")]}:{ \t␍") else None


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
WHITESPACE_LABELS = tr_table(
    {
        Whitespace.CHANGED: "Show changed white space",
        Whitespace.ALL: "Show all white space",
        Whitespace.NONE: "Hide white space",
    }
)


@dataclass
class DiffDisplay:
    """What a view shows at the moment."""

    rows: DiffRows
    styles: LineStyles
    panes: Panes
    titles: dict[int, str] = field(default_factory=dict)
    dropped: frozenset[int] = frozenset()
    dropped_lines: frozenset[tuple[bool, int]] = frozenset()
    """Dropped single lines: old or not, and the zero-based number."""
    offers: frozenset[str] = frozenset({"drop", "comment", "keep"})
    """Which of `drop`, `comment` and `keep` are available."""
    whitespace: Whitespace = Whitespace.CHANGED
    ignores_space: bool = False
    wraps: bool = False
    context: int = FEWEST
    """Unchanged lines around each change."""
    more: Mapping[int, int] = field(default_factory=dict)
    """Further lines shown at both ends of a fold, by its number."""
    line_marks: Mapping[int, tuple[str, bool]] = field(default_factory=dict)
    """Messages about lines of the new file, by zero-based number: the text, and whether it is an error."""
    scrolled: int = 0
    current: int = -1
    has_focus: bool = False
    selection: Selection | None = None
    search: DiffSearch | None = None
    found: int = -1
    hovered: tuple[int, str] | None = None
    """A row and what the pointer is on: a button of its bar, `gutter`, `fold`, or `cut`."""

    def title(self, hunk: int) -> str:
        """The function or class a change lies in; cached."""
        if hunk not in self.titles:
            diff = self.rows.diff
            self.titles[hunk] = title_of(diff.path, diff.hunks[hunk - 1], diff.new)
        return self.titles[hunk]

    def shown(self, row: DiffRow, pane: Pane) -> "ShownLine | None":
        """The line a row shows in a pane, styled."""
        key = self._key(row, pane)
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

    def wrapped_height(self, row: DiffRow) -> int:
        """The height of a row's wrapped lines beyond the first."""
        return max(self._wraps_of(row, pane) for pane in self.panes.panes) * self.panes.line

    def _wraps_of(self, row: DiffRow, pane: Pane) -> int:
        """How often the line in a pane wraps; a short line of plain characters is not styled to find out."""
        key = self._key(row, pane)
        if key is None:
            return 0
        whole = (self.rows.diff.old if key[0] else self.rows.diff.new).line(key[1])
        if len(whole) <= self.panes.columns() and whole.isascii() and "\t" not in whole:
            return 0
        line = self.shown(row, pane)
        return len(line.starts) - 1 if line else 0

    def _key(self, row: DiffRow, pane: Pane) -> LineKey | None:
        # An unchanged line is the same on both sides, so it is styled only once.
        is_shared = not row.is_change and row.new is not None and self.rows.diff.is_one_encoding
        return line_of(row, False if is_shared else pane.is_old)

    def found_in(self, row: DiffRow, line: "ShownLine") -> tuple[list[tuple[int, int]], tuple[int, int] | None]:
        """All matches in a line, and the current one. Unchanged lines are searched once, shown twice."""
        if self.search is None:
            return [], None
        is_old, number = line.key if row.is_change or row.new is None else (False, row.new)
        now = self.search.matches[self.found] if 0 <= self.found < len(self.search) else None
        is_here = now is not None and (now.is_old, now.line) == (is_old, number)
        return self.search.in_line(is_old, number), (now.start, now.end) if now and is_here else None


class ShownLine(NamedTuple):
    """One line in one pane. A tuple for speed: created for every line of every frame."""

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
        """The note after the last shown character; usually empty."""
        if self.styled.cut:
            is_changed = any(end > len(self.styled.text) for _, end in self.marks)
            cut = f"{self.styled.cut:,}"
            return tr("⋯ {cut} more, changed", cut=cut) if is_changed else tr("⋯ {cut} more", cut=cut)
        return tr("no newline at the end") if self.is_open else ""


def cell_kind(row: DiffRow, pane: Pane) -> CellKind:
    if pane.is_old is None:
        return CellKind.CONTEXT if not row.is_change else CellKind.REMOVED if row.new is None else CellKind.ADDED
    return row.left if pane.is_old else row.right


WHOLE_FILE = 1_000_000_000
"""More lines than any file has."""
CONTEXTS = (
    (FEWEST, later("3 lines")),
    (10, later("10 lines")),
    (25, later("25 lines")),
    (WHOLE_FILE, later("the whole file")),
)


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """Display options shared by all diffs."""

    splits: bool = True
    wraps: bool = True
    whitespace: str = Whitespace.CHANGED.name
    context: int = FEWEST
    """Unchanged lines around each change."""
    ignores_space: bool = False
    """Changes of white space alone are folded; they do not count as seen."""

    @classmethod
    def remembered(cls, kept: object) -> "DiffOptions":
        """Read stored options; defaults for what is missing or invalid.

        In every new window lines wrap, and white space is not ignored.
        """
        usual = cls()
        if not isinstance(kept, Mapping):
            return usual
        fitting: dict[str, Any] = {
            name: kept[name] for name, value in asdict(usual).items() if type(kept.get(name)) is type(value)
        }
        found = replace(usual, **(fitting | {"wraps": True, "ignores_space": False}))
        is_known = found.whitespace in Whitespace.__members__
        return found if is_known and found.context >= FEWEST else usual


class DiffPreferences(QObject):
    """The window's diff options, shared by all views."""

    changed = Signal(object)
    """The new `DiffOptions`."""

    def __init__(
        self, options: DiffOptions | None = None, keep: Callable[[dict[str, Any]], object] = lambda kept: None
    ) -> None:
        super().__init__()
        self.options = options or DiffOptions()
        self._keep = keep

    def update(self, options: DiffOptions) -> None:
        if options != self.options:
            self.options = options
            self._keep(asdict(options))
            self.changed.emit(options)
