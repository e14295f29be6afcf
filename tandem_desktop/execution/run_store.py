"""Stores run records and reads the changes of a run."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from json.encoder import encode_basestring as quoted
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic_core import ValidationError

from tandem_desktop.domain.base import ValueType
from tandem_desktop.domain.errors import PlanDamagedError, RunNotFoundError
from tandem_desktop.domain.ids import RUN_ID, OperationId, RunId
from tandem_desktop.domain.operations import PathChange, StagedOperation
from tandem_desktop.domain.runs import OperationResult, ResultStatus, RunRecord
from tandem_desktop.execution.journal import History
from tandem_desktop.execution.steps import Step, net_changes
from tandem_desktop.storage import atomic, syscalls

if TYPE_CHECKING:
    from tandem_desktop.domain.reflection import Reflection
    from tandem_desktop.staging.git_effects import GitEffect

_REFLECTION = "reflection.json"
_MOST_BYTES = 128 * 1024 * 1024
_RESULTS_FILE = "results.json"
_STEPS = "steps.jsonl"
_OPERATIONS: ValueType[tuple[StagedOperation, ...]] = ValueType(tuple[StagedOperation, ...])
_RESULTS: ValueType[tuple[OperationResult, ...]] = ValueType(tuple[OperationResult, ...])


class RunStore:
    """`runs/RUN-x/{meta,operations,results}.json` and `steps.jsonl`, and `reflection.json` if there is one.

    Not used by undo, which reads the journal.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def begin(self, record: RunRecord, encoded: bytes, operations: tuple[StagedOperation, ...]) -> None:
        """Store the operations of a new run, also given as JSON, with no results yet."""
        folder = self._folder / record.run_id
        with atomic.together():
            atomic.make_directory(folder)
            atomic.replace(folder / "operations.json", encoded)
            atomic.replace(folder / _RESULTS_FILE, _pending(operations), durable=False)
            atomic.replace(folder / _STEPS, b"", durable=False)
            self.save(record)

    def step_log(self, run_id: RunId, operations: tuple[StagedOperation, ...]) -> StepLog:
        """The log that receives results during the run."""
        return StepLog(self._folder / run_id, operations)

    def finish(
        self,
        record: RunRecord,
        operations: tuple[StagedOperation, ...],
        results: tuple[OperationResult, ...],
        encoded: bytes | None = None,
    ) -> None:
        """Store the outcome; the results may be given as JSON as well."""
        folder = self._folder / record.run_id
        with atomic.together():
            atomic.make_directory(folder)
            atomic.replace(folder / _RESULTS_FILE, encoded or encode_results(results))
            atomic.replace(folder / _STEPS, _checkpoints(operations, results))
            self.save(record)

    def save(self, record: RunRecord) -> None:
        atomic.make_directory(self._folder / record.run_id)
        atomic.replace(self._folder / record.run_id / "meta.json", record.model_dump_json(indent=1).encode())

    def get(self, run_id: str) -> RunRecord:
        """One run.

        Raises:
            RunNotFoundError: there is none of this name.
            PlanDamagedError: its record cannot be read.
        """
        path = self._folder / run_id / "meta.json"
        if not RUN_ID.fullmatch(run_id) or not path.exists():
            raise RunNotFoundError(f"There is no run {run_id} here.", next="See them with: tandem runs")
        try:
            return RunRecord.model_validate_json(atomic.read_regular(path, _MOST_BYTES)[0])
        except (OSError, ValidationError):
            raise PlanDamagedError(
                f"The record of {run_id} at {path} cannot be read.",
                path=str(path),
                next="It is a copy for people; delete it, the journal is kept elsewhere.",
            ) from None

    def results(self, run_id: RunId) -> tuple[OperationResult, ...]:
        """The results so far; empty if they cannot be read."""
        try:
            return _RESULTS.validate_json(atomic.read_regular(self._folder / run_id / _RESULTS_FILE, _MOST_BYTES)[0])
        except (OSError, ValidationError):
            return ()

    def save_reflection(self, reflection: Reflection) -> None:
        """Store the reflection on a run and the person's answer; the last one replaces earlier ones."""
        folder = self._folder / reflection.run_id
        atomic.make_directory(folder)
        atomic.replace(folder / _REFLECTION, reflection.model_dump_json(indent=1).encode())

    def reflection(self, run_id: str) -> Reflection | None:
        """The reflection on a run; None if there is none or it cannot be read."""
        from tandem_desktop.domain.reflection import Reflection

        try:
            path = self._folder / self.get(run_id).run_id / _REFLECTION
            return Reflection.model_validate_json(atomic.read_regular(path, _MOST_BYTES)[0])
        except (OSError, ValidationError):
            return None

    def list(self) -> tuple[RunRecord, ...]:
        """Every readable run, newest first."""
        names = sorted(p.name for p in self._folder.iterdir()) if self._folder.is_dir() else []
        records = []
        for name in names:
            try:
                records.append(self.get(name))
            except (RunNotFoundError, PlanDamagedError):
                continue
        return tuple(sorted(records, key=lambda record: record.started_at, reverse=True))


class StepLog:
    """The results of one run as they become known: a line each in `steps.jsonl`, and `results.json` up to date.

    Neither is synced, and a disk that refuses them does not stop the run: recovery reads the journal alone. The end of
    the run replaces both, durably; the output of commands comes with it.
    """

    def __init__(self, folder: Path, operations: tuple[StagedOperation, ...]) -> None:
        self._folder = folder
        self._tools = {operation.id: operation.tool or operation.kind.value for operation in operations}
        self._numbers = {operation.id: number for number, operation in enumerate(operations, start=1)}
        self._results: dict[OperationId, OperationResult] = {}
        self._fd = -1

    def add(self, results: tuple[OperationResult, ...]) -> None:
        known = [result for result in results if result.id in self._numbers]
        if not known:
            return
        self._results.update((result.id, _without_output(result)) for result in known)
        lines = (_checkpoint(self._numbers[result.id], self._tools[result.id], result) for result in known)
        with contextlib.suppress(OSError):
            if self._fd < 0:
                self._fd = syscalls.open_appending(str(self._folder / _STEPS), mode=0o644)
            syscalls.write(self._fd, _encoded(lines))
            atomic.replace(self._folder / _RESULTS_FILE, encode_results(self._so_far()), durable=False)

    def _so_far(self) -> tuple[OperationResult, ...]:
        known = self._results
        return tuple(known.get(i) or OperationResult(id=i, status=ResultStatus.PENDING) for i in self._numbers)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def encode_operations(operations: tuple[StagedOperation, ...]) -> bytes:
    """Operations as JSON, for the journal and for people."""
    return _OPERATIONS.dump_json(operations)


def encode_results(results: tuple[OperationResult, ...]) -> bytes:
    """Results as JSON, for the journal and for people."""
    return _RESULTS.dump_json(results, exclude_defaults=True)


def _pending(operations: tuple[StagedOperation, ...]) -> bytes:
    """The results of a run that has done nothing yet, as JSON."""
    items = (f'{{"id":{quoted(operation.id)},"status":"pending"}}' for operation in operations)
    return f"[{','.join(items)}]".encode()


def _without_output(result: OperationResult) -> OperationResult:
    return result if result.output is None else result.model_copy(update={"output": None})


def _checkpoints(operations: tuple[StagedOperation, ...], results: tuple[OperationResult, ...]) -> bytes:
    tools = {operation.id: operation.tool or operation.kind.value for operation in operations}
    numbered = enumerate(results, start=1)
    return _encoded(_checkpoint(number, tools.get(result.id, ""), result) for number, result in numbered)


_STATUSES = {status: quoted(status.value) for status in ResultStatus}


def _checkpoint(number: int, tool: str, result: OperationResult) -> str:
    """The line of a step: number, tool, operation, status, and the summary or the error."""
    status = _STATUSES[result.status]
    outcome = f'"error": {quoted(result.error)}' if result.error else f'"result_summary": {status}'
    head = f'"step": {number}, "tool": {quoted(tool)}, "op": {quoted(result.id)}'
    return f'{{{head}, "status": {status}, {outcome}}}\n'


def _encoded(lines: Iterable[str]) -> bytes:
    return "".join(lines).encode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class DoneOperation:
    """One operation of a run with every path it changed, including the effects of a captured command."""

    id: OperationId
    staged: StagedOperation | None
    """None in an undo or redo, which has no operations of its own."""
    changes: tuple[PathChange, ...]
    git: tuple[GitEffect, ...] = ()
    """What those of the changes mean that are in a git repository."""

    @property
    def files(self) -> tuple[PathChange, ...]:
        """The changes that are not told by `git`."""
        from tandem_desktop.staging.git_effects import without_git

        return without_git(self.changes, self.git)


def done_operations(history: History) -> tuple[DoneOperation, ...]:
    """In execution order, without paths that ended unchanged."""
    staged = {operation.id: operation for operation in history.operations}
    steps: dict[OperationId, list[Step]] = {}
    for step in history.done:
        steps.setdefault(step.operation, []).append(step)
    found = (DoneOperation(name, staged.get(name), _changes(own)) for name, own in steps.items())
    return tuple(each for each in found if each.changes)


def _changes(steps: list[Step]) -> tuple[PathChange, ...]:
    return tuple(
        PathChange(path=path, before=before, after=after) for path, (before, after) in net_changes(steps).items()
    )
