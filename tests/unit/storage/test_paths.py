"""What Tandem writes stays in real folders of its own, which no other person can read."""

import stat
from pathlib import Path

import platformdirs
import pytest

from tandem_desktop.domain.errors import OutsideWorkspaceError, StorageError
from tandem_desktop.storage.paths import Locations, xdg_directory
from tests.support.read_only import read_only


@pytest.fixture
def locations(tmp_path: Path) -> Locations:
    (tmp_path / "ws").mkdir()
    return Locations(workspace=tmp_path / "ws", state=tmp_path / "state")


def test_folder_of_tandem_that_is_a_link_is_refused_before_anything_is_made(
    locations: Locations, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    locations.tandem.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutsideWorkspaceError, match="a symbolic link"):
        locations.prepare_workspace()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_file_in_the_place_of_a_folder_of_tandem_is_refused(locations: Locations) -> None:
    locations.tandem.mkdir()
    locations.plans.write_text("")
    with pytest.raises(OutsideWorkspaceError, match="not a folder"):
        locations.check()


@pytest.mark.parametrize("mode", [0o710, 0o701, 0o755])
def test_state_folder_that_others_may_enter_is_closed_to_them(locations: Locations, mode: int) -> None:
    locations.state.mkdir()
    locations.state.chmod(mode)
    locations.prepare_state()
    assert stat.S_IMODE(locations.state.stat().st_mode) == 0o700


def test_preparing_the_state_often_leaves_no_descriptor_open(locations: Locations) -> None:
    def prepare() -> int:
        locations.state.chmod(0o755)
        locations.prepare_state()
        return len(list(Path("/proc/self/fd").iterdir()))

    locations.prepare_state()
    assert prepare() == prepare()


def test_workspace_that_cannot_be_written_is_told_before_a_plan_is_kept(locations: Locations) -> None:
    assert not locations.is_read_only
    with read_only(locations.workspace) as is_possible:
        if not is_possible:
            pytest.skip("nothing can be mounted here")
        assert locations.is_read_only
        with pytest.raises(StorageError, match="read-only"):
            locations.prepare_workspace()


@pytest.mark.parametrize(
    ("names", "is_empty"), [((), True), ((".git", ".tandem"), True), (("a.txt",), False), ((".git", "a"), False)]
)
def test_workspace_is_empty_that_holds_only_a_repository_and_the_folder_of_tandem(
    locations: Locations, names: tuple[str, ...], is_empty: bool
) -> None:
    for name in names:
        (locations.workspace / name).mkdir()
    assert locations.is_empty is is_empty


def test_workspace_that_cannot_be_read_is_not_called_empty(tmp_path: Path) -> None:
    assert not Locations(workspace=tmp_path / "gone", state=tmp_path).is_empty


def test_a_workspace_that_is_gone_is_said_to_be_gone(locations: Locations) -> None:
    locations.workspace.rmdir()
    with pytest.raises(StorageError, match="ws is gone"):
        locations.prepare_workspace()


@pytest.mark.parametrize("home", ["/home/ada", "", "ada", "/"])
@pytest.mark.parametrize("chosen", ["", "/elsewhere", "elsewhere", "~/elsewhere", "/else where/", " "])
def test_the_folders_of_a_person_are_where_platformdirs_has_them(
    monkeypatch: pytest.MonkeyPatch, home: str, chosen: str
) -> None:
    monkeypatch.setenv("HOME", home)
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, chosen)
    found = xdg_directory("XDG_STATE_HOME", ".local/state"), xdg_directory("XDG_CONFIG_HOME", ".config")
    if home.startswith("/") or chosen.startswith("/"):
        told = (platformdirs.user_state_dir, platformdirs.user_config_dir)
        assert found == tuple(Path(each("tandem-desktop", appauthor=False)) for each in told)
    else:
        assert found == (None, None)
