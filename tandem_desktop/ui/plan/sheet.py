"""A question inside the window: everything else dims, the keyboard stays in it, Escape leaves it."""

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QVBoxLayout, QWidget
from shiboken6 import isValid

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.announce import announce
from tandem_desktop.ui.widgets.button import Button
from tandem_desktop.ui.widgets.button_row import ButtonRow
from tandem_desktop.ui.widgets.plain_text import plain_label

_WIDTH, _MARGIN = 620, 24
_STRAY_MS = 350
"""A click that was meant for what was here a moment ago must not decide anything."""


class Sheet(QWidget):
    """Lies over the whole window of `host` while it is open. Enter decides nothing in it."""

    left = Signal()
    """Closed without a decision."""

    def __init__(self, host: QWidget, theme: Theme, name: str, words: str, wide: int = _WIDTH) -> None:
        super().__init__(host.window())
        self._host, self._theme, self._wide = host, theme, wide
        self._before: QWidget | None = None
        self._deciding: list[tuple[Button, bool]] = []
        self._ready = False
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.hide()
        self.card = QFrame(self)
        self.card.setObjectName(f"{name}-card")
        self.card.setProperty("role", "card")
        self.body = QVBoxLayout(self.card)
        self.body.setContentsMargins(*(theme.px(24),) * 4)
        self.body.setSpacing(theme.px(12))
        self.title = plain_label(words, "title", wrap=True)
        self.body.addWidget(self.title)
        self._stray = QTimer(self, interval=_STRAY_MS, singleShot=True)
        self._stray.timeout.connect(self._be_ready)

    def open(self, focus: QWidget) -> None:
        """Appear over the window; `focus` is never a button that decides."""
        window = self._host.window()
        if self.parentWidget() is not window:
            self.setParent(window)
        if self.isHidden():
            self._before = QApplication.focusWidget()
            window.installEventFilter(self)
        self.setGeometry(window.rect())
        self._ready = False
        self.show()
        self.raise_()
        self.fit()
        focus.setFocus(Qt.FocusReason.OtherFocusReason)
        self._stray.start()
        self._enable()
        announce(self, self.title.text(), urgent=True)

    def shut(self) -> None:
        if self.isHidden():
            return
        self._stray.stop()
        self._host.window().removeEventFilter(self)
        self.hide()
        # What was pressed to get here, a link in a banner perhaps, may have gone meanwhile.
        if self._before is not None and isValid(self._before) and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        self.shut()
        self.left.emit()

    def fit(self) -> None:
        """As wide as asked and as high as its content, within the window."""
        width, height = self._wanted_size()
        height = min(height, self.height() - 2 * self._theme.px(_MARGIN))
        self.card.setGeometry((self.width() - width) // 2, (self.height() - height) // 2, width, height)

    def room_left(self) -> int:
        """How much higher the content could be within the window."""
        return self.height() - 2 * self._theme.px(_MARGIN) - self._wanted_size()[1]

    def _wanted_size(self) -> tuple[int, int]:
        width = min(self._theme.px(self._wide), self.width() - 2 * self._theme.px(_MARGIN))
        layout = self.card.layout()
        assert layout is not None
        layout.activate()
        if layout.hasHeightForWidth():
            return width, max(layout.totalHeightForWidth(width), layout.totalMinimumHeightForWidth(width))
        return width, max(layout.sizeHint().height(), layout.minimumSize().height())

    def add_buttons(self, *buttons: QWidget, note: QWidget | None = None) -> None:
        self.body.addWidget(ButtonRow(self._theme, buttons, note))

    def decides(self, button: Button, allowed: bool) -> None:
        """Such a button works only once the person can have seen the sheet, and only when allowed."""
        self._deciding = [(each, may) for each, may in self._deciding if each is not button]
        self._deciding.append((button, allowed))
        self._enable()

    def _be_ready(self) -> None:
        self._ready = True
        self._enable()

    def _enable(self) -> None:
        for button, allowed in self._deciding:
            button.setEnabled(allowed and self._ready)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
            self.fit()
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Nothing typed here may reach the window below.
        event.accept()
        if event.key() == Qt.Key.Key_Escape:
            self.leave()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes round inside the sheet."""
        stops = [
            each
            for each in self.card.findChildren(QWidget)
            if each.isVisible()
            and each.isEnabled()
            and each.focusPolicy() & Qt.FocusPolicy.TabFocus
            # The field inside a spin box gives the keyboard back to its box, where one has just been.
            and each.focusProxy() is None
        ]
        if not stops:
            return True
        # In the order they are read, whatever order they were made in.
        stops.sort(key=lambda each: _reading_order(each, self))
        focused = QApplication.focusWidget()
        at = stops.index(focused) if focused in stops else -1 if forward else 0
        stops[(at + (1 if forward else -1)) % len(stops)].setFocus(
            Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
        )
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        shade = QColor(0, 0, 0, 150 if self._theme.is_dark else 90)
        painter.fillRect(event.rect(), shade)
        painter.end()


def _reading_order(widget: QWidget, sheet: QWidget) -> tuple[int, ...]:
    """Rows from above, each from the left; what is scrolled stands where its page does, wherever it is scrolled to."""
    page: QWidget | None = widget.parentWidget()
    while page is not None and page is not sheet:
        area = page.parentWidget()
        around = area.parentWidget() if area is not None else None
        if isinstance(around, QScrollArea) and around.widget() is page:
            outer, inner = around.mapTo(sheet, QPoint()), widget.mapTo(page, QPoint())
            return outer.y(), outer.x(), 1, inner.y(), inner.x()
        page = area
    place = widget.mapTo(sheet, QPoint())
    return place.y(), place.x(), 0, 0, 0
