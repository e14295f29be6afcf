"""The operations with their diffs are one surface: one scroll bar, and the line of the file that is read on top."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import OperationKind
from tandem_desktop.ui.diff.rows import RowKind
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.plan.row_diff import RowDiff
from tandem_desktop.ui.plan.row_geometry import ROW
from tests.support.builders import a_write
from tests.ui.plan.pages import Contents, a_page, the_operations, viewed

LINES = 20_000
BEFORE = b"".join(b"value_%d = %d\n" % (number, number) for number in range(LINES))
AFTER = BEFORE.replace(b"00 = ", b"00 = 1 + ")


@pytest.fixture
def contents() -> Contents:
    return {**the_operations()[1], "big": (BEFORE, AFTER)}


@pytest.fixture
def surface(panel: ExecutionPlanPanel, qtbot: QtBot) -> OperationList:
    """A new file, a long edited one and another new one, all expanded."""
    views = the_operations()[0]
    big = viewed(a_write("app/big.py", AFTER, before=BEFORE, id="big"), BEFORE, AFTER)
    panel.show_page(a_page(views[0], big, views[3]))
    for each in ("s1", "big", "s4"):
        panel.model.set_expanded(OperationId(each), True)
    surface = panel.operations.list
    surface.go_to(OperationId("big"))
    qtbot.waitUntil(lambda: (diff := _diff(surface, "big")) is not None and bool(diff.diff.hunks))
    qtbot.waitUntil(lambda: not surface._layout_timer.isActive())
    return surface


def _diff(surface: OperationList, operation_id: str) -> RowDiff | None:
    found = surface.findChild(RowDiff, f"diff-{operation_id}")
    return found if isinstance(found, RowDiff) else None


def _big(surface: OperationList) -> RowDiff:
    diff = _diff(surface, "big")
    assert diff is not None
    return diff


def test_wheel_over_a_diff_scrolls_the_plan_and_its_line_stays_on_top(surface: OperationList, qtbot: QtBot) -> None:
    diff, before = _big(surface), surface.verticalOffset()
    assert not diff.verticalScrollBar().isVisible()
    for _ in range(6):
        _turn_wheel(diff.viewport())
    moved = surface.verticalOffset() - before
    assert moved > 600
    line = surface.line(1)
    assert line.top() == 0
    assert diff.mapTo(surface.viewport(), QPoint(0, 0)).y() == line.bottom() + 1
    assert diff.verticalScrollBar().value() > 0


def _turn_wheel(widget: QWidget | None) -> None:
    """As Qt hands on a turn of the wheel: to the widget under the pointer, then to what is around it."""
    while widget is not None:
        place = widget.rect().center()
        turn = QWheelEvent(
            QPointF(place),
            QPointF(widget.mapToGlobal(place)),
            QPoint(),
            QPoint(0, -360),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        is_taken = QApplication.sendEvent(widget, turn)
        if is_taken and turn.isAccepted():
            return
        widget = widget.parentWidget()


def test_click_on_the_line_on_top_folds_the_file_that_is_read(surface: OperationList, qtbot: QtBot) -> None:
    surface.scroll_by(30_000)
    assert surface.line(1).top() == 0
    qtbot.mouseClick(surface.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(300, surface.theme.px(ROW) // 2))
    qtbot.waitUntil(lambda: surface.contents.get(OperationId("big")) is None)
    assert not surface.operations().row(1).expanded
    assert 0 <= surface.card(1).top() < surface.viewport().height()


def test_n_goes_on_through_a_long_file_and_shows_each_change_below_the_line(
    surface: OperationList, qtbot: QtBot
) -> None:
    diff = _big(surface)
    surface.setFocus()
    for hunk in range(1, 40):
        QTest.keyClick(surface, Qt.Key.Key_N)
        assert diff.current_hunk == hunk
        area = diff.row_area(diff.display.current)
        top = diff.viewport().mapTo(surface.viewport(), area.topLeft()).y()
        assert surface.theme.px(ROW) <= top < surface.viewport().height() - area.height()


def test_only_lines_that_were_in_the_window_count_as_seen(surface: OperationList, qtbot: QtBot) -> None:
    diff = _big(surface)
    surface.viewport().repaint()
    unseen = diff.unseen_changes
    assert unseen > 150
    surface.scroll_by(surface.verticalScrollBar().maximum())
    surface.viewport().repaint()
    QApplication.processEvents()
    # Jumping over the middle showed at most one page at each end.
    assert unseen - 10 < diff.unseen_changes <= unseen
    first = _diff(surface, "s1")
    assert first is None or first.unseen_changes


def test_unfolded_lines_push_down_what_follows_and_what_is_read_stays(surface: OperationList, qtbot: QtBot) -> None:
    diff = _big(surface)
    surface.scroll_by(9_000)
    top = diff.row_at(0)
    assert top is not None
    line, total = next(row for at in range(top, top + 9) if (row := diff.rows.row(at).new)), surface.places.total
    before = diff.viewport().mapToGlobal(diff.row_area(diff.row_of((False, line)) or 0).topLeft()).y()
    diff.unfold(next(row.number for at in range(5, top) if (row := diff.rows.row(at)).kind is RowKind.FOLD))
    assert surface.places.total > total + 1_000
    after = diff.viewport().mapToGlobal(diff.row_area(diff.row_of((False, line)) or 0).topLeft()).y()
    assert after == before


def test_comment_is_written_under_its_line(surface: OperationList, qtbot: QtBot) -> None:
    diff, content = _big(surface), surface.contents.get(OperationId("big"))
    assert content is not None
    content.show_row(surface.operations().row(1), is_decidable=True)
    diff.go_to_change(30)
    diff.setFocus()
    QTest.keyClick(diff, Qt.Key.Key_Down)
    QTest.keyClick(diff, Qt.Key.Key_C)
    editor = content.comments.editor
    assert editor.hasFocus()
    line = diff.viewport().mapToGlobal(diff.row_area(diff.display.current).bottomLeft()).y()
    below = content.comments.writing.mapToGlobal(QPoint(0, 0)).y() - line
    assert 0 < below < 30
    bottom = surface.viewport().mapToGlobal(surface.viewport().rect().bottomLeft()).y()
    assert content.comments.writing.mapToGlobal(content.comments.writing.rect().bottomLeft()).y() < bottom
    before = editor.mapToGlobal(QPoint(0, 0)).y()
    surface.scroll_by(60)
    assert editor.mapToGlobal(QPoint(0, 0)).y() == before - 60
    diff.set_comments(())  # as when its line is folded away
    qtbot.waitUntil(lambda: content.comments.isVisible())
    assert content.comments.isAncestorOf(editor)
    assert editor.hasFocus()
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert diff.hasFocus()
    assert not content.comments.isVisible()


def test_file_found_by_its_changed_lines_opens_at_the_place_with_the_words_marked(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    big = viewed(a_write("app/big.py", AFTER, before=BEFORE, id="big"), BEFORE, AFTER)
    panel.show_page(a_page(the_operations()[0][0], big))
    surface = panel.operations.list
    panel.model.set_listing(replace(panel.model.listing, text="value_15000 = 1 +", in_lines=True))
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1)
    surface.set_current(0)
    surface.setFocus()
    QTest.keyClick(surface, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: (diff := _diff(surface, "big")) is not None and diff.display.search is not None)
    diff = _big(surface)
    assert diff.rows.row(diff.display.current).new == 15_000
    top = diff.viewport().mapTo(surface.viewport(), diff.row_area(diff.display.current).topLeft()).y()
    assert surface.theme.px(ROW) <= top < surface.viewport().height()


def test_comment_on_an_operation_is_written_above_its_lines_and_leads_back_to_its_row(
    surface: OperationList, qtbot: QtBot
) -> None:
    diff, content = _big(surface), surface.contents.get(OperationId("big"))
    assert content is not None
    surface.set_editable(True)
    surface.setFocus()
    QTest.keyClick(surface, Qt.Key.Key_C)
    editor = content.comments.editor
    assert editor.hasFocus()
    qtbot.waitUntil(lambda: editor.mapToGlobal(editor.rect().bottomLeft()).y() < diff.mapToGlobal(QPoint(0, 0)).y())
    assert surface.viewport().rect().contains(editor.mapTo(surface.viewport(), editor.rect().center()))
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert surface.hasFocus()


def test_drop_key_in_the_lines_of_a_deleted_file_drops_its_operation(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    gone = next(view for view in the_operations()[0] if view.operation.kind is OperationKind.DELETE)
    panel.show_page(a_page(gone))
    surface = panel.operations.list
    panel.model.set_expanded(gone.operation.id, True)
    surface.go_to(gone.operation.id)
    qtbot.waitUntil(lambda: (diff := _diff(surface, gone.operation.id)) is not None and diff.is_ready)
    diff, content = _diff(surface, gone.operation.id), surface.contents.get(gone.operation.id)
    assert diff is not None
    assert content is not None
    surface.set_editable(True)
    content.show_row(surface.operations().row(0), is_decidable=True)
    diff.setFocus()
    with qtbot.waitSignal(surface.dropped_changed) as told:
        QTest.keyClick(diff, Qt.Key.Key_X)
    assert told.args == [(gone.operation.id,), True]
