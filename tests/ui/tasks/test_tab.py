"""Tasks in the panel of a plan: from the button to an operation's diff, by mouse and by keys."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.events import RunFinished
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.tasks.suggested_order import SuggestedOrder
from tandem_desktop.ui.models.tasks import TaskTreeModel
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tests.support.builders import PLAN_ID
from tests.ui.plan.pages import a_page, the_operations
from tests.ui.tasks.test_task_tree_model import RUN, STARTED
from tests.ui.tasks.work import D, F, a_task, a_view, four, scattered, six_under_way


@pytest.mark.req("S0-44")
def test_the_tasks_are_opened_with_the_keyboard_on_them_and_counted_in_their_tab(panel: ExecutionPlanPanel) -> None:
    panel.show_page(four())
    panel.show_tasks()
    assert panel.tabs.current == "tasks"
    assert panel.tasks.tree.hasFocus()
    assert panel.tabs.bar.tabText(1) == "Tasks 4"
    assert panel.tasks.words == "4 tasks · 4 waiting"


def test_enter_on_an_operation_of_a_task_opens_its_diff_among_the_operations(panel: ExecutionPlanPanel) -> None:
    panel.show_page(four())
    panel.show_tasks()
    tree = panel.tasks.tree
    QTest.keyClick(tree, Qt.Key.Key_Down)
    QTest.keyClick(tree, Qt.Key.Key_Down)
    QTest.keyClick(tree, Qt.Key.Key_Return)
    assert panel.tabs.current == "operations"
    assert panel.operations.list.currentIndex().data(panel.model.RowRole).operation.id == "s2"
    assert "s2" in panel.model.expanded


def test_a_click_opens_and_closes_a_task_and_a_click_on_its_operation_goes_there(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    panel.show_page(four())
    panel.show_tasks()
    tree, model = panel.tasks.tree, panel.tasks.model
    third = model.index(2, 0)
    assert tree.isExpanded(third)
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=tree.visualRect(third).center())
    assert not tree.isExpanded(third)
    operation = model.index(0, 0, model.index(1, 0))
    with qtbot.waitSignal(panel.tasks.operation_requested) as asked:
        QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=tree.visualRect(operation).center())
    assert asked.args == ["s3"]


def test_without_tasks_the_tab_says_so_and_leads_to_the_operations(panel: ExecutionPlanPanel) -> None:
    panel.show_page(a_page(*the_operations()[0]))
    panel.show_tasks()
    assert panel.tabs.bar.tabText(1) == "Tasks"
    assert panel.tasks.empty.accessibleName() == "This plan has no tasks"
    QTest.keyClick(panel.tasks.empty.button, Qt.Key.Key_Space)
    assert panel.tabs.current == "operations"


def test_whoever_looks_at_the_tasks_stays_there_while_the_plan_runs_and_when_it_ends(
    panel: ExecutionPlanPanel,
) -> None:
    panel.show_page(four())
    panel.show_tasks()
    panel.show_progress(STARTED)
    assert panel.tabs.current == "tasks"
    panel.show_progress(RunFinished(run_id=RUN, plan_id=PLAN_ID, status="completed"))
    assert panel.tabs.current == "tasks"


@pytest.mark.req("S2-30")
def test_after_the_run_the_tasks_that_succeeded_are_counted(panel: ExecutionPlanPanel) -> None:
    tasks = (*(a_task(str(number), status=D) for number in range(4)), a_task("5", status=F, error="exit 1"))
    ran = six_under_way().results
    panel.show_page(a_page(a_view(1, "1"), tasks=tasks, results=ran, status=PlanStatus.FAILED))
    assert panel.tasks.words == "5 tasks · 4 completed · 1 failed (4/5 tasks succeeded)"


def test_what_is_under_way_turns_only_while_it_is_seen(panel: ExecutionPlanPanel) -> None:
    panel.show_page(six_under_way())
    panel.show_tasks()
    tree = panel.tasks.tree
    assert not tree._turning.isActive()  # things keep still where the person wants that
    panel._theme.set_reduced_motion(False)
    panel.tasks.model.dataChanged.emit(tree.currentIndex(), tree.currentIndex())
    assert tree._turning.isActive()
    panel.tabs.show_tab("operations")
    assert not tree._turning.isActive()
    assert tree.model().index(0, 0).data(TaskTreeModel.EntryRole).task.id == "types"


@pytest.mark.req("S0-88")
def test_a_better_order_is_offered_with_its_reason_and_becomes_the_persons_own_when_taken(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    panel.show_page(scattered())
    panel.show_tasks()
    offer = panel.tasks.offer
    assert offer.isVisible()
    assert offer.banner.text.startswith("Suggested order: s1, s3, s2, s4. The 2 operations of “Create types” stay")
    with qtbot.waitSignal(panel.choices_changed) as chosen:
        QTest.mouseClick(panel.findChild(QWidget, "banner-use"), Qt.MouseButton.LeftButton)
    assert chosen.args[0].order == ("s1", "s3", "s2", "s4")
    assert not offer.isVisible()


def test_an_order_that_is_not_wanted_is_not_offered_again(panel: ExecutionPlanPanel) -> None:
    panel.show_page(scattered())
    panel.show_tasks()
    QTest.mouseClick(panel.findChild(QWidget, "banner-not-now"), Qt.MouseButton.LeftButton)
    panel.show_page(scattered())
    assert not panel.tasks.offer.isVisible()


def test_nothing_is_offered_for_a_plan_that_has_run(panel: ExecutionPlanPanel) -> None:
    panel.show_page(replace(scattered(), meta=scattered().meta.model_copy(update={"status": PlanStatus.COMPLETED})))
    panel.show_tasks()
    assert not panel.tasks.offer.isVisible()


@pytest.mark.req("S0-88")
def test_an_agent_is_asked_for_an_order_and_what_it_says_is_offered(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    panel.show_page(four())
    panel.show_tasks()
    with qtbot.waitSignal(panel.tasks.order_asked):
        QTest.mouseClick(panel.tasks.ask, Qt.MouseButton.LeftButton)
    assert not panel.tasks.ask.isEnabled()
    panel.tasks.stop_waiting()
    order = tuple(map(OperationId, ("s2", "s1", "s3", "s4", "s5")))
    panel.tasks.show_advice(SuggestedOrder(order, ("Models first.",), by="OpenCode"))
    panel.show_page(four())
    assert panel.tasks.offer.banner.text == "OpenCode suggests the order s2, s1, s3, s4, s5: Models first."
    with qtbot.waitSignal(panel.choices_changed) as chosen:
        QTest.mouseClick(panel.findChild(QWidget, "banner-use"), Qt.MouseButton.LeftButton)
    assert chosen.args[0].order == order


def test_an_agent_may_find_the_order_good_as_it_is(panel: ExecutionPlanPanel) -> None:
    panel.show_page(four())
    panel.show_tasks()
    panel.tasks.show_advice(SuggestedOrder(panel.work.order, ("Nothing to gain.",), by="OpenCode"))
    assert panel.tasks.offer.banner.text == "OpenCode finds the order good as it is: Nothing to gain."
    assert not any(each.isVisible() for each in panel.findChildren(QWidget, "banner-use"))
