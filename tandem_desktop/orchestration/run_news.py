"""What a run has to say while it goes on, told as often as a person can read it and no more."""

import codecs
import threading
import time
from collections.abc import Callable

from tandem_desktop.domain.execution import OperationResult
from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.events.events import CommandPrinted, OperationFinished, OperationStarted
from tandem_desktop.events.stream import EventStream

TAIL = 8_000
"""Characters of a command's output that are told while it runs; all of it comes with its result."""
_BETWEEN_S = 0.05
_GATHER_S = 0.1


class RunNews:
    """Call it from the thread of the run. Every result is told; beginnings and output are gathered."""

    def __init__(self, events: EventStream, now: Callable[[], float] = time.monotonic) -> None:
        self._events = events
        self._now = now
        self._last = float("-inf")
        self._begun: tuple[RunId, OperationId] | None = None
        """Set by the run alone, told by the timer: once."""
        self._told: tuple[RunId, OperationId] | None = None
        self._lock = threading.Lock()
        self._printed: dict[OperationId, str] = {}
        self._decoders: dict[OperationId, codecs.IncrementalDecoder] = {}
        self._timer: threading.Timer | None = None

    def started(self, run_id: RunId, operation: OperationId, is_command: bool = False) -> None:
        """Files are written faster than anybody reads; the last that was begun is always told, if it takes its time.

        Commands are told at once: several may run side by side.
        """
        if is_command or self._now() - self._last >= _BETWEEN_S:
            self._begun = None
            self._tell_started(run_id, operation)
            return
        self._begun = (run_id, operation)
        if self._timer is None:
            with self._lock:
                self._tell_soon()

    def printed(self, operation: OperationId, chunk: bytes) -> None:
        with self._lock:
            decoder = self._decoders.setdefault(operation, codecs.getincrementaldecoder("utf-8")("replace"))
            text = self._printed.get(operation, "") + decoder.decode(chunk)
            self._printed[operation] = text[-TAIL:]
            self._tell_soon()

    def finished(self, run_id: RunId, result: OperationResult) -> None:
        if self._begun is not None and self._begun[1] == result.id:
            self._begun = None
        if self._decoders:
            with self._lock:
                self._printed.pop(result.id, None)
                self._decoders.pop(result.id, None)
        self._events.publish(OperationFinished(run_id=run_id, result=result))

    def _tell_soon(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(_GATHER_S, self._tell)
            self._timer.daemon = True
            self._timer.start()

    def _tell_started(self, run_id: RunId, operation: OperationId) -> None:
        self._last = self._now()
        self._events.publish(OperationStarted(run_id=run_id, operation_id=operation))

    def _tell(self) -> None:
        with self._lock:
            self._timer = None
            told = tuple(self._printed.items())
        begun = self._begun
        if begun is not None and begun != self._told:
            self._told = begun
            self._tell_started(*begun)
        for operation, text in told:
            self._events.publish(CommandPrinted(operation_id=operation, tail=text))
