"""The crossing from the engine's thread to the window's: every event goes over, in order, a little at a time."""

import threading
import time
from collections import deque

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.events.events import ChatGrew, OperationFinished, OperationStarted, TandemEvent
from tandem_desktop.events.stream import EventStream

AT_ONCE_S = 0.004
"""How long events are handed over before keys, clicks and painting have their turn."""


class EventBridge(QObject):
    """Re-emit events on the GUI thread, in order. However many come, the window is never held up by their number."""

    event_received = Signal(object)
    _woken = Signal()

    def __init__(self, stream: EventStream, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[TandemEvent] = deque()
        self._lock = threading.Lock()
        self._is_woken = False
        self._ended: set[tuple[RunId, OperationId]] = set()
        """Operations whose result is waiting: their beginning is nothing to show any more."""
        self._woken.connect(self._hand_over, Qt.ConnectionType.QueuedConnection)
        self._again = QTimer(self, interval=0, singleShot=True)
        self._again.timeout.connect(self._hand_over)
        self._unsubscribe = stream.subscribe(self._cross)

    def close(self) -> None:
        """Hear nothing more."""
        self._unsubscribe()
        self._waiting.clear()

    def _cross(self, event: TandemEvent) -> None:
        with self._lock:
            self._waiting.append(event)
            if isinstance(event, OperationFinished):
                self._ended.add((event.run_id, event.result.id))
            if self._is_woken:
                return
            self._is_woken = True
        self._woken.emit()

    def _hand_over(self) -> None:
        until = time.perf_counter() + AT_ONCE_S
        while (event := self._next()) is not None:
            self.event_received.emit(event)
            if time.perf_counter() >= until:
                self._again.start()
                return

    def _next(self) -> TandemEvent | None:
        """The next event; of an entry that grew again and again, or an operation that has ended, only the last."""
        with self._lock:
            while self._waiting:
                event = self._waiting.popleft()
                if isinstance(event, OperationStarted) and (event.run_id, event.operation_id) in self._ended:
                    continue
                if not (self._waiting and _is_outdone(event, self._waiting[0])):
                    return event
            self._ended.clear()
            self._is_woken = False
            return None


def _is_outdone(event: TandemEvent, by: TandemEvent) -> bool:
    return (
        isinstance(event, ChatGrew)
        and isinstance(by, ChatGrew)
        and (event.session_id, event.entry.number) == (by.session_id, by.entry.number)
    )
