"""Desktop notifications and quitting on signals."""

import html
import os
import shutil
import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import Protocol

from PySide6.QtCore import QObject, QProcess, QSocketNotifier
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from tandem_desktop.ui.i18n import tr

_PROGRAM = "notify-send"
_PRESSED = "default"
"""Action name of a click on the notification itself."""
_PATIENCE_MS = 500

Answer = Callable[[], None]


class Desktop(Protocol):
    """Shows desktop notifications."""

    def show(self, title: str, words: str, pressed: Answer) -> bool:
        """Show a notification; False if it cannot be shown. `pressed` is called on a click."""

    def leave(self) -> None:
        """Stop waiting for a click."""


class FreedesktopMessages(QObject):
    """Uses `notify-send`: the D-Bus interface needs types that PySide6 cannot express.

    The program ends when the notification is clicked or closed, and prints which. Only the last one is waited for.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._program = QProcess(self)
        self._program.finished.connect(self._ended)
        self._plain: list[str] = []
        self._pressed: Answer | None = None

    @property
    def waits(self) -> bool:
        return self._program.state() is not QProcess.ProcessState.NotRunning

    def show(self, title: str, words: str, pressed: Answer) -> bool:
        # Only absolute folders: a program in the current folder, perhaps a workspace, is not trusted.
        folders = [each for each in os.environ.get("PATH", os.defpath).split(os.pathsep) if each.startswith("/")]
        program = shutil.which(_PROGRAM, path=os.pathsep.join(folders))
        if program is None:
            return False
        self.leave()
        look = ["--app-name=Tandem Desktop", "--icon=tandem-desktop"]
        # The body is markup, and plan titles are untrusted.
        shown = ["--", title, html.escape(words)]
        self._plain, self._pressed = [*look, *shown], pressed
        self._program.start(program, [*look, f"--action={_PRESSED}={tr('Show')}", *shown])
        return True

    def leave(self) -> None:
        self._pressed = None
        if self.waits:
            self._program.kill()
            self._program.waitForFinished(_PATIENCE_MS)

    def _ended(self, code: int) -> None:
        pressed, self._pressed = self._pressed, None
        if pressed is None:
            return
        if code:  # an older version, which cannot wait
            QProcess.startDetached(self._program.program(), self._plain)
        elif bytes(self._program.readAllStandardOutput().data()).strip() == _PRESSED.encode():
            pressed()


class TrayMessages:
    """Shows notifications with a tray icon, which is visible while one waits."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._icon: QSystemTrayIcon | None = None
        self._pressed: Answer = lambda: None

    def show(self, title: str, words: str, pressed: Answer) -> bool:
        if not QSystemTrayIcon.isSystemTrayAvailable() or not QSystemTrayIcon.supportsMessages():
            return False
        if self._icon is None:
            self._icon = QSystemTrayIcon(self._window.window().windowIcon(), self._window)
            self._icon.messageClicked.connect(self._answer)
            self._icon.activated.connect(lambda reason: self._answer())
        self._pressed = pressed
        self._icon.show()
        self._icon.showMessage(title, words)
        return True

    def leave(self) -> None:
        if self._icon is not None:
            self._icon.hide()

    def _answer(self) -> None:
        self.leave()
        self._pressed()


class Notifier:
    """Notifies while the window is inactive, through the first `Desktop` that can."""

    def __init__(self, window: QWidget, desktops: tuple[Desktop, ...]) -> None:
        self._window = window
        self._desktops = desktops
        self.is_on = True

    def tell(self, title: str, words: str, then: Answer = lambda: None) -> None:
        """Notify; a click activates the window and calls `then`."""
        if self._window.window().isActiveWindow():
            return
        QApplication.alert(self._window.window())
        if self.is_on:
            any(desktop.show(title, words, lambda: self._come_forward(then)) for desktop in self._desktops)

    def leave(self) -> None:
        for desktop in self._desktops:
            desktop.leave()

    def _come_forward(self, then: Answer) -> None:
        window = self._window.window()
        window.show()
        window.raise_()
        window.activateWindow()
        then()


_POLITE = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class SignalHandler(QObject):
    """Handles Unix signals at once: Python alone runs handlers only at the next Qt event."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._ours, theirs = socket.socketpair()
        self._theirs = theirs
        for end in (self._ours, theirs):
            end.setblocking(False)
        signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        for each in _POLITE:
            signal.signal(each, self._ignore)
        self._notifier = QSocketNotifier(self._ours.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._leave)

    @staticmethod
    def _ignore(number: int, frame: FrameType | None) -> None:
        """Needed so that Python writes the wakeup byte."""

    def _leave(self) -> None:
        if set(self._ours.recv(64)) & {int(each) for each in _POLITE}:
            QApplication.closeAllWindows()
            QApplication.quit()
