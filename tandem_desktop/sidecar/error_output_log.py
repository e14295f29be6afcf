"""What an agent writes to its error output, logged line by line; a flood is not."""

import logging

from tandem_desktop.storage.logbook import AGENT_LOGGER

_MOST_LINES = 400
_LONGEST = 2_000
_log = logging.getLogger(AGENT_LOGGER)


class ErrorOutputLog:
    """One for each process. What it does not log is still among the agent's last words."""

    def __init__(self) -> None:
        self._rest = b""
        self._lines = 0

    def add(self, chunk: bytes) -> None:
        if self._lines > _MOST_LINES:
            return
        *lines, rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._say(line)
        self._rest = rest[:_LONGEST]

    def end(self) -> None:
        """The process has ended: what it left without a line end is its last line."""
        rest, self._rest = self._rest, b""
        if rest:
            self._say(rest)

    def _say(self, line: bytes) -> None:
        self._lines += 1
        if self._lines < _MOST_LINES:
            _log.info("%s", line[:_LONGEST].decode("utf-8", "replace").rstrip("\r"))
        elif self._lines == _MOST_LINES:
            _log.info("The agent writes a lot; the rest of its error output is not logged.")
