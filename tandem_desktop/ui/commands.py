"""A click becomes a command to the engine; what came of it is delivered on the GUI thread."""

import logging
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from tandem_desktop.domain.errors import TandemError

_Answer = TypeVar("_Answer")
_log = logging.getLogger(__name__)


class UnexpectedError(TandemError):
    """A bug: nobody foresaw this."""

    kind = "bug"
    exit_code = 1


class Commands(QObject):
    """Waits for futures without blocking anybody. Whatever fails arrives as an error with a sentence."""

    failed = Signal(object)
    """A `TandemError` that no one else took care of."""
    _arrived = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_closed = False
        self._asked: dict[str, int] = {}
        self._heard: dict[str, int] = {}
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def close(self) -> None:
        """What arrives from now on finds nobody; safe to call again."""
        if not self._is_closed:
            self._is_closed = True
            self._arrived.disconnect(self._deliver)

    def run(
        self,
        future: "Future[_Answer]",
        done: Callable[[_Answer], None] = lambda answer: None,
        failed: Callable[[TandemError], None] | None = None,
    ) -> None:
        """Call `done` or `failed` on the GUI thread once the future has an outcome."""
        # An outcome waits in the queue until the GUI thread takes it; a future is never waited for.
        future.add_done_callback(lambda ended: self._arrived.emit(ended, (done, failed or self.failed.emit)))

    def latest(
        self,
        about: str,
        future: "Future[_Answer]",
        done: Callable[[_Answer], None],
        failed: Callable[[TandemError], None] | None = None,
    ) -> None:
        """As `run`, for what is asked again and again: an answer that was overtaken by a later one is not heard."""
        number = self._asked[about] = self._asked.get(about, 0) + 1

        def unless_overtaken(way: Callable[[Any], None]) -> Callable[[Any], None]:
            def hear(outcome: Any) -> None:
                if number > self._heard.get(about, 0):
                    self._heard[about] = number
                    way(outcome)

            return hear

        self.run(future, unless_overtaken(done), unless_overtaken(failed or self.failed.emit))

    def _deliver(self, ended: "Future[Any]", ways: tuple[Callable[[Any], None], Callable[[TandemError], None]]) -> None:
        done, failed = ways
        try:
            answer = ended.result()
        except CancelledError:
            return
        except TandemError as error:
            failed(error)
            return
        except Exception as error:
            _log.exception("A command failed unexpectedly.")
            failed(
                UnexpectedError(
                    f"This is a bug in Tandem ({type(error).__name__}: {error}).",
                    next="Nothing is lost: plans and runs are on disk. tandem doctor looks for what is wrong.",
                )
            )
            return
        done(answer)
