"""Goes through the changes of a plan by key: to each of them, or a page at a time to those that matter."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.review.ranking import Rank
from tandem_desktop.ui.models.operations import OperationRow
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.row_diff import RowDiff
from tandem_desktop.ui.plan.row_geometry import ROW

if TYPE_CHECKING:
    from tandem_desktop.ui.plan.operation_list import OperationList


class ChangeSteps:
    """The steps from change to change in one list of operations."""

    def __init__(self, view: "OperationList") -> None:
        self._view = view

    def to_change(self, forward: bool) -> bool:
        """Go to the next or previous change, also in other operations; False if there is none."""
        view, model = self._view, self._view.operations()
        row = view.current_row()
        content = self._content(row)
        if content is not None and content.may_be_entered:
            content.enter(forward)
            return True
        if content is not None and content.go_to_change(forward):
            return True
        at = view.currentIndex().row()
        candidates = range(at + 1, model.rowCount()) if forward else range(at - 1, -1, -1)
        if at >= 0 and row is not None and not row.expanded and row.view.hunks:
            candidates = range(at, model.rowCount()) if forward else range(at, -1, -1)
        for number in candidates:
            found = model.row(number)
            if found.view.hunks:
                self._enter(found.operation.id, forward)
                return True
        return False

    def to_what_matters(self, forward: bool) -> bool:
        """Go to the next change that nothing is proved of, or operation without lines that has to be read.

        Forward, a change that goes on below the page is read on first, what is on screen already is passed over, and
        the next operations are opened as far as they begin on the page.
        """
        view, model = self._view, self._view.operations()
        row = view.row_of_focus() or view.current_row()
        content = self._content(row)
        at = model.row_of(row.operation.id) if row is not None else -1
        if content is not None and content.may_be_entered:
            content.enter(forward, only_unproved=True)
            return True
        if content is not None and forward and self.read_on(content):
            return True
        if content is not None and content.go_to_unproved(forward):
            if forward:
                below = content.change_area(view.viewport()).top() - view.reading_area()[0]
                self._open_below(at, view.card(at).bottom() - below)
                view.scroll_by(below)
            return True
        if row is None or (not row.expanded and not row.viewed):
            at -= 1 if forward else -1  # the current one was not looked at yet
        for number in range(at + 1, model.rowCount()) if forward else range(at - 1, -1, -1):
            found = model.row(number)
            if model.matters(found) and not (forward and self._is_being_read(found)):
                self._enter(found.operation.id, forward, only_unproved=True)
                if forward:
                    self._open_below(number, view.places.height(number))
                    view.scrollTo(view.currentIndex(), QAbstractItemView.ScrollHint.PositionAtTop)
                return True
        return False

    def read_on(self, content: OperationContent) -> bool:
        """Turn the page where the change that is being read goes on below it; False where it does not."""
        view = self._view
        area, (top, bottom) = content.change_area(view.viewport()), view.reading_area()
        if area.isEmpty() or not area.top() < bottom <= area.bottom():
            return False
        offset = view.verticalOffset()
        view.scroll_by(bottom - top - 2 * view.theme.px(ROW))
        return view.verticalOffset() != offset

    def _content(self, row: OperationRow | None) -> OperationContent | None:
        return self._view.contents.get(row.operation.id) if row is not None and row.expanded else None

    def _is_being_read(self, row: OperationRow) -> bool:
        """Whether all that matters of an operation is on screen; one that needs attention is visited by itself."""
        content = self._content(row)
        return content is not None and not _needs_attention(row) and content.shows_unproved

    def _open_below(self, number: int, bottom: int) -> None:
        """Open the operations below this one, which ends there on the page, that begin on it."""
        view, model = self._view, self._view.operations()
        left = view.page_height() - bottom
        opened = []
        for below in range(number + 1, model.rowCount()):
            row = model.row(below)
            is_opened = model.matters(row) and not row.expanded
            if is_opened and (_needs_attention(row) or not RowDiff.suits(row.view)):
                break
            if is_opened and left >= 3 * view.places.row:
                opened.append(row.operation.id)
            left -= view.places.height(below) + (view.contents.height(row) if is_opened else 0)
            if left < 0:
                break
        for operation_id in opened:
            model.set_expanded(operation_id, True)
        if opened:
            view.lay_out()

    def _enter(self, operation_id: OperationId, forward: bool, *, only_unproved: bool = False) -> None:
        """Open an operation at its first change; the keyboard comes along if it was in the diff of another one."""
        view = self._view
        was_in_diff = view.contents.focused() is not None
        view.go_to(operation_id, open_it=True)
        view.viewport().repaint()
        content = view.contents.get(operation_id)
        if content is not None:
            content.enter(forward, only_unproved=only_unproved)
        if was_in_diff and (content is None or not content.take_keyboard()):
            view.setFocus(Qt.FocusReason.OtherFocusReason)


def _needs_attention(row: OperationRow) -> bool:
    return bool(row.view.flags or row.view.must_be_opened) or (row.rank is not None and row.rank <= Rank.FAILING)
