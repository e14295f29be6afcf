"""The files of a plan as a tree: what folders tell, and what is done with all of one."""

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.review.ranking import Rank
from tandem_desktop.services.pages import PlanFocus
from tandem_desktop.ui.plan.folder_tree import FolderTree
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tests.support.builders import a_write
from tests.ui.plan.pages import Contents, a_page, viewed

PATHS = [f"{folder}/file{number}.txt" for folder in ("app", "app/web", "docs") for number in range(5)]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def contents() -> Contents:
    return {f"s{at}": (b"", b"x\n") for at in range(len(PATHS))}


@pytest.fixture
def tree(panel: ExecutionPlanPanel, qtbot: QtBot) -> FolderTree:
    """Fifteen new files of one line; those of `app/web` are mechanical, one in `docs` fails a check."""
    views = [viewed(a_write(path, b"x\n", id=f"s{at}"), b"", b"x\n") for at, path in enumerate(PATHS)]
    page = a_page(*views)
    panel.show_page(page)
    ranks = {each.operation.id: Rank.MECHANICAL if "web" in str(each) else Rank.BEHAVIOUR for each in views}
    panel.show_focus(page, PlanFocus({}, {**ranks, OperationId("s10"): Rank.FAILING}, None))
    made = panel.operations.folders
    qtbot.waitUntil(made.isVisible)
    return made


def item(tree: FolderTree, *names: str) -> QTreeWidgetItem:
    """A folder or a file by the names above it."""
    found = tree.invisibleRootItem()
    for name in names:
        found.setExpanded(True)
        found = next(found.child(at) for at in range(found.childCount()) if found.child(at).text(0) == name)
    return found


def paths(panel: ExecutionPlanPanel) -> list[str | None]:
    return [panel.model.row(row).operation.path for row in range(panel.model.rowCount())]


def test_folder_tells_files_lines_failures_and_how_much_was_viewed(
    tree: FolderTree, panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    panel.model.set_viewed([OperationId("s5"), OperationId("s6")])
    tip = Qt.ItemDataRole.ToolTipRole
    expected = "app/ · 10 files · +10 · 2 of 10 viewed · 5 to read"
    qtbot.waitUntil(lambda: item(tree, "app/").data(0, tip) == expected)
    assert item(tree, "app/", "web/").data(0, tip) == "app/web/ · 5 files · +5 · 2 of 5 viewed · 0 to read"
    assert item(tree, "docs/").data(0, tip) == "docs/ · 5 files · +5 · 0 of 5 viewed · 1 new failure"
    assert item(tree, "All files").data(0, tip).startswith(" · 15 files · +15 · 2 of 15 viewed")


def test_click_on_a_folder_lists_it_and_a_click_on_a_file_opens_it(
    tree: FolderTree, panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    web = item(tree, "app/", "web/")
    qtbot.mouseClick(tree.viewport(), LEFT, pos=tree.visualItemRect(web).center())
    assert paths(panel) == PATHS[5:10]
    qtbot.mouseClick(panel.operations.filter.folder, LEFT)
    assert paths(panel) == PATHS
    file = item(tree, "docs/", "file3.txt")
    tree.scrollToItem(file)
    qtbot.mouseClick(tree.viewport(), LEFT, pos=tree.visualItemRect(file).center())
    row = panel.operations.list.current_row()
    assert row is not None
    assert (row.operation.path, row.expanded) == ("docs/file3.txt", True)


def test_folder_is_viewed_dropped_and_kept_by_key(tree: FolderTree, panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    tree.setFocus()
    tree.setCurrentItem(item(tree, "app/", "web/"))
    QTest.keyClick(tree, Qt.Key.Key_Space)
    assert panel.model.viewed == {f"s{number}" for number in range(5, 10)}
    with qtbot.waitSignal(panel.choices_changed) as chosen:
        QTest.keyClicks(tree, "x")
    assert chosen.args[0].operations == tuple(f"s{number}" for number in range(5, 10))
    qtbot.waitUntil(lambda: "5 dropped" in item(tree, "app/", "web/").toolTip(0))
    assert [action.text() for action in tree.menu().actions()] == [
        "List only this folder\tEnter",
        "",
        "Not viewed\tSpace",
        "Keep 5 operations\tX",
    ]
    with qtbot.waitSignal(panel.choices_changed) as chosen:
        QTest.keyClicks(tree, "x")
    assert not chosen.args[0].operations
    QTest.keyClick(tree, Qt.Key.Key_Return)
    assert paths(panel) == PATHS[5:10]
    QTest.keyClick(tree, Qt.Key.Key_Escape)
    assert paths(panel) == PATHS
    assert panel.operations.list.hasFocus()


def test_small_plan_is_a_list_without_a_tree(panel: ExecutionPlanPanel) -> None:
    panel.show_page(a_page(viewed(a_write("a/b.txt", b"x\n"), b"", b"x\n")))
    QCoreApplication.processEvents()
    assert panel.operations.folders.isHidden()
