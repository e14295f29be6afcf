"""Colour source text: lexed whole, so that a string over many lines is one, and away from the window's thread."""

import threading
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

from tandem_desktop.staging.intraline import MAXIMUM_CHARACTERS, IntralineChange, intraline
from tandem_desktop.ui.diff.side import Side

LARGEST_TEXT = 2_000_000
"""Characters of one side beyond which it stays uncoloured: a lexer would be busy with it for seconds."""
LONGEST_LINE = 20_000
LINES_AT_ONCE = 600
_TOKENS_BETWEEN_LOOKS = 40
LONGEST_WAIT_S = 0.5
_SAME_ENOUGH = 0.3

Marks = tuple[tuple[int, int], ...]


class Span(NamedTuple):
    """Characters of one line that share a colour; `token` names it in the theme."""

    start: int
    end: int
    token: str


Spans = tuple[tuple[Span, ...], ...]
"""One entry for each line."""


class Courtesy:
    """Lets a busy thread step back while the window is busy: both share one interpreter."""

    def __init__(self) -> None:
        self._free = threading.Event()
        self._free.set()

    def ask(self) -> None:
        """The window has something to do."""
        self._free.clear()

    def thank(self) -> None:
        """The window rests."""
        self._free.set()

    def step_back(self) -> None:
        """Wait until the window rests, but not for ever: it may be gone."""
        self._free.wait(LONGEST_WAIT_S)


def is_coloured(side: Side) -> bool:
    """Whether the lexer takes this on."""
    return not side.document.is_binary and len(side.content) <= LARGEST_TEXT


def lex(path: str, side: Side, courtesy: Courtesy) -> Iterator[Spans]:
    """The lines' spans, some hundred lines at a time from the first on; nothing for a language nobody knows."""
    if not is_coloured(side) or max(map(len, side.document.lines), default=0) > LONGEST_LINE:
        return
    lexer = _lexer(path)
    if lexer is None:
        return
    done: list[tuple[Span, ...]] = []
    line: list[Span] = []
    column = 0
    text = side.text
    for number, (at, kind, value) in enumerate(lexer.get_tokens_unprocessed(text)):
        if number % _TOKENS_BETWEEN_LOOKS == 0:
            courtesy.step_back()
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


def _append(line: list[Span], start: int, end: int, token: str) -> None:
    """Quote, text and quote of a string are one span: fewer to draw."""
    if line and line[-1].token == token and line[-1].end == start:
        line[-1] = Span(line[-1].start, end, token)
    else:
        line.append(Span(start, end, token))


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
    """For long lines only what they have in common at both ends is left out; halving finds it at once."""
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
    lexers = import_module("pygments.lexers")  # slow to import, and only a shown file pays
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
