"""Turn adjustments into a revision: what stays is kept as it was reviewed, what is new is simulated with it."""

from collections.abc import Callable, Iterator
from datetime import datetime

from tandem_desktop.domain.errors import StepRefusedError
from tandem_desktop.domain.execution_plan import THINK, ExecutionPlan, ExecutionStep, StepStatus
from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import Note, Origin, PlanVersion
from tandem_desktop.domain.ports import SourceTree
from tandem_desktop.domain.reflection import AdjustmentAction, StepAdjustment
from tandem_desktop.orchestration.proposals import Proposals
from tandem_desktop.reflection.plan_adjuster import PlanAdjuster
from tandem_desktop.staging.plan_json import step_from
from tandem_desktop.staging.plan_steps import AnyStep
from tandem_desktop.staging.simulate import Simulation, simulate_parts
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
    """What is still to be done, in order. What is on disk already is waited for by nobody any more."""
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
