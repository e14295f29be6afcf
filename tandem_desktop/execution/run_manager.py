"""Opens and closes runs, one at a time per workspace."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tandem_desktop.domain.errors import (
    BusyError,
    InterruptedRunError,
    OperationError,
    RollbackError,
    StorageError,
    TandemError,
)
from tandem_desktop.domain.ids import RUN_ID, OperationId, RunId
from tandem_desktop.domain.operations import NodeState, StagedOperation
from tandem_desktop.domain.paths import parent_of
from tandem_desktop.domain.runs import (
    FailurePolicy,
    OperationResult,
    OtherChange,
    ResultStatus,
    RunKind,
    RunRecord,
    RunStatus,
)
from tandem_desktop.execution.commands import ExternalCalls, RunControl
from tandem_desktop.execution.journal import Journal, JournalStore
from tandem_desktop.execution.run_store import RunStore, StepLog, encode_operations, encode_results
from tandem_desktop.execution.scratch_dir import Metadata, RunScratchDir, sweep_folder
from tandem_desktop.execution.steps import Step
from tandem_desktop.storage import atomic
from tandem_desktop.storage.errors import writing
from tandem_desktop.storage.gc_tuning import raised_gc_threshold
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.paths import Locations
from tandem_desktop.storage.workspace import StatSignatures, Workspace

if TYPE_CHECKING:
    from tandem_desktop.execution.commands import CommandRunner, OnOutput
    from tandem_desktop.execution.run import Run
    from tandem_desktop.staging.changes import Difference


def clear_now(clearing: Callable[[], None]) -> None:
    """Clear before returning. For a process that ends with its run, such as a command-line call."""
    clearing()


class ClearInBackground:
    """Clear on another thread, for a process that lives on. The next run does not depend on it."""

    def __init__(self) -> None:
        self._threads: list[threading.Thread] = []

    def __call__(self, clearing: Callable[[], None]) -> None:
        self.finish(0)
        thread = threading.Thread(target=clearing, name="clearing")
        thread.start()
        self._threads.append(thread)

    def finish(self, timeout_s: float | None = None) -> None:
        """Wait until everything is cleared."""
        for thread in self._threads:
            thread.join(timeout_s)
        self._threads = [thread for thread in self._threads if thread.is_alive()]


Clock = Callable[[], datetime]
_log = logging.getLogger(__name__)

_RELEASE_S = 2.0
_CHECK_S = 0.5
"""A check whether a run is in progress holds the lock this long at most."""
_FULL = (errno.ENOSPC, errno.EDQUOT)


MOST_LISTED = 100
_MOST_ENTRIES = 20_000
"""Limit of scanned entries, so that a huge folder does not delay a run."""
_SKIPPED_NAMES = (".git", ".tandem")


class ConcurrentChanges:
    """Finds changes by other programs during a run.

    Created before the first write, read after the last one; never fails.

    Folders are compared one level deep: names that were added or removed, and files whose change time is within the
    run.
    """

    def __init__(self, workspace: Workspace, paths: Iterable[str]) -> None:
        self._workspace = workspace
        self._names = {folder: self._listed(folder) for folder in {parent_of(path) for path in paths}}
        self._since_ns = time.time_ns()

    def changes(self, touched: set[str], written: Mapping[str, NodeState]) -> tuple[OtherChange, ...]:
        """Changes by others: `touched` are the paths of the run, `written` those to read again."""
        self._workspace.forget_directories()
        found = {path: change for path, state in written.items() if (change := self._difference(path, state))}
        scanned = 0
        for folder in sorted({*self._names, *(parent_of(path) for path in touched)}):
            entries = tuple(self._entries(folder)) if scanned < _MOST_ENTRIES else ()
            scanned += len(entries)
            found.update(self._others(folder, entries, touched))
        return tuple(
            OtherChange(path=path, change=change.value) for path, change in sorted(found.items())[:MOST_LISTED]
        )

    def _difference(self, path: str, expected: NodeState) -> Difference | None:
        from tandem_desktop.staging.changes import Difference, difference

        try:
            return difference(expected, self._workspace.state(path))
        except (OSError, TandemError):
            return Difference.TYPE

    def _others(
        self, folder: str, entries: tuple[os.DirEntry[str], ...], touched: set[str]
    ) -> Iterator[tuple[str, Difference]]:
        from tandem_desktop.staging.changes import Difference

        before = self._names.get(folder)
        if before is not None and entries:
            for name in before - {entry.name for entry in entries}:
                if (path := _inside(folder, name)) not in touched:
                    yield path, Difference.DELETED
        for entry in entries:
            if (path := _inside(folder, entry.name)) in touched:
                continue
            with contextlib.suppress(OSError):
                info = entry.stat(follow_symlinks=False)
                if before is not None and entry.name not in before:
                    yield path, Difference.CREATED
                elif info.st_ctime_ns > self._since_ns and not stat.S_ISDIR(info.st_mode):
                    yield path, Difference.MODIFIED

    def _listed(self, folder: str) -> frozenset[str] | None:
        try:
            return frozenset(self._workspace.children(folder)).difference(_SKIPPED_NAMES)
        except (OSError, TandemError):
            return None

    def _entries(self, folder: str) -> Iterator[os.DirEntry[str]]:
        with contextlib.suppress(OSError, TandemError), os.scandir(self._workspace.directory(folder)) as found:
            for entry in found:
                if entry.name not in _SKIPPED_NAMES:
                    yield entry


def _inside(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


class RunOutcome(NamedTuple):
    """The end of a run, if its work determines it."""

    status: RunStatus
    rolled_back: bool


class RunCompletion(Protocol):
    """Updates the plan and the audit log after a run. Idempotent."""

    def file(self, record: RunRecord, results: tuple[OperationResult, ...]) -> None: ...


class RunManager:
    """Open, execute and close runs; every outcome leaves a correct record."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        locations: Locations,
        objects: ObjectStore,
        runs: RunStore,
        commands: CommandRunner,
        calls: ExternalCalls | None = None,
        run_completion: RunCompletion,
        clock: Clock,
        on_result: Callable[[RunId, OperationResult], None],
        on_output: OnOutput,
        on_start: Callable[[RunId, OperationId], None] = lambda run_id, operation: None,
        clear: Callable[[Callable[[], None]], None] = clear_now,
    ) -> None:
        self.workspace = workspace
        self.objects = objects
        self.clock = clock
        self.runs = runs
        self.journal_store = JournalStore(locations.journals, workspace.identity)
        self._locations = locations
        self._commands = commands
        self.calls = calls or ExternalCalls()
        self._run_completion = run_completion
        self._on_result = on_result
        self._on_output = on_output
        self._on_start = on_start
        self._clear = clear
        self._turn = threading.Lock()
        self.is_at_work = False
        """Whether operations are carried out here at this moment: then nobody has to wait to learn that."""

    @contextlib.contextmanager
    def only_run(self) -> Iterator[None]:
        """Hold the workspace for one run. Waits briefly for a run that has announced its end and still holds the lock.

        Raises:
            BusyError: another run holds it.
        """
        is_ours = self._turn.acquire(timeout=_RELEASE_S)
        try:
            with atomic.held_or_busy(self._lock, _CHECK_S) as free:
                if not free:
                    raise BusyError(
                        f"Another run is under way in {self.workspace.path}.",
                        path=str(self.workspace.path),
                        next="Wait for it to end; see it with: tandem runs",
                    )
                with raised_gc_threshold():
                    yield
        finally:
            if is_ours:
                self._turn.release()

    def is_busy(self) -> bool:
        """True while a run is in progress; who looks for interrupted runs holds the lock only for a moment."""
        return self.is_at_work or atomic.is_held(self._lock, _CHECK_S)

    def refuse_if_interrupted(self) -> None:
        """Raises InterruptedRunError while an interrupted run is not settled."""
        open_runs = self.journal_store.open_runs()
        if open_runs:
            raise InterruptedRunError(
                f"{open_runs[0]} was interrupted and must be settled first.",
                next="See it with: tandem recover; then: tandem recover --resume, --rollback or --mark-failed",
            )

    def begin(
        self,
        record: RunRecord,
        operations: tuple[StagedOperation, ...],
        planned: tuple[Step, ...] = (),
        metadata: dict[str, Metadata] | None = None,
    ) -> Journal:
        """Record the start of a run durably: its operations, or its precomputed steps.

        Raises:
            StorageError: the disk refused; nothing was written outside `.tandem`.
            InterruptedRunError: it refused when the journal had begun; nothing but that journal is to be settled.
        """
        with writing(self._locations.state):
            self._locations.prepare_workspace()
            self.sweep()
            encoded = encode_operations(operations)
            try:
                journal = self.journal_store.start(record, encoded, planned, metadata)
                self.runs.begin(record, encoded, operations)
            except OSError as error:
                if not self.journal_store.is_open(record.run_id):
                    raise
                raise self._left_open(record, error, "begun: {reason}. Nothing was changed.") from error
        of = f" of {record.of}" if record.of else ""
        size = f"operations {len(operations)}" if operations else f"steps {len(planned)}"
        facts = (record.run_id, record.kind, of, record.plan_id, record.revision, size)
        _log.info("run started: %s, %s%s, %s r%d, %s", *facts)
        return journal

    def sweep(self) -> None:
        """Remove scratch dirs of runs that have ended; other files stay."""
        folder = self._locations.scratch_dirs
        if not folder.is_dir() or folder.is_symlink():
            return
        keep = set(self.journal_store.open_runs())
        for leftover in folder.iterdir():
            if RUN_ID.fullmatch(leftover.name) and leftover.name not in keep and not leftover.is_symlink():
                with contextlib.suppress(OSError):
                    sweep_folder(leftover)

    def conduct(
        self,
        record: RunRecord,
        operations: tuple[StagedOperation, ...],
        journal: Journal,
        work: Callable[[Run], RunOutcome | None],
        *,
        control: RunControl | None = None,
        metadata: dict[str, Metadata] | None = None,
        signatures: StatSignatures | None = None,
        concurrent: ConcurrentChanges | None = None,
    ) -> tuple[RunRecord, tuple[OperationResult, ...]]:
        """Do the work, roll back if the policy says so, close the run.

        Raises:
            RollbackError: the tree could not be restored; the run stays open.
            OperationError: an unexpected fault; the tree is as before.
        """
        from tandem_desktop.execution.run import HaltError, Run

        scratch_dir = self._scratch_dir(record)
        steps = self.runs.step_log(record.run_id, operations)
        control = control or RunControl()
        run = Run(
            operations=operations,
            workspace=self.workspace,
            scratch_dir=scratch_dir,
            journal=journal,
            commands=self._commands,
            make_call=lambda operation: self.calls.make(record.plan_id, operation, control),
            control=control,
            policy=record.on_failure,
            on_results=lambda results: self._told(record.run_id, steps, results),
            on_output=self._on_output,
            on_start=lambda operation: self._on_start(record.run_id, operation),
            metadata=metadata,
            signatures=signatures,
        )
        fault: OSError | TandemError | None = None
        try:
            try:
                scratch_dir.open()
                self.is_at_work = True
                try:
                    outcome = work(run)
                finally:
                    self.is_at_work = False
                status, rolled_back = outcome or RunOutcome(RunStatus.COMPLETED, rolled_back=False)
            except HaltError as halt:
                status = RunStatus.CANCELLED if halt.cancelled else RunStatus.FAILED
                rolled_back = self._roll_back(run, record.on_failure)
            except RollbackError:
                raise
            except (OSError, TandemError) as error:
                # Not the failure of one operation: restore the tree, whatever the policy.
                fault, status = error, RunStatus.FAILED
                rolled_back = self._roll_back(run, FailurePolicy.ROLLBACK)
            if any(result.status is ResultStatus.FAILED for result in run.results.values()):
                status = RunStatus.FAILED if status is RunStatus.COMPLETED else status
            results = _all_results(operations, run, status, fault)
            ended = self._ended(record, status, operations, results, rolled_back=rolled_back)
            if concurrent is not None:
                others = concurrent.changes(run.touched, run.to_read_again())
                ended = ended.model_copy(update={"meanwhile": others})
            self._close(ended, operations, results, journal, scratch_dir)
            _log_end(ended, fault)
        finally:
            journal.close()
            scratch_dir.close()
            steps.close()
        if fault is not None and not operations:
            raise _fault(record, fault, self.workspace.path)
        return ended, results

    def give_back(self, record: RunRecord, steps: tuple[Step, ...]) -> None:
        """Move back what a crash left in the scratch dir and is not the run's own: an edit caught in an exchange."""
        scratch_dir = self._scratch_dir(record)
        if not scratch_dir.folder.is_dir():
            return
        scratch_dir.open()
        try:
            from tandem_desktop.execution.publisher import Publisher

            Publisher(self.workspace, scratch_dir).give_back(steps)
        finally:
            scratch_dir.close()

    def file(
        self,
        record: RunRecord,
        operations: tuple[StagedOperation, ...],
        results: tuple[OperationResult, ...],
        encoded: bytes | None = None,
    ) -> None:
        """Store the results, complete the run and close its journal; repeated by recovery if interrupted.

        Raises:
            StorageError: the workspace is not at its path any more.
        """
        self.workspace.check_identity()
        try:
            self.runs.finish(record, operations, results, encoded)
        except OSError as error:
            if error.errno not in _FULL:
                raise
            # The disk is full: a run that has ended does not need its scratch dir.
            _discard(self._scratch_dir(record))
            self.runs.finish(record, operations, results, encoded)
        self._run_completion.file(record, results)
        self.journal_store.close(record.run_id)

    def close_unread(self, record: RunRecord) -> None:
        """Close a run whose journal was set aside."""
        self.runs.finish(record, (), ())
        self._run_completion.file(record, ())
        self.sweep()

    def _told(self, run_id: RunId, steps: StepLog, results: tuple[OperationResult, ...]) -> None:
        """Record results, then announce them."""
        steps.add(results)
        for result in results:
            self._on_result(run_id, result)

    def _scratch_dir(self, record: RunRecord) -> RunScratchDir:
        return RunScratchDir(self._locations.scratch_dirs / record.run_id, self.workspace, self.objects)

    def _roll_back(self, run: Run, policy: FailurePolicy) -> bool:
        if policy is not FailurePolicy.ROLLBACK:
            return False
        run.roll_back()
        return not run.ran_in_place

    def _ended(
        self,
        record: RunRecord,
        status: RunStatus,
        operations: tuple[StagedOperation, ...],
        results: tuple[OperationResult, ...],
        *,
        rolled_back: bool,
    ) -> RunRecord:
        from tandem_desktop.tasks.board import tasks_told

        summary = _summary(record.kind, results, rolled_back=rolled_back)
        return record.model_copy(
            update={
                "status": status,
                "rolled_back": rolled_back,
                "ended_at": self.clock(),
                "summary": f"{summary}{tasks_told(operations, results)}",
            }
        )

    def _close(
        self,
        record: RunRecord,
        operations: tuple[StagedOperation, ...],
        results: tuple[OperationResult, ...],
        journal: Journal,
        scratch_dir: RunScratchDir,
    ) -> None:
        encoded = encode_results(results)
        try:
            end = (b'{"type":"end","record":', record.model_dump_json().encode(), b',"results":', encoded, b"}")
            journal.append(b"".join(end))
            self.file(record, operations, results, encoded)
        except (OSError, StorageError) as error:
            raise self._left_open(record, error, "closed: {reason}. What it wrote is safe.") from error
        # Last, so that no sync waits for it; leftovers are removed by the next run.
        scratch_dir.close()
        self._clear(lambda: _discard(scratch_dir))

    def _left_open(self, record: RunRecord, error: OSError | StorageError, what: str) -> InterruptedRunError:
        if isinstance(error, StorageError):
            reason, mend = error.message.rstrip("."), error.next.rstrip(".")
        else:
            reason, mend = error.strerror or "", "Make room or mend the permissions, then"
        return InterruptedRunError(
            f"{record.run_id} could not be {what.format(reason=reason)}",
            path=_place(error) or str(self._locations.state),
            next=f"{mend}: tandem recover",
        )

    @property
    def _lock(self) -> Path:
        self._locations.prepare_state()
        return self._locations.locks / f"{self.workspace.identity.key}.lock"


def _log_end(record: RunRecord, fault: OSError | TandemError | None) -> None:
    seconds = (record.ended_at - record.started_at).total_seconds() if record.ended_at else 0.0
    rolled_back = ", rolled back" if record.rolled_back else ""
    reason = f", because of {type(fault).__name__}" if fault is not None else ""
    _log.info("run ended: %s, %s%s%s, after %.3f s", record.run_id, record.status, rolled_back, reason, seconds)


def _discard(scratch_dir: RunScratchDir) -> None:
    with contextlib.suppress(OSError):
        scratch_dir.discard()


def _all_results(
    operations: tuple[StagedOperation, ...], run: Run, status: RunStatus, fault: OSError | TandemError | None
) -> tuple[OperationResult, ...]:
    """One result per operation, also for those not reached; a fault goes to the operation it names."""
    rest = ResultStatus.CANCELLED if status is RunStatus.CANCELLED else ResultStatus.PENDING
    known = run.results
    results = [known.get(o.id) or OperationResult(id=o.id, status=rest) for o in operations]
    if fault is not None:
        named = fault.step if isinstance(fault, TandemError) else None
        unfinished = [i for i, result in enumerate(results) if result.status is not ResultStatus.ROLLED_BACK]
        guilty = next((i for i, result in enumerate(results) if result.id == named), next(iter(unfinished), None))
        if guilty is not None:
            results[guilty] = OperationResult(id=results[guilty].id, status=ResultStatus.FAILED, error=_message(fault))
    return tuple(results)


def _summary(kind: RunKind, results: tuple[OperationResult, ...], *, rolled_back: bool) -> str:
    if not results:
        ways = {RunKind.UNDO: "undone", RunKind.REDO: "reapplied"}
        return "rolled back, your files are as before" if rolled_back else ways.get(kind, "done")
    done = sum(result.status is ResultStatus.COMPLETED for result in results)
    tail = "; rolled back, your files are as before" if rolled_back else ""
    return f"{done} of {len(results)} operations done{tail}"


def _message(error: OSError | TandemError | None) -> str:
    if isinstance(error, TandemError):
        return error.message
    return f"{_place(error) or 'the disk'}: {error.strerror}" if error else ""


def _place(error: OSError | TandemError) -> str | None:
    """The absolute path of an error, if it has one."""
    if isinstance(error, TandemError):
        return error.path
    return error.filename if isinstance(error.filename, str) and error.filename.startswith("/") else None


def _fault(record: RunRecord, error: OSError | TandemError, workspace: Path) -> TandemError:
    if isinstance(error, OperationError):
        return error
    return StorageError(
        f"{record.run_id} failed: {_message(error)}. The tree is as before.",
        path=_place(error) or str(workspace),
        next="Make room or mend the permissions, then try again.",
    )
