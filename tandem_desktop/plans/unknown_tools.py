"""Counts tools that planners asked for and Tandem does not have."""

import contextlib
import json
import os
from collections import Counter
from pathlib import Path

from tandem_desktop.storage import atomic, syscalls

_MAX_BYTES = 256 * 1024
"""A planner that insists for ever fills no disk."""
_MAX_NAME = 80


class ToolCounts:
    """A file that only grows, outside the workspace. A name that cannot be noted is no reason to fail."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def note(self, tool: str) -> None:
        line = json.dumps({"tool": tool[:_MAX_NAME]}).encode() + b"\n"
        with contextlib.suppress(OSError):
            atomic.make_directory(self._path.parent, mode=0o700)
            fd = syscalls.open_appending(str(self._path))
            try:
                if os.fstat(fd).st_size < _MAX_BYTES:
                    syscalls.write(fd, line)
            finally:
                os.close(fd)

    def counts(self) -> Counter[str]:
        """How often each was noted; a line cut short by a crash counts for nothing."""
        found: Counter[str] = Counter()
        with contextlib.suppress(OSError):
            for line in self._path.read_bytes().splitlines():
                with contextlib.suppress(ValueError, TypeError, KeyError):
                    found[str(json.loads(line)["tool"])] += 1
        return found
