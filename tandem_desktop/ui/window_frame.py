"""The empty window shown before anything is loaded; imports little.

Nothing heavy may be imported here: this module is all that runs before the first paint.
"""

from collections.abc import Callable

from PySide6.QtCore import QRect, QSettings, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QColor, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QMainWindow, QWidget

from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.theme.theme import THEMES, load_tokens

SIZE = (1440, 900)
SMALLEST = (860, 480)
_TOP, _BOTTOM, _RAIL, _CHAT = 52, 28, 216, 452
_TITLE, _BORDER = 36, 4
"""Room for the frame that the window manager draws; its real size is known only once the window is shown."""


class WindowFrame(QMainWindow):
    """Shows a placeholder with the workspace's name until the content is set."""

    def __init__(self, title: str, settings: QSettings | None = None) -> None:
        super().__init__()
        stored = settings or QSettings()
        self._begin: Callable[[], None] | None = None
        self._tokens = load_tokens(_theme_name(stored.value("theme")))
        self._said = tr("Opening {title}…", title=title) if title else ""
        self._content: QWidget | None = None
        self.setObjectName("window-frame")
        self.setWindowTitle("Tandem Desktop")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(*SMALLEST)
        self.resize(*SIZE)
        geometry = stored.value("geometry")
        if geometry is not None:
            self.restoreGeometry(geometry)
        self._fit_on_screen(is_placed=geometry is not None)

    def once_painted(self, begin: Callable[[], None]) -> None:
        """Call `begin` after the first paint."""
        self._begin = begin

    def take(self, content: QWidget) -> None:
        """Replace the placeholder with the content."""
        self._content = content
        self.setWindowTitle(content.windowTitle())
        content.windowTitleChanged.connect(self.setWindowTitle)
        self.setCentralWidget(content)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._paint(painter, self.rect())
        painter.end()
        begin, self._begin = self._begin, None
        if begin is not None:
            QTimer.singleShot(0, begin)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._content is not None:
            self._content.close()
        super().closeEvent(event)

    def _fit_on_screen(self, *, is_placed: bool) -> None:
        """No larger than the screen, frame included; a place from last time is on it too."""
        room = self.screen().availableGeometry().adjusted(_BORDER, _TITLE, -_BORDER, -_BORDER)
        if self.isMaximized() or self.isFullScreen():
            return
        size, place = self.size().boundedTo(room.size()).expandedTo(self.minimumSize()), self.geometry()
        self.resize(size)
        if is_placed:
            left = max(room.left(), min(place.left(), room.right() + 1 - size.width()))
            top = max(room.top(), min(place.top(), room.bottom() + 1 - size.height()))
            self.setGeometry(left, top, size.width(), size.height())

    def _paint(self, painter: QPainter, area: QRect) -> None:
        tokens, line = self._tokens, QColor(self._tokens.line)
        painter.fillRect(area, QColor(tokens.surface))
        if self._content is not None:
            return
        body = area.adjusted(0, _TOP, 0, -_BOTTOM)
        for strip in (
            QRect(0, body.top() - 1, area.width(), 1),
            QRect(0, body.bottom() + 1, area.width(), 1),
            QRect(_RAIL, body.top(), 1, body.height()),
            QRect(_RAIL + _CHAT, body.top(), 1, body.height()),
        ):
            painter.fillRect(strip, line)
        right = body.adjusted(_RAIL + _CHAT + 1, 0, 0, 0)
        painter.fillRect(right, QColor(tokens.panel))
        painter.setPen(QColor(tokens.muted))
        painter.drawText(right, Qt.AlignmentFlag.AlignCenter, self._said)


def _theme_name(stored: object) -> str:
    if isinstance(stored, str) and stored in THEMES:
        return stored
    is_light = QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Light
    return "light" if is_light else "dark"
