"""Every key does what the page of keys says of it in a window at work; what keys do not reach, the mouse does."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.ui.chat.entries import PersonBubble
from tandem_desktop.ui.diff.view import DiffView
from tests.ui.window.driver import Person

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier
ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def person(window: Person) -> Person:
    """Somebody with a plan to review: two files, one change in each."""
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    return window


def reading(person: Person) -> tuple[bool, bool, str]:
    """How diffs are read, as it is kept: split, wrapped, which white space."""
    kept = person.place.state.get("reading") or {}
    return kept.get("splits", True), kept.get("wraps", True), kept.get("whitespace", "")


def test_control_and_enter_in_an_empty_message_field_open_the_approval_sheet_and_write_nothing(
    person: Person, workspace: Path
) -> None:
    before = (workspace / "app.py").read_bytes()
    person.click("composer-text")
    person.type("wait ")
    person.press(Qt.Key.Key_Return, CONTROL)
    assert not person.sees("approval-implement"), "words in the field are not left behind"
    for _ in "wait ":
        person.press(Qt.Key.Key_Backspace)
    person.press(Qt.Key.Key_Return, CONTROL)
    person.wait(lambda: person.sees("approval-implement"))
    person.press(Qt.Key.Key_Return)
    assert not person.sees("approval-implement"), "Enter goes back to the review"
    assert (workspace / "app.py").read_bytes() == before


def test_keys_of_the_window(person: Person) -> None:
    panes = [person.focus().objectName()]
    for _ in range(4):
        person.press(Qt.Key.Key_F6)
        panes.append(person.focus().objectName())
    assert {"plans-list", "composer-text", "operation-list"} <= set(panes)
    rail = person.window.rail
    person.press(Qt.Key.Key_B, CONTROL)
    assert not rail.isVisible()
    person.press(Qt.Key.Key_B, CONTROL)
    assert rail.isVisible()
    usual = person.theme.zoom
    person.press(Qt.Key.Key_Equal, CONTROL)
    larger = person.theme.zoom
    person.press(Qt.Key.Key_Minus, CONTROL)
    person.press(Qt.Key.Key_Minus, CONTROL)
    smaller = person.theme.zoom
    person.press(Qt.Key.Key_0, CONTROL)
    assert smaller < usual < larger
    assert person.theme.zoom == usual
    person.press(Qt.Key.Key_N, CONTROL)
    assert person.place.panel.page is None
    person.press(Qt.Key.Key_1, CONTROL)
    person.wait(lambda: person.status is PlanStatus.PROPOSED)


def test_keys_of_review(person: Person) -> None:
    listed, model = person.place.panel.operations.list, person.place.panel.model
    first, second = (view.operation.id for view in model.views())
    person.go_to("operation-list")
    person.press(Qt.Key.Key_Home)
    person.press(Qt.Key.Key_J)
    assert listed.currentIndex().row() == 1
    person.press(Qt.Key.Key_K)
    assert listed.currentIndex().row() == 0
    person.press(Qt.Key.Key_Space)
    assert model.viewed == {first}
    assert listed.currentIndex().row() == 1, "it goes on"
    person.press(Qt.Key.Key_K)
    person.press(Qt.Key.Key_Space)
    assert not model.viewed
    for key, modifiers, row in (
        (Qt.Key.Key_N, NONE, 0),
        (Qt.Key.Key_F7, NONE, 1),  # on into the next file
        (Qt.Key.Key_P, NONE, 0),
        (Qt.Key.Key_N, NONE, 1),
        (Qt.Key.Key_F7, SHIFT, 0),
    ):
        person.press(key, modifiers)
        person.wait(lambda row=row: listed.currentIndex().row() == row and (first, second)[row] in person.reads())
    for letter, row in (("a", 1), ("A", 0)):  # the next and the previous thing that matters
        person.type(letter)
        person.wait(lambda row=row: listed.currentIndex().row() == row)
    person.tab_to(f"diff-{first}")
    view = person.focus()
    assert isinstance(view, DiffView)
    person.window.resize(2600, 900)  # room for two columns
    person.wait(lambda: len(view.rows) > 0 and view.is_split)
    before = reading(person)
    for key, modifiers in ((Qt.Key.Key_V, NONE), (Qt.Key.Key_Z, ALT), (Qt.Key.Key_W, NONE)):
        person.press(key, modifiers)
    after = reading(person)
    assert all(one != other for one, other in zip(before, after, strict=True))
    person.press(Qt.Key.Key_X)
    person.wait(lambda: bool(person.place.panel.page and person.place.panel.page.draft))
    person.tab_to(f"diff-{first}")
    person.press(Qt.Key.Key_X)
    person.wait(lambda: bool(person.place.panel.page and not person.place.panel.page.draft))
    person.tab_to(f"diff-{first}")
    person.press(Qt.Key.Key_F, CONTROL)
    person.wait(lambda: person.focus().objectName() == "diff-search-field")
    person.press(Qt.Key.Key_Escape)
    person.go_to("operation-list")
    person.press(Qt.Key.Key_F, CONTROL)
    person.type("README")
    assert [model.row(row).operation.path for row in range(model.rowCount())] == ["README.md"]
    person.press(Qt.Key.Key_Escape)
    person.press(Qt.Key.Key_Escape)
    person.go_to("operation-list")
    person.press(Qt.Key.Key_Down, ALT)
    person.wait(lambda: bool(person.place.panel.page and person.place.panel.page.draft))
    assert [view.operation.id for view in model.views()] == [second, first]


def test_keys_that_open_edit_and_read_an_operation_and_send_what_was_said_of_it(
    person: Person, programs: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = an_editor(programs / "code")
    monkeypatch.setenv("VISUAL", "code")
    person.go_to("operation-list")
    person.press(Qt.Key.Key_Home)
    path = person.operations[0]
    person.press(Qt.Key.Key_O)
    person.wait(lambda: called.exists() and f"{workspace / path}:1" in called.read_text())
    person.press(Qt.Key.Key_E)
    person.wait(lambda: person.focus().objectName() == "edit-file")
    person.press(Qt.Key.Key_Escape)
    person.wait(lambda: person.focus().objectName() == "operation-list")
    person.press(Qt.Key.Key_C)
    person.wait(lambda: person.focus().objectName() == "comment-editor")
    person.type("Say it in French.")
    person.press(Qt.Key.Key_Return, CONTROL)
    person.wait(lambda: len(person.place.panel.comments) == 1)
    person.press(Qt.Key.Key_N)
    person.wait(lambda: bool(person.reads()))
    person.tab_to(f"diff-{person.reads()[0]}")
    person.wait(lambda: len(person.focus().rows) > 1)  # type: ignore[attr-defined]  # a diff
    person.press(Qt.Key.Key_T)
    person.wait(lambda: "Goodbye" in person.focus().toPlainText())  # type: ignore[attr-defined]  # the diff as one text
    person.press(Qt.Key.Key_T)
    person.wait(lambda: isinstance(person.focus(), DiffView))
    person.press(Qt.Key.Key_Return, CONTROL | SHIFT)
    person.wait(lambda: person.sees("rework-send"))
    assert "1 comment will be sent along" in person.place.panel.sheets.rework.drafts.text()


def an_editor(program: Path) -> Path:
    """A program that writes down what it was asked to open; answers where."""
    called = program.with_suffix(".called")
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\necho "$@" > {called}\n')
    program.chmod(0o755)
    return called


def test_keys_of_the_message(person: Person, workspace: Path) -> None:
    composer = person.place.chat.composer
    person.go_to("composer-text")
    person.type("one")
    person.press(Qt.Key.Key_Return, SHIFT)
    person.type("two")
    assert composer.text == "one\ntwo"
    composer.edit.selectAll()
    person.press(Qt.Key.Key_Delete)
    person.type("look at @REA")
    person.wait(composer.popup.isVisible)
    person.press(Qt.Key.Key_Return)
    assert composer.text.strip() == "look at @README.md"
    composer.edit.selectAll()
    person.press(Qt.Key.Key_Delete)
    person.press(Qt.Key.Key_Up)  # the last message comes back to be edited and sent anew
    assert composer.text == "/replace Hello Goodbye"
    composer.edit.selectAll()
    person.press(Qt.Key.Key_Delete)
    QGuiApplication.clipboard().setMimeData(a_file(workspace / "app.py"))
    person.press(Qt.Key.Key_V, CONTROL)
    QGuiApplication.clipboard().clear()  # Qt would let go of what Python holds when both are gone
    assert composer.text.strip() == "@app.py"
    composer.edit.selectAll()
    person.press(Qt.Key.Key_Delete)
    drop(composer.edit.viewport(), a_file(workspace / "app.py"))
    assert composer.text.strip() == "@app.py"


def test_message_is_edited_and_sent_again_from_its_bubble(person: Person) -> None:
    bubble = person.window.findChildren(PersonBubble)[0]
    QTest.mouseMove(bubble, bubble.rect().center())
    person.wait(lambda: person.sees("message-edit"))
    person.click("message-edit")
    assert person.place.chat.composer.text == "/replace Hello Goodbye"
    assert person.focus().objectName() == "composer-text"


def test_operation_is_dragged_to_another_place(person: Person) -> None:
    listed, model = person.place.panel.operations.list, person.place.panel.model
    before = [view.operation.id for view in model.views()]
    handle = listed.visualRect(model.index(0)).topLeft() + QPoint(person.theme.px(14), person.theme.px(18))
    target = listed.visualRect(model.index(1)).bottomLeft() + QPoint(person.theme.px(60), -2)
    viewport = listed.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=handle)
    for step in range(1, 5):
        QTest.mouseMove(viewport, handle + (target - handle) * step / 4)
        QApplication.processEvents()
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=target)
    person.wait(lambda: bool(person.place.panel.page and person.place.panel.page.draft))
    assert [view.operation.id for view in model.views()] == before[::-1]


def a_file(path: Path) -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    return mime


def drop(target: QWidget, mime: QMimeData) -> None:
    """As the desktop hands over what was dragged here."""
    hand = Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, NONE
    QApplication.sendEvent(target, QDragEnterEvent(QPoint(5, 5), *hand))
    event = QDropEvent(QPointF(5, 5), *hand)
    QApplication.sendEvent(target, event)


@pytest.mark.req("S1-05", "S1-08")
def test_in_the_bar_1_opens_the_approval_sheet_and_2_sends_the_plan_back(person: Person) -> None:
    person.go_to("operation-list")
    person.tab_to("plan-action-request_revision")
    person.press(Qt.Key.Key_1)
    person.wait(lambda: person.sees("approval-back"))
    person.press(Qt.Key.Key_Escape)
    person.wait(lambda: person.focus().objectName() == "plan-action-request_revision")
    person.press(Qt.Key.Key_2)
    person.wait(lambda: person.focus().objectName() == "rework-feedback")
    person.type("/replace Goodbye Farewell")
    person.wait(person.find("rework-send").isEnabled)
    person.press(Qt.Key.Key_Return, CONTROL)
    person.wait(lambda: person.revision == 2)
    assert "Farewell" in person.proposed("README.md")
