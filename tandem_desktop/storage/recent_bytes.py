"""Bytes that were stored or read a short while ago, kept at hand together with the look of their file."""

import os
import threading
from collections import OrderedDict
from dataclasses import dataclass
from operator import attrgetter

_MOST_BYTES = 64 * 1024 * 1024
_look = attrgetter("st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")


@dataclass(slots=True)
class Known:
    """Bytes, and by what their file is known again: whoever writes to it leaves other times."""

    data: bytes
    look: tuple[int, int, int, int]
    is_checked: bool
    """Whether they were read back, or their file was found untouched, since they were written."""

    def is_of(self, info: os.stat_result) -> bool:
        return bool(self.look == _look(info))


class RecentBytes:
    """By digest, the newest of them; safe from any thread."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most_bytes
        self._known: OrderedDict[str, Known] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, sha256: str) -> Known | None:
        return self._known.get(sha256)

    def data(self, sha256: str) -> bytes | None:
        known = self._known.get(sha256)
        return known.data if known is not None else None

    def put(self, sha256: str, data: bytes, info: os.stat_result, *, is_checked: bool) -> None:
        """Remember bytes, and forget the oldest when there are too many.

        Bytes that were only read make none forgotten: of more than there is room for, read over and over in the same
        order, each would be forgotten just before it is wanted again.
        """
        with self._lock:
            self._drop(sha256)
            if is_checked and self._bytes + len(data) > self._most:
                return
            self._known[sha256] = Known(data, _look(info), is_checked)
            self._bytes += len(data)
            while self._bytes > self._most:
                self._drop(next(iter(self._known)))

    def forget(self, sha256: str) -> None:
        with self._lock:
            self._drop(sha256)

    def clear(self) -> None:
        with self._lock:
            self._known.clear()
            self._bytes = 0

    def _drop(self, sha256: str) -> None:
        known = self._known.pop(sha256, None)
        self._bytes -= len(known.data) if known else 0
