"""Line icons drawn in a colour of the theme, sharp at every zoom and on every screen."""

import re
from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from tandem_desktop.storage.resources import resource
from tandem_desktop.ui.theme.theme import Theme

_SCREENS = (1.0, 2.0, 3.0)
_LARGE = 24
_THICK, _THIN = re.compile('stroke-width="1.4"'), 'stroke-width="1"'
"""A line that is right at 16 pixels is heavy at 32."""
_OWN_COLOR = re.compile(r'data-token="(\w+)" (stroke|fill)="#[0-9a-f]{6}"')


def icon(theme: Theme, name: str, token: str = "text", size: int = 16) -> QIcon:
    """For buttons and actions; dimmed while they are disabled. Ask again when the theme has changed."""
    key = ("icon", name, token, size)
    return theme.kept(key, lambda: _icon(theme, name, token, size))  # type: ignore[no-any-return]


def pixmap(theme: Theme, name: str, token: str = "text", size: int = 16, ratio: float = 1.0) -> QPixmap:
    """For painting; `ratio` is the device pixel ratio of what is painted on."""
    key = ("pixmap", name, token, size, ratio)
    return theme.kept(key, lambda: _pixmap(theme, name, token, size, ratio))  # type: ignore[no-any-return]


def paint_icon(painter: QPainter, theme: Theme, name: str, token: str, target: QRectF) -> None:
    """Draw straight into `target`, at whatever resolution `painter` has."""
    large = target.width() >= _LARGE * theme.zoom
    _renderer(theme, name, token, large).render(painter, target)


def _icon(theme: Theme, name: str, token: str, size: int) -> QIcon:
    made = QIcon()
    for ratio in _SCREENS:
        made.addPixmap(pixmap(theme, name, token, size, ratio), QIcon.Mode.Normal)
        made.addPixmap(pixmap(theme, name, "line_strong", size, ratio), QIcon.Mode.Disabled)
    return made


def _pixmap(theme: Theme, name: str, token: str, size: int, ratio: float) -> QPixmap:
    side = theme.px(size)
    picture = QPixmap(round(side * ratio), round(side * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    paint_icon(painter, theme, name, token, QRectF(0, 0, side, side))
    painter.end()
    return picture


def _renderer(theme: Theme, name: str, token: str, large: bool) -> QSvgRenderer:
    def make() -> QSvgRenderer:
        drawing = _tinted(theme, name, token)
        return QSvgRenderer(QByteArray((_THICK.sub(_THIN, drawing) if large else drawing).encode()))

    return theme.kept(("svg", name, token, large), make)  # type: ignore[no-any-return]


def _tinted(theme: Theme, name: str, token: str) -> str:
    def own(match: re.Match[str]) -> str:
        return f'{match[2]}="{getattr(theme.tokens, match[1])}"'

    return _OWN_COLOR.sub(own, _source(name)).replace("currentColor", str(getattr(theme.tokens, token)))


@cache
def _source(name: str) -> str:
    return resource(f"icons/{name}.svg").read_text(encoding="utf-8")
