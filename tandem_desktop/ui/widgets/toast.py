"""Toasts."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QWidget

from tandem_desktop.diff.text import visible_sentence
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import IconButton, LinkButton
from tandem_desktop.ui.widgets.labels import IconLabel, announce, plain_label

_TONES = {
    "ok": ("check", "ok"),
    "info": ("info", "link"),
    "risk": ("warning", "risk"),
    "error": ("error", "removed_ink"),
}
_STAYS_MILLISECONDS = 6000
_WIDEST = 560
_ANY_WIDTH = 16_777_215
_MOVES = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide)


class Toast(QFrame):
    """One message over its parent, at the bottom of the given area.

    It never takes the focus by itself, stays while hovered or focused, and Escape dismisses it.
    """

    announced = Signal(str)
    """The text announced to screen readers."""

    def __init__(self, theme: Theme, parent: QWidget, area: Callable[[], QRect] | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._area = area or parent.rect
        self._do: Callable[[], None] = lambda: None
        self._before: QWidget | None = None  # the focus before the toast got it
        self.setObjectName("toast")
        self.setProperty("role", "toast")
        self._icon = IconLabel(theme, "info", "link", parent=self)
        self._words = plain_label(parent=self, wrap=True)
        self._action = LinkButton(theme, "", parent=self)
        self._action.setObjectName("toast-action")
        self._close = IconButton(theme, "cross", tr("Dismiss"), size=24, parent=self)
        self._row = QHBoxLayout(self)
        for widget in (self._icon, self._words, self._action, self._close):
            self._row.addWidget(widget)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._time_is_up)
        self._action.clicked.connect(self._act)
        self._close.setObjectName("toast-dismiss")
        self._close.clicked.connect(self.dismiss)
        parent.installEventFilter(self)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._focus_moved)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    @property
    def text(self) -> str:
        return self._words.text()

    def say(
        self,
        words: str,
        *,
        tone: str = "info",
        action: str = "",
        do: Callable[[], None] = lambda: None,
        stays: int = _STAYS_MILLISECONDS,
    ) -> None:
        """Show and announce `words`; `action` is the label for `do`; `stays` is in milliseconds, 0 for no timeout."""
        words = visible_sentence(words)
        self._do = do
        self._icon.set_icon(*_TONES[tone])
        self._words.setText(words)
        self._action.setText(action)
        self._action.setAccessibleName(action)
        self._action.setVisible(bool(action))
        self._action.updateGeometry()
        self.setAccessibleName(words)
        self._place()  # before it is shown, so that it does not move under the pointer
        self.show()
        self.raise_()
        announce(self, words, urgent=tone == "error")
        self.announced.emit(words)
        self._timer.stop()
        if stays:
            self._timer.start(stays)

    def give_way_to(self, widget: QWidget) -> None:
        """Reposition when this widget is shown, hidden or moved."""
        widget.installEventFilter(self)

    def dismiss(self) -> None:
        """Hide the toast and restore the focus."""
        had_keyboard = self.has_keyboard
        self.hide()
        if had_keyboard and self._before is not None:
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def has_keyboard(self) -> bool:
        focused = QApplication.focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    @property
    def first(self) -> QWidget:
        """The widget to focus: the action, or the close button."""
        return self._close if self._action.isHidden() else self._action

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVES and self.isVisible():
            QTimer.singleShot(0, self, self._place)  # after the layout around it is updated
        return super().eventFilter(watched, event)

    def _focus_moved(self, before: QWidget | None, now: QWidget | None) -> None:
        if now is not None and self.isAncestorOf(now) and before is not None and not self.isAncestorOf(before):
            self._before = before

    def _time_is_up(self) -> None:
        if self.underMouse() or self.has_keyboard:
            self._timer.start(1000)
        else:
            self.hide()

    def _act(self) -> None:
        self.hide()
        self._do()

    def _place(self) -> None:
        self.ensurePolished()
        area, px = self._area(), self._theme.px
        words = QFontMetrics(self._words.font()).horizontalAdvance(self._words.text())
        widest = min(px(_WIDEST), area.width() - 2 * px(16))
        self._words.setMinimumWidth(0)  # reset the last fixed width before measuring
        self._words.setMaximumWidth(_ANY_WIDTH)
        self._row.invalidate()
        beside = self._row.sizeHint().width() - self._words.sizeHint().width()
        self._words.setFixedWidth(max(px(80), min(words + px(2), widest - beside)))
        self._row.invalidate()
        size = self._row.sizeHint()
        height = self._row.totalHeightForWidth(size.width()) if self._row.hasHeightForWidth() else size.height()
        left = area.left() + (area.width() - size.width()) // 2
        self.setGeometry(left, area.bottom() - height - px(12), size.width(), height)

    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(12), px(8), px(8), px(8))
        self._row.setSpacing(px(8))
        if self.isVisible():
            self._place()
