"""What the core needs from outside, as shapes others fill."""

from typing import Protocol

from tandem_desktop.domain.operations import NodeState

ROOT = "."
"""The workspace itself, where a path is wanted."""


class SourceTree(Protocol):
    """A workspace that can be looked at: relative paths with forward slashes, links never followed.

    Every call raises `OutsideWorkspaceError` for a path that leads through a symbolic link, onto a special file or
    across a mount, and `StagingError` for a file too large to stage.
    """

    def state(self, path: str) -> NodeState:
        """What is at `path`; absent when nothing is."""

    def read(self, path: str) -> bytes:
        """The bytes of the regular file at `path`."""

    def children(self, path: str) -> tuple[str, ...]:
        """The sorted names in the directory at `path`, which may be `ROOT`."""
