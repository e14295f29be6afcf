"""Folders made where files come and go lie apart on the disk, if the disk can do that; nothing depends on it."""

import fcntl
import os
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.storage import syscalls
from tests.support.builders import a_write
from tests.support.run_managers import a_run_manager, carry_out

GET_FLAGS = {4: 0x80046601, 8: 0x80086601}[struct.calcsize("l")]
TOP_OF_A_TREE = 0x00020000


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    fd = os.open(tmp_path, os.O_RDONLY)
    yield fd
    os.close(fd)


def is_top(fd: int) -> bool:
    return bool(struct.unpack_from("i", fcntl.ioctl(fd, GET_FLAGS, bytes(8)))[0] & TOP_OF_A_TREE)


def can_spread(fd: int) -> bool:
    try:
        syscalls.spread(fd)
    except OSError:
        return False
    return True


def test_folder_is_marked_once(folder: int) -> None:
    seen: list[str] = []
    with syscalls.gated(lambda call, what: seen.append(call)):
        if not can_spread(folder):
            pytest.skip("this file system has no such mark")
        syscalls.spread(folder)
    assert is_top(folder)
    assert seen == ["ioctl"]


def test_benches_lie_apart(tmp_path: Path, folder: int) -> None:
    if not can_spread(folder):
        pytest.skip("this file system has no such mark")
    root = tmp_path / "ws"
    root.mkdir()
    manager = a_run_manager(root, tmp_path / "state")
    manager.objects.put(b"one\n")
    carry_out(manager, (a_write("one.txt", b"one\n"),))
    scratch_dirs = os.open(root / ".tandem" / "tmp", os.O_RDONLY)
    assert is_top(scratch_dirs)
    os.close(scratch_dirs)


def test_run_goes_on_where_the_disk_refuses_the_mark(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    manager = a_run_manager(root, tmp_path / "state")
    manager.objects.put(b"one\n")

    def refuse(call: str, what: str) -> None:
        if call == "ioctl":
            raise OSError(95, os.strerror(95))

    with syscalls.gated(refuse):
        carry_out(manager, (a_write("one.txt", b"one\n"),))
    assert (root / "one.txt").read_bytes() == b"one\n"
