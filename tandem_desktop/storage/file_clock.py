"""The clock by which file systems write times, which stands still for a few milliseconds at a time."""

import sys
import time

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
