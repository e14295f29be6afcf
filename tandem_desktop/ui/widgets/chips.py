"""Chips and segmented controls."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QRadioButton, QSizePolicy, QWidget

from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.theme.style import paint_focus_ring, paint_ground, paint_icon, shows_focus
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import press_by_enter
from tandem_desktop.ui.widgets.labels import plain_tooltip

_HEIGHT, _PADDING, _GAP, _ICON, _WIDEST = 24, 8, 4, 14, 280
_SPACE = 6


class Chip(QPushButton):
    """A clickable chip; a `removable` one emits a signal on its cross, Delete or Backspace."""

    removed = Signal()

    def __init__(
        self,
        theme: Theme,
        text: str,
        icon_name: str = "",
        *,
        removable: bool = False,
        code: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("role", "painted")
        self._icon_name = icon_name
        self._removable = removable
        self._code = code
        self._ring = True
        self._words = text
        self.setObjectName("chip")
        self.setAccessibleName(text)
        self.setAccessibleDescription(tr("Delete removes it") if removable else "")
        self.setToolTip(plain_tooltip(text))
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    @property
    def words(self) -> str:
        return self._words

    def set_words(self, text: str) -> None:
        if text != self._words:
            self._words = text
            self.setAccessibleName(text)
            self.setToolTip(plain_tooltip(text))
            self._restyle()

    def sizeHint(self) -> QSize:
        words = QFontMetrics(self._font()).horizontalAdvance(self._words)
        width = min(words + self._around(), self._theme.px(_WIDEST))
        return QSize(width, self._theme.px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), self._theme.px(64)), self._theme.px(_HEIGHT))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._removable and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit()
        elif not press_by_enter(self, event):
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._removable and self.isDown() and self._cross().contains(event.position()):
            self.setDown(False)
            self.removed.emit()
            return
        super().mouseReleaseEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ring = shows_focus(event, self._ring)
        super().focusInEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        hot = self.underMouse() or self.isChecked()
        ground = self._theme.color("hover" if hot else "raised")
        edge = self._theme.color("accent" if self.isChecked() else "line")
        paint_ground(painter, self._theme, QRectF(self.rect()), ground, edge, radius=6)
        at = self._theme.px(_PADDING)
        if self._icon_name:
            side = self._theme.px(_ICON)
            target = QRectF(at, (self.height() - side) / 2, side, side)
            paint_icon(painter, self._theme, self._icon_name, "muted", target)
            at += side + self._theme.px(_GAP)
        self._paint_words(painter, at)
        if self._removable:
            paint_icon(painter, self._theme, "cross", "text" if hot else "muted", self._cross())
        if self.hasFocus() and self._ring:
            paint_focus_ring(painter, self._theme, QRectF(self.rect()), radius=6)
        painter.end()

    def _paint_words(self, painter: QPainter, at: int) -> None:
        font = self._font()
        room = self.width() - self._around() + 1
        words = QFontMetrics(font).elidedText(self._words, Qt.TextElideMode.ElideMiddle, room)
        painter.setFont(font)
        painter.setPen(self._theme.color("text"))
        painter.drawText(QRect(at, 0, room, self.height()), Qt.AlignmentFlag.AlignVCenter, words)

    def _around(self) -> int:
        icon = self._theme.px(_ICON) + self._theme.px(_GAP) if self._icon_name else 0
        cross = self._theme.px(12) + self._theme.px(_GAP) if self._removable else 0
        return 2 * self._theme.px(_PADDING) + icon + cross

    def _cross(self) -> QRectF:
        side = self._theme.px(12)
        return QRectF(self.width() - side - self._theme.px(_PADDING), (self.height() - side) / 2, side, side)

    def _font(self) -> QFont:
        return self._theme.code_font(-1) if self._code else self._theme.ui_font(-1)

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


class FlowRow(QWidget):
    """Has no width hint, so that it never widens the window."""

    def __init__(self, theme: Theme, more: QWidget | None = None, parent: QWidget | None = None) -> None:
        """`more` stands behind what fits, where not all does."""
        super().__init__(parent)
        self._theme = theme
        self._more = more
        if more is not None:
            more.setParent(self)
            more.hide()
        self._widgets: list[QWidget] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.arrange)

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        return tuple(self._widgets)

    def set_widgets(self, widgets: Sequence[QWidget]) -> None:
        for old in self._widgets:
            old.hide()
            old.deleteLater()
        self._widgets = list(widgets)
        for widget in self._widgets:
            widget.setParent(self)
        self.arrange()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(120), self._theme.px(24))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def arrange(self) -> None:
        px, x = self._theme.px, 0
        widths = [widget.sizeHint().width() for widget in self._widgets]
        room = self.width()
        if self._more is not None:
            is_full = sum(widths) + px(_SPACE) * (len(widths) - 1) > room
            room -= self._more.sizeHint().width() + px(_SPACE) if is_full else 0
            self._more.setVisible(is_full)
        for widget, width in zip(self._widgets, widths, strict=True):
            fits = x + width <= room
            if not fits and x == 0:
                width, fits = max(room, widget.minimumSizeHint().width()), True
            widget.setVisible(fits)
            self._put(widget, x, width)
            x = x + width + px(_SPACE) if fits else room + 1
        if self._more is not None and not self._more.isHidden():
            shown = [widget for widget in self._widgets if not widget.isHidden()]
            left = shown[-1].geometry().right() + 1 + px(_SPACE) if shown else 0
            self._put(self._more, left, self._more.sizeHint().width())
        self.updateGeometry()

    def _put(self, widget: QWidget, x: int, width: int) -> None:
        height = widget.sizeHint().height()
        widget.setGeometry(x, (self.height() - height) // 2, width, height)


class Segmented(QWidget):
    """A segmented control of (key, label) pairs. Emits only on user input."""

    chosen = Signal(str)

    def __init__(
        self, theme: Theme, choices: tuple[tuple[str, str], ...], name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName(f"segmented-{name.lower().replace(' ', '-')}")
        self.setAccessibleName(name)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        group = QButtonGroup(self)
        self._segments = {key: _Segment(theme, words, self) for key, words in choices}
        for key, segment in self._segments.items():
            segment.setObjectName(f"{self.objectName()}-{key}")
            group.addButton(segment)
            layout.addWidget(segment)
        self._segments[choices[0][0]].setChecked(True)
        self._told = choices[0][0]
        group.buttonToggled.connect(self._toggled)
        theme.changed.connect(self.update)

    @property
    def current(self) -> str:
        return next(key for key, segment in self._segments.items() if segment.isChecked())

    def set_current(self, key: str) -> None:
        """Select a segment without emitting a signal."""
        self._told = key
        self._segments[key].setChecked(True)

    def set_allowed(self, key: str, allowed: bool) -> None:
        self._segments[key].setEnabled(allowed)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ground, edge = self._theme.color("panel"), self._theme.color("line")
        paint_ground(painter, self._theme, QRectF(self.rect()), ground, edge)
        painter.end()

    def _toggled(self, _button: object, checked: bool) -> None:
        if checked and self.current != self._told:
            self._told = self.current
            self.chosen.emit(self._told)


class _Segment(QRadioButton):
    """A radio button with another look, so that keys and screen readers treat it as one."""

    def __init__(self, theme: Theme, words: str, parent: QWidget) -> None:
        super().__init__(words, parent)
        self._theme = theme
        self._ring = True
        self.setAccessibleName(words)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self._restyle)

    def sizeHint(self) -> QSize:
        words = QFontMetrics(self._theme.ui_font(bold=True)).horizontalAdvance(self.text())
        return QSize(words + 2 * self._theme.px(14), self._theme.px(28))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, position: QPoint) -> bool:
        return self.rect().contains(position)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ring = shows_focus(event, self._ring)
        super().focusInEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        held = self.isChecked()
        if held or self.underMouse():
            ground = self._theme.color("hover" if held else "raised")
            paint_ground(painter, self._theme, QRectF(self.rect()), ground, None, radius=7)
        painter.setFont(self._theme.ui_font(bold=held))
        painter.setPen(self._theme.color("text" if held and self.isEnabled() else "muted"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        if self.hasFocus() and self._ring:
            paint_focus_ring(painter, self._theme, QRectF(self.rect()), radius=7)
        painter.end()

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
