"""From the timeline of runs: one file, one operation, a whole run, or every run since, each seen before it is done."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QListWidget

from tandem_desktop.app.main import main
from tests.support.command_line import bash, edit, write
from tests.support.tree_walker import walk
from tests.ui.window.driver import Person

pytestmark = pytest.mark.usefixtures("quick_agent")

Implement = Callable[..., None]


@pytest.fixture
def implement(workspace: Path, tmp_path: Path, programs: Path, capsys: pytest.CaptureFixture[str]) -> Implement:
    """Proposes, approves and applies a plan, as somebody at a terminal does."""

    def carry_out(title: str, *steps: dict[str, object]) -> None:
        plan = tmp_path / "plan.json"
        plan.write_text(json.dumps({"title": title, "steps": steps}))
        capsys.readouterr()
        assert main(["-C", str(workspace), "propose", str(plan), "--json"]) == 0
        said = json.loads(capsys.readouterr().out)
        assert main(["-C", str(workspace), "approve", said["plan_id"], "--digest", said["digest"]]) == 0
        assert main(["-C", str(workspace), "apply", said["plan_id"]]) == 0

    return carry_out


def at_the_runs(person: Person, runs: int) -> Person:
    person.wait(lambda: bool(person.place.plans.plans))
    person.press(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    panel = person.place.panel
    person.wait(lambda: panel.page is not None and panel.runs.model.rowCount() == runs)
    panel.tabs.show_tab("runs")
    person.wait(lambda: panel.runs.detail.model.rowCount() > 0 and "PLAN-" not in panel.runs.model.index(0).data())
    return person


def choose_change(person: Person, words: str) -> None:
    """By keyboard: down the list of what the run changed."""
    person.tab_to("run-changes")
    detail = person.place.panel.runs.detail
    for _ in range(detail.model.rowCount()):
        if words in detail.list.currentIndex().data():
            return
        person.press(Qt.Key.Key_Down)
    raise AssertionError(f"no change is called {words}")


def previewed(person: Person) -> list[str]:
    person.wait(lambda: person.sees("undo-back"))
    files = person.find("undo-files")
    assert isinstance(files, QListWidget)
    return [" ".join(files.item(row).text().split()) for row in range(files.count())]


def confirm(person: Person) -> None:
    """Until the window says that it is done, and lists the undo among the runs."""
    runs = person.place.panel.runs.model
    before = runs.rowCount()
    person.wait(lambda: person.sees("undo-confirm"))
    person.click("undo-confirm")
    person.wait(lambda: runs.rowCount() > before and person.window.toast.text.startswith("Undone"))


def test_one_file_of_a_command_is_taken_back_and_the_rest_stays(
    implement: Implement, open_window: Callable[..., Person], workspace: Path
) -> None:
    before = walk(workspace)
    implement("Say goodbye", write("new.txt", "new\n"), bash("sed -i s/Hello/Goodbye/ app.py README.md"))
    after = walk(workspace)
    person = at_the_runs(open_window(), 1)
    choose_change(person, "changed app.py")
    person.tab_to("runs-undo-file")
    person.press(Qt.Key.Key_Space)
    assert previewed(person) == ["put back app.py"]
    assert walk(workspace) == after
    confirm(person)
    assert walk(workspace) == {**after, "app.py": before["app.py"]}


def test_one_operation_is_taken_back_with_everything_it_did(
    implement: Implement, open_window: Callable[..., Person], workspace: Path
) -> None:
    before = walk(workspace)
    implement("Say goodbye", write("new.txt", "new\n"), bash("sed -i s/Hello/Goodbye/ app.py README.md"))
    after = walk(workspace)
    person = at_the_runs(open_window(), 1)
    choose_change(person, "run sed")
    person.click("runs-undo-operation")
    assert sorted(previewed(person)) == ["put back README.md", "put back app.py"]
    confirm(person)
    assert walk(workspace) == {**before, "new.txt": after["new.txt"]}


@pytest.fixture
def three_runs(implement: Implement, open_window: Callable[..., Person], workspace: Path) -> Person:
    implement("First", edit("app.py", "Hello", "Welcome"))
    implement("Second", edit("README.md", "# Hello", "# Welcome"), write("new.txt", "new\n"))
    implement("Third", edit("app.py", "Welcome", "Goodbye"))
    return at_the_runs(open_window(), 3)


def test_going_back_to_before_a_run_takes_back_every_one_since_as_listed(three_runs: Person, workspace: Path) -> None:
    person = three_runs
    timeline = person.place.panel.runs.list
    timeline.setFocus()
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_B)
    shown = previewed(person)
    assert [each for each in shown if each.startswith("undo ")] == [
        "undo Apply Third r1, just now",
        "undo Apply Second r1, just now",
    ]
    assert sorted(each for each in shown if not each.startswith("undo ")) == [
        "put back README.md",
        "put back app.py",
        "remove new.txt",
    ]
    confirm(person)
    assert (workspace / "app.py").read_text() == 'def greet(name):\n    return "Welcome " + name\n'
    assert (workspace / "README.md").read_text() == "# Hello\n\nSay Hello.\n"
    assert not (workspace / "new.txt").exists()


def test_taken_back_run_is_brought_back_from_the_timeline(three_runs: Person, workspace: Path) -> None:
    person, runs = three_runs, three_runs.place.panel.runs
    person.click("runs-undo")
    assert previewed(person) == ["put back app.py"]
    confirm(person)
    assert "Welcome" in (workspace / "app.py").read_text()
    runs.list.setFocus()
    person.press(Qt.Key.Key_Home)
    person.press(Qt.Key.Key_Down)
    person.click("runs-redo")
    person.wait(lambda: "Goodbye" in (workspace / "app.py").read_text())


def test_later_edit_of_the_person_is_kept_and_said_so(three_runs: Person, workspace: Path) -> None:
    target = workspace / "app.py"
    target.write_text("# mine\n\n\n\n" + target.read_text())
    three_runs.click("runs-undo")
    assert previewed(three_runs) == ["put back app.py keeps your later edits"]
    confirm(three_runs)
    assert target.read_text() == '# mine\n\n\n\ndef greet(name):\n    return "Welcome " + name\n'


def test_conflict_is_named_with_what_to_do_and_nothing_can_be_confirmed(three_runs: Person, workspace: Path) -> None:
    target = workspace / "app.py"
    target.write_text(target.read_text().replace("Goodbye", "Farewell"))
    three_runs.click("runs-undo")
    assert previewed(three_runs) == ["conflict app.py changed since, where the run had changed it"]
    sheet = three_runs.find("undo-sheet")
    said = " ".join(each.text() for each in sheet.findChildren(QLabel))
    assert "Put them aside first, then try again" in said
    assert not three_runs.find("undo-confirm").isEnabled()


def test_undo_is_shown_again_when_the_files_changed_while_the_person_looked(
    three_runs: Person, workspace: Path
) -> None:
    target = workspace / "app.py"
    three_runs.click("runs-undo")
    assert previewed(three_runs) == ["put back app.py"]
    target.write_text("# mine\n\n\n\n" + target.read_text())
    edited = target.read_text()
    three_runs.wait(lambda: three_runs.sees("undo-confirm"))
    three_runs.click("undo-confirm")
    three_runs.wait(lambda: three_runs.sees("undo-back") and "keeps your later edits" in previewed(three_runs)[0])
    assert target.read_text() == edited
    confirm(three_runs)
    assert "Welcome" in target.read_text()


def test_runs_of_a_day_stand_under_its_heading(three_runs: Person) -> None:
    model = three_runs.place.panel.runs.model
    assert [model.index(row).data(model.DayRole) for row in range(3)] == ["Today", "", ""]


@pytest.fixture
def committed(implement: Implement, workspace: Path) -> Callable[..., str]:
    """A run that committed; answers to calls of git in its workspace."""

    def git(*words: str) -> str:
        name = ("-c", "user.name=A Person", "-c", "user.email=person@example.org")
        ended = subprocess.run(["git", *name, *words], cwd=workspace, capture_output=True, text=True, check=True)
        return ended.stdout.strip()

    git("init", "-q", "-b", "main")
    git("config", "user.name", "A Person")
    git("config", "user.email", "person@example.org")
    git("add", "-A")
    git("commit", "-qm", "one")
    implement("Commit it", bash("sed -i s/Hello/Goodbye/ app.py; git commit -qam two"))
    return git


def test_a_commit_is_shown_as_a_branch_that_moves_and_what_needs_it_is_named(
    committed: Callable[..., str], open_window: Callable[..., Person], workspace: Path
) -> None:
    old, new = committed("rev-parse", "HEAD~1")[:7], committed("rev-parse", "HEAD")[:7]
    committed("branch", "keep")
    person = at_the_runs(open_window(), 1)
    changes = person.place.panel.runs.detail.model
    told = [changes.index(row).data().strip() for row in range(changes.rowCount())]
    assert told[1:] == ["changed app.py", f"branch main: {old} → {new}, 1 commit", "index: 1 file updated"]
    person.click("runs-undo")
    assert previewed(person) == [
        "put back app.py",
        f"git branch main: {new} → {old}, 1 commit taken off",
        "git index: 1 file updated",
        f"stays commit {new} stays: branch keep points to it",
    ]
    confirm(person)
    assert committed("rev-parse", "HEAD")[:7] == old
    assert committed("rev-parse", "keep")[:7] == new


def test_where_a_branch_has_moved_on_the_working_files_alone_can_go_back(
    committed: Callable[..., str], open_window: Callable[..., Person], workspace: Path
) -> None:
    left = committed("rev-parse", "HEAD")[:7]
    committed("commit", "-q", "--allow-empty", "-m", "mine")
    now = committed("rev-parse", "HEAD")
    person = at_the_runs(open_window(), 1)
    person.click("runs-undo")
    assert previewed(person) == [f"conflict branch main has moved on: the run left {left}, it is now at {now[:7]}"]
    assert not person.find("undo-confirm").isEnabled()
    person.click("undo-keep-git")
    person.wait(lambda: person.find("undo-confirm").isEnabled())
    assert previewed(person) == ["put back app.py", "stays The git repository stays as it is."]
    confirm(person)
    assert "Hello" in (workspace / "app.py").read_text()
    assert committed("rev-parse", "HEAD") == now


def test_long_list_is_undone_only_when_its_end_was_on_screen(
    implement: Implement, open_window: Callable[..., Person], workspace: Path
) -> None:
    implement("Many", *(write(f"many/{number:03}.txt", "x\n") for number in range(60)))
    person = open_window()
    person.place.plan_controller.undo_last()
    person.wait(lambda: person.sees("undo-back"))
    person.wait(lambda: person.place.panel.sheets.undo.guard.is_ready)
    assert not person.sees("undo-confirm")
    assert person.find("undo-unseen").isVisible()
    bar = person.place.panel.sheets.undo.files.verticalScrollBar()
    bar.setValue(bar.maximum())
    person.click("undo-confirm")
    person.wait(lambda: not (workspace / "many").exists())
