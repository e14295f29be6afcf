"""Paths as an agent writes them, and as we do: relative to the workspace. Decided from the text alone."""

import posixpath
from functools import lru_cache


class WorkspacePaths:
    """Turns an agent's paths into ours. The workspace is the path the agent sees, inside its sandbox."""

    def __init__(self, workspace: str) -> None:
        self.workspace = posixpath.normpath(workspace)
        self._prefix = self.workspace.rstrip("/") + "/"
        # Each path comes in several messages.
        self.inside = lru_cache(maxsize=4096)(self._inside)

    def _inside(self, path: str) -> str | None:
        """`path` relative to the workspace, `.` for the workspace itself; None when it lies outside or is no path."""
        if not path or "\0" in path:
            return None
        # Only the text counts here; that no link leads out is seen to where the file is opened.
        whole = posixpath.normpath(posixpath.join(self.workspace, path))
        if whole == self.workspace:
            return "."
        return whole[len(self._prefix) :] if whole.startswith(self._prefix) else None

    def shown(self, path: str) -> str:
        """`path` relative to the workspace where inside it; as the agent wrote it otherwise."""
        inside = self.inside(path)
        return path if inside is None else inside
