"""Clear away what a finished run no longer needs, without letting the person wait for it."""

import threading
from collections.abc import Callable


def clear_now(clearing: Callable[[], None]) -> None:
    """Before the caller goes on: right for a process that ends with its run."""
    clearing()


class ClearBeside:
    """Beside the caller, for a process that lives on. A run that begins meanwhile finds nothing in its way."""

    def __init__(self) -> None:
        self._threads: list[threading.Thread] = []

    def __call__(self, clearing: Callable[[], None]) -> None:
        self.finish(0)
        thread = threading.Thread(target=clearing, name="clearing")
        thread.start()
        self._threads.append(thread)

    def finish(self, timeout_s: float | None = None) -> None:
        """Wait until everything is cleared."""
        for thread in self._threads:
            thread.join(timeout_s)
        self._threads = [thread for thread in self._threads if thread.is_alive()]
