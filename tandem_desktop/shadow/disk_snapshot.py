"""Compares the real workspace before and after a turn of an agent that nothing holds back."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.storage.paths import TANDEM_DIRECTORY

MOST_ENTRIES = 300_000
_Marks = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class DiskSnapshot:
    """What every name in the workspace was at one moment; contents are not read, a change shows in the times."""

    top: Path
    marks: dict[str, _Marks]
    is_whole: bool

    @classmethod
    def of(cls, top: Path, most: int = MOST_ENTRIES) -> "DiskSnapshot":
        marks: dict[str, _Marks] = {}
        for path, found in _walk(top):
            if len(marks) >= most:
                return cls(top, marks, is_whole=False)
            marks[path] = found
        return cls(top, marks, is_whole=True)

    def changed(self) -> tuple[str, ...]:
        """Paths that came, went or were written since, without the folders that only hold them."""
        now = DiskSnapshot.of(self.top, max(MOST_ENTRIES, len(self.marks))).marks
        differing = (path for path in sorted(self.marks.keys() | now.keys()) if self.marks.get(path) != now.get(path))
        return tuple(path for path in differing if not (path in now and path in self.marks and _is_folder(now[path])))


def _walk(top: Path) -> Iterator[tuple[str, _Marks]]:
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(top / folder) as entries:
                for entry in entries:
                    path = f"{folder}{entry.name}"
                    if path == TANDEM_DIRECTORY:
                        continue
                    info = entry.stat(follow_symlinks=False)
                    yield path, (info.st_mode, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(f"{path}/")
        except OSError:  # it went, or may not be looked into
            continue


def _is_folder(marks: _Marks) -> bool:
    return marks[0] & 0o170000 == 0o040000
