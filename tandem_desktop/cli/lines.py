"""Lines for a terminal: every piece is spelled out before it is shown, so no stranger's text can move the cursor."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from tandem_desktop.staging.text import is_hidden, visible

_RESET = "\x1b[0m"


class Tone(Enum):
    """What a piece means; the colour follows from it."""

    PLAIN = ""
    STRONG = "\x1b[1m"
    QUIET = "\x1b[2m"
    ADDED = "\x1b[32m"
    REMOVED = "\x1b[31m"
    PLACE = "\x1b[36m"
    WARNING = "\x1b[33m"
    FAILED = "\x1b[1;31m"


class Shown(str):
    """Text in which hidden characters are visible tokens already."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line with its meaning."""

    text: str
    tone: Tone = Tone.PLAIN


Piece = str | Span
Line = Piece | tuple[Piece, ...]


def render(line: Line, *, colours: bool = False) -> str:
    """The line as it goes to the terminal."""
    pieces = line if isinstance(line, tuple) else (line,)
    return "".join(_painted(piece, colours=colours) for piece in pieces)


def table(rows: Iterable[Sequence[Piece]], *, indent: str = "  ") -> list[Line]:
    """Rows as aligned lines; the last column is as long as it is."""
    kept = [_without_empty_end(tuple(row)) for row in rows]
    columns = max((len(row) for row in kept), default=0)
    widths = [max((len(render(row[at])) for row in kept if at < len(row)), default=0) for at in range(columns)]
    return [_aligned(row, widths, indent) for row in kept]


def sentence(message: str) -> Shown:
    """A message of our own, which may already hold tokens, with anything hidden spelled out."""
    return Shown("".join(visible(c) if is_hidden(c) or c == "\n" else c for c in message))


def _without_empty_end(row: tuple[Piece, ...]) -> tuple[Piece, ...]:
    while row and not render(row[-1]):
        row = row[:-1]
    return row


def _aligned(row: tuple[Piece, ...], widths: list[int], indent: str) -> Line:
    pieces: list[Piece] = [indent]
    for at, piece in enumerate(row):
        pieces.append(piece)
        if at < len(row) - 1:
            pieces.append(" " * (widths[at] - len(render(piece)) + 2))
    return tuple(pieces)


def _painted(piece: Piece, *, colours: bool) -> str:
    text, tone = (piece.text, piece.tone) if isinstance(piece, Span) else (piece, Tone.PLAIN)
    safe = text if isinstance(text, Shown) else visible(text)
    return f"{tone.value}{safe}{_RESET}" if colours and tone.value and safe else str(safe)
