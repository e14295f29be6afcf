"""The two streams of a call: the answer on stdout, everything else on stderr, colours only where they are seen."""

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from tandem_desktop.cli.lines import Line, Span, Tone, render, sentence
from tandem_desktop.storage import syscalls


class Console:
    """Write answers and remarks. Nothing a stranger wrote reaches the terminal unescaped."""

    def __init__(self, *, as_json: bool, environment: Mapping[str, str] | None = None) -> None:
        self.as_json = as_json
        self._environment = os.environ if environment is None else environment
        self._out = _writable(sys.stdout)
        self._err = _writable(sys.stderr)

    @property
    def shows_progress(self) -> bool:
        return not self.as_json and self._is_terminal(self._err)

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
                except RuntimeError:  # said by a signal's handler while another line was on its way: past the buffer
                    os.write(self._err.fileno(), text.encode())

    def complain(self, message: str, following: str) -> None:
        """One clear sentence, and what to do about it."""
        self.remark((Span("tandem: ", Tone.FAILED), sentence(message)))
        if following:
            self.remark((Span("Next: ", Tone.STRONG), sentence(following)))

    def flush(self) -> None:
        """Hand over what was written.

        Raises:
            OSError: whoever reads is gone, or the disk behind stdout is full.
        """
        if self._out is not None:
            self._out.flush()

    def give_up_stdout(self) -> None:
        """Point stdout at nothing, so that the interpreter does not stumble over it at its end."""
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
