"""Threads for work that nobody misses once the window has gone."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


class QuietPool(ThreadPoolExecutor):
    """After the end, work is not refused with an error: it is cancelled, like all that was still waiting."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        try:
            return super().submit(fn, *args, **kwargs)
        except RuntimeError:
            cancelled: Future[Any] = Future()
            cancelled.cancel()
            cancelled.set_running_or_notify_cancel()
            return cancelled
