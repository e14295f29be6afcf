"""A folder nothing can be written in is told as what it is, and no plan is lost in it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel

from tests.support.read_only import read_only
from tests.ui.window.driver import Person


@pytest.fixture
def read_only_workspace(workspace: Path) -> Iterator[Path]:
    with read_only(workspace) as is_read_only:
        if not is_read_only:
            pytest.skip("root may write everywhere here, and mounting is not allowed")
        yield workspace


def test_plan_in_a_folder_that_became_read_only_cannot_be_implemented_and_says_why(
    workspace: Path, open_window: Callable[..., Person]
) -> None:
    window = open_window()
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.place.panel.page is not None)
    page = window.place.panel.page
    assert page is not None
    with read_only(workspace) as is_read_only:
        if not is_read_only:
            pytest.skip("root may write everywhere here, and mounting is not allowed")
        window.place.open_plan(page.version.plan_id)
        window.wait(lambda: "read-only" in window.place.panel.refusal)


def test_read_only_folder_is_named_at_once_and_planning_in_it_says_why_it_cannot_be_kept(
    read_only_workspace: Path, open_window: Callable[..., Person]
) -> None:
    window = open_window()
    disk = window.window.findChild(QLabel, "status-disk")
    assert isinstance(disk, QLabel)
    window.wait(lambda: "read-only" in disk.text())
    assert window.find("empty-plan").accessibleName().startswith("This folder is read-only")
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: "no plan can be kept" in window.window.toast.text)
    assert "bug" not in window.window.toast.text
    assert not (read_only_workspace / ".tandem").exists()
