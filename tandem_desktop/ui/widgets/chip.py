"""A small thing in a row of small things: a file that goes along, a filter, a mention."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from tandem_desktop.ui.theme.icons import paint_icon
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.painting import paint_focus_ring, paint_ground, shows_focus
from tandem_desktop.ui.widgets.plain_text import plain_tooltip
from tandem_desktop.ui.words import tr

_HEIGHT, _PADDING, _GAP, _ICON, _WIDEST = 24, 8, 4, 14, 280


class Chip(QPushButton):
    """Can be pressed; when `removable`, its cross, Delete or Backspace ask for it to go."""

    removed = Signal()

    def __init__(
        self,
        theme: Theme,
        text: str,
        icon_name: str = "",
        *,
        removable: bool = False,
        code: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("role", "painted")
        self._icon_name = icon_name
        self._removable = removable
        self._code = code
        self._ring = True
        self._words = text
        self.setObjectName("chip")
        self.setAccessibleName(text)
        self.setAccessibleDescription(tr("Delete removes it") if removable else "")
        self.setToolTip(plain_tooltip(text))
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    @property
    def words(self) -> str:
        return self._words

    def sizeHint(self) -> QSize:
        words = QFontMetrics(self._font()).horizontalAdvance(self._words)
        width = min(words + self._around(), self._theme.px(_WIDEST))
        return QSize(width, self._theme.px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), self._theme.px(64)), self._theme.px(_HEIGHT))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._removable and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit()
            return
        super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._removable and self.isDown() and self._cross().contains(event.position()):
            self.setDown(False)
            self.removed.emit()
            return
        super().mouseReleaseEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ring = shows_focus(event, self._ring)
        super().focusInEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        hot = self.underMouse() or self.isChecked()
        ground = self._theme.color("hover" if hot else "raised")
        edge = self._theme.color("accent" if self.isChecked() else "line")
        paint_ground(painter, self._theme, QRectF(self.rect()), ground, edge, radius=6)
        at = self._theme.px(_PADDING)
        if self._icon_name:
            side = self._theme.px(_ICON)
            target = QRectF(at, (self.height() - side) / 2, side, side)
            paint_icon(painter, self._theme, self._icon_name, "muted", target)
            at += side + self._theme.px(_GAP)
        self._paint_words(painter, at)
        if self._removable:
            paint_icon(painter, self._theme, "cross", "text" if hot else "muted", self._cross())
        if self.hasFocus() and self._ring:
            paint_focus_ring(painter, self._theme, QRectF(self.rect()), radius=6)
        painter.end()

    def _paint_words(self, painter: QPainter, at: int) -> None:
        font = self._font()
        room = self.width() - self._around() + 1
        words = QFontMetrics(font).elidedText(self._words, Qt.TextElideMode.ElideMiddle, room)
        painter.setFont(font)
        painter.setPen(self._theme.color("text"))
        painter.drawText(QRect(at, 0, room, self.height()), Qt.AlignmentFlag.AlignVCenter, words)

    def _around(self) -> int:
        icon = self._theme.px(_ICON) + self._theme.px(_GAP) if self._icon_name else 0
        cross = self._theme.px(12) + self._theme.px(_GAP) if self._removable else 0
        return 2 * self._theme.px(_PADDING) + icon + cross

    def _cross(self) -> QRectF:
        side = self._theme.px(12)
        return QRectF(self.width() - side - self._theme.px(_PADDING), (self.height() - side) / 2, side, side)

    def _font(self) -> QFont:
        return self._theme.code_font(-1) if self._code else self._theme.ui_font(-1)

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
