"""Take the window through one whole change and back without a display, by clicks and keys, with a picture of each step.

`python packaging/window_tour.py DIR` saves the pictures there and checks on disk what each step promises.
"""

import os
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from tandem_desktop.app.window import load_recipes, look_for_agents, open_background
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.storage.paths import resource
from tandem_desktop.ui.main_window import MainWindow
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.workspace_controller import WorkspaceController

PATIENCE_S = 60.0
SETTLE_S = 0.5


def main(words: list[str]) -> int:
    if len(words) != 1:
        print(__doc__)
        return 2
    folder = Path(words[0])
    folder.mkdir(parents=True, exist_ok=True)
    made = QApplication.instance() or QApplication([])
    assert isinstance(made, QApplication)
    with tempfile.TemporaryDirectory(prefix="tandem-tour-") as scratch:
        os.environ["TANDEM_STATE_DIR"] = f"{scratch}/state"
        os.environ["TANDEM_CONFIG_DIR"] = f"{scratch}/config"
        for name, window in pictures(made, Theme()):
            made.processEvents()
            window.grab().save(str(folder / f"{name}.png"))
            print(f"  {name.replace('-', ' ')}")
    print(f"The pictures are in {folder}.")
    return 0


def pictures(app: QApplication, theme: Theme) -> Iterator[tuple[str, QWidget]]:
    """The window after each step, and its name."""
    scratch = Path(os.environ["TANDEM_STATE_DIR"]).parent / theme.name
    workspace = scratch / "greeter"
    shutil.copytree(resource("sample/workspace"), workspace, symlinks=True)
    greeting = workspace / "greeter" / "greeting.py"
    before = greeting.read_text()
    settings = QSettings(str(scratch / "window.ini"), QSettings.Format.IniFormat)
    settings.setValue("theme", theme.name)
    window = MainWindow(
        theme, open_background, recipes=load_recipes, settings=settings, look_for_agents=look_for_agents
    )
    window.show()
    window.open_workspace(None)
    wait(app, lambda: sees(window, "agent-built-in"))
    settle(app)
    yield "window-1-welcome", window
    window.open_workspace(workspace)
    wait(app, lambda: says(window, "status-agent", "ready"))
    yield "window-2-empty", window
    click(window, "composer-text")
    keys(window, "/replace Hello Goodbye")
    press(window, Qt.Key.Key_Escape)
    press(window, Qt.Key.Key_Return)
    settle(app)
    yield "window-3-drafting", window
    wait(app, lambda: status(window) is PlanStatus.PROPOSED and not is_working(window))
    listed = place(window).panel.operations.list
    listed.setFocus()
    press(window, Qt.Key.Key_Down)
    press(window, Qt.Key.Key_Right)
    settle(app)
    assert greeting.read_text() == before, "nothing may be written before it is approved"
    yield "window-4-reviewing", window
    press(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    settle(app)
    yield "window-5-palette", window
    press(window, Qt.Key.Key_Escape)
    click(window, "plan-action-approve")
    wait(app, lambda: sees(window, "approval-implement"))
    yield "window-6-approval", window
    click(window, "approval-implement")
    wait(app, lambda: status(window) is PlanStatus.COMPLETED)
    settle(app)
    assert "Goodbye" in greeting.read_text(), "what was approved must be on disk"
    yield "window-7-applied", window
    press(window, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
    wait(app, lambda: sees(window, "undo-confirm"))
    yield "window-8-undo", window
    click(window, "undo-confirm")
    wait(app, lambda: greeting.read_text() == before)
    settle(app)
    yield "window-9-undone", window
    window.resize(900, 700)
    settle(app)
    yield "window-narrow", window
    window.close()
    window.leave()


def place(window: MainWindow) -> WorkspaceController:
    assert window.controller is not None
    return window.controller


def status(window: MainWindow) -> PlanStatus | None:
    page = place(window).panel.page
    return page.meta.status if page is not None else None


def is_working(window: MainWindow) -> bool:
    return place(window).turns.is_working(place(window).session_id)


def sees(window: MainWindow, name: str) -> bool:
    return any(each.isVisible() and each.isEnabled() for each in window.findChildren(QWidget, name))


def says(window: MainWindow, name: str, words: str) -> bool:
    return any(words in each.text() for each in window.findChildren(QLabel, name))


def click(window: MainWindow, name: str) -> None:
    widget = next(each for each in window.findChildren(QWidget, name) if each.isVisible())
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=QPoint(8, widget.height() // 2))


def keys(window: MainWindow, text: str) -> None:
    QTest.keyClicks(window.focusWidget(), text)


def press(window: MainWindow, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    window.activateWindow()
    QTest.keyClick(window.focusWidget() or window, key, modifiers)


def settle(app: QApplication) -> None:
    """Let what is under way arrive."""
    end = time.monotonic() + SETTLE_S
    while time.monotonic() < end:
        app.processEvents()


def wait(app: QApplication, until: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not until():
        app.processEvents()
        assert time.monotonic() < end, "the window did not get there"


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    os._exit(code)  # a step that failed leaves a window and its agent at work; nobody waits for them
