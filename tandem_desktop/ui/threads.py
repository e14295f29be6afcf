"""Moves work and events between engine and GUI threads, and reports uncaught errors."""

import logging
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import ChatGrew, OperationFinished, OperationStarted, TandemEvent
from tandem_desktop.domain.ids import OperationId, RunId

_Answer = TypeVar("_Answer")
_log = logging.getLogger(__name__)


class BackgroundTaskError(TandemError):
    """An unexpected exception in a background task."""

    kind = "bug"
    exit_code = 1


class Commands(QObject):
    """Delivers the outcome of futures on the GUI thread. Every failure arrives as a `TandemError`."""

    failed = Signal(object)
    """A `TandemError` for which `run` got no handler."""
    _arrived = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_closed = False
        self._asked: dict[str, int] = {}
        self._delivered: dict[str, int] = {}
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def close(self) -> None:
        """Drop all later outcomes; safe to call again."""
        if not self._is_closed:
            self._is_closed = True
            self._arrived.disconnect(self._deliver)

    def run(
        self,
        future: "Future[_Answer]",
        done: Callable[[_Answer], None] = lambda answer: None,
        failed: Callable[[TandemError], None] | None = None,
    ) -> None:
        """Call `done` or `failed` on the GUI thread once the future has an outcome."""
        # The queued connection delivers on the GUI thread; nothing waits for the future.
        future.add_done_callback(lambda ended: self._arrived.emit(ended, (done, failed or self.failed.emit)))

    def latest(
        self,
        about: str,
        future: "Future[_Answer]",
        done: Callable[[_Answer], None],
        failed: Callable[[TandemError], None] | None = None,
    ) -> None:
        """As `run`, for repeated requests: outcomes older than the last delivered one are dropped."""
        number = self._asked[about] = self._asked.get(about, 0) + 1

        def unless_outdated(way: Callable[[Any], None]) -> Callable[[Any], None]:
            def deliver(outcome: Any) -> None:
                if number > self._delivered.get(about, 0):
                    self._delivered[about] = number
                    way(outcome)

            return deliver

        self.run(future, unless_outdated(done), unless_outdated(failed or self.failed.emit))

    def _deliver(self, ended: "Future[Any]", ways: tuple[Callable[[Any], None], Callable[[TandemError], None]]) -> None:
        done, failed = ways
        try:
            answer = ended.result()
        except CancelledError:
            return
        except TandemError as error:
            failed(error)
            return
        except Exception as error:
            _log.exception("A command failed unexpectedly.")
            failed(
                BackgroundTaskError(
                    f"This is a bug in Tandem ({type(error).__name__}: {error}).",
                    next="Nothing is lost: plans and runs are on disk. tandem doctor looks for what is wrong.",
                )
            )
            return
        done(answer)


AT_ONCE_S = 0.004
"""How long events are delivered before the event loop may handle input and painting."""


class EventBridge(QObject):
    """Re-emits events on the GUI thread, in order and in time slices, so that many events do not block the window."""

    event_received = Signal(object)
    _woken = Signal()

    def __init__(self, stream: EventStream, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[TandemEvent] = deque()
        self._lock = threading.Lock()
        self._is_woken = False
        self._ended: set[tuple[RunId, OperationId]] = set()
        """Operations whose result is queued: their start events are skipped."""
        self._woken.connect(self._hand_over, Qt.ConnectionType.QueuedConnection)
        self._again = QTimer(self, interval=0, singleShot=True)
        self._again.timeout.connect(self._hand_over)
        self._unsubscribe = stream.subscribe(self._cross)

    def close(self) -> None:
        """Unsubscribe and drop queued events."""
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
        """The next event, without those that a later one in the queue supersedes."""
        with self._lock:
            while self._waiting:
                event = self._waiting.popleft()
                if isinstance(event, OperationStarted) and (event.run_id, event.operation_id) in self._ended:
                    continue
                if not (self._waiting and _is_superseded(event, self._waiting[0])):
                    return event
            self._ended.clear()
            self._is_woken = False
            return None


def _is_superseded(event: TandemEvent, by: TandemEvent) -> bool:
    return (
        isinstance(event, ChatGrew)
        and isinstance(by, ChatGrew)
        and (event.session_id, event.entry.number) == (by.session_id, by.entry.number)
    )


class DaemonPool(ThreadPoolExecutor):
    """After shutdown, `submit` returns a cancelled future instead of raising."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        try:
            return super().submit(fn, *args, **kwargs)
        except RuntimeError:
            cancelled: Future[Any] = Future()
            cancelled.cancel()
            cancelled.set_running_or_notify_cancel()
            return cancelled


_root_log = logging.getLogger("tandem_desktop")


class Uncaught(QObject):
    """Logs and signals uncaught exceptions, then calls the previous hooks."""

    happened = Signal(str)
    """The exception's class name. Emitted on the thread that failed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._previous_hook = sys.excepthook
        self._previous_thread_hook = threading.excepthook

    def listen(self) -> None:
        """Install the hooks."""
        sys.excepthook = self._uncaught
        threading.excepthook = self._uncaught_in_thread

    def leave(self) -> None:
        sys.excepthook, threading.excepthook = self._previous_hook, self._previous_thread_hook

    def _uncaught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _root_log.critical("Uncaught exception", exc_info=(kind, error, trace))
        self._previous_hook(kind, error, trace)
        if not issubclass(kind, KeyboardInterrupt):
            self.happened.emit(kind.__name__)

    def _uncaught_in_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and args.exc_type is not SystemExit:
            self._uncaught(args.exc_type, args.exc_value, args.exc_traceback)
