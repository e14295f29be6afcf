"""Starts, limits and ends child processes, and finds script interpreters."""

import contextlib
import os
import re
import selectors
import shlex
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.processes import reaper
from tandem_desktop.processes.own_program import own_script

OUTPUT_LIMIT = 1024 * 1024
"""Bytes of output that are kept: the first and the last half of this."""
_GRACE_S = 2.0
_TICK_S = 0.1
_ONLY_AS_OUR_CHILD = '[ "$PPID" = "$0" ] && exec "$@"'
"""If Tandem is killed before the parent-death signal is set, the orphan ends before it does anything."""
_PASSED_THROUGH = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER")


@dataclass(frozen=True, slots=True)
class ProcessOutcome:
    """Exit and output of a child."""

    exit_code: int
    output: bytes
    dropped: int
    timed_out: bool
    aborted: bool


def scrubbed_environment(additions: Mapping[str, str] | None = None) -> dict[str, str]:
    """A clean environment: only safe variables pass through, then those of the plan are added."""
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
    on_error: Callable[[bytes], None] | None = None,
) -> ProcessOutcome:
    """Run until the end, the time limit or the abort; the whole process group has ended afterwards.

    There is no terminal and no input: a command that reads input gets end-of-file. With `on_error`, standard error is
    told apart from standard output; the outcome has both.
    """
    process = subprocess.Popen(
        [*dies_with_us(), *argv],
        cwd=f"/proc/self/fd/{cwd}" if isinstance(cwd, int) else cwd,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if on_error is None else subprocess.PIPE,
        start_new_session=True,
        pass_fds=(cwd,) if isinstance(cwd, int) else (),
    )
    kept = _Kept()
    deadline = time.monotonic() + timeout_s
    timed_out = aborted = False
    pipes = [(pipe, told) for pipe, told in ((process.stdout, on_output), (process.stderr, on_error)) if pipe and told]
    with contextlib.ExitStack() as closing, selectors.DefaultSelector() as selector:
        for pipe, told in pipes:
            os.set_blocking(closing.enter_context(pipe).fileno(), False)
            selector.register(pipe, selectors.EVENT_READ, told)
        while True:
            for ready, _ in selector.select(_TICK_S):
                _read_some(ready, selector, kept)
            timed_out = process.poll() is None and time.monotonic() > deadline
            aborted = process.returncode is None and should_abort()
            if timed_out or aborted:
                _end_group(process)
            if process.returncode is not None:
                # A grandchild may hold a pipe open: read what is there, without waiting.
                for pipe, told in pipes:
                    _drain(pipe, kept, told)
                break
    _end_group(process)
    return ProcessOutcome(process.returncode, kept.value(), kept.dropped, timed_out, aborted)


def dies_with_us() -> tuple[str, ...]:
    """End the child when Tandem is killed: nothing would supervise it."""
    setpriv = _setpriv()
    if not setpriv:
        return ()
    return (setpriv, "--pdeathsig", "KILL", "--", "/bin/sh", "-c", _ONLY_AS_OUR_CHILD, str(os.getpid()))


def ends_with_all_it_started(argv: Sequence[str]) -> tuple[str, ...]:
    """`argv` under a process that ends every descendant with it, and with us: for what no namespace holds."""
    setpriv, own_pid = _setpriv(), str(os.getpid())
    tied = (setpriv, "--pdeathsig", "TERM", "--") if setpriv else ()
    return (*tied, *own_script(reaper.__file__, own_pid, *argv, frozen=("reap", own_pid, *argv)))


@cache
def _setpriv() -> str | None:
    return find_program("setpriv")


_SYSTEM_FOLDERS = ("/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/local/sbin")


def find_program(name: str, outside: Path | None = None) -> str | None:
    """A program from an absolute entry of PATH; none that lies in the folder `outside`, or leads there.

    A relative entry, or one in a workspace, would let the workspace choose what Tandem itself starts. Where the
    workspace is not known, the entries of the system come before all others.
    """
    inside = outside.resolve() if outside is not None else None
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if outside is None:
        folders.sort(key=lambda folder: folder not in _SYSTEM_FOLDERS)
    for folder in folders:
        if not folder.startswith("/") or (inside is not None and _leads_into(Path(folder), inside)):
            continue
        found = shutil.which(name, path=folder)
        if found is not None and (inside is None or not _leads_into(Path(found), inside)):
            return found
    return None


def _leads_into(place: Path, folder: Path) -> bool:
    return place.is_relative_to(folder) or place.resolve().is_relative_to(folder)


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


def _read_some(ready: selectors.SelectorKey, selector: selectors.BaseSelector, kept: _Kept) -> None:
    pipe: IO[bytes] = ready.fileobj  # type: ignore[assignment]  # only pipes are registered
    chunk = pipe.read(1 << 16)
    if chunk == b"":
        selector.unregister(pipe)
    elif chunk:
        kept.add(chunk)
        ready.data(chunk)


def _drain(pipe: IO[bytes], kept: _Kept, on_output: Callable[[bytes], None]) -> None:
    while chunk := pipe.read(1 << 16):
        kept.add(chunk)
        on_output(chunk)
        if kept.dropped > OUTPUT_LIMIT * 64:
            return


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """Terminate the group, then kill it and what left it."""
    for number, grace in ((signal.SIGTERM, _GRACE_S), (signal.SIGKILL, None)):
        if number == signal.SIGKILL and process.returncode is None:
            reaper.end_descendants(process.pid)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        if process.returncode is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace)


_LONGEST_LINE = 256
_MOST_SCRIPTS = 5
"""Limits of the kernel: the length of a first line, and the depth of scripts run by scripts."""
_BEGINNING = 4096
_FAR_AWAY = lazy_pattern(rb"#!/bin/sh\n'''exec' (.+) \"\$0\" \"\$@\"\n")
"""How Python installers write a first line that is too long or contains a space."""
_TO_SPLIT = lazy_pattern(r"(?:-[iv0]*S|--split-string=?)\s*")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A program that another one needs in order to start."""

    name: str
    path: Path | None
    """Where it was found; None if it is missing."""


def interpreters(argv: Sequence[str], search_path: str) -> Iterator[Interpreter]:
    """The interpreter of `argv`, then its interpreter; empty for a binary.

    Where it is not certain what will be searched, only what was found is listed.
    """
    call = tuple(argv)
    for _ in range(2 * _MOST_SCRIPTS):  # each of them may use `env`
        by_env = Path(call[0]).name == "env"
        called = _called_by_env(call[1:]) if by_env else (*_first_line(Path(call[0])), *call)
        if not called or called == call:
            return
        found = _found(called[0], search_path)
        is_certain = not by_env or called == call[1:]
        if found is not None or is_certain:
            yield Interpreter(called[0], found)
        if found is None:
            return
        call = (str(found), *called[1:])


def missing_interpreter(argv: Sequence[str], search_path: str) -> str:
    """The name of the first missing interpreter; empty if none is missing."""
    return next((each.name for each in interpreters(argv, search_path) if each.path is None), "")


def _first_line(program: Path) -> tuple[str, ...]:
    """The interpreter of a script's first line, and at most one argument."""
    try:
        with program.open("rb") as file:
            beginning = file.read(_BEGINNING)
    except OSError:  # it may be executable but not readable
        return ()
    far = _FAR_AWAY.match(beginning)
    named = _split(os.fsdecode(far.group(1))) if far else []
    if named and named[0].startswith("/") and shutil.which(named[0]):
        return (named[0],)
    if not beginning.startswith(b"#!"):
        return ()
    line = os.fsdecode(beginning[2:_LONGEST_LINE].partition(b"\n")[0]).strip(" \t")
    return tuple(re.split(r"[ \t]+", line, maxsplit=1)) if line.startswith("/") else ()


def _called_by_env(arguments: Sequence[str]) -> tuple[str, ...]:
    """The program that `env` starts, with its arguments, after options and assignments."""
    left = list(arguments)
    while left and (left[0].startswith("-") or "=" in left[0]):
        word = left.pop(0)
        to_split = _TO_SPLIT.match(word)
        if to_split:
            left = [*_split(word[to_split.end() :]), *left]
    return tuple(left)


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []


def _found(name: str, search_path: str) -> Path | None:
    """Search only absolute folders: the current one differs in the sandbox."""
    folders = [each for each in search_path.split(os.pathsep) if each.startswith("/")]
    found = shutil.which(name, path=os.pathsep.join(folders))
    return Path(found) if found else None


@dataclass(frozen=True, slots=True)
class Launch:
    """A command with its complete environment; nothing is inherited."""

    argv: tuple[str, ...]
    environment: dict[str, str]
    cwd: Path
    program: str = ""
    """The name of the started program, if `argv` begins with a sandbox."""
    confined: bool = False
    ends_as_one: bool = False
    """Whether a namespace ends all that it started with it."""


ADDRESS = "DBUS_SESSION_BUS_ADDRESS"
RUNTIME_DIRECTORY = "XDG_RUNTIME_DIR"
DISABLED = "disabled:"
"""An address that libdbus, GLib and jeepney refuse at once."""


def prevent_autolaunch(environment: MutableMapping[str, str]) -> None:
    """Disable the session bus where none is running. Call it before Qt connects to the bus.

    Without an address and without a bus in the runtime directory libdbus starts `dbus-launch` where dbus-x11 is
    installed. The daemon has no desktop services behind it, outlives the window and keeps the window's environment.
    """
    address = environment.get(ADDRESS, "")
    if address.startswith("autolaunch:") or (not address and not _has_user_bus(environment)):
        environment[ADDRESS] = DISABLED


def _has_user_bus(environment: MutableMapping[str, str]) -> bool:
    directory = environment.get(RUNTIME_DIRECTORY)
    if not directory:
        return False
    try:
        return stat.S_ISSOCK(Path(directory, "bus").stat().st_mode)
    except OSError:
        return False
