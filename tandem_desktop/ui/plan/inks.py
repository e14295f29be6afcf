"""Colours, faces and pictures of icons, made once for each look: a list that scrolls asks for them a thousand times."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPixmap

from tandem_desktop.ui.theme.icons import paint_icon
from tandem_desktop.ui.theme.theme import Theme


class Inks:
    """Everything here is forgotten when the theme changes."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme

    def color(self, token: str) -> QColor:
        return self._theme.kept(("ink", token), lambda: self._theme.color(token))  # type: ignore[no-any-return]

    def font(self, face: str) -> QFont:
        """`ui`, `words` (a little smaller), `tag` (small and bold) or `code`."""
        return self._theme.kept(("ink-font", face), lambda: self._font(face))  # type: ignore[no-any-return]

    def metrics(self, face: str) -> QFontMetrics:
        key = ("ink-metrics", face)
        return self._theme.kept(key, lambda: QFontMetrics(self.font(face)))  # type: ignore[no-any-return]

    def icon(self, painter: QPainter, name: str, token: str, target: QRectF) -> None:
        ratio = painter.device().devicePixelRatio()
        key = ("ink-icon", name, token, target.width(), target.height(), ratio)
        picture = self._theme.kept(key, lambda: self._icon(name, token, target, ratio))
        painter.drawPixmap(target.topLeft(), picture)

    def _font(self, face: str) -> QFont:
        if face == "code":
            return self._theme.code_font()
        delta = {"words": -0.5, "tag": -2.0}.get(face, 0.0)
        return self._theme.ui_font(delta, bold=face == "tag")

    def _icon(self, name: str, token: str, target: QRectF, ratio: float) -> QPixmap:
        picture = QPixmap(round(target.width() * ratio), round(target.height() * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        inner = QPainter(picture)
        paint_icon(inner, self._theme, name, token, QRectF(0, 0, target.width(), target.height()))
        inner.end()
        return picture
