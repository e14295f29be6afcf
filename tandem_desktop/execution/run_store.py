"""The people's copy of every run, beside the plans: what was asked, what came of it, step by step."""

from json.encoder import encode_basestring as quoted
from pathlib import Path

from pydantic import ConfigDict, TypeAdapter, ValidationError

from tandem_desktop.domain.errors import PlanDamagedError, RunNotFoundError
from tandem_desktop.domain.execution import OperationResult, ResultStatus, RunRecord
from tandem_desktop.domain.ids import RUN_ID, RunId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.reflection import Reflection
from tandem_desktop.storage import atomic

_REFLECTION = "reflection.json"
_LATER = ConfigDict(defer_build=True)
_OPERATIONS = TypeAdapter(tuple[StagedOperation, ...], config=_LATER)
_RESULTS = TypeAdapter(tuple[OperationResult, ...], config=_LATER)


class RunStore:
    """`runs/RUN-x/{meta,operations,results}.json` and `steps.jsonl`, with a `reflection.json` where one was made.

    Undo never trusts it: the journal is the truth.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def begin(self, record: RunRecord, operations: bytes) -> None:
        """Lay down what is to be done; the operations come as JSON."""
        folder = self._folder / record.run_id
        with atomic.together():
            atomic.make_directory(folder)
            atomic.replace(folder / "operations.json", operations)
            self.save(record)

    def finish(
        self,
        record: RunRecord,
        operations: tuple[StagedOperation, ...],
        results: tuple[OperationResult, ...],
        encoded: bytes | None = None,
    ) -> None:
        """Write down what came of it; the results may come as JSON as well."""
        folder = self._folder / record.run_id
        with atomic.together():
            atomic.make_directory(folder)
            atomic.replace(folder / "results.json", encoded or encode_results(results))
            atomic.replace(folder / "steps.jsonl", _checkpoints(operations, results))
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
            return RunRecord.model_validate_json(path.read_bytes())
        except ValidationError:
            raise PlanDamagedError(
                f"The record of {run_id} at {path} cannot be read.",
                path=str(path),
                next="It is a copy for people; delete it, the journal is kept elsewhere.",
            ) from None

    def results(self, run_id: RunId) -> tuple[OperationResult, ...]:
        path = self._folder / run_id / "results.json"
        return _RESULTS.validate_json(path.read_bytes()) if path.exists() else ()

    def save_reflection(self, reflection: Reflection) -> None:
        """Keep what was thought of a run, and what the person said to it; the last word counts."""
        folder = self._folder / reflection.run_id
        atomic.make_directory(folder)
        atomic.replace(folder / _REFLECTION, reflection.model_dump_json(indent=1).encode())

    def reflection(self, run_id: str) -> Reflection | None:
        """What was thought of a run; nothing where nobody has, or where it cannot be read."""
        try:
            return Reflection.model_validate_json((self._folder / self.get(run_id).run_id / _REFLECTION).read_bytes())
        except (FileNotFoundError, ValidationError):
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


def encode_operations(operations: tuple[StagedOperation, ...]) -> bytes:
    """Operations as JSON, for the journal and for people."""
    return _OPERATIONS.dump_json(operations)


def encode_results(results: tuple[OperationResult, ...]) -> bytes:
    """Results as JSON, for the journal and for people."""
    return _RESULTS.dump_json(results, exclude_defaults=True)


def _checkpoints(operations: tuple[StagedOperation, ...], results: tuple[OperationResult, ...]) -> bytes:
    """A line per step: number, tool, operation, status, and the summary or the error."""
    tools = {operation.id: operation.tool or operation.kind.value for operation in operations}
    statuses = {status: quoted(status.value) for status in ResultStatus}
    lines = []
    for number, result in enumerate(results, start=1):
        status = statuses[result.status]
        outcome = f'"error": {quoted(result.error)}' if result.error else f'"result_summary": {status}'
        tool = quoted(tools.get(result.id, ""))
        lines.append(f'{{"step": {number}, "tool": {tool}, "op": {quoted(result.id)}, "status": {status}, {outcome}}}')
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")
