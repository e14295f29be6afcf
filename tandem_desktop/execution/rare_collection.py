"""Python's search for garbage that refers to itself, made rare while a run lays out thousands of values that stay.

It goes through everything that lives, again and again, and finds nothing: runs make no such garbage. It is not turned
off: a run may take as long as its commands do, or as the person lets it wait.
"""

import contextlib
import gc
import threading
from collections.abc import Iterator

_RARELY = 50_000
"""New values between two searches; the interpreter's own number is a few hundred."""

_lock = threading.Lock()
_users = 0
_usual = gc.get_threshold()


@contextlib.contextmanager
def collecting_rarely() -> Iterator[None]:
    """Search rarely inside the block, whichever thread is in it last."""
    global _users, _usual
    with _lock:
        if _users == 0:
            _usual = gc.get_threshold()
            gc.set_threshold(max(_usual[0], _RARELY) if _usual[0] else 0, *_usual[1:])
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                gc.set_threshold(*_usual)
