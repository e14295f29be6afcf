"""Remember how lines in sight are to be drawn, so that scrolling only draws."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tandem_desktop.staging.intraline import IntralineChange
from tandem_desktop.ui.diff.cells import Cells, cells_of, pieces
from tandem_desktop.ui.diff.file_diff import FileDiff
from tandem_desktop.ui.diff.highlighter import Marks, Span, Spans
from tandem_desktop.ui.diff.side import TOKEN

SHOWN_CHARACTERS = 5_000
"""Of a longer line the rest is shown when a person asks for it; a mark says how much there is."""
_KEPT = 6_000

LineKey = tuple[bool, int]
"""Whether on the old side, and the zero-based line."""


class Piece(NamedTuple):
    """Characters that are drawn at once; `token` names their colour. Never only white space."""

    start: int
    end: int
    cell: int
    token: str
    text: str


class StyledLine(NamedTuple):
    """One line ready to be drawn: where each piece begins and in which colour it is."""

    text: str
    cells: Cells
    pieces: tuple[Piece, ...]
    tokens: Marks
    """Characters that stand for hidden ones."""
    cut: int
    """Characters that are not shown."""

    @property
    def width(self) -> int:
        return self.cells[len(self.text)]


class LineStyles:
    """Puts together what the lexer, the comparison and the text itself say about a line."""

    def __init__(self, diff: FileDiff) -> None:
        self._diff = diff
        self._spans: dict[bool, list[tuple[Span, ...]]] = {True: [], False: []}
        self._marks: dict[tuple[int, int], IntralineChange] = {}
        self._opened: set[LineKey] = set()
        self._lines: dict[LineKey, StyledLine] = {}

    def add_spans(self, is_old: bool, spans: Spans) -> bool:
        """The lexer goes from the first line on, so these follow those that are known. Whether any was drawn before."""
        known = self._spans[is_old]
        first, end = len(known), len(known) + len(spans)
        known.extend(spans)
        drawn = [key for key in self._lines if key[0] == is_old and first <= key[1] < end]
        for key in drawn:
            del self._lines[key]
        return bool(drawn)

    def add_marks(self, marks: Mapping[tuple[int, int], IntralineChange]) -> None:
        self._marks.update(marks)

    def knows(self, pair: tuple[int, int]) -> bool:
        return pair in self._marks

    def marks(self, pair: tuple[int, int] | None, is_old: bool) -> Marks:
        found = self._marks.get(pair) if pair else None
        return () if found is None else found.old if is_old else found.new

    def open(self, is_old: bool, line: int) -> None:
        """Show all of a long line from now on."""
        self._opened.add((is_old, line))
        self._lines.pop((is_old, line), None)

    def widest_opened(self) -> int:
        """Cells of the longest line that was opened."""
        return max((self.line(*key).width for key in self._opened), default=0)

    def line(self, is_old: bool, line: int) -> StyledLine:
        key = (is_old, line)
        styled = self._lines.get(key)
        if styled is None:
            if len(self._lines) > _KEPT:
                self._lines.clear()
            styled = self._lines[key] = self._styled(key)
        return styled

    def _styled(self, key: LineKey) -> StyledLine:
        is_old, line = key
        whole = (self._diff.old if is_old else self._diff.new).line(line)
        spans = self._spans[is_old][line] if line < len(self._spans[is_old]) else ()
        return styled_line(whole, spans, shown=len(whole) if key in self._opened else SHOWN_CHARACTERS)


def styled_line(whole: str, spans: tuple[Span, ...], shown: int = SHOWN_CHARACTERS) -> StyledLine:
    """A line with the lexer's colours, cut after so many characters."""
    text = whole[:shown]
    cells = cells_of(text)
    tokens = tuple(found.span() for found in TOKEN.finditer(text)) if not text.isascii() else ()
    return StyledLine(text, cells, tuple(_pieces(text, cells, spans, tokens)), tokens, len(whole) - len(text))


def _pieces(text: str, cells: Cells, spans: tuple[Span, ...], tokens: Marks) -> Iterator[Piece]:
    at, length, is_simple = 0, len(text), isinstance(cells, range)
    for span_start, span_end, token in (*_with_tokens(spans, tokens, text), (length, length, "")):
        start, end = min(span_start, length), min(span_end, length)
        for first, last, color in ((at, start, "text"), (max(at, start), end, token)):
            if first >= last:
                continue
            for a, b in ((first, last),) if is_simple else pieces(text, first, last):
                part = text[a:b]
                if not part.isspace():
                    yield Piece(a, b, cells[a], color, part)
        at = max(at, end)


def _with_tokens(spans: tuple[Span, ...], tokens: Marks, text: str) -> tuple[Span, ...]:
    """Tokens of hidden characters cut into the lexer's spans; a return at the very end is only dim."""
    if not tokens:
        return spans
    colored = [Span(a, b, "muted" if text[a:b] == "␍" and b == len(text) else "risk") for a, b in tokens]
    kept: list[Span] = []
    for span in spans:
        start = span.start
        for token in colored:
            if token.end <= start or token.start >= span.end:
                continue
            if token.start > start:
                kept.append(Span(start, token.start, span.token))
            start = token.end
        if start < span.end:
            kept.append(Span(start, span.end, span.token))
    return tuple(sorted((*kept, *colored)))
