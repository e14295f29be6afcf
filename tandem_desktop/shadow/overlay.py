"""An overlay of the workspace, mounted where the workspace is, in a mount namespace of its own.

Whoever runs inside sees and changes the workspace under its own path; the changes land in an upper folder, and the
disk keeps what it has. Opening it costs the same however many files there are.
"""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.locations import TANDEM_DIRECTORY
from tandem_desktop.storage.scratch import remove_tree

_SCRIPT = """\
mount -t overlay tandem -o "$1,volatile" "$2" 2>/dev/null || mount -t overlay tandem -o "$1" "$2" 2>/dev/null || exit
mount -t proc proc /proc 2>/dev/null
: > "$4"
cd "$2/$3" || exit
shift 4
"$@"
exit $?
"""
"""Volatile where the kernel can: the layers are read and removed when the command has ended, and the end of any other
overlay waits until everything that anybody has written on that disk is there.

The command is a child of this shell, not the first process of its namespace: that one no signal ends, not even its
own, so that a script which gives up by `kill $$` would go on.
"""
_SPECIAL = set(',:\\"')


@dataclass(frozen=True, slots=True)
class Overlay:
    """Where the layers of one overlay lie."""

    lower: Path
    folder: Path

    @property
    def upper(self) -> Path:
        return self.folder / "upper"

    def open(self) -> None:
        """Make empty layers."""
        remove_tree(self.folder)
        make_layers(self.lower, self.folder, ("upper", "work"))
        hide_tandem(self.upper)

    @property
    def was_mounted(self) -> bool:
        """Whether the last command came to run inside at all."""
        return self._mounted.exists()

    def discard(self) -> None:
        remove_tree(self.folder)

    def argv(self, command: Sequence[str], cwd: str = ".") -> list[str]:
        """How to run `command` inside; its whole process tree ends with it."""
        options = f"lowerdir={self.lower},upperdir={self.upper},workdir={self.folder / 'work'}"
        inside = ["sh", "-c", _SCRIPT, "tandem"]
        where = [str(self.lower), cwd, str(self._mounted)]
        spaces = ["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child"]
        if os.geteuid() == 0:
            return ["unshare", *spaces, *inside, options, *where, *command]
        plain = ["setpriv", "--ambient-caps=-all", "--inh-caps=-all"]
        own = ["--user", "--map-current-user", "--keep-caps"]
        return ["unshare", *own, *spaces, *inside, f"{options},userxattr", *where, *plain, *command]

    @property
    def _mounted(self) -> Path:
        return self.folder / "mounted"


def make_layers(lower: Path, folder: Path, names: Iterable[str]) -> None:
    """Empty folders for the layers of an overlay; `upper` is among them."""
    for name in names:
        atomic.make_directory(folder / name, mode=0o700)
    fd = os.open(folder / "upper", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # The root of the merged tree takes its mode from the upper layer.
        syscalls.chmod(fd, lower.stat().st_mode & 0o7777)
    finally:
        os.close(fd)


def hide_tandem(upper: Path) -> None:
    """Let commands not see Tandem's own folder: a formatter or a search over all files has no business there.

    Rehearsed or run, a command then finds the same tree. Kernels that keep this for root show the folder.
    """
    with contextlib.suppress(PermissionError):
        syscalls.whiteout(str(upper / TANDEM_DIRECTORY))


def can_overlay(lower: Path, shadows: Path) -> bool:
    """Whether this system can mount an overlay of `lower`, found out by doing it."""
    if _SPECIAL & set(f"{lower}{shadows}") or any(shutil.which(tool) is None for tool in ("unshare", "mount", "sh")):
        return False
    try:
        atomic.make_directory(shadows, mode=0o700)
        overlay = Overlay(lower, Path(tempfile.mkdtemp(prefix="probe-", dir=shadows)))
        try:
            overlay.open()
            tried = subprocess.run(overlay.argv(["true"]), capture_output=True, timeout=20, check=False)
            mounted = overlay.was_mounted
        finally:
            overlay.discard()
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0 and mounted
