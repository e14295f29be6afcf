"""The events of a run while it goes on: every beginning and every result at once, output gathered."""

import codecs
import threading

from tandem_desktop.domain.execution import OperationResult
from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.events.events import CommandPrinted, OperationFinished, OperationStarted
from tandem_desktop.events.stream import EventStream
from tandem_desktop.events.task_events import task_news
from tandem_desktop.orchestration.run_tasks import RunTasks

TAIL = 8_000
"""Characters of a command's output that are told while it runs; all of it comes with its result."""
_GATHER_S = 0.1


class RunNews:
    """Call it from the thread of the run.

    A task starts before its first operation does, and moves after the result that moved it.
    """

    def __init__(self, events: EventStream, tasks: RunTasks) -> None:
        self._events = events
        self._tasks = tasks
        self._lock = threading.Lock()
        self._printed: dict[OperationId, str] = {}
        self._decoders: dict[OperationId, codecs.IncrementalDecoder] = {}
        self._timer: threading.Timer | None = None

    def started(self, run_id: RunId, operation: OperationId) -> None:
        for task in self._tasks.started(run_id, operation):
            self._events.publish(task_news(task))
        self._events.publish(OperationStarted(run_id=run_id, operation_id=operation))

    def printed(self, operation: OperationId, chunk: bytes) -> None:
        with self._lock:
            decoder = self._decoders.setdefault(operation, codecs.getincrementaldecoder("utf-8")("replace"))
            text = self._printed.get(operation, "") + decoder.decode(chunk)
            self._printed[operation] = text[-TAIL:]
            self._tell_soon()

    def finished(self, run_id: RunId, result: OperationResult) -> None:
        if self._decoders:
            with self._lock:
                self._printed.pop(result.id, None)
                self._decoders.pop(result.id, None)
        self._events.publish(OperationFinished(run_id=run_id, result=result))
        for task in self._tasks.finished(run_id, result):
            self._events.publish(task_news(task))

    def _tell_soon(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(_GATHER_S, self._tell)
            self._timer.daemon = True
            self._timer.start()

    def _tell(self) -> None:
        with self._lock:
            self._timer = None
            told = tuple(self._printed.items())
        for operation, text in told:
            self._events.publish(CommandPrinted(operation_id=operation, tail=text))
