"""What nobody caught, on any thread: it is logged, told where it was told before, and told to the person."""

import logging
import sys
import threading
from types import TracebackType

from PySide6.QtCore import QObject, Signal

_log = logging.getLogger("tandem_desktop")


class Uncaught(QObject):
    """Takes the place of what Python does with it, and does that too."""

    happened = Signal(str)
    """The name of the fault. Emitted on the thread that failed; whoever shows it lives on its own."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._told = sys.excepthook
        self._told_beside = threading.excepthook

    def listen(self) -> None:
        """From now on."""
        sys.excepthook = self._uncaught
        threading.excepthook = self._uncaught_beside

    def leave(self) -> None:
        sys.excepthook, threading.excepthook = self._told, self._told_beside

    def _uncaught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _log.critical("Nobody caught this.", exc_info=(kind, error, trace))
        self._told(kind, error, trace)
        if not issubclass(kind, KeyboardInterrupt):
            self.happened.emit(kind.__name__)

    def _uncaught_beside(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and args.exc_type is not SystemExit:
            self._uncaught(args.exc_type, args.exc_value, args.exc_traceback)
