"""When a button that decides may be pressed, and when the end of a page counts as seen."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets import decision_guard
from tandem_desktop.ui.widgets.decision_guard import (
    BoundedScroll,
    DecisionGuard,
    FocusKeeper,
    WheelGuard,
    release_focus,
)


class Surface(QWidget):
    def __init__(self, parent: QWidget, top: int = 0) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setGeometry(0, top, 200, 80)
        self.button = QPushButton("Allow", self)
        self.button.setGeometry(10, 40, 80, 30)
        self.guard = DecisionGuard(self)
        self.guard.decides(self.button)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    made.resize(300, 300)
    qtbot.addWidget(made)
    return made


def ready(qtbot: QtBot, *surfaces: Surface) -> None:
    surfaces[0].window().show()
    qtbot.waitUntil(lambda: all(surface.button.isEnabled() for surface in surfaces))


@pytest.mark.parametrize(
    "happens",
    [
        lambda surface: surface.move(0, 40),
        lambda surface: surface.button.move(10, 10),
        lambda surface: surface.parentWidget().move(0, 20),
        lambda surface: (surface.hide(), surface.show()),
        lambda surface: surface.guard.hold(),
    ],
)
def test_a_surface_that_moved_or_came_back_waits_again(
    qtbot: QtBot, window: QWidget, monkeypatch: pytest.MonkeyPatch, happens: Callable[[Surface], None]
) -> None:
    inner = QWidget(window)
    inner.resize(300, 300)
    surface = Surface(inner)
    ready(qtbot, surface)
    monkeypatch.setattr(decision_guard, "SETTLE_MS", 600_000)
    happens(surface)
    assert not surface.button.isEnabled()


def test_a_surface_out_of_sight_is_not_ready_and_waits_when_it_comes_into_sight(
    qtbot: QtBot, window: QWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, unseen = Surface(window), Surface(window, top=400)
    ready(qtbot, seen)
    unseen.guard.hold()
    qtbot.waitUntil(lambda: not unseen.guard._timer.isActive())
    assert not unseen.button.isEnabled()
    monkeypatch.setattr(decision_guard, "SETTLE_MS", 600_000)
    unseen.move(0, 100)
    qtbot.waitUntil(lambda: unseen.guard._timer.isActive())
    assert not unseen.button.isEnabled()


def test_after_a_decision_no_surface_of_the_window_decides(
    qtbot: QtBot, window: QWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Surface(window), Surface(window, top=100)
    ready(qtbot, first, second)
    monkeypatch.setattr(decision_guard, "SETTLE_MS", 600_000)
    qtbot.mouseClick(first.button, Qt.MouseButton.LeftButton)
    assert not first.button.isEnabled()
    assert not second.button.isEnabled()


@pytest.mark.parametrize(
    ("reason", "repeats", "takes"),
    [
        (Qt.FocusReason.MouseFocusReason, False, True),
        (Qt.FocusReason.TabFocusReason, False, True),
        (Qt.FocusReason.TabFocusReason, True, False),
        (Qt.FocusReason.OtherFocusReason, False, False),
        (Qt.FocusReason.NoFocusReason, False, False),
    ],
)
def test_a_key_decides_when_pressed_anew_where_the_person_put_the_focus(
    qtbot: QtBot, window: QWidget, reason: Qt.FocusReason, repeats: bool, takes: bool
) -> None:
    before = QLineEdit(window)
    surface = Surface(window)
    with qtbot.waitActive(window):
        ready(qtbot, surface)
        window.activateWindow()
    before.setFocus()
    surface.setFocus(reason)
    key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_1, Qt.KeyboardModifier.NoModifier, "1", repeats)
    assert surface.guard.takes(key) is takes


def test_focus_of_a_surface_that_goes_is_not_passed_on_to_the_next(qtbot: QtBot, window: QWidget) -> None:
    area = QScrollArea(window)
    area.resize(300, 300)
    page = QWidget()
    page.resize(280, 280)
    area.setWidget(page)
    first, second = Surface(page), Surface(page, top=100)
    with qtbot.waitActive(window):
        ready(qtbot, first, second)
        window.activateWindow()
    first.setFocus(Qt.FocusReason.TabFocusReason)
    release_focus(first)
    first.hide()
    assert not second.hasFocus()
    assert not second.button.hasFocus()


@pytest.mark.parametrize("goes", [QWidget.hide, QWidget.deleteLater, lambda control: control.setEnabled(False)])
def test_focus_of_a_control_that_goes_stays_in_its_pane(
    qtbot: QtBot, window: QWidget, goes: Callable[[QWidget], None]
) -> None:
    bar, pane = QWidget(window), QWidget(window)
    mode, link, home = QPushButton(bar), QPushButton(pane), QLineEdit(pane)
    QWidget.setTabOrder(link, mode)
    QWidget.setTabOrder(mode, home)
    FocusKeeper([(pane, home)], bar, window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    link.setFocus()
    goes(link)
    qtbot.waitUntil(home.hasFocus)


def test_focus_that_the_person_moves_is_left_where_it_is(qtbot: QtBot, window: QWidget) -> None:
    bar, pane = QWidget(window), QWidget(window)
    mode, link, home = QPushButton(bar), QPushButton(pane), QLineEdit(pane)
    FocusKeeper([(pane, home)], bar, window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    link.setFocus()
    mode.setFocus(Qt.FocusReason.TabFocusReason)
    QApplication.processEvents()
    assert mode.hasFocus()


def test_the_end_of_a_page_is_seen_when_it_is_on_screen_and_not_again_when_the_page_has_grown(
    qtbot: QtBot, window: QWidget
) -> None:
    page = QWidget()
    rows = QVBoxLayout(page)
    for number in range(60):
        rows.addWidget(QLabel(f"line {number}"))
    scroll = BoundedScroll(Theme(), page, window)
    scroll.resize(300, 200)
    window.show()
    qtbot.waitUntil(lambda: scroll.scrolls)
    assert not scroll.end.has_seen
    scroll.verticalScrollBar().setValue(scroll.verticalScrollBar().maximum())
    qtbot.waitUntil(lambda: scroll.end.has_seen)
    rows.addWidget(QLabel("one more\n" * 20))
    qtbot.waitUntil(lambda: not scroll.end.has_seen)


@pytest.mark.parametrize("made", [QComboBox, QSpinBox])
def test_the_wheel_over_a_guarded_field_changes_nothing_and_is_passed_on(
    qtbot: QtBot, window: QWidget, made: type[QComboBox] | type[QSpinBox]
) -> None:
    field = made(window)
    if isinstance(field, QComboBox):
        field.addItems(["roll back", "stop", "go on"])
    WheelGuard(field)
    with qtbot.waitExposed(window):
        window.show()
    at = QPointF(field.rect().center())
    down, none = QPoint(0, -120), Qt.KeyboardModifier.NoModifier
    wheel = QWheelEvent(
        at, field.mapToGlobal(at), QPoint(), down, Qt.MouseButton.NoButton, none, Qt.ScrollPhase.NoScrollPhase, False
    )
    QApplication.sendEvent(field, wheel)
    assert (field.currentIndex() if isinstance(field, QComboBox) else field.value()) == 0
    assert not wheel.isAccepted()  # so what is around the field gets it
