"""Makes the search for cycles rare while many objects are made that stay."""

import contextlib
import gc
import threading
from collections.abc import Iterator

_GC_THRESHOLD = 50_000
"""Allocations between two collections; Python's default is a few hundred."""

_lock = threading.Lock()
_users = 0
_usual = gc.get_threshold()


@contextlib.contextmanager
def raised_gc_threshold() -> Iterator[None]:
    """Raise the GC threshold inside the block; nested and concurrent blocks are counted.

    A run and a large comparison make many objects that stay: collections scan them again and again and find no
    cycles. GC is not disabled, because both may take long.
    """
    global _users, _usual
    with _lock:
        if _users == 0:
            _usual = gc.get_threshold()
            gc.set_threshold(max(_usual[0], _GC_THRESHOLD) if _usual[0] else 0, *_usual[1:])
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                gc.set_threshold(*_usual)
