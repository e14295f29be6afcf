"""The search for garbage is rare during a run, and as before once the last run has ended."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.storage.gc_tuning import raised_gc_threshold
from tests.support.run_managers import a_run_manager


@pytest.fixture(autouse=True)
def usual() -> Iterator[tuple[int, int, int]]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield gc.get_threshold()
    gc.set_threshold(*before)


def test_a_run_searches_for_garbage_rarely_and_leaves_it_as_it_was(
    memory_path: Path, usual: tuple[int, int, int]
) -> None:
    root = memory_path / "ws"
    root.mkdir()
    manager = a_run_manager(root, memory_path / "state")
    with manager.only_run():
        assert gc.get_threshold()[0] > 10 * usual[0]
    assert gc.get_threshold() == usual


def test_of_two_runs_at_once_the_last_one_puts_it_back(usual: tuple[int, int, int]) -> None:
    first, second = raised_gc_threshold(), raised_gc_threshold()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold() != usual
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual


def test_where_nobody_searches_nobody_begins_to() -> None:
    gc.set_threshold(0)
    with raised_gc_threshold():
        assert gc.get_threshold()[0] == 0


def test_who_searches_more_rarely_still_is_not_hurried() -> None:
    gc.set_threshold(1_000_000, 10, 10)
    with raised_gc_threshold():
        assert gc.get_threshold()[0] == 1_000_000
