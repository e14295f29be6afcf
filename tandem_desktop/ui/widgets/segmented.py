"""A few choices side by side of which exactly one holds: Immediate or Plan mode, split or unified."""

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QRadioButton, QWidget

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.painting import paint_focus_ring, paint_ground, shows_focus


class Segmented(QWidget):
    """Takes (key, words) pairs; arrow keys move the choice, and only a person's choice is told."""

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
        """Show another choice without telling anyone."""
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
    """A radio button in all but looks, so that keys and screen readers treat it as one."""

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
