"""A whole execution side on real folders, for tests of runs that need no plan and no approval."""

import itertools
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tandem_desktop.domain.ids import PlanId, RunId, new_run_id
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.runs import FailurePolicy, OperationResult, RunKind, RunRecord, RunStatus
from tandem_desktop.execution.commands import ExternalCalls, InPlaceCommands, RunControl, segments
from tandem_desktop.execution.journal import read_journal
from tandem_desktop.execution.run_manager import ConcurrentChanges, RunManager, clear_now
from tandem_desktop.execution.run_store import RunStore
from tandem_desktop.storage import syscalls
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.paths import Locations
from tandem_desktop.storage.workspace import Workspace


class FiledRuns:
    """Nobody keeps plans here; remembers what was filed."""

    def __init__(self) -> None:
        self.filed: list[RunRecord] = []

    def file(self, record: RunRecord, results: tuple[OperationResult, ...]) -> None:
        self.filed.append(record)


def a_clock() -> Callable[[], datetime]:
    """A clock that moves a second with every look."""
    seconds = itertools.count()
    return lambda: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=next(seconds))


def a_run_manager(
    root: Path,
    state: Path,
    on_result: Callable[[RunId, OperationResult], None] = lambda run_id, result: None,
    clear: Callable[[Callable[[], None]], None] = clear_now,
) -> RunManager:
    """A manager for the workspace at `root`."""
    locations = Locations(workspace=root.resolve(), state=state)
    locations.prepare_state()
    workspace = Workspace(root)
    return RunManager(
        workspace=workspace,
        locations=locations,
        objects=ObjectStore(locations.objects),
        runs=RunStore(locations.runs),
        commands=InPlaceCommands(workspace),
        calls=ExternalCalls(),
        run_completion=FiledRuns(),
        clock=a_clock(),
        on_result=on_result,
        on_output=lambda operation, chunk: None,
        clear=clear,
    )


def a_record(policy: FailurePolicy = FailurePolicy.ROLLBACK) -> RunRecord:
    return RunRecord(
        run_id=new_run_id(),
        kind=RunKind.APPLY,
        plan_id=PlanId("PLAN-0badcafe"),
        revision=1,
        digest="0" * 64,
        on_failure=policy,
        status=RunStatus.RUNNING,
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def carry_out(
    manager: RunManager,
    operations: tuple[StagedOperation, ...],
    policy: FailurePolicy = FailurePolicy.ROLLBACK,
    control: RunControl | None = None,
) -> tuple[RunRecord, tuple[OperationResult, ...]]:
    """Run operations as if they had been approved."""
    record = a_record(policy)
    with manager.only_run():
        manager.refuse_if_interrupted()
        journal = manager.begin(record, operations)
        concurrent = ConcurrentChanges(
            manager.workspace, (path for operation in operations for path in operation.paths)
        )
        return manager.conduct(
            record,
            operations,
            journal,
            lambda run: run.carry_out(segments(operations)),
            control=control,
            concurrent=concurrent,
        )


def journal_of(state: Path) -> list[dict[str, Any]]:
    """Every record of the only run, without what it was to do and how it ended."""
    (path,) = (state / "journal").glob("*/RUN-*")
    return [record for record in read_journal(path) if record["type"] not in ("begin", "end")]


def brief(results: Iterable[OperationResult]) -> dict[str, str]:
    return {result.id: result.status.value for result in results}


def here(root: Path, **files: bytes) -> None:
    for name, data in files.items():
        (root / name).write_bytes(data)
        (root / name).chmod(0o644)


def just_before(name: str, act: Callable[[], object]) -> syscalls.Gate:
    """A gate that acts once, right before the run publishes a file called `name`."""
    left = [act]

    def gate(call: str, what: str) -> None:
        if call == "renameat2" and what == name and left:
            left.pop()()

    return gate
