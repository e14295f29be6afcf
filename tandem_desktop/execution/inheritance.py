"""What a new file gets from the folder it is made in: its group, and its list of who may do what.

Prepared files are made on the bench and then moved: what the kernel gives to other programs' files is given by hand.
"""

import base64
import contextlib
import os
import stat
import struct
from typing import Any, NamedTuple

from tandem_desktop.domain.errors import OutsideWorkspaceError, StorageError
from tandem_desktop.domain.operations import DirectoryState
from tandem_desktop.domain.paths import parent_of
from tandem_desktop.execution.steps import Step
from tandem_desktop.storage import syscalls
from tandem_desktop.storage.workspace import Workspace

_ACCESS, _DEFAULT = "system.posix_acl_access", "system.posix_acl_default"
_NO_ENTRIES = struct.pack("<I", 2)
"""An access list without a line: setting it removes the one that is there."""


class _Given(NamedTuple):
    group: int | None = None
    """None where it is the person's own."""
    access: bytes = b""


class Inheritance:
    """What each folder of a workspace gives to what is made in it; looks at each once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known: dict[str, _Given] = {}

    def of(self, step: Step) -> dict[str, Any]:
        """Metadata by which the node of `step` is as one that was made in its place."""
        given = self._by(parent_of(step.path))
        metadata: dict[str, Any] = {}
        if given.group is not None:
            metadata["owner"] = [-1, given.group]
        if given.access:
            names = (_ACCESS, _DEFAULT) if isinstance(step.after, DirectoryState) else (_ACCESS,)
            metadata["xattrs"] = dict.fromkeys(names, base64.b64encode(given.access).decode())
        return metadata

    def _by(self, folder: str) -> _Given:
        if folder not in self._known:
            try:
                self._known[folder] = _given_by(self._workspace.directory(folder))
            except FileNotFoundError:
                # The same run makes it, and it is an heir itself.
                self._known[folder] = self._by(parent_of(folder))
            except (OSError, OutsideWorkspaceError, StorageError):
                self._known[folder] = _Given()
        return self._known[folder]


def give_nothing(folder_fd: int) -> None:
    """Let what is made in a folder be as if nobody had said anything about it."""
    given = _given_by(folder_fd)
    if given.access:
        syscalls.set_attribute(folder_fd, _DEFAULT, _NO_ENTRIES)
    if given.group is not None:
        syscalls.chmod(folder_fd, stat.S_IMODE(os.fstat(folder_fd).st_mode) & ~stat.S_ISGID)


def _given_by(folder_fd: int) -> _Given:
    info = os.fstat(folder_fd)
    is_shared = info.st_mode & stat.S_ISGID and info.st_gid != os.getegid()
    access = b""
    with contextlib.suppress(OSError, AttributeError):  # no such list, no such system
        access = os.getxattr(folder_fd, _DEFAULT)
    return _Given(info.st_gid if is_shared else None, access)
