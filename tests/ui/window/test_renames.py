"""A rename with an edit is one row: listed, counted, viewed, dropped, kept and searched as one."""

import json
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.ui.models.operation_filter import OperationFilter
from tandem_desktop.ui.plan.operation_content import OperationContent
from tests.ui.window.driver import Person

CONTROL = Qt.KeyboardModifier.ControlModifier


def propose(window: Person, workspace: Path) -> None:
    """A plan that renames `old.py`, edits it, and writes two other files."""
    (workspace / "old.py").write_text("one = 1\ntwo = 2\n")
    steps = [
        {"id": "m", "tool": "move", "args": {"path": "old.py", "to": "lib/new.py"}},
        {"id": "a", "tool": "write", "args": {"path": "a.py", "content": "a\n"}},
        {"id": "e", "tool": "edit", "args": {"path": "lib/new.py", "old_string": "two = 2", "new_string": "two = 3"}},
        {"id": "b", "tool": "write", "args": {"path": "b.py", "content": "b\n"}},
    ]
    engine = window.place.background.engine
    raw = json.dumps({"title": "Rename", "steps": [{**each, "description": "x"} for each in steps]}).encode()
    window.place.open_plan(engine.proposals.propose(raw, window.place.session_id).plan_id)
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.go_to("operation-list")
    window.press(Qt.Key.Key_Home)


def names(window: Person) -> list[str]:
    model = window.place.panel.model
    return [model.index(number).data() for number in range(model.rowCount())]


def dropped(window: Person) -> list[str]:
    page = window.place.panel.page
    return sorted(page.choices.operations) if page is not None else []


def test_rename_with_an_edit_is_one_row_that_is_viewed_dropped_and_kept_by_one_key(
    window: Person, workspace: Path
) -> None:
    propose(window, workspace)
    panel = window.place.panel
    assert names(window) == ["create a.py", "move old.py → lib/new.py", "create b.py"]
    assert panel.header.viewed.words == "0 of 3 viewed"
    assert (
        panel.model.index(1).data(Qt.ItemDataRole.AccessibleTextRole).startswith("2: move old.py → lib/new.py, 1 added")
    )
    assert panel.page is not None
    assert panel.page.sums.operations == 3
    counts = panel.model.counts()
    assert (counts[OperationFilter.RENAMED], counts[OperationFilter.NOT_VIEWED]) == (1, 3)

    window.press(Qt.Key.Key_Down)
    window.press(Qt.Key.Key_Space)
    assert panel.model.viewed == {"m", "e"}
    assert panel.header.viewed.words == "1 of 3 viewed"
    window.press(Qt.Key.Key_Up)
    window.press(Qt.Key.Key_X)
    window.wait(lambda: dropped(window) == ["e", "m"])
    window.press(Qt.Key.Key_Z, CONTROL)
    window.wait(lambda: dropped(window) == [])
    window.press(Qt.Key.Key_X)
    window.wait(lambda: dropped(window) == ["e", "m"])

    window.press(Qt.Key.Key_Return, CONTROL)
    window.wait(lambda: window.sees("approval-implement"))
    window.click("approval-implement")
    window.wait(lambda: window.status is PlanStatus.COMPLETED)
    assert (workspace / "old.py").read_text() == "one = 1\ntwo = 2\n"
    assert not (workspace / "lib").exists()


def test_opened_rename_shows_both_places_and_the_changed_lines_and_is_found_by_its_old_name(
    window: Person, workspace: Path
) -> None:
    propose(window, workspace)
    panel = window.place.panel
    window.press(Qt.Key.Key_F, CONTROL)
    window.wait(lambda: window.focus().objectName() == "operation-filter-text")
    window.type("old.py")
    assert names(window) == ["move old.py → lib/new.py"]
    window.press(Qt.Key.Key_Down)
    window.press(Qt.Key.Key_Right)
    window.wait(lambda: window.sees("operation-content-e"))
    content = window.find("operation-content-e")
    assert isinstance(content, OperationContent)
    window.wait(lambda: window.sees("diff-e"))
    assert {"old.py", "lib/new.py"} <= {label.text() for label in content.findChildren(QLabel)}
    assert panel.model.row_of(OperationId("m")) == panel.model.row_of(OperationId("e")) == 0


def test_row_of_a_rename_is_moved_with_both_of_its_operations(window: Person, workspace: Path) -> None:
    propose(window, workspace)
    window.press(Qt.Key.Key_End)
    window.press(Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    window.wait(lambda: names(window) == ["create a.py", "create b.py", "move old.py → lib/new.py"])
    page = window.place.panel.page
    assert page is not None
    order = [view.operation.id for view in page.views]
    assert order.index(OperationId("m")) < order.index(OperationId("e"))


def test_rename_and_edit_are_two_rows_where_only_one_of_them_was_dropped(window: Person, workspace: Path) -> None:
    propose(window, workspace)
    panel = window.place.panel
    assert panel.chooser.choices is not None
    panel.chooser.restore(panel.chooser.choices.drop(OperationId("e")))
    window.wait(lambda: dropped(window) == ["e"])
    assert len(names(window)) == 4, "a row says what is dropped of it"
