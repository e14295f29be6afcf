"""Nothing outside the root is ever reached, whatever the names and links say."""

import os
import socket
import threading
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import BadInputError, OutsideWorkspaceError, StorageError
from tandem_desktop.domain.operations import ABSENT, DirectoryState, FileState, SymlinkState
from tandem_desktop.storage.workspace import Workspace


@pytest.fixture
def root(memory_path: Path) -> Path:
    folder = memory_path / "ws"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "f").write_bytes(b"inside\n")
    (memory_path / "out").mkdir()
    (memory_path / "out" / "secret").write_bytes(b"outside\n")
    return folder


def test_each_kind_of_node_has_its_state(root: Path) -> None:
    (root / "link").symlink_to("a/f")
    with Workspace(root) as workspace:
        assert isinstance(workspace.state("a/f"), FileState)
        assert isinstance(workspace.state("a"), DirectoryState)
        assert workspace.state("link") == SymlinkState(target="a/f")
        assert workspace.state("nothing/there") == ABSENT


@pytest.mark.parametrize("link", ["../out", "a", "/"])
def test_no_path_leads_through_a_link(root: Path, link: str) -> None:
    (root / "through").symlink_to(link)
    with Workspace(root) as workspace, pytest.raises(OutsideWorkspaceError, match="symbolic link"):
        workspace.state("through/f")


def test_special_files_are_refused_at_once(root: Path) -> None:
    os.mkfifo(root / "pipe")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(root / "socket"))
    with Workspace(root) as workspace:
        for name in ("pipe", "socket"):
            with pytest.raises(OutsideWorkspaceError, match="special file"):
                workspace.state(name)
    listening.close()


def test_huge_sparse_file_is_refused_by_its_size_alone(root: Path) -> None:
    with (root / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    with Workspace(root) as workspace, pytest.raises(StorageError, match="1,099,511,627,776 bytes"):
        workspace.state("sparse")


def test_missing_workspace_is_a_sentence(memory_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be opened"):
        Workspace(memory_path / "nowhere")


def test_workspace_replaced_by_another_folder_is_noticed(root: Path) -> None:
    with Workspace(root) as workspace:
        root.rename(root.with_name("moved"))
        root.mkdir()
        with pytest.raises(StorageError, match="another folder"):
            workspace.check_identity()


def test_large_file_hashed_in_parts_has_the_same_state(root: Path) -> None:
    (root / "large").write_bytes(b"0123456789" * 600_000)
    with Workspace(root) as workspace:
        assert workspace.load("large", keep=False)[0] == workspace.load("large")[0]


def test_directory_swapped_for_a_link_while_reading_never_lets_a_read_escape(root: Path) -> None:
    (root / "swap").mkdir()
    (root / "swap" / "secret").write_bytes(b"inside\n")
    (root / "evil").symlink_to(root.parent / "out")
    stop = threading.Event()

    def flip() -> None:
        while not stop.is_set():
            (root / "swap").rename(root / "kept")
            (root / "evil").rename(root / "swap")
            (root / "swap").rename(root / "evil")
            (root / "kept").rename(root / "swap")

    flipper = threading.Thread(target=flip)
    flipper.start()
    seen = set()
    with Workspace(root) as workspace:
        try:
            for _ in range(4000):
                workspace.forget_directories()
                state, data = workspace.peek("swap/secret")
                seen.add(data)
                assert state is not None
        finally:
            stop.set()
            flipper.join()
        workspace.forget_directories()
        seen.add(workspace.peek("swap/secret")[1])
    assert seen <= {None, b"inside\n"}
    assert b"inside\n" in seen


def test_one_thread_forgetting_its_folders_takes_none_from_another(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "f").write_bytes(b"here")
    workspace = Workspace(tmp_path)
    fd, name = workspace.parent("a/f")
    other = threading.Thread(target=lambda: (workspace.read("a/f"), workspace.forget_directories()))
    other.start()
    other.join()
    with open(os.open(name, os.O_RDONLY, dir_fd=fd), "rb") as file:
        assert file.read() == b"here"
