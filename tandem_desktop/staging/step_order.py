"""Which steps must be done before a step, from its own words and from its task's."""

from graphlib import TopologicalSorter

from tandem_desktop.domain.errors import StepRefusedError
from tandem_desktop.staging.plan_steps import AnyStep, PlanInput


class StepOrder:
    """Knows for every step the steps it waits for. Refuses a plan whose order says otherwise.

    A step that only reads makes no operation, and a task may have no steps: whoever waits for such a one waits for
    what it waits for.
    """

    def __init__(self, plan: PlanInput) -> None:
        """Compare the order of the steps with their dependencies.

        Raises:
            StepRefusedError: a step waits for a later one.
        """
        self._position = {step.id: position for position, step in enumerate(plan.steps)}
        self._done_by: dict[str, tuple[str, ...]] = {}
        self._task_waits_for = _tasks_waits(plan)
        seen: set[str] = set()
        for step in plan.steps:
            for blocker in step.blocked_by:
                if self._position[blocker] > self._position[step.id]:
                    raise _out_of_order(step.id, blocker, f"it waits for step {blocker}")
            if step.task is not None and step.task not in seen:
                seen.add(step.task)
                self._check_task(step)
            self._done_by[step.id] = self.waits_for(step) if step.tool == "read" else (step.id,)

    def waits_for(self, step: AnyStep) -> tuple[str, ...]:
        """The steps with operations that must be done before `step`, in the order of the plan."""
        from_task = self._task_waits_for.get(step.task, ()) if step.task is not None else ()
        if not step.blocked_by:
            return from_task
        own = {name for blocker in step.blocked_by for name in self._done_by[blocker]}
        return tuple(sorted(own.union(from_task), key=self._position.__getitem__))

    def _check_task(self, first: AnyStep) -> None:
        last = max(self._task_waits_for.get(first.task or "", ()), key=self._position.__getitem__, default=first.id)
        if self._position[last] > self._position[first.id]:
            raise _out_of_order(first.id, last, f"its task {first.task} waits for the task of step {last}")


def _tasks_waits(plan: PlanInput) -> dict[str, tuple[str, ...]]:
    """For every task the steps of the tasks before it."""
    steps: dict[str, list[str]] = {task.id: [] for task in plan.tasks}
    for step in plan.steps:
        if step.task is not None and step.tool != "read":
            steps[step.task].append(step.id)
    blocked_by = {task.id: task.blocked_by for task in plan.tasks}
    done_by: dict[str, tuple[str, ...]] = {}
    waits: dict[str, tuple[str, ...]] = {}
    for task in TopologicalSorter(blocked_by).static_order():
        waits[task] = tuple(dict.fromkeys(name for blocker in blocked_by[task] for name in done_by[blocker]))
        done_by[task] = tuple(steps[task]) or waits[task]
    return waits


def _out_of_order(step: str, later: str, why: str) -> StepRefusedError:
    return StepRefusedError(
        f"Step {step} comes before step {later}, but {why}.",
        step=step,
        next=f"Put step {later} before step {step}, or take it out of blocked_by.",
    )
