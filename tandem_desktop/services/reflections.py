"""Stores reflections and turns adjustments into revisions."""

from collections.abc import Callable, Iterator
from datetime import datetime

from tandem_desktop.approval.audit_log import AuditLog
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import (
    BadInputError,
    InvalidTransitionError,
    StaleRevisionError,
    StepRefusedError,
    TandemError,
)
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import AdjustmentApplied, ReflectionCompleted
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.lifecycle import check
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import Note, Origin, PlanVersion
from tandem_desktop.domain.plan_steps import THINK, ExecutionPlan, ExecutionStep, StepStatus
from tandem_desktop.domain.ports import SourceTree
from tandem_desktop.domain.reflection import (
    AdjustmentAction,
    AdjustmentVerdict,
    Assessment,
    Judged,
    PlanSnapshot,
    Reflection,
    StepAdjustment,
)
from tandem_desktop.domain.runs import RunKind, RunRecord, RunStatus
from tandem_desktop.domain.state_machine import PlanUpdated
from tandem_desktop.execution.run_store import RunStore
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.services.proposals import Proposals
from tandem_desktop.services.reflector import PlanAdjuster, Reflected
from tandem_desktop.staging.plan_json import step_from
from tandem_desktop.staging.simulate import Simulation, simulate_parts
from tandem_desktop.staging.steps import AnyStep
from tandem_desktop.storage.objects import ObjectStore

_LEFT_OUT = frozenset({StepStatus.COMPLETED, StepStatus.SKIPPED})
_DONE = {
    AdjustmentAction.MODIFY: "changed",
    AdjustmentAction.RETRY: "done again",
    AdjustmentAction.SKIP: "left out",
    AdjustmentAction.ADD_BEFORE: "a step added before it",
    AdjustmentAction.ADD_AFTER: "a step added after it",
    AdjustmentAction.REPLACE: "replaced",
}


class Adjusting:
    """Works out revisions of origin `adjustment`. They touch no file and inherit no approval."""

    def __init__(
        self,
        *,
        tree: SourceTree,
        objects: ObjectStore,
        proposals: Proposals,
        clock: Callable[[], datetime],
        adjuster: PlanAdjuster,
    ) -> None:
        self._tree = tree
        self._objects = objects
        self._proposals = proposals
        self._clock = clock
        self._adjuster = adjuster

    def draft(self, version: PlanVersion, plan: ExecutionPlan, adjustments: tuple[StepAdjustment, ...]) -> Simulation:
        """What the adjusted plan comes to in the workspace as it stands; nothing is saved.

        Raises:
            StepRefusedError: an adjustment cannot be made, or the plan would not apply with it.
            BadInputError: what a new step is given is malformed.
        """
        adjusted = self._adjuster.adjust(plan, adjustments)
        if adjusted.left_out:
            adjustment, reason = adjusted.left_out[0]
            raise StepRefusedError(reason, step=adjustment.step_id, next="Reject this adjustment.")
        made = simulate_parts(tuple(_parts(version, adjusted.plan)), self._tree, self._objects.read, self._clock())
        if not made.operations:
            raise StepRefusedError(
                "Nothing would be left to do.", next=f"End the plan with: tandem cancel {version.plan_id}"
            )
        return Simulation(made.operations, made.contents, (*_notes(version, adjusted.plan), *made.notes))

    def revise(
        self, latest: PlanVersion, plan: ExecutionPlan, adjustments: tuple[StepAdjustment, ...], run_id: RunId
    ) -> PlanVersion:
        """The adjusted plan as the next revision; raises as `draft` does, and then nothing was saved."""
        made = self.draft(latest, plan, adjustments)
        self._objects.put_all(made.contents.values())
        update = {
            "operations": made.operations,
            "notes": made.notes,
            "content": latest.content.rstrip("\n") + "\n\n" + _told(adjustments, run_id),
            "parent_revision": latest.revision,
            "origin": Origin.ADJUSTMENT,
            "drifted": (),
        }
        return self._proposals.stage(latest.model_copy(update=update))


def _parts(version: PlanVersion, plan: ExecutionPlan) -> Iterator[StagedOperation | AnyStep]:
    """The steps still to be done, in order, without dependencies on what is on disk already."""
    operations = {operation.id: operation for operation in version.operations}
    notes = {note.step for note in version.notes}
    going = [s for s in plan.steps if s.status not in _LEFT_OUT and s.tool != THINK and s.id not in notes]
    names = {step.id for step in going}
    for step in going:
        waits_for = tuple(name for name in step.blocked_by if name in names)
        if step.operation is not None:
            yield operations[step.operation].model_copy(update={"blocked_by": waits_for})
        else:
            yield _new_step(step, waits_for)


def _new_step(step: ExecutionStep, waits_for: tuple[str, ...]) -> AnyStep:
    return step_from(
        {
            "id": step.id,
            "description": step.description,
            "tool": step.tool,
            "args": step.tool_input,
            "task": step.task,
            "blocked_by": list(waits_for),
        }
    )


def _notes(version: PlanVersion, plan: ExecutionPlan) -> Iterator[Note]:
    """The notes that stay, and thoughts that are new."""
    known = {note.step: note for note in version.notes}
    for step in plan.steps:
        if step.status is not StepStatus.SKIPPED and (step.tool == THINK or step.id in known):
            yield known.get(step.id) or Note(step=step.id, tool=THINK, description=step.description)


def _told(adjustments: tuple[StepAdjustment, ...], run_id: RunId) -> str:
    """What the person reads about it in the plan's own text."""
    lines = [f"- {each.step_id}, {_DONE[each.action]}: {' '.join(each.reason.split())}" for each in adjustments]
    return "\n".join((f"## Adjusted after {run_id}", "", *lines)) + "\n"


_SIMPLE = 2
"""A plan of so few operations is simple; the setting may leave it alone."""
_ENDED = (RunStatus.FAILED, RunStatus.COMPLETED)


class ReflectedOn(Frozen):
    """The audit entry of a reflection."""

    plan_id: PlanId
    revision: int
    run_id: RunId
    assessment: Assessment
    adjustments: tuple[StepAdjustment, ...]
    agent: str


class AdjustedPlan(Frozen):
    """The audit entry of an adjustment."""

    plan_id: PlanId
    revision: int
    digest: str
    run_id: RunId
    accepted: tuple[StepAdjustment, ...]
    rejected: tuple[StepAdjustment, ...]


class Reflections:
    """Keeps reflections with their runs. The revisions it makes wait for an approval like any other."""

    def __init__(
        self,
        *,
        plans: PlanStore,
        runs: RunStore,
        adjusting: Adjusting,
        audit: AuditLog,
        events: EventStream,
        clock: Callable[[], datetime],
        max_cycles: int,
    ) -> None:
        self._plans = plans
        self._runs = runs
        self._adjusting = adjusting
        self._audit = audit
        self._events = events
        self._clock = clock
        self.max_cycles = max_cycles

    def snapshot(self, run_id: str) -> PlanSnapshot:
        """The plan of a run as it came out of it, to be looked at.

        Raises:
            RunNotFoundError: there is no such run.
            InvalidTransitionError: there is nothing to look back at, or the plan was adjusted as often as it may be.
            StaleRevisionError: the plan has gone on since.
        """
        record = self._runs.get(run_id)
        _refuse_other_runs(record)
        plan = self._executed(record)
        cycle = self.cycles(record.plan_id)
        if cycle >= self.max_cycles and record.status is RunStatus.FAILED:
            raise InvalidTransitionError(
                f"{record.plan_id} was adjusted {cycle} times; `max_reflection_cycles` allows no more.",
                next=f"Change the plan yourself: tandem show {record.plan_id} --diff; or raise the setting.",
            )
        session_id = self._plans.meta(record.plan_id).session_id
        return PlanSnapshot(plan=plan, run_id=record.run_id, session_id=session_id, cycle=cycle, taken_at=self._clock())

    def keep(self, snapshot: PlanSnapshot, reflected: Reflected) -> Reflection:
        """Store a reflection; each adjustment is tried by itself and stored with the reason if it is refused."""
        record = self._runs.get(snapshot.run_id)
        version = self._plans.revision(record.plan_id, record.revision)
        said = reflected.result
        reflection = Reflection(
            plan_id=record.plan_id,
            run_id=record.run_id,
            snapshot=snapshot,
            assessment=said.assessment,
            reasoning=said.reasoning,
            adjustments=tuple(self._tried(version, snapshot.plan, each) for each in said.adjustments),
            agent=reflected.agent,
            at=self._clock(),
        )
        body = ReflectedOn(
            plan_id=record.plan_id,
            revision=record.revision,
            run_id=record.run_id,
            assessment=said.assessment,
            adjustments=said.adjustments,
            agent=reflected.agent,
        )
        self._audit.append("reflected", reflection.at, body)
        self._runs.save_reflection(reflection)
        self._events.publish(
            ReflectionCompleted(
                plan_id=record.plan_id,
                run_id=record.run_id,
                assessment=said.assessment,
                adjustments=len(said.adjustments),
            )
        )
        return reflection

    def of_run(self, run_id: str) -> Reflection | None:
        """What was thought of a run.

        Raises:
            RunNotFoundError: there is no such run.
        """
        return self._runs.reflection(run_id)

    def of_plan(self, plan_id: PlanId) -> Reflection | None:
        """What was thought of the plan's last run, as long as no newer revision has taken its place."""
        meta = self._plans.meta(plan_id)
        if meta.execution_session is None:
            return None
        try:
            found = self._runs.reflection(meta.execution_session)
        except TandemError:
            return None
        return found if found is not None and found.snapshot.plan.revision == meta.revision else None

    def judge(self, run_id: str, number: int, verdict: AdjustmentVerdict) -> Reflection:
        """Store the person's decision on one adjustment, counted from 1.

        Raises:
            BadInputError: there is no such adjustment, or it cannot be accepted.
        """
        reflection = self._found(run_id)
        self._refuse_verdict(reflection, number, verdict)
        judged = reflection.judged(number, verdict)
        self._runs.save_reflection(judged)
        return judged

    def decide(self, run_id: str, accepted: tuple[int, ...]) -> Reflection:
        """Accept these adjustments and reject the others; raises as `judge` does."""
        reflection = self._found(run_id)
        for number in accepted:
            self._refuse_verdict(reflection, number, AdjustmentVerdict.ACCEPTED)
        for number in range(1, len(reflection.adjustments) + 1):
            reflection = reflection.judged(
                number, AdjustmentVerdict.ACCEPTED if number in accepted else AdjustmentVerdict.REJECTED
            )
        self._runs.save_reflection(reflection)
        return reflection

    def make_revision(self, run_id: str) -> PlanVersion:
        """What the person accepted, together, as the next revision; what is still open counts as rejected.

        Raises:
            BadInputError: nothing is accepted.
            StepRefusedError: together they do not apply; nothing is made.
            StaleRevisionError: the plan has gone on since.
        """
        reflection = self._found(run_id)
        accepted = reflection.numbers(AdjustmentVerdict.ACCEPTED)
        if not accepted:
            raise BadInputError("No adjustment is accepted.", next="Accept at least one, or leave the plan as it is.")
        record = self._runs.get(run_id)
        plan = self._executed(record)
        check(self._plans.meta(record.plan_id), PlanUpdated(revision=record.revision + 1, origin=Origin.ADJUSTMENT))
        chosen = tuple(reflection.adjustments[number - 1].adjustment for number in accepted)
        version = self._adjusting.revise(self._plans.revision(record.plan_id), plan, chosen, record.run_id)
        self._runs.save_reflection(reflection.model_copy(update={"made_revision": version.revision}))
        self._tell(version, reflection, accepted, chosen)
        return version

    def cycles(self, plan_id: PlanId) -> int:
        """How often the plan was adjusted."""
        return sum(version.origin is Origin.ADJUSTMENT for version in self._plans.revisions(plan_id))

    def is_simple(self, plan_id: PlanId) -> bool:
        return len(self._plans.revision(plan_id).operations) <= _SIMPLE

    def _executed(self, record: RunRecord) -> ExecutionPlan:
        """The plan of the run from the store, never from what was kept with a reflection."""
        meta = self._plans.meta(record.plan_id)
        if meta.revision != record.revision:
            raise StaleRevisionError(record.plan_id, expected=record.revision, found=meta.revision)
        version = self._plans.revision(record.plan_id, record.revision)
        return ExecutionPlan.of(version, meta.status, self._runs.results(record.run_id))

    def _tried(self, version: PlanVersion, plan: ExecutionPlan, adjustment: StepAdjustment) -> Judged:
        try:
            self._adjusting.draft(version, plan, (adjustment,))
        except TandemError as refusal:
            return Judged(adjustment=adjustment, problem=refusal.message)
        return Judged(adjustment=adjustment)

    def _tell(
        self, version: PlanVersion, reflection: Reflection, numbers: tuple[int, ...], chosen: tuple[StepAdjustment, ...]
    ) -> None:
        rejected = tuple(
            each.adjustment for each in reflection.adjustments if each.verdict is not AdjustmentVerdict.ACCEPTED
        )
        body = AdjustedPlan(
            plan_id=version.plan_id,
            revision=version.revision,
            digest=version.approval_hash,
            run_id=reflection.run_id,
            accepted=chosen,
            rejected=rejected,
        )
        self._audit.append("adjusted", self._clock(), body)
        for number, adjustment in zip(numbers, chosen, strict=True):
            self._events.publish(
                AdjustmentApplied(
                    plan_id=version.plan_id,
                    revision=version.revision,
                    number=number,
                    action=adjustment.action,
                    step_id=adjustment.step_id,
                )
            )

    def _refuse_verdict(self, reflection: Reflection, number: int, verdict: AdjustmentVerdict) -> None:
        if not 1 <= number <= len(reflection.adjustments):
            raise BadInputError(
                f"There is no adjustment {number}.", next=f"There are {len(reflection.adjustments)}, counted from 1."
            )
        problem = reflection.adjustments[number - 1].problem
        if verdict is AdjustmentVerdict.ACCEPTED and problem:
            raise BadInputError(f"Adjustment {number} cannot be accepted: {problem}", next="Reject it.")

    def _found(self, run_id: str) -> Reflection:
        found = self._runs.reflection(run_id)
        if found is None:
            raise BadInputError(f"There is no reflection on {run_id} yet.", next=f"Ask: tandem reflect {run_id}")
        if found.made_revision is not None:
            raise InvalidTransitionError(
                f"The adjustments after {run_id} have become r{found.made_revision}.",
                next=f"Look at it with: tandem show {found.plan_id} --diff",
            )
        return found


def _refuse_other_runs(record: RunRecord) -> None:
    if record.kind is not RunKind.APPLY or record.status not in _ENDED:
        what = f"is {record.status.value}" if record.kind is RunKind.APPLY else f"is an {record.kind.value}"
        raise InvalidTransitionError(
            f"{record.run_id} {what}; only a run of a plan that failed or completed can be looked back at.",
            next="See the runs with: tandem runs",
        )
