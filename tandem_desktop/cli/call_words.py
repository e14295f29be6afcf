"""One call as a person types it: its name, words and examples, and which function answers."""

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass

PROPOSE, LOOK, CHANGE, DECIDE, RUN, HEALTH = GROUPS = (
    "Propose",
    "Look and try, nothing is written",
    "Make a new revision",
    "Decide",
    "Do it, take it back",
    "Health",
)


def nothing(parser: ArgumentParser) -> None:
    """No arguments of its own."""


@dataclass(frozen=True, slots=True)
class CallWords:
    """One call as a person types it."""

    name: str
    group: str
    summary: str
    explanation: str
    examples: tuple[tuple[str, str], ...]
    handler: str = ""
    """`module:function` below `tandem_desktop.cli`, imported only when the call is made."""
    configure: Callable[[ArgumentParser], None] = nothing
    shape: str = ""
    parts: tuple["CallWords", ...] = ()

    @property
    def shown(self) -> str:
        return f"{self.name} {self.shape}".rstrip()
