"""What is proved and ranked is told in the list, counted in chips, and one key goes to what is left to read."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tandem_desktop.diff.hunk_classes import ChangeClass, ProvedChange, changed_lines
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.review.ranking import Rank
from tandem_desktop.services.pages import PlanFocus
from tandem_desktop.ui.models.operation_filter import Listing, Sorting
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.plan.row_diff import RowDiff
from tests.support.builders import a_write
from tests.ui.plan.pages import Contents, a_page, the_operations, viewed

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


def a_plan_of(
    panel: ExecutionPlanPanel, contents: Contents, *sides: tuple[bytes, bytes], flagged: str = "f1.txt"
) -> None:
    """A plan that changes files so; nothing of it is proved. `flagged` is the path of the second."""
    contents.update({f"w{number}": both for number, both in enumerate(sides)})
    views = [
        viewed(
            a_write(flagged if number == 1 else f"f{number}.txt", after, before=before, id=f"w{number}"), before, after
        )
        for number, (before, after) in enumerate(sides)
    ]
    page = a_page(*views)
    panel.show_page(page)
    panel.show_focus(page, PlanFocus({}, dict.fromkeys([each.operation.id for each in views], Rank.BEHAVIOUR), None))


def pressed_until_the_end(
    panel: ExecutionPlanPanel, qtbot: QtBot, each: Callable[[], object] = lambda: None
) -> list[list[str]]:
    """After each key, the operations that are open and on screen."""
    shown = panel.operations.list
    shown.setFocus()
    found: list[list[str]] = []
    while shown.steps.to_what_matters(True):
        rows = [shown.operations().row(number) for number in shown.rows_in_sight()]
        contents = {row.operation.id: shown.contents.get(row.operation.id) for row in rows if row.expanded}
        qtbot.waitUntil(lambda held=contents: all(one is None or _is_ready(one) for one in held.values()))
        for content in contents.values():
            for diff in content.findChildren(RowDiff) if content is not None else ():
                diff.viewport().repaint()
        found.append([*contents])
        each()
    return found


def _is_ready(content: OperationContent) -> bool:
    return all(diff.is_ready for diff in content.findChildren(RowDiff))


def test_key_opens_the_next_small_changes_below_and_passes_over_them(
    panel: ExecutionPlanPanel, contents: Contents, qtbot: QtBot
) -> None:
    a_plan_of(panel, contents, *[(b"a = 1\n", b"a = %d\n" % number) for number in range(2, 14)])

    visited = pressed_until_the_end(panel, qtbot)

    assert {name for names in visited for name in names} == {f"w{number}" for number in range(12)}
    assert len(visited) <= 6, "two or more changes of one line are on a page"


def test_key_reads_a_long_change_to_its_end_before_it_goes_on(
    panel: ExecutionPlanPanel, contents: Contents, qtbot: QtBot
) -> None:
    long = b"".join(b"line %d of the text\n" % number for number in range(120))
    a_plan_of(panel, contents, (b"", long), (b"a = 1\n", b"a = 2\n"))
    operations = panel.operations.list

    visited = pressed_until_the_end(panel, qtbot)

    first, last = operations.contents.get(OperationId("w0")), operations.contents.get(OperationId("w1"))
    assert len(visited) > 4
    assert first is not None
    assert first.is_seen
    assert last is not None
    assert last.is_seen


def test_key_goes_to_what_is_flagged_although_it_is_on_screen(
    panel: ExecutionPlanPanel, contents: Contents, qtbot: QtBot
) -> None:
    edit = b"a = 1\n", b"a = 2\n"
    a_plan_of(panel, contents, edit, edit, edit, flagged=".github/workflows/ci.yml")
    operations = panel.operations.list
    current = []

    for names in pressed_until_the_end(panel, qtbot, lambda: current.append(operations.current_row())):
        assert "w1" in names

    assert "w1" in [row.operation.id for row in current if row is not None and row.view.flags]


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
