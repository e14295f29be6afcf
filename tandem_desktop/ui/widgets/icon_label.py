"""An icon that is only looked at, in a colour of the theme."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from tandem_desktop.ui.theme.icons import paint_icon
from tandem_desktop.ui.theme.theme import Theme


class IconLabel(QWidget):
    """Beside words that say the same; it has no name of its own."""

    def __init__(
        self, theme: Theme, icon_name: str, token: str = "text", size: int = 16, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon_name = icon_name
        self._token = token
        self._size = size
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def set_icon(self, icon_name: str, token: str) -> None:
        self._icon_name = icon_name
        self._token = token
        self.update()

    def sizeHint(self) -> QSize:
        side = self._theme.px(self._size)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_icon(painter, self._theme, self._icon_name, self._token, QRectF(self.rect()))
        painter.end()

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
