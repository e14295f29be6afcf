"""Log files, the log buffer, and detection of crashed windows."""

import contextlib
import faulthandler
import fcntl
import logging
import os
import secrets
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tandem_desktop.storage import atomic, syscalls

AGENT_LOGGER = "tandem_desktop.agent_words"
"""Where a sidecar's error output is logged, line by line."""
LOGS, LOG_FILE = "logs", "tandem.log"
_KEPT = 2_000
_LARGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class LogLine:
    """One thing that was logged; `text` may have several lines, and is nobody's but the writer's."""

    at: datetime
    level: str
    origin: str
    text: str

    @property
    def is_agents(self) -> bool:
        return self.origin == AGENT_LOGGER

    def __str__(self) -> str:
        origin = "agent" if self.is_agents else self.origin.rpartition(".")[2]
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.level:<7} {origin}: {self.text}"


class LogFile(logging.Handler):
    """Hears every logger of the process. What cannot be written to the file is still kept in memory."""

    def __init__(self, folder: Path) -> None:
        super().__init__(logging.INFO)
        self.folder = folder
        self._lines: deque[LogLine] = deque(maxlen=_KEPT)
        self.count = 0
        """How many were ever heard, so that a reader knows whether there are more."""

    @property
    def lines(self) -> tuple[LogLine, ...]:
        self.acquire()
        try:
            return tuple(self._lines)
        finally:
            self.release()

    def listen(self) -> None:
        """From now on."""
        logging.getLogger().addHandler(self)
        logging.getLogger("tandem_desktop").setLevel(logging.INFO)

    def leave(self) -> None:
        logging.getLogger().removeHandler(self)
        self.close()

    def emit(self, record: logging.LogRecord) -> None:
        at = datetime.fromtimestamp(record.created, UTC).astimezone()
        line = LogLine(at, record.levelname.lower(), record.name, self.format(record))
        self._lines.append(line)
        self.count += 1
        with contextlib.suppress(OSError):
            self._write(f"{line}\n")

    def _write(self, text: str) -> None:
        atomic.make_directory(self.folder, mode=0o700)
        path = self.folder / LOG_FILE
        fd = syscalls.open_appending(str(path))
        try:
            syscalls.write(fd, text.encode("utf-8", "backslashreplace"))
            is_full = os.fstat(fd).st_size > _LARGEST
        finally:
            os.close(fd)
        if is_full:
            syscalls.rename(str(path), str(path.with_suffix(".old.log")))


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
