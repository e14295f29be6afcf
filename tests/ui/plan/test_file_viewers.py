"""Files are shown as what they are, with their lines one key away, and count as seen only where nothing is left out."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.plan.row_diff import RowDiff
from tests.support.builders import a_write
from tests.support.file_samples import CSV_AFTER, CSV_BEFORE, LOCK_AFTER, LOCK_BEFORE, NOTEBOOK_AFTER, NOTEBOOK_BEFORE
from tests.ui.plan.pages import Contents, a_page, viewed

FILES = {
    "lock": ("package-lock.json", LOCK_BEFORE, LOCK_AFTER),
    "other-ends": ("package-lock.json", LOCK_BEFORE, LOCK_BEFORE.replace(b"\n", b"\r\n")),
    "table": ("data/people.csv", CSV_BEFORE, CSV_AFTER),
    "cells": ("report.ipynb", NOTEBOOK_BEFORE, NOTEBOOK_AFTER),
    "odd-lock": ("yarn.lock", b"", b"this: is\n\tno lock file\n"),
}


@pytest.fixture
def contents() -> Contents:
    return {name: (before, after) for name, (_, before, after) in FILES.items()}


def opened(panel: ExecutionPlanPanel, qtbot: QtBot, name: str, height: int = 900) -> OperationContent:
    path, before, after = FILES[name]
    panel.resize(900, height)
    panel.show_page(a_page(viewed(a_write(path, after, before=before or None, id=name), before, after)))
    panel.operations.list.setFocus()
    panel.operations.list.go_to(OperationId(name), open_it=True)
    qtbot.waitUntil(lambda: content_of(panel, name) is not None)
    content = content_of(panel, name)
    assert content is not None
    qtbot.waitUntil(lambda: content.viewer is not None or content.findChild(QLabel, "why-lines") is not None)
    return content


def content_of(panel: ExecutionPlanPanel, name: str) -> OperationContent | None:
    return panel.operations.list.findChild(OperationContent, f"operation-content-{name}")


def test_lock_file_opens_as_a_list_of_versions_and_b_shows_its_lines(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    content = opened(panel, qtbot, "lock")
    assert content.viewer is not None
    diff = content.findChild(RowDiff)
    names = [row.cells[0].text for row in content.viewer.view.changes.rows]
    assert names[:4] == ["lodash", "semver", "esbuild", "chalk"]
    assert (content.viewer.view.isVisible(), diff.isVisible()) == (True, False)
    QTest.keyClicks(panel.operations.list, "b")
    assert (content.viewer.view.isVisible(), diff.isVisible()) == (False, True)
    diff.setFocus()
    QTest.keyClicks(diff, "b")
    assert (content.viewer.view.isVisible(), diff.isVisible()) == (True, False)
    assert content.viewer.view.hasFocus()


def test_list_that_tells_everything_counts_once_all_of_it_was_on_screen(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    content = opened(panel, qtbot, "lock", height=520)
    assert content.viewer is not None
    qtbot.waitUntil(lambda: content.viewer.is_opened)
    assert content.is_opened
    assert not content.is_seen
    for _ in range(30):
        panel.operations.list.steps.to_change(True)
    bar = content.viewer.view.verticalScrollBar()
    for place in range(0, bar.maximum() + 20, 20):
        bar.setValue(place)
        content.viewer.view.viewport().repaint()
    panel.operations.list.verticalScrollBar().setValue(panel.operations.list.verticalScrollBar().maximum())
    for place in range(0, bar.maximum() + 20, 20):
        bar.setValue(place)
        content.viewer.view.viewport().repaint()
    qtbot.waitUntil(lambda: content.is_seen)
    qtbot.waitUntil(lambda: len(panel.operations.list.seen.all) == 1)


def test_file_that_differs_in_formatting_only_says_so_and_shows_its_lines(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    content = opened(panel, qtbot, "other-ends")
    assert content.viewer is not None
    assert "formatting only" in content.viewer.said.text()
    assert content.findChild(RowDiff).isVisible()
    assert not content.viewer.is_seen


def test_file_that_cannot_be_read_as_its_kind_is_shown_as_lines_with_one_sentence(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    content = opened(panel, qtbot, "odd-lock")
    assert content.viewer is None
    assert "shown as lines" in content.findChild(QLabel, "why-lines").text()
    assert content.findChild(RowDiff).isVisible()


def test_table_marks_the_changed_cells_and_counts_as_seen(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    content = opened(panel, qtbot, "table")
    assert content.viewer is not None
    marked = [cell for row in content.viewer.view.changes.rows for cell in row.cells if cell.tone.endswith("-strong")]
    assert [(cell.text, cell.tone) for cell in marked] == [("Bern", "removed-strong"), ("Basel", "added-strong")]
    assert content.viewer.said.text() == "1 row changed, 1 added, 1 removed"
    qtbot.waitUntil(lambda: content.is_seen)


def test_cells_of_a_notebook_never_count_for_its_lines(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    content = opened(panel, qtbot, "cells")
    assert content.viewer is not None
    headings = [row.cells[0].text for row in content.viewer.view.changes.rows if row.is_heading]
    assert headings == ["Cell 1, code", "Cell 2, code", "Cell 3, code, added"]
    assert content.viewer.said.text().startswith("3 cells differ, 3 execution counts, metadata of 1 cell; ")
    qtbot.waitUntil(lambda: content.viewer.view.is_seen)
    assert not content.is_seen
    QTest.keyClicks(panel.operations.list, "b")
    assert content.findChild(RowDiff).isVisible()


def test_n_walks_through_the_rows_and_a_screen_reader_hears_each(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    content = opened(panel, qtbot, "lock")
    assert content.viewer is not None
    QTest.keyClicks(panel.operations.list, "nn")
    view = content.viewer.view
    assert view.currentIndex().row() == 1
    spoken = view.changes.data(view.changes.index(1, 0), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("semver, from 7.5.0 to 7.6.0. another source: ")
    assert content.viewer.accessibleName() == "Versions"
    assert content.viewer.accessibleDescription() == "4 packages changed, 1 added, 1 removed"
