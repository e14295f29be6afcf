"""Order, readiness and skipping, against a plain reading of the definitions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.errors import TaskCycleError, TaskError
from tandem_desktop.domain.ids import OperationId, TaskId
from tandem_desktop.domain.tasks import PlanTask
from tandem_desktop.tasks.graph import TaskGraph
from tests.support.builders import a_write


def a_task(name: str, *blocked_by: str) -> PlanTask:
    return PlanTask(id=TaskId(name), subject=name, blocked_by=tuple(TaskId(each) for each in blocked_by))


def a_graph(**blocked_by: str) -> TaskGraph[TaskId]:
    """a_graph(a="", b="a") : b waits for a."""
    return TaskGraph([a_task(name, *blockers.split()) for name, blockers in blocked_by.items()])


def tasks(*names: str) -> tuple[TaskId, ...]:
    return tuple(TaskId(name) for name in names)


DIAMOND = {"one": "", "two": "one", "three": "one", "four": "two three"}


def test_blockers_come_first_and_an_order_that_was_possible_is_kept() -> None:
    assert a_graph(d="", a="c", c="", b="").order == ("d", "c", "a", "b")
    assert a_graph(a="", b="a", c="").order == ("a", "b", "c")


@pytest.mark.req("S2-24", "S2-27")
def test_only_what_waits_for_nothing_unfinished_is_ready() -> None:
    graph = a_graph(**DIAMOND)
    assert graph.ready(()) == ("one",)
    assert graph.ready((), started=tasks("one")) == ()
    assert graph.ready(tasks("one")) == ("two", "three")
    assert graph.ready(tasks("one", "two"), started=tasks("three")) == ()
    assert graph.ready(tasks("one", "two", "three")) == ("four",)


@pytest.mark.req("S2-25")
def test_dependents_are_found_through_others_and_listed_in_order() -> None:
    graph = a_graph(a="", b="a", c="b", d="", e="d c", f="d")
    assert graph.dependents(TaskId("a")) == ("b", "c", "e")
    assert graph.dependents(*tasks("b", "d")) == ("c", "e", "f")
    assert graph.dependents(TaskId("e")) == ()


@pytest.mark.req("S4-22")
def test_a_circle_is_refused_and_told_in_words() -> None:
    with pytest.raises(TaskCycleError) as refusal:
        a_graph(free="", a="c", b="a", c="b")
    message = refusal.value.message
    start = message.split("'")[1]
    following = {"a": "c", "b": "a", "c": "b"}
    told = [start, following[start], following[following[start]], start]
    assert message == (
        f"Dependencies go round in a circle: '{told[0]}' waits for '{told[1]}', "
        f"which waits for '{told[2]}', which waits for '{told[3]}'."
    )
    assert refusal.value.step == start
    assert refusal.value.next


@pytest.mark.req("S4-22")
def test_waiting_for_itself_is_a_circle() -> None:
    with pytest.raises(TaskCycleError, match="'a' waits for itself"):
        a_graph(a="a")


@pytest.mark.req("S4-22")
def test_a_very_long_circle_is_found_and_told_in_short() -> None:
    items = [a_task(f"t{number}", f"t{(number + 1) % 5000}") for number in range(5000)]
    with pytest.raises(TaskCycleError, match="more") as refusal:
        TaskGraph(items)
    assert len(refusal.value.message) < 600


def test_an_unknown_blocker_is_named_with_who_waits_for_it() -> None:
    with pytest.raises(TaskError, match="'b' waits for 'ghost', which does not exist") as refusal:
        a_graph(a="", b="a ghost")
    assert not isinstance(refusal.value, TaskCycleError)
    assert refusal.value.step == "b"


def test_two_items_of_one_name_are_refused() -> None:
    with pytest.raises(TaskError, match="called 'a'"):
        TaskGraph([a_task("a"), a_task("a")])


def test_asking_about_an_unknown_name_is_an_error_not_an_empty_answer() -> None:
    with pytest.raises(TaskError):
        a_graph(a="").dependents(TaskId("ghost"))


def test_operations_are_ordered_by_the_same_rules() -> None:
    graph = TaskGraph([a_write(id="s1", blocked_by=(OperationId("s2"),)), a_write(id="s2")])
    assert graph.order == ("s2", "s1")


@given(st.data(), st.integers(min_value=0, max_value=25))
def test_every_acyclic_graph_is_ordered_and_drained_and_skipping_reaches_exactly_who_waits(
    data: st.DataObject, size: int
) -> None:
    blocked_by = {
        number: data.draw(st.sets(st.integers(0, number - 1), max_size=4)) if number else set()
        for number in range(size)
    }
    shuffled = data.draw(st.permutations(list(blocked_by)))
    graph = TaskGraph([a_task(f"t{each}", *(f"t{one}" for one in blocked_by[each])) for each in shuffled])
    place = {name: position for position, name in enumerate(graph.order)}
    assert len(place) == size
    assert all(place[TaskId(f"t{one}")] < place[TaskId(f"t{each}")] for each in blocked_by for one in blocked_by[each])

    completed: list[TaskId] = []
    while ready := graph.ready(completed):
        completed.append(ready[0])
    assert len(completed) == size

    for failed in blocked_by:
        waiting = {failed}
        for each in range(size):
            if blocked_by[each] & waiting:
                waiting.add(each)
        assert set(graph.dependents(TaskId(f"t{failed}"))) == {f"t{each}" for each in waiting - {failed}}
