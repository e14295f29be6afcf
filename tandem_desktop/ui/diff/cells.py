"""Place characters on a grid of equal cells, so that columns line up whatever script a line is written in."""

import re
import unicodedata
from array import array
from collections.abc import Sequence
from functools import lru_cache

TAB = 4

Cells = Sequence[int]
_SHAPED = re.compile("[\u0590-\u08ff\u0900-\u0e7f\u0f00-\u109f\u1780-\u17ff]+")
"""Scripts whose letters take their form from their neighbours: drawn word by word, never letter by letter."""
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
