"""The graph in the panel: live cards, keys, clicks, zoom, and pictures to take along."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.events import TaskFailed, TaskStarted
from tandem_desktop.domain.ids import TaskId
from tandem_desktop.ui.graph.tab import GraphTab
from tandem_desktop.ui.graph.view import CardItem
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.theme.theme import Theme
from tests.support.builders import PLAN_ID
from tests.ui.plan.pages import a_page, the_operations
from tests.ui.tasks.test_task_tree_model import STARTED
from tests.ui.tasks.work import four, many, shown, six_under_way


@pytest.fixture
def tab(panel: ExecutionPlanPanel) -> GraphTab:
    panel.show_page(four())
    panel.tabs.show_tab("graph")
    panel.graph.take_keyboard()
    return panel.graph


def cards(tab: GraphTab) -> dict[str, tuple[str, str]]:
    """Title and detail of every card on the drawing, by name."""
    items = [item for item in tab.view.scene().items() if isinstance(item, CardItem)]
    return {item.card.name: (item.card.title, item.card.detail) for item in items}


def spot(tab: GraphTab, name: str) -> QPoint:
    item = next(each for each in tab.view.scene().items() if isinstance(each, CardItem) and each.card.name == name)
    return tab.view.mapFromScene(item.sceneBoundingRect().center())


@pytest.mark.req("S0-87")
def test_every_task_is_a_card_with_its_state_in_words(tab: GraphTab, panel: ExecutionPlanPanel) -> None:
    assert cards(tab)["task 4"] == ("Update docs", "DEVO · waiting")
    panel.show_page(six_under_way())
    QApplication.processEvents()
    found = cards(tab)
    assert found["task service"][1] == "KODA · in progress · 60 %"
    assert found["task migrate"][1] == "KODA · failed: The command ended with exit code 1."
    assert found["task deploy"][1] == "DEVO · skipped"


def test_a_run_moves_the_cards_and_not_their_places(tab: GraphTab, panel: ExecutionPlanPanel) -> None:
    panel.show_progress(STARTED)
    QApplication.processEvents()
    before = spot(tab, "task 1")
    panel.show_progress(TaskStarted(plan_id=PLAN_ID, task_id=TaskId("1")))
    assert cards(tab)["task 1"][1] == "KODA · in progress"
    assert spot(tab, "task 1") == before
    assert panel.tabs.current == "graph"


def test_arrow_keys_walk_along_the_lines_and_enter_opens_the_diff(tab: GraphTab, panel: ExecutionPlanPanel) -> None:
    view = tab.view
    assert view.current == "task 1"
    QTest.keyClick(view, Qt.Key.Key_Right)
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.current == "task 3"
    assert view.accessibleDescription() == "Task Add tests, waiting, after Create types, before Update docs"
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert panel.tabs.current == "operations"
    assert panel.operations.list.currentIndex().data(panel.model.RowRole).operation.id == "s4"


def test_a_click_on_a_card_opens_the_diff_and_a_drag_does_not(tab: GraphTab, panel: ExecutionPlanPanel) -> None:
    viewport = tab.view.viewport()
    at = spot(tab, "task 2")
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseMove(viewport, at + QPoint(60, 40))
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=at + QPoint(60, 40))
    assert panel.tabs.current == "graph"
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=spot(tab, "task 2"))
    assert panel.tabs.current == "operations"
    assert "s3" in panel.model.expanded


def test_keys_buttons_and_the_wheel_zoom_and_nought_shows_all_again(tab: GraphTab) -> None:
    view = tab.view
    begun = view.zoom
    QTest.keyClicks(view, "+")
    assert view.zoom == pytest.approx(begun * 1.2)
    QTest.keyClicks(view, "--")
    assert view.zoom == pytest.approx(begun / 1.2)
    at = QPointF(view.viewport().rect().center())
    wheel = QWheelEvent(
        *(at, view.viewport().mapToGlobal(at), QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton),
        *(Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False),
    )
    QApplication.sendEvent(view.viewport(), wheel)
    assert view.zoom == pytest.approx(begun * 1.2)
    QTest.keyClicks(view, "0")
    assert view.zoom <= 1.0
    whole = view.mapFromScene(view.sceneRect()).boundingRect()
    assert view.viewport().rect().adjusted(-2, -2, 2, 2).contains(whole)


def test_operations_are_drawn_one_by_one_when_asked_and_when_there_are_no_tasks(
    tab: GraphTab, panel: ExecutionPlanPanel
) -> None:
    QTest.mouseClick(tab.findChild(object, "segmented-graph-of-operations"), Qt.MouseButton.LeftButton)  # type: ignore[arg-type]
    assert cards(tab)["s4"] == ("pytest -q tests/test_types.py", "run · waiting · Add tests")
    panel.show_page(a_page(*the_operations()[0]))
    QApplication.processEvents()
    assert list(cards(tab))
    assert set(cards(tab)) == {f"s{number}" for number in range(1, 7)}
    assert tab.words.text() == "No dependencies."


def test_what_failed_is_told_below_with_the_way_to_its_log(tab: GraphTab, panel: ExecutionPlanPanel) -> None:
    assert not tab.failure.isVisible()
    panel.show_page(six_under_way())
    assert tab.failure.isVisible()
    assert tab.failure.title.text() == "Migration script failed"
    QTest.mouseClick(tab.failure.log, Qt.MouseButton.LeftButton)
    assert panel.tabs.current == "operations"
    assert "s3" in panel.model.expanded


def test_a_failure_is_told_at_once(tab: GraphTab, panel: ExecutionPlanPanel) -> None:
    panel.show_progress(STARTED)
    panel.show_progress(TaskFailed(plan_id=PLAN_ID, task_id=TaskId("2"), error="It ended with exit code 3."))
    assert tab.failure.words.text() == "It ended with exit code 3."


@pytest.fixture
def saving(qtbot: QtBot, theme: Theme, tmp_path: Path) -> GraphTab:
    """A graph whose pictures go to a folder of the test, as if the person had chosen it."""
    made = GraphTab(theme, shown(six_under_way()), lambda parent, name, kinds: str(tmp_path / name.split(".")[0]))
    qtbot.addWidget(made)
    return made


def test_it_is_saved_as_a_drawing_and_as_a_picture_where_the_person_says(saving: GraphTab, tmp_path: Path) -> None:
    saving.save_as("svg")
    saving.save_as("png")
    drawn = ElementTree.parse(tmp_path / "plan.svg").getroot()
    assert len(drawn.findall("{http://www.w3.org/2000/svg}g")) == 6
    image = QImage(str(tmp_path / "plan.png"))
    assert image.width() == pytest.approx(saving.view.sceneRect().width() * 2, abs=2)
    colours = {image.pixelColor(x, y).name() for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
    assert len(colours) > 3


def test_a_place_that_cannot_be_written_is_told_with_what_to_do(saving: GraphTab, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "plan.svg").mkdir()
    with qtbot.waitSignal(saving.failed) as told:
        saving.save_as("svg")
    assert told.args[0].endswith("Choose another place.")


def test_two_hundred_tasks_are_begun_where_the_work_begins_and_can_be_read(
    tab: GraphTab, panel: ExecutionPlanPanel
) -> None:
    panel.show_page(many(200))
    QApplication.processEvents()
    assert len(cards(tab)) == 200
    assert tab.view.zoom >= 0.6
    assert tab.view.viewport().rect().intersects(tab.view.mapFromScene(0, 0, 200, 400).boundingRect())
