"""The window as the command opens it: a frame first, then everything in it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSettings, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.app.main import main
from tandem_desktop.ui.main_window import MainWindow
from tandem_desktop.ui.window_frame import WindowFrame
from tests.ui.window.driver import Person, agent_status


@pytest.fixture
def settings_apart(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANDEM_CONFIG_DIR", str(tmp_path / "config"))
    QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, str(tmp_path / "config"))


@pytest.mark.usefixtures("settings_apart")
def test_command_shows_a_frame_and_then_the_workspace_in_it(qtbot: QtBot, workspace: Path) -> None:
    seen: list[str] = []

    def look() -> None:
        for frame in (each for each in QApplication.topLevelWidgets() if isinstance(each, WindowFrame)):
            content = frame.centralWidget()
            if not seen and content is None and frame.isVisible():
                seen.append("frame")
            if isinstance(content, MainWindow) and frame.isVisible() and "ready" in agent_status(content):
                seen.append(frame.windowTitle())
                frame.close()

    watch = QTimer(interval=1)
    watch.timeout.connect(look)
    watch.start()
    assert main(["gui", str(workspace)]) == 0
    watch.stop()
    QCoreApplication.processEvents()
    assert seen == ["frame", "greeter — Tandem Desktop"]


class ShownWindows(QObject):
    """Notes each widget that is shown as a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.names.add(watched.objectName() or type(watched).__name__)
        return False


def test_no_second_window_is_shown_while_a_workspace_opens(open_window: Callable[..., Person]) -> None:
    shown = ShownWindows()
    application = QApplication.instance()
    assert application is not None
    application.installEventFilter(shown)
    try:
        open_window()
    finally:
        application.removeEventFilter(shown)
    assert shown.names == {"main-window"}
