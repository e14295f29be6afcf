"""What was really on screen stands in the approval and in the audit, in so many words on the sheet."""

import json

from PySide6.QtCore import Qt

from tandem_desktop.domain.plan_states import PlanStatus
from tests.ui.window.driver import Person


def approved_coverage(person: Person) -> dict[str, int]:
    lines = person.place.background.engine.locations.audit.read_text().splitlines()
    approvals = [found["coverage"] for line in lines if (found := _find(json.loads(line), "coverage"))]
    assert len(approvals) == 1
    return approvals[0]


def _find(value: object, key: str) -> dict[str, dict[str, int]] | None:
    if isinstance(value, dict):
        if key in value:
            return value
        value = list(value.values())
    if isinstance(value, list):
        return next((found for each in value if (found := _find(each, key))), None)
    return None


def test_operation_that_was_never_opened_is_told_on_the_sheet_and_in_the_audit(window: Person) -> None:
    window.place.background.engine.workspace.path.joinpath("third.txt").write_text("Hello\n")  # two come open
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.place.panel.operations.list.setFocus()
    window.press(Qt.Key.Key_N)
    window.wait(lambda: len(window.place.panel.operations.list.seen.all) == 1)
    window.click("plan-action-approve")
    window.wait(lambda: window.sees("approval-implement"))
    assert "You opened 1 of 3 operations" in window.place.panel.sheets.approval.warning.text()
    window.click("approval-implement")
    window.wait(lambda: window.status is PlanStatus.COMPLETED)
    assert approved_coverage(window) == {"operations": 3, "shown": 1, "folded": 0, "proved": 0}


def test_change_that_stayed_folded_as_mechanical_is_counted_on_the_sheet_and_in_the_audit(window: Person) -> None:
    window.place.background.engine.workspace.path.joinpath("code.py").write_text("x = 1  # Hello\n")
    window.ask("/replace Hello Goodbye --in code.py")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.wait(lambda: window.place.panel.model.row(0).proved != ())
    window.place.panel.operations.list.setFocus()
    window.press(Qt.Key.Key_N)
    window.wait(lambda: [seen.proved for seen in window.place.panel.operations.list.seen.all] == [1])
    window.click("plan-action-approve")
    window.wait(lambda: window.sees("approval-implement"))
    assert "1 change stayed folded" in window.place.panel.sheets.approval.warning.text()
    window.click("approval-implement")
    window.wait(lambda: window.status is PlanStatus.COMPLETED)
    assert approved_coverage(window) == {"operations": 1, "shown": 1, "folded": 0, "proved": 1}


def test_operation_that_was_cut_down_by_the_person_still_counts_as_seen(window: Person) -> None:
    window.place.background.engine.workspace.path.joinpath("third.txt").write_text("Hello\n")  # two come open
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.place.panel.operations.list.setFocus()
    window.press(Qt.Key.Key_N)
    window.wait(lambda: len(window.place.panel.operations.list.seen.all) == 1)
    window.place.panel.operations.list.setFocus()
    window.press(Qt.Key.Key_J)
    window.press(Qt.Key.Key_X)
    window.wait(lambda: bool(window.place.panel.page and window.place.panel.page.draft))
    window.click("plan-action-approve")
    window.wait(lambda: window.sees("approval-implement"))
    window.click("approval-implement")
    window.wait(lambda: window.status is PlanStatus.COMPLETED)
    assert approved_coverage(window) == {"operations": 2, "shown": 1, "folded": 0, "proved": 0}
