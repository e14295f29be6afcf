"""A waiting plan's own paths are watched, wherever they lie, and nothing else."""

import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.background import DiskWatch
from tests.support.patience import PATIENCE_S


@pytest.fixture
def told() -> "queue.Queue[None]":
    return queue.Queue()


@pytest.fixture
def watch(tmp_path: Path, told: "queue.Queue[None]") -> Iterator[DiskWatch]:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").write_text("one\n")
    made = DiskWatch(tmp_path, lambda: told.put(None))
    yield made
    made.close()


def test_edit_of_a_path_of_the_plan_is_told(tmp_path: Path, watch: DiskWatch, told: "queue.Queue[None]") -> None:
    watch.watch(["src/app.py"])
    told.get(timeout=PATIENCE_S)  # the watch is in place
    (tmp_path / "src" / "app.py").write_text("two\n")
    told.get(timeout=PATIENCE_S)


def test_path_in_folders_that_are_made_later_is_told(
    tmp_path: Path, watch: DiskWatch, told: "queue.Queue[None]"
) -> None:
    watch.watch(["new/deep/file.txt"])
    told.get(timeout=PATIENCE_S)
    (tmp_path / "new" / "deep").mkdir(parents=True)
    told.get(timeout=PATIENCE_S)
    told.get(timeout=PATIENCE_S)  # watched anew, one folder deeper
    (tmp_path / "new" / "deep" / "file.txt").write_text("here\n")
    told.get(timeout=PATIENCE_S)


def test_other_files_are_nobodys_business(tmp_path: Path, watch: DiskWatch, told: "queue.Queue[None]") -> None:
    watch.watch(["src/app.py"])
    told.get(timeout=PATIENCE_S)
    (tmp_path / "src" / "other.py").write_text("x\n")
    (tmp_path / "README.md").write_text("x\n")
    with pytest.raises(queue.Empty):
        told.get(timeout=0.6)
