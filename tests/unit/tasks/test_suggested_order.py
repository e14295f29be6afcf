"""Another order, only where it is better, never against what waits for what, and always with the reason."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem_desktop.domain.ids import OperationId, TaskId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.tasks import PlanTask, TaskPriority
from tandem_desktop.tasks.suggested_order import suggest_order
from tests.support.builders import a_command, a_write


def op(name: str, task: str | None, *waits_for: str, path: str = "", command: bool = False) -> StagedOperation:
    facts = {"id": name, "task": task, "blocked_by": tuple(map(OperationId, waits_for))}
    return a_command("true", **facts) if command else a_write(path or f"{name}.py", b"a\n", **facts)


def task(name: str, priority: TaskPriority = TaskPriority.NORMAL) -> PlanTask:
    return PlanTask(id=TaskId(name), subject=name.title(), priority=priority)


AB = (task("a"), task("b"))


@pytest.mark.req("S0-88")
def test_the_operations_of_a_task_are_brought_together() -> None:
    found = suggest_order((op("1", "a"), op("2", "b"), op("3", "a"), op("4", "b")), AB)
    assert found is not None
    assert found.order == ("1", "3", "2", "4")
    assert found.reasons == ("The 2 operations of “A” stay together.", "The 2 operations of “B” stay together.")


@pytest.mark.req("S0-88")
def test_what_matters_more_comes_first_and_the_reason_says_so() -> None:
    tasks = (task("a", TaskPriority.LOW), task("b", TaskPriority.CRITICAL))
    found = suggest_order((op("1", "a"), op("2", "b")), tasks)
    assert found is not None
    assert (found.order, found.reasons) == (("2", "1"), ("“B” is of critical priority and comes before “A”.",))


@pytest.mark.req("S0-88")
def test_an_order_against_what_waits_is_put_right_with_the_reason() -> None:
    moved = (op("2", "b", "1"), op("1", "a"))
    found = suggest_order(moved, AB, planned=(OperationId("1"), OperationId("2")))
    assert found is not None
    assert (found.order, found.reasons[0]) == (("1", "2"), "2 waits for 1, which comes first now.")


@pytest.mark.parametrize(
    "operations",
    [
        (op("1", "a"), op("2", "a"), op("3", "b")),
        (op("1", "a"), op("2", "b", "1"), op("3", "a", "2")),
        (op("1", "a", path="x"), op("2", "b", path="x"), op("3", "a", path="x")),
        (op("1", "a", path="x/y"), op("2", "b", path="x"), op("3", "a", path="x/z")),
        (op("1", None, command=True), op("2", "a"), op("3", "b"), op("4", None, command=True)),
        (op("1", "a", command=True), op("2", "b"), op("3", None, command=True), op("4", "b", "2")),
    ],
    ids=["good already", "bound by waiting", "one path", "below one path", "commands of no task", "a command between"],
)
def test_an_order_that_is_good_or_bound_is_left_alone(operations: tuple[StagedOperation, ...]) -> None:
    assert suggest_order(operations, AB) is None


def test_without_tasks_there_is_nothing_to_suggest() -> None:
    assert suggest_order((op("1", None), op("2", None)), ()) is None


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 25))
def test_nothing_ever_comes_before_what_it_waits_for_or_what_touches_its_path(seed: int, count: int) -> None:
    chance = random.Random(seed)
    tasks = tuple(task(name, chance.choice(list(TaskPriority))) for name in "abc")
    operations = tuple(
        op(
            str(number),
            chance.choice(["a", "b", "c", None]),
            *{str(chance.randrange(number)) for _ in range(chance.randint(0, 2)) if number},
            path=f"p{chance.randrange(6)}",
            command=chance.random() < 0.2,
        )
        for number in range(count)
    )
    found = suggest_order(operations, tasks)
    if found is None:
        return
    place = {name: position for position, name in enumerate(found.order)}
    assert sorted(place) == sorted(each.id for each in operations)
    for position, later in enumerate(operations):
        assert all(place[each] < place[later.id] for each in later.blocked_by)
        for earlier in operations[:position]:
            if set(later.paths) & set(earlier.paths):
                assert place[earlier.id] < place[later.id]
