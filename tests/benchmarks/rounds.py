"""Measure several things round by round in shuffled order, and compare only what was measured in the same round."""

import random
import statistics
import time
from collections.abc import Callable, Mapping

Turn = Callable[[], float]
"""Does its own preparation, and answers the seconds of the part that counts."""


def measure(turns: Mapping[str, Turn], rounds: int, seed: int = 20) -> dict[str, list[float]]:
    """The seconds of every turn in every round."""
    generator = random.Random(seed)
    seconds: dict[str, list[float]] = {name: [] for name in turns}
    for _ in range(rounds):
        order = list(turns)
        generator.shuffle(order)
        for name in order:
            seconds[name].append(turns[name]())
    return seconds


def seconds_of(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def row(name: str, ours: list[float], theirs: list[float], anchor: str) -> tuple[str, str]:
    """One line of a table: the median ratio of same rounds with its range, then both medians."""
    ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    figures = (
        f"{statistics.median(ratios):5.2f} [{min(ratios):.2f}-{max(ratios):.2f}]"
        f"   ours {statistics.median(ours) * 1000:8.1f} ms   {anchor} {statistics.median(theirs) * 1000:8.1f} ms"
    )
    return name, figures
