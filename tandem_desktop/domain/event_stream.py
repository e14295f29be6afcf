"""Delivers events to all subscribers in one order."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tandem_desktop.domain.events import TandemEvent

Subscriber = Callable[["TandemEvent"], None]
Unsubscribe = Callable[[], None]

_log = logging.getLogger(__name__)


class EventStream:
    """Deliver every event to every subscriber, in the order of publication, one event at a time.

    A subscriber is called on the delivering thread with the events published after it subscribed. It may publish,
    subscribe and unsubscribe from inside; what it publishes is delivered after the waiting events. Its exceptions are
    logged and affect neither the publisher nor other subscribers.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = count()
        self._subscribers: dict[int, Subscriber] = {}
        self._waiting: deque[tuple[TandemEvent, tuple[int, ...]]] = deque()
        self._delivering = False

    def subscribe(self, subscriber: Subscriber) -> Unsubscribe:
        """Subscribe; call the returned function to unsubscribe. Idempotent."""
        with self._lock:
            number = next(self._numbers)
            self._subscribers[number] = subscriber

        def unsubscribe() -> None:
            with self._lock:
                self._subscribers.pop(number, None)

        return unsubscribe

    def publish(self, event: TandemEvent) -> None:
        """Publish an event. If another thread is delivering, that thread delivers this event too, in order."""
        with self._lock:
            self._waiting.append((event, tuple(self._subscribers)))
            if self._delivering:
                return
            self._delivering = True
        self._deliver_waiting()

    def _deliver_waiting(self) -> None:
        settled = False
        try:
            while True:
                with self._lock:
                    if not self._waiting:
                        # Under the same lock as the check, so that no event is left behind.
                        self._delivering = False
                        settled = True
                        return
                    event, numbers = self._waiting.popleft()
                for number in numbers:
                    subscriber = self._subscribers.get(number, _ignore)
                    try:
                        subscriber(event)
                    except Exception:
                        _log.exception("A subscriber failed on %s; the others were told all the same.", event.type)
        finally:
            # Only an interrupted thread gets here; the rest is delivered with the next event.
            if not settled:
                with self._lock:
                    self._delivering = False


def _ignore(event: TandemEvent) -> None:
    """In place of a subscriber that has unsubscribed."""
