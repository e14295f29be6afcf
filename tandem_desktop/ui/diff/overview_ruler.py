"""The ruler that shows where the changes are."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from tandem_desktop.ui.diff.rows import DiffRows, RowHeights
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.theme.theme import Theme

WIDTH = 12

RulerMark = tuple[float, float, str]
"""From and to, as shares of the whole height, and a token of the theme."""


class OverviewRuler(QWidget):
    """A strip beside the text that marks changes; a click scrolls there. Not focusable: there are keys for that."""

    asked = Signal(float)
    """A share of the whole height."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._marks: tuple[RulerMark, ...] = ()
        self._sight = (0.0, 1.0)
        self._picture: QPixmap | None = None
        self.setObjectName("diff-overview")
        self.setAccessibleName(tr("Where the changes are"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self._forget)

    @property
    def marks(self) -> tuple[RulerMark, ...]:
        return self._marks

    def set_marks(self, marks: Sequence[RulerMark]) -> None:
        self._marks = tuple(marks)
        self._forget()

    def set_sight(self, top: float, bottom: float) -> None:
        """Set which part is visible, as shares of the whole height."""
        if (top, bottom) != self._sight:
            self._sight = (top, bottom)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(WIDTH), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._picture is None:
            self._picture = self._painted()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        top, bottom = (round(share * self.height()) for share in self._sight)
        sight = QColor(self._theme.color("muted"))
        sight.setAlpha(56)
        painter.fillRect(QRect(0, top, self.width(), max(self._theme.px(8), bottom - top)), sight)
        painter.end()

    def resizeEvent(self, event: QEvent) -> None:
        self._forget()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._ask(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._ask(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def _ask(self, event: QMouseEvent) -> None:
        self.asked.emit(min(1.0, max(0.0, event.position().y() / max(1, self.height()))))

    def _forget(self) -> None:
        self._picture = None
        self.update()

    def _painted(self) -> QPixmap:
        """Cached: a large file has more changes than the strip has pixels."""
        ratio = self.devicePixelRatioF()
        picture = QPixmap(round(self.width() * ratio), max(1, round(self.height() * ratio)))
        picture.setDevicePixelRatio(ratio)
        picture.fill(self._theme.color("surface"))
        painter = QPainter(picture)
        painter.fillRect(0, 0, 1, self.height(), self._theme.color("line"))
        colors: dict[str, QColor] = {}
        inset, least = self._theme.px(3), self._theme.px(2)
        seen: set[tuple[int, int, str]] = set()
        for start, end, token in self._marks:
            top = round(start * self.height())
            height = max(least, round((end - start) * self.height()))
            if (top, height, token) in seen:
                continue
            seen.add((top, height, token))
            color = colors.setdefault(token, self._theme.color(token))
            half = (self.width() - 2 * inset) // 2
            left = inset + (half if token.startswith("added") else 0)
            width = self.width() - 2 * inset if token == "risk" else half
            painter.fillRect(left, top, width, height, color)
        painter.end()
        return picture


def marks_of(rows: DiffRows, heights: RowHeights) -> list[RulerMark]:
    """Where something was removed or added, as shares of the whole height."""
    total = max(1, heights.total)
    marks: list[RulerMark] = []
    for start, end, is_removed, is_added in rows.changed_ranges():
        top, bottom = heights.top(start) / total, heights.top(end) / total
        marks.extend([(top, bottom, "removed_ink")] if is_removed else [])
        marks.extend([(top, bottom, "added_ink")] if is_added else [])
    return marks
