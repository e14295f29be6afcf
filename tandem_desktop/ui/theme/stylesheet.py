"""One style sheet for the whole window: widgets say what they are (`role`), this says how that looks."""

import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from tandem_desktop.storage.resources import resource
from tandem_desktop.ui.theme.theme import CODE_FAMILY, Theme


def install(application: QApplication, theme: Theme) -> None:
    """Dress the application, now and whenever the theme changes."""

    def dress() -> None:
        application.setPalette(palette(theme))
        application.setFont(theme.ui_font())
        application.setStyleSheet(stylesheet(theme))

    application.setStyle("Fusion")
    theme.changed.connect(dress)
    dress()


def set_role(widget: QWidget, role: str) -> None:
    """Say what a widget is, also after it was shown."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)  # a bare QWidget would keep its ground to itself
        widget.style().unpolish(widget)
        widget.style().polish(widget)
        widget.update()


def palette(theme: Theme) -> QPalette:
    """For what a style sheet does not reach: item views' selections, links, placeholders, tool tips."""
    made = QPalette()
    for role, token in _PALETTE.items():
        made.setColor(role, theme.color(token))
    dim = theme.color("muted")
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(dim))
    return made


def stylesheet(theme: Theme) -> str:
    """Every length follows the zoom, every colour is a token."""
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
