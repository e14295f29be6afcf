"""Search field, text edit and code edit."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.theme.style import paint_icon
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import IconButton


class SearchField(QLineEdit):
    """Enter and Shift+Enter go to the next and previous match; Esc clears the field, then emits `left`."""

    next_requested = Signal()
    previous_requested = Signal()
    left = Signal()
    """Esc in an empty field, or Down: move the focus to the searched view."""

    def __init__(self, theme: Theme, placeholder: str, *, key: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._key = key
        self._count = ""
        self.setObjectName("search-field")
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)
        self._clear = IconButton(theme, "cross", tr("Clear search"), size=20, parent=self)
        self._clear.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._clear.hide()
        self._clear.clicked.connect(self.clear)
        self.textChanged.connect(self._arrange)
        theme.changed.connect(self._arrange)
        self._arrange()

    @property
    def count(self) -> str:
        return self._count

    def set_count(self, words: str) -> None:
        """Set the result count, such as "3 of 12" or "nothing found"."""
        self._count = words
        self.setAccessibleDescription(words)
        self._arrange()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(220), self._theme.px(32))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(120), self._theme.px(32))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            (self.previous_requested if back else self.next_requested).emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Down):
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        side = self._theme.px(14)
        target = QRectF(self._theme.px(10), (self.height() - side) / 2, side, side)
        paint_icon(painter, self._theme, "search", "muted", target)
        note = self._note()
        if note:
            painter.setFont(self._theme.ui_font(-2))
            painter.setPen(self._theme.color("muted"))
            right = self._theme.px(30 if self.text() else 10)
            place = QRect(0, 0, self.width() - right, self.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, note)
        painter.end()

    def _note(self) -> str:
        return self._count if self.text() else self._key

    def _arrange(self) -> None:
        px = self._theme.px
        note = QFontMetrics(self._theme.ui_font(-2)).horizontalAdvance(self._note())
        room = px(20) if self.text() else 0
        self.setTextMargins(px(20), 0, room + (note + px(8) if note else 0), 0)
        self._clear.setVisible(bool(self.text()))
        side = px(20)
        self._clear.setGeometry(self.width() - side - px(6), (self.height() - side) // 2, side, side)
        self.updateGeometry()
        self.update()


class PlainTextEdit(QPlainTextEdit):
    """A text field that emits signals for Enter and Esc."""

    sent = Signal()
    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            if not event.isAutoRepeat():
                self.sent.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


_TAB_CELLS = 4


class CodeEdit(PlainTextEdit):
    """A code editor that preserves every character."""

    def __init__(self, theme: Theme, name: str, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def text(self) -> str:
        """The exact text; `toPlainText` would replace non-breaking spaces."""
        return self.document().toRawText().replace("\u2029", "\n")

    def _dress(self) -> None:
        font = self._theme.code_font()
        self.setFont(font)
        self.document().setDefaultFont(font)
        self.setTabStopDistance(QFontMetricsF(font).horizontalAdvance(" ") * _TAB_CELLS)
