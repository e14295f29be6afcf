"""A decision is needed and nobody looks: tell the desktop, where it listens."""

import html
import os
import shutil
from typing import Protocol

from PySide6.QtCore import QProcess
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

_PROGRAM = "notify-send"


class Desktop(Protocol):
    """Whoever shows messages beside the window."""

    def show(self, title: str, words: str) -> bool:
        """Whether the message was taken."""


class FreedesktopMessages:
    """`org.freedesktop.Notifications`, by its own program: the bus wants types that Python cannot tell Qt."""

    def show(self, title: str, words: str) -> bool:
        # Only absolute folders: what lies in the current one, perhaps a workspace, is nobody's program.
        folders = [each for each in os.environ.get("PATH", os.defpath).split(os.pathsep) if each.startswith("/")]
        program = shutil.which(_PROGRAM, path=os.pathsep.join(folders))
        if program is None:
            return False
        # The body is markup there, and plans have titles of their own choosing.
        shown = ["--app-name=Tandem Desktop", "--icon=tandem-desktop", "--", title, html.escape(words)]
        return bool(QProcess.startDetached(program, shown)[0])


class TrayMessages:
    """The system's tray, for as long as something waits."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._icon: QSystemTrayIcon | None = None

    def show(self, title: str, words: str) -> bool:
        if not QSystemTrayIcon.isSystemTrayAvailable() or not QSystemTrayIcon.supportsMessages():
            return False
        if self._icon is None:
            self._icon = QSystemTrayIcon(self._window.window().windowIcon(), self._window)
            self._icon.messageClicked.connect(self._come_forward)
            self._icon.activated.connect(lambda reason: self._come_forward())
        self._icon.show()
        self._icon.showMessage(title, words)
        return True

    def _come_forward(self) -> None:
        window = self._window.window()
        window.show()
        window.raise_()
        window.activateWindow()
        if self._icon is not None:
            self._icon.hide()


class Notifier:
    """Says what waits, and only while the window is not in front. The first that takes the message shows it."""

    def __init__(self, window: QWidget, desktops: tuple[Desktop, ...]) -> None:
        self._window = window
        self._desktops = desktops
        self.is_on = True

    def tell(self, title: str, words: str) -> None:
        if self._window.window().isActiveWindow():
            return
        QApplication.alert(self._window.window())
        if self.is_on:
            any(desktop.show(title, words) for desktop in self._desktops)
