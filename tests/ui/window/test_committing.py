"""A run is committed from the line that tells of it: message, branch and paths are seen first."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget

from tandem_desktop.app.main import main
from tests.support.command_line import edit, write
from tests.support.git_histories import git
from tests.ui.window.driver import Person


@pytest.fixture
def repository(workspace: Path, tmp_path: Path, programs: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    git(workspace, "init", "-q", "-b", "main", ".")
    git(workspace, "config", "user.name", "A Person")
    git(workspace, "config", "user.email", "person@example.org")
    git(workspace, "add", ".")
    git(workspace, "commit", "-qm", "begin")
    plan = tmp_path / "plan.json"
    steps = [edit("app.py", "Hello", "Goodbye"), write("notes.txt", "notes\n")]
    plan.write_text(json.dumps({"title": "Say goodbye", "steps": steps}))
    assert main(["-C", str(workspace), "propose", str(plan), "--json"]) == 0
    (workspace / "README.md").write_text("# Mine\n")
    return workspace


@pytest.fixture
def applied(repository: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    call = ["-C", str(repository), "--json"]
    assert main([*call, "list"]) == 0
    [plan] = json.loads(capsys.readouterr().out.splitlines()[-1])["plans"]
    assert main([*call, "approve", plan["plan_id"], "--digest", plan["digest"]]) == 0
    assert main([*call, "apply", plan["plan_id"]]) == 0
    return repository


def test_a_run_is_committed_when_it_has_ended_where_the_approval_says_so(repository: Path, window: Person) -> None:
    window.wait(lambda: bool(window.place.plans.plans))
    window.press(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    window.click("plan-action-approve")
    window.wait(lambda: window.sees("approval-sheet"))
    window.click("approval-commit")
    window.wait(lambda: window.place.panel.sheets.approval.implement.isEnabled())
    window.wait(lambda: window.place.panel.sheets.approval.guard.is_ready)
    window.click("approval-implement")
    window.wait(lambda: "Committed" in window.window.toast.text)
    assert git(repository, "log", "-1", "--format=%s") == "Say goodbye\n"
    assert git(repository, "status", "--short") == " M README.md\n"


def test_a_run_is_committed_to_a_new_branch_from_the_line_that_tells_of_it_and_goes_back_with_undo(
    applied: Path, window: Person
) -> None:
    repository = applied
    window.wait(lambda: bool(window.place.plans.plans))
    window.press(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    window.wait(lambda: window.sees("banner-commit"))
    window.click("banner-commit")
    window.wait(lambda: window.sees("commit-sheet"))
    files = window.find("commit-files")
    assert isinstance(files, QListWidget)
    assert [files.item(row).text() for row in range(files.count())] == ["app.py", "notes.txt"]
    window.type("Part politely")
    window.click("segmented-branch-new")
    assert not window.place.panel.sheets.commit.commit.isEnabled()
    window.type("parting")
    window.wait(lambda: window.place.panel.sheets.commit.guard.is_ready)
    window.click("commit-confirm")
    window.wait(lambda: "Committed" in window.window.toast.text)
    assert "· committed " in window.place.panel.operations.result.text
    assert not window.sees("banner-commit")
    assert git(repository, "log", "-1", "--format=%s %D").strip() == "Part politely HEAD -> parting"
    assert git(repository, "status", "--short") == " M README.md\n"
    window.click("banner-undo")
    window.wait(lambda: window.sees("undo-files"))
    window.wait(lambda: window.place.panel.sheets.undo.undo.isEnabled())
    undoing = window.find("undo-files")
    assert isinstance(undoing, QListWidget)
    assert any("parting goes back to" in undoing.item(row).text() for row in range(undoing.count()))
    window.wait(lambda: window.place.panel.sheets.undo.guard.is_ready)
    window.click("undo-confirm")
    window.wait(lambda: "Undone." in window.window.toast.text)
    window.wait(lambda: window.place.panel.operations.list.hasFocus())
    assert git(repository, "log", "-1", "--format=%s") == "begin\n"
    assert git(repository, "status", "--short") == " M README.md\n"
