"""The base of chat entry widgets, and foldable lines."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QSizePolicy, QVBoxLayout, QWidget

from tandem_desktop.ui.models.transcript import TranscriptRow
from tandem_desktop.ui.theme.style import pixmap
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import press_by_enter


class EntryWidget(QWidget):
    """One row; created when it becomes visible and deleted when it is far outside the view."""

    height_changed = Signal()
    opened = Signal(bool)
    """Folded or unfolded; the transcript restores the state when it recreates the row."""
    link_activated = Signal(str)
    file_activated = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_row(self, row: TranscriptRow) -> None:
        """Show a row, or its later state."""
        raise NotImplementedError

    def set_open(self, is_open: bool) -> None:
        """Unfold or fold the row, if it can be folded."""

    @property
    def is_kept(self) -> bool:
        """Whether the widget must not be deleted, because it has a draft or the focus."""
        focused = QApplication.focusWidget()
        return focused is not None and (focused is self or self.isAncestorOf(focused))

    def needed_height(self, width: int) -> int:
        layout = self.layout()
        if layout is None:
            return self.heightForWidth(width)
        return max(layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.sizeHint().height(), 0)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.height_changed.emit()
        return super().event(event)


class FoldLine(QAbstractButton):
    """A chevron, a label and a preview of the content."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._glimpse = ""
        self._icon = ""
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_words(self, words: str, glimpse: str = "", icon: str = "") -> None:
        self.setText(words)
        self.setAccessibleName(words)
        self._glimpse, self._icon = " ".join(glimpse.split()), icon
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(120), self._theme.px(24))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press_by_enter(self, event):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, ratio = self._theme, self.devicePixelRatioF()
        if self.hasFocus():
            painter.setPen(theme.color("focus"))
            painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), theme.px(6), theme.px(6))
        name = "chevron-down" if self.isChecked() else "chevron-right"
        side, x = theme.px(14), theme.px(2)
        for each in (name, self._icon):
            if each:
                painter.drawPixmap(x, (self.height() - side) // 2, pixmap(theme, each, "muted", 14, ratio))
                x += side + theme.px(6)
        ink = "text" if self.underMouse() else "muted"
        painter.setPen(theme.color(ink))
        painter.setFont(theme.ui_font(-1))
        metrics = painter.fontMetrics()
        space = self.rect().adjusted(x, 0, -theme.px(4), 0)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(space, flags, self.text())
        if self._glimpse and not self.isChecked():
            space.setLeft(space.left() + metrics.horizontalAdvance(self.text()) + theme.px(8))
            painter.setPen(theme.color("muted"))
            room = metrics.elidedText(self._glimpse, Qt.TextElideMode.ElideRight, space.width())
            painter.drawText(space, flags, room)


class Fold(QWidget):
    """A fold line above content that is created on first opening."""

    toggled = Signal(bool)

    def __init__(self, theme: Theme, make: Callable[[], QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._make = make
        self._content: QWidget | None = None
        self.line = FoldLine(theme)
        self.line.toggled.connect(self._open)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(theme.px(4))
        self._layout.addWidget(self.line)

    @property
    def content(self) -> QWidget | None:
        return self._content

    def set_open(self, is_open: bool) -> None:
        self.line.setChecked(is_open)

    def _open(self, is_open: bool) -> None:
        if is_open and self._content is None:
            self._content = self._make()
            self._layout.addWidget(self._content)
        if self._content is not None:
            self._content.setVisible(is_open)
        self.toggled.emit(is_open)
