"""An action written as a link, for sentences and banners."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.painting import paint_focus_ring, see_through, shows_focus


class LinkButton(QPushButton):
    """Underlined words that do something; the ink is the sentence's own unless told."""

    def __init__(self, theme: Theme, text: str, ink: str = "link", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._theme = theme
        self.setProperty("role", "painted")
        self._ink = ink
        self._ring = True
        self.setObjectName(f"link-{text.lower().replace(' ', '-')}")
        self.setAccessibleName(text)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAutoDefault(False)
        theme.changed.connect(self._restyle)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._font())
        return QSize(metrics.horizontalAdvance(self.text()) + self._theme.px(8), metrics.height() + self._theme.px(4))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ring = shows_focus(event, self._ring)
        super().focusInEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        font = self._font()
        metrics = QFontMetrics(font)
        ink = self._theme.color(self._ink if self.isEnabled() else "muted")
        painter.setFont(font)
        painter.setPen(ink)
        words = QRect(self._theme.px(4), 0, metrics.horizontalAdvance(self.text()) + 1, self.height())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self.text())
        base = (self.height() + metrics.ascent() - metrics.descent()) // 2 + self._theme.px(2)
        painter.setPen(ink if self.underMouse() else see_through(ink, 0.6))
        painter.drawLine(words.left(), base, words.right() - 1, base)
        if self.hasFocus() and self._ring:
            paint_focus_ring(painter, self._theme, QRectF(self.rect()), radius=4)
        painter.end()

    def _font(self) -> QFont:
        return self._theme.ui_font()

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
