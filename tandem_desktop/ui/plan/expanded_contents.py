"""The content widgets of expanded operations in the operation list."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.ui.models.operations import OperationRow
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.operation_delegate import notes_height
from tandem_desktop.ui.plan.row_geometry import ROW

if TYPE_CHECKING:
    from tandem_desktop.ui.plan.operation_list import OperationList

BOTTOM = 6
_KEPT_CONTENTS = 24


class ExpandedContents:
    """Creates content widgets for visible expanded rows, places them, and keeps some that were visible before."""

    def __init__(self, view: "OperationList", make: Callable[[OperationRow], OperationContent]) -> None:
        self._view = view
        self._make = make
        self._contents: dict[OperationId, OperationContent] = {}
        self._heights: dict[OperationId, int] = {}

    def get(self, operation_id: OperationId) -> OperationContent | None:
        return self._contents.get(operation_id)

    def height(self, row: OperationRow) -> int:
        """The height of a row's content, estimated until it is created."""
        operation_id, width = row.operation.id, self._view.card_width() - 2
        page, content = self._view.viewport().height(), self._contents.get(operation_id)
        if content is not None:
            self._heights[operation_id] = content.wanted_height(width, page)
        elif operation_id not in self._heights:
            self._heights[operation_id] = OperationContent.estimated_height(row, self._view.theme, width, page)
        return self._heights[operation_id]

    def forget_heights(self) -> None:
        self._heights.clear()

    def place(self) -> None:
        """Put contents where their rows are now; create those of rows that became visible."""
        page, in_sight, has_grown = self._view.viewport().height(), set[OperationId](), False
        for number in self._view.rows_in_sight():
            row, card = self._view.operations().row(number), self._view.card(number)
            if not row.expanded:
                continue
            in_sight.add(row.operation.id)
            content = self._contents.pop(row.operation.id, None)
            if content is None:
                content = self._made(row)
                wanted = content.wanted_height(card.width() - 2, page)
                has_grown = has_grown or wanted != self._heights.get(row.operation.id)
            self._contents[row.operation.id] = content
            content.show_row(row, is_decidable=self._view.is_editable and not row.running)
            px = self._view.theme.px
            top = card.top() + px(ROW) + notes_height(self._view.theme, row, card.width())
            height = card.bottom() - px(BOTTOM) - top + 1
            content.setGeometry(card.left() + 1, top, card.width() - 2, max(1, height))
            content.show()
        self._hide_except(in_sight)
        if has_grown:
            self._view.lay_out_later()

    def drop_collapsed(self) -> None:
        expanded = self._view.operations().expanded
        for operation_id in [each for each in self._contents if each not in expanded]:
            self._remove(operation_id)

    def rebuild(self) -> None:
        """Drop all but unfinished comments: fonts and margins are set when content is created."""
        for operation_id in [each for each, content in self._contents.items() if not content.comments.is_writing]:
            self._remove(operation_id)
        self._heights.clear()

    def keep_unfinished(self) -> None:
        """Keep comments that are being written as drafts."""
        for content in tuple(self._contents.values()):
            content.comments.keep_unfinished()

    def forget(self) -> None:
        for content in self._contents.values():
            content.forget()

    def focused(self) -> OperationId | None:
        """The operation whose content has the keyboard focus."""
        return next((each for each, content in self._contents.items() if _has_focus(content)), None)

    def _hide_except(self, in_sight: set[OperationId]) -> None:
        for operation_id, content in tuple(self._contents.items()):
            if operation_id not in in_sight:
                content.hide()
                if len(self._contents) > _KEPT_CONTENTS and not _has_focus(content):
                    self._remove(operation_id)

    def _made(self, row: OperationRow) -> OperationContent:
        view, operation_id = self._view, row.operation.id
        content = self._make(row)
        content.setParent(view.viewport())
        content.height_changed.connect(view.lay_out_later)
        content.looked_at.connect(lambda: view.seen.note(row, content))
        content.left_behind.connect(lambda forward: view.leave_content(operation_id, forward))
        content.drop_requested.connect(lambda hunk: view.drop_requested.emit(operation_id, hunk))
        content.keep_requested.connect(lambda hunk: view.keep_requested.emit(operation_id, hunk))
        content.lines_requested.connect(lambda *lines: view.lines_requested.emit(operation_id, *lines))
        content.commented.connect(lambda *what: view.commented.emit(operation_id, *what))
        content.comment_edited.connect(view.comment_edited)
        content.comment_removed.connect(view.comment_removed)
        content.open_requested.connect(view.open_requested)
        return content

    def _remove(self, operation_id: OperationId) -> None:
        """Delete a content widget; a comment being written in it is kept as a draft."""
        content = self._contents.pop(operation_id)
        if _has_focus(content):
            self._view.setFocus()
        content.comments.keep_unfinished()
        content.forget()
        content.hide()
        content.deleteLater()


def _has_focus(content: OperationContent) -> bool:
    focused = QApplication.focusWidget()
    return focused is not None and content.isAncestorOf(focused)
