"""What an agent does in its shadow, held in order: segments divided by queued commands, ready to become a revision."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from tandem_desktop.domain.agents import ToolCall, ToolCallStatus, ToolKind
from tandem_desktop.domain.operations import CommandCall, NodeState, PathChange
from tandem_desktop.orchestration.session_record import SessionRecord
from tandem_desktop.shadow.shadow_workspace import ShadowChange, ShadowWorkspace
from tandem_desktop.staging.intercepted import Handling, InterceptedRequest, QueuedCommand
from tandem_desktop.staging.segments import Segment, Staged, staged_operations

Heard = Callable[[], tuple[tuple[ToolCall, ...], tuple[InterceptedRequest, ...]]]
"""The tool calls and the answered requests that came since the last question."""


class SessionStaging:
    """Holds the segments of one session and looks at its shadow. Called from worker threads, one call at a time."""

    def __init__(self, shadow: ShadowWorkspace, record: SessionRecord, heard: Heard) -> None:
        self._shadow = shadow
        self._record = record
        self._heard = heard
        self._lock = threading.Lock()
        self._closed: list[Segment] = list(record.load_segments())
        self._open = self._closed.pop() if self._closed and _is_open(self._closed[-1]) else Segment(())
        self._before_turn = len(self._closed)
        self._drifted: tuple[str, ...] = ()

    def queue(self, command: QueuedCommand, now: datetime) -> int:
        """End the segment with a command; which operation it is. One of an earlier turn moves to its new place."""
        with self._lock:
            segment = replace(self._looked(), command=command)
            earlier = [_without(each, command.call) for each in self._closed[: self._before_turn]]
            self._closed = _folded([*earlier, *self._closed[self._before_turn :], segment])
            self._before_turn = min(self._before_turn, len(self._closed) - 1)
            self._open = Segment(())
            self._record.save_segments(tuple(self._closed))
            return len(staged_operations(tuple(self._closed), now).operations)

    def begin_turn(self) -> None:
        """What was queued up to now belongs to earlier turns."""
        with self._lock:
            self._before_turn = len(self._closed)

    def begin_rehearsal(self) -> None:
        """A command is about to run in the shadow: what was done before is not its doing."""
        with self._lock:
            segment = self._looked()
            goes_on = segment.before is not None and segment.rehearsed is not None
            self._open = segment if goes_on else replace(segment, before=segment.changes)

    def end_rehearsal(self) -> None:
        """A command has run in the shadow: what it did is told apart from what comes after."""
        with self._lock:
            segment = self._looked()
            if segment.rehearsed is None:
                self._open = segment
                return
            self._closed.append(segment)
            self._open = Segment(())
            self._record.save_segments(tuple(self._closed))

    def staged(self, now: datetime) -> Staged:
        """Everything the agent did so far, as operations with notes and warnings."""
        with self._lock:
            self._open = self._looked()
            self._record.save_segments((*self._closed, self._open))
            staged = staged_operations((*self._closed, self._open), now)
            return replace(staged, warnings=(*staged.warnings, *self._warnings()))

    @property
    def drifted(self) -> tuple[str, ...]:
        """Paths the person changed meanwhile, as the last look found them."""
        return self._drifted

    def forget(self, commands: set[CommandCall], paths: set[str]) -> None:
        """Leave out these commands and whatever was done at these paths."""
        queued = {each.command.call for each in self._closed if each.command}
        self.follow_person(queued - commands, paths, {})

    def follow_person(self, commands: set[CommandCall], gone: set[str], edited: dict[str, NodeState]) -> None:
        """Leave out every queued command but these and whatever was done at the paths taken out; take over edits."""
        with self._lock:
            kept = [
                replace(
                    each,
                    changes=_as_left(each.changes, gone, edited),
                    before=None if each.before is None else _as_left(each.before, gone, edited),
                )
                for each in self._closed
            ]
            for call in {each.command.call for each in self._closed if each.command} - commands:
                kept = [_without(each, call) for each in kept]
            *self._closed, self._open = _folded([*kept, self._open])
            self._before_turn = len(self._closed)
            self._record.save_segments((*self._closed, self._open))

    def clear(self) -> None:
        """Forget the queue: its plan has come to an end."""
        with self._lock:
            self._record.save_segments(())
            self._closed = []
            self._before_turn = 0
            self._open = Segment(())

    def _looked(self) -> Segment:
        changes = self._shadow.changes()
        self._drifted = tuple(sorted(change.path for change in changes if change.drifted))
        calls, requests = self._heard()
        open_calls = {call.id: call for call in (*self._open.calls, *calls)}
        all_requests = (*self._open.requests, *requests)
        rehearsed = [request for request in all_requests if request.handling is Handling.REHEARSED]
        return Segment(
            tuple(map(_path_change, changes)),
            None,
            tuple(open_calls.values()),
            all_requests,
            rehearsed[-1] if rehearsed else None,
            self._open.before,
        )

    def _warnings(self) -> tuple[str, ...]:
        found = [
            f"The agent ran a command without asking, in its shadow: {_command(call)}"
            for segment in (*self._closed, self._open)
            for call in segment.calls
            if _ran_unasked(call)
        ]
        found += [f"The agent changed {path}, which is never staged." for path in self._shadow.git_changes()]
        found += [f"{path} cannot be staged: {reason}" for path, reason in self._shadow.refused]
        found += [f"{path} was changed on disk while the agent worked on it." for path in self._drifted]
        return tuple(dict.fromkeys(found))


def _is_open(segment: Segment) -> bool:
    return segment.command is None and segment.rehearsed is None


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
        calls, requests = (*calls, *segment.calls), (*requests, *segment.requests)
        if segment.command is not None or segment.rehearsed is not None:
            folded.append(replace(segment, calls=calls, requests=requests))
            calls, requests = (), ()
    last = segments[-1]
    return [*folded, replace(last, calls=(*calls, *last.calls), requests=(*requests, *last.requests))]


def _ran_unasked(call: ToolCall) -> bool:
    started = call.status in (ToolCallStatus.IN_PROGRESS, ToolCallStatus.COMPLETED)
    return call.kind is ToolKind.EXECUTE and not call.asked and started


def _command(call: ToolCall) -> str:
    return call.command or call.title or call.tool
