"""An attack on the product and how it ended."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.services.engine import Engine


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


@contextlib.contextmanager
def an_engine(folder: Path) -> Iterator[Engine]:
    """The engine of `folder/project`, with its state beside it."""
    engine = build_engine(folder / "project", state=folder / "state")
    try:
        yield engine
    finally:
        engine.close()
