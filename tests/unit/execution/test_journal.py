"""Any prefix of a journal is a prefix of its records; anything else that is wrong with it is told."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem_desktop.domain.approval import WorkspaceIdentity
from tandem_desktop.domain.errors import JournalError, RunNotFoundError
from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.domain.operations import ABSENT
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tandem_desktop.execution.journal import (
    History,
    Journal,
    JournalStore,
    closed_runs,
    encode,
    known_runs,
    read_journal,
    understand,
)
from tandem_desktop.execution.run_store import encode_operations
from tandem_desktop.execution.steps import Action, Step, pack_state, pack_step
from tandem_desktop.storage import syscalls
from tests.support.builders import a_file, a_write
from tests.support.run_managers import a_record

RECORDS = [{"type": "begin", "n": 1}, {"type": "intent", "text": "ünï \udcae"}, {"type": "done"}, {"type": "end"}]


@pytest.fixture
def written(memory_path: Path) -> Path:
    path = memory_path / "RUN-0badcafe.open"
    journal = Journal.create(path)
    for record in RECORDS:
        journal.append(record)
    journal.close()
    return path


def test_records_are_read_back_in_order(written: Path) -> None:
    assert list(read_journal(written)) == RECORDS


def test_journal_cut_at_every_byte_loads_to_a_prefix_and_can_be_continued(written: Path) -> None:
    whole = written.read_bytes()
    lengths = set()
    for length in range(len(whole) + 1):
        written.write_bytes(whole[:length])
        journal, records = Journal.reopen(written)
        assert list(records) == RECORDS[: len(records)]
        journal.append({"type": "again"})
        journal.close()
        assert list(read_journal(written)) == [*RECORDS[: len(records)], {"type": "again"}]
        lengths.add(len(records))
    assert lengths == {0, 1, 2, 3, 4}


def test_tail_of_zeros_left_by_a_power_cut_is_cut_off(written: Path) -> None:
    whole = written.read_bytes()
    written.write_bytes(whole + bytes(100))
    assert list(read_journal(written)) == RECORDS


@settings(max_examples=200)
@given(data=st.data())
def test_flipped_bit_before_the_last_record_is_never_taken_for_a_torn_tail(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "flipped.open"
    path.unlink(missing_ok=True)
    journal = Journal.create(path)
    for record in RECORDS[:3]:
        journal.append(record)
    last = path.stat().st_size
    journal.append(RECORDS[3])
    journal.close()
    whole = bytearray(path.read_bytes())
    position = data.draw(st.integers(0, last - 1))
    whole[position] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(whole)
    with pytest.raises(JournalError, match=r"damaged|newer version"):
        read_journal(path)


def test_journal_of_a_newer_version_is_not_guessed_at(written: Path) -> None:
    written.write_bytes(written.read_bytes().replace(b"TANDEM-JOURNAL-1", b"TANDEM-JOURNAL-2"))
    with pytest.raises(JournalError, match="newer version"):
        read_journal(written)


def test_nothing_is_appended_after_a_failed_sync(memory_path: Path) -> None:
    journal = Journal.create(memory_path / "RUN-0badcafe.open")

    def refuse(call: str, what: str) -> None:
        if call == "fsync":
            raise OSError(5, "Input/output error")

    with syscalls.gated(refuse), pytest.raises(OSError, match="Input/output"):
        journal.append({"type": "begin"})
    with pytest.raises(JournalError, match="nothing more is added"):
        journal.append({"type": "done"})
    journal.close()


def test_two_journals_of_one_name_are_refused(written: Path) -> None:
    with pytest.raises(FileExistsError):
        Journal.create(written)


def refuse(call: str, number: int = errno.EIO) -> syscalls.Gate:
    """A gate that lets one kind of call fail."""

    def gate(made: str, what: str) -> None:
        if made == call:
            raise OSError(number, os.strerror(number), what)

    return gate


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_journal_that_cannot_be_begun_leaves_no_descriptor_open(memory_path: Path, call: str) -> None:
    before = descriptors()
    with syscalls.gated(refuse(call)), pytest.raises(OSError, match="Input/output"):
        Journal.create(memory_path / "RUN-0badcafe.open")
    assert descriptors() == before


@pytest.mark.parametrize("call", ["ftruncate", "fsync"])
def test_a_torn_journal_that_cannot_be_cut_leaves_no_descriptor_open(written: Path, call: str) -> None:
    written.write_bytes(written.read_bytes()[:-1])
    before = descriptors()
    with syscalls.gated(refuse(call)), pytest.raises(OSError, match="Input/output"):
        Journal.reopen(written)
    assert descriptors() == before


def test_a_whole_journal_is_opened_again_without_changing_a_byte(written: Path) -> None:
    calls: list[str] = []
    with syscalls.gated(lambda call, what: calls.append(call)):
        Journal.reopen(written)[0].close()
    assert calls == ["openat"]


def test_the_name_of_a_new_journal_is_durable_before_its_first_record(memory_path: Path) -> None:
    calls: list[str] = []
    with syscalls.gated(lambda call, what: calls.append(call)):
        journal = Journal.create(memory_path / "RUN-0badcafe.open")
        journal.append({})
        journal.close()
    assert calls == ["openat", "write", "fsync", "write", "fsync"]


def test_a_journal_closed_twice_closes_nothing_else(written: Path) -> None:
    journal, _ = Journal.reopen(written)
    journal.close()
    with written.open("rb") as other:
        before = descriptors()
        journal.close()
        assert descriptors() == before
        assert other.read(6) == b"TANDEM"
    os.fstat(1)


def test_a_record_is_written_without_spaces_in_the_bytes_of_its_names() -> None:
    assert encode({"a": [1, "ü\udcae"], "b": None}) == b'{"a":[1,"\xc3\xbc\xae"],"b":null}'


def test_records_may_come_as_values_or_as_their_json(memory_path: Path) -> None:
    path = memory_path / "RUN-0badcafe.open"
    journal = Journal.create(path)
    journal.append({"type": "begin"})
    journal.append(b'{"type": "end"}')
    journal.close()
    assert read_journal(path) == ({"type": "begin"}, {"type": "end"})


def damage(path: Path) -> tuple[str, str | None, str]:
    with pytest.raises(JournalError) as refusal:
        read_journal(path)
    return refusal.value.message, refusal.value.path, refusal.value.next


KEEP = "Keep the file, look at the paths it names, then: tandem recover --mark-failed"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (lambda data: data.replace(b"JOURNAL-1", b"JOURNAL-2"), "was written by a newer version of Tandem"),
        (lambda data: b"?" + data, "is damaged at its start"),
        (lambda data: data.replace(b'"n":1', b'"n":2'), "is damaged at record 1"),
        (lambda data: data.replace(b'"text"', b'"Text"'), "is damaged at record 2"),
        (lambda data: data[:17] + frame_of(data, 1) + data[17:], "is damaged at record 1"),
        (lambda data: data + frame_of(data, 0), "is damaged at record 5"),
    ],
)
def test_damage_is_told_with_the_record_the_file_and_what_to_do(
    written: Path, changed: Callable[[bytes], bytes], reason: str
) -> None:
    written.write_bytes(changed(written.read_bytes()))
    assert damage(written) == (
        f"The journal {written} {reason}; journal damaged, nothing was changed.",
        str(written),
        KEEP,
    )


def frame_of(data: bytes, number: int) -> bytes:
    """The bytes of one record of a journal, as they lie in it."""
    offset = len(b"TANDEM-JOURNAL-1\n")
    for _ in range(number):
        offset += 48 + int.from_bytes(data[offset : offset + 4], "big")
    return data[offset : offset + 48 + int.from_bytes(data[offset : offset + 4], "big")]


@pytest.mark.parametrize("left", [b"", b"TANDEM-J", bytes(40)], ids=["nothing", "a beginning", "zeros"])
def test_a_journal_of_which_only_the_beginning_of_its_first_line_or_nothing_was_kept_has_no_records(
    memory_path: Path, left: bytes
) -> None:
    path = memory_path / "RUN-0badcafe.open"
    path.write_bytes(left)
    assert read_journal(path) == ()


def test_a_last_record_whose_content_was_not_kept_is_left_out(written: Path) -> None:
    data = bytearray(written.read_bytes())
    data[-3] ^= 1
    written.write_bytes(data)
    assert list(read_journal(written)) == RECORDS[:3]


def test_after_a_failed_write_the_journal_says_what_to_do(memory_path: Path) -> None:
    path = memory_path / "RUN-0badcafe.open"
    journal = Journal.create(path)
    with syscalls.gated(refuse("write")), pytest.raises(OSError, match="Input/output"):
        journal.append({"type": "begin"})
    with pytest.raises(JournalError) as refusal:
        journal.append({"type": "done"})
    journal.close()
    assert refusal.value.message == f"The journal {path} could not be written before, so nothing more is added to it."
    assert (refusal.value.path, refusal.value.next) == (str(path), "Settle the run with: tandem recover")


@pytest.fixture
def root(memory_path: Path) -> Path:
    folder = memory_path / "ws"
    folder.mkdir()
    return folder


def identity(folder: Path) -> WorkspaceIdentity:
    info = folder.stat()
    return WorkspaceIdentity(real_path=str(folder), device=info.st_dev, inode=info.st_ino)


@pytest.fixture
def journals(memory_path: Path) -> Path:
    return memory_path / "journal"


@pytest.fixture
def store(journals: Path, root: Path) -> JournalStore:
    return JournalStore(journals, identity(root))


PUT = Step(0, OperationId("s1"), Action.PUT, "a", ABSENT, a_file(b"a\n"))
SWAP = Step(1, OperationId("s2"), Action.SWAP, "b", a_file(b"b\n"), a_file(b"B\n"))
LAST = Step(2, OperationId("s3"), Action.RENAME, "c", a_file(b"c\n"), a_file(b"c\n"), "d")


def begun(store: JournalStore, *run_ids: str) -> None:
    for run_id in run_ids:
        store.start(a_record().model_copy(update={"run_id": RunId(run_id)}), b"[]").close()


def test_what_a_run_is_to_do_is_in_its_journal_before_it_begins(
    store: JournalStore, journals: Path, root: Path
) -> None:
    record, operations = a_record(), (a_write("a", b"a\n"),)
    kept = {"a": {"owner": [1, 2]}}
    store.start(record, encode_operations(operations), (PUT, LAST), kept).close()
    found = store.history(record.run_id)
    assert found == History(record, operations, planned=(PUT, LAST), metadata=kept)
    (folder,) = journals.iterdir()
    assert folder.name == identity(root).journal_key
    assert folder.stat().st_mode & 0o777 == 0o700
    whose = folder / "workspace.json"
    assert WorkspaceIdentity.model_validate_json(whose.read_bytes()) == identity(root)
    assert whose.stat().st_mode & 0o777 == 0o600
    before = whose.stat().st_ino
    begun(store, "RUN-00000002")
    assert whose.stat().st_ino == before
    assert store.history("RUN-00000002").metadata == {}


def test_open_runs_are_those_whose_journal_was_not_closed_set_aside_or_dropped(
    store: JournalStore, journals: Path
) -> None:
    assert store.open_runs() == ()
    begun(store, *(f"RUN-0000000{number}" for number in (4, 2, 3, 1)))
    runs = tuple(RunId(f"RUN-0000000{number}") for number in (1, 2, 3, 4))
    assert store.open_runs() == runs
    store.close(runs[0])
    kept = store.set_aside(runs[1])
    store.drop(runs[2])
    assert store.open_runs() == runs[3:]
    assert [store.is_open(run) for run in runs] == [False, False, False, True]
    assert [store.has(run) for run in runs] == [True, False, False, True]
    assert {path.name for path in kept.parent.iterdir()} == {
        "workspace.json",
        "RUN-00000001.journal",
        "RUN-00000002.damaged",
        "RUN-00000004.open",
    }
    assert read_journal(kept)[0]["type"] == "begin"
    assert closed_runs(journals) == runs[:1]
    assert known_runs(journals) == (runs[0], runs[1], runs[3]), "a damaged journal is still one"


def test_each_change_of_a_journals_name_is_durable(store: JournalStore) -> None:
    begun(store, "RUN-00000001", "RUN-00000002", "RUN-00000003")
    calls: list[str] = []
    with syscalls.gated(lambda call, what: calls.append(call)):
        store.close(RunId("RUN-00000001"))
        store.set_aside(RunId("RUN-00000002"))
        store.drop(RunId("RUN-00000003"))
    assert calls == ["rename", "fsync", "rename", "fsync", "unlinkat", "fsync"]


def test_the_journal_of_a_run_that_cannot_be_undone_is_forgotten_once_it_is_closed(store: JournalStore) -> None:
    begun(store, "RUN-00000001", "RUN-00000002")
    store.close(RunId("RUN-00000001"))
    for run in ("RUN-00000001", "RUN-00000002", "RUN-00000009"):
        store.forget(RunId(run))
    assert not store.has(RunId("RUN-00000001"))
    assert store.is_open(RunId("RUN-00000002"))


def test_the_journal_of_a_run_is_read_open_or_closed_and_by_its_own_name_only(store: JournalStore) -> None:
    begun(store, "RUN-00000001", "RUN-00000002")
    store.close(RunId("RUN-00000001"))
    for run in ("RUN-00000001", "RUN-00000002"):
        record = store.history(run).record
        assert record is not None
        assert record.run_id == run
    for name in ("RUN-00000003", "../RUN-00000001", "RUN-00000001/../RUN-00000001", "workspace"):
        with pytest.raises(RunNotFoundError) as refusal:
            store.history(name)
        assert refusal.value.message == f"There is no run {name} here."
        assert refusal.value.next == "See them with: tandem runs"


def test_an_interrupted_run_goes_on_in_its_own_journal(store: JournalStore) -> None:
    begun(store, "RUN-00000001")
    journal, history = store.reopen(RunId("RUN-00000001"))
    assert history.record is not None
    journal.append({"type": "intent", "steps": [pack_step(PUT)]})
    journal.close()
    assert store.history("RUN-00000001").current == (PUT,)


def test_runs_of_every_workspace_that_have_ended_are_listed_in_order(journals: Path, memory_path: Path) -> None:
    for name, run in (("one", "RUN-00000002"), ("two", "RUN-00000001"), ("three", "RUN-00000003")):
        (memory_path / name).mkdir()
        store = JournalStore(journals, identity(memory_path / name))
        begun(store, run)
        if name != "three":
            store.close(RunId(run))
    assert closed_runs(journals) == ("RUN-00000001", "RUN-00000002")
    assert known_runs(journals) == ("RUN-00000001", "RUN-00000002", "RUN-00000003")


def moved(journals: Path, root: Path) -> tuple[JournalStore, Path]:
    elsewhere = root.rename(root.with_name("moved"))
    return JournalStore(journals, identity(elsewhere)), elsewhere


def test_a_workspace_that_was_moved_takes_its_journals_along(store: JournalStore, journals: Path, root: Path) -> None:
    begun(store, "RUN-00000001")
    stranger = journals / "a-damaged-one"
    stranger.mkdir()
    (stranger / "workspace.json").write_text("{")
    calls: list[str] = []
    with syscalls.gated(lambda call, what: calls.append(call)):
        found, elsewhere = moved(journals, root)
    assert found.open_runs() == ("RUN-00000001",)
    whose = journals / identity(elsewhere).journal_key / "workspace.json"
    assert WorkspaceIdentity.model_validate_json(whose.read_bytes()) == identity(elsewhere)
    assert whose.stat().st_mode & 0o777 == 0o600
    assert calls[-1] == "fsync"
    assert stranger.is_dir()
    assert JournalStore(journals, identity(elsewhere)).open_runs() == ("RUN-00000001",)


def test_a_copy_of_a_workspace_does_not_take_the_journals_of_the_original(
    store: JournalStore, journals: Path, root: Path, memory_path: Path
) -> None:
    begun(store, "RUN-00000001")
    (memory_path / "copy").mkdir()
    assert JournalStore(journals, identity(memory_path / "copy")).open_runs() == ()
    linked = identity(root).model_copy(update={"real_path": str(memory_path / "second name")})
    assert JournalStore(journals, linked).open_runs() == ()
    assert store.open_runs() == ("RUN-00000001",)


@pytest.mark.parametrize("field", ["device", "inode"])
def test_another_folder_does_not_take_the_journals_of_one_that_is_gone(
    store: JournalStore, journals: Path, root: Path, field: str
) -> None:
    begun(store, "RUN-00000001")
    elsewhere = identity(root.rename(root.with_name("moved")))
    other = elsewhere.model_copy(update={field: getattr(elsewhere, field) + 1})
    assert JournalStore(journals, other).open_runs() == ()


def test_journals_that_cannot_be_adopted_stay_where_they_are(store: JournalStore, journals: Path, root: Path) -> None:
    begun(store, "RUN-00000001")
    with syscalls.gated(refuse("rename", errno.EACCES)):
        found, _ = moved(journals, root)
    assert found.open_runs() == ()
    assert store.open_runs() == ("RUN-00000001",)


def command(operation: str, *, captured: bool) -> dict[str, Any]:
    return {"type": "command", "operation": operation, "captured": captured}


def ended(operation: str, exit_code: int = 0) -> dict[str, Any]:
    return {"type": "command_done", "operation": operation, "exit_code": exit_code}


def intent(*steps: Step, **more: Any) -> dict[str, Any]:
    return {"type": "intent", "steps": [pack_step(step) for step in steps], **more}


def done(count: int, **lost: Any) -> dict[str, Any]:
    return {"type": "done", "count": count, "lost": {name.removeprefix("n"): value for name, value in lost.items()}}


def test_a_journal_tells_what_was_done_and_what_was_under_way() -> None:
    first, second = pack_state(a_file(b"first\n")), pack_state(a_file(b"second\n"))
    found = understand(
        (
            intent(PUT, SWAP, seen={"HEAD": first}),
            done(1, n0={"owner": [1, 2]}),
            {"type": "of a later version"},
            intent(SWAP, seen={"HEAD": second, "config": second}),
            done(1, n1={}),
            intent(LAST),
        )
    )
    assert (found.done, found.current, found.steps) == ((PUT, SWAP), (LAST,), (PUT, SWAP, LAST))
    assert found.lost == {0: {"owner": [1, 2]}, 1: {}}
    assert found.seen == {"HEAD": a_file(b"first\n"), "config": a_file(b"second\n")}
    assert found.completed == {"s1", "s2"}
    assert (found.record, found.operations, found.planned, found.metadata) == (None, (), (), {})
    assert (found.end, found.results, found.command_open) == (None, (), None)
    assert understand(()) == History(None)


def test_after_a_finished_segment_nothing_is_under_way() -> None:
    assert understand((intent(PUT), done(1))) == History(None, done=(PUT,))


def test_a_journal_whose_beginning_names_no_planned_steps_has_none() -> None:
    record, operation = a_record(), a_write("a", b"a\n")
    begin = {"record": record.model_dump(mode="json"), "operations": [operation.model_dump(mode="json")]}
    assert understand(({"type": "begin", **begin},)) == History(record, (operation,))


def test_a_journal_tells_which_commands_ran_and_where() -> None:
    found = understand((command("c1", captured=True), ended("c1"), command("c2", captured=True), ended("c2", 3)))
    assert (found.commands_done, found.completed) == ({"c1"}, {"c1"})
    assert (found.command_open, found.command_captured, found.ran_in_place) == (None, True, False)
    found = understand((command("c1", captured=False), ended("c1"), command("c2", captured=True), ended("x")))
    assert (found.command_open, found.command_captured, found.ran_in_place) == ("c2", True, True)
    found = understand((command("c1", captured=True), command("c2", captured=True), ended("c2")))
    assert (found.command_open, found.completed) == ("c1", {"c2"})


def test_the_end_of_a_run_holds_its_results() -> None:
    result = OperationResult(id=OperationId("s1"), status=ResultStatus.FAILED, error="no")
    end = {"type": "end", "record": {}, "results": [result.model_dump(mode="json")]}
    found = understand((end,))
    assert found.end == end
    assert found.results == (result,)
