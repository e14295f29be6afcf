"""Text search in a diff."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from tandem_desktop.ui.diff.model import DiffSide, FileDiff, StretchKind
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import IconButton
from tandem_desktop.ui.widgets.labels import plain_label

if TYPE_CHECKING:
    from tandem_desktop.ui.diff.view import DiffView

MOST_FOUND = 100_000


class Match(NamedTuple):
    """Where the text stands: a zero-based line of one side, characters `start:end` of what is shown of it."""

    is_old: bool
    line: int
    start: int
    end: int


class DiffSearch:
    """One text searched in one comparison. A text without capitals finds both cases."""

    def __init__(self, diff: FileDiff, text: str) -> None:
        self.text = text
        self.matches: tuple[Match, ...] = tuple(_in_order(diff, text)) if text else ()
        self._by_line: dict[tuple[bool, int], list[tuple[int, int]]] = {}
        for match in self.matches:
            self._by_line.setdefault((match.is_old, match.line), []).append((match.start, match.end))

    def __len__(self) -> int:
        return len(self.matches)

    def in_line(self, is_old: bool, line: int) -> list[tuple[int, int]]:
        return self._by_line.get((is_old, line), [])


def _in_order(diff: FileDiff, text: str) -> Iterator[Match]:
    """In display order: removed lines of a change before the added ones."""
    pattern = re.compile(re.escape(text), 0 if text != text.lower() else re.IGNORECASE)
    old, new = _found(diff.old, pattern, True), _found(diff.new, pattern, False)
    removed = [(s.old_start, s.old_end, s.new_start) for s in diff.stretches if s.kind is StretchKind.CHANGE]
    starts = [start for start, _, _ in removed]
    keyed: list[tuple[int, int, Match]] = [(match.line, 1, match) for match in new]
    for match in old:
        place = bisect_right(starts, match.line) - 1
        if place >= 0 and match.line < removed[place][1]:
            keyed.append((removed[place][2], 0, match))
    keyed.sort()
    yield from (match for _, _, match in keyed[:MOST_FOUND])


def _found(side: DiffSide, pattern: re.Pattern[str], is_old: bool) -> Iterator[Match]:
    text = side.text
    starts: list[int] | None = None
    for count, found in enumerate(pattern.finditer(text)):
        if count >= MOST_FOUND:
            return
        if starts is None:
            starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        line = bisect_right(starts, found.start()) - 1
        yield Match(is_old, line, found.start() - starts[line], found.end() - starts[line])


class SearchBar(QFrame):
    """The search field with the number of matches."""

    changed = Signal(str)
    step_wanted = Signal(int)
    """One forward or one back."""
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("diff-search")
        self.setProperty("role", "card")
        self.setAutoFillBackground(True)
        self.field = QLineEdit(self)
        self.field.setObjectName("diff-search-field")
        self.field.setAccessibleName(tr("Search in these changes"))
        self.field.setPlaceholderText(tr("Search in these changes"))
        self.field.textChanged.connect(self.changed)
        self.field.installEventFilter(self)
        self._count = plain_label("", "muted", parent=self)
        self._count.setObjectName("diff-search-count")
        back = IconButton(theme, "chevron-up", tr("Previous match"), key="Shift+F3", parent=self)
        forward = IconButton(theme, "chevron-down", tr("Next match"), key="F3", parent=self)
        close = IconButton(theme, "cross", tr("Close search"), key="Esc", parent=self)
        back.clicked.connect(lambda: self.step_wanted.emit(-1))
        forward.clicked.connect(lambda: self.step_wanted.emit(1))
        close.clicked.connect(self.closed)
        row = QHBoxLayout(self)
        for part in (self.field, self._count, back, forward):
            row.addWidget(part)
        row.addStretch(1)
        row.addWidget(close)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def tell(self, current: int, total: int) -> None:
        """Show `2 of 14`, or that there is none."""
        count = tr("none") if self.field.text() else ""
        if total:
            count = tr("{current} of {total}", current=f"{current + 1:,}", total=f"{total:,}")
        self._count.setText(count)
        self.field.setAccessibleDescription(count)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F3):
                self.step_wanted.emit(-1 if is_back else 1)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.closed.emit()
                return True
        return super().eventFilter(watched, event)

    def _restyle(self) -> None:
        px = self._theme.px
        layout = self.layout()
        assert layout is not None
        layout.setContentsMargins(px(8), px(4), px(4), px(4))
        layout.setSpacing(px(4))
        self.field.setFixedWidth(px(280))
        self._count.setMinimumWidth(px(64))


class SearchControl:
    """The search of one view: its bar, the matches and the current match."""

    def __init__(self, view: "DiffView") -> None:
        self._view = view
        self.height = 0
        """Pixels the open bar takes above the text; 0 while it is closed."""
        self.bar = SearchBar(view.theme, view)
        self.bar.changed.connect(self.set_text)
        self.bar.step_wanted.connect(self.step)
        self.bar.closed.connect(self.close)

    def open(self) -> None:
        self.bar.show()
        self._set_height(self.bar.sizeHint().height())
        self.bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.bar.field.selectAll()

    def close(self) -> None:
        self.bar.hide()
        self._set_height(0)
        self.set_text("")
        self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_text(self, text: str) -> int:
        """Mark every match of a text and go to the first; the number of matches."""
        view, display = self._view, self._view.display
        display.search = DiffSearch(view.diff, text) if text else None
        display.found = -1
        count = len(display.search) if display.search else 0
        view.fit_ruler()
        view.viewport().update()
        if count:
            self.step(1)
        else:
            self.bar.tell(-1, 0)
        return count

    def step(self, direction: int) -> None:
        """Go to the next or previous match, around the ends; a fold that hides it opens."""
        search, display = self._view.display.search, self._view.display
        if search is None or not len(search):
            return
        display.found = (display.found + direction) % len(search)
        match = search.matches[display.found]
        self._view.go_to_line(match.line + 1, is_old=match.is_old)
        self._show_column(match)
        self.bar.tell(display.found, len(search))

    def place_bar(self) -> None:
        """Above the text, so that the bar covers no match."""
        area, height = self._view.viewport().geometry(), self.bar.sizeHint().height()
        self.bar.setGeometry(area.left(), area.top() - self.height, self._view.width(), height)

    def _set_height(self, pixels: int) -> None:
        self.height = pixels
        self._view.fit_ruler()
        self.place_bar()

    def _show_column(self, match: Match) -> None:
        if self._view.wraps:
            return
        panes, bar = self._view.display.panes, self._view.horizontalScrollBar()
        pane = next(pane for pane in panes.panes if pane.is_old in (None, match.is_old))
        left, right = round(match.start * panes.cell), round((match.end + 2) * panes.cell)
        if left < bar.value() or right > bar.value() + pane.text_width:
            bar.setValue(left - pane.text_width // 3)
