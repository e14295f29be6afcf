"""Apply what was rehearsed instead of running it again: a command gives way to its recorded file effects."""

from collections.abc import Sequence
from datetime import datetime

from tandem_desktop.domain.errors import OutsideWorkspaceError, StepRefusedError, UnknownOperationError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import Absent, CommandCall, StagedOperation
from tandem_desktop.domain.paths import ancestors, check_path
from tandem_desktop.rehearsal.rehearsal import Rehearsal, RehearsedCommand
from tandem_desktop.staging.changes import Change
from tandem_desktop.staging.net_changes import ordered_changes


def why_not_recordable(command: RehearsedCommand) -> str:
    """Why its effects cannot stand in for the command; empty when they can."""
    if command.error:
        return f"it would fail: {command.error}"
    if command.doubts:
        return command.doubts[0]
    if not command.effects:
        return "it changes no file"
    try:
        for change in command.effects:
            check_path(change.path)
    except OutsideWorkspaceError as refusal:
        return f"no plan may write there itself: {refusal.message}"
    return ""


def effect_operations(command: RehearsedCommand, of: StagedOperation, now: datetime) -> tuple[StagedOperation, ...]:
    """The effects of a command as operations in an order in which each can happen, named after the command's."""
    filled = {
        above for change in command.effects if not isinstance(change.after, Absent) for above in ancestors(change.path)
    }
    changes = ordered_changes(command.effects, filled.__contains__)
    return tuple(_operation(change, number, of, command.call, now) for number, change in enumerate(changes, start=1))


def recorded_operations(
    operations: tuple[StagedOperation, ...],
    rehearsal: Rehearsal,
    chosen: Sequence[OperationId],
    now: datetime,
) -> tuple[StagedOperation, ...]:
    """The plan with recorded effects in the place of the chosen commands; of every command that can be, when none is.

    Raises:
        UnknownOperationError: a chosen one is no command of the plan.
        StepRefusedError: the effects of a chosen one cannot stand in for it, or there is nothing to record.
    """
    by_id = {command.id: command for command in rehearsal.commands}
    names = tuple(chosen) or tuple(each.id for each in rehearsal.commands if not why_not_recordable(each))
    if not names:
        reasons = "; ".join(f"{each.id}: {why_not_recordable(each)}" for each in rehearsal.commands)
        raise StepRefusedError(
            f"No command has effects that can be recorded ({reasons or 'the plan has no commands'})."
        )
    for name in names:
        if name not in by_id:
            raise UnknownOperationError(
                f"{name} is no command of the plan.", step=name, next="See them: tandem show PLAN"
            )
        if reason := why_not_recordable(by_id[name]):
            raise StepRefusedError(
                f"The effects of {name} cannot be recorded: {reason}.", step=name, next="Let it really run."
            )
    instead = {each.id: effect_operations(by_id[each.id], each, now) for each in operations if each.id in names}
    ids = {name: tuple(each.id for each in found) for name, found in instead.items()}
    return tuple(_waiting(each, ids) for operation in operations for each in instead.get(operation.id, (operation,)))


def _operation(change: Change, number: int, of: StagedOperation, call: CommandCall, now: datetime) -> StagedOperation:
    operation = of.model_copy(
        update={
            "id": OperationId(f"{of.id}.{number}"),
            "kind": change.kind,
            "path": change.path,
            "to": change.to,
            "base": change.base,
            "after": change.after,
            "call": None,
            "tool": change.kind.spec.tool,
            "staged_at": now,
            "recorded_from": call.command,
        }
    )
    return operation.model_copy(update={"description": operation.title})


def _waiting(operation: StagedOperation, ids: dict[OperationId, tuple[OperationId, ...]]) -> StagedOperation:
    """Whoever waited for a command waits for all that stands in its place."""
    if ids.keys().isdisjoint(operation.blocked_by):
        return operation
    blocked_by = tuple(name for each in operation.blocked_by for name in ids.get(each, (each,)))
    return operation.model_copy(update={"blocked_by": blocked_by})
