"""Keeps cards and sheets from deciding by accident, and their content bounded."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QFrame,
    QScrollArea,
    QSizePolicy,
    QWidget,
)
from shiboken6 import isValid

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import DECIDES

SETTLE_MS = 400
"""Nothing is decided this long after a surface came on screen, after it moved, and after any decision."""
_SLACK = 4
"""A smaller move, in pixels, leaves a button where the person saw it."""
_BY_PERSON = (
    Qt.FocusReason.MouseFocusReason,
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
_BY_SYSTEM = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)
_PRESSES = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Select)


class DecisionGuard(QObject):
    """Holds the buttons that decide on a card or sheet.

    They are disabled until the surface was on screen, in one place, for `SETTLE_MS`, and again after any decision in
    the window: the second click of a double click then meets no button, whatever has come to its place. A double
    click and a repeated key press nothing. `takes` says whether a key may decide; it has to be one that the person
    pressed anew, on a surface to which the person moved the focus.
    """

    def __init__(self, surface: QWidget) -> None:
        super().__init__(surface)
        self._surface = surface
        self._allowed: dict[QAbstractButton, bool] = {}
        self._places: dict[QAbstractButton, QPoint] = {}
        self._is_ready = False
        self._is_focused_by_person = False
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._settle)
        surface.installEventFilter(self)

    @property
    def is_ready(self) -> bool:
        """Whether the surface may decide now."""
        return self._is_ready

    def decides(self, button: QAbstractButton, allowed: bool = True) -> None:
        """Enable a button that decides only while the surface is ready, and only when allowed."""
        if button not in self._allowed:
            button.clicked.connect(self.hold_all)
        self._allowed[button] = allowed
        button.setProperty(DECIDES, True)
        button.setEnabled(allowed and self._is_ready)
        self._watch(button)

    def forget(self, button: QAbstractButton) -> None:
        """The button goes, or decides nothing any more."""
        self._allowed.pop(button, None)
        self._places.pop(button, None)

    def watch_focus(self) -> None:
        """See how the focus comes to anything on the surface; what is made later is not watched."""
        for each in self._surface.findChildren(QWidget):
            if each.focusPolicy() != Qt.FocusPolicy.NoFocus:
                each.installEventFilter(self)

    def takes(self, event: QKeyEvent) -> bool:
        """Whether this key may decide."""
        return self._is_ready and not event.isAutoRepeat() and self._is_focused_by_person

    def hold_all(self) -> None:
        """Something was decided: no surface of the window decides anything for a moment."""
        for guard in self._surface.window().findChildren(DecisionGuard):
            guard.hold()

    def hold(self) -> None:
        """Begin to wait anew."""
        self._is_ready = False
        self._enable()
        if self._surface.isVisible():
            self._timer.start(max(SETTLE_MS, QApplication.doubleClickInterval()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.Move:
            self._moved()
        elif kind == QEvent.Type.FocusIn and isinstance(event, QFocusEvent):
            self._focused(event.reason())
        elif kind == QEvent.Type.MouseButtonPress and watched is self._surface:
            self._is_focused_by_person = True
        elif isinstance(watched, QAbstractButton) and watched in self._allowed:
            return _presses_by_accident(event)
        elif watched is self._surface:
            self._follow(kind)
        return False

    def _follow(self, kind: QEvent.Type) -> None:
        """Wait from the first time that something of the surface is really painted."""
        if kind == QEvent.Type.Hide:
            self._is_ready = False
            self._timer.stop()
            self._enable()
        elif kind in (QEvent.Type.Show, QEvent.Type.ParentChange):
            for button in self._allowed:
                self._watch(button)
        elif kind == QEvent.Type.Paint and not self._is_ready and not self._timer.isActive():
            self._note_places()
            self._timer.start(max(SETTLE_MS, QApplication.doubleClickInterval()))

    def _watch(self, button: QAbstractButton) -> None:
        """See whenever the button moves, with whatever it lies in."""
        each: QWidget | None = button
        while each is not None and not each.isWindow():
            each.installEventFilter(self)
            each = each.parentWidget()

    def _moved(self) -> None:
        if not self._surface.isVisible():
            return
        before = self._places
        self._note_places()
        if any(button not in before or _has_moved(before[button], place) for button, place in self._places.items()):
            self.hold()

    def _note_places(self) -> None:
        window = self._surface.window()
        self._places = {
            button: button.mapTo(window, QPoint()) for button in self._allowed if window.isAncestorOf(button)
        }

    def _focused(self, reason: Qt.FocusReason) -> None:
        if reason not in _BY_SYSTEM:
            self._is_focused_by_person = reason in _BY_PERSON

    def _settle(self) -> None:
        # Where nothing of it can be seen, it waits from the next time it is painted.
        if not self._surface.visibleRegion().isEmpty() and not self._surface.window().isMinimized():
            self._note_places()
            self._is_ready = True
            self._enable()

    def _enable(self) -> None:
        for button, allowed in self._allowed.items():
            button.setEnabled(allowed and self._is_ready)


def _has_moved(before: QPoint, now: QPoint) -> bool:
    return (now - before).manhattanLength() >= _SLACK


def _presses_by_accident(event: QEvent) -> bool:
    """Whether a button must not see this event: the second press of a double click, or a repeated key."""
    if event.type() == QEvent.Type.MouseButtonDblClick:
        return True
    is_key = isinstance(event, QKeyEvent) and event.type() in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease)
    return is_key and isinstance(event, QKeyEvent) and event.isAutoRepeat() and event.key() in _PRESSES


class WheelGuard(QObject):
    """Keeps the wheel from choosing another value: it scrolls what is around the field."""

    def __init__(self, field: QWidget) -> None:
        super().__init__(field)
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.Wheel:
            return False
        event.ignore()
        return True


def release_focus(widget: QWidget) -> None:
    """Before a surface goes: give its focus to the area around it. Qt would pass it on to the next surface."""
    focused = QApplication.focusWidget() or widget.window().focusWidget()
    if focused is None or not (focused is widget or widget.isAncestorOf(focused)):
        return
    around = _area_around(widget)
    if around is not None:
        around.setFocus(Qt.FocusReason.OtherFocusReason)


class FocusKeeper(QObject):
    """Keeps the keyboard in its pane when the control that had it is hidden, disabled or deleted.

    Qt would pass it on to the next control of the window, which may be one that decides something else.
    """

    def __init__(self, panes: Sequence[tuple[QWidget, QWidget]], bar: QWidget, parent: QObject) -> None:
        """`panes`: each with the widget that takes the keyboard. What is in no pane and not in the bar may take it."""
        super().__init__(parent)
        self._panes = panes
        self._bar = bar
        self._last: tuple[QWidget, QWidget, QWidget] | None = None
        """The control that had the keyboard, its pane, and what takes it there."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._moved)

    def _moved(self, old: QWidget | None, now: QWidget | None) -> None:
        last = self._last
        found = next((each for each in self._panes if now is not None and each[0].isAncestorOf(now)), None)
        self._last = (now, *found) if now is not None and found is not None else None
        is_elsewhere = found[0] is not last[1] if found and last else now is None or self._bar.isAncestorOf(now)
        if last is not None and is_elsewhere:
            QTimer.singleShot(0, self, lambda: self._bring_back(*last, now))

    def _bring_back(self, control: QWidget, pane: QWidget, first: QWidget, now: QWidget | None) -> None:
        """After the event, when it is known whether the control is still there."""
        is_gone = not isValid(control) or not control.isVisible() or not control.isEnabled()
        if is_gone and isValid(pane) and pane.isVisible() and first.isVisible() and QApplication.focusWidget() is now:
            first.setFocus(Qt.FocusReason.OtherFocusReason)


def _area_around(widget: QWidget) -> QAbstractScrollArea | None:
    around = widget.parentWidget()
    while around is not None and not isinstance(around, QAbstractScrollArea):
        around = around.parentWidget()
    return around


class EndWatch(QObject):
    """Knows whether the end of a scrolled page was on screen; a page that grows has another end."""

    changed = Signal()

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self._has_seen = False
        page.installEventFilter(self)

    @property
    def has_seen(self) -> bool:
        return self._has_seen

    def look_again(self) -> None:
        """The page has more to show than before."""
        self._set(False)
        self._page.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent) and event.size().height() > event.oldSize().height():
            self._set(False)
        elif event.type() == QEvent.Type.Paint and not self._has_seen:
            bottom = self._page.visibleRegion().boundingRect().bottom()
            self._set(bottom >= self._page.height() - 1 - _SLACK)
        return False

    def _set(self, has_seen: bool) -> None:
        if has_seen != self._has_seen:
            self._has_seen = has_seen
            # Not while it is being painted: the answer enables buttons.
            QTimer.singleShot(0, self, self.changed.emit)


class ListEndWatch(QObject):
    """Knows whether the last row of a list was on screen."""

    changed = Signal()

    def __init__(self, rows: QAbstractItemView) -> None:
        super().__init__(rows)
        self._rows = rows
        self._has_seen = False
        rows.viewport().installEventFilter(self)

    @property
    def has_seen(self) -> bool:
        return self._has_seen

    def look_again(self) -> None:
        """The list has other rows than before."""
        self._has_seen = False
        self._rows.viewport().update()
        self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and not self._has_seen:
            bar = self._rows.verticalScrollBar()
            if bar.value() >= bar.maximum() and not self._rows.viewport().visibleRegion().isEmpty():
                self._has_seen = True
                # Not while it is being painted: the answer enables buttons.
                QTimer.singleShot(0, self, self.changed.emit)
        return False


_TALLEST, _LEAST, _SHARE = 320, 96, 0.5


class BoundedScroll(QScrollArea):
    """Shows a page whole up to a height, then scrolls."""

    def __init__(self, theme: Theme, page: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._page = theme, page
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setWidget(page)
        # Setting the page turns its background on.
        self.viewport().setAutoFillBackground(False)
        page.setAutoFillBackground(False)
        page.installEventFilter(self)
        self.end = EndWatch(page)

    @property
    def scrolls(self) -> bool:
        return self.verticalScrollBar().maximum() > 0

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        layout = self._page.layout()
        whole = layout.totalHeightForWidth(width) if layout is not None and layout.hasHeightForWidth() else -1
        return min(whole if whole >= 0 else self._page.sizeHint().height(), self._tallest())

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(200), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(40), 0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._page and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def _tallest(self) -> int:
        around = _area_around(self) or self.window()
        share = round(around.height() * _SHARE)
        return max(self._theme.px(_LEAST), min(self._theme.px(_TALLEST), share))
