import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.plan.row_diff import RowDiff
from tandem_desktop.ui.plan.row_geometry import ROW, RowZones
from tandem_desktop.ui.theme.theme import Theme
from tests.ui.plan.pages import a_page, every_kind, many, the_operations

LEFT = Qt.MouseButton.LeftButton
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


def reviewing(panel: ExecutionPlanPanel, qtbot: QtBot) -> OperationList:
    panel.show_page(a_page(*the_operations()[0]))
    operations = panel.operations.list
    operations.setFocus()
    qtbot.waitUntil(lambda: not operations.visualRect(panel.model.index(5)).isNull())
    operations.setCurrentIndex(panel.model.index(0))
    return operations


def zones(operations: OperationList, row: int, theme: Theme) -> RowZones:
    card = operations.visualRect(operations.model().index(row, 0))
    line = QRect(card.left(), card.top(), card.width(), theme.px(ROW))
    return RowZones(theme, line, movable=True, removable=True)


def press(operations: OperationList, keys: str) -> None:
    QTest.keyClicks(operations, keys)


def current(operations: OperationList) -> str:
    row = operations.current_row()
    assert row is not None
    return row.operation.id


def shown_content(panel: ExecutionPlanPanel, operation_id: str) -> OperationContent:
    found = panel.operations.list.findChild(OperationContent, f"operation-content-{operation_id}")
    assert found is not None
    return found


def test_j_and_k_walk_through_the_operations(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    operations = reviewing(panel, qtbot)
    press(operations, "jj")
    assert current(operations) == "s3"
    press(operations, "k")
    assert current(operations) == "s2"
    press(operations, "kkkk")
    assert current(operations) == "s1"


def test_space_marks_an_operation_viewed_and_goes_on_and_takes_the_mark_away_in_place(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    operations = reviewing(panel, qtbot)
    press(operations, "  ")
    assert panel.model.viewed == {"s1", "s2"}
    assert panel.header.viewed.words == "2 of 6 viewed"
    press(operations, "k ")
    assert panel.model.viewed == {"s1"}
    assert operations.currentIndex().row() == 1


def test_selected_operations_are_viewed_and_dropped_together(
    panel: ExecutionPlanPanel, qtbot: QtBot, theme: Theme
) -> None:
    operations = reviewing(panel, qtbot)
    QTest.keyClick(operations, Qt.Key.Key_Home)
    QTest.keyClick(operations, Qt.Key.Key_Down, SHIFT)
    press(operations, " ")
    assert panel.model.viewed == {"s1", "s2"}
    qtbot.mouseClick(operations.viewport(), LEFT, SHIFT, operations.line(3).center())
    qtbot.mouseClick(operations.viewport(), LEFT, CONTROL, operations.line(1).center())
    with qtbot.waitSignal(panel.choices_changed) as chosen:
        press(operations, "x")
    assert chosen.args[0].operations == ("s1", "s3", "s4"), "one step for all"
    assert not panel.model.expanded, "a click that selects opens nothing"
    with qtbot.waitSignal(panel.choices_changed) as chosen:
        press(operations, "x")
    assert not chosen.args[0].operations
    QTest.keyClick(operations, Qt.Key.Key_A, CONTROL)
    assert [action.text() for action in operations.menu().actions()][:2] == [
        "Mark 6 as viewed\tSpace",
        "Drop 6 operations\tX",
    ]
    press(operations, " ")
    assert len(panel.model.viewed) == 6
    QTest.keyClick(operations, Qt.Key.Key_Escape)
    assert len(operations.selected_rows()) == 1


def test_selection_stays_when_the_list_is_sorted(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    operations = reviewing(panel, qtbot)
    QTest.keyClick(operations, Qt.Key.Key_Home)
    QTest.keyClick(operations, Qt.Key.Key_Down, SHIFT)
    panel.operations.filter.order.setCurrentText("Largest first")
    assert {row.operation.id for row in operations.selected_rows()} == {"s1", "s2"}


def test_a_click_on_the_box_marks_viewed_and_opens_nothing(
    panel: ExecutionPlanPanel, qtbot: QtBot, theme: Theme
) -> None:
    operations = reviewing(panel, qtbot)
    qtbot.mouseClick(operations.viewport(), LEFT, pos=zones(operations, 2, theme).box.center())
    assert panel.model.viewed == {"s3"}
    assert not panel.model.expanded


def test_a_click_on_the_row_opens_it_and_another_closes_it(
    panel: ExecutionPlanPanel, qtbot: QtBot, theme: Theme
) -> None:
    operations = reviewing(panel, qtbot)
    middle = zones(operations, 0, theme).middle.center()
    qtbot.mouseClick(operations.viewport(), LEFT, pos=middle)
    assert panel.model.expanded == {"s1"}
    qtbot.mouseClick(operations.viewport(), LEFT, pos=middle)
    assert not panel.model.expanded


def test_the_menu_of_a_right_click_is_about_the_row_under_the_pointer(
    panel: ExecutionPlanPanel, qtbot: QtBot, theme: Theme
) -> None:
    operations = reviewing(panel, qtbot)
    operations.setCurrentIndex(panel.model.index(3))
    at = zones(operations, 1, theme).middle.center()
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, operations.viewport().mapToGlobal(at))
    QApplication.sendEvent(operations.viewport(), asked)
    assert current(operations) == "s2"
    menu = operations.findChild(QMenu, "operation-menu")
    assert menu is not None
    next(action for action in menu.actions() if action.text().startswith("Open\t")).trigger()
    assert panel.model.expanded == {"s2"}


def test_arrows_and_enter_open_and_close(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    operations = reviewing(panel, qtbot)
    QTest.keyClick(operations, Qt.Key.Key_Right)
    assert panel.model.expanded == {"s1"}
    QTest.keyClick(operations, Qt.Key.Key_Right)
    assert panel.model.expanded == {"s1"}
    QTest.keyClick(operations, Qt.Key.Key_Left)
    assert not panel.model.expanded
    QTest.keyClick(operations, Qt.Key.Key_Return)
    assert panel.model.expanded == {"s1"}


@pytest.mark.req("S0-36")
def test_an_opened_edit_shows_every_replacement_of_its_file(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    reviewing(panel, qtbot)
    panel.operations.list.go_to(OperationId("s2"), open_it=True)
    qtbot.waitUntil(lambda: panel.findChild(RowDiff, "diff-s2") is not None)
    diff = panel.findChild(RowDiff, "diff-s2")
    assert isinstance(diff, RowDiff)
    qtbot.waitUntil(lambda: len(diff.diff.hunks) == 2)
    assert "+from app.ratelimit import limited" in diff.as_text()
    assert "+    if user is None or not user.active:" in diff.as_text()


def test_rows_below_make_room_for_what_is_opened(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    operations = reviewing(panel, qtbot)
    before = operations.visualRect(panel.model.index(1)).top()
    QTest.keyClick(operations, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: operations.visualRect(panel.model.index(1)).top() > before + 100)
    content = shown_content(panel, "s1")
    card = operations.visualRect(panel.model.index(0))
    assert card.contains(content.geometry())


def test_n_goes_through_the_changes_and_on_into_the_next_operation(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    operations = reviewing(panel, qtbot)
    operations.setCurrentIndex(panel.model.index(1))
    press(operations, "n")
    qtbot.waitUntil(lambda: panel.findChild(RowDiff, "diff-s2") is not None)
    diff = panel.findChild(RowDiff, "diff-s2")
    assert isinstance(diff, RowDiff)
    qtbot.waitUntil(lambda: diff.current_hunk == 1)
    press(operations, "n")
    assert diff.current_hunk == 2
    press(operations, "n")
    assert current(operations) == "s3"
    qtbot.waitUntil(lambda: panel.findChild(RowDiff, "diff-s3") is not None)
    press(operations, "p")
    assert current(operations) in ("s2", "s3")


@pytest.mark.parametrize("letter", ["n", "a"])
def test_a_step_from_inside_a_diff_takes_the_keyboard_along_to_the_last_operation(
    panel: ExecutionPlanPanel, qtbot: QtBot, letter: str
) -> None:
    operations = reviewing(panel, qtbot)
    panel.window().activateWindow()
    operations.go_to(OperationId("s1"), open_it=True)
    qtbot.waitUntil(lambda: panel.findChild(RowDiff, "diff-s1") is not None)
    first = panel.findChild(RowDiff, "diff-s1")
    assert isinstance(first, RowDiff)
    qtbot.waitUntil(lambda: bool(first.diff.hunks))
    first.setFocus()
    seen = [current(operations)]

    def step() -> bool:
        QTest.keyClicks(QApplication.focusWidget(), letter)
        if current(operations) != seen[-1]:
            seen.append(current(operations))
        return len(seen) > 3

    qtbot.waitUntil(step)
    assert seen == sorted(set(seen)), "each operation once, in order"


def test_leaving_the_last_change_inside_a_diff_goes_on_into_the_next_operation(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    operations = reviewing(panel, qtbot)
    operations.go_to(OperationId("s3"), open_it=True)
    qtbot.waitUntil(lambda: panel.findChild(RowDiff, "diff-s3") is not None)
    diff = panel.findChild(RowDiff, "diff-s3")
    assert isinstance(diff, RowDiff)
    qtbot.waitUntil(lambda: len(diff.diff.hunks) == 1)
    diff.setFocus()
    QTest.keyClicks(diff, "nn")
    assert current(operations) == "s4"
    assert "s4" in panel.model.expanded


def test_v_reaches_the_diff_of_the_current_operation(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    panel.resize(1400, 800)
    operations = reviewing(panel, qtbot)
    operations.go_to(OperationId("s2"), open_it=True)
    qtbot.waitUntil(lambda: panel.findChild(RowDiff, "diff-s2") is not None)
    diff = panel.findChild(RowDiff, "diff-s2")
    assert isinstance(diff, RowDiff)
    qtbot.waitUntil(lambda: len(diff.diff.hunks) == 2 and diff.is_split)
    press(operations, "v")
    assert not diff.is_split


@pytest.mark.req("S0-38")
def test_x_and_the_cross_drop_one_operation_and_the_next_time_keep_it(
    panel: ExecutionPlanPanel, qtbot: QtBot, theme: Theme
) -> None:
    operations = reviewing(panel, qtbot)
    with qtbot.waitSignal(panel.choices_changed) as asked:
        press(operations, "jx")
    assert asked.args is not None
    assert asked.args[0].operations == ("s2",)
    with qtbot.waitSignal(panel.choices_changed) as asked:
        qtbot.mouseClick(operations.viewport(), LEFT, pos=zones(operations, 3, theme).remove.center())
    assert asked.args is not None
    assert asked.args[0].operations == ("s2", "s4")
    assert [panel.model.row(number).dropped for number in range(6)] == [False, True, False, True, False, False]
    with qtbot.waitSignal(panel.choices_changed) as asked:
        press(operations, "x")
    assert asked.args is not None
    assert asked.args[0].operations == ("s2",)


def drag(operations: OperationList, theme: Theme, row: int, target: QPoint) -> None:
    viewport = operations.viewport()
    start = zones(operations, row, theme).handle.center()
    QTest.mousePress(viewport, LEFT, pos=start)
    QTest.mouseMove(viewport, start + QPoint(0, 12))
    QTest.mouseMove(viewport, target)
    QTest.mouseRelease(viewport, LEFT, pos=target)


@pytest.mark.req("S0-85")
def test_dragging_the_handle_asks_for_another_order(panel: ExecutionPlanPanel, qtbot: QtBot, theme: Theme) -> None:
    operations = reviewing(panel, qtbot)
    target = operations.visualRect(panel.model.index(3)).center() + QPoint(0, 8)
    with qtbot.waitSignal(panel.choices_changed) as asked:
        drag(operations, theme, 0, target)
    assert asked.args is not None
    assert asked.args[0].order == ("s2", "s3", "s4", "s1", "s5", "s6")
    assert panel.model.row(0).operation.id == "s1"


def test_a_card_dropped_where_it_was_changes_nothing(panel: ExecutionPlanPanel, qtbot: QtBot, theme: Theme) -> None:
    operations = reviewing(panel, qtbot)
    start = zones(operations, 1, theme).handle.center()
    with qtbot.assertNotEmitted(panel.choices_changed):
        drag(operations, theme, 1, start + QPoint(0, 14))


def test_a_sorted_list_cannot_be_reordered(panel: ExecutionPlanPanel, qtbot: QtBot, theme: Theme) -> None:
    operations = reviewing(panel, qtbot)
    panel.operations.filter.order.setCurrentText("By path")
    with qtbot.assertNotEmitted(panel.choices_changed):
        drag(operations, theme, 0, operations.visualRect(panel.model.index(3)).center())
        QTest.keyClick(operations, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)


def test_alt_and_arrows_move_an_operation_without_a_mouse(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    operations = reviewing(panel, qtbot)
    with qtbot.waitSignal(panel.choices_changed) as asked:
        QTest.keyClick(operations, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert asked.args is not None
    assert asked.args[0].order[:2] == ("s2", "s1")


def test_letters_do_nothing_when_they_are_turned_off(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    operations = reviewing(panel, qtbot)
    panel.set_single_letters(False)
    with qtbot.assertNotEmitted(panel.choices_changed):
        press(operations, "jxn")
    assert current(operations) == "s1"
    QTest.keyClick(operations, Qt.Key.Key_Down)
    assert current(operations) == "s2"


def test_viewing_folds_an_operation_away_but_never_a_flagged_one(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    views = every_kind()[0]
    panel.show_page(a_page(*views))
    operations = panel.operations.list
    operations.setFocus()
    assert {"k5", "k6", "k8", "k9"} <= panel.model.expanded
    operations.go_to(OperationId("k1"), open_it=True)
    press(operations, " ")
    assert "k1" not in panel.model.expanded
    operations.go_to(OperationId("k5"))
    press(operations, " ")
    assert "k5" in panel.model.expanded


@pytest.mark.req("S0-37")
def test_every_kind_says_in_words_what_a_diff_cannot_show(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QLabel, QPlainTextEdit

    panel.resize(900, 4000)
    panel.show_page(a_page(*every_kind()[0]))
    for view in every_kind()[0]:
        panel.model.set_expanded(view.operation.id, True)

    def said(operation_id: str) -> str:
        content = shown_content(panel, operation_id)
        labels = [label.text() for label in content.findChildren(QLabel)]
        return "\n".join([*labels, *(each.toPlainText() for each in content.findChildren(QPlainTextEdit))])

    panel.operations.list.lay_out()
    assert "app/a.py" in said("k4")
    assert "app/b.py" in said("k4")
    assert "0644 → 0755" in said("k5")
    assert "../elsewhere" in said("k6")
    assert "a folder, mode 0755" in said("k7")
    assert "1,032 bytes" in said("k8")
    command = said("k9")
    for words in ("cd app\nmake all", "tools", "MODE", "fast", "30 s", "cannot be undone"):
        assert words in command


def test_hidden_characters_in_a_path_or_a_command_are_visible(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    from tests.support.builders import a_command, a_write
    from tests.ui.plan.pages import viewed

    views = (
        viewed(a_write("src/\u202egnp.py", b"", id="h1")),
        viewed(a_command("echo ok\x1b[2K; rm -rf .", id="h2")),
    )
    panel.show_page(a_page(*views))
    assert panel.model.index(0).data() == "create src/⟨U+202E⟩gnp.py"
    assert panel.model.index(1).data() == "run echo ok␛[2K; rm -rf ."


def test_ten_thousand_operations_are_opened_scrolled_and_run(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    views = many(10_000)
    panel.show_page(a_page(*views))
    operations = panel.operations.list
    operations.setFocus()
    QTest.keyClick(operations, Qt.Key.Key_End)
    assert current(operations) == "m9999"
    assert operations.viewport().rect().contains(operations.visualRect(operations.currentIndex()))
    for place in range(0, operations.verticalScrollBar().maximum(), 4_001):
        operations.verticalScrollBar().setValue(place)
        operations.viewport().repaint()
    operations.go_to(OperationId("m5000"), open_it=True)
    operations.viewport().repaint()
    assert len(operations.findChildren(OperationContent)) == 1
    panel.model.begin_run()
    for view in views:
        panel.model.set_result(OperationResult(id=view.operation.id, status=ResultStatus.COMPLETED))
    assert panel.model.done == 10_000


def test_only_contents_near_the_sight_are_kept(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    panel.show_page(a_page(*many(200)))
    for number in range(200):
        panel.model.set_expanded(OperationId(f"m{number}"), True)
    operations = panel.operations.list
    operations.lay_out()
    for place in range(0, operations.verticalScrollBar().maximum(), 300):
        operations.verticalScrollBar().setValue(place)
    qtbot.waitUntil(lambda: len(operations.findChildren(OperationContent)) < 40)


def test_a_list_of_what_ran_cannot_be_changed(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    views = the_operations()[0]
    results = [OperationResult(id=view.operation.id, status=ResultStatus.COMPLETED) for view in views]
    panel.show_page(a_page(*views, status=PlanStatus.COMPLETED, results=results))
    operations = panel.operations.list
    operations.setFocus()
    operations.setCurrentIndex(panel.model.index(0))
    with qtbot.assertNotEmitted(panel.choices_changed):
        press(operations, "x ")
        QTest.keyClick(operations, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert not panel.model.viewed


def test_a_screen_reader_finds_every_operation(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    operations = reviewing(panel, qtbot)
    interface = QAccessible.queryAccessibleInterface(operations)
    assert interface.role() is QAccessible.Role.List
    assert interface.childCount() == 6
    assert "app/routes/auth.py" in interface.child(1).text(QAccessible.Text.Name)
    assert interface.child(1).rect().height() > 0


def test_the_current_operation_stays_current_in_a_new_revision(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    operations = reviewing(panel, qtbot)
    press(operations, "jjj")
    views = the_operations()[0]
    panel.show_page(a_page(*views[1:], revision=2))
    assert current(operations) == "s4"


def test_kinds_are_told_apart_by_letter_and_colour(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    reviewing(panel, qtbot)
    signs = [wording.kind_letter(view.operation) for view in panel.model.views()]
    assert [letter for letter, _ in signs] == ["A", "M", "M", "A", "$", "D"]
    assert len({token for _, token in signs}) == 4
