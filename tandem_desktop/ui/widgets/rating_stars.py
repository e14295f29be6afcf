"""A one-to-five star rating."""

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from tandem_desktop.ui.i18n import tr, tr_table
from tandem_desktop.ui.theme.style import paint_focus_ring, shows_focus
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.labels import plain_tooltip

MOST = 5
_SIDE = 18
_WORDS = tr_table({1: "poor", 2: "fair", 3: "good", 4: "very good", 5: "excellent"})


class RatingStars(QWidget):
    """Shows a rating; a click, digit or arrow emits a new one and does not change what is shown."""

    rated = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._value = 0
        self._hovered = 0
        self._ring = True
        self.setObjectName("rating")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.updateGeometry)
        self.set_value(None)

    @property
    def value(self) -> int | None:
        return self._value or None

    def set_value(self, value: int | None) -> None:
        self._value = value or 0
        said = (
            tr("Your rating: {value} of {most}, {words}", value=value, most=MOST, words=_WORDS[value])
            if value
            else tr("Rate what was done: 1 to 5")
        )
        self.setAccessibleName(said)
        self.setToolTip(plain_tooltip(said))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(MOST * _SIDE + 4), self._theme.px(_SIDE + 4))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._ask(self._at(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(0)
        super().leaveEvent(event)

    def event(self, event: QEvent) -> bool:
        # Elsewhere digits answer cards; here they choose stars.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _digit(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is not None:
            self._ask(min(MOST, max(1, self._value + step)))
        elif digit := _digit(event):
            self._ask(digit)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ring = shows_focus(event, self._ring)
        super().focusInEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink, empty = self._theme.color("added_ink"), self._theme.color("muted")
        filled = self._hovered or self._value
        for number in range(1, MOST + 1):
            is_full = number <= filled
            painter.setPen(QPen(ink if is_full else empty, 1))
            painter.setBrush(ink if is_full else Qt.BrushStyle.NoBrush)
            painter.drawPolygon(self._star(number))
        if self.hasFocus() and self._ring:
            paint_focus_ring(painter, self._theme, QRectF(self.rect()), radius=4)
        painter.end()

    def _star(self, number: int) -> QPolygonF:
        side = self._theme.px(_SIDE)
        center = QPointF(self._theme.px(2) + (number - 0.5) * side, self.height() / 2 + side * 0.03)
        outer, inner = side * 0.40, side * 0.18
        corners = []
        for corner in range(10):
            angle, reach = math.pi * (corner / 5 - 0.5), inner if corner % 2 else outer
            corners.append(center + QPointF(math.cos(angle) * reach, math.sin(angle) * reach))
        return QPolygonF(corners)

    def _at(self, place: QPointF) -> int:
        return min(MOST, max(1, 1 + int((place.x() - self._theme.px(2)) // self._theme.px(_SIDE))))

    def _hover(self, number: int) -> None:
        if number != self._hovered:
            self._hovered = number
            self.update()

    def _ask(self, number: int) -> None:
        self._hovered = 0
        self.rated.emit(number)


def _digit(event: QKeyEvent) -> int:
    """The star for a digit key; 0 for any other key."""
    return int(event.text()) if event.text() in {str(number) for number in range(1, MOST + 1)} else 0
