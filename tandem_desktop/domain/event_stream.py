"""Delivers events to all subscribers in one order."""

import logging
import threading
from collections import deque
from collections.abc import Callable
from itertools import count

from tandem_desktop.domain.events import TandemEvent

Subscriber = Callable[[TandemEvent], None]
Unsubscribe = Callable[[], None]

_log = logging.getLogger(__name__)


class EventStream:
    """Deliver every event to every subscriber, in the order of publication, one event at a time.

    A subscriber runs on the thread that happens to deliver and hears only what is published after it subscribed. It may
    publish, subscribe and unsubscribe from inside; what it publishes comes after what is already waiting. If it throws,
    the error is logged, and neither the publisher nor another subscriber notices.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = count()
        self._subscribers: dict[int, Subscriber] = {}
        self._waiting: deque[tuple[TandemEvent, tuple[int, ...]]] = deque()
        self._delivering = False

    def subscribe(self, subscriber: Subscriber) -> Unsubscribe:
        """Listen from now on; call the answer to stop, as often as you like."""
        with self._lock:
            number = next(self._numbers)
            self._subscribers[number] = subscriber

        def unsubscribe() -> None:
            with self._lock:
                self._subscribers.pop(number, None)

        return unsubscribe

    def publish(self, event: TandemEvent) -> None:
        """Tell everybody. When another thread is delivering, that thread delivers this event as well, in its turn."""
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
                        # Under the same lock as the look: no event can slip in between and be left behind.
                        self._delivering = False
                        settled = True
                        return
                    event, numbers = self._waiting.popleft()
                for number in numbers:
                    self._deliver(event, number)
        finally:
            # Only an interrupt of the whole thread gets here unsettled; the rest goes out with the next event.
            if not settled:
                with self._lock:
                    self._delivering = False

    def _deliver(self, event: TandemEvent, number: int) -> None:
        subscriber = self._subscribers.get(number)
        if subscriber is None:
            return
        try:
            subscriber(event)
        except Exception:
            _log.exception("A subscriber failed on %s; the others were told all the same.", event.type)
