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
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tandem_desktop.domain.errors import StorageError
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.storage import atomic

JUMP = timedelta(minutes=2)
"""Smaller differences are gradual clock corrections."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_MOST_JUMPS = 100

Since = Callable[[datetime], timedelta]
"""Computes how long ago a moment was."""


@dataclass(frozen=True, slots=True)
class Jump:
    """A jump of the wall clock; records with a time earlier than `before` were made before it."""

    before: datetime
    by: timedelta


@dataclass(frozen=True, slots=True)
class ClockReading:
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
            atomic.replace(self._file, _encoded(later), mode=0o600)
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
            return _decoded(self._file.read_bytes())
        except (OSError, ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError):
            return None  # as if there were none: a record then counts as younger


_DURATION = lazy_pattern(
    r"([+-]?)P(?:(?P<years>\d+)Y)?(?:(?P<days>\d+)D)?"
    r"(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:\.\d{1,6})?)S)?)?"
)
"""ISO 8601 as Pydantic writes it, with years of 365 days: the file stays the one that other versions read and write."""


def _encoded(reading: ClockReading) -> bytes:
    def duration(value: timedelta) -> str:
        sign, length = ("-", -value) if value < timedelta() else ("", value)
        return f"{sign}P{length.days}DT{length.seconds}.{length.microseconds:06d}S"

    jumps = [{"before": jump.before.isoformat(), "by": duration(jump.by)} for jump in reading.jumps]
    offset = duration(reading.offset)
    return json.dumps({"boot": reading.boot, "at": reading.at.isoformat(), "offset": offset, "jumps": jumps}).encode()


def _decoded(data: bytes) -> ClockReading:
    """What was stored.

    Raises:
        ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError: it is not a reading.
    """
    found = json.loads(data)
    jumps = tuple(Jump(before=_moment(each["before"]), by=_length(each["by"])) for each in found["jumps"])
    if not isinstance(found["boot"], str):
        raise TypeError
    return ClockReading(found["boot"], _moment(found["at"]), _length(found["offset"]), jumps)


def _moment(text: Any) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError
    return moment


def _length(text: Any) -> timedelta:
    parts = _DURATION.fullmatch(text)
    if parts is None or not any(parts.groupdict().values()):
        raise ValueError
    given = {name: float(number) for name, number in parts.groupdict(default="0").items()}
    whole = timedelta(days=given.pop("years") * 365 + given.pop("days"), **given)
    return -whole if parts[1] == "-" else whole


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
