"""What a recording says about durability: which names and bytes of the workspace were not yet safe when it mattered.

Kept apart from the engine's own idea of it: this reads nothing but the calls the kernel saw.
"""

from collections.abc import Iterable
from pathlib import Path

from tests.support.tracing import Call

_NEW_CONTENT = ("write", "ftruncate", "fchmod", "fchown", "fsetxattr", "fremovexattr")
_NEW_NAME = ("mkdir", "mkdirat", "symlink", "symlinkat", "link", "linkat")
_GONE = ("unlink", "unlinkat", "rmdir")
_RENAMED = ("rename", "renameat", "renameat2")


class Pending:
    """Folders whose names, and nodes whose bytes or permissions, a power cut could still take back."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = str(workspace)
        self._tandem = f"{workspace}/.tandem"
        self._folders: set[str] = set()
        self._nodes: set[str] = set()
        self.complaints: list[str] = []
        self.outcomes = 0
        """How many records were written that promise something is done."""

    def follow(self, call: Call) -> None:
        if call.failed or not call.changes or not call.paths:
            return
        if call.name == "syncfs":
            self._folders.clear()
            self._nodes.clear()
        elif call.name in ("fsync", "fdatasync"):
            self._folders.discard(call.paths[0])
            self._nodes.discard(call.paths[0])
        elif call.name == "write" and any(f'\\"type\\":\\"{word}\\"' in call.rest for word in ("done", "end")):
            self._check_outcome(call)
        else:
            self._change(call)

    def _check_outcome(self, call: Call) -> None:
        self.outcomes += 1
        word = "done" if '\\"type\\":\\"done\\"' in call.rest else "end"
        for path in sorted(self._folders | self._nodes):
            if self._is_a_persons(path):
                self.complaints.append(f"{path} was not durable when the journal said {word!r}")

    def _change(self, call: Call) -> None:
        path = call.paths[-1]
        if call.name in _NEW_CONTENT:
            self._nodes.add(path)
        elif call.name in _RENAMED:
            self._rename(call)
        elif call.name in _GONE:
            self._nodes.discard(path)
            self._folders.discard(path)
            self._folders.add(_parent(path))
        elif call.name in _NEW_NAME or "O_EXCL" in call.rest:
            self._folders.add(_parent(path))
            if call.name in ("mkdir", "mkdirat", "openat"):
                self._nodes.add(path)

    def _rename(self, call: Call) -> None:
        source, target = call.paths
        if self._is_a_persons(target) and source in self._nodes:
            self.complaints.append(f"{source} was not durable when it was published as {target}")
        moved = source in self._nodes
        swapped = "RENAME_EXCHANGE" in call.rest and target in self._nodes
        self._nodes -= {source, target}
        self._nodes |= ({target} if moved else set()) | ({source} if swapped else set())
        if source in self._folders and "RENAME_EXCHANGE" not in call.rest:
            self._folders.discard(source)
            self._folders.add(target)
        self._folders |= {_parent(source), _parent(target)}

    def _is_a_persons(self, path: str) -> bool:
        """In the workspace, and not in Tandem's own corner of it."""
        inside = path == self._workspace or path.startswith(f"{self._workspace}/")
        return inside and not (path == self._tandem or path.startswith(f"{self._tandem}/"))


def follow_all(calls: Iterable[Call], workspace: Path) -> Pending:
    pending = Pending(workspace)
    for call in calls:
        pending.follow(call)
    return pending


def _parent(path: str) -> str:
    return path.rpartition("/")[0]
