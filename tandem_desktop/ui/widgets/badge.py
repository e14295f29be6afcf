"""A word in a coloured box: the state of a plan, an agent, a task."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.painting import paint_ground

TONES = {
    "neutral": ("raised", "muted"),
    "info": ("info_surface", "link"),
    "ok": ("added", "added_ink"),
    "risk": ("risk_surface", "risk"),
    "error": ("removed", "removed_ink"),
}
"""Ground and ink of each tone."""


class Badge(QLabel):
    """Says one state. The word carries the meaning; the tone only helps to find it."""

    def __init__(self, theme: Theme, text: str = "", tone: str = "neutral", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tone = tone
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)
        self.set_state(text, tone)

    @property
    def tone(self) -> str:
        return self._tone

    def set_state(self, text: str, tone: str) -> None:
        self._tone = tone
        self.setText(text)
        self.setAccessibleName(text)
        self._restyle()

    def sizeHint(self) -> QSize:
        width = QFontMetrics(self._theme.ui_font(-2, bold=True)).horizontalAdvance(self.text())
        return QSize(width + 2 * self._theme.px(8), self._theme.px(20))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        ground, ink = TONES[self._tone]
        edge = self._theme.color("line") if self._tone == "neutral" else None
        painter = QPainter(self)
        paint_ground(painter, self._theme, QRectF(self.rect()), self._theme.color(ground), edge, radius=5)
        painter.setFont(self._theme.ui_font(-2, bold=True))
        painter.setPen(self._theme.color(ink))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
