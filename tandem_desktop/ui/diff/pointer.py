"""Mouse input of a diff view: hit testing, selecting, and marking lines to comment on."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QMouseEvent

from tandem_desktop.ui.diff.panes import Pane, header_buttons, more_area
from tandem_desktop.ui.diff.rows import RowKind
from tandem_desktop.ui.diff.selection import Selection, TextPosition, line_of
from tandem_desktop.ui.diff.styles import character_at

if TYPE_CHECKING:
    from tandem_desktop.ui.diff.view import DiffView

_CURSORS = {
    **dict.fromkeys(("fold", "more", "drop", "keep", "comment", "cut", "gutter"), Qt.CursorShape.PointingHandCursor),
    "bar": Qt.CursorShape.ArrowCursor,
}


class DiffPointer:
    """Handles the mouse events of one view."""

    def __init__(self, view: "DiffView") -> None:
        self._view = view
        self._is_selecting = False
        self._gutter_range: tuple[int, int] | None = None
        """First and last line of a drag over the line numbers."""
        self._gutter_line: tuple[bool, int] | None = None
        """Side and line of the last click on a line number; Shift+click comments from there."""

    def press(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        place = event.position().toPoint()
        index = self._view.row_at(place.y())
        if index is None:
            return
        target = self._target_at(index, place)
        row = self._view.rows.row(index)
        if target in ("fold", "more"):
            self._view.unfold_row(index) if target == "fold" else self._view.show_more(row.number)
            return
        if target in ("drop", "keep", "comment"):
            self._view.set_current(index)
            self._view.request(target, row.hunk)
            return
        if row.kind is RowKind.COMMENT:
            self._view.set_current(index)
            self._view.comment_chosen.emit(row.number)
            return
        pane = self._view.display.panes.at(place.x())
        if target == "cut" and (line := self._view.display.shown(row, pane)):
            self._view.open_line(*line.key)
            return
        head, before = self._position(index, pane, place), self._view.display.selection
        extends = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        anchor = before.anchor if extends and before is not None else head
        self._view.set_current(index)
        if target == "gutter" and "comment" in self._view.display.offers and (clicked := line_of(row, pane.is_old)):
            is_old, number = clicked
            self._gutter_range = (self._gutter_start(event, is_old, number), number)
            self._gutter_line = (is_old, number)
            return
        self._view.display.selection = Selection(anchor, head, pane.is_old)
        self._is_selecting = True

    def move(self, place: QPoint) -> None:
        if self._gutter_range is not None:
            self._drag_gutter_to(place)
            return
        if self._is_selecting and self._view.display.selection is not None:
            self._drag_selection_to(place)
            return
        index = self._view.row_at(place.y())
        target = self._target_at(index, place) if index is not None else ""
        hovered = (index, target) if index is not None and target else None
        if hovered != self._view.display.hovered:
            self._view.display.hovered = hovered
            self._view.viewport().setCursor(_CURSORS.get(target, Qt.CursorShape.IBeamCursor))
            self._view.viewport().update()

    def release(self) -> None:
        self._is_selecting = False
        if self._gutter_range is not None and self._gutter_line is not None:
            (one, other), self._gutter_range = self._gutter_range, None
            self._view.comment_requested.emit(self._gutter_line[0], min(one, other) + 1, max(one, other) + 1)
            return
        selection = self._view.display.selection
        if selection is not None and selection.anchor == selection.head:
            self._view.unselect()

    def double_click(self, event: QMouseEvent) -> None:
        """Select the word."""
        place = event.position().toPoint()
        index = self._view.row_at(place.y())
        pane = self._view.display.panes.at(place.x())
        line = line_of(self._view.rows.row(index), pane.is_old) if index is not None else None
        if index is None or line is None or self._target_at(index, place):
            self.press(event)
            return
        text, at = self._view.display.styles.line(*line).text, self._position(index, pane, place).column
        start, end = at, at
        while start > 0 and _is_word(text[start - 1]):
            start -= 1
        while end < len(text) and _is_word(text[end]):
            end += 1
        self._view.display.selection = Selection(TextPosition(index, start), TextPosition(index, end), pane.is_old)
        self._view.viewport().update()

    def _drag_selection_to(self, place: QPoint) -> None:
        assert self._view.display.selection is not None
        if place.y() < 0 or place.y() > self._view.viewport().height():
            self._view.position.by((-1 if place.y() < 0 else 1) * self._view.display.panes.line)
        y = max(0, min(self._view.viewport().height() - 1, place.y()))
        index = self._view.row_at(y)
        if index is None:
            index = len(self._view.rows) - 1
        wanted = self._view.display.selection.is_old
        pane = next(pane for pane in self._view.display.panes.panes if pane.is_old == wanted)
        self._view.display.selection = self._view.display.selection._replace(head=self._position(index, pane, place))
        self._view.display.current = index
        self._view.viewport().update()

    def _drag_gutter_to(self, place: QPoint) -> None:
        """Extend the lines to comment on to the pointer, on the side where the drag began."""
        index = self._view.row_at(max(0, min(self._view.viewport().height() - 1, place.y())))
        assert self._gutter_line is not None
        assert self._gutter_range is not None
        is_old = self._gutter_line[0]
        row = self._view.rows.row(index) if index is not None else None
        line = line_of(row, is_old) if row is not None else None
        if line is None or index is None:
            return
        self._gutter_range = (self._gutter_range[0], line[1])
        first = self._view.row_of((is_old, self._gutter_range[0]))
        top, bottom = sorted((index if first is None else first, index))
        length = len(self._view.display.styles.line(*line).text)
        self._view.display.selection = Selection(
            TextPosition(top, 0), TextPosition(bottom, max(1, length)), is_old if self._view.is_split else None
        )
        self._view.display.current = index
        self._view.viewport().update()

    def _gutter_start(self, event: QMouseEvent, is_old: bool, number: int) -> int:
        extends = event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._gutter_line is not None
        return self._gutter_line[1] if extends and self._gutter_line and self._gutter_line[0] == is_old else number

    def _target_at(self, index: int, place: QPoint) -> str:
        """The name of the clickable part at a point; empty for text."""
        row, area, panes = self._view.rows.row(index), self._view.row_area(index), self._view.display.panes
        if row.kind is RowKind.FOLD:
            return "more" if more_area(self._view.theme, area, row).contains(place) else "fold"
        if row.kind is RowKind.HEADER:
            is_dropped, offers = row.hunk in self._view.display.dropped, self._view.display.offers
            buttons = header_buttons(self._view.theme, area, is_dropped=is_dropped, offers=offers)
            return next((button.name for button in buttons if button.area.contains(place)), "bar")
        if row.kind is not RowKind.LINE:
            return "bar"
        pane = panes.at(place.x())
        if place.x() < pane.left + panes.numbers(pane):
            return "gutter"
        line = self._view.display.shown(row, pane)
        if line is None or line.styled.cut <= 0:
            return ""
        end = self._view.painter.text.end_area(self._view.display, pane, line, area)
        return "cut" if end.contains(place) else ""

    def _position(self, index: int, pane: Pane, place: QPoint) -> TextPosition:
        line = self._view.display.shown(self._view.rows.row(index), pane)
        if line is None:
            return TextPosition(index, 0)
        visual = (place.y() - self._view.row_area(index).top()) // self._view.display.panes.line
        begin = line.starts[max(0, min(len(line.starts) - 1, visual))]
        cell = (place.x() - pane.text + line.scrolled) / self._view.display.panes.cell + line.styled.cells[begin]
        return TextPosition(index, character_at(line.styled.cells, cell))


def _is_word(character: str) -> bool:
    return character == "_" or character.isalnum()
