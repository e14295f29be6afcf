"""Hear keys and the pointer over a change, and say what should become of each part."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QWidget

from tandem_desktop.ui.diff.cells import character_at
from tandem_desktop.ui.diff.diff_reader import DiffReader
from tandem_desktop.ui.diff.diff_rows import RowKind
from tandem_desktop.ui.diff.look import NEXT_WHITESPACE
from tandem_desktop.ui.diff.panes import Pane, header_buttons, more_area
from tandem_desktop.ui.diff.reading_menu import add_copying, add_reading
from tandem_desktop.ui.diff.selection import Place, Selection, line_of
from tandem_desktop.ui.keys import LETTERS
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.words import tr


class DiffView(DiffReader):
    """Asks by signal and performs nothing: dropping, keeping and commenting are for others to do."""

    drop_requested = Signal(int)
    keep_requested = Signal(int)
    lines_requested = Signal(object, object)
    """Added and removed lines, counted from one, that are to be left out or taken again."""
    comment_requested = Signal(bool, int, int)
    """Old side or not, and the first and last line, counted from one."""
    comment_chosen = Signal(int)
    """One of the comments that stand between the lines."""
    open_requested = Signal(str, int)
    """A path and a line, for the person's editor."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.single_letters = True
        """Whether n, p, v, w, x, c and o do anything; a setting turns them off."""
        self._drags = False
        self._pulled: tuple[int, int] | None = None
        """From which line to which the pointer is being pulled over the numbers."""
        self._gutter: tuple[bool, int] | None = None
        """The line whose number was clicked last; Shift+click in the numbers comments from there."""

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self._action(event)
        if action is None:
            event.ignore()
            return
        action()
        event.accept()

    def _action(self, event: QKeyEvent) -> Callable[[], object] | None:
        key, modifiers = event.key(), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        shift = modifiers == Qt.KeyboardModifier.ShiftModifier
        control = modifiers == Qt.KeyboardModifier.ControlModifier
        if control:
            return {
                Qt.Key.Key_C: self.copy,
                Qt.Key.Key_A: self.select_all,
                Qt.Key.Key_F: self.open_search,
                Qt.Key.Key_Home: lambda: self.set_current(0),
                Qt.Key.Key_End: lambda: self.set_current(len(self.rows) - 1),
            }.get(Qt.Key(key))
        if modifiers == Qt.KeyboardModifier.AltModifier:
            return (lambda: self.set_wrap(not self.wraps)) if key == Qt.Key.Key_Z else None
        if key == Qt.Key.Key_F7:
            return lambda: self.step_to_change(-1 if shift else 1)
        if key == Qt.Key.Key_F3:
            return lambda: self.step_to_match(-1 if shift else 1)
        if key == Qt.Key.Key_Escape:
            return self._escape()
        if key in _STEPS or key in _PAGES:
            distance = _STEPS.get(Qt.Key(key)) or _PAGES[Qt.Key(key)] * self._rows_per_page()
            return lambda: self._move(distance, shift)
        if key in _SIDEWAYS:
            return lambda: self._sideways(_SIDEWAYS[Qt.Key(key)], shift)
        if shift and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and (fold := self._fold_here()) is not None:
            return lambda: self.show_more(fold)
        if shift and key == Qt.Key.Key_X and self.single_letters:
            return self._drop_or_keep_lines
        if modifiers:
            return None
        return self._plain_action(Qt.Key(key))

    def _plain_action(self, key: Qt.Key) -> Callable[[], object] | None:
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return self._enter()
        if key == Qt.Key.Key_Home:
            return lambda: self.horizontalScrollBar().setValue(0)
        if key == Qt.Key.Key_End:
            return lambda: self.horizontalScrollBar().setValue(self.horizontalScrollBar().maximum())
        if not self.single_letters:
            return None
        letter = chr(key).lower() if Qt.Key.Key_A <= key <= Qt.Key.Key_Z else ""
        return {
            "next-change": lambda: self.step_to_change(1),
            "previous-change": lambda: self.step_to_change(-1),
            "split": lambda: self.set_split(not self.is_split),
            "whitespace": lambda: self.set_whitespace(NEXT_WHITESPACE[self.whitespace]),
            "whole-file": self.toggle_whole_file,
            "as-text": self.read_as_text,
            "drop": self._drop_or_keep,
            "comment": self._comment,
            "open-file": self._open,
        }.get(LETTERS.get(letter, ""))

    def _escape(self) -> Callable[[], object] | None:
        """Only what there is to leave; otherwise the key belongs to the window."""
        if self._bar.isVisible():
            return self.close_search
        if self._look.selection is not None:
            return self.unselect
        return None

    def _enter(self) -> Callable[[], object] | None:
        index = self._look.current
        row = self.rows.row(index) if index >= 0 else None
        if row is None:
            return None
        if row.kind is RowKind.FOLD:
            return lambda: self._unfold_at(index)
        if row.kind is RowKind.COMMENT:
            return lambda: self.comment_chosen.emit(row.number)
        shown = [self._look.shown(row, pane) for pane in self._look.panes.panes]
        cut = [line.key for line in shown if line and line.styled.cut]
        if cut:
            return lambda: self._open_lines(cut)
        return None

    def _fold_here(self) -> int | None:
        row = self.rows.row(self._look.current) if self._look.current >= 0 else None
        return row.number if row is not None and row.kind is RowKind.FOLD and row.number >= 0 else None

    def _open_lines(self, lines: list[tuple[bool, int]]) -> None:
        for line in lines:
            self.open_line(*line)

    def _move(self, distance: int, extends: bool) -> None:
        start = self._look.current
        if start < 0:
            start = (self.row_at(0) or 0) - (1 if distance > 0 else 0)
        self.set_current(start + distance, extends=extends)

    def _rows_per_page(self) -> int:
        return max(1, self.viewport().height() // self._look.panes.line - 1)

    def _sideways(self, direction: int, extends: bool) -> None:
        if not extends:
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() + direction * bar.singleStep())
            return
        selection = self._look.selection or self._selection_at(max(0, self._look.current))
        line = line_of(self.rows.row(selection.head.row), selection.is_old)
        length = len(self._look.styles.line(*line).text) if line else 0
        column = max(0, min(length, selection.head.column + direction))
        self._look.selection = selection._replace(head=selection.head._replace(column=column))
        self.viewport().update()

    def _drop_or_keep(self) -> None:
        self._ask("keep" if self.current_hunk in self._look.dropped else "drop", self.current_hunk)

    def _drop_or_keep_lines(self) -> None:
        added, removed = self.marked_changes
        if (added or removed) and "drop" in self._look.offers:
            self.lines_requested.emit(added, removed)

    def _comment(self) -> None:
        if "comment" in self._look.offers and len(self.rows):
            self.comment_requested.emit(*self.marked_lines)

    def _open(self) -> None:
        self.open_requested.emit(self.diff.path, self.current_line)

    def _ask(self, what: str, hunk: int) -> None:
        if not hunk or what not in self._look.offers:
            return
        if what == "drop":
            self.drop_requested.emit(hunk)
        elif what == "keep":
            self.keep_requested.emit(hunk)
        else:
            self._comment()

    def _unfold_at(self, index: int) -> None:
        self.unfold(self.rows.row(index).number)

    # Pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        place = event.position().toPoint()
        index = self.row_at(place.y())
        if index is None:
            return
        what = self._what_is_at(index, place)
        row = self.rows.row(index)
        if what in ("fold", "more"):
            self._unfold_at(index) if what == "fold" else self.show_more(row.number)
            return
        if what in ("drop", "keep", "comment"):
            self.set_current(index)
            self._ask(what, row.hunk)
            return
        if row.kind is RowKind.COMMENT:
            self.set_current(index)
            self.comment_chosen.emit(row.number)
            return
        pane = self._look.panes.at(place.x())
        if what == "cut" and (line := self._look.shown(row, pane)):
            self.open_line(*line.key)
            return
        extends = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier) and self._look.selection is not None
        anchor = self._look.selection.anchor if extends and self._look.selection else self._place(index, pane, place)
        self.set_current(index)
        if what == "gutter" and "comment" in self._look.offers and (clicked := line_of(row, pane.is_old)):
            is_old, number = clicked
            self._pulled = (self._gutter_start(event, is_old, number), number)
            self._gutter = (is_old, number)
            return
        self._look.selection = Selection(anchor, self._place(index, pane, place), pane.is_old)
        self._drags = True

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        if self._pulled is not None:
            self._pull_to(place)
            return
        if self._drags and self._look.selection is not None:
            self._drag_to(place)
            return
        index = self.row_at(place.y())
        what = self._what_is_at(index, place) if index is not None else ""
        hovered = (index, what) if index is not None and what else None
        if hovered != self._look.hovered:
            self._look.hovered = hovered
            self.viewport().setCursor(_CURSORS.get(what, Qt.CursorShape.IBeamCursor))
            self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drags = False
        if self._pulled is not None and self._gutter is not None:
            (one, other), self._pulled = self._pulled, None
            self.comment_requested.emit(self._gutter[0], min(one, other) + 1, max(one, other) + 1)
        elif self._look.selection is not None and self._look.selection.anchor == self._look.selection.head:
            self.unselect()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Mark the word."""
        place = event.position().toPoint()
        index = self.row_at(place.y())
        pane = self._look.panes.at(place.x())
        line = line_of(self.rows.row(index), pane.is_old) if index is not None else None
        if index is None or line is None or self._what_is_at(index, place):
            self.mousePressEvent(event)
            return
        text, at = self._look.styles.line(*line).text, self._place(index, pane, place).column
        start, end = at, at
        while start > 0 and _is_word(text[start - 1]):
            start -= 1
        while end < len(text) and _is_word(text[end]):
            end += 1
        self._look.selection = Selection(Place(index, start), Place(index, end), pane.is_old)
        self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.row_at(event.pos().y())
        if event.reason() == QContextMenuEvent.Reason.Mouse and index is not None and self._look.selection is None:
            self.set_current(index)
        self.menu().exec(event.globalPos())

    def menu(self) -> QMenu:
        """Everything that can be done here, for those who know no keys yet."""
        menu = QMenu(self)
        hunk, offers = self.current_hunk, self._look.offers
        if hunk and hunk in self._look.dropped and "keep" in offers:
            menu.addAction(tr("Keep this change") + "\tX", lambda: self._ask("keep", hunk))
        elif hunk and "drop" in offers:
            menu.addAction(tr("Drop this change") + "\tX", lambda: self._ask("drop", hunk))
        if any(self.marked_changes) and "drop" in offers:
            menu.addAction(tr("Drop or keep these lines") + "\tShift+X", self._drop_or_keep_lines)
        if "comment" in offers and len(self.rows):
            menu.addAction(tr("Comment") + "\tC", self._comment)
        if hunk and offers:
            menu.addSeparator()
        add_copying(menu, self)
        menu.addAction(tr("Open in editor") + "\tO", self._open)
        menu.addAction(tr("Search") + "\tCtrl+F", self.open_search)
        menu.addSeparator()
        add_reading(menu, self)
        return menu

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._look.current < 0 and event.reason() in _KEYBOARD_REASONS and len(self.rows):
            self._look.current = self.row_at(0) or 0
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def _drag_to(self, place: QPoint) -> None:
        assert self._look.selection is not None
        bar = self.verticalScrollBar()
        if place.y() < 0 or place.y() > self.viewport().height():
            bar.setValue(bar.value() + (-1 if place.y() < 0 else 1) * bar.singleStep())
        y = max(0, min(self.viewport().height() - 1, place.y()))
        index = self.row_at(y)
        if index is None:
            index = len(self.rows) - 1
        wanted = self._look.selection.is_old
        pane = next(pane for pane in self._look.panes.panes if pane.is_old == wanted)
        self._look.selection = self._look.selection._replace(head=self._place(index, pane, place))
        self._look.current = index
        self.viewport().update()

    def _pull_to(self, place: QPoint) -> None:
        """The line the pointer is at is the other end of what will be commented on, on the side it began."""
        index = self.row_at(max(0, min(self.viewport().height() - 1, place.y())))
        assert self._gutter is not None
        assert self._pulled is not None
        is_old = self._gutter[0]
        row = self.rows.row(index) if index is not None else None
        line = line_of(row, is_old) if row is not None else None
        if line is None or index is None:
            return
        self._pulled = (self._pulled[0], line[1])
        first = self.rows.row_of(old=self._pulled[0]) if is_old else self.rows.row_of(new=self._pulled[0])
        top, bottom = sorted((index if first is None else first, index))
        length = len(self._look.styles.line(*line).text)
        self._look.selection = Selection(
            Place(top, 0), Place(bottom, max(1, length)), is_old if self.is_split else None
        )
        self._look.current = index
        self.viewport().update()

    def _gutter_start(self, event: QMouseEvent, is_old: bool, number: int) -> int:
        extends = event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._gutter is not None
        return self._gutter[1] if extends and self._gutter and self._gutter[0] == is_old else number

    def _what_is_at(self, index: int, place: QPoint) -> str:
        """The name of what would answer to a click there; nothing for text."""
        row, area, panes = self.rows.row(index), self.row_area(index), self._look.panes
        if row.kind is RowKind.FOLD:
            return "more" if more_area(self._theme, area, row).contains(place) else "fold"
        if row.kind is RowKind.HEADER:
            is_dropped, offers = row.hunk in self._look.dropped, self._look.offers
            buttons = header_buttons(self._theme, area, is_dropped=is_dropped, offers=offers)
            return next((button.name for button in buttons if button.area.contains(place)), "bar")
        if row.kind is not RowKind.LINE:
            return "bar"
        pane = panes.at(place.x())
        if place.x() < pane.left + panes.numbers(pane):
            return "gutter"
        line = self._look.shown(row, pane)
        is_cut = line is not None and line.styled.cut > 0
        return (
            "cut"
            if line and is_cut and self._painter.text.end_area(self._look, pane, line, area).contains(place)
            else ""
        )

    def _place(self, index: int, pane: Pane, place: QPoint) -> Place:
        line = self._look.shown(self.rows.row(index), pane)
        if line is None:
            return Place(index, 0)
        visual = (place.y() - self.row_area(index).top()) // self._look.panes.line
        begin = line.starts[max(0, min(len(line.starts) - 1, visual))]
        cell = (place.x() - pane.text + line.scrolled) / self._look.panes.cell + line.styled.cells[begin]
        return Place(index, character_at(line.styled.cells, cell))


def _is_word(character: str) -> bool:
    return character == "_" or character.isalnum()


_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
_KEYBOARD_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
_PAGES = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}
_SIDEWAYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_CURSORS = {
    **dict.fromkeys(("fold", "more", "drop", "keep", "comment", "cut", "gutter"), Qt.CursorShape.PointingHandCursor),
    "bar": Qt.CursorShape.ArrowCursor,
}
