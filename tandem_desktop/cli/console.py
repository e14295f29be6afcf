"""Terminal output, escaping and usage errors."""

import contextlib
import json
import os
import sys
import termios
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TextIO

from tandem_desktop.diff.text import visible_line, visible_name, visible_sentence
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.storage import syscalls

_RESET = "\x1b[0m"
_START_TIME = 19
"""The place of the start time in /proc/PID/stat, counted behind the name."""


class Tone(Enum):
    """What a piece means; the colour follows from it."""

    PLAIN = ""
    STRONG = "\x1b[1m"
    QUIET = "\x1b[2m"
    ADDED = "\x1b[32m"
    REMOVED = "\x1b[31m"
    PLACE = "\x1b[36m"
    WARNING = "\x1b[33m"
    FAILED = "\x1b[1;31m"


class EscapedText(str):
    """Text in which hidden characters are visible tokens already."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line with its meaning."""

    text: str
    tone: Tone = Tone.PLAIN


Piece = str | Span
Line = Piece | tuple[Piece, ...]


def render(line: Line, *, colours: bool = False) -> str:
    """The line as it goes to the terminal."""
    pieces = line if isinstance(line, tuple) else (line,)
    return "".join(_painted(piece, colours=colours) for piece in pieces)


def table(rows: Iterable[Sequence[Piece]], *, indent: str = "  ") -> list[Line]:
    """Rows as aligned lines; the last column is as long as it is."""
    kept = [_without_empty_end(tuple(row)) for row in rows]
    columns = max((len(row) for row in kept), default=0)
    widths = [max((len(render(row[at])) for row in kept if at < len(row)), default=0) for at in range(columns)]
    return [_aligned(row, widths, indent) for row in kept]


def sentence(message: str) -> EscapedText:
    """A message of our own, which may already hold tokens, with anything hidden or imitated spelled out."""
    return EscapedText(visible_sentence(message))


def named(path: str) -> EscapedText:
    """A path, a link's target or a host, with what looks like another name spelled out."""
    return EscapedText(visible_name(path))


def _without_empty_end(row: tuple[Piece, ...]) -> tuple[Piece, ...]:
    while row and not render(row[-1]):
        row = row[:-1]
    return row


def _aligned(row: tuple[Piece, ...], widths: list[int], indent: str) -> Line:
    pieces: list[Piece] = [indent]
    for at, piece in enumerate(row):
        pieces.append(piece)
        if at < len(row) - 1:
            pieces.append(EscapedText(" " * (widths[at] - len(render(piece)) + 2)))
    return tuple(pieces)


def _painted(piece: Piece, *, colours: bool) -> str:
    text, tone = (piece.text, piece.tone) if isinstance(piece, Span) else (piece, Tone.PLAIN)
    safe = text if isinstance(text, EscapedText) else visible_line(text)
    return f"{tone.value}{safe}{_RESET}" if colours and tone.value and safe else str(safe)


class Terminal(Frozen):
    """A terminal as one session has it: after a log-out the same device is another terminal."""

    device: int
    session: int
    """The process id of the session leader."""
    started: int
    """When the session leader started, in ticks since boot: process ids are used again."""


def terminal_of(*streams: TextIO | None) -> Terminal | None:
    """The controlling terminal of this session, if each of these streams is connected to it."""
    try:
        devices = {_controlling(stream) for stream in streams}
        session = os.getsid(0)
        stat = Path(f"/proc/{session}/stat").read_bytes()
        started = int(stat.rpartition(b")")[2].split()[_START_TIME])
    except (OSError, ValueError, IndexError):
        return None
    return Terminal(device=devices.pop(), session=session, started=started) if len(devices) == 1 else None


def _controlling(stream: TextIO | None) -> int:
    """The device behind a stream, if it is our controlling terminal."""
    if stream is None:
        raise ValueError("the stream is closed")
    os.tcgetpgrp(stream.fileno())  # refused for anything but the controlling terminal
    return os.fstat(stream.fileno()).st_rdev


class Console:
    """Writes answers and remarks. Untrusted text is escaped."""

    def __init__(self, *, as_json: bool, environment: Mapping[str, str] | None = None) -> None:
        self.as_json = as_json
        self._environment = os.environ if environment is None else environment
        self._out = _writable(sys.stdout)
        self._err = _writable(sys.stderr)

    @property
    def shows_progress(self) -> bool:
        return not self.as_json and self._is_terminal(self._err)

    @property
    def can_ask(self) -> bool:
        """Whether a person reads and types at a terminal, to answer what an agent asks."""
        try:
            return sys.stdin is not None and sys.stdin.isatty() and self._err is not None and self._err.isatty()
        except ValueError:  # one of them is closed
            return False

    def answers_at(self) -> Terminal | None:
        """The terminal that answers for a person are printed on."""
        return None if self.as_json else terminal_of(self._out)

    def asks_at(self) -> Terminal | None:
        """The terminal at which a person can be asked something."""
        return None if self.as_json else terminal_of(sys.stdin, self._err)

    def confirms(self, question: str) -> bool:
        """True if the person at the terminal types y or yes; what was typed before the question does not count."""
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
        self.remark_raw(f"{question} [y/N] ")
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    def answer(self, lines: Iterable[Line]) -> None:
        """Lines for a person, on stdout."""
        if self._out is None:
            return
        colours = self._has_colours(self._out)
        self._out.write("".join(f"{render(line, colours=colours)}\n" for line in lines))

    def answer_object(self, data: Mapping[str, Any]) -> None:
        """The one object of a script. ASCII, so that it is safe on a terminal too."""
        if self._out is not None:
            self._out.write(json.dumps(data, ensure_ascii=True) + "\n")

    def remark(self, line: Line) -> None:
        """A line beside the answer, on stderr; a stderr that is gone stops nothing."""
        self.remark_raw(render(line, colours=self._err is not None and self._has_colours(self._err)) + "\n")

    def remark_raw(self, text: str) -> None:
        """Text that is safe already, such as a progress bar."""
        if self._err is not None:
            with contextlib.suppress(OSError, ValueError):
                try:
                    self._err.write(text)
                    self._err.flush()
                except RuntimeError:  # called by a signal handler during another write: bypass the buffer
                    os.write(self._err.fileno(), text.encode())

    def complain(self, message: str, following: str) -> None:
        """One clear sentence, and what to do about it."""
        self.remark((Span("tandem: ", Tone.FAILED), sentence(message)))
        if following:
            self.remark((Span("Next: ", Tone.STRONG), sentence(following)))

    def flush(self) -> None:
        """Hand over what was written.

        Raises:
            OSError: the reader is gone, or the disk behind stdout is full.
        """
        if self._out is not None:
            self._out.flush()

    def give_up_stdout(self) -> None:
        """Redirect stdout to /dev/null, so that the interpreter does not fail to flush it on exit."""
        with contextlib.suppress(OSError, ValueError):
            nothing = syscalls.open_appending(os.devnull)
            os.dup2(nothing, sys.stdout.fileno())
            os.close(nothing)

    def _has_colours(self, stream: TextIO) -> bool:
        return not self._environment.get("NO_COLOR") and self._is_terminal(stream)

    def _is_terminal(self, stream: TextIO | None) -> bool:
        if stream is None or self._environment.get("TERM", "dumb") == "dumb":
            return False
        try:
            return stream.isatty()
        except ValueError:
            return False


def _writable(stream: TextIO | None) -> TextIO | None:
    """The stream, made to accept every character; a script may have closed it."""
    if stream is None or stream.closed:
        return None
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    return stream


class UsageError(BadInputError):
    """The arguments of the call are invalid."""

    kind = "usage"
