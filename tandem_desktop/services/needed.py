"""Finds which changes of a plan any check needs, and proposes the plan without the others."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tandem_desktop.checks.catalog import Check
from tandem_desktop.checks.evidence import SideResult
from tandem_desktop.checks.needed import MOST_PARTS, JudgedPart, PlanPart, difference, minimised
from tandem_desktop.checks.runner import CheckJob, CheckRunner, beside
from tandem_desktop.diff.hunks import hunks
from tandem_desktop.domain.errors import BadInputError, StaleRevisionError, StepRefusedError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.review.choices import choose
from tandem_desktop.services.checks import Checks
from tandem_desktop.services.proposals import Proposals
from tandem_desktop.staging.simulate import simulate_operations
from tandem_desktop.storage.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class NeededParts:
    """What was found about the parts of one revision."""

    plan_id: PlanId
    revision: int
    parts: tuple[JudgedPart, ...]
    checks: tuple[str, ...]
    """The names of the checks that were asked."""
    without_result: tuple[str, ...] = ()
    """The names of those that have no whole result with the plan, so that nothing can be compared with it."""

    @property
    def strays(self) -> tuple[PlanPart, ...]:
        return tuple(each.part for each in self.parts if not each.is_needed)


class Needed:
    """Leaves out each part of a plan in a shadow of its own and runs the checks. Attention, never permission."""

    def __init__(
        self,
        *,
        checks: Checks,
        runner: CheckRunner,
        plans: PlanStore,
        objects: ObjectStore,
        proposals: Proposals,
    ) -> None:
        self._checks = checks
        self._runner = runner
        self._plans = plans
        self._objects = objects
        self._proposals = proposals

    def find(
        self,
        plan_id: PlanId,
        *,
        only: tuple[str, ...] = (),
        timeout_s: int | None = None,
        control: RunControl | None = None,
        on_part: Callable[[JudgedPart, int], None] = lambda part, total: None,
    ) -> NeededParts:
        """Say of each hunk and each operation of the latest revision whether a check notices that it is missing.

        Raises:
            ChecksNotAcceptedError, BadInputError, UserAbortError: as for `Checks.run`.
            StepRefusedError: no check gives a result with the whole plan, so there is nothing to compare with.
        """
        trial = self._trial(plan_id, only, timeout_s, control or RunControl())
        parts = tuple(self._parts(trial.version))
        judged = []
        with ThreadPoolExecutor(beside(len(trial.checks)), thread_name_prefix="needed") as pool:
            for part, why in zip(parts, pool.map(lambda each: trial.difference((each,)), parts), strict=True):
                judged.append(JudgedPart(part, bool(why), why))
                on_part(judged[-1], len(parts))
        names = tuple(each.name for each in trial.checks)
        return NeededParts(plan_id, trial.version.revision, tuple(judged), names, trial.without_result)

    def shrink(
        self,
        found: NeededParts,
        *,
        only: tuple[str, ...] = (),
        timeout_s: int | None = None,
        control: RunControl | None = None,
    ) -> PlanVersion:
        """The person's own revision with a small set of parts for which every check says the same.

        Raises:
            StaleRevisionError: there is a newer revision by now.
            StepRefusedError: nothing can be left out.
        """
        trial = self._trial(found.plan_id, only, timeout_s, control or RunControl())
        version = trial.version
        if version.revision != found.revision:
            raise StaleRevisionError(version.plan_id, expected=found.revision, found=version.revision)
        every = tuple(each.part for each in found.parts)

        def is_same(kept: Sequence[PlanPart]) -> bool:
            return not trial.difference(tuple(each for each in every if each not in kept))

        needed = [each.part for each in found.parts if each.is_needed]
        kept = minimised(needed, is_same) if needed and is_same(needed) else minimised(every, is_same)
        left_out = tuple(each for each in every if each not in kept)
        if not left_out:
            raise StepRefusedError("A check notices each part of the plan; nothing can be left out.")
        chosen = choose(version.operations, [each.drop for each in left_out], self._objects)
        self._objects.put_all(chosen.contents)
        return self._proposals.rewrite(version, chosen.operations, "Leave the plan as it is.")

    def _trial(
        self, plan_id: PlanId, only: tuple[str, ...], timeout_s: int | None, control: RunControl
    ) -> "_LeaveOutTrial":
        checks = self._checks.may_run(only)
        return _LeaveOutTrial(
            self._plans.revision(plan_id), checks, self._checks, self._runner, self._objects, timeout_s, control
        )

    def _parts(self, version: PlanVersion) -> Iterator[PlanPart]:
        found = 0
        for operation in version.operations:
            before, after = (self._objects.read_state(state) for state in (operation.base, operation.after))
            count = 0
            if operation.to is None and before is not None and after is not None:
                count = len(hunks(before, after))
            place = operation.to or operation.path or operation.command or operation.id
            for number in range(1, count + 1) if count > 1 else (0,):
                found += 1
                if found > MOST_PARTS:
                    raise BadInputError(
                        f"The plan has more than {MOST_PARTS} parts to leave out.", next="Split it into several plans."
                    )
                yield PlanPart(operation.id, number, place)


class _LeaveOutTrial:
    """The results of the checks with the whole plan, to compare with the results without some parts."""

    def __init__(
        self,
        version: PlanVersion,
        checks: tuple[Check, ...],
        service: Checks,
        runner: CheckRunner,
        objects: ObjectStore,
        timeout_s: int | None,
        control: RunControl,
    ) -> None:
        self.version = version
        self.checks = checks
        self._service = service
        self._runner = runner
        self._objects = objects
        self._timeout_s = timeout_s
        self._control = control
        self._tree = service.tree()
        whole = dict(zip(checks, self._results(version.operations), strict=True))
        self.checks = tuple(each for each in checks if not whole[each].problem)
        self.without_result = tuple(each.name for each in checks if whole[each].problem)
        self._whole = tuple(whole[each] for each in self.checks)
        if not self.checks:
            name, problem = next((each.name, side.problem) for each, side in whole.items())
            raise StepRefusedError(
                f"No check has a whole result with the plan ({name}: {problem}), so nothing can be compared with it.",
                next=f"See why: tandem check {version.plan_id}",
            )

    def difference(self, parts: Sequence[PlanPart]) -> str:
        """What notices that these parts are missing, as a clause; empty if nothing does."""
        try:
            chosen = choose(self.version.operations, [part.drop for part in parts], self._objects)
        except StepRefusedError as refusal:
            if not parts or len({part.operation for part in parts}) < len(self.version.operations):
                return refusal.message.rstrip(".")
            return self._compared(())
        self._objects.put_all(chosen.contents)
        if problems := simulate_operations(chosen.operations, self._service.source):
            return f"{problems[0].step} does not apply without it"
        return self._compared(chosen.operations)

    def _compared(self, operations: tuple[StagedOperation, ...]) -> str:
        return difference(self._whole, self._results(operations), [check.name for check in self.checks])

    def _results(self, operations: tuple[StagedOperation, ...]) -> tuple[SideResult, ...]:
        tree = self._tree.with_plan(operations)
        jobs = [CheckJob(check, operations, tree) for check in self.checks]
        return self._runner.run_all(jobs, self._control, timeout_s=self._timeout_s)
