"""One line that gives way in the middle, so that a long path keeps its beginning and its name."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.plain_text import plain_tooltip

_MIDDLE = Qt.TextElideMode.ElideMiddle


class ElidedLabel(QLabel):
    """Plain words on one line; the whole of them in the tool tip while some are hidden."""

    def __init__(
        self,
        theme: Theme,
        text: str = "",
        *,
        mode: Qt.TextElideMode = _MIDDLE,
        token: str = "text",
        code: bool = False,
        bold: bool = False,
        points_delta: float = 0,
        least: int = 0,
        parent: QWidget | None = None,
    ) -> None:
        """Narrower than `least` it shows nothing: a hint of which a few letters are left is none."""
        super().__init__(parent)
        self._theme = theme
        self._mode = mode
        self._least = least
        self._token = token
        self._code = code
        self._bold = bold
        self._points_delta = points_delta
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setAccessibleName(text)
        self._restyle()

    @property
    def shown_text(self) -> str:
        """What is drawn at the present width."""
        if self._least and self.width() < self._theme.px(self._least):
            return ""
        line = self.text().replace("\n", " ")
        return QFontMetrics(self._font()).elidedText(line, self._mode, self.width())

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._font())
        line = self.text().replace("\n", " ")
        return QSize(metrics.horizontalAdvance(line) + 1, max(metrics.height(), self._theme.px(16)))

    def minimumSizeHint(self) -> QSize:
        whole = self.sizeHint()
        least = 0 if self._least else self._theme.px(48)
        return QSize(min(whole.width(), least), whole.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_the_whole()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        font = self._font()
        painter.setFont(font)
        self._paint_line(painter, self.shown_text, QFontMetrics(font))
        painter.end()

    def _paint_line(self, painter: QPainter, shown: str, metrics: QFontMetrics) -> None:
        painter.setPen(self._theme.color(self._token if self.isEnabled() else "muted"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | self.alignment(), shown)

    def _font(self) -> QFont:
        if self._code:
            return self._theme.code_font(self._points_delta, bold=self._bold)
        return self._theme.ui_font(self._points_delta, bold=self._bold)

    def _tell_the_whole(self) -> None:
        self.setToolTip(plain_tooltip(self.text()) if self.shown_text != self.text() else "")

    def _restyle(self) -> None:
        self._tell_the_whole()
        self.updateGeometry()
        self.update()
