"""Elapsed time that survives clock changes, and the file system's clock.

Records carry the time of the wall clock, which a person, a server of time or a restored machine may put anywhere. The
steady clock of the machine counts on since the last start, also asleep. Where the two drift apart, the wall clock has
jumped; jumps are written down once for all processes, and left out when somebody asks how long ago a record was made.
Over a restart, when nobody counts, the wall clock is believed. What cannot be told makes a record younger, never older.
"""

import contextlib
import json
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import ValidationError

from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import StorageError
from tandem_desktop.storage import atomic

JUMP = timedelta(minutes=2)
"""Less is the slow correction of a clock that is a little wrong."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_MOST_JUMPS = 100

Since = Callable[[datetime], timedelta]
"""How long ago a moment was."""


class Jump(Frozen):
    """The wall clock was put forward, or back; what carries an earlier time than `before` was made before that."""

    before: datetime
    by: timedelta


class ClockReading(Frozen):
    """How the two clocks stood to each other when they were last looked at."""

    boot: str
    at: datetime
    offset: timedelta
    jumps: tuple[Jump, ...] = ()


class SteadyTime:
    """One file for every process of this state folder. Safe from any thread: what is remembered is one value."""

    def __init__(
        self,
        file: Path,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        steady_s: Callable[[], float] | None = None,
        boot: str | None = None,
    ) -> None:
        self._file = file
        self._now = now
        self._steady_s = steady_s or _steady_s
        self._boot = boot if boot is not None else _boot_id()
        self._known: ClockReading | None = None

    def since(self, moment: datetime) -> timedelta:
        """How long ago `moment`, a time of the wall clock, was."""
        now = self._now()
        jumps = self._looked(now).jumps
        return now - moment - sum((jump.by for jump in jumps if moment < jump.before), timedelta())

    def _looked(self, now: datetime) -> ClockReading:
        offset = timedelta(seconds=now.timestamp() - self._steady_s())
        if self._known is None or not self._is_as(self._known, offset):
            self._known = self._compared(offset, now)
        return self._known

    def _is_as(self, seen: ClockReading, offset: timedelta) -> bool:
        return seen.boot == self._boot and abs(offset - seen.offset) < JUMP

    def _compared(self, offset: timedelta, now: datetime) -> ClockReading:
        """What the file says; with a jump that nobody has written down yet, where there was one."""
        with contextlib.suppress(OSError, StorageError), atomic.held(self._file.with_suffix(".lock")):
            return self._written(self._read(), offset, now)
        return self._later(self._known or self._read(), offset, now)  # nothing can be kept; it holds in this process

    def _written(self, seen: ClockReading | None, offset: timedelta, now: datetime) -> ClockReading:
        later = self._later(seen, offset, now)
        if later != seen:
            atomic.replace(self._file, later.model_dump_json().encode(), mode=0o600)
        return later

    def _later(self, seen: ClockReading | None, offset: timedelta, now: datetime) -> ClockReading:
        if seen is None or seen.boot != self._boot:
            return ClockReading(boot=self._boot, at=now, offset=offset, jumps=seen.jumps if seen else ())
        if self._is_as(seen, offset):
            return seen
        by = offset - seen.offset
        # Put back, the clock goes through times it has shown before: only what is older than all of them is certain.
        jump = Jump(before=now if by > timedelta() else seen.at + by, by=by)
        return ClockReading(boot=self._boot, at=now, offset=offset, jumps=(*seen.jumps, jump)[-_MOST_JUMPS:])

    def _read(self) -> ClockReading | None:
        try:
            return ClockReading.model_validate_json(self._file.read_bytes())
        except (OSError, ValidationError, json.JSONDecodeError):
            return None


def _steady_s() -> float:
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


def _boot_id() -> str:
    """Which start of the machine the steady clock counts from; where nobody says, only this process knows."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return f"process {time.monotonic_ns()}"


_FILE_CLOCK = 5 if sys.platform == "linux" else time.CLOCK_REALTIME
"""The coarse clock, which Python has no name for."""


def next_tick() -> int:
    """A moment later than any change made before the call, and no later than any made after it.

    File times are mostly those of a clock that moves every few milliseconds, but some are finer and may be ahead of
    it; so it must have passed the present.
    """
    present = time.time_ns()
    while (now := time.clock_gettime_ns(_FILE_CLOCK)) <= present:
        time.sleep(0.0005)
    return now
