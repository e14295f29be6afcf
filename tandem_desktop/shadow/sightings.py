"""What a look at a shadow finds: paths that may differ from the disk, and those that do."""

from dataclasses import dataclass

from tandem_desktop.domain.operations import NodeState


@dataclass(frozen=True, slots=True)
class ShadowChange:
    """One path the agent changed: what it saw there and what it left.

    `drifted` says that the disk no longer has what the agent saw. When nobody knows what it saw, because the disk
    changed before anybody looked, `before` is `UNSEEN`.
    """

    path: str
    before: NodeState
    after: NodeState
    drifted: bool


@dataclass(frozen=True, slots=True)
class Sighting:
    """A path that may differ from the disk."""

    path: str
    copied: bool = False
    """It began as a copy of something on disk."""
    newcomer: bool = False
    """It appeared on disk where the agent had already put something else, so the agent never saw it."""
    fresh: bool = False
    """The agent made it where it had already removed everything, so it saw nothing there."""
