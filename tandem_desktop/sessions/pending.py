"""A question that waits for one answer, given on any thread."""

import asyncio
import threading
from typing import Generic, TypeVar

Response = TypeVar("Response")


class PendingAnswer(Generic[Response]):
    """Made on the event loop; settled from any thread.

    The first answer counts, and every later one is told that it came too late.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._future: asyncio.Future[Response | None] = self._loop.create_future()
        self._lock = threading.Lock()
        self._settled = False
        self.withdrawn_because = ""

    @property
    def is_open(self) -> bool:
        return not self._settled

    def settle(self, response: Response) -> bool:
        """Answer it; whether this answer was the first."""
        return self._settle(response, "")

    def withdraw(self, reason: str) -> bool:
        """Take the question back; whether it was still open."""
        return self._settle(None, reason)

    async def response(self) -> Response | None:
        """The answer; None when the question is taken back first."""
        return await self._future

    def _settle(self, response: Response | None, reason: str) -> bool:
        with self._lock:
            if self._settled:
                return False
            self._settled = True
            self.withdrawn_because = reason
        try:
            self._loop.call_soon_threadsafe(self._hand_over, response)
        except RuntimeError:
            return False  # the loop has ended, and the waiting task with it
        return True

    def _hand_over(self, response: Response | None) -> None:
        if not self._future.done():
            self._future.set_result(response)
