"""Shows the progress of a run and handles Ctrl-C."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import Any

from tandem_desktop.cli import json_output
from tandem_desktop.cli.console import EscapedText, Span, Tone, render
from tandem_desktop.cli.main import CommandContext
from tandem_desktop.diff.text import Document
from tandem_desktop.domain.events import OperationFinished, TandemEvent
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.execution.commands import RunControl

_BAR = 24
_CLEAR = "\r\x1b[K"


class RunProgress:
    """Listen to one run, show it, and remember what is known of it should the call fail."""

    def __init__(self, call: CommandContext, total: int) -> None:
        self._call = call
        self._total = total
        self._results: dict[str, dict[str, Any]] = {}
        self._halves: dict[OperationId, bytes] = {}

    def on_event(self, event: TandemEvent) -> None:
        if not isinstance(event, OperationFinished):
            return
        self._results[event.result.id] = json_output.result(event.result)
        self._call.known.update(run_id=event.run_id, results=list(self._results.values()))
        self._draw(event.result.id)

    def on_output(self, operation: OperationId, chunk: bytes) -> None:
        """What a command prints, line by line; a person at work sees it, a script does not."""
        if self._call.console.as_json:
            return
        *lines, self._halves[operation] = (self._halves.get(operation, b"") + chunk).split(b"\n")
        for line in lines:
            self._say(operation, line)

    def finish(self) -> None:
        for operation, half in self._halves.items():
            if half:
                self._say(operation, half)
        self._clear()

    def _say(self, operation: OperationId, line: bytes) -> None:
        self._clear()
        text = EscapedText(Document.of(line).display(line))
        self._call.console.remark((Span(f"{operation} | ", Tone.QUIET), text))

    def _draw(self, operation: OperationId) -> None:
        if not self._call.console.shows_progress or not self._total:
            return
        done = len(self._results)
        filled = _BAR * done // self._total
        bar = f"[{'#' * filled}{'.' * (_BAR - filled)}] {done}/{self._total} {render(operation)}"
        self._call.console.remark_raw(f"{_CLEAR}{bar}")

    def _clear(self) -> None:
        if self._call.console.shows_progress:
            self._call.console.remark_raw(_CLEAR)


_STOPPING = "Stopping before the next operation; what happens then follows --on-failure."


@contextmanager
def watched(
    call: CommandContext, total: int, *, stoppable: bool = True, stopping: str = _STOPPING
) -> Iterator[RunControl]:
    """Run something under a bar, with signals that stop it between two operations where it can be stopped."""
    control = RunControl()
    progress = RunProgress(call, total)
    call.on_output = progress.on_output
    unsubscribe = call.engine.events.subscribe(progress.on_event)
    try:
        with _stopped_by_signals(call, control, stopping) if stoppable else nullcontext():
            yield control
    finally:
        unsubscribe()
        progress.finish()


@contextmanager
def _stopped_by_signals(call: CommandContext, control: RunControl, stopping: str) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        if not control.is_aborted:
            control.abort()
            call.console.remark(stopping)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
