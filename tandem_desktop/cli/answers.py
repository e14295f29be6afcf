"""What a call answers: one object for a script, lines for a person, and the next thing to do."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tandem_desktop.cli.lines import Line
from tandem_desktop.domain.errors import TandemError


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a call that ran to its end."""

    data: dict[str, Any]
    lines: Sequence[Line] = field(default_factory=tuple)
    next: str = ""
    exit_code: int = 0
    failure: TandemError | None = None
    """Why the exit code is not 0, where something went wrong that was no refusal."""


def utc(moment: datetime | None) -> str | None:
    """ISO 8601 in UTC."""
    return None if moment is None else moment.astimezone(UTC).isoformat()


def readable(moment: datetime | None) -> str:
    """The same for a person."""
    return "" if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def count(number: int, one: str, several: str = "") -> str:
    """`1 operation`, `3 operations`."""
    return f"{number} {one if number == 1 else several or one + 's'}"
