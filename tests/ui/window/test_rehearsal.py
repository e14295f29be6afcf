"""A plan is played in a copy before anybody approves it, and what its commands did there can be applied instead."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLabel, QWidget

from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.plan.rehearsal_text import Rehearsed
from tandem_desktop.ui.plan.rehearsal_view import EffectList
from tests.support.command_line import bash, write
from tests.support.tree_walker import walk
from tests.ui.window.driver import Person

pytestmark = pytest.mark.usefixtures("quick_agent")

REPLACE = "echo replacing; sed -i s/Hello/Goodbye/ app.py README.md"


def propose(person: Person, *steps: dict[str, object]) -> None:
    engine = person.place.background.engine
    version = engine.proposals.propose(json.dumps({"title": "Say goodbye", "steps": steps}).encode())
    person.place.open_plan(version.plan_id)
    person.wait(lambda: person.status is PlanStatus.PROPOSED and len(person.operations) == len(steps))


def rehearsed(person: Person, row: int) -> Rehearsed | None:
    return person.place.panel.model.row(row).rehearsed


def rehearse(person: Person) -> None:
    person.click("plan-footer-rehearse")
    person.wait(lambda: all(each is None or each.is_settled for each in every(person)) and any(every(person)))


def every(person: Person) -> list[Rehearsed | None]:
    return [rehearsed(person, row) for row in range(person.place.panel.model.rowCount())]


def told(person: Person) -> list[tuple[object, ...]]:
    found = [each for each in every(person) if each is not None]
    return [(each.output, each.exit_code, [view.operation.path for view in each.effects]) for each in found]


def words(widget: QWidget) -> str:
    return "\n".join(each.text() for each in widget.findChildren(QLabel) if each.isVisible())


def press_in(person: Person, name: str) -> None:
    """Click in the middle of a segment or a button, wherever it stands."""
    person.wait(lambda: person.sees(name))
    widget = person.find(name)
    person.wait(widget.isEnabled)
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=QPoint(widget.width() // 2, widget.height() // 2))


def implement(person: Person) -> None:
    person.click("plan-action-approve")
    person.wait(lambda: person.sees("approval-back"))
    for box in (each for each in person.window.findChildren(QCheckBox) if each.isVisible()):
        person.click(box.objectName())
    person.wait(lambda: person.sees("approval-implement"))
    person.click("approval-implement")
    person.wait(lambda: person.status is PlanStatus.COMPLETED)


@pytest.fixture
def person(window: Person) -> Person:
    """Somebody with a plan of a new file and a command that edits two others."""
    propose(window, write("new.txt", "Hello\n"), bash(REPLACE))
    return window


def test_rehearsed_effects_are_shown_recorded_and_applied_while_the_disk_waits(person: Person, workspace: Path) -> None:
    before = walk(workspace)
    rehearse(person)
    assert walk(workspace) == before
    found = rehearsed(person, 1)
    assert found is not None
    assert (found.exit_code, found.output, found.count) == (0, "replacing\n", 2)
    assert "Nothing on disk has changed." in words(person.find("rehearsal-line"))
    person.click_operation(1)
    person.wait(lambda: person.sees("effect-list"))
    effects = person.find("effect-list")
    assert isinstance(effects, EffectList)
    assert [view.operation.path for view in effects.operations().views()] == ["README.md", "app.py"]
    effects.setFocus()
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_Right)
    person.wait(lambda: bool(effects.findChildren(DiffView)))
    press_in(person, "segmented-when-the-plan-is-implemented-recorded")
    person.wait(lambda: person.revision == 2)
    assert person.operations == ["new.txt", "README.md", "app.py"]
    assert walk(workspace) == before
    person.click("plan-action-approve")
    person.wait(lambda: person.sees("approval-back"))
    assert "2 recorded effects instead of running" in words(person.find("approval-sheet"))
    person.click("approval-back")
    implement(person)
    assert (workspace / "app.py").read_text() == 'def greet(name):\n    return "Goodbye " + name\n'
    assert (workspace / "README.md").read_text() == "# Goodbye\n\nSay Goodbye.\n"
    assert (workspace / "new.txt").read_text() == "Hello\n"


def test_command_whose_effects_were_recorded_really_runs_again_when_the_person_says_so(person: Person) -> None:
    rehearse(person)
    person.click_operation(1)
    person.wait(lambda: person.sees("segmented-when-the-plan-is-implemented-recorded"))
    press_in(person, "segmented-when-the-plan-is-implemented-recorded")
    person.wait(lambda: person.revision == 2)
    press_in(person, "banner-really-run")
    person.wait(lambda: person.revision == 3)
    assert len(person.operations) == 2
    found = rehearsed(person, 1)
    assert found is None or found.is_stale


def test_rehearsal_is_stale_once_the_plan_is_another(person: Person) -> None:
    rehearse(person)
    page = person.place.panel.page
    assert page is not None
    person.place.background.run(person.place.background.engine.proposals.restore, page.version.plan_id, 1).result()
    person.wait(lambda: person.revision == 2)
    found = rehearsed(person, 1)
    assert found is not None
    assert found.is_stale
    assert "stale" in words(person.find("rehearsal-line"))


def test_output_is_shown_while_the_command_runs_in_the_copy_and_stop_ends_it(window: Person, workspace: Path) -> None:
    propose(window, bash("echo ready; sleep 60"))
    before = walk(workspace)
    window.click("plan-footer-rehearse")
    window.wait(lambda: (found := rehearsed(window, 0)) is not None and found.output == "ready\n")
    assert window.find("plan-footer-rehearse").accessibleName() == "Stop rehearsal"
    window.click("plan-footer-rehearse")
    window.wait(lambda: rehearsed(window, 0) is None)
    assert window.find("plan-footer-rehearse").accessibleName() == "Rehearse"
    assert walk(workspace) == before


def test_command_that_cannot_be_previewed_says_why_and_can_only_really_run(window: Person) -> None:
    propose(window, bash("head -c 8 /dev/urandom | base64 > luck.txt"))
    rehearse(window)
    window.click_operation(0)
    window.wait(lambda: window.sees("rehearsed-outcome"))
    said = words(window.find("operation-rehearsed"))
    assert "Cannot be previewed: it came out differently when it was run again: luck.txt." in said
    assert "The effects cannot take its place" in said
    assert not window.find("segmented-when-the-plan-is-implemented-recorded").isEnabled()


def test_choices_of_the_person_are_what_is_rehearsed(person: Person) -> None:
    listed = person.place.panel.operations.list
    listed.setFocus()
    listed.setCurrentIndex(listed.model().index(0, 0))
    person.press(Qt.Key.Key_X)
    person.wait(lambda: (page := person.place.panel.page) is not None and page.draft is not None)
    person.click("plan-footer-rehearse")
    person.wait(lambda: person.revision == 2)
    person.wait(lambda: (found := rehearsed(person, 0)) is not None and found.is_settled)
    assert len(person.operations) == 1


def test_everything_about_a_rehearsal_is_done_by_keyboard(person: Person) -> None:
    person.go_to("operation-list")
    person.tab_to("plan-footer-rehearse")
    person.press(Qt.Key.Key_Space)
    person.wait(lambda: (found := rehearsed(person, 1)) is not None and found.is_settled)
    person.go_to("operation-list")
    person.press(Qt.Key.Key_End)
    person.press(Qt.Key.Key_Right)
    person.wait(lambda: person.sees("segmented-when-the-plan-is-implemented-run"))
    person.tab_to("segmented-when-the-plan-is-implemented-run")
    person.press(Qt.Key.Key_Right)
    person.wait(lambda: person.revision == 2)


def test_recorded_effects_of_all_commands_are_taken_at_once(window: Person, workspace: Path) -> None:
    propose(window, bash("sed -i s/Hello/Goodbye/ app.py"), bash("cp app.py copy.py"))
    rehearse(window)
    press_in(window, "banner-record-all")
    window.wait(lambda: window.revision == 2)
    assert window.operations == ["app.py", "copy.py"]
    implement(window)
    assert (workspace / "copy.py").read_text() == (workspace / "app.py").read_text()
    assert "Goodbye" in (workspace / "app.py").read_text()


def test_network_is_off_unless_it_is_chosen_from_the_menu(window: Person) -> None:
    propose(window, bash("echo hello"))
    rehearse(window)
    assert "network off" in words(window.find("rehearsal-line"))
    menu = window.place.panel.footer.rehearsal_menu()
    menu.popup(window.window.pos())
    window.wait(menu.isVisible)
    for _ in range(2):
        QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    window.wait(lambda: "in a copy, with network: " in words(window.find("rehearsal-line")))


def test_what_was_rehearsed_is_there_after_a_restart_and_its_effects_can_still_be_applied(
    person: Person, workspace: Path, open_window: Callable[..., Person]
) -> None:
    rehearse(person)
    shown = told(person)
    person.leave()
    again = open_window()
    again.wait(lambda: again.status is PlanStatus.PROPOSED and any(every(again)))
    assert told(again) == shown
    line = again.place.panel.operations.rehearsal
    assert "Rehearsed " in line.text
    row = next(number for number, each in enumerate(every(again)) if each is not None)
    again.place.panel.rehearsals.record((again.place.panel.model.row(row).operation.id,))
    again.wait(lambda: again.revision == 2)
    implement(again)
    assert "Goodbye" in (workspace / "app.py").read_text()
