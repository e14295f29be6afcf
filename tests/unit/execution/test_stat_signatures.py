"""Files that were read are known again without reading them; whoever touches one meanwhile is noticed all the same."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import RollbackError
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.runs import FailurePolicy, ResultStatus
from tandem_desktop.execution.commands import segments
from tandem_desktop.execution.preflight import preflight
from tandem_desktop.execution.run_manager import ClearInBackground, RunManager
from tandem_desktop.storage import syscalls
from tandem_desktop.storage.workspace import StatSignatures, Workspace, is_settled
from tests.support.builders import a_command, a_delete, a_file, a_move, a_write
from tests.support.run_managers import a_record, a_run_manager
from tests.support.tree_walker import leftovers, walk

LONG_AGO = 1_000_000_000


@pytest.fixture
def root(memory_path: Path) -> Path:
    folder = memory_path / "ws"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_bytes(b"old\n")
        (folder / name).chmod(0o644)
        os.utime(folder / name, ns=(LONG_AGO, LONG_AGO))
    return folder


@pytest.fixture
def manager(root: Path, memory_path: Path) -> RunManager:
    made = a_run_manager(root, memory_path / "state")
    made.objects.put_all([b"old\n", b"new\n", b"one\n"])
    return made


KINDS = {
    "modify": lambda: a_write("b.txt", b"new\n", before=b"old\n", id="s2"),
    "delete": lambda: a_delete("b.txt", b"old\n", id="s2"),
    "move": lambda: a_move("b.txt", "c.txt", b"old\n", id="s2"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_edit_of_the_same_size_between_check_and_publish_survives(manager: RunManager, root: Path, kind: str) -> None:
    operations = (a_write("a.txt", b"new\n", before=b"old\n"), KINDS[kind]())
    with before_publishing("a.txt", lambda: (root / "b.txt").write_bytes(b"OLD\n")):
        results = run_checked(manager, operations)
    assert results["s2"] is ResultStatus.FAILED
    assert (root / "b.txt").read_bytes() == b"OLD\n"
    assert (root / "a.txt").read_bytes() == b"old\n"


def test_mode_changed_between_the_checks_and_the_publish_stops_the_run(manager: RunManager, root: Path) -> None:
    operations = (a_write("a.txt", b"new\n", before=b"old\n"), KINDS["modify"]())
    with before_publishing("a.txt", lambda: (root / "b.txt").chmod(0o600)):
        results = run_checked(manager, operations)
    assert results["s2"] is ResultStatus.FAILED
    assert (root / "b.txt").stat().st_mode & 0o777 == 0o600


def test_edit_of_a_published_file_is_not_lost_when_the_run_is_rolled_back(manager: RunManager, root: Path) -> None:
    operations = (a_write("a.txt", b"new\n", before=b"old\n"), KINDS["modify"]())
    edit = lambda: ((root / "a.txt").write_bytes(b"NEW\n"), (root / "b.txt").unlink())  # noqa: E731 - read in place
    with before_publishing("b.txt", edit), pytest.raises(RollbackError) as refusal:
        run_checked(manager, operations)
    assert refusal.value.path == "a.txt"
    assert (root / "a.txt").read_bytes() == b"NEW\n"


def test_rolled_back_tree_is_exactly_what_it_was(manager: RunManager, root: Path) -> None:
    before = walk(root)
    operations = (a_write("a.txt", b"new\n", before=b"old\n"), a_write("c.txt", b"one\n", id="s2"))
    with before_publishing("c.txt", lambda: (root / "c.txt").write_bytes(b"somebody's\n")):
        run_checked(manager, operations)
    (root / "c.txt").unlink()
    assert walk(root) == before


def test_file_younger_than_the_clock_of_its_disk_is_not_taken_as_known(root: Path) -> None:
    in_an_hour = time.time_ns() + 3600 * 10**9
    os.utime(root / "a.txt", ns=(in_an_hour, in_an_hour))
    signatures = StatSignatures()
    workspace = Workspace(root)
    assert workspace.has("a.txt", a_file(b"old\n"), signatures)
    assert workspace.has("b.txt", a_file(b"old\n"), signatures)
    assert set(signatures) == {"b.txt"}


def test_bytes_at_hand_never_stand_in_for_what_is_on_disk(root: Path) -> None:
    workspace = Workspace(root)
    (root / "a.txt").write_bytes(b"NEW\n")
    assert not workspace.has("a.txt", a_file(b"old\n"), at_hand=lambda sha256: b"old\n")
    assert workspace.has("a.txt", a_file(b"NEW\n"), at_hand=lambda sha256: b"other")


@pytest.mark.parametrize("when", ["before the run", "by a command of the run"])
def test_attributes_of_a_modified_file_are_kept_whenever_it_got_them(
    manager: RunManager, root: Path, when: str
) -> None:
    def attach() -> None:
        os.setxattr(root / "b.txt", "user.note", b"mine")

    try:
        attach()
    except OSError:
        pytest.skip("this file system has no extended attributes")
    if when == "by a command of the run":
        os.removexattr(root / "b.txt", "user.note")
    script = f"{sys.executable} -c \"import os; os.setxattr('b.txt', 'user.note', b'mine')\""
    operations = (
        a_write("a.txt", b"new\n", before=b"old\n"),
        a_command("true" if when == "before the run" else script, id="c1"),
        a_write("b.txt", b"new\n", before=b"old\n", id="s2"),
    )
    results = run_checked(manager, operations)
    assert set(results.values()) == {ResultStatus.COMPLETED}
    assert os.getxattr(root / "b.txt", "user.note") == b"mine"


def test_file_made_where_a_plain_one_was_removed_is_an_heir_of_its_folder(manager: RunManager, root: Path) -> None:
    wanted = 4321 if os.geteuid() == 0 else os.getgroups()[-1]
    os.chown(root, -1, wanted)
    root.chmod(0o2755)
    results = run_checked(manager, (a_delete("b.txt", b"old\n"), a_write("b.txt", b"new\n", id="s2")))
    assert set(results.values()) == {ResultStatus.COMPLETED}
    assert (root / "b.txt").stat().st_gid == wanted


def test_heir_of_its_folder_stays_one_when_the_run_goes_on_after_a_failure(manager: RunManager, root: Path) -> None:
    wanted = 4321 if os.geteuid() == 0 else os.getgroups()[-1]
    os.chown(root, -1, wanted)
    root.chmod(0o2755)
    operations = (
        a_delete("b.txt", b"old\n"),
        a_write("b.txt", b"one\n", id="s2"),
        a_write("c.txt", b"one\n", id="s3"),
        a_write("b.txt", b"new\n", before=b"one\n", id="s4"),
    )
    with before_publishing("c.txt", lambda: (root / "c.txt").write_bytes(b"somebody's\n")):
        results = run_checked(manager, operations, FailurePolicy.CONTINUE)
    assert results["s3"] is ResultStatus.FAILED
    assert results["s4"] is ResultStatus.COMPLETED
    assert (root / "b.txt").stat().st_gid == wanted


def test_time_in_whole_seconds_proves_nothing_about_the_second_it_names() -> None:
    written = 10_000_000_000
    assert not is_settled((1, 4, 0o100644, written), written + 1_900_000_000)
    assert is_settled((1, 4, 0o100644, written), written + 2_100_000_000)
    assert is_settled((1, 4, 0o100644, written + 1), written + 100_000_000)


def test_bench_cleared_beside_the_caller_is_gone_when_finished(root: Path, memory_path: Path) -> None:
    clearing = ClearInBackground()
    manager = a_run_manager(root, memory_path / "state", clear=clearing)
    manager.objects.put_all([b"old\n", b"new\n"])
    results = run_checked(manager, (a_write("a.txt", b"new\n", before=b"old\n"),))
    clearing.finish()
    assert results == {"s1": ResultStatus.COMPLETED}
    assert leftovers(root) == []


@contextmanager
def before_publishing(name: str, do: object) -> Iterator[None]:
    """Do something once, right before the first rename onto `name`."""
    waiting = [do]

    def gate(call: str, what: str) -> None:
        if call == "renameat2" and what == name and waiting:
            waiting.pop()()  # type: ignore[operator]

    with syscalls.gated(gate):
        yield


def run_checked(
    manager: RunManager, operations: tuple[StagedOperation, ...], policy: FailurePolicy = FailurePolicy.ROLLBACK
) -> dict[str, ResultStatus]:
    signatures = preflight(operations, manager.workspace, manager.objects)
    record = a_record(policy)
    with manager.only_run():
        journal = manager.begin(record, operations)
        _, results = manager.conduct(
            record, operations, journal, lambda run: run.carry_out(segments(operations)), signatures=signatures
        )
    return {result.id: result.status for result in results}
