"""Staging keeps order, and loses or doubles nothing when threads meet."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.errors import StagingError, UnknownOperationError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.staging.staging_store import StagingStore
from tests.support.builders import a_write
from tests.support.threads import run_together


def a_store(*names: str) -> StagingStore:
    store = StagingStore()
    for name in names:
        store.stage(a_write(id=name))
    return store


def ids(operations: tuple[StagedOperation, ...]) -> list[str]:
    return [operation.id for operation in operations]


@pytest.mark.req("S0-31")
def test_operations_come_back_in_the_order_they_were_staged() -> None:
    assert ids(a_store("c", "a", "b").get_all()) == ["c", "a", "b"]


@pytest.mark.req("S0-31", "S0-33")
def test_staging_counts_and_an_id_staged_again_replaces_in_place() -> None:
    store = StagingStore()
    assert [store.stage(a_write(id=name)) for name in ("a", "b", "c")] == [1, 2, 3]
    assert store.stage(a_write("other.py", id="b")) == 3
    assert [(each.id, each.path) for each in store.get_all()] == [
        ("a", "src/app.py"),
        ("b", "other.py"),
        ("c", "src/app.py"),
    ]


@pytest.mark.req("S0-31")
def test_clearing_answers_what_was_there_and_leaves_nothing() -> None:
    store = a_store("a", "b")
    assert ids(store.clear()) == ["a", "b"]
    assert (store.get_all(), store.clear(), len(store)) == ((), (), 0)


def test_a_removed_operation_is_handed_back_and_gone() -> None:
    store = a_store("a", "b")
    assert store.remove(OperationId("a")).id == "a"
    assert ids(store.get_all()) == ["b"]
    with pytest.raises(UnknownOperationError) as refusal:
        store.remove(OperationId("a"))
    assert refusal.value.step == "a"
    assert refusal.value.next


def test_reordering_takes_exactly_the_staged_operations() -> None:
    store = a_store("a", "b", "c")
    assert ids(store.reorder([OperationId(name) for name in "cab"])) == ["c", "a", "b"]
    assert ids(store.get_all()) == ["c", "a", "b"]


@pytest.mark.parametrize("order", ["ab", "abb", "abca", "abx", ""])
def test_an_order_that_is_not_a_permutation_changes_nothing(order: str) -> None:
    store = a_store("a", "b", "c")
    with pytest.raises(StagingError):
        store.reorder([OperationId(name) for name in order])
    assert ids(store.get_all()) == ["a", "b", "c"]


def test_what_was_read_before_does_not_change_when_more_is_staged() -> None:
    store = a_store("a")
    earlier = store.get_all()
    store.stage(a_write(id="b"))
    assert ids(earlier) == ["a"]


Call = tuple[str, int]


@given(st.lists(st.tuples(st.sampled_from(["stage", "remove", "reverse", "clear"]), st.integers(0, 6)), max_size=60))
def test_any_sequence_of_calls_behaves_like_a_plain_list(calls: list[Call]) -> None:
    store, model = StagingStore(), list[str]()
    for call, number in calls:
        name = f"s{number}"
        if call == "stage":
            store.stage(a_write(id=name))
            model += [] if name in model else [name]
        elif call == "remove" and name in model:
            store.remove(OperationId(name))
            model.remove(name)
        elif call == "reverse":
            model.reverse()
            store.reorder([OperationId(each) for each in model])
        elif call == "clear":
            assert ids(store.clear()) == model
            model.clear()
        assert ids(store.get_all()) == model


@pytest.mark.req("S0-31")
def test_threads_that_stage_remove_and_clear_at_once_lose_and_double_nothing() -> None:
    store = StagingStore()
    writers, each = 6, 150
    drained: list[list[str]] = [[] for _ in range(3)]
    removed: list[list[str]] = [[] for _ in range(writers)]
    template = a_write()

    def write(writer: int) -> None:
        for number in range(each):
            name = OperationId(f"w{writer}.{number}")
            store.stage(template.model_copy(update={"id": name}))
            if number % 3 == 0:
                try:
                    removed[writer].append(store.remove(name).id)
                except UnknownOperationError:
                    pass

    def drain(reader: int) -> None:
        for _ in range(200):
            drained[reader].extend(ids(store.clear()))

    run_together(
        *(partial(write, writer) for writer in range(writers)),
        *(partial(drain, reader) for reader in range(len(drained))),
    )
    seen = [*ids(store.clear()), *(name for part in (*drained, *removed) for name in part)]
    assert sorted(seen) == sorted(f"w{writer}.{number}" for writer in range(writers) for number in range(each))
