"""An attack on the product and how it ended."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Outcome(StrEnum):
    """What became of an attack: refused or without effect, shown to the person, or successful."""

    HELD = "held"
    FLAGGED = "flagged"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack: `run` tries it in an empty folder, with objects that the running product uses."""

    id: str
    what: str
    run: Callable[[Path], Outcome]
