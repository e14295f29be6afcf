"""Text search in a diff."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from tandem_desktop.ui.diff.model import DiffSide, FileDiff, StretchKind
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import IconButton
from tandem_desktop.ui.widgets.labels import plain_label

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
    """As the eye meets them: removed lines of a change before the added ones."""
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
    """Tells what is typed; whoever searches tells it how much was found."""

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

    @property
    def count_text(self) -> str:
        return self._count.text()

    def tell(self, current: int, total: int) -> None:
        """`2 of 14`; words when there is nothing."""
        words = tr("none") if self.field.text() else ""
        if total:
            words = tr("{current} of {total}", current=f"{current + 1:,}", total=f"{total:,}")
        self._count.setText(words)
        self.field.setAccessibleDescription(words)

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
