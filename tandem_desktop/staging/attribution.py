"""Who asked for which operation: requests and tool calls are laid on what they led to, by path, and none is lost."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence

from tandem_desktop.domain.agents import ToolCall, ToolCallStatus, Verdict
from tandem_desktop.domain.authorization import ToolCategory
from tandem_desktop.domain.ids import TaskId, ToolCallId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import Note
from tandem_desktop.policy.tool_catalog import name_of, tool_use
from tandem_desktop.staging.intercepted import Handling, InterceptedRequest

_DOES_NOTHING = (ToolCategory.READ, ToolCategory.PLANNING)


class Attribution:
    """Collects annotations for operations, each with the segment it is in. What is said never changes what is done."""

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

    def hear(self, segment: int, calls: Iterable[ToolCall]) -> None:
        """Tool calls, in order: the last one that names a path speaks for it."""
        for call in calls:
            use = tool_use(call)
            if use.category not in _DOES_NOTHING and call.status is not ToolCallStatus.FAILED:
                for index in self._led_to(segment, use.paths):
                    self._describe(index, use.name, call.title, call.id)

    def place(self, segment: int, request: InterceptedRequest, more_paths: Iterable[str] = ()) -> None:
        """One request, on every operation it led to, or in the notes."""
        if request.handling is Handling.QUEUED and self._is_on_its_command(request):
            return
        acts = request.verdict is Verdict.ALLOW and request.category not in _DOES_NOTHING
        found = self._led_to(segment, (*request.paths, *more_paths)) if acts else []
        for index in found:
            self._sign(index, request)
        if not found:
            self._note(request)

    def place_rehearsal(self, segment: int, request: InterceptedRequest, changed: Container[str]) -> None:
        """A command that ran in the shadow: of what changed meanwhile, its doing is what nobody else accounts for."""
        found = [
            index
            for index, position in enumerate(self._segment_of)
            if position == segment
            and index not in self._accounted
            and not self._operations[index].is_run
            and any(path in changed for path in self._operations[index].paths)
        ]
        for index in found:
            self._describe(index, "bash", f"Effect of the rehearsed command: {request.title}", request.tool_call_id)
            self._sign(index, request)
        if not found:
            self._note(request)

    def _led_to(self, segment: int, paths: Iterable[str]) -> list[int]:
        """The operations on `paths`, or below them, in this segment; else in the nearest later one, else an earlier."""
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
