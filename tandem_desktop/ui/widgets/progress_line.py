"""How much of a whole is done, in words and as a thin line: 4 of 7 viewed, operation 5 of 7."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QSizePolicy, QWidget

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.plain_text import plain_label


class ProgressLine(QWidget):
    """Words at the left, the line at the right; `wide` lets the line take the room there is."""

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
        # Qt's bar paints the whole window at once for every value it is given; soon is soon enough.
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
