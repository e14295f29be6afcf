"""Where the socket of the planning tools lies: in a private folder whose path is short enough for a socket."""

import contextlib
import os
import secrets
import socket
import stat
import tempfile
from pathlib import Path

from tandem_desktop.storage import atomic, syscalls

LONGEST_PATH = 103
"""What fits into a socket's address everywhere: 108 bytes on Linux, 104 on macOS, with the byte that ends it."""

_SHORT_FOLDER = "tandem-"
_NAME = "planning-"


class PlanningSocket:
    """Make the socket, readable by its owner alone, and take it away again."""

    def __init__(self, folder: Path) -> None:
        name = f"{_NAME}{secrets.token_hex(4)}.sock"
        self._made: Path | None = None
        self.path = folder / name
        if len(os.fsencode(self.path)) > LONGEST_PATH:
            self._made = _short_base() / f"{_SHORT_FOLDER}{secrets.token_hex(8)}"
            self.path = self._made / name

    def open(self) -> socket.socket:
        """A socket that listens as soon as somebody accepts.

        Raises:
            OSError: the folder cannot be made or is somebody else's, or the path is too long even so.
        """
        self._prepare_folder()
        self._sweep()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with contextlib.suppress(OSError):  # born private where the system allows it; the folder is, everywhere
                syscalls.chmod(listener.fileno(), 0o600)
            syscalls.bind(listener, str(self.path))
        except BaseException:
            listener.close()
            raise
        return listener

    def close(self) -> None:
        """Nothing is left of it; what is gone already is fine."""
        with contextlib.suppress(FileNotFoundError):
            syscalls.unlink(str(self.path))
        if self._made is not None:
            with contextlib.suppress(OSError):
                syscalls.rmdir(str(self._made))

    def _sweep(self) -> None:
        """Take away what engines that were cut off have left; a socket that somebody answers stays."""
        for left in self.path.parent.glob(f"{_NAME}*.sock"):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knocking:
                knocking.setblocking(False)
                try:
                    knocking.connect(str(left))
                except ConnectionRefusedError:
                    with contextlib.suppress(OSError):
                        syscalls.unlink(str(left))
                except OSError:
                    continue  # busy, or somebody else's: not ours to judge

    def _prepare_folder(self) -> None:
        folder = self.path.parent
        if self._made is not None:
            syscalls.mkdir(str(folder), mode=0o700)
            return
        atomic.make_directory(folder, mode=0o700)
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if stat.S_IMODE(os.fstat(fd).st_mode) & 0o077:
                syscalls.chmod(fd, 0o700)
        finally:
            os.close(fd)


def _short_base() -> Path:
    """The first place for what lives as long as a session in which there is room for the rest of the path."""
    bases = (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp")
    room = LONGEST_PATH - len(_SHORT_FOLDER) - 45
    return Path(next((base for base in bases if base and len(os.fsencode(base)) <= room), "/tmp"))
