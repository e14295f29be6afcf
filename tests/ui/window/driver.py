"""A person at the window: clicks and keys go in, what is on screen and on disk comes out."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.app.window import open_background
from tandem_desktop.domain.plan_states import PlanState, PlanStatus
from tandem_desktop.domain.runs import ResultStatus
from tandem_desktop.domain.state_machine import PlanStateMachine
from tandem_desktop.settings_io import SETTINGS_FILE, config_directory, save_setting
from tandem_desktop.storage.logs import LOGS, LogFile
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.main_window import MainWindow
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.workspace_controller import WorkspaceController


def agent_status(window: QWidget) -> str:
    """What the status line says of the agent."""
    label = window.findChild(QLabel, "status-agent")
    return "" if label is None else label.text()


class Person:
    """Drives one window over a real workspace and a real engine, by input events alone."""

    def __init__(self, qtbot: QtBot, workspace: Path, settings: Path, theme: str = "dark") -> None:
        self._qtbot = qtbot
        self.workspace = workspace
        self.theme = Theme(name=theme)
        stored = self.stored = QSettings(str(settings), QSettings.Format.IniFormat)
        save_setting(config_directory() / SETTINGS_FILE, "theme", theme)
        self.log_file = LogFile(settings.parent / LOGS)
        self.log_file.listen()
        self.window = MainWindow(self.theme, open_background, settings=stored, log_file=self.log_file)
        qtbot.addWidget(self.window)
        self.window.show()
        with qtbot.waitActive(self.window):
            self.window.activateWindow()
        self.window.open_workspace(workspace)
        self.wait(lambda: "ready" in agent_status(self.window))
        self.states: list[PlanState] = []
        """What the panel has gone through, each state once in a row."""
        self.place.panel.followed.connect(self._note)

    @property
    def place(self) -> WorkspaceController:
        assert self.window.controller is not None
        return self.window.controller

    @property
    def status(self) -> PlanStatus | None:
        page = self.place.panel.page
        return page.meta.status if page is not None else None

    @property
    def state(self) -> PlanState:
        return self.place.panel.machine.state

    @property
    def operations(self) -> list[str]:
        """What the panel lists, in order."""
        page = self.place.panel.page
        return [view.operation.path or view.operation.id for view in page.views] if page is not None else []

    @property
    def drafted(self) -> list[str]:
        """What the panel lists while there is no plan yet."""
        return [view.operation.path or view.operation.id for view in self.place.panel.model.views()]

    @property
    def stored_status(self) -> PlanStatus | None:
        """What the plan on screen is, as it stands on disk."""
        page = self.place.panel.page
        return self.place.background.engine.plans.meta(page.version.plan_id).status if page is not None else None

    @property
    def progress(self) -> list[ResultStatus]:
        """How far the panel says each operation is."""
        model = self.place.panel.model
        rows = [model.index(number).data(model.RowRole) for number in range(model.rowCount())]
        return [row.result.status for row in rows if row.result is not None]

    @property
    def revision(self) -> int:
        page = self.place.panel.page
        return page.version.revision if page is not None else 0

    def proposed(self, path: str) -> str:
        """What a file would be."""
        page = self.place.panel.page
        assert page is not None
        view = next(view for view in page.views if view.operation.path == path)
        return self.place.background.run(self.place.background.engine.contents, view.operation).result()[1].decode()

    def go_to(self, name: str) -> None:
        """Press F6 until a pane has the keyboard."""
        for _ in range(6):  # once around, words at the foot of the window included
            if self.focus().objectName() == name:
                return
            self.press(Qt.Key.Key_F6)
        raise AssertionError(f"F6 never reaches {name}")

    def command(self, words: str) -> None:
        """Do something by the palette of commands."""
        self.press(Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        self.wait(lambda: self.sees("palette-search"))
        self.type(words)
        self.press(Qt.Key.Key_Return)

    def type_into_composer(self, text: str) -> None:
        """Go to the composer by keyboard, type, and send."""
        self.go_to("composer-text")
        self.type(text)
        self.press(Qt.Key.Key_Escape)
        self.press(Qt.Key.Key_Return)

    def tab_to(self, name: str) -> None:
        """Press Tab until a widget has the keyboard."""
        for _ in range(30):
            if self.focus().objectName() == name:
                return
            self.press(Qt.Key.Key_Tab)
        raise AssertionError(f"Tab never reaches {name}")

    def wait(self, until: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(until)

    def find(self, name: str) -> QWidget:
        """A widget on screen, by its name."""
        found = [each for each in self.window.findChildren(QWidget, name) if each.isVisible()]
        assert found, f"nothing on screen is called {name}"
        return found[0]

    def sees(self, name: str) -> bool:
        """Whether a widget of this name is on screen and can be used."""
        return any(each.isVisible() and each.isEnabled() for each in self.window.findChildren(QWidget, name))

    def click(self, name: str) -> None:
        """Click a widget, once it is on screen and can be used."""
        self.wait(lambda: self.find(name).isEnabled())
        widget = self.find(name)
        spot = QPoint(8, widget.height() // 2) if isinstance(widget, QAbstractButton) else widget.rect().center()
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot)

    def type(self, text: str) -> None:
        QTest.keyClicks(self.focus(), text)

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        # Without a window manager nobody gives the window back its place after a popup.
        if not self.window.isActiveWindow():
            self.window.activateWindow()
            self.wait(self.window.isActiveWindow)
        QTest.keyClick(self.focus(), key, modifiers)

    def focus(self) -> QWidget:
        return self.window.focusWidget() or self.window

    def ask(self, text: str) -> None:
        """Say something to the agent and wait for the end of its turn."""
        self.click("composer-text")
        self.type(text)
        self.press(Qt.Key.Key_Escape)
        self.press(Qt.Key.Key_Return)
        self.wait(lambda: not self.place.turns.is_any)

    def click_operation(self, row: int) -> None:
        """Open or close a row of the plan, at the arrow at its end."""
        listed = self.place.panel.operations.list
        rect = listed.visualRect(listed.model().index(row, 0))
        spot = QPoint(rect.right() - self.theme.px(18), rect.top() + self.theme.px(18))
        QTest.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=spot)

    def reads(self) -> list[str]:
        """The operations whose changes are open."""
        shown = [view for view in self.window.findChildren(DiffView) if view.isVisible()]
        return [view.objectName().removeprefix("diff-") for view in shown]

    def _note(self, machine: PlanStateMachine) -> None:
        if self.states[-1:] != [machine.state]:
            self.states.append(machine.state)

    def picture(self, path: Path) -> None:
        self.window.grab().save(str(path))

    def leave(self) -> None:
        if not self._has_left:
            self._has_left = True
            self.window.close()
            self.window.leave()
            self.log_file.leave()

    _has_left = False
