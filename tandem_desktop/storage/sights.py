"""By what a file that was read is known again, without reading it: whoever touches it leaves another time."""

import os
from collections.abc import Callable
from operator import attrgetter

Sight = tuple[int, int, int, int]
"""Inode, size, mode and the time of the last change."""

_SETTLED_NS = 20_000_000
"""A file system's clock may stand still this long, so a younger time does not prove that nothing was written since."""
_SECOND_NS = 1_000_000_000
_COARSE_NS = 2 * _SECOND_NS
"""As long as that where times are kept in whole seconds, or in every other one."""

sight_of: Callable[[os.stat_result], Sight] = attrgetter("st_ino", "st_size", "st_mode", "st_mtime_ns")


def is_settled(sight: Sight, at_ns: int) -> bool:
    """Whether a change after `at_ns` is sure to show."""
    modified_ns = sight[3]
    return modified_ns + (_SETTLED_NS if modified_ns % _SECOND_NS else _COARSE_NS) < at_ns


class Sights(dict[str, Sight]):
    """Files that were read, by path."""

    def __init__(self) -> None:
        super().__init__()
        self.plain: set[str] = set()
        """Those that have nothing a new file would not have: their owner is this person, and nothing is attached."""
