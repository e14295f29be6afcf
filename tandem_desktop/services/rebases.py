"""Rebases waiting plans."""

from collections.abc import Iterable
from dataclasses import dataclass

from tandem_desktop.diff.three_way import Region, suggestion, three_way, whole
from tandem_desktop.domain.errors import BadInputError, RebaseConflictError, StepRefusedError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.lifecycle import check
from tandem_desktop.domain.operations import FileState, NodeState
from tandem_desktop.domain.plan import Origin, PlanVersion
from tandem_desktop.domain.state_machine import PlanUpdated
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.review.choices import Choices
from tandem_desktop.review.conflicts import Conflict, Resolution, check_answer
from tandem_desktop.review.drift import drift
from tandem_desktop.review.rebase import Rebased, chains, rebase
from tandem_desktop.services.proposals import Proposals
from tandem_desktop.staging.simulate import simulate_operations
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace

_NAMED = 8


@dataclass(frozen=True, slots=True)
class ThreeSides:
    """One drifted path as a person compares it: what the plan saw, what is there, what the plan would leave."""

    path: str
    base: bytes | None
    disk: bytes | None
    proposed: bytes | None
    """None where that side has no file."""
    regions: tuple[Region, ...]
    suggestions: tuple[bytes | None, ...]
    """One for each region, worked out by likeness; never more than a suggestion."""
    conflict: Conflict | None
    """The question to the person; nothing when the path can be carried over as it is."""


class Rebases:
    """Make revisions that fit the disk. A rebase with an open conflict saves nothing."""

    def __init__(self, workspace: Workspace, objects: ObjectStore, plans: PlanStore, proposals: Proposals) -> None:
        self._workspace = workspace
        self._objects = objects
        self._plans = plans
        self._proposals = proposals

    def preview(
        self, plan_id: PlanId, resolutions: Iterable[Resolution] = (), choices: Choices | None = None
    ) -> Rebased:
        """What `rebase` would come to now; nothing is saved.

        Raises:
            BadInputError: a resolution for something that is not a conflict.
        """
        return self._work_out(self._wanted(plan_id, choices), tuple(resolutions))

    def rebase(
        self, plan_id: PlanId, resolutions: Iterable[Resolution] = (), choices: Choices | None = None
    ) -> PlanVersion:
        """The plan as a new revision for the files as they are; the latest one itself when nothing has drifted.

        With a person's choices about the latest revision it is what they leave of it that is carried over.

        Raises:
            RebaseConflictError: a path waits for the person's answer.
            StepRefusedError: an operation would not apply any more, or nothing is left to do.
        """
        latest = self._plans.revision(plan_id)
        check(self._plans.meta(plan_id), PlanUpdated(revision=latest.revision + 1, origin=Origin.REBASE))
        wanted = self._wanted(plan_id, choices)
        rebased = self._work_out(wanted, tuple(resolutions))
        if not latest.drifted and not drift(wanted.operations, self._workspace):
            return latest
        if rebased.conflicts:
            raise _conflict(plan_id, rebased.conflicts)
        self._refuse_problems(plan_id, rebased)
        self._objects.put_all(rebased.contents)
        update = {"operations": rebased.operations, "parent_revision": latest.revision, "origin": Origin.REBASE}
        return self._proposals.stage(wanted.model_copy(update={**update, "drifted": ()}))

    def three_way(self, plan_id: PlanId, path: str, choices: Choices | None = None) -> ThreeSides:
        """One path the plan names, side by side.

        Raises:
            BadInputError: the plan does not work on this path.
        """
        version = self._wanted(plan_id, choices)
        chain = next((each for each in chains(version.operations).values() if each.path == path), None)
        if chain is None:
            raise BadInputError(
                f"The plan does not begin anything at {path}.", path=path, next=f"See: tandem drift {plan_id}"
            )
        rebased = rebase(version.operations, self._workspace, self._objects)
        conflict = next((each for each in rebased.conflicts if each.path == path), None)
        base, proposed = self._stored(chain.base), self._stored(chain.after)
        disk = self._workspace.peek(path)[1]
        if conflict is not None and conflict.lines is not None:
            lines = conflict.lines
        else:
            lines = (whole if None in (base, disk, proposed) else three_way)(base or b"", disk or b"", proposed or b"")
        regions = lines.regions if conflict is not None else ()
        return ThreeSides(path, base, disk, proposed, regions, tuple(map(suggestion, regions)), conflict)

    def _wanted(self, plan_id: PlanId, choices: Choices | None) -> PlanVersion:
        latest = self._plans.revision(plan_id)
        if choices is None or choices.is_empty or choices.revision != latest.revision:
            return latest
        drafted = self._proposals.draft(latest, choices)
        if drafted.version is None:
            first = drafted.problems[0]
            raise StepRefusedError(first.reason, step=first.step, next="Change your choices, then try again.")
        self._objects.put_all(drafted.contents)
        return drafted.version

    def _work_out(self, version: PlanVersion, resolutions: tuple[Resolution, ...]) -> Rebased:
        self._workspace.forget_directories()
        asked: dict[str, Conflict] = {}
        used: tuple[Resolution, ...] = ()
        while True:  # an answer may raise a question that was not there before
            rebased = rebase(version.operations, self._workspace, self._objects, used)
            asked |= {conflict.path: conflict for conflict in rebased.conflicts}
            fitting = tuple(each for each in resolutions if each.path in asked)
            if fitting == used:
                break
            used = fitting
        for resolution in resolutions:
            if resolution.path not in asked:
                raise BadInputError(
                    f"{resolution.path} is not in conflict.",
                    path=resolution.path,
                    next=f"See what is: tandem rebase {version.plan_id}",
                )
            check_answer(resolution, asked[resolution.path])
        return rebased

    def _refuse_problems(self, plan_id: PlanId, rebased: Rebased) -> None:
        if not rebased.operations:
            raise StepRefusedError(
                "Nothing would be left of the plan: the disk has it already, or stays as it is.",
                next=f"End it with: tandem cancel {plan_id}",
            )
        problems = simulate_operations(rebased.operations, self._workspace)
        if problems:
            raise StepRefusedError(
                f"{problems[0].step} no longer applies: {problems[0].reason}",
                step=problems[0].step,
                next=f"Leave it out with: tandem drop {plan_id} {problems[0].step}",
            )

    def _stored(self, state: NodeState) -> bytes | None:
        return self._objects.read(state.sha256) if isinstance(state, FileState) else None


def _conflict(plan_id: PlanId, conflicts: tuple[Conflict, ...]) -> RebaseConflictError:
    named = "; ".join(f"{each.path} {each.reason}" for each in conflicts[:_NAMED])
    more = f"; and {len(conflicts) - _NAMED} more" if len(conflicts) > _NAMED else ""
    return RebaseConflictError(
        f"{plan_id} needs your answer: {named}{more}. Nothing was saved.",
        path=conflicts[0].path,
        next=f"tandem rebase {plan_id} --take disk|proposed PATH, or --resolved FILE PATH, for each.",
    )
