"""What is proved and ranked is told in the list, counted in chips, and one key goes to what is left to read."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tandem_desktop.diff.hunk_classes import ChangeClass, ProvedChange, changed_lines
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.review.ranking import Rank
from tandem_desktop.services.pages import PlanFocus
from tandem_desktop.ui.models.operation_filter import Listing, Sorting
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tests.ui.plan.pages import a_page, the_operations

S1, S2, S3, S4, S5, S6 = (OperationId(f"s{number}") for number in range(1, 7))
RANKS = {
    S1: Rank.INTERFACE,
    S2: Rank.BEHAVIOUR,
    S3: Rank.MECHANICAL,
    S4: Rank.TESTS,
    S5: Rank.FLAGGED,
    S6: Rank.GENERATED,
}


@pytest.fixture
def shown(panel: ExecutionPlanPanel) -> ExecutionPlanPanel:
    """A plan whose third operation is proved to be comments."""
    views = the_operations()[0]
    page = a_page(*views)
    panel.show_page(page)
    proved = {S3: tuple(ProvedChange(each, ChangeClass.COMMENT) for each in changed_lines(views[2].hunks))}
    panel.show_focus(page, PlanFocus(proved, RANKS, frozenset({S1, S2})))
    return panel


def listed(panel: ExecutionPlanPanel) -> list[str]:
    return [panel.model.row(number).operation.id for number in range(panel.model.rowCount())]


def test_ranks_are_counted_in_chips_and_a_click_lists_them(shown: ExecutionPlanPanel, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: bool(shown.operations.filter.chips.widgets))
    chips = {chip.objectName().removeprefix("filter-"): chip for chip in shown.operations.filter.chips.widgets}

    assert set(chips) == {
        *("not-viewed", "flagged", "interface", "behaviour", "tests", "mechanical", "generated"),
        *("asked", "also", "created", "edited", "deleted", "commands"),
    }
    chips["mechanical"].click()
    assert listed(shown) == [S3]
    chips["tests"].click()
    assert listed(shown) == [S3, S4], "two classes are either of them"
    chips["edited"].click()
    assert listed(shown) == [S3], "a class and a kind are both of them"
    qtbot.mouseClick(shown.operations.filter.all, Qt.MouseButton.LeftButton)
    assert listed(shown) == [S1, S2, S3, S4, S5, S6]


def test_what_matters_comes_first_when_it_is_sorted_so(shown: ExecutionPlanPanel) -> None:
    shown.model.set_listing(Listing(sorting=Sorting.READING))

    assert listed(shown) == [S5, S1, S2, S4, S3, S6]


def test_key_passes_over_what_is_mechanical_or_generated(shown: ExecutionPlanPanel, qtbot: QtBot) -> None:
    operations = shown.operations.list
    operations.setFocus()
    visited = []
    for _ in range(30):
        qtbot.keyClick(operations, Qt.Key.Key_A)
        qtbot.wait(1)
        row = operations.current_row()
        assert row is not None
        if not visited or visited[-1] != row.operation.id:
            visited.append(row.operation.id)

    assert visited == [S1, S2, S4, S5]


def test_another_revision_is_not_marked_by_what_was_found_of_the_first(shown: ExecutionPlanPanel, qtbot: QtBot) -> None:
    page = a_page(*the_operations()[0], revision=2)
    assert shown.model.row(2).proved

    shown.show_page(page)

    assert shown.model.focus is None
    assert not shown.model.row(2).proved
    qtbot.waitUntil(
        lambda: "filter-mechanical" not in [each.objectName() for each in shown.operations.filter.chips.widgets]
    )


def test_row_says_what_all_of_it_is(shown: ExecutionPlanPanel) -> None:
    spoken = shown.model.data(shown.model.index(2), Qt.ItemDataRole.AccessibleTextRole)

    assert "comments only" in spoken
