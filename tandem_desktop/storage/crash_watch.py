"""Notice a window that ended without saying so, and keep what the interpreter could still say."""

import contextlib
import faulthandler
import fcntl
import os
import secrets
from pathlib import Path

from tandem_desktop.storage import atomic, syscalls

_PREFIX, _SUFFIX = "alive-", ".crash"
REPORT = "crash-"


class CrashWatch:
    """Holds a locked file as long as this process lives well; one that nobody holds is left of a crash.

    Into the file goes where every thread was, should the interpreter itself be struck down. Nothing is ever sent.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fd: int | None = None
        self._path: Path | None = None

    def begin(self) -> tuple[Path, ...]:
        """Watch from now on; answers with the reports of windows that ended unexpectedly since the last time."""
        try:
            atomic.make_directory(self._folder, mode=0o700)
            left = self._left_behind()
            self._path = self._folder / f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}{_SUFFIX}"
            self._fd = syscalls.open_appending(str(self._path))
            fcntl.flock(self._fd, fcntl.LOCK_EX)
            faulthandler.enable(self._fd, all_threads=True)
        except OSError:  # a state folder that cannot be written must not keep a window from opening
            return ()
        return left

    def end(self) -> None:
        """It went well: nothing is left. Safe to call again."""
        fd, path, self._fd, self._path = self._fd, self._path, None, None
        if fd is None or path is None:
            return
        faulthandler.disable()
        with contextlib.suppress(OSError):
            syscalls.unlink(str(path))
        os.close(fd)

    def _left_behind(self) -> tuple[Path, ...]:
        found = []
        for path in sorted(self._folder.glob(f"{_PREFIX}*{_SUFFIX}")):
            with contextlib.suppress(OSError):
                if _nobody_holds(path):
                    report = self._folder / path.name.replace(_PREFIX, REPORT).replace(_SUFFIX, ".log")
                    syscalls.rename(str(path), str(report))
                    found.append(report)
        return tuple(found)


def _nobody_holds(path: Path) -> bool:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True
