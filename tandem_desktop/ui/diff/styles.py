"""Syntax highlighting and cached line styles."""

import re
import threading
import unicodedata
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from tandem_desktop.diff.lines import MAXIMUM_CHARACTERS, IntralineChange, intraline
from tandem_desktop.ui.diff.model import TOKEN, DiffSide, FileDiff

LARGEST_TEXT = 2_000_000
"""Larger sides are not highlighted: the lexer would take seconds."""
LONGEST_LINE = 20_000
LINES_AT_ONCE = 600
_TOKENS_BETWEEN_LOOKS = 40
LONGEST_WAIT_S = 0.5
_SAME_ENOUGH = 0.3

Marks = tuple[tuple[int, int], ...]


class StyleSpan(NamedTuple):
    """Characters of one line that share a colour; `token` names it in the theme."""

    start: int
    end: int
    token: str


Spans = tuple[tuple[StyleSpan, ...], ...]
"""One entry for each line."""


class Yielding:
    """Makes worker threads wait while the window paints: both share the GIL."""

    def __init__(self) -> None:
        self._free = threading.Event()
        self._free.set()

    def pause(self) -> None:
        """Make workers wait."""
        self._free.clear()

    def resume(self) -> None:
        """Let workers go on."""
        self._free.set()

    def wait(self) -> None:
        """Wait until the window is idle, with a timeout: it may be closed."""
        self._free.wait(LONGEST_WAIT_S)


def is_coloured(side: DiffSide) -> bool:
    """Whether the side is text and small enough to highlight."""
    return not side.document.is_binary and len(side.content) <= LARGEST_TEXT


def lex(path: str, side: DiffSide, yielding: Yielding) -> Iterator[Spans]:
    """The lines' spans in chunks, in order; nothing for an unknown language."""
    if not is_coloured(side) or max(map(len, side.document.lines), default=0) > LONGEST_LINE:
        return
    lexer = _lexer(path)
    if lexer is None:
        return
    done: list[tuple[StyleSpan, ...]] = []
    line: list[StyleSpan] = []
    column = 0
    text = side.text
    for number, (at, kind, value) in enumerate(lexer.get_tokens_unprocessed(text)):
        if number % _TOKENS_BETWEEN_LOOKS == 0:
            yielding.wait()
        token = _token(kind)
        if not token and text.startswith("(", at + len(value)) and value.isidentifier():
            token = "syntax_function"
        parts = value.split("\n")
        for place, part in enumerate(parts):
            if place:
                done.append(tuple(line))
                line, column = [], 0
            if token and part.strip():
                _append(line, column, column + len(part), token)
            column += len(part)
        if len(done) >= LINES_AT_ONCE:
            yield tuple(done)
            done = []
    yield (*done, tuple(line))


def _append(line: list[StyleSpan], start: int, end: int, token: str) -> None:
    """Quote, text and quote of a string are one span: fewer to draw."""
    if line and line[-1].token == token and line[-1].end == start:
        line[-1] = StyleSpan(line[-1].start, end, token)
    else:
        line.append(StyleSpan(start, end, token))


def marks_of(old: str, new: str) -> IntralineChange:
    """The characters that changed between a line and its successor; none where the two have little in common."""
    if len(old) + len(new) > MAXIMUM_CHARACTERS:
        return _ends_compared(old, new)
    found = intraline(old, new)
    unmarked = len(old) - sum(end - start for start, end in found.old)
    if unmarked < _SAME_ENOUGH * min(len(old), len(new)):
        return IntralineChange((), ())
    return found


def _ends_compared(old: str, new: str) -> IntralineChange:
    """For long lines only the common prefix and suffix are excluded, found by bisection."""
    head = _common(old, new, from_end=False)
    tail = min(_common(old, new, from_end=True), min(len(old), len(new)) - head)
    return IntralineChange(
        ((head, len(old) - tail),) if len(old) - tail > head else (),
        ((head, len(new) - tail),) if len(new) - tail > head else (),
    )


def _common(old: str, new: str, *, from_end: bool) -> int:
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if (old.endswith(new[-middle:]) if from_end else old.startswith(new[:middle])) and middle:
            low = middle
        else:
            high = middle - 1
    return low


def _lexer(path: str) -> Any | None:
    lexers = import_module("pygments.lexers")  # slow to import, so only when a file is shown
    try:
        return lexers.get_lexer_for_filename(path, stripnl=False, ensurenl=False)
    except import_module("pygments.util").ClassNotFound:
        return None


def _token(kind: Any) -> str:
    """The theme's name for a kind of token, asked from the kind up to its parents."""
    found = _KNOWN.get(kind)
    if found is None:
        name = str(kind).removeprefix("Token.")
        while name and name not in _COLOURS:
            name = name.rpartition(".")[0]
        found = _KNOWN[kind] = _COLOURS.get(name, "")
    return found


_KNOWN: dict[Any, str] = {}
_COLOURS = {
    "Keyword": "syntax_keyword",
    "Keyword.Constant": "syntax_keyword",
    "Keyword.Type": "syntax_type",
    "Operator.Word": "syntax_keyword",
    "Literal.String": "syntax_string",
    "Literal.String.Doc": "syntax_string",
    "Literal.String.Escape": "syntax_number",
    "Literal.Number": "syntax_number",
    "Literal.Date": "syntax_number",
    "Comment": "syntax_comment",
    "Comment.Preproc": "syntax_decorator",
    "Name.Function": "syntax_function",
    "Name.Class": "syntax_type",
    "Name.Exception": "syntax_type",
    "Name.Builtin": "syntax_function",
    "Name.Builtin.Pseudo": "syntax_keyword",
    "Name.Decorator": "syntax_decorator",
    "Name.Tag": "syntax_keyword",
    "Name.Attribute": "syntax_function",
    "Name.Constant": "syntax_number",
    "Generic.Heading": "syntax_keyword",
    "Generic.Subheading": "syntax_keyword",
}


TAB = 4

Cells = Sequence[int]
_SHAPED = re.compile("[\u0590-\u08ff\u0900-\u0e7f\u0f00-\u109f\u1780-\u17ff]+")
"""Scripts with contextual letter forms: drawn word by word, never letter by letter."""
_PIECE = re.compile(f"[\x20-\x7e]+|{_SHAPED.pattern}|.[\u0300-\u036f\u200d\ufe0f]*", re.DOTALL)


def cells_of(text: str) -> Cells:
    """Where each character begins, and where the last one ends: `len(text) + 1` numbers."""
    if "\t" not in text and text.isascii():
        return range(len(text) + 1)
    starts = array("l", [0])
    cell = 0
    for character in text:
        cell += TAB - cell % TAB if character == "\t" else width_of(character)
        starts.append(cell)
    return starts


@lru_cache(maxsize=8192)
def width_of(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut `text[start:end]` where a piece must be drawn at a place of its own."""
    if text.isascii() and "\t" not in text:
        return [(start, end)]
    return [found.span() for found in _PIECE.finditer(text, start, end)]


def character_at(cells: Cells, cell: float) -> int:
    """The character nearest to a place on the grid."""
    if isinstance(cells, range):
        return max(0, min(len(cells) - 1, round(cell)))
    low, high = 0, len(cells) - 1
    while low < high:
        middle = (low + high) // 2
        if (cells[middle] + cells[middle + 1]) / 2 <= cell:
            low = middle + 1
        else:
            high = middle
    return low


def wrap(text: str, cells: Cells, width: int) -> tuple[int, ...]:
    """Where each visual line begins; after a space if there is one in the latter half, else where the width ends."""
    starts = [0]
    begin = 0
    width = max(width, 8)
    while cells[len(text)] - cells[begin] > width:
        cut = begin + width if isinstance(cells, range) else _last_fitting(cells, begin, width)
        space = text.rfind(" ", begin + (cut - begin) // 2, cut)
        begin = space + 1 if space >= 0 else max(cut, begin + 1)
        starts.append(begin)
    return tuple(starts)


def _last_fitting(cells: Cells, begin: int, width: int) -> int:
    low, high, limit = begin, len(cells) - 1, cells[begin] + width
    while low < high:
        middle = (low + high + 1) // 2
        if cells[middle] <= limit:
            low = middle
        else:
            high = middle - 1
    return low


SHOWN_CHARACTERS = 5_000
"""Longer lines are cut; a mark says how much is hidden and shows it on a click."""
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
    """Combines highlighting, intraline marks and hidden characters of each line."""

    def __init__(self, diff: FileDiff) -> None:
        self._diff = diff
        self._spans: dict[bool, list[tuple[StyleSpan, ...]]] = {True: [], False: []}
        self._marks: dict[tuple[int, int], IntralineChange] = {}
        self._opened: set[LineKey] = set()
        self._lines: dict[LineKey, StyledLine] = {}

    def add_spans(self, is_old: bool, spans: Spans) -> bool:
        """Append spans of the next lines. True if any of them was already drawn."""
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


def styled_line(whole: str, spans: tuple[StyleSpan, ...], shown: int = SHOWN_CHARACTERS) -> StyledLine:
    """A line with the lexer's colours, cut after so many characters."""
    text = whole[:shown]
    cells = cells_of(text)
    tokens = tuple(found.span() for found in TOKEN.finditer(text)) if not text.isascii() else ()
    return StyledLine(text, cells, tuple(_pieces(text, cells, spans, tokens)), tokens, len(whole) - len(text))


def _pieces(text: str, cells: Cells, spans: tuple[StyleSpan, ...], tokens: Marks) -> Iterator[Piece]:
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


def _with_tokens(spans: tuple[StyleSpan, ...], tokens: Marks, text: str) -> tuple[StyleSpan, ...]:
    """Tokens of hidden characters cut into the lexer's spans; a return at the very end is only dim."""
    if not tokens:
        return spans
    colored = [StyleSpan(a, b, "muted" if text[a:b] == "␍" and b == len(text) else "risk") for a, b in tokens]
    kept: list[StyleSpan] = []
    for span in spans:
        start = span.start
        for token in colored:
            if token.end <= start or token.start >= span.end:
                continue
            if token.start > start:
                kept.append(StyleSpan(start, token.start, span.token))
            start = token.end
        if start < span.end:
            kept.append(StyleSpan(start, span.end, span.token))
    return tuple(sorted((*kept, *colored)))
