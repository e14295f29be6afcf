"""Keys pressed in the real plan panel: from each change to the next (`n`), and to what matters (`a`)."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEventLoop
from PySide6.QtWidgets import QApplication

from tandem_desktop.diff.hunk_classes import numbered_lines
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.review.change_classes import Proved
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.review.ranking import ranks
from tandem_desktop.services.pages import PlanFocus
from tandem_desktop.ui.diff.rows import RowKind
from tandem_desktop.ui.models.operations import OperationRow
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.plan.row_diff import RowDiff
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.threads import Commands
from tests.support.builders import A_MOMENT
from tests.ui.plan.pages import a_page, source_of

_SIZE = 772, 850
"""The panel of a new window, which is 1,440 to 900."""
_Line = tuple[OperationId, bool, int]
"""An operation, whether it is the old side, and a line."""


@dataclass(frozen=True)
class Keys:
    """How many keys lead through a plan, and how many lines that are to be read were never on screen."""

    each_change: int
    what_matters: int
    unseen: int


class Walker:
    """Walks through plans in one panel after the other."""

    def __init__(self) -> None:
        self._application = QApplication.instance() or QApplication([])
        self._theme = Theme()
        self._theme.set_reduced_motion(True)
        self._commands, self._executor = Commands(), ThreadPoolExecutor(1)

    def keys(
        self, views: Sequence[OperationView], contents: Mapping[OperationId, tuple[bytes, bytes]], proved: Proved
    ) -> Keys:
        """The keys of one plan; each walk in a panel of its own, since one leaves operations open."""
        every, _ = self._walk(views, contents, None, _to_each_change)
        focus = PlanFocus(proved, ranks(views, proved), None)
        some, visited = self._walk(views, contents, focus, lambda shown: shown.steps.to_what_matters(True))
        wanted = {line for view in views if view.flags or not view.generated for line in _changed(view)}
        proved_lines = {
            (operation_id, is_old, line)
            for operation_id, found in proved.items()
            for each in found
            for is_old, span in ((True, each.lines.old), (False, each.lines.new))
            for line in range(*span)
        }
        return Keys(every, some, len(wanted - proved_lines - visited))

    def _walk(
        self,
        views: Sequence[OperationView],
        contents: Mapping[OperationId, tuple[bytes, bytes]],
        focus: PlanFocus | None,
        step: Callable[[OperationList], bool],
    ) -> tuple[int, set[_Line]]:
        source = source_of(dict(contents), self._commands, self._executor)
        panel = ExecutionPlanPanel(self._theme, source, workspace="recorded", now=lambda: A_MOMENT)
        panel.resize(*_SIZE)
        page = a_page(*views)
        panel.show_page(page)
        if focus is not None:
            panel.show_focus(page, focus)
        panel.show()
        shown = panel.operations.list
        shown.setFocus()
        self._settle(shown)
        visited: set[_Line] = set()
        count = 0
        while step(shown):
            count += 1
            self._settle(shown)
            visited |= {*_on_screen(shown)}
        panel.close()
        panel.deleteLater()
        self._settle(None)
        return count, visited

    def _settle(self, shown: OperationList | None) -> None:
        """Let the diffs on screen arrive and take their places."""
        quiet = 0
        while quiet < 3:
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents)
            QCoreApplication.sendPostedEvents(None, 0)
            is_ready = shown is None or all(diff.is_ready for _, diff in _diffs(shown))
            quiet = quiet + 1 if is_ready else 0


def _to_each_change(shown: OperationList) -> bool:
    """`PageDown` while a change goes on below the page, else `n`."""
    row = shown.current_row()
    content = shown.contents.get(row.operation.id) if row is not None and row.expanded else None
    return (content is not None and shown.steps.read_on(content)) or shown.steps.to_change(True)


def _changed(view: OperationView) -> Iterator[_Line]:
    for hunk in view.hunks:
        yield from ((view.operation.id, kind == "-", number) for kind, number, _ in numbered_lines(hunk))


def _contents(shown: OperationList) -> Iterator[tuple[OperationRow, OperationContent]]:
    for number in shown.rows_in_sight():
        row = shown.operations().row(number)
        content = shown.contents.get(row.operation.id) if row.expanded else None
        if content is not None:
            yield row, content


def _diffs(shown: OperationList) -> Iterator[tuple[OperationId, RowDiff]]:
    for row, content in _contents(shown):
        yield from ((row.operation.id, diff) for diff in content.findChildren(RowDiff))


def _on_screen(shown: OperationList) -> Iterator[_Line]:
    """Changed lines that are on screen, whole; all of a file of which another view told all."""
    for each, content in _contents(shown):
        if content.is_seen and content.viewer is not None and content.viewer.isVisible():
            yield from _changed(each.view)
    for operation_id, diff in _diffs(shown):
        region = diff.viewport().visibleRegion().boundingRect()
        if diff.diff.is_binary or region.isEmpty():
            continue
        for index in range(diff.row_at(region.top()) or 0, len(diff.rows)):
            row, area = diff.rows.row(index), diff.row_area(index)
            if area.bottom() > region.bottom():
                break
            if row.is_change and area.top() >= region.top():
                count = row.lines if row.kind is RowKind.FOLD else 1
                for is_old, first in ((True, row.old), (False, row.new)):
                    if first is not None:
                        yield from ((operation_id, is_old, line) for line in range(first, first + count))
