"""Starts and ends the agent process and logs its stderr."""

import asyncio
import contextlib
import logging
import os
import secrets
import select
import shutil
import signal
from collections import deque
from pathlib import Path

from tandem_desktop.acp_client.connection import SidecarLimits
from tandem_desktop.domain.errors import SidecarLaunchError
from tandem_desktop.processes.child import Launch, dies_with_us, ends_with_all_it_started
from tandem_desktop.processes.reaper import end_descendants
from tandem_desktop.storage.logs import AGENT_LOGGER

_MOST_LINES = 400
_LONGEST = 2_000
_log = logging.getLogger(__name__)
_stderr_log = logging.getLogger(AGENT_LOGGER)


class ErrorOutputLog:
    """One for each process. Lines that are not logged are still in `StderrTail`."""

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
            _stderr_log.info("%s", line[:_LONGEST].decode("utf-8", "replace").rstrip("\r"))
        elif self._lines == _MOST_LINES:
            _stderr_log.info("The agent writes a lot; the rest of its error output is not logged.")


MARK = "TANDEM_SIDECAR"
"""An environment name every descendant inherits, so that one that left the group is still found."""
_CHUNK = 64 * 1024
_SWEEPS = 5
_DEATH_S = 1.0


class StderrTail:
    """The end of what a process wrote to its error output, bounded in lines and bytes."""

    def __init__(self, lines: int, size: int) -> None:
        self._lines: deque[bytes] = deque()
        self._most_lines = lines
        self._most_bytes = size
        self._kept = 0
        self._partial = b""
        self.total = 0

    def add(self, chunk: bytes) -> None:
        self.total += len(chunk)
        *whole, self._partial = (self._partial + chunk).split(b"\n")
        self._partial = self._partial[-self._most_bytes :]
        for line in whole[-self._most_lines :]:
            kept = line[-self._most_bytes :]
            self._lines.append(kept)
            self._kept += len(kept)
        while self._lines and (len(self._lines) > self._most_lines or self._kept > self._most_bytes):
            self._kept -= len(self._lines.popleft())

    def lines(self) -> tuple[str, ...]:
        texts = [line.decode(errors="replace").rstrip("\r") for line in (*self._lines, self._partial)]
        return tuple(text for text in texts if text.strip())[-self._most_lines :]


class SidecarProcess:
    """One agent process with its pipes. It leads its own session, and dies with us."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        exited: asyncio.Event,
        mark: str,
        limits: SidecarLimits,
        *,
        ends_as_one: bool,
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.stdin: asyncio.StreamWriter = process.stdin
        self.stdout: asyncio.StreamReader = process.stdout
        self._process = process
        self._exited = exited
        self._mark = mark
        self._limits = limits
        self._ends_as_one = ends_as_one
        self._stderr_tail = StderrTail(limits.stderr_lines, limits.stderr_bytes)
        self._error_output = ErrorOutputLog()
        self._drain = asyncio.create_task(self._drain_stderr(process.stderr), name="sidecar-stderr")

    @classmethod
    async def start(cls, launch: Launch, limits: SidecarLimits) -> "SidecarProcess":
        """Start what `launch` describes.

        Raises:
            SidecarLaunchError: there is no such command, or it may not be run.
        """
        mark = secrets.token_hex(16)
        _check_command(launch)
        starting = asyncio.ensure_future(
            _start(
                *((*dies_with_us(), *launch.argv) if launch.confined else ends_with_all_it_started(launch.argv)),
                cwd=launch.cwd,
                env={**launch.environment, MARK: mark},
            )
        )
        try:
            # CPython 3.11 waits for ever when it is cancelled while it opens the pipes of a process.
            process, exited = await asyncio.shield(starting)
        except asyncio.CancelledError:
            with contextlib.suppress(OSError, ValueError):
                process, exited = await starting
                await cls(process, exited, mark, limits, ends_as_one=launch.ends_as_one).end()
            raise
        except (OSError, ValueError) as problem:
            raise _launch_error(f"{launch.argv[0]}: {problem}.") from problem
        confined = "confined" if launch.confined else "not confined"
        _log.info("agent started: %s, pid %d, %s", launch.program or launch.argv[0], process.pid, confined)
        return cls(process, exited, mark, limits, ends_as_one=launch.ends_as_one)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        return self._process.returncode

    @property
    def stderr(self) -> tuple[str, ...]:
        return self._stderr_tail.lines()

    async def wait(self) -> None:
        """Until the process has ended, even if a child of it still holds its pipes."""
        await self._exited.wait()

    async def drain_stderr(self, seconds: float = 0.5) -> None:
        """Wait a moment for the rest of the error output of a process that has ended."""
        await asyncio.wait({self._drain}, timeout=seconds)

    async def end(self) -> None:
        """End the process and every descendant: its input ends, then SIGTERM, then SIGKILL, each after a wait."""
        self.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.wait(), self._limits.close_grace_s)
        self._signal_group(signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.wait(), self._limits.stop_grace_s)
        await self._end_descendants()
        self._signal_group(signal.SIGKILL)
        await asyncio.to_thread(end_marked, self._mark)
        await self.wait()
        await self.drain_stderr()
        self._drain.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._drain
        # Closes every pipe even where a process we cannot see still holds the other end.
        transport = getattr(self._process, "_transport", None)
        if transport is not None:
            transport.close()
        with contextlib.suppress(OSError):
            await self.stdin.wait_closed()
        _log.info(
            "agent ended: pid %d, exit code %s, %d bytes on stderr", self.pid, self.exit_code, self._stderr_tail.total
        )

    async def _end_descendants(self) -> None:
        """What left the group of an agent that no namespace holds; the process that started it ends them and itself."""
        if self._ends_as_one or self.exit_code is not None:
            return
        await asyncio.to_thread(end_descendants, self.pid)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.wait(), _DEATH_S)

    async def _drain_stderr(self, stderr: asyncio.StreamReader) -> None:
        try:
            while chunk := await stderr.read(_CHUNK):
                self._stderr_tail.add(chunk)
                self._error_output.add(chunk)
                # A flood must not keep the loop from everything else.
                await asyncio.sleep(0)
        except OSError:
            pass
        finally:
            self._error_output.end()

    def _signal_group(self, number: signal.Signals) -> None:
        # The leader stays in the table until it is waited for, so its number cannot be another group's while it runs.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


class _ExitWatch(asyncio.subprocess.SubprocessStreamProtocol):
    """Tells of the exit at once; the library waits for the end of every pipe first."""

    def __init__(self, exited: asyncio.Event) -> None:
        super().__init__(limit=_CHUNK, loop=asyncio.get_running_loop())
        self._exited = exited

    def process_exited(self) -> None:
        self._exited.set()
        super().process_exited()


async def _start(*argv: str, cwd: Path, env: dict[str, str]) -> tuple[asyncio.subprocess.Process, asyncio.Event]:
    loop = asyncio.get_running_loop()
    exited = asyncio.Event()
    transport, protocol = await loop.subprocess_exec(
        lambda: _ExitWatch(exited),
        *argv,
        cwd=cwd,
        env=env,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    return asyncio.subprocess.Process(transport, protocol, loop), exited


def end_marked(mark: str) -> int:
    """Kill whatever still carries the mark in its environment, and see it dead; how many there were."""
    killed: set[int] = set()
    wanted = f"{MARK}={mark}".encode()
    for _ in range(_SWEEPS):
        found = {pid for pid in _processes() if _kill_if_marked(pid, wanted)}
        if not found:
            break
        killed |= found  # one that dies slowly is met twice
    return len(killed)


def _processes() -> list[int]:
    with contextlib.suppress(OSError):
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    return []


def _kill_if_marked(pid: int, wanted: bytes) -> bool:
    # Held by descriptor before looking, so that the process killed is the one looked at.
    try:
        descriptor = os.pidfd_open(pid)
    except (OSError, AttributeError):
        return False
    try:
        if wanted not in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
            return False
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        select.select([descriptor], [], [], _DEATH_S)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _check_command(launch: Launch) -> None:
    """Check before the start: the launcher would only report it on stderr."""
    command = launch.argv[0] if launch.argv else ""
    if not launch.cwd.is_dir():
        raise _launch_error(f"its folder {launch.cwd} was not found.")
    name = os.path.join(launch.cwd, command) if "/" in command else command
    if shutil.which(name, path=launch.environment.get("PATH", os.defpath)) is None:
        raise _launch_error(f"{command or 'its command'} was not found, or may not be run.")


def _launch_error(reason: str) -> SidecarLaunchError:
    return SidecarLaunchError(
        f"The agent cannot be started: {reason}",
        next="Check that the agent is installed and that its command is right.",
    )
