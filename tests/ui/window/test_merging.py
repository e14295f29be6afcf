"""A file changes on disk while its plan waits: the person sees three sides, decides, and the plan fits again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView

from tandem_desktop.domain.plan import Origin
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.ui.merge.sheet import MergeSheet
from tandem_desktop.ui.merge.view import Column
from tandem_desktop.ui.plan.row_geometry import ROW
from tests.ui.window.conftest import REPLACE
from tests.ui.window.driver import Person

pytestmark = pytest.mark.usefixtures("quick_agent")

CONTROL = Qt.KeyboardModifier.ControlModifier
LINES = [f"line {number}" for number in range(1, 21)]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "greeter"
    folder.mkdir()
    text = ["Hello top", *LINES, "say Hello twice", *LINES, "Hello end"]
    (folder / "notes.txt").write_text("\n".join(text) + "\n")
    (folder / "app.py").write_text('print("Hello")\n')
    return folder


@pytest.fixture
def person(window: Person) -> Person:
    window.ask(REPLACE)
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    return window


def write(workspace: Path, change: Callable[[str], str]) -> None:
    file = workspace / "notes.txt"
    file.write_text(change(file.read_text()))


def sheet(person: Person) -> MergeSheet:
    return person.place.panel.sheets.merge


def in_conflict(person: Person, workspace: Path) -> MergeSheet:
    """Both the first and the last greeting were changed by hand; the one in the middle keeps apart."""
    write(workspace, lambda text: text.replace("Hello top", "Hi top").replace("Hello end", "Hi end"))
    person.wait(lambda: person.sees("banner-rebase"))
    person.click("banner-rebase")
    person.wait(lambda: person.sees("merge-take-disk"))
    return sheet(person)


def rebased(person: Person) -> str:
    person.wait(lambda: person.revision == 2)
    page = person.place.panel.page
    assert page is not None
    assert page.version.origin is Origin.REBASE
    return person.proposed("notes.txt")


def test_banner_names_the_file_and_when_and_a_clean_rebase_is_one_click(person: Person, workspace: Path) -> None:
    write(workspace, lambda text: text.replace("line 5", "line five"))
    person.wait(lambda: person.sees("banner-rebase"))
    banner = person.find("plan-banner-0").accessibleName()
    assert "notes.txt just now" in banner
    person.click("banner-rebase")
    proposed = rebased(person)
    assert proposed.count("line five") == 2
    assert proposed.count("Goodbye") == 3
    person.wait(lambda: person.sees("plan-action-approve"))
    merged = "Revision 2 fits what is on disk: 1 file merged (notes.txt)."
    person.wait(lambda: merged in person.window.toast.accessibleName())
    person.click("plan-action-approve")
    person.wait(lambda: person.sees("approval-implement"))
    person.click("approval-implement")
    person.wait(lambda: person.status is PlanStatus.COMPLETED)
    assert (workspace / "notes.txt").read_text() == proposed


def test_every_conflict_is_decided_by_click_before_the_revision_can_be_saved(person: Person, workspace: Path) -> None:
    opened = in_conflict(person, workspace)
    assert not opened.save.isEnabled()
    assert "2 conflicts still open" in opened.left_open.text()
    person.click("merge-take-disk")
    person.wait(lambda: "1 conflict still open" in opened.left_open.text())
    assert not opened.save.isEnabled()
    person.click("merge-take-proposed")
    person.wait(opened.save.isEnabled)
    person.click("merge-save")
    proposed = rebased(person).splitlines()
    assert (proposed[0], proposed[-1]) == ("Hi top", "Goodbye end")
    assert "say Goodbye twice" in proposed


def test_conflicts_are_decided_by_keys_alone_with_both_orders_and_own_words(person: Person, workspace: Path) -> None:
    opened = in_conflict(person, workspace)
    assert person.focus() is opened.view
    person.press(Qt.Key.Key_3)
    person.wait(lambda: "1 conflict still open" in opened.left_open.text())
    person.press(Qt.Key.Key_P)
    person.press(Qt.Key.Key_4)
    person.press(Qt.Key.Key_N)
    person.press(Qt.Key.Key_E)
    person.wait(lambda: person.focus().objectName() == "merge-editor")
    person.press(Qt.Key.Key_A, CONTROL)
    person.type("my own end")
    person.press(Qt.Key.Key_Return, CONTROL)
    person.wait(opened.save.isEnabled)
    person.tab_to("merge-save")
    person.press(Qt.Key.Key_Space)
    proposed = rebased(person).splitlines()
    assert (proposed[:2], proposed[-1]) == (["Goodbye top", "Hi top"], "my own end")


def test_setting_for_single_letters_holds_for_the_three_sides_too(person: Person, workspace: Path) -> None:
    opened = in_conflict(person, workspace)
    person.place.panel.set_single_letters(False)
    person.press(Qt.Key.Key_1)
    assert not opened.resolutions()
    person.place.panel.set_single_letters(True)
    person.press(Qt.Key.Key_1)
    assert len(opened.resolutions()) == 1


def test_suggestion_is_only_shown_until_the_person_keeps_it(person: Person, workspace: Path) -> None:
    write(workspace, lambda text: text.replace("say Hello twice", "please say Hello twice"))
    person.wait(lambda: person.sees("banner-merge"))
    person.click("banner-merge")
    person.wait(lambda: person.sees("merge-suggestion"))
    opened = sheet(person)
    person.click("merge-suggestion")
    assert opened.choices.editor.text == "please say Goodbye twice"
    assert not opened.resolutions()
    person.press(Qt.Key.Key_Escape)
    assert not opened.resolutions()
    assert not opened.save.isEnabled()
    person.click("merge-suggestion")
    person.click("merge-own-keep")
    person.wait(opened.save.isEnabled)
    person.click("merge-save")
    assert "please say Goodbye twice" in rebased(person)


def test_band_below_a_drifted_row_counts_the_lines_and_opens_the_three_sides(person: Person, workspace: Path) -> None:
    write(workspace, lambda text: text.replace("line 5", "line five"))
    person.wait(lambda: person.sees("banner-merge"))
    listed = person.place.panel.operations.list
    number = person.operations.index("notes.txt")
    row = listed.operations().row(number)
    assert row.drift == "The file changed on disk after it was staged (2 lines)."
    listed.scrollTo(listed.model().index(number, 0), QAbstractItemView.ScrollHint.PositionAtTop)
    card = listed.visualRect(listed.model().index(number, 0))
    spot = QPoint(card.left() + 60, card.top() + person.theme.px(ROW) + 10)
    QTest.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    person.wait(lambda: person.sees("merge-save"))
    assert sheet(person).title.text() == "Merge notes.txt"
    assert person.revision == 1


def test_what_the_person_dropped_before_stays_dropped_after_a_rebase(person: Person, workspace: Path) -> None:
    listed = person.place.panel.operations.list
    listed.setFocus()
    listed.go_to(person.place.panel.model.row(person.operations.index("app.py")).operation.id)
    person.press(Qt.Key.Key_X)
    person.wait(lambda: bool(person.place.panel.page and person.place.panel.page.draft))
    write(workspace, lambda text: text.replace("line 5", "line five"))
    person.wait(lambda: person.sees("banner-rebase"))
    person.click("banner-rebase")
    rebased(person)
    assert person.operations == ["notes.txt"]


def test_file_deleted_on_disk_is_answered_as_a_whole(person: Person, workspace: Path) -> None:
    (workspace / "notes.txt").unlink()
    person.wait(lambda: person.sees("banner-rebase"))
    person.click("banner-rebase")
    person.wait(lambda: person.sees("merge-whole-disk"))
    assert not sheet(person).save.isEnabled()
    person.click("merge-whole-disk")
    person.wait(sheet(person).save.isEnabled)
    person.click("merge-save")
    person.wait(lambda: person.revision == 2)
    assert person.operations == ["app.py"]


def test_three_sides_are_coloured_and_what_changed_within_a_line_is_marked(person: Person, workspace: Path) -> None:
    (workspace / "app.py").write_text('print("Hello you")\n')
    panel = person.place.panel
    person.wait(lambda: bool(panel.page and panel.page.drifted))
    page = panel.page
    assert page is not None
    panel.merge_requested.emit(page.version.plan_id, "app.py")
    view = panel.sheets.merge.view
    person.wait(lambda: len(view.rows) > 1)
    for column in Column:
        person.wait(lambda column=column: "syntax_string" in {each.token for each in view.styled(column, 0).pieces})
    person.wait(lambda: bool(view.marks_in(Column.DISK, 0)))
    text = view.text_of(Column.DISK, 0)
    assert [text[start:end] for start, end in view.marks_in(Column.DISK, 0)] == [" you"]
