"""What somebody else does in the folders of a run while it goes on is told at its end, and does not hold it up."""

from pathlib import Path

import pytest

from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.runs import OperationResult, RunStatus
from tandem_desktop.execution.run_manager import RunManager
from tandem_desktop.storage.clock import next_tick
from tests.support.builders import a_command, a_write
from tests.support.run_managers import a_run_manager, carry_out


class Somebody:
    """Acts once, when the first operation is done."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.writes: dict[str, str] = {}
        self.removes: list[str] = []

    def __call__(self, run_id: RunId, result: OperationResult) -> None:
        if result.id != "s1":
            return
        next_tick()
        for path, text in self.writes.items():
            (self.root / path).write_text(text)
        for path in self.removes:
            (self.root / path).unlink()


@pytest.fixture
def somebody(memory_path: Path) -> Somebody:
    root = memory_path / "ws"
    (root / "src").mkdir(parents=True)
    for name in ("edited", "gone", "quiet"):
        (root / "src" / name).write_text("theirs\n")
    return Somebody(root)


@pytest.fixture
def manager(somebody: Somebody, memory_path: Path) -> RunManager:
    made = a_run_manager(somebody.root, memory_path / "state", on_result=somebody)
    made.objects.put_all([b"one\n", b"two\n"])
    return made


def told(manager: RunManager) -> list[tuple[str, str]]:
    operations = (a_write("src/one", b"one\n"), a_command("true", id="s2"), a_write("src/two", b"two\n", id="s3"))
    record, _ = carry_out(manager, operations)
    assert record.status is RunStatus.COMPLETED
    assert manager.runs.get(record.run_id).meanwhile == record.meanwhile
    return [(each.path, each.change) for each in record.meanwhile]


def test_a_run_that_was_alone_tells_of_nothing_else(manager: RunManager) -> None:
    assert told(manager) == []


def test_what_came_went_and_was_edited_beside_the_run_is_told(manager: RunManager, somebody: Somebody) -> None:
    somebody.writes = {"src/edited": "otherwise\n", "src/new": "theirs\n"}
    somebody.removes = ["src/gone"]
    assert told(manager) == [("src/edited", "modified"), ("src/gone", "deleted"), ("src/new", "created")]
    assert (somebody.root / "src" / "edited").read_text() == "otherwise\n"


def test_a_file_of_the_run_that_was_changed_after_it_was_verified_is_told(
    manager: RunManager, somebody: Somebody
) -> None:
    somebody.writes = {"src/one": "overwritten\n"}
    assert told(manager) == [("src/one", "modified")]
