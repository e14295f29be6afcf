"""Say what a recipe did in words a person can check: how many files, how many places, and what was left alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tandem_desktop.domain.paths import shown

_SHOWN = 8


@dataclass(slots=True)
class Left:
    """What a recipe passed over, by reason, in the order it was met."""

    by_reason: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, what: str) -> None:
        self.by_reason.setdefault(reason, []).append(what)

    def lines(self) -> list[str]:
        return [f"- {reason}: {listed(names)}" for reason, names in self.by_reason.items()]


def listed(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    first = ", ".join(shown(name) for name in names[:_SHOWN])
    more = len(names) - _SHOWN
    return f"{first} and {more:,} more" if more > 0 else first


def counted(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def summary(headline: str, left: Left, *more: str) -> str:
    """The headline, then what was left alone, one reason to a line."""
    lines = left.lines()
    parts = [headline, *more]
    if lines:
        parts.append("Left alone:\n" + "\n".join(lines))
    return "\n\n".join(part for part in parts if part)
