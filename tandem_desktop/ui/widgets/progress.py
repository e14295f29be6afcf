"""Progress lines and status marks."""

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QSizePolicy, QWidget

from tandem_desktop.ui.i18n import tr_table
from tandem_desktop.ui.theme.style import paint_icon
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.labels import plain_label


class ProgressLine(QWidget):
    """A label and a progress bar; `wide` lets the bar fill the space."""

    def __init__(self, theme: Theme, *, token: str = "ok", wide: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = plain_label(role="muted", parent=self)
        self._line = _Line(theme, token, wide, self)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self._words)
        self._row.addWidget(self._line, 1 if wide else 0)
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def words(self) -> str:
        return self._words.text()

    @property
    def line(self) -> QProgressBar:
        return self._line

    def set_progress(self, done: int, whole: int, words: str) -> None:
        # Without this, Qt's bar repaints the window synchronously on each value.
        self._line.setUpdatesEnabled(False)
        self._line.setRange(0, max(whole, 1))
        self._line.setValue(done)
        self._line.setUpdatesEnabled(True)
        self._words.setText(words)
        self._line.setAccessibleName(words)
        self.setAccessibleName(words)

    def _restyle(self) -> None:
        self._row.setSpacing(self._theme.px(8))


class _Line(QProgressBar):
    def __init__(self, theme: Theme, token: str, wide: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._token = token
        self._wide = wide
        self.setTextVisible(False)
        across = QSizePolicy.Policy.Expanding if wide else QSizePolicy.Policy.Fixed
        self.setSizePolicy(across, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(120), self._theme.px(4))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(40) if self._wide else self._theme.px(120), self._theme.px(4))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        half = self.height() / 2
        painter.setBrush(self._theme.color("line"))
        painter.drawRoundedRect(QRectF(self.rect()), half, half)
        part = self.width() * self.value() / max(1, self.maximum())
        if part > 0:
            painter.setBrush(self._theme.color(self._token))
            painter.drawRoundedRect(QRectF(0, 0, max(part, self.height()), self.height()), half, half)
        painter.end()

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


MARKS = tr_table(
    {
        "waiting": "Waiting",
        "running": "Running",
        "done": "Done",
        "failed": "Failed",
        "skipped": "Skipped",
    }
)
_FILLED = {"done": ("added_strong", "check"), "failed": ("removed_strong", "cross")}
_TURN_MILLISECONDS = 50


def paint_status_mark(painter: QPainter, theme: Theme, state: str, target: QRectF, turn: int = 0) -> None:
    """Draw a status mark; `turn` (0 to 359) rotates the running one."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    inner = target.adjusted(1, 1, -1, -1)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if state in _FILLED:
        ground, sign = _FILLED[state]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(ground))
        painter.drawEllipse(target)
        fifth = target.width() / 5
        paint_icon(painter, theme, sign, "text", target.adjusted(fifth, fifth, -fifth, -fifth))
    elif state == "running":
        painter.setPen(QPen(theme.color("line"), 2))
        painter.drawEllipse(inner)
        painter.setPen(QPen(theme.color("accent"), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawArc(inner, -turn * 16, 270 * 16)
    else:
        painter.setPen(QPen(theme.color("line_strong"), 1.4))
        painter.drawEllipse(inner)
        if state == "skipped":
            fifth = target.width() / 5
            paint_icon(painter, theme, "minus", "muted", target.adjusted(fifth, fifth, -fifth, -fifth))


class StatusMark(QWidget):
    """A status mark; rotates while running, unless motion is reduced."""

    def __init__(self, theme: Theme, state: str = "waiting", size: int = 18, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._size = size
        self._turn = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_TURN_MILLISECONDS)
        self._timer.timeout.connect(self._advance)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)
        self.set_state(state)

    @property
    def state(self) -> str:
        return self._state

    def set_state(self, state: str) -> None:
        self._state = state
        self.setAccessibleName(MARKS[state])
        self._restyle()

    def sizeHint(self) -> QSize:
        side = self._theme.px(self._size)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._restyle()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_status_mark(painter, self._theme, self._state, QRectF(self.rect()), self._turn)
        painter.end()

    def _advance(self) -> None:
        self._turn = (self._turn + 18) % 360
        self.update()

    def _restyle(self) -> None:
        if self._state == "running" and self.isVisible() and not self._theme.reduced_motion:
            self._timer.start()
        else:
            self._timer.stop()
        self.updateGeometry()
        self.update()
