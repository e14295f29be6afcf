"""The socket is private from its first moment, and its path is never too long."""

import os
import stat
import tempfile
from pathlib import Path

import pytest

from tandem_desktop.planning_tools.socket_place import LONGEST_PATH, PlanningSocket


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_socket_and_folder_are_the_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        place = PlanningSocket(tmp_path / "sockets")
        listener = place.open()
    finally:
        os.umask(before)
    with listener:
        assert (mode(place.path), mode(place.path.parent)) == (0o600, 0o700)


def test_a_folder_that_was_open_to_others_is_closed(tmp_path: Path) -> None:
    (tmp_path / "sockets").mkdir(mode=0o755)
    place = PlanningSocket(tmp_path / "sockets")
    with place.open():
        assert mode(tmp_path / "sockets") == 0o700


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "sockets").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="sockets"):
        PlanningSocket(tmp_path / "sockets").open()


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


def test_nothing_is_left_and_closing_twice_is_fine(tmp_path: Path) -> None:
    place = PlanningSocket(tmp_path)
    place.open().close()
    place.close()
    place.close()
    assert list(tmp_path.iterdir()) == []


def test_what_a_cut_off_engine_left_is_swept_and_a_living_socket_stays(tmp_path: Path) -> None:
    dead, living = PlanningSocket(tmp_path), PlanningSocket(tmp_path)
    dead.open().close()
    with living.open() as listener:
        listener.listen()
        fresh = PlanningSocket(tmp_path)
        with fresh.open():
            assert sorted(path.name for path in tmp_path.iterdir()) == sorted((living.path.name, fresh.path.name))
