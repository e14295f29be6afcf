"""What was logged: the last lines in memory, for whoever looks, and the same in a file that never grows large."""

import contextlib
import logging
import os
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


class Logbook(logging.Handler):
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
