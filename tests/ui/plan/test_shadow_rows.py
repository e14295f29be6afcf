import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.plan import IgnoredFiles, IgnoredFolder
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.plan.shadow_rows import sentence
from tests.support.builders import PLAN_ID
from tests.ui.plan.pages import a_page, the_operations

MODULES = IgnoredFolder(path="node_modules", glob="node_modules", count=3000, bytes=1_500_000)
LOGS = IgnoredFolder(path=".", glob="*", count=1, bytes=20)
CACHE = IgnoredFolder(path="a/__pycache__", glob="a/__pycache__", count=2, bytes=4096)


def ignored(*folders: IgnoredFolder) -> IgnoredFiles:
    files, size = sum(each.count for each in folders), sum(each.bytes for each in folders)
    return IgnoredFiles(count=files, bytes=size, folders=folders)


def show(panel: ExecutionPlanPanel, found: IgnoredFiles | None, status: PlanStatus = PlanStatus.PROPOSED) -> None:
    panel.show_page(a_page(*the_operations()[0], status=status, ignored=found))


@pytest.mark.parametrize(
    ("folders", "words"),
    [
        ((MODULES,), "3,000 ignored files in node_modules/ are not part of the plan."),
        ((LOGS,), "1 ignored file is not part of the plan."),
        ((CACHE, MODULES), "3,002 ignored files in node_modules/ and 1 other folder are not part of the plan."),
    ],
)
def test_the_row_says_how_many_and_where(folders: tuple[IgnoredFolder, ...], words: str) -> None:
    assert sentence(ignored(*folders)) == words


def test_the_row_is_there_only_for_a_plan_that_leaves_something_out(panel: ExecutionPlanPanel) -> None:
    row = panel.operations.ignored
    show(panel, None)
    assert row.isHidden()
    show(panel, ignored(MODULES))
    assert not row.isHidden()
    assert row.findChild(QLabel, "ignored-words").text().startswith("3,000 ignored files in node_modules/")
    panel.show_nothing()
    assert row.isHidden()


def test_ticking_a_folder_asks_for_it_to_be_part_of_the_plan(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    show(panel, ignored(LOGS, MODULES))
    menu = panel.operations.ignored.menu()
    assert [each.text() for each in menu.actions()] == [
        "the workspace itself  1 file, 20 B",
        "node_modules/  3,000 files, 1.5 MB",
    ]
    with qtbot.waitSignal(panel.include_requested) as asked:
        menu.actions()[1].trigger()
    assert asked.args[:2] == [PLAN_ID, "node_modules"]


def test_the_menu_opens_from_the_row(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    show(panel, ignored(MODULES))
    qtbot.mouseClick(panel.operations.ignored.choose, Qt.MouseButton.LeftButton)
    menu = panel.operations.ignored.findChild(type(panel.operations.ignored.menu()), "ignored-menu")
    assert menu is not None
    menu.close()


def test_nothing_can_be_ticked_once_the_plan_has_run(panel: ExecutionPlanPanel) -> None:
    show(panel, ignored(MODULES), PlanStatus.COMPLETED)
    assert not panel.operations.ignored.isHidden()
    assert panel.operations.ignored.choose.isHidden()
