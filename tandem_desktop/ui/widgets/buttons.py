"""Buttons and button rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractButton, QPushButton, QSizePolicy, QToolButton, QWidget

from tandem_desktop.ui.theme.style import paint_focus_ring, paint_ground, paint_icon, see_through, shows_focus
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.labels import plain_tooltip

_HEIGHT, _PADDING, _GAP, _ICON = 32, 12, 8, 16


@dataclass(frozen=True, slots=True)
class ButtonLook:
    """Colour tokens of a button; an empty name draws nothing."""

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
    """None for the same as `edge`."""


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


DECIDES = "decides"
"""The property of a button that approves or allows something."""


def press_by_enter(button: QAbstractButton, event: QKeyEvent) -> bool:
    """Enter presses the focused button as the space bar does, but never one that decides. False: not by this event."""
    is_plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
    is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    if not is_enter or not is_plain or button.property(DECIDES):
        return False
    if not event.isAutoRepeat():
        button.click()
    return True


class Button(QPushButton):
    """A button with a label, an optional icon before it and a key or count after it."""

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
        self._size: QSize | None = None
        """Layouts ask for it a thousand times for each change."""
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
        """Set the key or count after the label."""
        self._hint = hint
        self._describe()
        self._restyle()

    def set_icon_name(self, icon_name: str) -> None:
        self._icon_name = icon_name
        self._restyle()

    def set_look(self, look: ButtonLook) -> None:
        """Change the look, for buttons whose importance depends on the state."""
        self.look = look
        self._restyle()

    def set_compact(self, compact: bool = True) -> None:
        """Reduce the height to fit a row of code."""
        self._height = 24 if compact else _HEIGHT
        self._restyle()

    def setText(self, text: str) -> None:
        self._size = None
        super().setText(text)
        self._describe()

    def sizeHint(self) -> QSize:
        if self._size is None:
            width = 2 * self._theme.px(_PADDING if self._height == _HEIGHT else 8) + self._content_width()
            self._size = QSize(width, self._theme.px(self._height))
        return self._size

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ring = shows_focus(event, self._ring)
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press_by_enter(self, event):
            super().keyPressEvent(event)

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
        self._size = None
        self.updateGeometry()
        self.update()


class PrimaryButton(Button):
    """The main action; at most one per view."""

    look = PRIMARY


class QuietButton(Button):
    """A secondary action: outlined, dim until hovered."""

    look = ButtonLook("", "muted", "line", "muted", "hover", "line_strong")


class DangerButton(Button):
    """A destructive action."""

    look = ButtonLook("", "removed_ink", "line", "muted", "removed", "removed_ink", bold=True)


class IconButton(QToolButton):
    """A square icon button; `framed` draws a border, `filled` makes it primary (Send)."""

    def __init__(
        self,
        theme: Theme,
        icon_name: str,
        name: str,
        *,
        key: str = "",
        framed: bool = False,
        filled: bool = False,
        size: int = 28,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("role", "painted")
        self._icon_name = icon_name
        self._framed = framed
        self._filled = filled
        self._size = size
        self._ring = True
        self.setObjectName(f"icon-button-{name.lower().replace(' ', '-')}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.set_name(name, key)
        theme.changed.connect(self._restyle)

    def set_icon_name(self, icon_name: str) -> None:
        self._icon_name = icon_name
        self.update()

    def set_name(self, name: str, key: str = "") -> None:
        self.setAccessibleName(name)
        self.setAccessibleDescription(key)
        self.setToolTip(plain_tooltip(f"{name}  {key}" if key else name))

    def sizeHint(self) -> QSize:
        side = self._theme.px(self._size)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ring = shows_focus(event, self._ring)
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press_by_enter(self, event):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ground, edge, ink = self._tokens()
        paint_ground(
            painter,
            self._theme,
            QRectF(self.rect()),
            self._theme.color(ground) if ground else None,
            self._theme.color(edge) if edge else None,
        )
        side = self._theme.px(16)
        target = QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side)
        paint_icon(painter, self._theme, self._icon_name, ink, target)
        if self.hasFocus() and self._ring:
            gap = "accent_text" if self._filled else None
            paint_focus_ring(painter, self._theme, QRectF(self.rect()), ground=gap)
        painter.end()

    def _tokens(self) -> tuple[str, str, str]:
        hot = self.isEnabled() and (self.underMouse() or self.isDown())
        if not self.isEnabled():
            return ("selection" if self._filled else "", "line" if self._framed else "", "line_strong")
        if self._filled:
            return ("accent_hover" if hot else "accent", "", "accent_text")
        ground = "hover" if hot else "raised" if self.isChecked() else ""
        edge = "line_strong" if hot and self._framed else "line" if self._framed or self.isChecked() else ""
        return (ground, edge, "text" if hot or self.isChecked() else "muted")

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


class LinkButton(QPushButton):
    """An underlined text button; by default in the colour of the surrounding text."""

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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press_by_enter(self, event):
            super().keyPressEvent(event)

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


_BUTTON_ROW_GAP, _NOTE = 8, 120


class ButtonRow(QWidget):
    """Buttons at the right, a note at the left. In little space the note moves above, then the buttons wrap."""

    def __init__(self, theme: Theme, buttons: Sequence[QWidget], note: QWidget | None = None) -> None:
        super().__init__()
        self._theme = theme
        self._note = note
        self._every = tuple(buttons)
        for each in (note, *buttons):
            if each is not None:
                each.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return max((place.bottom() + 1 for _, place in self._places(width)), default=0)

    def sizeHint(self) -> QSize:
        return QSize(self.minimumSizeHint().width(), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        widths = [each.sizeHint().width() for each in self._shown()]
        heights = [each.sizeHint().height() for each in self._shown()]
        return QSize(max(widths, default=0), max(heights, default=0))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # a label or the visibility of a button changed
            self.updateGeometry()
            self._place()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.updateGeometry()  # a label that changes while hidden asks for no layout
        self._place()

    def _place(self) -> None:
        for widget, place in self._places(self.width()):
            widget.setGeometry(place)

    def _shown(self) -> list[QWidget]:
        return [each for each in self._every if not each.isHidden()]

    def _places(self, width: int) -> list[tuple[QWidget, QRect]]:
        rows, gap, note = self._rows(width), self._theme.px(_BUTTON_ROW_GAP), self._note
        high = self.minimumSizeHint().height()
        places: list[tuple[QWidget, QRect]] = []
        top = 0
        if note is not None and not note.isHidden():
            room = width - (_width(rows[0], gap) + gap if rows else 0)
            beside = len(rows) < 2 and self._fits_beside(note, room, high)
            height = max(high, _height(note, room)) if beside else _height(note, width)
            places.append((note, QRect(0, 0, room if beside else width, height)))
            top = (height - high) // 2 if beside else height + gap
        for row in rows:
            left = width - _width(row, gap)
            for button in row:
                places.append((button, QRect(left, top, button.sizeHint().width(), high)))
                left += button.sizeHint().width() + gap
            top += high + gap
        return places

    def _rows(self, width: int) -> list[list[QWidget]]:
        """Distribute the buttons over rows of this width."""
        rows: list[list[QWidget]] = []
        for button in self._shown():
            if rows and _width([*rows[-1], button], self._theme.px(_BUTTON_ROW_GAP)) <= width:
                rows[-1].append(button)
            else:
                rows.append([button])
        return rows

    def _fits_beside(self, note: QWidget, room: int, high: int) -> bool:
        if note.hasHeightForWidth():
            return room >= self._theme.px(_NOTE) and _height(note, room) <= high + self._theme.px(_BUTTON_ROW_GAP)
        return room >= min(note.sizeHint().width(), self._theme.px(2 * _NOTE))


def _width(row: Sequence[QWidget], gap: int) -> int:
    return sum(button.sizeHint().width() for button in row) + gap * max(0, len(row) - 1)


def _height(note: QWidget, width: int) -> int:
    return note.heightForWidth(width) if note.hasHeightForWidth() else note.sizeHint().height()
