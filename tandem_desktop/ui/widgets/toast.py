"""A few words at the foot of the window about what has just happened, perhaps with the way back."""

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.announce import announce
from tandem_desktop.ui.widgets.icon_button import IconButton
from tandem_desktop.ui.widgets.icon_label import IconLabel
from tandem_desktop.ui.widgets.link_button import LinkButton
from tandem_desktop.ui.widgets.plain_text import plain_label

_TONES = {
    "ok": ("check", "ok"),
    "info": ("info", "link"),
    "risk": ("warning", "risk"),
    "error": ("error", "removed_ink"),
}
_STAYS_MILLISECONDS = 6000


class Toast(QFrame):
    """One at a time over its parent. It never takes the focus, and waits while it is pointed at or has the keyboard."""

    requested = Signal()
    """The action in it was pressed."""
    announced = Signal(str)
    """What a listener was told."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._over = parent
        self.setObjectName("toast")
        self.setProperty("role", "toast")
        self._icon = IconLabel(theme, "info", "link", parent=self)
        self._words = plain_label(parent=self)
        self._action = LinkButton(theme, "", parent=self)
        self._action.setObjectName("toast-action")
        self._close = IconButton(theme, "cross", "Dismiss", size=24, parent=self)
        self._row = QHBoxLayout(self)
        for widget in (self._icon, self._words, self._action, self._close):
            self._row.addWidget(widget)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._time_is_up)
        self._action.clicked.connect(self._act)
        self._close.clicked.connect(self.hide)
        parent.installEventFilter(self)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    @property
    def text(self) -> str:
        return self._words.text()

    def say(self, words: str, *, tone: str = "info", action: str = "", stays: int = _STAYS_MILLISECONDS) -> None:
        """Show and announce `words`; `stays` in milliseconds, 0 until it is dismissed."""
        self._icon.set_icon(*_TONES[tone])
        self._words.setText(words)
        self._action.setText(action)
        self._action.setAccessibleName(action)
        self._action.setVisible(bool(action))
        self._action.updateGeometry()
        self.setAccessibleName(words)
        self._place()  # before it is seen: it must not pass under the pointer on its way
        self.show()
        self.raise_()
        announce(self, words, urgent=tone == "error")
        self.announced.emit(words)
        self._timer.stop()
        if stays:
            self._timer.start(stays)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _time_is_up(self) -> None:
        if self.underMouse() or self._action.hasFocus() or self._close.hasFocus():
            self._timer.start(1000)
        else:
            self.hide()

    def _act(self) -> None:
        self.hide()
        self.requested.emit()

    def _place(self) -> None:
        self.ensurePolished()
        self._row.invalidate()
        width = min(self.sizeHint().width(), self._over.width() - 2 * self._theme.px(16))
        height = self.sizeHint().height()
        self.setGeometry(
            (self._over.width() - width) // 2, self._over.height() - height - self._theme.px(40), width, height
        )

    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(12), px(8), px(8), px(8))
        self._row.setSpacing(px(8))
        if self.isVisible():
            self._place()
