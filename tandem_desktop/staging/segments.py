"""Converts shadow changes and queued commands to ordered, attributed operations.

Not to be confused with the segments of a run, which are its units of durability.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from tandem_desktop.domain.agent_protocol import PermissionVerdict, ToolCall, ToolCallStatus
from tandem_desktop.domain.authorization import ToolCategory
from tandem_desktop.domain.base import NOTHING_ELSE
from tandem_desktop.domain.ids import OperationId, TaskId, ToolCallId
from tandem_desktop.domain.operations import (
    ABSENT,
    NEW_DIRECTORY_MODE,
    Absent,
    DirectoryState,
    ExternalCall,
    FileState,
    NodeState,
    OperationKind,
    PathChange,
    StagedOperation,
    effect_title,
    run_title,
)
from tandem_desktop.domain.paths import ROOT, Collision, folded
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.domain.plan import Note, RanCommand
from tandem_desktop.policy.tools import name_of, tool_use
from tandem_desktop.staging.changes import TreeChange, ordered_changes
from tandem_desktop.staging.requests import Handling, InterceptedRequest, QueuedCommand

_NUMBER = lazy_pattern(r"s(\d+)(?:\.|$)")
_DOES_NOTHING = (ToolCategory.READ, ToolCategory.PLANNING)


class Attribution:
    """Collects annotations for operations, each with its segment. They never change the operations."""

    def __init__(self, operations: Sequence[tuple[int, StagedOperation]], tasks: Mapping[ToolCallId, TaskId]) -> None:
        self._segment_of = [position for position, _ in operations]
        self._operations = [operation for _, operation in operations]
        self._tasks = tasks
        self._by_path: dict[str, list[int]] = defaultdict(list)
        for index, operation in enumerate(self._operations):
            for path in operation.paths:
                for spelling in (path, *_folders_above(path)):
                    self._by_path[spelling].append(index)
        self._accounted: set[int] = set()
        self.notes: list[Note] = []
        self.warnings: list[str] = []

    @property
    def operations(self) -> tuple[StagedOperation, ...]:
        return tuple(self._operations)

    def annotate(self, segment: int, calls: Iterable[ToolCall]) -> None:
        """Tool calls in order; the last one that names a path annotates it."""
        for call in calls:
            use = tool_use(call)
            if use.category not in _DOES_NOTHING and call.status is not ToolCallStatus.FAILED:
                for index in self._led_to(segment, use.paths):
                    self._describe(index, use.name, call.title, call.id)

    def place(self, segment: int, request: InterceptedRequest, more_paths: Iterable[str] = ()) -> None:
        """Annotate every operation a request led to, or the notes."""
        if request.handling is Handling.QUEUED and self._is_on_its_command(request):
            return
        acts = request.verdict is PermissionVerdict.ALLOW and request.category not in _DOES_NOTHING
        found = self._led_to(segment, (*request.paths, *more_paths)) if acts else []
        for index in found:
            self._sign(index, request)
        if not found:
            self._note(request)

    def place_command(self, segment: int, request: InterceptedRequest, changed: Container[str]) -> None:
        """Attribute to a command that ran in the shadow the changes made meanwhile that no other request explains."""
        found = [
            index
            for index, position in enumerate(self._segment_of)
            if position == segment
            and index not in self._accounted
            and not self._operations[index].is_run
            and any(path in changed for path in self._operations[index].paths)
        ]
        for index in found:
            self._describe(index, "bash", effect_title(request.title), request.tool_call_id)
            self._sign(index, request)

    def _led_to(self, segment: int, paths: Iterable[str]) -> list[int]:
        """The operations at or below `paths`: in this segment, else the next that has some, else the last."""
        found = {index for path in paths for index in self._by_path.get(path.removeprefix("./").rstrip("/"), ())}
        if not found:
            return []
        segments = {self._segment_of[index] for index in found}
        later = [position for position in segments if position >= segment]
        nearest = min(later) if later else max(segments)
        return sorted(index for index in found if self._segment_of[index] == nearest)

    def _describe(self, index: int, tool: str, description: str, call_id: ToolCallId | None) -> None:
        self._accounted.add(index)
        operation = self._operations[index]
        self._operations[index] = operation.model_copy(
            update={
                "tool": tool,
                "description": description or operation.description,
                "tool_call_id": call_id or operation.tool_call_id,
                "task": operation.task if call_id is None else self._tasks.get(call_id, operation.task),
            }
        )

    def _sign(self, index: int, request: InterceptedRequest) -> None:
        if self._operations[index].tool_call_id is None:
            self._describe(index, name_of(request.tool), request.title, request.tool_call_id)
        operation = self._operations[index]
        if request.request_id not in operation.request_ids:
            update = {
                "request_ids": (*operation.request_ids, request.request_id),
                "message_id": operation.message_id or request.message_id,
            }
            self._operations[index] = operation.model_copy(update=update)

    def _is_on_its_command(self, request: InterceptedRequest) -> bool:
        return any(request.request_id in operation.request_ids for operation in self._operations if operation.is_run)

    def _note(self, request: InterceptedRequest) -> None:
        path = request.paths[0] if request.paths else None
        said = request.title or request.tool
        self.notes.append(
            Note(
                step=request.request_id,
                tool=request.tool,
                path=path,
                description=f"{said} ({request.handling.value})",
            )
        )
        if request.handling is Handling.HELD:
            what = f" {path}" if path else ""
            self.warnings.append(
                f"The agent asked to change{what} (request {request.request_id}), and nothing shows for it."
            )


def _folders_above(path: str) -> Iterable[str]:
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


_FILE_BITS = 0o775
_OWNER_READS = 0o400
_OWNER_LOOKS = 0o500


class ShadowStates:
    """Takes complete scans of the shadow against its base, and returns the changes since the previous scan.

    Permissions set by an agent's umask or by mistake are normalised to what a plan may contain; `warnings` lists where
    that mattered.
    """

    def __init__(self) -> None:
        self._bases: dict[str, NodeState] = {}
        self._now: dict[str, NodeState] = {}
        self._filled: set[str] = set()
        self.warnings: list[str] = []

    def has_content(self, path: str) -> bool:
        """True if the folder `path` contains something the agent put there."""
        return path in self._filled

    def look(self, changes: Sequence[PathChange]) -> tuple[PathChange, ...]:
        """The changes since the last scan, sorted by path. A path that is not listed equals its base."""
        earlier = self._now
        self._now = {}
        for change in changes:
            self._bases.setdefault(change.path, change.before)
            self._now[change.path] = self._permitted(change)
        self._filled = {
            above for path, state in self._now.items() if not isinstance(state, Absent) for above in _above(path)
        }
        befores = {change.path: change.before for change in changes}
        found = []
        for path in sorted(earlier.keys() | self._now.keys()):
            before = earlier[path] if path in earlier else befores[path]
            after = self._now[path] if path in self._now else self._bases[path]
            if before != after:
                found.append(PathChange(path=path, before=before, after=after))
        return tuple(found)

    def _permitted(self, change: PathChange) -> NodeState:
        before, after = change.before, change.after
        if isinstance(after, DirectoryState):
            if isinstance(before, DirectoryState) and before.mode == after.mode:
                return after
            mode = (after.mode & _FILE_BITS) | _OWNER_LOOKS
            if not isinstance(before, DirectoryState) and mode & NEW_DIRECTORY_MODE == NEW_DIRECTORY_MODE:
                return DirectoryState(mode=NEW_DIRECTORY_MODE)  # like every folder created for its content
            return self._with_mode(change.path, after, mode)
        if isinstance(after, FileState):
            if isinstance(before, FileState) and before.mode == after.mode:
                return after
            return self._with_mode(change.path, after, (after.mode & _FILE_BITS) | _OWNER_READS)
        return after

    def _with_mode(self, path: str, state: FileState | DirectoryState, mode: int) -> NodeState:
        if mode == state.mode:
            return state
        warning = f"{path} was given the mode {state.mode:04o} and is staged with {mode:04o}."
        if warning not in self.warnings:
            self.warnings.append(warning)
        return state.model_copy(update={"mode": mode})


def _above(path: str) -> Iterable[str]:
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of an agent's work, up to a command or the end of the turn."""

    __pydantic_config__ = NOTHING_ELSE

    changes: tuple[PathChange, ...]
    """The complete difference between the shadow and its base at the end of the segment."""
    command: QueuedCommand | None = None
    """The command queued at its end."""
    calls: tuple[ToolCall, ...] = ()
    """The tool calls during it."""
    requests: tuple[InterceptedRequest, ...] = ()
    """The requests answered during it."""
    ran: InterceptedRequest | None = None
    """A command that ran in the shadow during it; otherwise unexplained changes are attributed to it."""
    before: tuple[PathChange, ...] | None = None
    """The shadow before that command; None if it was not scanned."""


@dataclass(frozen=True, slots=True)
class Staged:
    """The operations of an agent's work."""

    operations: tuple[StagedOperation, ...]
    notes: tuple[Note, ...]
    """Requests without a reviewable effect."""
    warnings: tuple[str, ...]
    ran: tuple[RanCommand, ...] = ()
    """Commands that ran in the shadow, in order."""


_MOST_OUTPUT = 16 * 1024
_MOST_RAN = 500
_STARTED = (ToolCallStatus.IN_PROGRESS, ToolCallStatus.COMPLETED, ToolCallStatus.FAILED)
_NOT_RUN = (Handling.QUEUED, Handling.REFUSED, Handling.SKIPPED, Handling.CANCELLED)
TERMINAL = "client-"
"""Prefix of the ids of tool calls that stand for commands run in a terminal of the client."""


def ran_commands(segments: Sequence[Segment]) -> tuple[RanCommand, ...]:
    """The commands that ran in the shadow, the latest last; beyond a limit the earliest are left out.

    A command that the agent announced and then ran in a terminal of the client is listed once, with the exit code of
    the terminal.
    """
    handled = {request.tool_call_id: request.handling for segment in segments for request in segment.requests}
    calls = {call.id: call for segment in segments for call in segment.calls}
    found: dict[ToolCallId, RanCommand] = {}
    for call in calls.values():
        if not _has_run(call, handled.get(call.id)):
            continue
        ran = RanCommand(
            command=call.command or call.title or call.tool,
            cwd=call.cwd or ROOT,
            exit_code=call.exit_code,
            has_failed=call.exit_code != 0 if call.exit_code is not None else call.status is ToolCallStatus.FAILED,
            output=call.output[-_MOST_OUTPUT:],
        )
        same = (key for key, each in found.items() if each.command == ran.command and each.exit_code is None)
        announced = next(same, None) if call.id.startswith(TERMINAL) else None
        found[announced or call.id] = ran
    return tuple(found.values())[-_MOST_RAN:]


def _has_run(call: ToolCall, handling: Handling | None) -> bool:
    """True for a command that was allowed, or was started without asking."""
    has_begun = handling is Handling.RAN or (call.status in _STARTED and handling not in _NOT_RUN)
    return has_begun and tool_use(call).category is ToolCategory.EXECUTE


def staged_operations(
    segments: Sequence[Segment],
    now: datetime,
    *,
    tasks: Mapping[ToolCallId, TaskId] | None = None,
    first: int = 1,
) -> Staged:
    """Operations in plan order, numbered from `first`, each with the requests and texts that led to it.

    Applied to the base in order they give the shadow as of the last scan; a permission that no plan may contain is
    normalised, with a warning. Every request is attached to an operation, or to the notes if it has none.
    """
    states = ShadowStates()
    drafts: list[tuple[int, StagedOperation]] = []
    for position, segment in enumerate(segments):
        for change in ordered_changes(states.look(segment.changes), states.has_content):
            drafts.append((position, _operation(change, first + len(drafts), now)))
        if segment.command is not None:
            drafts.append((position, queued_operation(segment.command, first + len(drafts), now)))
    attribution = Attribution(drafts, tasks or {})
    _attribute(attribution, segments)
    warnings = (*states.warnings, *_two_spellings(drafts), *attribution.warnings)
    return Staged(attribution.operations, tuple(attribution.notes), warnings, ran_commands(segments))


def _two_spellings(drafts: Sequence[tuple[int, StagedOperation]]) -> Iterator[str]:
    """A warning for each new name that is one with another on a disk that ignores case: no plan may tell them apart."""
    changes = [change for _, operation in drafts for change in operation.changes()]
    first_seen: dict[str, PathChange] = {}
    for change in changes:
        first_seen.setdefault(change.path, change)
    by_fold: dict[str, PathChange] = {}
    for change in first_seen.values():
        other = by_fold.setdefault(folded(change.path), change)
        if other is not change and ABSENT in (change.before, other.before):
            yield f"{Collision(other.path, change.path).reason}: the plan cannot be applied like this."


def _attribute(attribution: Attribution, segments: Sequence[Segment]) -> None:
    paths_of = {call.id: tool_use(call).paths for segment in segments for call in segment.calls}
    for position, segment in enumerate(segments):
        attribution.annotate(position, segment.calls)
    for position, segment in enumerate(segments):
        for request in segment.requests:
            if request.handling is not Handling.RAN:
                known = paths_of.get(request.tool_call_id, ()) if request.tool_call_id is not None else ()
                attribution.place(position, request, known)
    for position, segment in enumerate(segments):
        if segment.ran is not None:
            attribution.place_command(position, segment.ran, _changed_by_command(segment))


def _changed_by_command(segment: Segment) -> Container[str]:
    """The paths that the command changed which ran in the shadow."""
    before = {change.path: change.after for change in segment.before or ()}
    after = {change.path: change.after for change in segment.changes}
    return {path for path in {*before, *after} if before.get(path) != after.get(path)}


def first_free_number(operations: Iterable[StagedOperation]) -> int:
    """A number above those of the operations there are."""
    return 1 + max((int(match[1]) for each in operations if (match := _NUMBER.match(each.id))), default=0)


def queued_operation(queued: QueuedCommand, number: int, now: datetime) -> StagedOperation:
    """The operation of a command or an external call that waits in the plan."""
    return StagedOperation(
        id=OperationId(f"s{number}"),
        kind=OperationKind.EXTERNAL if isinstance(queued.call, ExternalCall) else OperationKind.COMMAND,
        call=queued.call,
        tool=queued.tool,
        description=queued.description or run_title(queued.call.text),
        request_ids=() if queued.request_id is None else (queued.request_id,),
        tool_call_id=queued.tool_call_id,
        message_id=queued.message_id,
        staged_at=now,
    )


def _operation(change: TreeChange, number: int, now: datetime) -> StagedOperation:
    operation = StagedOperation(
        id=OperationId(f"s{number}"),
        kind=change.kind,
        path=change.path,
        to=change.to,
        base=change.base,
        after=change.after,
        tool=change.kind.spec.tool,
        staged_at=now,
    )
    return operation.model_copy(update={"description": operation.title})
