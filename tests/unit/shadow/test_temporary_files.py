"""Of the temporary files a sandbox shows what programs need, and nothing beside it."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.shadow.places import ShownPrograms, covered_places
from tests.support.temporary import MakeFolder, temporary_folders

NOWHERE = Path("/nowhere")


def folders_of(files: list[Path]) -> tuple[Path, ...]:
    return ShownPrograms(covered_places(NOWHERE), NOWHERE).of_files(files)


def searched_for_programs(search_path: str) -> tuple[Path, ...]:
    return ShownPrograms(covered_places(NOWHERE), NOWHERE).of_search_path(search_path)


@pytest.fixture
def folders() -> Iterator[MakeFolder]:
    with temporary_folders() as make:
        yield make


@pytest.fixture
def temporary(folders: MakeFolder) -> Path:
    return folders()


def test_the_outermost_folder_of_a_file_is_shown_and_never_all_of_them(temporary: Path) -> None:
    assert folders_of([temporary / "deep/down/agent", Path("/usr/bin/env"), Path("/tmp"), Path("/")]) == (temporary,)


def test_a_file_that_lies_in_no_folder_is_shown_alone() -> None:
    with tempfile.NamedTemporaryFile(dir="/tmp") as file:
        assert folders_of([Path(file.name)]) == (Path(file.name),)


def test_every_place_is_shown_that_links_lead_through(temporary: Path, folders: MakeFolder) -> None:
    other = folders()
    (temporary / "python").symlink_to(other / "python")
    (other / "python").symlink_to("/usr/bin/env")
    assert folders_of([temporary / "python"]) == tuple(sorted((temporary, other)))


def test_a_link_from_elsewhere_is_followed_to_where_it_leads(temporary: Path, memory_path: Path) -> None:
    link = memory_path / "current"
    link.symlink_to(temporary)
    assert temporary in folders_of([link / "bin/agent"])


def test_of_a_search_path_programs_and_their_libraries_are_shown_and_not_what_lies_beside_them(temporary: Path) -> None:
    for name in ("venv/bin", "venv/lib", "venv/notes", "tools", "bin"):
        (temporary / name).mkdir(parents=True)
    (temporary / "venv/pyvenv.cfg").touch()
    path = [temporary / "venv/bin", temporary / "tools/", temporary / "gone", "/usr/bin", "/tmp", "/tmp/", "", "."]
    shown = searched_for_programs(os.pathsep.join(map(str, path)))
    assert [place.relative_to(temporary).as_posix() for place in shown] == [
        "tools",
        "venv/bin",
        "venv/lib",
        "venv/pyvenv.cfg",
    ]


def test_a_folder_of_programs_at_the_top_brings_no_neighbours() -> None:
    assert set(searched_for_programs("/tmp/bin")) <= {Path("/tmp/bin")}
