"""Observe an agent's shadow and stage what is found there: segments divided by queued commands, as operations."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from tandem_desktop.domain.agents import ToolCall, ToolCallStatus, ToolKind
from tandem_desktop.domain.operations import CommandCall, NodeState, PathChange, StagedOperation
from tandem_desktop.shadow.shadow_workspace import ShadowChange, ShadowWorkspace
from tandem_desktop.staging.intercepted import Handling, InterceptedRequest, QueuedCommand
from tandem_desktop.staging.segments import Segment, Staged, staged_operations
from tandem_desktop.staging.staging_store import Activity, Observations, StagingStore


class SessionStaging:
    """Puts what it observes into the session's `StagingStore`. Called from worker threads, one call at a time."""

    def __init__(self, shadow: ShadowWorkspace, store: StagingStore, clock: Callable[[], datetime]) -> None:
        self._shadow = shadow
        self.store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._before_turn = len(store.observations.closed)
        """How many closed segments belong to earlier turns."""
        self._drifted: tuple[str, ...] = ()

    def queue(self, command: QueuedCommand) -> int:
        """End the segment with a command; which operation it is. One of an earlier turn moves to its new place."""
        with self._lock:
            segment, heard = self._looked()
            before = self.store.observations.closed
            earlier = [_without(each, command.call) for each in before[: self._before_turn]]
            closed = _folded([*earlier, *before[self._before_turn :], replace(segment, command=command)])
            self._put(Observations(tuple(closed)), heard)
            self._before_turn = min(self._before_turn, len(closed) - 1)
            return len(self.store)

    def begin_turn(self) -> None:
        """What was queued up to now belongs to earlier turns."""
        with self._lock:
            self.store.forget_calls()
            self._before_turn = len(self.store.observations.closed)

    def begin_rehearsal(self) -> None:
        """A command is about to run in the shadow: what was done before is not its doing."""
        with self._lock:
            segment, heard = self._looked()
            goes_on = segment.before is not None and segment.rehearsed is not None
            going = segment if goes_on else replace(segment, before=segment.changes)
            self._put(replace(self.store.observations, open=going), heard)

    def end_rehearsal(self) -> None:
        """A command has run in the shadow: what it did is told apart from what comes after."""
        with self._lock:
            segment, heard = self._looked()
            observed = self.store.observations
            if segment.rehearsed is None:
                self._put(replace(observed, open=segment), heard)
            else:
                self._put(Observations((*observed.closed, segment)), heard)

    def staged(self) -> Staged:
        """Look at the shadow and stage what is there; everything the store holds then, with notes and warnings."""
        with self._lock:
            segment, heard = self._looked()
            staged = self._put(replace(self.store.observations, open=segment), heard)
            warnings = (*staged.warnings, *self._warnings())
            return replace(staged, operations=self.store.get_all(), warnings=warnings)

    @property
    def drifted(self) -> tuple[str, ...]:
        """Paths the person changed meanwhile, as the last look found them."""
        return self._drifted

    def forget(self, commands: set[CommandCall], paths: set[str]) -> None:
        """Leave out these commands and whatever was done at these paths."""
        queued = {each.command.call for each in self.store.observations.closed if each.command}
        self.follow_person(queued - commands, paths, {})

    def follow_person(self, commands: set[CommandCall], gone: set[str], edited: dict[str, NodeState]) -> None:
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

    def clear(self) -> tuple[StagedOperation, ...]:
        """Drain the store: its plan has come to an end."""
        with self._lock:
            drained = self.store.clear()
            self._before_turn = 0
            return drained

    def _put(self, observed: Observations, heard: Activity) -> Staged:
        staged = staged_operations(observed.segments, self._clock())
        self.store.update(staged.operations, observed, heard)
        return staged

    def _looked(self) -> tuple[Segment, Activity]:
        """The open segment as it is now, with the activity that became part of it."""
        changes = self._shadow.changes()
        self._drifted = tuple(sorted(change.path for change in changes if change.drifted))
        before = self.store.observations.open or Segment(())
        heard = self.store.activity
        calls = {call.id: call for call in (*before.calls, *heard.calls)}
        requests = (*before.requests, *heard.requests)
        rehearsed = [request for request in requests if request.handling is Handling.REHEARSED]
        segment = Segment(
            tuple(map(_path_change, changes)),
            None,
            tuple(calls.values()),
            requests,
            rehearsed[-1] if rehearsed else None,
            before.before,
        )
        return segment, heard

    def _warnings(self) -> tuple[str, ...]:
        found = [
            f"The agent ran a command without asking, in its shadow: {_command(call)}"
            for segment in self.store.observations.segments
            for call in segment.calls
            if _ran_unasked(call)
        ]
        found += [f"The agent changed {path}, which is never staged." for path in self._shadow.git_changes()]
        found += [f"{path} cannot be staged: {reason}" for path, reason in self._shadow.refused]
        found += [f"{path} was changed on disk while the agent worked on it." for path in self._drifted]
        return tuple(dict.fromkeys(found))


def _as_left(changes: tuple[PathChange, ...], gone: set[str], edited: dict[str, NodeState]) -> tuple[PathChange, ...]:
    """The changes as the person left them in the plan."""
    return tuple(
        change.model_copy(update={"after": edited[change.path]}) if change.path in edited else change
        for change in changes
        if change.path not in gone
    )


def _path_change(change: ShadowChange) -> PathChange:
    return PathChange(path=change.path, before=change.before, after=change.after)


def _without(segment: Segment, call: CommandCall) -> Segment:
    return replace(segment, command=None) if segment.command and segment.command.call == call else segment


def _folded(segments: list[Segment]) -> list[Segment]:
    """Segments that no command ends any more go on in the next; the last one stays what it is."""
    folded: list[Segment] = []
    calls: tuple[ToolCall, ...] = ()
    requests: tuple[InterceptedRequest, ...] = ()
    for segment in segments[:-1]:
        joined = _joined(calls, requests, segment)
        calls, requests = joined.calls, joined.requests
        if joined.command is not None or joined.rehearsed is not None:
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
