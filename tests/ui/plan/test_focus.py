"""What is proved and ranked is told in the list, counted in chips, and one key goes to what is left to read."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tandem_desktop.diff.hunk_classes import ChangeClass, ProvedChange, changed_lines
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.review.ranking import Rank
from tandem_desktop.services.pages import PlanFocus
from tandem_desktop.ui.models.operations import OperationFilter, Sorting
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tests.support.builders import a_write
from tests.ui.plan.pages import a_page, the_operations, viewed

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
    chips = {chip.objectName(): chip for chip in shown.operations.reading.chips._widgets}

    assert {name.removeprefix("reading-") for name in chips} == {
        *("flagged", "interface", "behaviour", "tests", "mechanical", "generated"),
        *("asked", "also"),
    }
    chips["reading-mechanical"].click()
    assert listed(shown) == [S3]
    chips["reading-also"].click()
    assert listed(shown) == [S3, S4, S5, S6]
    chips["reading-also"].click()
    assert listed(shown) == [S1, S2, S3, S4, S5, S6]


def test_what_matters_comes_first_when_it_is_sorted_so(shown: ExecutionPlanPanel) -> None:
    shown.model.set_filter("", OperationFilter.ALL, Sorting.READING)

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


def test_another_revision_is_not_marked_by_what_was_found_of_the_first(shown: ExecutionPlanPanel) -> None:
    page = a_page(*the_operations()[0], revision=2)
    assert shown.model.row(2).proved

    shown.show_page(page)

    assert shown.model.focus is None
    assert not shown.model.row(2).proved
    assert shown.operations.reading.isHidden()


def test_row_says_what_all_of_it_is(shown: ExecutionPlanPanel) -> None:
    spoken = shown.model.data(shown.model.index(2), Qt.ItemDataRole.AccessibleTextRole)

    assert "comments only" in spoken


def test_big_plan_has_a_tree_of_folders_that_lists_what_is_below_one(panel: ExecutionPlanPanel) -> None:
    paths = [f"{folder}/file{number}.txt" for folder in ("app", "app/web", "docs") for number in range(10)]
    views = [viewed(a_write(path, b"x\n", id=f"s{at}"), b"", b"x\n") for at, path in enumerate(paths)]
    page = a_page(*views)
    panel.show_page(page)
    tree = panel.operations.folders
    ranks = {
        view.operation.id: Rank.MECHANICAL if "web" in paths[at] else Rank.BEHAVIOUR for at, view in enumerate(views)
    }

    panel.show_focus(page, PlanFocus({}, ranks, None))

    top = [tree.topLevelItem(at).text(0) for at in range(tree.topLevelItemCount())]  # type: ignore[union-attr]
    assert not tree.isHidden()
    assert top == ["All folders  20 of 30 to read", "app/  10 of 20 to read", "docs/  10"]
    web = tree.topLevelItem(1).child(0)  # type: ignore[union-attr]
    assert web.text(0) == "web/  0 of 10 to read"
    tree.itemClicked.emit(web, 0)
    assert {panel.model.row(row).operation.path for row in range(panel.model.rowCount())} == set(paths[10:20])
    tree.itemClicked.emit(tree.topLevelItem(0), 0)
    assert panel.model.rowCount() == 30


def test_small_plan_is_a_list_without_a_tree(shown: ExecutionPlanPanel) -> None:
    assert shown.operations.folders.isHidden()
