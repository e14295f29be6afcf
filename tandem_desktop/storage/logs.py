"""Log files, the log buffer, and detection of crashed windows."""

import contextlib
import faulthandler
import fcntl
import logging
import os
import secrets
import sys
from collections import deque
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from tandem_desktop.domain.paths import shown
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.storage import atomic, syscalls

PRODUCT_LOGGER = "tandem_desktop"
AGENT_LOGGER = "tandem_desktop.agent_words"
"""Where a sidecar's error output is logged, line by line."""
LOGS, LOG_FILE = "logs", "tandem.log"
_KEPT = 2_000
_LARGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class LogLine:
    """One log record; `text` may have several lines and is untrusted."""

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
    """Receives every logger of the process. Records that cannot be written to the file are still kept in memory."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self._lines: deque[LogLine] = deque(maxlen=_KEPT)
        self.count = 0
        """Total number of records, so that a reader can detect new ones."""

    @property
    def lines(self) -> tuple[LogLine, ...]:
        self.acquire()
        try:
            return tuple(self._lines)
        finally:
            self.release()

    def listen(self) -> None:
        """Start receiving records from the chosen level up; info by default. Those of earlier starts come first."""
        self._lines.extend(_earlier(self.folder / LOG_FILE))
        logging.getLogger().addHandler(self)
        product = logging.getLogger(PRODUCT_LOGGER)
        if product.level == logging.NOTSET:  # otherwise chosen by TANDEM_LOG or --debug
            product.setLevel(logging.INFO)

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


_LINE = lazy_pattern(r"(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?P<level>\w+) +(?P<origin>\w+): (?P<text>.*)")
_MOST_EARLIER = 64 * 1024


def _earlier(file: Path) -> list[LogLine]:
    """The end of the file as lines of the log; what does not begin like one belongs to the line before."""
    found: list[LogLine] = []
    try:
        with file.open("rb") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - _MOST_EARLIER))
            text = log.read().decode("utf-8", "replace")
    except OSError:
        return found
    for line in text.splitlines():
        if told := _LINE.fullmatch(line):
            at = datetime.fromisoformat(told["at"]).astimezone()
            origin = AGENT_LOGGER if told["origin"] == "agent" else told["origin"]
            found.append(LogLine(at, told["level"], origin, told["text"]))
        elif found:
            found[-1] = replace(found[-1], text=f"{found[-1].text}\n{line}")
    return found


LOG_VARIABLE = "TANDEM_LOG"
LOG_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING}


def choose_log_level(name: str) -> str:
    """Log from this level up; an unknown one is taken as warning. Returns a sentence about that, or nothing."""
    level = LOG_LEVELS.get(name.strip().lower())
    logging.getLogger(PRODUCT_LOGGER).setLevel(logging.WARNING if level is None else level)
    if level is not None:
        return ""
    return f"{LOG_VARIABLE} is {shown(name, 40)!r}, not debug, info or warning; only warnings are logged."


class StderrLog(logging.StreamHandler[TextIO]):
    """The product's log on stderr, for the command line. What an agent wrote to its own stderr is left out."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)
        self.setFormatter(_StderrFormatter())
        self.addFilter(lambda record: record.name != AGENT_LOGGER)

    def listen(self) -> None:
        product = logging.getLogger(PRODUCT_LOGGER)
        product.addHandler(self)
        product.propagate = False

    def leave(self) -> None:
        product = logging.getLogger(PRODUCT_LOGGER)
        product.removeHandler(self)
        product.propagate = True
        product.setLevel(logging.NOTSET)


class _StderrFormatter(logging.Formatter):
    """Time, level, module, message; hidden characters are spelled out."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).astimezone()
        module = record.name.removeprefix(f"{PRODUCT_LOGGER}.")
        head = f"{at:%H:%M:%S}.{int(record.msecs):03d} {record.levelname.lower():<7} {module}: "
        first, *rest = super().format(record).split("\n")
        return "\n".join([head + shown(first, _LONGEST_LINE), *(shown(line, _LONGEST_LINE) for line in rest)])


_LONGEST_LINE = 2_000
_PREFIX, _SUFFIX = "alive-", ".crash"
REPORT = "crash-"


class CrashWatch:
    """Holds a locked file while this process runs; an unlocked one is left of a crash.

    The stack of every thread is written to the file if the interpreter crashes. Nothing is ever sent.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fd: int | None = None
        self._path: Path | None = None

    def begin(self) -> tuple[Path, ...]:
        """Start watching; returns the reports of windows that crashed since the last start."""
        try:
            atomic.make_directory(self._folder, mode=0o700)
            left = self._left_behind()
            self._path = self._folder / f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}{_SUFFIX}"
            self._fd = syscalls.open_appending(str(self._path))
            fcntl.flock(self._fd, fcntl.LOCK_EX)
            faulthandler.enable(self._fd, all_threads=True)
        except OSError:  # an unwritable state folder must not keep a window from opening
            return ()
        return left

    def end(self) -> None:
        """Remove the file after a clean exit. Idempotent."""
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
                if _is_unlocked(path):
                    report = self._folder / path.name.replace(_PREFIX, REPORT).replace(_SUFFIX, ".log")
                    syscalls.rename(str(path), str(report))
                    found.append(report)
        return tuple(found)


def _is_unlocked(path: Path) -> bool:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True
