"""What was read once and has not changed on disk since: a small memory that never outlives its file's signature."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

from tandem_desktop.plans.plan_record import NEVER, Signature

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Remembered(Generic[Key, Value]):
    """Hold the latest few values, each good only while its file looks as it did. Safe to share between threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = Lock()
        self._values: OrderedDict[Key, tuple[Signature, Value]] = OrderedDict()

    def get(self, key: Key, found: Signature) -> Value | None:
        """The value, when `found` is the signature it was remembered under."""
        with self._lock:
            known = self._values.get(key)
            if known is None or known[0] != found:
                return None
            self._values.move_to_end(key)
            return known[1]

    def put(self, key: Key, seen: Signature, value: Value) -> None:
        if seen == NEVER:
            return
        with self._lock:
            self._values[key] = (seen, value)
            self._values.move_to_end(key)
            if len(self._values) > self._limit:
                self._values.popitem(last=False)
