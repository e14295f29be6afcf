"""Rehearsal results: values, storage and replay."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic_core import ValidationError

from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import OutsideWorkspaceError, StepRefusedError, UnknownOperationError
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.operations import Absent, CommandCall, PathChange, StagedOperation, unfit_state
from tandem_desktop.domain.paths import ancestors, check_path, shown
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.staging.changes import TreeChange, ordered_changes
from tandem_desktop.staging.simulate import Problem
from tandem_desktop.storage import atomic


@dataclass(frozen=True, slots=True)
class RehearsedCommand:
    """One command that ran in the throw-away shadow, or the reason why it did not."""

    id: OperationId
    call: CommandCall
    exit_code: int | None
    """None when it never ran."""
    output: str
    seconds: float
    effects: tuple[PathChange, ...]
    """What it changed in the workspace, sorted by path; the bytes of both sides are stored. Of a command that failed,
    what it had done by then: a run would throw it away."""
    outside: tuple[str, ...]
    """What it wrote outside the workspace, as far as that could be seen; nothing of it was kept."""
    error: str | None
    """Why a run would stop here."""
    doubts: tuple[str, ...]
    """Why the real run may come out otherwise; empty when what is shown here is what will happen."""

    @property
    def is_previewable(self) -> bool:
        return not self.doubts


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The rehearsal of one revision. The workspace was only read."""

    plan_id: PlanId
    revision: int
    commands: tuple[RehearsedCommand, ...]
    problems: tuple[Problem, ...]
    """Operations that did not apply when their turn came."""
    network: bool
    confinement: str
    at: datetime
    """When it had ended."""


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
            if unfit := unfit_state(change.before, change.after):
                return f"no plan may leave {shown(change.path)} so: {unfit}"
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


def _operation(
    change: TreeChange, number: int, of: StagedOperation, call: CommandCall, now: datetime
) -> StagedOperation:
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
    """Dependencies on a command become dependencies on all operations that replace it."""
    if ids.keys().isdisjoint(operation.blocked_by):
        return operation
    blocked_by = tuple(name for each in operation.blocked_by for name in ids.get(each, (each,)))
    return operation.model_copy(update={"blocked_by": blocked_by})


FILE = "rehearsal.json"
FORMAT = 1


class _RehearsalRecord(Frozen):
    format: int = FORMAT
    digest: str
    """Of the revision that was rehearsed."""
    rehearsal: Rehearsal


class RehearsalStore:
    """One record for each session; records of other revisions are ignored."""

    def __init__(self, sessions: Path) -> None:
        self._sessions = sessions

    def load(self, version: PlanVersion) -> Rehearsal | None:
        """What was found about exactly this revision; nothing where the record is missing or damaged."""
        try:
            record = _RehearsalRecord.model_validate_json(self._path(version).read_bytes())
        except (OSError, ValidationError):
            return None
        return record.rehearsal if (record.format, record.digest) == (FORMAT, _digest(version)) else None

    def save(self, version: PlanVersion, rehearsal: Rehearsal) -> None:
        """Store it in place of the previous one, if possible."""
        path = self._path(version)
        with contextlib.suppress(OSError, ValueError):
            data = _RehearsalRecord(digest=_digest(version), rehearsal=rehearsal).model_dump_json().encode()
            atomic.make_directory(path.parent, mode=0o700)
            atomic.replace(path, data, mode=0o600)

    def _path(self, version: PlanVersion) -> Path:
        return self._sessions / version.session_id / FILE


def _digest(version: PlanVersion) -> str:
    return ApprovalHash.of(version).combined_hash
