"""What is staged keeps its order, survives the process, and is neither lost nor doubled when threads meet."""

import errno
import tempfile
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.agent_protocol import ToolCall
from tandem_desktop.domain.errors import PlanDamagedError, UnknownOperationError
from tandem_desktop.domain.ids import OperationId, ToolCallId
from tandem_desktop.domain.operations import ABSENT, PathChange, StagedOperation
from tandem_desktop.staging.segments import Segment
from tandem_desktop.staging.staging_store import Activity, Observations, StagingChange, StagingStore
from tests.support.builders import A_MOMENT, a_file, a_write
from tests.support.faults import count_calls, failing_at, killed_at
from tests.support.threads import run_together

WRITTEN_BY_0_1_0 = Path(__file__).parents[2] / "data" / "staging_0_1_0.jsonl"
A_SEGMENT = Segment((PathChange(path="caf\udce9", before=ABSENT, after=a_file(b"one\n")),))


@pytest.fixture
def file(memory_path: Path) -> Path:
    return memory_path / "session" / "staging.jsonl"


def a_store(file: Path, *names: str) -> StagingStore:
    store = StagingStore(file)
    for name in names:
        store.stage(a_write(id=name))
    return store


def ids(operations: tuple[StagedOperation, ...]) -> list[str]:
    return [operation.id for operation in operations]


@pytest.mark.req("S0-31")
def test_operations_come_back_in_the_order_they_were_staged(file: Path) -> None:
    assert ids(a_store(file, "c", "a", "b").get_all()) == ["c", "a", "b"]


@pytest.mark.req("S0-31", "S0-33")
def test_count_increases_with_each_id_and_an_id_staged_again_replaces_in_place(file: Path) -> None:
    store = StagingStore(file)
    assert [store.stage(a_write(id=name)) for name in ("a", "b", "c")] == [1, 2, 3]
    assert store.stage(a_write("other.py", id="b")) == 3
    assert [(each.id, each.path) for each in store.get_all()] == [
        ("a", "src/app.py"),
        ("b", "other.py"),
        ("c", "src/app.py"),
    ]
    assert store.get(OperationId("b")).path == "other.py"


@pytest.mark.req("S0-31")
def test_clear_returns_what_it_drained_and_leaves_nothing(file: Path) -> None:
    store = a_store(file, "a", "b")
    assert ids(store.clear()) == ["a", "b"]
    assert (store.get_all(), store.clear(), len(store)) == ((), (), 0)
    assert StagingStore(file).get_all() == ()


def test_removed_operation_is_returned_and_gone(file: Path) -> None:
    store = a_store(file, "a", "b")
    assert store.remove(OperationId("a")).id == "a"
    assert ids(store.get_all()) == ["b"]
    with pytest.raises(UnknownOperationError) as refusal:
        store.remove(OperationId("a"))
    assert refusal.value.step == "a"
    assert refusal.value.next


def test_what_was_read_before_does_not_change_when_more_is_staged(file: Path) -> None:
    store = a_store(file, "a")
    earlier = store.get_all()
    store.stage(a_write(id="b"))
    assert ids(earlier) == ["a"]


def test_store_opened_again_holds_the_same_operations_and_observations(file: Path) -> None:
    store = StagingStore(file)
    observed = Observations((), A_SEGMENT)
    store.update([a_write(id="a"), a_write("caf\udce9", id="b")], observed, Activity())
    again = StagingStore(file)
    assert again.get_all() == store.get_all()
    assert again.observations == observed
    store.remove(OperationId("a"))
    store.remove(OperationId("b"))
    assert StagingStore(file).get_all() == ()


def test_file_written_by_0_1_0_opens_with_the_operations_its_segments_stand_for(memory_path: Path) -> None:
    file = memory_path / "staging.jsonl"
    file.write_bytes(WRITTEN_BY_0_1_0.read_bytes())
    store = StagingStore(file)
    assert [(each.id, each.path or (each.call and each.call.command)) for each in store.get_all()] == [
        ("s1", "a.txt"),
        ("s2", "make 'a\u2028b'"),
        ("s3", "b.txt"),
    ]
    assert [each.request_ids for each in store.get_all()] == [("1",), ("3",), ("4",)]
    assert len(store.observations.closed) == 1
    assert store.observations.open is not None


@pytest.mark.parametrize("content", [b"{", b"[]\n", b'{"changes": 1}\n', b'{"operation": {"id": "a"}}\n'])
def test_file_that_cannot_be_read_is_refused_with_its_name(memory_path: Path, content: bytes) -> None:
    file = memory_path / "staging.jsonl"
    file.write_bytes(content)
    with pytest.raises(PlanDamagedError, match=r"staging\.jsonl"):
        StagingStore(file)


def test_crash_at_any_point_of_a_change_leaves_the_old_or_the_new_content(file: Path) -> None:
    store = a_store(file, "a")
    before = file.read_bytes()
    points = len(count_calls(partial(StagingStore(file).stage, a_write(id="b"))))
    contents = set()
    for point in range(1, points + 2):
        file.write_bytes(before)
        killed_at(point, partial(StagingStore(file).stage, a_write(id="b")))
        contents.add(tuple(ids(StagingStore(file).get_all())))
    assert points > 1
    assert contents == {("a",), ("a", "b")}
    assert ids(store.get_all()) == ["a"]


def test_change_that_cannot_be_written_is_not_made(file: Path) -> None:
    store = a_store(file, "a")
    heard: list[StagingChange] = []
    store.listen(heard.append)
    with pytest.raises(OSError, match="No space"):
        failing_at(1, errno.ENOSPC, partial(store.stage, a_write(id="b")), lasting=True)
    with pytest.raises(OSError, match="No space"):
        failing_at(1, errno.ENOSPC, store.clear, lasting=True)
    assert ids(store.get_all()) == ids(StagingStore(file).get_all()) == ["a"]
    assert heard == []


def test_listener_hears_each_change_once_in_order_and_only_of_what_differs(file: Path) -> None:
    store = a_store(file, "a", "b", "c")
    heard: list[StagingChange] = []
    store.listen(heard.append)
    later = a_write(id="a").model_copy(update={"staged_at": A_MOMENT})
    changed = a_write("other.py", id="b")
    store.update([later, changed], Observations((), A_SEGMENT), Activity())
    store.update([later, changed], Observations((), A_SEGMENT), Activity())
    drained = store.clear()
    store.clear()
    assert [(ids(each.staged), ids(each.removed), ids(each.cleared)) for each in heard] == [
        (["b"], ["c"], []),
        ([], [], ["a", "b"]),
    ]
    assert drained[0].staged_at == a_write(id="a").staged_at


def test_update_that_finds_nothing_new_writes_nothing(file: Path) -> None:
    store = StagingStore(file)
    found = [a_write(id="a")]
    assert count_calls(lambda: store.update(found, Observations((), A_SEGMENT), Activity()))
    equal = Segment(tuple(each.model_copy() for each in A_SEGMENT.changes))
    assert count_calls(lambda: store.update(found, Observations((), equal), Activity())) == []


def test_activity_noted_during_an_update_waits_for_the_next(file: Path) -> None:
    store = StagingStore(file)
    first, second = (ToolCall(id=ToolCallId("c1"), tool="edit", title=title) for title in ("before", "after"))
    store.note_call(first)
    heard = store.activity
    store.note_call(second)
    store.update([], Observations((), A_SEGMENT), heard)
    assert (heard.calls, store.activity.calls) == ((first,), (second,))


Call = tuple[str, int]


@given(st.lists(st.tuples(st.sampled_from(["stage", "remove", "clear", "reopen"]), st.integers(0, 6)), max_size=30))
def test_any_sequence_of_calls_behaves_like_a_plain_list(memory_base: Path, calls: list[Call]) -> None:
    with tempfile.TemporaryDirectory(dir=memory_base) as folder:
        file = Path(folder) / "staging.jsonl"
        store, model = StagingStore(file), list[str]()
        for call, number in calls:
            name = f"s{number}"
            if call == "stage":
                store.stage(a_write(id=name))
                model += [] if name in model else [name]
            elif call == "remove" and name in model:
                store.remove(OperationId(name))
                model.remove(name)
            elif call == "clear":
                assert ids(store.clear()) == model
                model.clear()
            elif call == "reopen":
                store = StagingStore(file)
            assert ids(store.get_all()) == model


@pytest.mark.req("S0-31")
def test_threads_that_stage_remove_and_clear_at_once_lose_and_double_nothing(file: Path) -> None:
    store = StagingStore(file)
    writers, each = 6, 60
    drained: list[list[str]] = [[] for _ in range(3)]
    removed: list[list[str]] = [[] for _ in range(writers)]
    followed: list[str] = []
    template = a_write()

    def follow(change: StagingChange) -> None:
        followed.extend(ids(change.staged))
        for operation in (*change.removed, *change.cleared):
            followed.remove(operation.id)

    store.listen(follow)

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
        for _ in range(80):
            drained[reader].extend(ids(store.clear()))

    run_together(
        *(partial(write, writer) for writer in range(writers)),
        *(partial(drain, reader) for reader in range(len(drained))),
    )
    assert followed == ids(store.get_all()) == ids(StagingStore(file).get_all())
    seen = [*ids(store.clear()), *(name for part in (*drained, *removed) for name in part)]
    assert sorted(seen) == sorted(f"w{writer}.{number}" for writer in range(writers) for number in range(each))
