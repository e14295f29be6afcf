"""Say which removed line stands beside which added one, so that a changed line is read next to what it was."""

import re
from collections.abc import Sequence

LARGEST_TABLE = 900
"""Cells of the table that is filled for one change; beyond it lines stand side by side in their order."""
_PART = re.compile(r"\w+|[^\w\s]")

Pairs = tuple[tuple[int | None, int | None], ...]


def align(old: Sequence[str], new: Sequence[str]) -> Pairs:
    """Every line of both sides once, in order; all lines of the shorter side have a partner."""
    if len(old) > len(new):
        return tuple((b, a) for a, b in align(new, old))
    spare = len(new) - len(old)
    if not old or not spare or len(old) * (spare + 1) > LARGEST_TABLE:
        return (*((i, i) for i in range(len(old))), *((None, j) for j in range(len(old), len(new))))
    skips = _best_skips([_parts(line) for line in old], [_parts(line) for line in new], spare)
    pairs: list[tuple[int | None, int | None]] = []
    j = 0
    for i, place in enumerate(skips):
        pairs.extend((None, skipped) for skipped in range(j, i + place))
        pairs.append((i, i + place))
        j = i + place + 1
    return (*pairs, *((None, skipped) for skipped in range(j, len(new))))


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """From nothing in common (0) to the same words (1)."""
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0


def _parts(line: str) -> frozenset[str]:
    return frozenset(_PART.findall(line[:400]))


def _best_skips(old: list[frozenset[str]], new: list[frozenset[str]], spare: int) -> list[int]:
    """For each old line, how many new lines were passed over before its partner."""
    best = [0.0] * (spare + 1)
    choices: list[list[int]] = []
    for i, line in enumerate(old):
        row: list[float] = []
        chosen: list[int] = []
        leading, leader = -1.0, 0
        for skip in range(spare + 1):
            if best[skip] > leading:
                leading, leader = best[skip], skip
            row.append(leading + similarity(line, new[i + skip]))
            chosen.append(leader)
        best = row
        choices.append(chosen)
    skip = max(range(spare + 1), key=lambda at: best[at])
    skips: list[int] = []
    for chosen in reversed(choices):
        skips.append(skip)
        skip = chosen[skip]
    return skips[::-1]
