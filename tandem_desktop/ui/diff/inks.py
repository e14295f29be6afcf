"""Pens, colours and faces of the diff, made once for each look of the window."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap, QStaticText, QTransform

from tandem_desktop.ui.theme.theme import Theme

_WORDS_KEPT = 8_000
LONGEST_WORD = 24
"""Longer pieces are seldom met twice; they are shaped as they are drawn."""


class Inks:
    """The theme's tokens and a few shades between them. Make a new one when the theme changes."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.px = theme.px
        self.code = theme.code_font()
        self.small = theme.ui_font(-1)
        self.small_bold = theme.ui_font(-1, bold=True)
        panel, muted, risk = theme.color("panel"), theme.color("muted"), theme.color("risk")
        self._colors = {
            "gutter": _between(theme.color("surface"), panel, 0.5),
            "number": _between(muted, panel, 0.8),
            "glyph": _between(muted, panel, 0.85),
            "found": _between(risk, panel, 0.35),
            "info_strong": _between(theme.color("link"), theme.color("info_surface"), 0.35),
            "found_now": _between(risk, panel, 0.65),
        }
        self._pens: dict[str, QPen] = {}
        self._words: dict[str, QStaticText] = {}
        self.hatch = QBrush(_hatching(theme))

    def color(self, token: str) -> QColor:
        color = self._colors.get(token)
        if color is None:
            color = self._colors[token] = self.theme.color(token)
        return color

    def pen(self, token: str) -> QPen:
        pen = self._pens.get(token)
        if pen is None:
            pen = self._pens[token] = QPen(self.color(token))
        return pen

    def word(self, text: str) -> QStaticText:
        """Shaped once: the words of source code come again and again."""
        word = self._words.get(text)
        if word is None:
            if len(self._words) > _WORDS_KEPT:
                self._words.clear()
            word = self._words[text] = QStaticText(text)
            word.setTextFormat(Qt.TextFormat.PlainText)
            word.prepare(QTransform(), self.code)
        return word

    def box(self, painter: QPainter, area: QRectF, token: str, radius: int, edge: str | None = None) -> None:
        """A rounded ground, its edge on whole pixels."""
        painter.setPen(Qt.PenStyle.NoPen if edge is None else self.pen(edge))
        painter.setBrush(self.color(token))
        if edge is not None:
            area = area.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawRoundedRect(area, self.px(radius), self.px(radius))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _between(one: QColor, other: QColor, share: float) -> QColor:
    parts = ((one.red(), other.red()), (one.green(), other.green()), (one.blue(), other.blue()))
    return QColor(*(round(a * share + b * (1 - share)) for a, b in parts))


def _hatching(theme: Theme) -> QPixmap:
    side = theme.px(12)
    picture = QPixmap(side, side)
    picture.fill(theme.color("panel"))
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.color("line"), 1.3 * max(1.0, theme.zoom)))
    for shift in (-side, 0, side):
        painter.drawLine(QPointF(shift, side), QPointF(shift + side, 0))
    painter.end()
    return picture
