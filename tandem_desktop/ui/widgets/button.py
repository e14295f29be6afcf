"""Buttons with one look: a filled one for the step that counts, plain ones beside it, quiet ones for the rest."""

from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFocusEvent, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from tandem_desktop.ui.theme.icons import paint_icon
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.painting import paint_focus_ring, paint_ground, shows_focus

_HEIGHT, _PADDING, _GAP, _ICON = 32, 12, 8, 16


@dataclass(frozen=True, slots=True)
class ButtonLook:
    """Tokens of one kind of button; an empty name means nothing is drawn."""

    ground: str
    ink: str
    edge: str
    hint: str
    hover: str
    hover_edge: str
    disabled_ground: str = ""
    bold: bool = False
    gap_in_ring: str | None = None
    disabled_edge: str | None = None
    """Where it differs from `edge`."""


PLAIN = ButtonLook("raised", "text", "line", "muted", "hover", "line_strong", disabled_ground="panel", bold=True)
PRIMARY = ButtonLook(
    "accent",
    "accent_text",
    "accent",
    "accent_text",
    "accent_hover",
    "accent_hover",
    disabled_ground="selection",
    bold=True,
    gap_in_ring="accent_text",
    disabled_edge="",
)


class Button(QPushButton):
    """A plain button: words, perhaps an icon before them and a key or a count after them."""

    look: ButtonLook = PLAIN

    def __init__(
        self, theme: Theme, text: str, hint: str = "", icon_name: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(text, parent)
        self._theme = theme
        self.setProperty("role", "painted")
        self._hint = hint
        self._icon_name = icon_name
        self._ring = True
        self._height = _HEIGHT
        self.setObjectName(f"button-{text.lower().replace(' ', '-')}")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAutoDefault(False)
        theme.changed.connect(self._restyle)
        self._describe()

    @property
    def hint(self) -> str:
        return self._hint

    def set_hint(self, hint: str) -> None:
        """The key that does the same, or how many things it is about."""
        self._hint = hint
        self._describe()
        self._restyle()

    def set_icon_name(self, icon_name: str) -> None:
        self._icon_name = icon_name
        self._restyle()

    def wear(self, look: ButtonLook) -> None:
        """Another look than its kind has, where what counts most depends on the moment."""
        self.look = look
        self._restyle()

    def set_compact(self, compact: bool = True) -> None:
        """Low enough to stand in a row of code."""
        self._height = 24 if compact else _HEIGHT
        self._restyle()

    def setText(self, text: str) -> None:
        super().setText(text)
        self._describe()

    def sizeHint(self) -> QSize:
        width = 2 * self._theme.px(_PADDING if self._height == _HEIGHT else 8) + self._content_width()
        return QSize(width, self._theme.px(self._height))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ring = shows_focus(event, self._ring)
        super().focusInEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._paint_ground(painter)
        self._paint_content(painter)
        if self.hasFocus() and self._ring:
            paint_focus_ring(painter, self._theme, QRectF(self.rect()), ground=self.look.gap_in_ring)
        painter.end()

    def _paint_ground(self, painter: QPainter) -> None:
        hot = self.isEnabled() and (self.underMouse() or self.isDown() or self.isChecked())
        ground = self.look.hover if hot else self.look.ground
        if not self.isEnabled():
            ground = self.look.disabled_ground
        edge = self.look.hover_edge if hot else self.look.edge
        if not self.isEnabled() and self.look.disabled_edge is not None:
            edge = self.look.disabled_edge
        paint_ground(painter, self._theme, QRectF(self.rect()), self._color(ground), self._color(edge))

    def _paint_content(self, painter: QPainter) -> None:
        hot = self.isEnabled() and self.underMouse()
        ink = self.look.ink if self.isEnabled() else "muted"
        if hot and ink == "muted":
            ink = "text"
        at = (self.width() - self._content_width()) // 2
        if self._icon_name:
            side = self._theme.px(_ICON)
            paint_icon(painter, self._theme, self._icon_name, ink, QRectF(at, (self.height() - side) / 2, side, side))
            at += side + (self._theme.px(_GAP) if self.text() else 0)
        at = self._paint_words(painter, self._plain(), self._words_font(), ink, at)
        if self._hint:
            hint = self.look.hint if self.isEnabled() else "muted"
            self._paint_words(painter, self._hint, self._hint_font(), hint, at + self._theme.px(_GAP))

    def _paint_words(self, painter: QPainter, words: str, font: QFont, ink: str, at: int) -> int:
        painter.setFont(font)
        painter.setPen(self._theme.color(ink))
        width = QFontMetrics(font).horizontalAdvance(words)
        painter.drawText(QRect(at, 0, width + 1, self.height()), Qt.AlignmentFlag.AlignVCenter, words)
        return at + width

    def _content_width(self) -> int:
        width = QFontMetrics(self._words_font()).horizontalAdvance(self._plain())
        if self._icon_name:
            width += self._theme.px(_ICON) + (self._theme.px(_GAP) if self.text() else 0)
        if self._hint:
            width += self._theme.px(_GAP) + QFontMetrics(self._hint_font()).horizontalAdvance(self._hint)
        return width

    def _words_font(self) -> QFont:
        return self._theme.ui_font(-1 if self._height < _HEIGHT else 0, bold=self.look.bold and self._height == _HEIGHT)

    def _hint_font(self) -> QFont:
        return self._theme.ui_font(-2)

    def _plain(self) -> str:
        return self.text().replace("&&", "\0").replace("&", "").replace("\0", "&")

    def _color(self, token: str) -> QColor | None:
        return self._theme.color(token) if token else None

    def _describe(self) -> None:
        self.setAccessibleName(self._plain())
        self.setAccessibleDescription(self._hint)

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


class PrimaryButton(Button):
    """The one step a person is here for; at most one in sight of another."""

    look = PRIMARY


class QuietButton(Button):
    """A step aside: an edge and dim words, until it is pointed at."""

    look = ButtonLook("", "muted", "line", "muted", "hover", "line_strong")


class DangerButton(Button):
    """A step that takes something away."""

    look = ButtonLook("", "removed_ink", "line", "muted", "removed", "removed_ink", bold=True)
