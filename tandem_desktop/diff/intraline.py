"""Marks changed characters within changed lines."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

MAXIMUM_CHARACTERS = 2_000
"""Longer pairs are marked whole: a reader of such a line is better served by folding than by specks of colour."""
TIME_LIMIT_S = 0.05

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class IntralineChange:
    """Half-open character ranges that differ; what lies outside them is the same text on both sides."""

    old: tuple[Range, ...]
    new: tuple[Range, ...]


def intraline(old: str, new: str) -> IntralineChange:
    """Compare a removed line with the line that replaced it."""
    if old == new:
        return IntralineChange((), ())
    if len(old) + len(new) > MAXIMUM_CHARACTERS:
        return IntralineChange(_whole(old), _whole(new))
    matcher: Any = import_module("diff_match_patch").diff_match_patch()  # untyped, and 50 ms only a shown diff pays
    matcher.Diff_Timeout = TIME_LIMIT_S
    parts = matcher.diff_main(old, new, False)
    matcher.diff_cleanupSemantic(parts)
    return IntralineChange(
        _ranges(parts, matcher.DIFF_DELETE, matcher.DIFF_INSERT),
        _ranges(parts, matcher.DIFF_INSERT, matcher.DIFF_DELETE),
    )


def _whole(text: str) -> tuple[Range, ...]:
    return ((0, len(text)),) if text else ()


def _ranges(parts: list[tuple[int, str]], marked: int, absent: int) -> tuple[Range, ...]:
    ranges: list[Range] = []
    position = 0
    for kind, text in parts:
        if kind == absent:
            continue
        if kind == marked:
            ranges.append((position, position + len(text)))
        position += len(text)
    return tuple(ranges)
