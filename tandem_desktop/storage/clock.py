"""Elapsed time that survives clock changes, and the file system's clock.

Records carry wall-clock times, which a person, NTP or a restored machine may change. The boot clock counts since the
last start, also while asleep. Where the two diverge, the wall clock has jumped; jumps are recorded once for all
processes and subtracted when the age of a record is computed. Across a restart only the wall clock is available. In
doubt a record counts as younger, never as older.
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
"""Smaller differences are gradual clock corrections."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_MOST_JUMPS = 100

Since = Callable[[datetime], timedelta]
"""Computes how long ago a moment was."""


class Jump(Frozen):
    """A jump of the wall clock; records with a time earlier than `before` were made before it."""

    before: datetime
    by: timedelta


class ClockReading(Frozen):
    """The offset between the two clocks when they were last compared."""

    boot: str
    at: datetime
    offset: timedelta
    jumps: tuple[Jump, ...] = ()


class SteadyTime:
    """Keeps the jumps in one file for all processes of this state folder.

    Thread-safe: the cached state is one value.
    """

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
        """The recorded jumps, with a new one if the clocks have diverged since."""
        with contextlib.suppress(OSError, StorageError), atomic.held(self._file.with_suffix(".lock")):
            return self._written(self._read(), offset, now)
        return self._later(self._known or self._read(), offset, now)  # cannot be saved; valid in this process

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
        # A clock that was set back repeats times: only records older than all of them are certain.
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
    """Identifies the boot that the boot clock counts from; unique to this process if unknown."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return f"process {time.monotonic_ns()}"


_FILE_CLOCK = 5 if sys.platform == "linux" else time.CLOCK_REALTIME
"""The coarse clock, which Python has no name for."""


def next_tick() -> int:
    """A time later than any change made before the call, and not later than any made after it.

    File times mostly come from a clock that ticks every few milliseconds, but some are finer and may be ahead of it, so
    wait until it has passed the present.
    """
    present = time.time_ns()
    while (now := time.clock_gettime_ns(_FILE_CLOCK)) <= present:
        time.sleep(0.0005)
    return now
