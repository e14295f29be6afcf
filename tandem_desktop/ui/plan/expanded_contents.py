"""The content widgets of expanded operations in the operation list."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.ui.models.operations import OperationRow
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.operation_delegate import notes_height
from tandem_desktop.ui.plan.row_diff import RowDiff
from tandem_desktop.ui.plan.row_geometry import ROW

if TYPE_CHECKING:
    from tandem_desktop.ui.plan.operation_list import OperationList

BOTTOM = 6
_KEPT_CONTENTS = 24

_AT_ONCE_S = 0.025
"""CPU after which no further content is created before the window handles its input."""


class ExpandedContents:
    """Creates content widgets for visible expanded rows, places them, and keeps some that were visible before."""

    def __init__(self, view: "OperationList", make: Callable[[OperationRow], OperationContent]) -> None:
        self._view = view
        self._make = make
        self._contents: dict[OperationId, OperationContent] = {}
        self._heights: dict[OperationId, int] = {}
        self._searched: dict[OperationId, str] = {}
        """The text that was looked for in a content."""
        self._is_placing = False

    def get(self, operation_id: OperationId) -> OperationContent | None:
        return self._contents.get(operation_id)

    def height(self, row: OperationRow) -> int:
        """The height of a row's content, estimated until it is created."""
        operation_id, width = row.operation.id, self._view.card_width() - 2
        content = self._contents.get(operation_id)
        if content is not None:
            self._heights[operation_id] = content.wanted_height(width, self._view.page_height())
        elif operation_id not in self._heights:
            self._heights[operation_id] = OperationContent.estimated_height(row, self._view.theme)
        return self._heights[operation_id]

    def forget_heights(self) -> None:
        self._heights.clear()

    def place(self) -> None:
        """Put contents where their rows are now; create those of rows that became visible."""
        if self._is_placing:
            self._view.lay_out_later()
            return
        self._is_placing = True
        in_sight, has_grown, until = set[OperationId](), False, time.thread_time() + _AT_ONCE_S
        for number in [*self._view.rows_in_sight()]:
            row = self._view.operations().row(number)
            if not row.expanded:
                continue
            in_sight.add(row.operation.id)
            is_made = row.operation.id in self._contents or number == self._view.currentIndex().row()
            is_late = not is_made and time.thread_time() >= until  # it is made the next time
            has_grown = is_late or self._place(number, row) or has_grown
        self._hide_except(in_sight)
        self._is_placing = False
        if has_grown:
            self._view.lay_out_later()

    def _place(self, number: int, row: OperationRow) -> bool:
        """Place one content below the line of its row; whether it is new and not as high as expected."""
        view, card, operation_id = self._view, self._view.card(number), row.operation.id
        page, width, is_other = view.page_height(), card.width() - 2, False
        content = self._contents.pop(operation_id, None)
        if content is None:
            content = self._made(row)
            is_other = content.wanted_height(width, page) != self._heights.get(operation_id)
            if text := view.operations().searched_in_lines:
                self._searched[operation_id] = text
                content.find_text(text, goes=view.currentIndex().row() == number)
        self._contents[operation_id] = content
        content.show_row(row, is_decidable=view.is_editable and not row.running)
        top, bottom = self.top(number), card.bottom() - view.theme.px(BOTTOM) + 1
        first = max(top, view.line(number).bottom() + 1)
        last = max(first, min(bottom, view.viewport().height()))
        content.place(QRect(card.left() + 1, first, width, last - first), first - top, page)
        return is_other

    def find_in(self, number: int) -> None:
        """Mark what changed lines are searched for in a content that was opened before, and go there."""
        operation_id = self._view.operations().row(number).operation.id
        content, text = self.get(operation_id), self._view.operations().searched_in_lines
        if content is not None and text and self._searched.get(operation_id) != text:
            self._searched[operation_id] = text
            content.find_text(text, goes=True)

    def top(self, number: int) -> int:
        """Where the content of a row begins, in the viewport."""
        card, theme = self._view.card(number), self._view.theme
        return card.top() + theme.px(ROW) + notes_height(theme, self._view.operations().row(number), card.width())

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

    def show_focused(self) -> None:
        """Bring a part that took the keyboard on screen; a diff shows its current line by itself."""
        focused = QApplication.focusWidget()
        for content in self._contents.values():
            if focused is not None and content.isAncestorOf(focused) and not isinstance(focused, RowDiff):
                content.reveal(focused, focused.rect())
                return

    def focused(self) -> OperationId | None:
        """The operation whose content has the keyboard focus."""
        return next((each for each, content in self._contents.items() if _has_focus(content)), None)

    def _hide_except(self, in_sight: set[OperationId]) -> None:
        for operation_id, content in tuple(self._contents.items()):
            if operation_id not in in_sight:
                if _has_focus(content):  # hiding it would lose the keyboard
                    content.move(0, -content.height() - self._view.viewport().height())
                else:
                    content.hide()
                if len(self._contents) > _KEPT_CONTENTS and not _has_focus(content):
                    self._remove(operation_id)

    def _made(self, row: OperationRow) -> OperationContent:
        view, operation_id = self._view, row.operation.id
        content = self._make(row)
        content.setParent(view.viewport())
        content.height_changed.connect(view.lay_out_later)
        content.lines_moved.connect(lambda shift: self._follow(operation_id, shift))
        content.scroll_requested.connect(view.scroll_by)
        content.reveal_requested.connect(lambda *what: view.reveal(operation_id, *what))
        content.looked_at.connect(lambda: view.seen.note(row, content))
        content.left_behind.connect(lambda forward: view.leave_content(operation_id, forward))
        content.drop_requested.connect(lambda hunk: view.drop_requested.emit(operation_id, hunk))
        content.keep_requested.connect(lambda hunk: view.keep_requested.emit(operation_id, hunk))
        content.whole_requested.connect(lambda: view.set_dropped([operation_id], True))
        content.lines_requested.connect(lambda *lines: view.lines_requested.emit(operation_id, *lines))
        content.commented.connect(lambda *what: view.commented.emit(operation_id, *what))
        content.comment_edited.connect(view.comment_edited)
        content.comment_removed.connect(view.comment_removed)
        content.open_requested.connect(view.open_requested)
        return content

    def _follow(self, operation_id: OperationId, shift: int) -> None:
        """Lines of a content need other room: what is read of it stays in its place."""
        if self._is_placing:
            self._view.lay_out_later(operation_id)
        else:
            self._view.lay_out(operation_id, shift)

    def _remove(self, operation_id: OperationId) -> None:
        """Delete a content widget; a comment being written in it is kept as a draft."""
        content = self._contents.pop(operation_id)
        self._searched.pop(operation_id, None)
        if _has_focus(content):
            self._view.setFocus()
        content.comments.keep_unfinished()
        content.forget()
        content.hide()
        content.deleteLater()


def _has_focus(content: OperationContent) -> bool:
    focused = QApplication.focusWidget()
    return focused is not None and content.isAncestorOf(focused)
