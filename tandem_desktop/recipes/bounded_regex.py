"""Regular expressions with a time limit."""

import json
import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from types import TracebackType
from typing import IO, Any

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.paths import shown
from tandem_desktop.processes.child import scrubbed_environment
from tandem_desktop.processes.own_program import own_script
from tandem_desktop.recipes import regex_worker
from tandem_desktop.recipes.recipe import Changed

PER_FILE_S = 5.0
START_S = 30.0
_SIMPLER = "Make it simpler: a repetition inside a repetition, such as (a+)+, is the usual reason."


class BoundedRegex:
    """Substitutes, or finds when `replacement` is None. Refuses a pattern that takes too long; leaves no process."""

    def __init__(
        self,
        pattern: str,
        replacement: str | None,
        flags: int,
        *,
        per_file_s: float = PER_FILE_S,
        start_s: float = START_S,
    ) -> None:
        self._pattern = pattern
        self._per_file_s = per_file_s
        self._child = subprocess.Popen(
            worker_command(),
            env=scrubbed_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._input: IO[bytes] = self._child.stdin
        self._output: IO[bytes] = self._child.stdout
        os.set_blocking(self._input.fileno(), False)
        os.set_blocking(self._output.fileno(), False)
        self._waiting = b""
        try:
            job = {"pattern": pattern, "replacement": replacement, "flags": flags}
            answer = self._asked(job, "reading the pattern", start_s)
        except BaseException:
            self.close()
            raise
        if "error" in answer:
            self.close()
            raise BadInputError(
                f"The pattern {shown(pattern, 60)!r} or its replacement cannot be understood: {answer['error']}.",
                next=r"Write it as Python does: \d, \b, (?P<name>…) and \1 or \g<name> in the replacement.",
            )

    def __enter__(self) -> "BoundedRegex":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._child.kill()
        self._child.wait()
        self._output.close()
        try:
            self._input.close()
        except BrokenPipeError:
            pass

    def substitute(self, text: str, where: str) -> Changed | None:
        """`text` with every match replaced; None when there is none.

        Raises:
            BadInputError: the pattern did not end in time on it.
        """
        answer = self._asked(text, shown(where), self._per_file_s)
        return Changed(answer["text"], answer["places"]) if answer["places"] else None

    def matching_lines(self, text: str, where: str) -> tuple[tuple[int, str], ...]:
        """The first lines of `text` that match, with their numbers; long ones are cut.

        Raises:
            BadInputError: the pattern did not end in time on it.
        """
        return tuple((number, line) for number, line in self._asked(text, shown(where), self._per_file_s)["lines"])

    def _asked(self, question: object, where: str, limit_s: float) -> dict[str, Any]:
        deadline = time.monotonic() + limit_s
        asking = memoryview(json.dumps(question).encode() + b"\n")
        with selectors.DefaultSelector() as selector:
            selector.register(self._input, selectors.EVENT_WRITE)
            selector.register(self._output, selectors.EVENT_READ)
            while b"\n" not in self._waiting:
                remaining = deadline - time.monotonic()
                ready = selector.select(remaining) if remaining > 0 else ()
                if not ready:
                    raise self._too_slow(where, limit_s)
                for key, _ in ready:
                    if key.fileobj is self._input:
                        asking = self._write(asking)
                        if not asking:
                            selector.unregister(self._input)
                    else:
                        self._read(where)
        line, _, self._waiting = self._waiting.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _write(self, asking: memoryview) -> memoryview:
        try:
            return asking[os.write(self._input.fileno(), asking) :]
        except BrokenPipeError:
            return asking[len(asking) :]  # the end of its output tells the rest

    def _read(self, where: str) -> None:
        part = os.read(self._output.fileno(), 1 << 20)
        if not part:
            raise BadInputError(
                f"The pattern {shown(self._pattern, 60)!r} cannot be used: it ran out of room at {where}.",
                next=_SIMPLER,
            )
        self._waiting += part

    def _too_slow(self, where: str, limit_s: float) -> BadInputError:
        return BadInputError(
            f"The pattern {shown(self._pattern, 60)!r} did not end within {limit_s:g} s at {where}.", next=_SIMPLER
        )


def worker_command() -> Sequence[str]:
    """How the worker is started."""
    return own_script(regex_worker.__file__, frozen=("agent", "--regex-worker"))
