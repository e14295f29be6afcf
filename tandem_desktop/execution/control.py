"""Stop and pause requests for a run."""

import threading
from collections.abc import Callable


class RunControl:
    """What a person's Stop and Pause buttons, or Ctrl-C, turn."""

    def __init__(self) -> None:
        self._aborted = threading.Event()
        self._going = threading.Event()
        self._going.set()
        self._is_free = True
        """Neither stopped nor paused: asked before every single step."""
        self._on_wait: Callable[[bool], None] = lambda waits: None

    def watch(self, on_wait: Callable[[bool], None]) -> None:
        """Tell `on_wait`, on the thread of the run, when it begins to wait and when it goes on."""
        self._on_wait = on_wait

    def abort(self) -> None:
        self._aborted.set()
        self._is_free = False
        self._going.set()

    def pause(self) -> None:
        self._going.clear()
        self._is_free = False

    def resume(self) -> None:
        self._is_free = True
        if self._aborted.is_set():  # asked last, so that a stop at the same moment is not lost
            self._is_free = False
        self._going.set()

    @property
    def is_aborted(self) -> bool:
        return self._aborted.is_set()

    @property
    def is_paused(self) -> bool:
        return not self._going.is_set()

    def may_go_on(self) -> bool:
        """Wait while paused; then say whether to go on."""
        if self._is_free:
            return True
        if self.is_paused:
            self._on_wait(True)
            self._going.wait()
            self._on_wait(False)
        return not self._aborted.is_set()
