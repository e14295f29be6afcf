"""Stages the changes an agent makes in its shadow."""

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from tandem_desktop.domain.agent_protocol import ToolCall, ToolCallStatus, ToolKind
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import OperationStaged, OperationUnstaged, StagingCleared
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.domain.operations import NodeState, OperationCall, PathChange, StagedOperation
from tandem_desktop.review.operation_view import count_lines
from tandem_desktop.settings import CommandsWhilePlanning
from tandem_desktop.shadow.workspace import ShadowChange, ShadowWorkspace
from tandem_desktop.staging.git_effects import agent_sentences
from tandem_desktop.staging.requests import Handling, InterceptedRequest, QueuedCommand
from tandem_desktop.staging.segments import Segment, Staged, staged_operations
from tandem_desktop.staging.staging_store import Activity, Observations, StagingChange, StagingStore
from tandem_desktop.storage.objects import ObjectStore


class SessionStaging:
    """Puts what it observes into the session's `StagingStore`. Called from worker threads, one call at a time."""

    def __init__(
        self,
        shadow: ShadowWorkspace,
        store: StagingStore,
        clock: Callable[[], datetime],
        commands: CommandsWhilePlanning = "run",
    ) -> None:
        """`commands` is what happens to commands; where they do not just run, one that ran unasked is a warning."""
        self._shadow = shadow
        self._commands = commands
        self.store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._before_turn = len(store.observations.closed)
        """How many closed segments belong to earlier turns."""
        self._correction: _Correction | None = None
        """Set while a turn corrects a plan, up to the first command it queues."""
        self._drifted: tuple[str, ...] = ()
        self._git_before: tuple[str, ...] = ()
        """How the repository in the shadow differed from the person's when the plan began."""
        self.agent_warning = ""
        """What a person has to know about the program of the agent."""

    def queue(self, command: QueuedCommand) -> int:
        """Close the segment with a command; return its position. One repeated from an earlier turn moves here."""
        with self._lock:
            before, segment, activity = self._scan()
            earlier = [_without(each, command.call) for each in before[: self._before_turn]]
            closed = _folded([*earlier, *before[self._before_turn :], replace(segment, command=command)])
            self._put(Observations(tuple(closed)), activity)
            self._before_turn = min(self._before_turn, len(closed) - 1)
            self._correction = None
            return len(self.store)

    def begin_plan(self) -> None:
        """A new plan begins: what the person did in their repository since is nothing of it."""
        with self._lock:
            self._shadow.note_bases()
            self._git_before = self._git_sentences()

    def begin_turn(self, *, corrects: bool = False) -> None:
        """Begin a turn: segments closed so far belong to earlier turns.

        `corrects` says that it corrects a whole plan: what it changes comes before the commands that were queued after
        the file it corrects, for these have not run.
        """
        with self._lock:
            self.store.forget_calls()
            observed = self.store.observations
            self._before_turn = len(observed.closed)
            has_commands = any(each.command for each in observed.closed)
            self._correction = _Correction(observed.segments) if corrects and has_commands else None

    def begin_command(self) -> None:
        """Record the changes made so far, before a command runs in the shadow: they are not its effects."""
        with self._lock:
            closed, segment, activity = self._scan()
            goes_on = segment.before is not None and segment.ran is not None
            going = segment if goes_on else replace(segment, before=segment.changes)
            self._put(Observations(closed, going), activity)

    def end_command(self) -> None:
        """A command has run in the shadow: what it did is told apart from what comes after."""
        with self._lock:
            closed, segment, activity = self._scan()
            if segment.ran is None:
                self._put(Observations(closed, segment), activity)
            else:
                self._put(Observations((*closed, segment)), activity)

    def staged(self) -> Staged:
        """Look at the shadow and stage what is there; everything the store holds then, with notes and warnings."""
        with self._lock:
            closed, segment, activity = self._scan()
            staged = self._put(Observations(closed, segment), activity)
            warnings = (*staged.warnings, *self._warnings())
            return replace(staged, operations=self.store.get_all(), warnings=warnings)

    def keep(self, paths: Iterable[str]) -> None:
        """Stage these paths even where they are ignored: the person was shown each of them."""
        self._shadow.keep(paths)

    @property
    def drifted(self) -> tuple[str, ...]:
        """Paths the person changed since the turn began, as of the last scan."""
        return self._drifted

    def forget(self, commands: set[OperationCall], paths: set[str]) -> None:
        """Drop these commands and all changes at these paths from the staging."""
        queued = {each.command.call for each in self.store.observations.closed if each.command}
        self.follow_person(queued - commands, paths, {})

    def follow_person(self, commands: set[OperationCall], gone: set[str], edited: dict[str, NodeState]) -> None:
        """Leave out every queued command but these and whatever was done at the paths taken out; take over edits."""
        with self._lock:
            observed = self.store.observations
            if not observed.segments:
                return
            going = observed.open or Segment(observed.closed[-1].changes)
            kept = [
                replace(
                    each,
                    changes=_as_left(each.changes, gone, edited),
                    before=None if each.before is None else _as_left(each.before, gone, edited),
                )
                for each in (*observed.closed, going)
            ]
            for call in {each.command.call for each in observed.closed if each.command} - commands:
                kept = [_without(each, call) for each in kept]
            *closed, last = _folded(kept)
            self._put(Observations(tuple(closed), last), Activity())
            self._before_turn = len(closed)
            self._correction = None

    def clear(self) -> tuple[StagedOperation, ...]:
        """Drain the store: its plan has come to an end."""
        with self._lock:
            drained = self.store.clear()
            self._before_turn = 0
            self._correction = None
            self._shadow.include(())
            return drained

    def _put(self, observed: Observations, activity: Activity) -> Staged:
        staged = staged_operations(observed.segments, self._clock())
        self.store.update(staged.operations, observed, activity)
        return staged

    def _scan(self) -> tuple[tuple[Segment, ...], Segment, Activity]:
        """The closed segments, the open one as it is now, and the activity that became part of it."""
        changes = self._shadow.changes()
        self._drifted = tuple(sorted(change.path for change in changes if change.drifted))
        before = self.store.observations.open or Segment(())
        activity = self.store.activity
        calls = {call.id: call for call in (*before.calls, *activity.calls)}
        requests = (*before.requests, *activity.requests)
        ran = [request for request in requests if request.handling is Handling.RAN]
        segment = Segment(
            tuple(map(_path_change, changes)),
            None,
            tuple(calls.values()),
            requests,
            ran[-1] if ran else None,
            before.before,
        )
        closed = self.store.observations.closed
        return closed if self._correction is None else self._correction.apply(closed, segment), segment, activity

    def _warnings(self) -> tuple[str, ...]:
        found = [self.agent_warning] if self.agent_warning else []
        found += [
            f"The agent ran a command without asking, in its shadow: {_command(call)}"
            for segment in self.store.observations.segments
            for call in segment.calls
            if self._commands != "run" and _ran_unasked(call)
        ]
        found += [each for each in self._git_sentences() if each not in self._git_before]
        found += [f"{path} cannot be staged: {reason}" for path, reason in self._shadow.refused]
        found += [f"{path} was changed on disk while the agent worked on it." for path in self._drifted]
        found += [self._shadow.folding_warning] if self._shadow.folding_warning else []
        return tuple(dict.fromkeys(found))

    def _git_sentences(self) -> tuple[str, ...]:
        changes, contents = self._shadow.git_sides()
        return agent_sentences(changes, contents, self._shadow.disk)


class _Correction:
    """Puts what a turn changes where the plan already changes it, so that commands queued after that come after it.

    A path that the plan does not change yet joins the changes that come last.
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        """`segments` are those of the plan that is corrected."""
        self._last: dict[str, int] = {}
        """The position of the segment that changed a path last."""
        states: dict[str, NodeState] = {}
        for position, segment in enumerate(segments):
            found = {change.path: change.after for change in segment.changes}
            differing = (path for path in states.keys() | found.keys() if states.get(path) != found.get(path))
            self._last.update(dict.fromkeys(differing, position))
            states = found
        self._end = max(self._last.values(), default=len(segments))

    def apply(self, closed: Sequence[Segment], scanned: Segment) -> tuple[Segment, ...]:
        """The closed segments with what the shadow holds as of this scan."""
        found = {change.path: change for change in scanned.changes}
        for path in found:
            self._last.setdefault(path, self._end)
        return tuple(self._corrected(position, segment, found) for position, segment in enumerate(closed))

    def _corrected(self, position: int, segment: Segment, found: dict[str, PathChange]) -> Segment:
        states = {change.path: change for change in segment.changes}
        wanted = {path: found.get(path) for path in states.keys() | found.keys() if self._last[path] <= position}
        differing = {path: change for path, change in wanted.items() if change != states.get(path)}
        if not differing:
            return segment
        before = None if segment.before is None else _with(segment.before, differing)
        return replace(segment, changes=_with(segment.changes, differing), before=before)


def _with(changes: Iterable[PathChange], others: dict[str, PathChange | None]) -> tuple[PathChange, ...]:
    """The changes with others in their place; None stands for a path that is as it was."""
    merged: dict[str, PathChange | None] = {**{change.path: change for change in changes}, **others}
    return tuple(change for _, change in sorted(merged.items()) if change is not None)


def _as_left(changes: tuple[PathChange, ...], gone: set[str], edited: dict[str, NodeState]) -> tuple[PathChange, ...]:
    """The changes as the person left them in the plan."""
    return tuple(
        change.model_copy(update={"after": edited[change.path]}) if change.path in edited else change
        for change in changes
        if change.path not in gone
    )


def _path_change(change: ShadowChange) -> PathChange:
    return PathChange(path=change.path, before=change.before, after=change.after)


def _without(segment: Segment, call: OperationCall) -> Segment:
    return replace(segment, command=None) if segment.command and segment.command.call == call else segment


def _folded(segments: list[Segment]) -> list[Segment]:
    """Segments that no command ends any more go on in the next; the last one stays what it is."""
    folded: list[Segment] = []
    calls: tuple[ToolCall, ...] = ()
    requests: tuple[InterceptedRequest, ...] = ()
    for segment in segments[:-1]:
        joined = _joined(calls, requests, segment)
        calls, requests = joined.calls, joined.requests
        if joined.command is not None or joined.ran is not None:
            folded.append(joined)
            calls, requests = (), ()
    return [*folded, _joined(calls, requests, segments[-1])]


def _joined(calls: tuple[ToolCall, ...], requests: tuple[InterceptedRequest, ...], segment: Segment) -> Segment:
    """The segment, preceded by calls and requests; the very same where there are none."""
    if not calls and not requests:
        return segment
    return replace(segment, calls=(*calls, *segment.calls), requests=(*requests, *segment.requests))


def _ran_unasked(call: ToolCall) -> bool:
    started = call.status in (ToolCallStatus.IN_PROGRESS, ToolCallStatus.COMPLETED)
    return call.kind is ToolKind.EXECUTE and not call.asked and started


def _command(call: ToolCall) -> str:
    return call.command or call.title or call.tool


Lines = tuple[int, int] | None
"""Added and removed, where they are known."""
_SHARE = 4
"""The pause after a scan, as a multiple of its duration, so that many calls share a scan."""


class LiveStaging:
    """Scans the shadow after each tool call, and publishes each change of the store as events.

    During a turn changes are published by a task of their own, with their lines counted, so that the agent never waits
    for the counting. Between turns they are published at once.
    """

    def __init__(
        self,
        session_id: SessionId,
        staging: SessionStaging,
        store: StagingStore,
        objects: ObjectStore,
        events: EventStream,
    ) -> None:
        self._session_id = session_id
        self._staging = staging
        self._store = store
        self._objects = objects
        self._events = events
        self._loop: asyncio.AbstractEventLoop | None = None
        """The loop of the turn that goes on."""
        self._unpublished: deque[StagingChange] = deque()
        self._publishing = threading.RLock()
        self._counted: dict[tuple[NodeState, NodeState], Lines] = {}
        self._wanted = False
        self._looking: asyncio.Task[None] | None = None
        self._telling: asyncio.Task[None] | None = None
        store.listen(self._on_change)

    def begin_turn(self) -> None:
        """What is staged already is published again with this turn."""
        self._counted = {}
        self._loop = asyncio.get_running_loop()
        self._on_change(StagingChange(staged=self._store.get_all()))

    def look_soon(self) -> None:
        """Request a scan. Call it on the loop; it does nothing between turns."""
        self._wanted = self._loop is not None
        if self._wanted and self._looking is None:
            self._looking = asyncio.create_task(self._look())

    async def end_turn(self) -> None:
        """Stop scanning, and publish the rest without line counts."""
        if self._loop is None:
            return
        self._wanted = False
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        self._loop = None
        await asyncio.to_thread(self._publish)

    async def _look(self) -> None:
        try:
            while self._wanted:
                self._wanted = False
                began = time.monotonic()
                await asyncio.to_thread(self._staging.staged)
                await asyncio.to_thread(self._publish)
                await asyncio.sleep(_SHARE * (time.monotonic() - began))
        except (TandemError, OSError):
            return  # a scan that fails here fails again at the end of the turn, where it is reported
        finally:
            self._looking = None

    def _on_change(self, change: StagingChange) -> None:
        self._unpublished.append(change)
        loop = self._loop
        if loop is None:
            self._publish()
        else:
            loop.call_soon_threadsafe(self._publish_soon)

    def _publish_soon(self) -> None:
        if self._unpublished and (self._telling is None or self._telling.done()):
            self._telling = asyncio.create_task(asyncio.to_thread(self._publish))

    def _publish(self) -> None:
        with self._publishing:
            while self._unpublished:
                change = self._unpublished.popleft()
                if change.cleared:
                    ids = tuple(each.id for each in change.cleared)
                    self._events.publish(StagingCleared(session_id=self._session_id, operation_ids=ids))
                for each in change.removed:
                    self._events.publish(OperationUnstaged(session_id=self._session_id, operation_id=each.id))
                for each in change.staged:
                    self._publish_staged(each)

    def _publish_staged(self, operation: StagedOperation) -> None:
        added, removed = self._lines(operation) or (None, None)
        self._events.publish(
            OperationStaged(session_id=self._session_id, operation=operation, added=added, removed=removed)
        )

    def _lines(self, operation: StagedOperation) -> Lines:
        """Line counts of an operation, counted once per turn; None if counting failed or the turn is over."""
        key = operation.base, operation.after
        if key not in self._counted and self._loop is not None:
            self._counted[key] = None
            with contextlib.suppress(TandemError, OSError):
                self._counted[key] = count_lines(operation, self._objects)
        return self._counted.get(key)
