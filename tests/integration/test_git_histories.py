"""Random git histories: whatever a run did to a repository and the person after it, an undo leaves it whole."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.support.git_histories import play, skip_without_overlay

SAMPLE = 8
WHOLE = 1000
AT_ONCE = 20


@pytest.fixture
def folder(memory_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In memory with the state: these are tests of order and content, not of a disk."""
    monkeypatch.setenv("TANDEM_STATE_DIR", str(memory_path / "state"))
    skip_without_overlay(memory_path)
    return memory_path


def played(folder: Path, seeds: range) -> Counter[str]:
    found = Counter[str]()
    for seed in seeds:
        place = folder / str(seed)
        place.mkdir()
        found[play(place, seed)] += 1
        shutil.rmtree(place)
    return found


def test_undo_and_redo_leave_every_repository_whole_and_the_work_of_the_person_kept(folder: Path) -> None:
    found = played(folder, range(SAMPLE))
    assert found.total() == SAMPLE
    assert found["undone"] > SAMPLE // 2


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(0, WHOLE, AT_ONCE))
def test_undo_and_redo_leave_every_one_of_1000_repositories_whole(folder: Path, first: int) -> None:
    assert played(folder, range(first, first + AT_ONCE)).total() == AT_ONCE
