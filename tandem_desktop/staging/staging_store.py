"""Holds staged operations in order until they become a revision."""

import contextlib
import json
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from tandem_desktop.domain.agent_protocol import ToolCall
from tandem_desktop.domain.base import ValueType
from tandem_desktop.domain.errors import PlanDamagedError, UnknownOperationError
from tandem_desktop.domain.ids import OperationId, ToolCallId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.staging.requests import InterceptedRequest
from tandem_desktop.staging.segments import Segment, staged_operations
from tandem_desktop.storage import atomic

_OPERATION = "operation"
"""The key of operation lines in the file; every other line is a segment."""
_SEGMENT: ValueType[Segment] = ValueType(Segment)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StagingChange:
    """One change of the store, for its listeners."""

    staged: tuple[StagedOperation, ...] = ()
    """Added at the end, or replaced in place."""
    removed: tuple[StagedOperation, ...] = ()
    cleared: tuple[StagedOperation, ...] = ()
    """All operations, if the store was cleared."""


@dataclass(frozen=True, slots=True)
class Observations:
    """The segments the operations are derived from."""

    closed: tuple[Segment, ...] = ()
    open: Segment | None = None
    """The current segment; None until the first scan after the last one was closed."""

    @property
    def segments(self) -> tuple[Segment, ...]:
        return self.closed if self.open is None else (*self.closed, self.open)


MOST_NOTED = 16 * 1024 * 1024
"""Characters of outputs, diffs and arguments that are kept with what is staged; later calls are kept without."""


class Activity(NamedTuple):
    """Tool calls and answered requests that belong to no segment yet."""

    calls: tuple[ToolCall, ...] = ()
    requests: tuple[InterceptedRequest, ...] = ()


Listener = Callable[[StagingChange], None]


class StagingStore:
    """Ordered and durable. Thread-safe.

    Every change replaces the file atomically: a crash leaves the content before or after it, and a change that cannot
    be written is not made. Listeners are called after each change, in order, one at a time.
    """

    def __init__(self, file: Path) -> None:
        """Raises PlanDamagedError when the file is there and cannot be read."""
        self._file = file
        self._lock = threading.RLock()
        self._operations, self._observations = _load(file)
        self._noting = threading.Lock()
        """Separate from `_lock`, which is held while the file is written: activity is recorded on the event loop."""
        self._calls: dict[ToolCallId, ToolCall] = {}
        self._noted = 0
        """Characters of the calls that were noted since nothing was staged."""
        self._requests: list[InterceptedRequest] = []
        self._lines: dict[int, tuple[object, str]] = {}
        """The encoded line of each segment and operation, by identity: unchanged ones are not serialised again."""
        self._saved = file.is_file()
        self._change: _Change | None = None
        self._listeners: list[Listener] = []
        self._unheard: deque[StagingChange] = deque()
        self._notifying = threading.RLock()

    def __len__(self) -> int:
        with self._lock:
            return len(self._operations)

    def stage(self, operation: StagedOperation) -> int:
        """Add at the end, or replace the operation of the same id in place; returns how many are staged."""
        with self._changing() as change:
            self._operations[operation.id] = operation
            change.staged.append(operation)
            return len(self._operations)

    def get(self, operation_id: OperationId) -> StagedOperation:
        """Raises UnknownOperationError when no operation of this id is staged."""
        with self._lock:
            if operation_id not in self._operations:
                raise UnknownOperationError(
                    f"No staged operation is called '{operation_id}'.",
                    step=operation_id,
                    next="Read the staged operations again: it may have been removed.",
                )
            return self._operations[operation_id]

    def get_all(self) -> tuple[StagedOperation, ...]:
        with self._lock:
            return tuple(self._operations.values())

    def remove(self, operation_id: OperationId) -> StagedOperation:
        """Remove one and return it; raises UnknownOperationError when no operation of this id is staged."""
        with self._changing() as change:
            operation = self.get(operation_id)
            del self._operations[operation_id]
            change.removed.append(operation)
        return operation

    def clear(self) -> tuple[StagedOperation, ...]:
        """Remove and return all operations. With concurrent callers each operation is returned once."""
        with self._changing() as change:
            drained = tuple(self._operations.values())
            self._operations, self._observations = {}, Observations()
            change.cleared.extend(drained)
        with self._noting:
            self._noted = 0
        return drained

    def update(self, operations: Iterable[StagedOperation], observations: Observations, activity: Activity) -> int:
        """Make the store agree with a new observation, in one change; returns how many are staged.

        What is new or different is staged, what is gone is removed. An operation that is the same keeps the time it was
        staged at. `activity` is the activity that is now part of the observations.
        """
        with self._changing():
            found = {each.id: each for each in operations}
            for operation_id in [each for each in self._operations if each not in found]:
                self.remove(operation_id)
            for each in found.values():
                held = self._operations.get(each.id)
                if held is None or not _is_same(held, each):
                    self.stage(each)
            self._operations = {operation_id: self._operations[operation_id] for operation_id in found}
            if observations != self._observations:
                self._observations = observations
        known = {id(call) for call in activity.calls}
        with self._noting:
            self._requests = self._requests[len(activity.requests) :]
            self._calls = {call.id: call for call in self._calls.values() if id(call) not in known}
        return len(found)

    @property
    def observations(self) -> Observations:
        with self._lock:
            return self._observations

    @property
    def activity(self) -> Activity:
        """The activity since the last update."""
        with self._noting:
            return Activity(tuple(self._calls.values()), tuple(self._requests))

    def note_call(self, call: ToolCall) -> None:
        """A tool call of the agent is new or has moved on; it is saved with the next update."""
        with self._noting:
            known = self._calls.get(call.id)
            self._noted += call.weight - (known.weight if known is not None else 0)
            if self._noted > MOST_NOTED:
                self._noted -= call.weight
                call = call.shortened()
                self._noted += call.weight
            self._calls[call.id] = call

    def note_request(self, request: InterceptedRequest) -> None:
        """A request of the agent was answered; it is saved with the next update."""
        with self._noting:
            self._requests.append(request)

    def forget_calls(self) -> None:
        """Drop noted tool calls: they came too late for the turn they belong to."""
        with self._noting:
            self._calls = {}

    def listen(self, listener: Listener) -> None:
        """Subscribe to changes. The listener is called on any thread and must not wait for another change."""
        with self._lock:
            self._listeners.append(listener)

    @contextlib.contextmanager
    def _changing(self) -> Iterator["_Change"]:
        """One change: written and announced once, whatever the number of calls in the block."""
        with self._lock:
            if self._change is not None:
                yield self._change
                return
            before = dict(self._operations), self._observations
            change = self._change = _Change([], [], [])
            try:
                yield change
                self._save(*before)
            except BaseException:
                self._operations, self._observations = before
                raise
            finally:
                self._change = None
            if any(change):
                self._log_change(change)
                self._unheard.append(StagingChange(*map(tuple, change)))
        self._notify()

    def _log_change(self, change: "_Change") -> None:
        sizes = (len(change.staged), len(change.removed), len(change.cleared), len(self._operations))
        _log.debug("staging: %d staged, %d removed, %d cleared, %d in the store", *sizes)

    def _notify(self) -> None:
        with self._notifying:
            while self._unheard:
                change = self._unheard.popleft()
                for listener in tuple(self._listeners):
                    listener(change)

    def _save(self, operations: dict[OperationId, StagedOperation], observations: Observations) -> None:
        """Write the file if the change altered anything."""
        same = list(operations.values()) == list(self._operations.values()) and observations is self._observations
        if same and (self._saved or not (operations or observations.segments)):
            return
        parts = (*self._observations.segments, *(self._operations.values() or (None,)))
        lines = {id(part): self._lines.get(id(part)) or (part, _line(part)) for part in parts}
        data = "".join(lines[id(part)][1] for part in parts).encode("utf-8", "surrogatepass")
        atomic.make_directory(self._file.parent, mode=0o700)
        atomic.replace(self._file, data, mode=0o600)
        self._lines, self._saved = lines, True


class _Change(NamedTuple):
    """An unfinished change."""

    staged: list[StagedOperation]
    removed: list[StagedOperation]
    cleared: list[StagedOperation]


def _is_same(held: StagedOperation, found: StagedOperation) -> bool:
    """True if two operations differ at most in the time they were staged at."""
    return held == found.model_copy(update={"staged_at": held.staged_at})


def _line(part: Segment | StagedOperation | None) -> str:
    """One line of the file; None if it is no operation."""
    value: Any
    if isinstance(part, Segment):
        value = _SEGMENT.dump_python(part, mode="json")
    else:
        value = {_OPERATION: part and part.model_dump(mode="json")}
    return json.dumps(value, ensure_ascii=False) + "\n"


def _load(file: Path) -> tuple[dict[OperationId, StagedOperation], Observations]:
    if not file.is_file():
        return {}, Observations()
    operations: list[StagedOperation] = []
    segments: list[Segment] = []
    keeps_operations = False
    try:
        for line in file.read_bytes().splitlines():
            value = json.loads(line.decode("utf-8", "surrogatepass"))
            if _OPERATION not in value:
                if "rehearsed" in value:  # as 0.1.0 wrote it
                    value["ran"] = value.pop("rehearsed")
                segments.append(_SEGMENT.validate_python(value))
                continue
            keeps_operations = True
            if value[_OPERATION] is not None:
                operations.append(StagedOperation.model_validate(value[_OPERATION]))
    except (ValueError, TypeError):
        raise PlanDamagedError(
            f"What was staged in {file} cannot be read.", path=str(file), next="Start a new session."
        ) from None
    if segments and not keeps_operations:  # as 0.1.0 wrote it
        written = datetime.fromtimestamp(file.stat().st_mtime, UTC)
        operations = list(staged_operations(segments, written).operations)
    is_open = bool(segments) and segments[-1].command is None and segments[-1].ran is None
    last = segments.pop() if is_open else None
    return {each.id: each for each in operations}, Observations(tuple(segments), last)
