"""Runs the engine's asyncio loop on its own thread."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from tandem_desktop.domain.errors import TandemError

_Result = TypeVar("_Result")
_log = logging.getLogger(__name__)


class EngineThread:
    """Runs coroutines until it is closed. Agents run on it and end with it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="engine")
        self._thread.start()

    def __enter__(self) -> "EngineThread":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, work: Coroutine[Any, Any, _Result]) -> "Future[_Result]":
        """Start a coroutine on the engine's thread; cancelling the future cancels it.

        Once the thread has ended, a cancelled future is returned.
        """
        if not self._thread.is_alive() or self._loop.is_closed():
            work.close()
            nothing: Future[_Result] = Future()
            nothing.cancel()
            return nothing
        answer = asyncio.run_coroutine_threadsafe(work, self._loop)
        answer.add_done_callback(log_failure)
        return answer

    def wait_for(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Run a coroutine on the engine's thread and wait for it; an interrupt cancels it and waits for its end."""
        answer = self.submit(work)
        try:
            return answer.result()
        except KeyboardInterrupt:
            answer.cancel()
            self.submit(_nothing()).result()
            raise

    def close(self) -> None:
        """Cancel what still runs and end the thread; safe to call again."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            left = asyncio.all_tasks(self._loop)
            for task in left:
                task.cancel()
            with contextlib.suppress(Exception):
                self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()


def log_failure(ended: "Future[Any]") -> None:
    """Log that a task failed, by the kind of its error; the message may quote a file or a prompt."""
    if not ended.cancelled() and (error := ended.exception()) is not None:
        kind = error.kind if isinstance(error, TandemError) else "unexpected"
        _log.info("background task failed: %s (%s)", type(error).__name__, kind)


async def _nothing() -> None:
    return None
