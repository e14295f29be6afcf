"""Detects and settles interrupted runs."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from tandem_desktop.domain.errors import (
    BadInputError,
    BusyError,
    ExecutionError,
    JournalError,
    PlanError,
    RollbackError,
)
from tandem_desktop.domain.ids import OperationId, PlanId, RunId
from tandem_desktop.domain.operations import NodeState, PathChange
from tandem_desktop.domain.plan import PlanMeta
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import FailurePolicy, OperationResult, ResultStatus, RunKind, RunRecord, RunStatus
from tandem_desktop.execution.commands import segments
from tandem_desktop.execution.journal import History, Journal
from tandem_desktop.execution.run import Run
from tandem_desktop.execution.run_manager import RunManager, RunOutcome
from tandem_desktop.execution.steps import Step, net_changes, ordered_steps
from tandem_desktop.storage.clock import Since
from tandem_desktop.storage.workspace import Workspace

_log = logging.getLogger(__name__)

EXECUTOR_TIMEOUT = timedelta(minutes=30)


def is_overdue(meta: PlanMeta, since: Since, timeout: timedelta = EXECUTOR_TIMEOUT) -> bool:
    """True if a run started longer ago than the timeout. Changes of the system clock are not counted."""
    if meta.status is not PlanStatus.EXECUTING:
        return False
    return meta.execution_started_at is None or since(meta.execution_started_at) >= timeout


def describe_progress(done: int, total: int, started_at: datetime | None, now: datetime) -> str:
    """How far an interrupted run came, as in "steps 3 of 9, started 2 h ago"."""
    steps = f"steps {done} of {total}"
    return steps if started_at is None else f"{steps}, started {_ago(now - started_at)}"


def _ago(elapsed: timedelta) -> str:
    minutes = int(elapsed.total_seconds() // 60)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    if minutes < 48 * 60:
        return f"{minutes // 60} h ago"
    return f"{minutes // (24 * 60)} days ago"


States = dict[str, NodeState | None]
"""The state of each path; None where it cannot be read as a file, link or folder."""


def look(workspace: Workspace, paths: Iterable[str]) -> States:
    """Read the current state of every path."""
    workspace.forget_directories()
    return {path: workspace.peek(path, keep=False)[0] for path in paths}


def touched_paths(steps: Iterable[Step]) -> tuple[str, ...]:
    """Every path the steps name, in order, once."""
    return tuple(dict.fromkeys(path for step in steps for path, _, _ in step.states()))


def locate(steps: tuple[Step, ...], found: States) -> int | None:
    """The number of steps that are done; None if the disk is not in a state between two steps.

    Steps are atomic and ordered, so unless another program changed a path some count always fits. The smallest is used:
    where two fit, the tree is the same.
    """
    current: dict[str, NodeState] = {}
    for step in steps:
        for path, before, _ in step.states():
            current.setdefault(path, before)
    wrong = sum(found[path] != state for path, state in current.items())
    if wrong == 0:
        return 0
    for count, step in enumerate(steps, start=1):
        for path, _, after in step.states():
            wrong += (found[path] != after) - (found[path] != current[path])
            current[path] = after
        if wrong == 0:
            return count
    return None


def histories(steps: Iterable[Step]) -> dict[str, list[NodeState]]:
    """Every state each path goes through, first to last."""
    states: dict[str, list[NodeState]] = {}
    for step in steps:
        for path, before, after in step.states():
            states.setdefault(path, [before]).append(after)
    return states


Settled = tuple[RunRecord, tuple[OperationResult, ...]]


@dataclass(frozen=True, slots=True)
class InterruptedRun:
    """A run without an end."""

    run_id: RunId
    plan_id: PlanId
    done: int
    total: int
    started_at: datetime
    command: OperationId | None = None
    """A command that was running when it was cut off."""
    command_text: str = ""
    """What it runs, or its operation where that cannot be told."""
    damage: JournalError | None = None
    """Why its journal cannot be read; then it can only be marked as failed."""


class Recovery:
    """Find interrupted runs and settle them. Every call can be interrupted itself and repeated."""

    def __init__(self, manager: RunManager) -> None:
        self._manager = manager

    def interrupted(self) -> tuple[InterruptedRun, ...]:
        """Runs that need a decision; none while a run is in progress. Runs that had ended or never begun are closed.

        Waits for a concurrent check to release the lock; otherwise interrupted runs would be missed.
        """
        if self._manager.is_at_work:
            return ()
        try:
            with self._manager.only_run():
                return self._interrupted()
        except BusyError:
            return ()

    def resume(self, run_id: str | None = None, *, run_command_again: bool = False) -> Settled:
        """Continue from the step that the disk is at.

        Raises:
            ExecutionError: a path is in no state the run knows, or a command would run a second time.
        """
        with self._manager.only_run():
            journal, history, record = self._reopen(run_id)
            try:
                if history.command_open and not run_command_again:
                    raise _command_would_repeat(record, history.command_open)
                done = self._located(history)
                _log.info("recovery: resume %s after %d of %d steps", record.run_id, done, len(history.steps))
            except BaseException:
                journal.close()
                raise
            return self._manager.conduct(
                record,
                history.operations,
                journal,
                lambda run: self._go_on(run, history, done),
                metadata=None if record.kind is RunKind.APPLY else history.metadata,
            )

    def roll_back(self, run_id: str | None = None) -> Settled:
        """Restore every path to its state before the run.

        Raises:
            RollbackError: another program changed a path; it is left alone and named.
        """
        with self._manager.only_run():
            journal, history, record = self._reopen(run_id)
            _log.info("recovery: roll back %s", record.run_id)
            return self._manager.conduct(record, history.operations, journal, lambda run: self._roll_back(run, history))

    def cancel(self, run_id: str | None = None) -> Settled:
        """Close the run as cancelled, as if a person had stopped it: its failure policy decides about the files.

        Raises:
            RollbackError: as `roll_back`, where the policy is to roll back.
        """
        with self._manager.only_run():
            journal, history, record = self._reopen(run_id)
            _log.info("recovery: cancel %s", record.run_id)
            end = self._roll_back if record.on_failure is FailurePolicy.ROLLBACK else self._leave
            return self._manager.conduct(
                record,
                history.operations,
                journal,
                lambda run: end(run, history)._replace(status=RunStatus.CANCELLED),
            )

    def mark_failed(self, run_id: str | None = None) -> Settled:
        """Leave the tree as it is and close the run as failed."""
        with self._manager.only_run():
            damaged = next((r for r in self._interrupted() if r.damage and run_id in (None, r.run_id)), None)
            if damaged is not None:
                return self._set_aside(damaged)
            journal, history, record = self._reopen(run_id)
            _log.info("recovery: mark %s as failed", record.run_id)
            return self._manager.conduct(record, history.operations, journal, lambda run: self._leave(run, history))

    def _interrupted(self) -> tuple[InterruptedRun, ...]:
        found = []
        for run_id in self._manager.journal_store.open_runs():
            try:
                history = self._manager.journal_store.history(run_id)
            except JournalError as error:
                found.append(self._unreadable(run_id, error))
                continue
            if history.record is None:
                self._manager.journal_store.drop(run_id)
            elif history.end is not None:
                ended = RunRecord.model_validate(history.end["record"])
                self._manager.file(ended, history.operations, history.results)
            else:
                found.append(_describe(history.record, history))
        self._manager.sweep()
        for run in found:
            _log.info("interrupted run found: %s of %s, %d of %d done", run.run_id, run.plan_id, run.done, run.total)
        return tuple(found)

    def _unreadable(self, run_id: RunId, error: JournalError) -> InterruptedRun:
        try:
            record = self._manager.runs.get(run_id)
        except PlanError:
            return InterruptedRun(run_id, PlanId(""), 0, 0, self._manager.clock(), damage=error)
        return InterruptedRun(run_id, record.plan_id, 0, 0, record.started_at, damage=error)

    def _set_aside(self, run: InterruptedRun) -> Settled:
        """Close a run whose journal cannot be read, as failed; the tree stays as it is and the journal is kept."""
        kept = self._manager.journal_store.set_aside(run.run_id)
        _log.info("recovery: mark %s as failed, its journal is damaged", run.run_id)
        record = self._manager.runs.get(run.run_id).model_copy(
            update={
                "status": RunStatus.FAILED,
                "ended_at": self._manager.clock(),
                "summary": f"its journal is damaged and kept at {kept}; look at the files the plan names",
            }
        )
        self._manager.close_unread(record)
        return record, ()

    def _reopen(self, run_id: str | None) -> tuple[Journal, History, RunRecord]:
        waiting = self._interrupted()
        names = [run.run_id for run in waiting]
        if not names or (run_id is not None and run_id not in names):
            which = f"{run_id} is" if run_id else "There is no run that was"
            raise BadInputError(f"{which} not interrupted." if run_id else f"{which} interrupted.", next="tandem runs")
        journal, history = self._manager.journal_store.reopen(RunId(run_id or names[0]))
        assert history.record is not None
        self._manager.give_back(history.record, history.current)
        return journal, history, history.record

    def _located(self, history: History) -> int:
        found = look(self._manager.workspace, touched_paths(history.steps))
        done = locate(history.steps, found)
        if done is None:
            changed = _changed_by_others(history, found)
            raise ExecutionError(
                f"Changed by someone else since the run was cut off: {', '.join(changed[:5])}.",
                path=changed[0] if changed else None,
                next="Put the file back, or: tandem recover --rollback",
            )
        return done

    def _go_on(self, run: Run, history: History, done: int) -> None:
        """Finish the segment that was cut off, then the rest."""
        steps = history.steps
        if history.planned and not steps:
            run.carry_out_steps(history.planned)
            return
        before = len(history.done)
        run.continue_after(steps[: min(done, before)], history.lost, len(steps))
        _remember_completed(run, history)
        if done < before or history.current:
            start = min(done, before)
            run.finish_segment(steps[start:], done - start)
        finished = history.completed | {step.operation for step in history.current}
        rest = tuple(o for o in history.operations if o.id not in finished)
        run.carry_out(segments(rest))

    def _roll_back(self, run: Run, history: History) -> RunOutcome:
        found = look(self._manager.workspace, touched_paths(history.steps))
        done = locate(history.steps, found)
        _remember_completed(run, history)
        if done is None:
            self._restore_what_is_known(run, history, found)
        else:
            self._take_back(run, history, done)
        return RunOutcome(RunStatus.FAILED, rolled_back=not history.ran_in_place)

    def _leave(self, run: Run, history: History) -> RunOutcome:
        """Record how many steps of the last segment are done, so that they can still be undone."""
        found = look(self._manager.workspace, touched_paths(history.steps))
        done = locate(history.steps, found)
        _remember_completed(run, history)
        if history.current and done is not None:
            run.note_done(history.current, max(0, done - len(history.done)))
        return RunOutcome(RunStatus.FAILED, rolled_back=False)

    def _take_back(self, run: Run, history: History, done: int) -> None:
        run.continue_after(history.steps[:done], history.lost, len(history.steps))
        run.roll_back(trusted=False, kept=self._objects_of_git(history))

    def _objects_of_git(self, history: History) -> set[str]:
        """Since the run was cut off the person may have come to need them."""
        from tandem_desktop.execution.git_undo import added_objects

        return added_objects(net_changes(history.steps), self._manager.workspace)

    def _restore_what_is_known(self, run: Run, history: History, found: States) -> None:
        """Roll back the paths in a known state; raise an error that names those changed by other programs."""
        changed = _changed_by_others(history, found)
        kept = self._objects_of_git(history)
        changes = []
        for path, states in histories(history.steps).items():
            state = found[path]
            if path not in changed and path not in kept and state is not None and state != states[0]:
                changes.append(PathChange(path=path, before=state, after=states[0]))
        run.continue_after((), history.lost, len(history.steps))
        run.restore(ordered_steps(changes, OperationId("rollback"), first=len(history.steps)), history.steps)
        if changed:
            raise RollbackError(
                f"The roll back is incomplete: {', '.join(changed)} changed by someone else; left as it is.",
                path=changed[0],
                next="Look at it, then: tandem recover --mark-failed",
            )


def _remember_completed(run: Run, history: History) -> None:
    run.ran_in_place = history.ran_in_place
    for operation in history.operations:
        if operation.id in history.completed:
            run.results[operation.id] = OperationResult(id=operation.id, status=ResultStatus.COMPLETED)


def _describe(record: RunRecord, history: History) -> InterruptedRun:
    total = len(history.operations) or len(history.planned)
    done = len(history.completed) if history.operations else len(history.done)
    command = history.command_open
    texts = (each.call.text for each in history.operations if each.id == command and each.call is not None)
    text = next(texts, command or "")
    return InterruptedRun(record.run_id, record.plan_id, done, total, record.started_at, command, text)


def _changed_by_others(history: History, found: States) -> list[str]:
    """Paths in a state the run never gave them."""
    return [path for path, states in histories(history.steps).items() if found[path] not in states]


def _command_would_repeat(record: RunRecord, operation: OperationId) -> ExecutionError:
    return ExecutionError(
        f"{record.run_id} was cut off inside the command of {operation}; going on runs it a second time.",
        step=operation,
        next="Say so with: tandem recover --resume --again, or take the run back: tandem recover --rollback",
    )
