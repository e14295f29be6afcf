"""The buttons at the foot of a sheet, each whole however narrow the sheet is."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QSpacerItem, QWidget

from tandem_desktop.ui.theme.theme import Theme

_GAP, _NOTE = 8, 120


class ButtonRow(QLayout):
    """Buttons at the right, a note at the left. Without room the note stands above, then there are more rows."""

    def __init__(self, theme: Theme, buttons: Sequence[QWidget], note: QWidget | None = None) -> None:
        super().__init__()
        self._theme = theme
        self._items: list[QLayoutItem] = []
        self.addWidget(note) if note is not None else self.addItem(QSpacerItem(0, 0))
        for button in buttons:
            self.addWidget(button)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self._places(QRect(0, 0, width, 0))
        return max((place.bottom() + 1 for _, place in places), default=0)

    def sizeHint(self) -> QSize:
        shown = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(each.width() for each in shown) + self._theme.px(_GAP) * max(0, len(shown) - 1)
        return QSize(width, max((each.height() for each in shown), default=0))

    def minimumSize(self) -> QSize:
        shown = [item.minimumSize() for item in self._buttons()]
        return QSize(
            max((each.width() for each in shown), default=0), max((each.height() for each in shown), default=0)
        )

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        for item, place in self._places(rect):
            item.setGeometry(place)

    def _buttons(self) -> list[QLayoutItem]:
        return [item for item in self._items[1:] if not item.isEmpty()]

    def _places(self, rect: QRect) -> list[tuple[QLayoutItem, QRect]]:
        rows, gap, note = self._rows(rect.width()), self._theme.px(_GAP), self._items[0]
        high = max((item.sizeHint().height() for item in self._buttons()), default=0)
        places: list[tuple[QLayoutItem, QRect]] = []
        top = rect.top()
        if not note.isEmpty():
            room = rect.width() - (_width(rows[0], gap) + gap if rows else 0)
            beside = len(rows) < 2 and self._fits_beside(note, room, high)
            height = max(high, _height(note, room)) if beside else _height(note, rect.width())
            places.append((note, QRect(rect.left(), top, room if beside else rect.width(), height)))
            top += (height - high) // 2 if beside else height + gap
        for row in rows:
            left = rect.right() + 1 - _width(row, gap)
            for item in row:
                width = item.sizeHint().width()
                places.append((item, QRect(left, top, width, high)))
                left += width + gap
            top += high + gap
        return places

    def _rows(self, width: int) -> list[list[QLayoutItem]]:
        """As many buttons in each row as there is room for."""
        rows: list[list[QLayoutItem]] = []
        for item in self._buttons():
            if rows and _width([*rows[-1], item], self._theme.px(_GAP)) <= width:
                rows[-1].append(item)
            else:
                rows.append([item])
        return rows

    def _fits_beside(self, note: QLayoutItem, room: int, high: int) -> bool:
        if note.hasHeightForWidth():
            return room >= self._theme.px(_NOTE) and _height(note, room) <= high + self._theme.px(_GAP)
        return room >= min(note.sizeHint().width(), self._theme.px(2 * _NOTE))


def _width(row: Sequence[QLayoutItem], gap: int) -> int:
    return sum(item.sizeHint().width() for item in row) + gap * max(0, len(row) - 1)


def _height(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
