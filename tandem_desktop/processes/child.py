"""Start a child with its own group, a scrubbed environment, a time limit and drained pipes; end all of it."""

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

OUTPUT_LIMIT = 1024 * 1024
"""Bytes of output that are kept: the first half and the last half of it."""
_GRACE_S = 2.0
_TICK_S = 0.1
_ONLY_AS_OUR_CHILD = '[ "$PPID" = "$0" ] && exec "$@"'
"""A Tandem killed before the child was tied to it left an orphan: that one ends by itself, before it does anything."""
_PASSED_THROUGH = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a child ended, and what it said."""

    exit_code: int
    output: bytes
    dropped: int
    timed_out: bool
    aborted: bool


def scrubbed_environment(additions: Mapping[str, str] | None = None) -> dict[str, str]:
    """A fresh, fixed environment: only harmless names pass through, then what the plan shows is added."""
    environment = {name: os.environ[name] for name in _PASSED_THROUGH if name in os.environ}
    environment.setdefault("PATH", os.defpath)
    environment.setdefault("LANG", "C.UTF-8")
    return {**environment, "TERM": "dumb", **(additions or {})}


def run_child(
    argv: Sequence[str],
    *,
    cwd: Path | int,
    environment: Mapping[str, str],
    timeout_s: float,
    should_abort: Callable[[], bool],
    on_output: Callable[[bytes], None],
) -> Outcome:
    """Run to the end, the time limit or the abort; nothing of its process group is left afterwards.

    There is no terminal and nothing to read: a command that asks for input gets end-of-file.
    """
    process = subprocess.Popen(
        [*dies_with_us(), *argv],
        cwd=f"/proc/self/fd/{cwd}" if isinstance(cwd, int) else cwd,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        pass_fds=(cwd,) if isinstance(cwd, int) else (),
    )
    kept = _Kept()
    deadline = time.monotonic() + timeout_s
    timed_out = aborted = False
    assert process.stdout is not None
    with process.stdout as pipe, selectors.DefaultSelector() as selector:
        os.set_blocking(pipe.fileno(), False)
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            for _ in selector.select(_TICK_S):
                chunk = pipe.read(1 << 16)
                if chunk == b"":
                    selector.unregister(pipe)
                elif chunk:
                    kept.add(chunk)
                    on_output(chunk)
            if process.poll() is not None:
                # A grandchild may hold the pipe open: what is there is read, nobody is waited for.
                _drain(pipe, kept, on_output)
                break
            timed_out = time.monotonic() > deadline
            aborted = should_abort()
            if timed_out or aborted:
                _end_group(process)
                _drain(pipe, kept, on_output)
                break
    _end_group(process)
    return Outcome(process.returncode, kept.value(), kept.dropped, timed_out, aborted)


def dies_with_us() -> tuple[str, ...]:
    """A child must not outlive a Tandem that was killed: nobody would take charge of what it still does."""
    setpriv = _setpriv()
    if not setpriv:
        return ()
    return (setpriv, "--pdeathsig", "KILL", "--", "/bin/sh", "-c", _ONLY_AS_OUR_CHILD, str(os.getpid()))


@cache
def _setpriv() -> str | None:
    return shutil.which("setpriv")


class _Kept:
    """The beginning and the end of a long output."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self.dropped = 0

    def add(self, chunk: bytes) -> None:
        half = OUTPUT_LIMIT // 2
        room = half - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        self._tail += chunk
        if len(self._tail) > 2 * half:
            self._trim(half)

    def value(self) -> bytes:
        if len(self._tail) > OUTPUT_LIMIT // 2:
            self._trim(OUTPUT_LIMIT // 2)
        if not self.dropped:
            return bytes(self._head + self._tail)
        return bytes(self._head) + f"\n… {self.dropped:,} bytes left out …\n".encode() + bytes(self._tail)

    def _trim(self, half: int) -> None:
        self.dropped += len(self._tail) - half
        del self._tail[:-half]


def _drain(pipe: IO[bytes], kept: _Kept, on_output: Callable[[bytes], None]) -> None:
    while chunk := pipe.read(1 << 16):
        kept.add(chunk)
        on_output(chunk)
        if kept.dropped > OUTPUT_LIMIT * 64:
            return


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """Ask the group to end, then make it."""
    for number, grace in ((signal.SIGTERM, _GRACE_S), (signal.SIGKILL, None)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        if process.returncode is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace)
