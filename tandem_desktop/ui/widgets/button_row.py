"""The buttons at the foot of a sheet, each whole however narrow the sheet is."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from tandem_desktop.ui.theme.theme import Theme

_GAP, _NOTE = 8, 120


class ButtonRow(QWidget):
    """Buttons at the right, a note at the left. Without room the note stands above, then there are more rows."""

    def __init__(self, theme: Theme, buttons: Sequence[QWidget], note: QWidget | None = None) -> None:
        super().__init__()
        self._theme = theme
        self._note = note
        self._every = tuple(buttons)
        for each in (note, *buttons):
            if each is not None:
                each.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return max((place.bottom() + 1 for _, place in self._places(width)), default=0)

    def sizeHint(self) -> QSize:
        return QSize(self.minimumSizeHint().width(), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        widths = [each.sizeHint().width() for each in self._shown()]
        heights = [each.sizeHint().height() for each in self._shown()]
        return QSize(max(widths, default=0), max(heights, default=0))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # one of them has other words, or came or went
            self.updateGeometry()
            self._place()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        for widget, place in self._places(self.width()):
            widget.setGeometry(place)

    def _shown(self) -> list[QWidget]:
        return [each for each in self._every if not each.isHidden()]

    def _places(self, width: int) -> list[tuple[QWidget, QRect]]:
        rows, gap, note = self._rows(width), self._theme.px(_GAP), self._note
        high = self.minimumSizeHint().height()
        places: list[tuple[QWidget, QRect]] = []
        top = 0
        if note is not None and not note.isHidden():
            room = width - (_width(rows[0], gap) + gap if rows else 0)
            beside = len(rows) < 2 and self._fits_beside(note, room, high)
            height = max(high, _height(note, room)) if beside else _height(note, width)
            places.append((note, QRect(0, 0, room if beside else width, height)))
            top = (height - high) // 2 if beside else height + gap
        for row in rows:
            left = width - _width(row, gap)
            for button in row:
                places.append((button, QRect(left, top, button.sizeHint().width(), high)))
                left += button.sizeHint().width() + gap
            top += high + gap
        return places

    def _rows(self, width: int) -> list[list[QWidget]]:
        """As many buttons in each row as there is room for."""
        rows: list[list[QWidget]] = []
        for button in self._shown():
            if rows and _width([*rows[-1], button], self._theme.px(_GAP)) <= width:
                rows[-1].append(button)
            else:
                rows.append([button])
        return rows

    def _fits_beside(self, note: QWidget, room: int, high: int) -> bool:
        if note.hasHeightForWidth():
            return room >= self._theme.px(_NOTE) and _height(note, room) <= high + self._theme.px(_GAP)
        return room >= min(note.sizeHint().width(), self._theme.px(2 * _NOTE))


def _width(row: Sequence[QWidget], gap: int) -> int:
    return sum(button.sizeHint().width() for button in row) + gap * max(0, len(row) - 1)


def _height(note: QWidget, width: int) -> int:
    return note.heightForWidth(width) if note.hasHeightForWidth() else note.sizeHint().height()
