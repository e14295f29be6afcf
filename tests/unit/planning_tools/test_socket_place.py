"""The socket is private from its first moment, and its path is never too long."""

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.planning_tools.server import LONGEST_PATH, PlanningSocket


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder whose name leaves room for the name of a socket."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_socket_and_folder_are_the_owners_alone_whatever_the_umask(short_path: Path) -> None:
    before = os.umask(0)
    try:
        place = PlanningSocket(short_path / "sockets")
        listener = place.open()
    finally:
        os.umask(before)
    with listener:
        assert (mode(place.path), mode(place.path.parent)) == (0o600, 0o700)


def test_a_folder_that_was_open_to_others_is_closed(short_path: Path) -> None:
    (short_path / "sockets").mkdir(mode=0o755)
    place = PlanningSocket(short_path / "sockets")
    with place.open():
        assert mode(short_path / "sockets") == 0o700


def test_a_folder_that_is_a_link_is_refused(short_path: Path) -> None:
    (short_path / "elsewhere").mkdir()
    (short_path / "sockets").symlink_to(short_path / "elsewhere")
    with pytest.raises(OSError, match="sockets"):
        PlanningSocket(short_path / "sockets").open()


@pytest.mark.parametrize("runtime", ["short", "long", ""])
def test_a_path_too_long_for_a_socket_moves_to_a_short_private_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runtime: str
) -> None:
    long = tmp_path / ("long" * 30)
    long.mkdir()
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", {"short": short, "long": str(long), "": ""}[runtime])
        place = PlanningSocket(long)
        assert len(os.fsencode(place.path)) <= LONGEST_PATH
        assert place.path.is_relative_to(short) is (runtime == "short")
        with place.open():
            assert (mode(place.path), mode(place.path.parent)) == (0o600, 0o700)
        place.close()
        assert not place.path.parent.exists()


def test_nothing_is_left_and_closing_twice_is_fine(short_path: Path) -> None:
    place = PlanningSocket(short_path)
    place.open().close()
    place.close()
    place.close()
    assert list(short_path.iterdir()) == []


def test_what_a_cut_off_engine_left_is_swept_and_a_living_socket_stays(short_path: Path) -> None:
    dead, living = PlanningSocket(short_path), PlanningSocket(short_path)
    dead.open().close()
    with living.open() as listener:
        listener.listen()
        fresh = PlanningSocket(short_path)
        with fresh.open():
            assert sorted(path.name for path in short_path.iterdir()) == sorted((living.path.name, fresh.path.name))
