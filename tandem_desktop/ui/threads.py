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
    """A bug: nobody foresaw this."""

    kind = "bug"
    exit_code = 1


class Commands(QObject):
    """Waits for futures without blocking anybody. Whatever fails arrives as an error with a sentence."""

    failed = Signal(object)
    """A `TandemError` that no one else took care of."""
    _arrived = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_closed = False
        self._asked: dict[str, int] = {}
        self._heard: dict[str, int] = {}
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def close(self) -> None:
        """What arrives from now on finds nobody; safe to call again."""
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
        # An outcome waits in the queue until the GUI thread takes it; a future is never waited for.
        future.add_done_callback(lambda ended: self._arrived.emit(ended, (done, failed or self.failed.emit)))

    def latest(
        self,
        about: str,
        future: "Future[_Answer]",
        done: Callable[[_Answer], None],
        failed: Callable[[TandemError], None] | None = None,
    ) -> None:
        """As `run`, for what is asked again and again: an answer that was overtaken by a later one is not heard."""
        number = self._asked[about] = self._asked.get(about, 0) + 1

        def unless_overtaken(way: Callable[[Any], None]) -> Callable[[Any], None]:
            def hear(outcome: Any) -> None:
                if number > self._heard.get(about, 0):
                    self._heard[about] = number
                    way(outcome)

            return hear

        self.run(future, unless_overtaken(done), unless_overtaken(failed or self.failed.emit))

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


class DaemonPool(ThreadPoolExecutor):
    """After the end, work is not refused with an error: it is cancelled, like all that was still waiting."""

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
    """Takes the place of what Python does with it, and does that too."""

    happened = Signal(str)
    """The name of the fault. Emitted on the thread that failed; whoever shows it lives on its own."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._told = sys.excepthook
        self._told_beside = threading.excepthook

    def listen(self) -> None:
        """From now on."""
        sys.excepthook = self._uncaught
        threading.excepthook = self._uncaught_beside

    def leave(self) -> None:
        sys.excepthook, threading.excepthook = self._told, self._told_beside

    def _uncaught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _root_log.critical("Nobody caught this.", exc_info=(kind, error, trace))
        self._told(kind, error, trace)
        if not issubclass(kind, KeyboardInterrupt):
            self.happened.emit(kind.__name__)

    def _uncaught_beside(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and args.exc_type is not SystemExit:
            self._uncaught(args.exc_type, args.exc_value, args.exc_traceback)
