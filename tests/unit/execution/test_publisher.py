"""What a run changes in place is made durable like what it publishes."""

import errno
import hashlib
import os
from pathlib import Path

import pytest

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import (
    ABSENT,
    DirectoryState,
    FileState,
    OperationKind,
    StagedOperation,
    SymlinkState,
)
from tandem_desktop.storage import syscalls
from tests.support.run_managers import a_run_manager, carry_out


def synced_by(root: Path, *operations: StagedOperation) -> list[str]:
    """Where each node that a run synced was at that moment."""
    manager = a_run_manager(root, root.parent / "state")
    places: list[str] = []

    def gate(call: str, what: str) -> None:
        if call in ("fsync", "syncfs"):
            places.append(str(Path(f"/proc/self/fd/{what}").readlink()) if call == "fsync" else call)

    with syscalls.gated(gate):
        carry_out(manager, operations)
    manager.workspace.close()
    return places


def a_tool(root: Path) -> FileState:
    """A small file on disk that is not executable, as a state."""
    root.mkdir()
    (root / "tool").write_bytes(b"tool\n")
    (root / "tool").chmod(0o644)
    return FileState(sha256=hashlib.sha256(b"tool\n").hexdigest(), size=5, mode=0o644)


def an_operation(
    number: int, kind: OperationKind, path: str, base: FileState, after: FileState, to: str | None = None
) -> StagedOperation:
    return StagedOperation(id=OperationId(f"s{number}"), kind=kind, path=path, to=to, base=base, after=after)


def test_mode_changed_in_place_is_synced_with_its_file(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    before = a_tool(root)
    after = before.model_copy(update={"mode": 0o755})
    assert str(root / "tool") in synced_by(root, an_operation(1, OperationKind.CHMOD, "tool", before, after))


def test_mode_changed_in_place_is_synced_where_the_file_went(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    before = a_tool(root)
    after = before.model_copy(update={"mode": 0o755})
    places = synced_by(
        root,
        an_operation(1, OperationKind.CHMOD, "tool", before, after),
        an_operation(2, OperationKind.MOVE, "tool", after, after, to="moved"),
    )
    assert str(root / "moved") in places
    assert "syncfs" not in places


def test_new_folder_is_synced_itself_before_it_is_published(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    made = StagedOperation(
        id=OperationId("s1"), kind=OperationKind.MKDIR, path="made", base=ABSENT, after=DirectoryState(mode=0o755)
    )
    places = synced_by(root, made)
    assert any(Path(place).parent.parent == root / ".tandem" / "tmp" for place in places)


def many_links() -> tuple[StagedOperation, ...]:
    """More than are synced one by one."""
    return tuple(
        StagedOperation(
            id=OperationId(f"s{n}"), kind=OperationKind.SYMLINK, path=f"link{n}", after=SymlinkState(target="x")
        )
        for n in range(20)
    )


def test_many_names_are_synced_with_their_file_system_before_the_first_publish_and_after_the_last(
    tmp_path: Path,
) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    places = synced_by(root, *many_links())
    assert places.count("syncfs") == 2
    assert str(root) not in places[places.index("syncfs") :]


def test_many_names_that_cannot_be_made_durable_are_taken_back(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    manager = a_run_manager(root, tmp_path / "state")
    synced = 0

    def gate(call: str, what: str) -> None:
        nonlocal synced
        synced += call == "syncfs"
        if call == "syncfs" and synced == 2:
            raise OSError(5, "Input/output error")

    with syscalls.gated(gate):
        record, _ = carry_out(manager, many_links())
    manager.workspace.close()
    assert record.rolled_back
    assert [path.name for path in root.iterdir()] == [".tandem"]
    assert synced == 3


def without_exchange(call: str, what: str) -> None:
    """A file system that knows no flags of rename."""
    if call == "renameat2":
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), what)


@pytest.mark.parametrize("theirs", [b"theirs\n", None], ids=["changed", "deleted"])
def test_change_by_another_program_is_kept_where_the_file_system_cannot_exchange_names(
    tmp_path: Path, theirs: bytes | None
) -> None:
    root = tmp_path / "ws"
    before = a_tool(root)
    manager = a_run_manager(root, tmp_path / "state")
    after = manager.objects.put(b"new\n")

    def gate(call: str, what: str) -> None:
        if call == "renameat2" and what == "tool":
            (root / "tool").unlink() if theirs is None else (root / "tool").write_bytes(theirs)
        without_exchange(call, what)

    written = FileState(sha256=after, size=4, mode=0o644)
    with syscalls.gated(gate):
        record, results = carry_out(manager, (an_operation(1, OperationKind.MODIFY, "tool", before, written),))
    manager.workspace.close()
    assert record.rolled_back
    assert "by someone else while the plan ran" in (results[0].error or "")
    assert ((root / "tool").read_bytes() if (root / "tool").exists() else None) == theirs


def test_file_is_replaced_where_the_file_system_cannot_exchange_names(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    before = a_tool(root)
    manager = a_run_manager(root, tmp_path / "state")
    written = FileState(sha256=manager.objects.put(b"new\n"), size=4, mode=0o644)
    with syscalls.gated(without_exchange):
        carry_out(manager, (an_operation(1, OperationKind.MODIFY, "tool", before, written),))
    manager.workspace.close()
    assert (root / "tool").read_bytes() == b"new\n"


def test_what_a_run_took_out_is_durable_in_its_scratch_folder_before_the_segment_is_done(tmp_path: Path) -> None:
    """Otherwise a power cut could leave the new file in place and lose the name of the old one."""
    root = tmp_path / "ws"
    before = a_tool(root)
    manager = a_run_manager(root, tmp_path / "state")
    written = FileState(sha256=manager.objects.put(b"new\n"), size=4, mode=0o644)
    seen: list[str] = []

    def gate(call: str, what: str) -> None:
        if call == "renameat2" and what == "tool":
            seen.append("published")
        elif call in ("fsync", "write"):
            place = Path(f"/proc/self/fd/{what}").readlink()
            if call == "fsync" and place.parent == root / ".tandem" / "tmp":
                seen.append("scratch folder synced")
            elif call == "write" and place.is_relative_to(tmp_path / "state" / "journal"):
                seen.append("journal")

    with syscalls.gated(gate):
        carry_out(manager, (an_operation(1, OperationKind.MODIFY, "tool", before, written),))
    manager.workspace.close()
    after_publishing = seen[seen.index("published") + 1 :]
    assert after_publishing[:2] == ["scratch folder synced", "journal"]
