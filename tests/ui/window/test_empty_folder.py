"""A folder without any file is told as what it is, and offers a way on: a first plan, or another folder."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from tandem_desktop.domain.plan_states import PlanStatus
from tests.ui.window.driver import Person


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "weather"
    (folder / ".git").mkdir(parents=True)
    return folder


def test_project_is_started_in_a_folder_without_files(workspace: Path, open_window: Callable[..., Person]) -> None:
    person = open_window()
    assert person.find("empty-plan").accessibleName() == "This folder is empty"
    person.click("example-1")
    person.click("composer-send")
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    assert "src/weather/__init__.py" in person.operations
    assert [each.name for each in workspace.iterdir() if each.name != ".tandem"] == [".git"]
    (workspace / "notes.txt").write_text("mine\n")
    person.window.controller.new_plan()  # type: ignore[union-attr]  # it is open
    assert person.find("empty-plan").accessibleName() == "No plan yet"


def test_another_folder_is_opened_from_one_without_files(
    open_window: Callable[..., Person], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine\n")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path / "other"))
    person = open_window()
    person.click("empty-state-action")
    assert person.place.background.engine.locations.workspace == tmp_path / "other"
    person.wait(lambda: person.find("empty-plan").accessibleName() == "No plan yet")
