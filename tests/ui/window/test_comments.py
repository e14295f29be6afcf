"""A person comments like on a pull request: on lines, on operations, on the plan text; all of it goes back together."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.plan_states import EventKind, PlanStatus
from tandem_desktop.domain.review import Side
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.widgets.buttons import PLAIN, PRIMARY
from tests.ui.window.conftest import REPLACE
from tests.ui.window.driver import Person

pytestmark = pytest.mark.usefixtures("quick_agent")

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def person(window: Person) -> Person:
    """Somebody with a plan to review and its first change open."""
    window.ask(REPLACE)
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.place.panel.operations.list.setFocus()
    window.press(Qt.Key.Key_N)
    window.wait(lambda: bool(window.reads()) and diff(window).display.current >= 0)
    return window


def diff(person: Person) -> DiffView:
    return next(view for view in person.window.findChildren(DiffView) if view.isVisible())


def comments(person: Person) -> list[tuple[str | None, Side, int | None, int | None, str]]:
    """As they are kept on disk."""
    page = person.place.panel.page
    assert page is not None
    drafts = person.place.background.engine.commenting.comments(page.version.plan_id).drafts
    return [
        (draft.place.operation, draft.place.side, draft.place.first_line, draft.place.last_line, draft.text)
        for draft in drafts
    ]


def write(person: Person, words: str) -> None:
    known = len(person.place.panel.comments)
    person.wait(lambda: person.focus().objectName() == "comment-editor")
    person.type(words)
    person.press(Qt.Key.Key_Return, CONTROL)
    person.wait(lambda: len(person.place.panel.comments) == known + 1)


def test_comments_are_written_by_keyboard_on_a_line_an_operation_and_the_plan_text(person: Person) -> None:
    first = person.operations[0]
    view = diff(person)
    view.setFocus()
    for _ in ("the removed line", "the added line"):
        person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_C)
    write(person, "on a line")
    person.place.panel.operations.list.setFocus()
    person.press(Qt.Key.Key_C)
    write(person, "on the operation")
    person.place.panel.tabs.show_tab("plan-text")
    person.place.panel.text.setFocus()
    person.press(Qt.Key.Key_C)
    write(person, "on the text")
    page = person.place.panel.page
    assert page is not None
    operation = page.views[0].operation
    assert operation.path == first
    (where, side, line, _, _), whole, text = comments(person)
    assert (where, side) == (operation.id, Side.AFTER)
    assert line is not None
    assert whole == (operation.id, Side.AFTER, None, None, "on the operation")
    assert text == (None, Side.AFTER, None, None, "on the text")
    assert person.place.panel.footer.findChild(object, "plan-action-request_revision").hint == "3 comments"


def test_click_on_line_numbers_comments_on_the_range_between_them(person: Person) -> None:
    view = diff(person)
    lines = [line for index in range(len(view.rows)) if (line := view.rows.row(index).new) is not None]
    for line, modifiers in ((lines[0], Qt.KeyboardModifier.NoModifier), (lines[2], SHIFT)):
        index = view.row_of((False, line))
        assert index is not None
        numbers = view.viewport().width() // 2 + 6 if view.is_split else 6
        spot = QPoint(numbers, view.row_area(index).center().y())
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, modifiers, spot)
    write(person, "both")
    assert [(first, last) for _, _, first, last, _ in comments(person)] == [(1, 3)]


def test_comment_is_edited_and_removed_before_it_is_sent(person: Person) -> None:
    diff(person).setFocus()
    person.press(Qt.Key.Key_C)
    write(person, "first words")
    view = diff(person)
    row = next(index for index in range(len(view.rows)) if view.row_text(index).startswith("You on line"))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.row_area(row).center())
    person.wait(lambda: person.focus().objectName() == "comment-editor")
    person.press(Qt.Key.Key_A, CONTROL)
    person.type("better words")
    person.press(Qt.Key.Key_Return, CONTROL)
    person.wait(lambda: [draft.text for draft in person.place.panel.comments] == ["better words"])
    person.wait(lambda: any(view.row_text(index).endswith("better words") for index in range(len(view.rows))))
    row = next(index for index in range(len(view.rows)) if view.row_text(index).startswith("You on line"))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.row_area(row).center())
    person.wait(lambda: person.find("comment-remove").height() > 10)
    person.click("comment-remove")
    person.wait(lambda: person.place.panel.comments == ())
    assert comments(person) == []


def test_drafts_survive_a_restart_and_go_back_together(
    person: Person, qtbot: QtBot, workspace: Path, tmp_path: Path
) -> None:
    diff(person).setFocus()
    person.press(Qt.Key.Key_C)
    write(person, "keep the greeting")
    person.leave()
    again = Person(qtbot, workspace, tmp_path / "window.ini")
    again.wait(lambda: [draft.text for draft in again.place.panel.comments] == ["keep the greeting"])
    again.click("plan-action-request_revision")
    again.wait(lambda: again.sees("rework-send"))
    again.click("rework-send")
    again.wait(lambda: not again.place.turns.is_any)
    page = again.place.panel.page
    assert page is not None
    plan = again.place.background.engine.plans.meta(page.version.plan_id)
    assert "keep the greeting" in plan.rejections[0].feedback
    assert "> " in plan.rejections[0].feedback
    assert comments(again) == []
    assert "README.md:1: keep the greeting" in [row.last.text for row in again.place.chat.model.rows]
    again.leave()


def test_approving_with_comments_asks_and_passes_them_on_as_notes(person: Person, workspace: Path) -> None:
    diff(person).setFocus()
    person.press(Qt.Key.Key_C)
    write(person, "mind the tests")
    person.click("plan-action-approve")
    person.wait(lambda: person.sees("approval-implement"))
    assert person.sees("approval-rework")
    person.click("approval-implement")
    person.wait(lambda: person.status is PlanStatus.COMPLETED)
    page = person.place.panel.page
    assert page is not None
    notes = person.place.background.engine.plans.meta(page.version.plan_id).approval_notes
    assert "mind the tests" in notes
    assert comments(person) == []


def test_single_line_is_left_out_by_key_and_only_the_rest_is_written(person: Person, workspace: Path) -> None:
    before = (workspace / "README.md").read_text()
    page = person.place.panel.page
    assert page is not None
    readme = next(row for row, view in enumerate(page.views) if view.operation.path == "README.md")
    person.place.panel.operations.list.go_to(page.views[readme].operation.id, open_it=True)
    person.wait(lambda: page.views[readme].operation.id in person.reads())
    view = next(v for v in person.window.findChildren(DiffView) if v.diff.path == "README.md" and v.isVisible())
    person.wait(lambda: bool(view.diff.hunks))
    view.setFocus()
    view.go_to_line(3)
    person.press(Qt.Key.Key_X, SHIFT)
    person.wait(lambda: bool(person.place.panel.page and person.place.panel.page.draft))
    person.click("plan-action-approve")
    person.wait(lambda: person.sees("approval-implement"))
    person.click("approval-implement")
    person.wait(lambda: person.status is PlanStatus.COMPLETED)
    assert (workspace / "README.md").read_text() == before.replace("# Hello", "# Goodbye")


def test_plan_text_is_edited_and_becomes_part_of_the_next_revision(person: Person) -> None:
    person.place.panel.tabs.show_tab("plan-text")
    person.click("plan-text-edit")
    person.wait(lambda: person.focus().objectName() == "plan-text-editor")
    person.press(Qt.Key.Key_A, CONTROL)
    person.type("Say it otherwise.")
    person.press(Qt.Key.Key_Return, CONTROL)
    person.wait(lambda: bool(person.place.panel.page and person.place.panel.page.draft))
    person.click("plan-action-approve")
    person.wait(lambda: person.revision == 2)
    page = person.place.panel.page
    assert page is not None
    assert page.version.content == "Say it otherwise."


def test_with_comments_rework_is_the_step_that_counts_and_its_key_sends_them_all(person: Person) -> None:
    buttons = person.place.panel.footer.buttons
    implement, rework = buttons.button(EventKind.APPROVE), buttons.button(EventKind.REQUEST_REVISION)
    assert (implement.look, rework.look) == (PRIMARY, PLAIN)
    diff(person).setFocus()
    person.press(Qt.Key.Key_C)
    write(person, "not like this")
    assert (implement.look, rework.look) == (PLAIN, PRIMARY)
    person.press(Qt.Key.Key_Return, CONTROL | SHIFT)
    person.wait(lambda: person.sees("rework-send"))
    assert "1 comment will be sent along" in person.place.panel.sheets.rework.drafts.text()


def test_words_that_could_not_be_sent_are_in_the_sheet_again(person: Person) -> None:
    person.click("plan-action-request_revision")
    person.wait(lambda: person.sees("rework-feedback"))
    person.click("rework-feedback")
    person.type("Keep the old name")
    page = person.place.panel.page
    assert page is not None
    person.place.background.engine.decisions.cancel(page.version.plan_id)  # elsewhere, a moment before
    person.click("rework-send")
    sheet = person.place.panel.sheets.rework
    person.wait(lambda: person.stored_status is PlanStatus.CANCELLED and person.window.toast.isVisible())
    person.wait(lambda: sheet.feedback.toPlainText() == "Keep the old name")
    assert "cancelled" in person.window.toast.text
