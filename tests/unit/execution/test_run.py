"""A run compares what is on disk with what was approved, and reports every path that differs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tandem_desktop.domain.runs import FailurePolicy, RunStatus
from tandem_desktop.execution.run_manager import RunManager
from tandem_desktop.storage import syscalls
from tests.support.builders import a_delete, a_move, a_write
from tests.support.run_managers import a_run_manager, carry_out


@pytest.fixture
def root(memory_path: Path) -> Path:
    folder = memory_path / "ws"
    folder.mkdir()
    return folder


@pytest.fixture
def manager(root: Path, memory_path: Path) -> RunManager:
    made = a_run_manager(root, memory_path / "state")
    made.objects.put_all([b"one\n", b"two\n", b"old\n"])
    return made


def just_before(name: str, act: Callable[[], object]) -> syscalls.Gate:
    """A gate that acts once, right before the run publishes a file called `name`."""
    left = [act]

    def gate(call: str, what: str) -> None:
        if call == "renameat2" and what == name and left:
            left.pop()()

    return gate


@pytest.mark.req("S0-65")
def test_file_that_another_program_changes_after_it_was_written_fails_its_operation(
    manager: RunManager, root: Path
) -> None:
    operations = (a_write("one", b"one\n"), a_write("two", b"two\n", id="s2"))
    with syscalls.gated(just_before("two", lambda: (root / "one").write_bytes(b"1!!\n"))):
        record, results = carry_out(manager, operations, FailurePolicy.STOP)
    assert record.status is RunStatus.FAILED
    assert {result.id: result.status.value for result in results} == {"s1": "failed", "s2": "completed"}
    assert results[0].error == "one is not what was approved after writing it."
    assert (root / "one").read_bytes() == b"1!!\n"


@pytest.mark.parametrize("appears", ["old", "here"])
def test_file_that_another_program_puts_where_one_was_deleted_or_moved_away_fails_the_operation(
    manager: RunManager, root: Path, appears: str
) -> None:
    for name in ("old", "here"):
        (root / name).write_bytes(b"old\n")
        (root / name).chmod(0o644)
    operations = (
        a_delete("old", b"old\n"),
        a_move("here", "there", b"old\n", id="s2"),
        a_write("two", b"two\n", id="s3"),
    )
    with syscalls.gated(just_before("two", lambda: (root / appears).write_bytes(b"again\n"))):
        record, results = carry_out(manager, operations, FailurePolicy.CONTINUE)
    failed = "s1" if appears == "old" else "s2"
    assert record.status is RunStatus.FAILED
    assert [result.id for result in results if result.status.value == "failed"] == [failed]


def test_folder_that_is_exchanged_during_the_run_is_read_where_its_name_leads_now(
    manager: RunManager, root: Path
) -> None:
    (root / "src").mkdir()

    def exchange() -> None:
        (root / "src").rename(root / "before")
        (root / "src").mkdir()

    operations = (a_write("src/one", b"one\n"), a_write("two", b"two\n", id="s2"))
    with syscalls.gated(just_before("two", exchange)):
        record, results = carry_out(manager, operations, FailurePolicy.STOP)
    assert record.status is RunStatus.FAILED
    assert results[0].error == "src/one is not what was approved after writing it."
