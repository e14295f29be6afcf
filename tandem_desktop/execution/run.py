"""Executes one run under its journal and verifies the result."""

import contextlib
import logging
from collections.abc import Callable, Iterable, Set
from typing import Any

from tandem_desktop.domain.errors import JournalError, OperationError, RollbackError, TandemError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import NodeState, PathChange, StagedOperation
from tandem_desktop.domain.runs import FailurePolicy, OperationResult, ResultStatus
from tandem_desktop.execution.commands import (
    CommandOutcome,
    CommandRunner,
    OnOutput,
    RunControl,
    Segment,
    Touched,
    dependents,
    in_turn,
)
from tandem_desktop.execution.journal import Journal, encode
from tandem_desktop.execution.publisher import Publisher
from tandem_desktop.execution.scratch_dir import LostAttributes, Metadata, RunScratchDir
from tandem_desktop.execution.steps import (
    Step,
    compile_steps,
    may_be_ref,
    net_changes,
    ordered_steps,
    pack_state,
    pack_step,
)
from tandem_desktop.storage.workspace import AtHand, StatSignatures, Workspace


def not_as_approved(steps: Iterable[Step], workspace: Workspace, at_hand: AtHand) -> list[OperationError]:
    """Read back every path the steps touched; returns an error for each that is not as approved."""
    expected: dict[str, tuple[NodeState, Step]] = {}
    for step in steps:
        if step.to is None:
            expected[step.path] = (step.after, step)
        else:
            expected.update((path, (after, step)) for path, _, after in step.states())
    workspace.forget_directories()
    return [
        OperationError(
            f"{path} is not what was approved after writing it.",
            path=path,
            step=step.operation,
            next="Something else writes to it; stop that, then apply again.",
        )
        for path, (after, step) in expected.items()
        if not workspace.has(path, after, at_hand=at_hand)
    ]


_log = logging.getLogger(__name__)

FAILED_HERE = -1
"""The exit code in the journal for a command that did not end by itself, or whose effects could not be kept."""

_COMMAND_ENDED = "command ended: %s, operation %s, exit code %s, %d effects"
_BESIDE_A_FAILURE = "A command that ran beside it failed; nothing it did was kept."

OnResults = Callable[[tuple[OperationResult, ...]], None]
"""Receives results that became known together."""


class HaltError(Exception):
    """Stops the run: an operation failed under a policy that stops, or the person stopped it."""

    def __init__(self, *, cancelled: bool) -> None:
        super().__init__("cancelled" if cancelled else "failed")
        self.cancelled = cancelled


class Run:
    """Execute segments in order. Plans and approvals were checked before."""

    def __init__(
        self,
        *,
        operations: tuple[StagedOperation, ...],
        workspace: Workspace,
        scratch_dir: RunScratchDir,
        journal: Journal,
        commands: CommandRunner,
        make_call: Callable[[StagedOperation], CommandOutcome],
        control: RunControl,
        policy: FailurePolicy,
        on_results: OnResults,
        on_output: OnOutput,
        on_start: Callable[[OperationId], None] = lambda operation: None,
        metadata: dict[str, Metadata] | None = None,
        signatures: StatSignatures | None = None,
    ) -> None:
        self._workspace = workspace
        self._scratch_dir = scratch_dir
        self._publisher = Publisher(workspace, scratch_dir, signatures)
        self._journal = journal
        self._commands = commands
        self._make_call = make_call
        self._control = control
        self._policy = policy
        self._on_results = on_results
        self._on_output = on_output
        self._on_start = on_start
        self._begun: set[OperationId] = set()
        self._metadata = metadata
        self._plain = signatures.plain if signatures is not None else set()
        """Files without attributes to keep; valid until something is published or a command runs."""
        self._published: list[Step] = []
        self._lost = LostAttributes(workspace, scratch_dir, metadata or {})
        self._next_step = 0
        self._doomed: set[OperationId] = set()
        self._success: dict[OperationId, OperationResult] = {}
        self._operations = operations
        self.results: dict[OperationId, OperationResult] = {}
        self.ran_in_place = False
        self.touched: set[str] = set()
        """Every path the run touched, also those it restored."""
        self._segments_done = 0

    def carry_out(self, all_segments: tuple[Segment, ...]) -> None:
        """Run every segment.

        Raises:
            HaltError: it stopped early; `roll_back` may follow.
        """
        for batch in in_turn(all_segments, self._commands):
            self._go_on_or_halt()
            if not batch[0][0].is_run:
                self._run_files(batch[0])
            else:
                self._run_commands(tuple(segment[0] for segment in batch if segment[0].id not in self._doomed))

    def continue_after(self, published: tuple[Step, ...], lost: dict[int, Metadata], next_step: int) -> None:
        """Continue after the steps that an interrupted run had published."""
        self._published = list(published)
        self._lost.take_over(lost)
        self._next_step = next_step

    def finish_segment(self, steps: tuple[Step, ...], done: int) -> None:
        """Publish the rest of a segment that was interrupted after `done` steps."""
        rest = steps[done:]
        self._published.extend(steps[:done])
        self._lost.catch_up(steps[:done])
        self._scratch_dir.prepare(rest, self._metadata)
        self._scratch_dir.sync_all(rest)
        self._publish(steps, rest)

    def carry_out_steps(self, steps: tuple[Step, ...]) -> None:
        """Execute precomputed steps as one segment."""
        self._go_on_or_halt()
        self._next_step = len(steps)
        self._prepare_all(steps)
        self._publish(steps, steps)

    def to_read_again(self) -> dict[str, NodeState]:
        """The paths to read again at the end, with their expected states; empty if they were just verified."""
        if self._segments_done < 2:
            return {}
        return {path: after for path, (_, after) in net_changes(self._published).items()}

    def roll_back(self, *, trusted: bool = True, kept: Set[str] = frozenset()) -> None:
        """Undo every published step, newest first, and verify the result on disk; paths that are `kept` stay.

        Continues if the journal cannot be written: restoring the tree comes first.

        Raises:
            RollbackError: a path could not be restored; the run stays open for recovery.
        """
        with contextlib.suppress(OSError, JournalError):
            self._journal.append({"type": "rollback"})
        _log.info("roll back started: %s, %d steps to take back", self._name, len(self._published))
        before = {path: first for path, (first, _) in net_changes(self._published).items() if path not in kept}
        while self._published:
            step = self._published[-1]
            if step.path in kept:
                self._published.pop()
                continue
            try:
                self._publisher.take_back(step, self._lost.of(step), trusted=trusted)
            except TandemError as error:
                raise _incomplete(error.path or step.path, error.message) from error
            self._published.pop()
        try:
            self._publisher.sync()
        except OSError as error:
            raise _incomplete(str(self._workspace.path), f"it could not be made durable: {error.strerror}.") from error
        if (wrong := self._publisher.first_not_restored(before)) is not None:
            raise _incomplete(wrong, f"{wrong} is not as it was before the run.")
        _log.info("roll back done: %s, %d paths as before", self._name, len(before))
        self._mark_rolled_back()

    def restore(self, steps: tuple[Step, ...], done: tuple[Step, ...]) -> None:
        """Restore single paths, independent of the order of the run, which has done the steps `done`.

        Raises:
            RollbackError: one of them refused.
        """
        self._lost.catch_up(done)
        had = {**self._lost.at_first(done), **(self._metadata or {})}
        try:
            self._scratch_dir.prepare(steps, had or self._metadata)
            self._scratch_dir.sync_all(steps)
            for step in steps:
                self._publisher.publish(step)
            self._publisher.sync()
        except OperationError as error:
            raise _incomplete(error.path or "", error.message) from error
        self._mark_rolled_back()

    def note_done(self, steps: tuple[Step, ...], count: int) -> None:
        """Record that a segment ends after `count` of its steps."""
        self._lost.catch_up(steps[:count])
        self._journal.append({"type": "done", "count": count, "lost": self._lost.packed()})
        whole = {step.operation for step in steps[:count]} - {step.operation for step in steps[count:]}
        self._set(*(self._completed(operation) for operation in whole))

    def fail(self, operation: OperationId, message: str, **facts: Any) -> None:
        """Record a failure; the policy decides whether anything follows."""
        self._tell_start(operation)
        _log.info("operation failed: %s, operation %s, policy %s", self._name, operation, self._policy)
        doomed = dependents(self._operations, operation)
        self._doomed.update(doomed)
        lost = (each.id for each in self._operations if each.id in doomed)
        why = f"needs {operation}, which failed"
        self._set(
            OperationResult(id=operation, status=ResultStatus.FAILED, error=message, **facts),
            *(OperationResult(id=each, status=ResultStatus.SKIPPED, error=why) for each in lost),
        )
        if self._policy is not FailurePolicy.CONTINUE:
            raise HaltError(cancelled=False)

    def _run_files(self, segment: Segment) -> None:
        wanted = tuple(operation for operation in segment if operation.id not in self._doomed)
        steps = compile_steps(wanted, self._workspace, first=self._next_step)
        if not steps:
            return
        try:
            self._prepare_all(steps)
        except OperationError as error:
            self._without(wanted, error)
            return
        self._next_step += len(steps)
        try:
            self._publish(steps, steps)
        except OperationError as error:
            self._after_failed_publish(wanted, steps, error)

    def _without(self, wanted: Segment, error: OperationError) -> None:
        """Handle a failed preparation by the policy; nothing of the segment is published yet."""
        failed = OperationId(error.step or wanted[0].id)
        if self._policy is FailurePolicy.STOP:
            position = next(i for i, operation in enumerate(wanted) if operation.id == failed)
            if position:
                self._run_files(wanted[:position])
        self.fail(failed, error.message)
        self._run_files(tuple(o for o in wanted if o.id != failed))

    def _after_failed_publish(self, wanted: Segment, steps: tuple[Step, ...], error: OperationError) -> None:
        failed = OperationId(error.step or wanted[0].id)
        if self._policy is FailurePolicy.ROLLBACK:
            self.fail(failed, error.message)
        self._plain = set()
        own = [step.n for step in self._published if step.operation == failed]
        if own:
            self._take_back_from(min(own))
        done = sum(step.n >= steps[0].n for step in self._published)
        wrong = self._verify(steps[:done])
        self._finish(steps, done, {s.operation for s in steps[:done]}.difference(e.step for e in wrong))
        position = next(i for i, operation in enumerate(wanted) if operation.id == failed)
        for each in (*wrong, error):
            self.fail(OperationId(each.step or failed), each.message)
        self._run_files(wanted[position + 1 :])

    def _prepare_all(self, steps: tuple[Step, ...]) -> None:
        self._scratch_dir.prepare(steps, self._metadata, self._plain)
        with self._scratch_dir.syncing(steps):  # use the time for work that needs no disk
            seen = self._seen(steps)
            noted = {"seen": seen} if seen else {}
            intent = encode({"type": "intent", "steps": [pack_step(step) for step in steps], **noted})
            for step in steps:
                self._completed(step.operation)
        self._journal.append(intent)

    def _seen(self, steps: tuple[Step, ...]) -> dict[str, list[Any]]:
        """The files of git beside those that change, by which an undo knows later what a reference was."""
        if not any(may_be_ref(step.path) for step in steps):
            return {}
        from tandem_desktop.execution.git_undo import files_beside

        found = files_beside(net_changes(steps), self._workspace, self._scratch_dir.objects)
        self._scratch_dir.objects.put_all(data for _, data in found.values() if data is not None)
        return {path: pack_state(state) for path, (state, _) in found.items()}

    def _publish(self, steps: tuple[Step, ...], rest: tuple[Step, ...]) -> None:
        wrong = self._write(steps, rest)
        self._finish(steps, len(steps), {s.operation for s in steps}.difference(e.step for e in wrong))
        for error in wrong:
            self.fail(OperationId(error.step or ""), error.message)

    def _write(self, steps: tuple[Step, ...], rest: tuple[Step, ...]) -> list[OperationError]:
        """Publish `rest` and verify `steps`; returns an error for each path that is not as approved.

        Raises:
            OperationError: a step could not be published, or is not as approved and the policy is to roll back.
        """
        for step in rest:
            self._go_on_or_halt()
            self._tell_start(step.operation)
            self.touched.add(step.path)
            if step.to is not None:
                self.touched.add(step.to)
            self._lost.before(step)
            self._publisher.publish(step)
            self._published.append(step)
            self._lost.after(step)
        wrong = self._verify(steps)
        if wrong and self._policy is FailurePolicy.ROLLBACK:
            raise wrong[0]
        return wrong

    def _verify(self, steps: tuple[Step, ...]) -> list[OperationError]:
        return not_as_approved(steps, self._workspace, self._scratch_dir.at_hand)

    def _finish(self, steps: tuple[Step, ...], done: int, completed: set[OperationId]) -> None:
        """Make the segment durable, record that in the journal, then report the results."""
        self._publisher.sync()
        self._segments_done += 1
        self._journal.append({"type": "done", "count": done, "lost": self._lost.packed()})
        _log.debug("segment done: %s, segment %d, %d of %d steps", self._name, self._segments_done, done, len(steps))
        done_now = []
        for step in steps:
            if step.operation in completed:
                completed.discard(step.operation)
                known = self.results.get(step.operation)
                if known is None or known.status is not ResultStatus.COMPLETED:
                    done_now.append(self._completed(step.operation))
        self._set(*done_now)

    def _completed(self, operation: OperationId) -> OperationResult:
        """The cached result of an operation that succeeds."""
        result = self._success.get(operation)
        if result is None:
            result = self._success[operation] = OperationResult(id=operation, status=ResultStatus.COMPLETED)
        return result

    def _run_commands(self, operations: tuple[StagedOperation, ...]) -> None:
        """Run one command, or several independent ones in parallel; commit their effects in plan order."""
        for operation in operations:
            captured = not operation.kind.spec.is_external and self._commands.captures
            self._journal.append({"type": "command", "operation": operation.id, "captured": captured})
            self.ran_in_place |= not captured
        for operation in operations:
            _log.debug("command started: %s, operation %s", self._name, operation.id)
            self._tell_start(operation.id)
        outcomes = self._outcomes(operations)
        self._plain = set()
        self._workspace.forget_directories()
        self._segments_done += len(operations)
        touched, waiting = Touched(), list(operations)
        try:
            for operation, outcome in zip(operations, outcomes, strict=True):
                waiting.remove(operation)
                self._settle_command(operation, outcome, touched)
        except HaltError as halt:
            for operation in waiting:
                self._journal.append({"type": "command_done", "operation": operation.id, "exit_code": FAILED_HERE})
                self._set(_not_kept(operation.id, "stopped by the person" if halt.cancelled else _BESIDE_A_FAILURE))
            raise

    def _outcomes(self, operations: tuple[StagedOperation, ...]) -> tuple[CommandOutcome | TandemError, ...]:
        together = self._commands.together if len(operations) > 1 else None
        if together is None:
            return tuple(map(self._outcome, operations))
        all_or_none = self._policy is FailurePolicy.ROLLBACK
        return together.run_together(operations, self._control, self._on_output, all_or_none=all_or_none)

    def _outcome(self, operation: StagedOperation) -> CommandOutcome | TandemError:
        try:
            if operation.kind.spec.is_external:
                return self._make_call(operation)
            return self._commands.run(operation, self._control, self._on_output)
        except TandemError as error:
            return error

    def _settle_command(
        self, operation: StagedOperation, outcome: CommandOutcome | TandemError, touched: Touched
    ) -> None:
        if isinstance(outcome, TandemError):
            _log.debug("command failed: %s, operation %s, %s", self._name, operation.id, outcome.kind)
            self._command_failed(operation.id, outcome.message)
            return
        facts: dict[str, Any] = {"exit_code": outcome.exit_code, "output": outcome.output}
        _log.debug(_COMMAND_ENDED, self._name, operation.id, outcome.exit_code, len(outcome.effects or ()))
        if outcome.effects and not outcome.error:
            try:
                effects = touched.take(operation.id, outcome.effects)
            except OperationError as clash:
                self._command_failed(operation.id, f"{clash.message} {clash.next}", **facts)
                return
            if effects and not self._commit_effects(operation, effects, facts):
                return
        self._journal.append({"type": "command_done", "operation": operation.id, "exit_code": outcome.exit_code})
        if outcome.aborted and not self._control.is_aborted:
            self._set(_not_kept(operation.id, _BESIDE_A_FAILURE))
        elif outcome.aborted:
            self._set(OperationResult(id=operation.id, status=ResultStatus.CANCELLED, error=outcome.error, **facts))
            raise HaltError(cancelled=True)
        elif outcome.error:
            what = "call" if operation.kind.spec.is_external else "command"
            self.fail(operation.id, f"The {what} {outcome.error}.", **facts)
        else:
            self._set(OperationResult(id=operation.id, status=ResultStatus.COMPLETED, **facts))

    def _commit_effects(
        self, operation: StagedOperation, effects: tuple[PathChange, ...], facts: dict[str, Any]
    ) -> bool:
        """Write the effects of a command; False if that failed, which is then recorded."""
        first = self._next_step
        steps = ordered_steps(effects, operation.id, first=first)
        self._next_step += len(steps)
        try:
            self._prepare_all(steps)
            wrong = self._write(steps, steps)
        except OperationError as error:
            if self._policy is not FailurePolicy.ROLLBACK:
                self._take_back_from(first)
                self._journal.append({"type": "done", "count": 0, "lost": {}})
            self._command_failed(operation.id, f"Its effects could not be written: {error.message}", **facts)
            return False
        self._finish(steps, len(steps), set())
        if wrong:
            self._command_failed(operation.id, " ".join(error.message for error in wrong), **facts)
        return not wrong

    def _command_failed(self, operation: OperationId, message: str, **facts: Any) -> None:
        self._journal.append({"type": "command_done", "operation": operation, "exit_code": FAILED_HERE})
        self.fail(operation, message, **facts)

    def _take_back_from(self, first: int) -> None:
        """Undo what was published from step number `first` on; the rest of the run stays."""
        while self._published and self._published[-1].n >= first:
            step = self._published.pop()
            try:
                self._publisher.take_back(step, self._lost.of(step), trusted=True)
            except TandemError as error:
                raise _incomplete(error.path or step.path, error.message) from error

    def _mark_rolled_back(self) -> None:
        done = [result for result in self.results.values() if result.status is ResultStatus.COMPLETED]
        self._set(*(result.model_copy(update={"status": ResultStatus.ROLLED_BACK}) for result in done))

    @property
    def _name(self) -> str:
        """The run in the log."""
        return self._scratch_dir.folder.name

    def _go_on_or_halt(self) -> None:
        if not self._control.may_go_on():
            raise HaltError(cancelled=True)

    def _tell_start(self, operation: OperationId) -> None:
        if operation not in self._begun:
            self._begun.add(operation)
            self._on_start(operation)

    def _set(self, *results: OperationResult) -> None:
        self.results.update((result.id, result) for result in results)
        self._on_results(results)


def _not_kept(operation: OperationId, why: str) -> OperationResult:
    return OperationResult(id=operation, status=ResultStatus.CANCELLED, error=why)


def _incomplete(path: str, reason: str) -> RollbackError:
    return RollbackError(
        f"The roll back is incomplete at {path}: {reason}",
        path=path,
        next="Look at the path, then: tandem recover --rollback",
    )
