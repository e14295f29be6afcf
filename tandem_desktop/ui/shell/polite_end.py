"""A polite request to end, as at the end of a desktop session, closes the window like a person would."""

import signal
import socket
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier
from PySide6.QtWidgets import QApplication

_POLITE = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class PoliteEnd(QObject):
    """Wakes Qt's loop when a signal has come: Python alone would hear of it only with the next event."""

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
        """The loop is woken by the byte that was written for it."""

    def _leave(self) -> None:
        if set(self._ours.recv(64)) & {int(each) for each in _POLITE}:
            QApplication.closeAllWindows()
            QApplication.quit()
