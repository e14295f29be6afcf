"""Names inside a plan: every step gets one, and whoever waits for a name must find it."""

import re
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

from tandem_desktop.domain.errors import BadInputError, TaskCycleError
from tandem_desktop.domain.paths import shown
from tandem_desktop.staging.plan_steps import AnyStep, TaskInput

_DERIVED = re.compile(r"(.+)\.[0-9]+")
_LONGEST_TOLD = 12


def give_ids(steps: tuple[AnyStep, ...]) -> tuple[AnyStep, ...]:
    """Name the nameless `s1`, `s2`, … by position, past the names already taken.

    Raises:
        BadInputError: two steps share an id, or one has the id another's operations may get.
    """
    taken: dict[str, int] = {}
    for position, step in enumerate(steps, start=1):
        if step.id and taken.setdefault(step.id, position) != position:
            raise BadInputError(
                f"Steps {taken[step.id]} and {position} have the same id {step.id}.",
                step=step.id,
                next="Give each step an id of its own.",
            )
    spare = len(steps)
    named = []
    for position, step in enumerate(steps, start=1):
        name = step.id or f"s{position}"
        while not step.id and name in taken:
            spare += 1
            name = f"s{spare}"
        taken[name] = position
        named.append(step if step.id else step.model_copy(update={"id": name}))
    for name in taken:
        derived = _DERIVED.fullmatch(name)
        if derived and derived.group(1) in taken:
            raise BadInputError(
                f"The step id {name} is one that operations of step {derived.group(1)} may get.",
                step=name,
                next="Give the step another id, without the dot.",
            )
    return tuple(named)


def check_references(steps: tuple[AnyStep, ...], tasks: tuple[TaskInput, ...]) -> None:
    """Make sure that all that is waited for exists, and that nobody waits for itself.

    Raises:
        BadInputError: a name is unknown, doubled, or its own.
        TaskCycleError: the waiting goes round in a circle.
    """
    known: set[str] = set()
    for task in tasks:
        if task.id in known:
            raise BadInputError(f"Two tasks have the same id {task.id}.", next="Give each task an id of its own.")
        known.add(task.id)
    _check_waiting("Task", {task.id: task.blocked_by for task in tasks})
    for step in steps:
        if step.task is not None and step.task not in known:
            raise BadInputError(
                f"Step {step.id} belongs to the task {shown(step.task)!r}, which is not in the plan.",
                step=step.id,
                next="Add the task, or correct its id in the step.",
            )
    _check_waiting("Step", {step.id: step.blocked_by for step in steps})


def _check_waiting(what: str, waiting: Mapping[str, Iterable[str]]) -> None:
    for name, blockers in waiting.items():
        step = name if what == "Step" else None
        for blocker in blockers:
            if blocker == name:
                raise BadInputError(f"{what} {name} waits for itself.", step=step, next="Take it out of blocked_by.")
            if blocker not in waiting:
                raise BadInputError(
                    f"{what} {name} waits for {shown(blocker)!r}, which is not in the plan.",
                    step=step,
                    next="Correct the id in blocked_by, or take it out.",
                )
    try:
        TopologicalSorter(waiting).prepare()
    except CycleError as error:
        circle = list(reversed(error.args[1]))  # graphlib tells it from the awaited to the waiting
        if len(circle) > _LONGEST_TOLD:
            circle = [*circle[: _LONGEST_TOLD // 2], "…", *circle[-_LONGEST_TOLD // 2 :]]
        raise TaskCycleError(
            f"{what}s wait for each other in a circle: {' → '.join(circle)}.",
            step=circle[0] if what == "Step" else None,
            next="Take one of them out of blocked_by.",
        ) from None
