"""What a recipe is: real work in any workspace with no model, as edits somebody else makes after asking."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tandem_desktop.agent.edits import Edit
from tandem_desktop.agent.source_files import BrowsableTree


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a recipe would do: edits in order, and what to tell the person."""

    title: str
    edits: tuple[Edit, ...]
    summary: str


class Work(Protocol):
    """A recipe with its arguments understood. Reads the tree, changes nothing."""

    def run(self, tree: BrowsableTree) -> Outcome:
        """The edits, and what to say about them.

        Raises:
            BadInputError: the arguments make no sense in this workspace.
            StagingError: the edits cannot be made here.
        """


@dataclass(frozen=True, slots=True)
class Recipe:
    """One recipe as people choose it."""

    name: str
    title: str
    description: str
    hint: str
    """What is typed after the name."""
    example: str
    parse: Callable[[str], Work]
    """Understands what was typed, or raises `BadInputError` with a sentence."""
