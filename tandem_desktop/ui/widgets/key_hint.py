"""A key written so that it is seen as a key."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.painting import paint_ground


class KeyHint(QLabel):
    """One key or chord, such as `Ctrl+Shift+P`."""

    def __init__(self, theme: Theme, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(keys)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def sizeHint(self) -> QSize:
        words = QFontMetrics(self._theme.ui_font(-2)).horizontalAdvance(self.text())
        height = self._theme.px(20)
        return QSize(max(height, words + self._theme.px(12)), height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ground, edge = self._theme.color("raised"), self._theme.color("line")
        paint_ground(painter, self._theme, QRectF(self.rect()), ground, edge, radius=5)
        painter.setFont(self._theme.ui_font(-2))
        painter.setPen(self._theme.color("muted"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
