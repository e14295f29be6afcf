"""Shadow changes and queued commands become ordered operations; a command divides what came before from what follows.

Not to be confused with the segments of a run, which are its units of durability.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from pydantic import ConfigDict

from tandem_desktop.domain.agents import ToolCall
from tandem_desktop.domain.frozen import NOTHING_ELSE
from tandem_desktop.domain.ids import OperationId, TaskId, ToolCallId
from tandem_desktop.domain.operations import ABSENT, OperationKind, PathChange, StagedOperation
from tandem_desktop.domain.paths import Collision, folded
from tandem_desktop.domain.plan import Note
from tandem_desktop.policy.tool_catalog import tool_use
from tandem_desktop.staging.attribution import Attribution
from tandem_desktop.staging.changes import Change
from tandem_desktop.staging.intercepted import InterceptedRequest, QueuedCommand
from tandem_desktop.staging.net_changes import ordered_changes
from tandem_desktop.staging.shadow_states import ShadowStates


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of an agent's work, up to a command or to the end of the turn."""

    __pydantic_config__: ClassVar[ConfigDict] = NOTHING_ELSE

    changes: tuple[PathChange, ...]
    """The whole shadow against its base at the end of the stretch, not only what is new."""
    command: QueuedCommand | None = None
    """What was queued at the end of it."""
    calls: tuple[ToolCall, ...] = ()
    """The tool calls heard in it."""
    requests: tuple[InterceptedRequest, ...] = ()
    """The requests answered in it."""
    rehearsed: InterceptedRequest | None = None
    """A command that ran in the shadow during it; what changed meanwhile and nobody else accounts for is its doing."""
    before: tuple[PathChange, ...] | None = None
    """The whole shadow as that command found it; None where nobody looked."""


@dataclass(frozen=True, slots=True)
class Staged:
    """What a stretch of work comes to."""

    operations: tuple[StagedOperation, ...]
    notes: tuple[Note, ...]
    """Requests that left nothing to review."""
    warnings: tuple[str, ...]


def staged_operations(
    segments: Sequence[Segment],
    now: datetime,
    *,
    tasks: Mapping[ToolCallId, TaskId] | None = None,
    first: int = 1,
) -> Staged:
    """Operations in plan order, numbered from `first`, each with the requests and the words that led to it.

    Applied to the base in order they give the shadow as it was at the last look; a permission that no plan may give is
    brought within bounds, with a warning. Every request is on an operation, or, where none shows for it, in the notes.
    """
    states = ShadowStates()
    drafts: list[tuple[int, StagedOperation]] = []
    for position, segment in enumerate(segments):
        for change in ordered_changes(states.look(segment.changes), states.has_content):
            drafts.append((position, _operation(change, first + len(drafts), now)))
        if segment.command is not None:
            drafts.append((position, _command(segment.command, first + len(drafts), now)))
    attribution = Attribution(drafts, tasks or {})
    _attribute(attribution, segments)
    warnings = (*states.warnings, *_two_spellings(drafts), *attribution.warnings)
    return Staged(attribution.operations, tuple(attribution.notes), warnings)


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
        attribution.hear(position, segment.calls)
    rehearsals = {segment.rehearsed.request_id for segment in segments if segment.rehearsed is not None}
    for position, segment in enumerate(segments):
        for request in segment.requests:
            if request.request_id not in rehearsals:
                known = paths_of.get(request.tool_call_id, ()) if request.tool_call_id is not None else ()
                attribution.place(position, request, known)
    for position, segment in enumerate(segments):
        if segment.rehearsed is not None:
            attribution.place_rehearsal(position, segment.rehearsed, _changed_meanwhile(segment))


def _changed_meanwhile(segment: Segment) -> Container[str]:
    """The paths that are not as the rehearsed command found them."""
    before = {change.path: change.after for change in segment.before or ()}
    after = {change.path: change.after for change in segment.changes}
    return {path for path in {*before, *after} if before.get(path) != after.get(path)}


def _operation(change: Change, number: int, now: datetime) -> StagedOperation:
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


def _command(queued: QueuedCommand, number: int, now: datetime) -> StagedOperation:
    return StagedOperation(
        id=OperationId(f"s{number}"),
        kind=OperationKind.COMMAND,
        call=queued.call,
        tool=queued.tool,
        description=queued.description or f"Run {queued.call.command}",
        request_ids=() if queued.request_id is None else (queued.request_id,),
        tool_call_id=queued.tool_call_id,
        message_id=queued.message_id,
        staged_at=now,
    )
