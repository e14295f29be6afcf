"""The style sheet, icons and shared painting functions."""

import re
from collections.abc import Iterator
from functools import cache

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QFocusEvent, QIcon, QPainter, QPalette, QPen, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from tandem_desktop.storage.paths import resource
from tandem_desktop.ui.theme.theme import CODE_FAMILY, Theme


def install(application: QApplication, theme: Theme) -> None:
    """Apply the theme to the application, now and on each change."""
    if not application.styleSheet():
        application.setStyle("Fusion")
    sheets = SheetChange(application, theme)
    theme.changed.connect(sheets.begin)
    sheets.begin()


class SheetChange(QObject):
    """Changes the style sheet of the application in steps, between which a window on screen handles its input.

    Every widget that was ever shown is styled anew, which would hold up the window; nothing is painted meanwhile.
    """

    def __init__(self, application: QApplication, theme: Theme) -> None:
        super().__init__(theme)
        self._application, self._theme = application, theme
        self._steps: Iterator[None] | None = None
        self._timer = QTimer(self, interval=0, singleShot=True)
        self._timer.timeout.connect(self._go_on)

    def begin(self) -> None:
        """Apply the theme: at once before a window is shown, else in steps."""
        if self._steps is not None or self._application.styleSheet() == stylesheet(self._theme):
            return  # the steps that are under way end with the theme as it is then
        windows = [each for each in self._application.topLevelWidgets() if each.isVisible()]
        self._steps = self._dress(windows)
        for window in windows:
            window.setUpdatesEnabled(False)
        if windows:
            self._timer.start()
        else:
            for _ in self._steps:
                pass
            self._steps = None

    def _go_on(self) -> None:
        if self._steps is not None and next(self._steps, _DONE) is not _DONE:
            self._timer.start()
            return
        self._steps = None
        self.begin()

    def _dress(self, windows: list[QWidget]) -> Iterator[None]:
        application, theme = self._application, self._theme
        yield  # what is made anew in another theme is gone by then, and not styled any more
        application.setStyleSheet("")  # from one sheet to the next Qt takes four times as long as over none
        yield
        application.setPalette(palette(theme))
        application.setFont(theme.ui_font())
        application.setStyleSheet(stylesheet(theme))
        yield
        for window in windows:
            if isValid(window):
                window.setUpdatesEnabled(True)


def set_role(widget: QWidget, role: str) -> None:
    """Set a widget's style role, also after it was shown."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.setAttribute(
            Qt.WidgetAttribute.WA_StyledBackground
        )  # a plain QWidget would not paint its styled background
        widget.style().unpolish(widget)
        widget.style().polish(widget)
        widget.update()


def palette(theme: Theme) -> QPalette:
    """Colours that the style sheet cannot set: selections, links, placeholders, tool tips."""
    made = QPalette()
    for role, token in _PALETTE.items():
        made.setColor(role, theme.color(token))
    dim = theme.color("muted")
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(dim))
    return made


def stylesheet(theme: Theme) -> str:
    """The style sheet; lengths follow the zoom, colours are tokens."""
    sheet = resource("themes/window.qss").read_text(encoding="utf-8")
    sheet = _LENGTH.sub(lambda match: f"{theme.px(int(match[1]))}px", sheet)
    return _WORD.sub(lambda match: _value(theme, match[1]), sheet)


def _value(theme: Theme, word: str) -> str:
    match word:
        case "sheet":
            return resource("icons/sheet").as_posix()
        case "code_family":
            return CODE_FAMILY
        case "grey":
            return "light" if theme.is_dark else "dark"
        case "on_accent":
            return "light" if theme.color("accent_text").lightness() > 127 else "dark"
    return str(getattr(theme.tokens, word))


_DONE = object()
_LENGTH = re.compile(r"(?<![\w#])(\d+)px")
_WORD = re.compile(r"@(code_family|on_accent|sheet|grey|[a-z]+(?:_[a-z]+)*)")


_PALETTE = {
    QPalette.ColorRole.Window: "surface",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "panel",
    QPalette.ColorRole.AlternateBase: "raised",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.Button: "raised",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.BrightText: "accent_text",
    QPalette.ColorRole.Highlight: "selection",
    QPalette.ColorRole.HighlightedText: "text",
    QPalette.ColorRole.Link: "link",
    QPalette.ColorRole.LinkVisited: "link",
    QPalette.ColorRole.ToolTipBase: "raised",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.PlaceholderText: "muted",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Light: "hover",
    QPalette.ColorRole.Midlight: "raised",
    QPalette.ColorRole.Mid: "line",
    QPalette.ColorRole.Dark: "line",
    QPalette.ColorRole.Shadow: "surface",
}


_SCREENS = (1.0, 2.0, 3.0)
_LARGE = 24
_THICK, _THIN = re.compile('stroke-width="1.4"'), 'stroke-width="1"'
"""Thinner strokes for large icons."""
_OWN_COLOR = re.compile(r'data-token="(\w+)" (stroke|fill)="#[0-9a-f]{6}"')


def icon(theme: Theme, name: str, token: str = "text", size: int = 16) -> QIcon:
    """An icon for buttons and actions, with a disabled state. Request it again after a theme change."""
    key = ("icon", name, token, size)
    return theme.kept(key, lambda: _icon(theme, name, token, size))  # type: ignore[no-any-return]


def pixmap(theme: Theme, name: str, token: str = "text", size: int = 16, ratio: float = 1.0) -> QPixmap:
    """A pixmap for painting; `ratio` is the device pixel ratio."""
    key = ("pixmap", name, token, size, ratio)
    return theme.kept(key, lambda: _pixmap(theme, name, token, size, ratio))  # type: ignore[no-any-return]


def paint_icon(painter: QPainter, theme: Theme, name: str, token: str, target: QRectF) -> None:
    """Draw into `target` at the painter's resolution."""
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


RADIUS = 8


def paint_ground(
    painter: QPainter, theme: Theme, rect: QRectF, ground: QColor | None, edge: QColor | None, radius: float = RADIUS
) -> None:
    """Draw a rounded rectangle with its border on whole pixels."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(edge, 1) if edge is not None else Qt.PenStyle.NoPen)
    painter.setBrush(ground if ground is not None else Qt.BrushStyle.NoBrush)
    corner = theme.px(radius)
    inset = 0.5 if edge is not None else 0
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), corner, corner)


def paint_focus_ring(
    painter: QPainter, theme: Theme, rect: QRectF, radius: float = RADIUS, ground: str | None = None
) -> None:
    """Draw the two-pixel focus ring; on a filled control with a gap."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    corner = theme.px(radius)
    painter.setPen(QPen(theme.color("focus"), 2))
    painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), corner, corner)
    if ground is not None:
        painter.setPen(QPen(theme.color(ground), 1))
        painter.drawRoundedRect(rect.adjusted(2.5, 2.5, -2.5, -2.5), corner - 2, corner - 2)


def shows_focus(event: QFocusEvent, before: bool) -> bool:
    """Whether to show the focus ring: not after a click, and as `before` after a window or menu change."""
    if event.reason() in (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason):
        return before
    return event.reason() != Qt.FocusReason.MouseFocusReason


def see_through(color: QColor, opacity: float) -> QColor:
    made = QColor(color)
    made.setAlphaF(opacity)
    return made
