"""What an agent does in its shadow, held in order: segments divided by queued commands, ready to become a revision."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from tandem_desktop.domain.agents import ToolCall, ToolCallStatus, ToolKind
from tandem_desktop.domain.operations import CommandCall, PathChange
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
        self._open = Segment(())
        self._drifted: tuple[str, ...] = ()

    def queue(self, command: QueuedCommand) -> None:
        """End the segment with a command. The same command queued again moves to its new place."""
        with self._lock:
            segment = replace(self._looked(), command=command)
            self._closed = [_without(each, command) for each in self._closed]
            self._closed.append(segment)
            self._open = Segment(())
            self._record.save_segments(tuple(self._closed))

    def staged(self, now: datetime) -> Staged:
        """Everything the agent did so far, as operations with notes and warnings."""
        with self._lock:
            self._open = self._looked()
            staged = staged_operations((*self._closed, self._open), now)
            return replace(staged, warnings=(*staged.warnings, *self._warnings()))

    @property
    def drifted(self) -> tuple[str, ...]:
        """Paths the person changed meanwhile, as the last look found them."""
        return self._drifted

    def keep_commands(self, wanted: set[CommandCall]) -> None:
        """Leave out every queued command the person took out of the plan."""
        with self._lock:
            kept = [
                each if each.command is None or each.command.call in wanted else replace(each, command=None)
                for each in self._closed
            ]
            if kept != self._closed:
                self._closed = kept
                self._record.save_segments(tuple(kept))

    def clear(self) -> None:
        """Forget the queue: its plan has come to an end."""
        with self._lock:
            if self._closed:
                self._record.save_segments(())
            self._closed = []
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


def _path_change(change: ShadowChange) -> PathChange:
    return PathChange(path=change.path, before=change.before, after=change.after)


def _without(segment: Segment, command: QueuedCommand) -> Segment:
    return replace(segment, command=None) if segment.command and segment.command.call == command.call else segment


def _ran_unasked(call: ToolCall) -> bool:
    started = call.status in (ToolCallStatus.IN_PROGRESS, ToolCallStatus.COMPLETED)
    return call.kind is ToolKind.EXECUTE and not call.asked and started


def _command(call: ToolCall) -> str:
    return call.command or call.title or call.tool
