"""Ctrl+Z takes back each step of a review, and decides nothing."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tandem_desktop.domain.plan_states import PlanStatus
from tests.ui.window.driver import Person

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_steps_of_a_review_are_undone_and_redone_until_the_plan_is_decided(window: Person, workspace: Path) -> None:
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    panel, engine = window.place.panel, window.place.background.engine
    page = panel.page
    assert page is not None
    first, second = (view.operation.id for view in page.views)
    said: list[str] = []
    window.place.plan_controller.said.connect(lambda words, _: said.append(words))
    listed = panel.operations.list
    listed.setFocus()
    window.press(Qt.Key.Key_Home)

    window.press(Qt.Key.Key_Space)
    window.press(Qt.Key.Key_X)
    window.press(Qt.Key.Key_C)
    window.wait(lambda: window.focus().objectName() == "comment-editor")
    window.type("why?")
    window.press(Qt.Key.Key_Z, CONTROL)
    assert panel.model.viewed == {first}, "a field undoes its own words"
    window.type("why?")
    window.press(Qt.Key.Key_Return, CONTROL)
    window.wait(lambda: len(panel.comments) == 1)
    listed.setFocus()

    def undo() -> None:
        QTest.keyClick(listed, Qt.Key.Key_Z, CONTROL)

    undo()
    window.wait(lambda: not engine.commenting.comments(page.version.plan_id).drafts and not panel.comments)
    undo()
    window.wait(lambda: bool(panel.page and panel.page.choices.is_empty))
    undo()
    assert panel.model.viewed == set()
    undo()
    assert said == [
        "Undone: comment added",
        "Undone: 1 operation dropped",
        "Undone: 1 marked as viewed",
        "Nothing to undo.",
    ]
    for _ in range(3):
        QTest.keyClick(listed, Qt.Key.Key_Z, CONTROL | SHIFT)
    window.wait(lambda: [comment.text for comment in panel.comments] == ["why?"])
    window.wait(lambda: bool(panel.page and panel.page.choices.operations == (second,)))
    assert panel.model.viewed == {first}
    assert window.status is PlanStatus.PROPOSED
    undo()
    window.wait(lambda: not panel.comments)
    undo()
    window.wait(lambda: bool(panel.page and panel.page.choices.is_empty))
    window.click("plan-action-approve")
    window.wait(lambda: window.sees("approval-implement"))
    window.click("approval-implement")
    window.wait(lambda: window.status is PlanStatus.COMPLETED)
    said.clear()
    listed.setFocus()
    undo()
    assert said[-1] == "The plan is decided: steps of its review stay as they are."
    assert "Goodbye" in (workspace / "app.py").read_text()
