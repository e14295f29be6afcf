"""A question to a person about one request: the agent's side waits, the person answers from any thread, once."""

import asyncio
import threading
from enum import StrEnum
from typing import ClassVar

from tandem_desktop.domain.agents import PermissionRequest
from tandem_desktop.domain.frozen import Frozen


class Decision(StrEnum):
    """What a person can say."""

    YES = "yes"
    SKIP = "skip"
    NO = "no"


class ConfirmationResponse(Frozen):
    """What the person said, and what they want the agent to do instead."""

    decision: Decision
    instructions: str = ""


class Confirmation:
    """One pending question. Made on the event loop; `resolve` and `withdraw` are safe from any thread.

    The first answer counts, and every later one is told that it came too late.
    """

    CHOICES: ClassVar[dict[str, Decision]] = {"1": Decision.YES, "2": Decision.SKIP, "3": Decision.NO}
    """The key for each choice: [1] Yes [2] Skip [3] No."""

    def __init__(self, request: PermissionRequest) -> None:
        self.request = request
        self._loop = asyncio.get_running_loop()
        self._future: asyncio.Future[ConfirmationResponse | None] = self._loop.create_future()
        self._lock = threading.Lock()
        self._settled = False
        self.withdrawn_because = ""

    @property
    def is_open(self) -> bool:
        return not self._settled

    def resolve(self, decision: Decision, instructions: str = "") -> bool:
        """Answer it; whether this answer was the first."""
        return self._settle(ConfirmationResponse(decision=decision, instructions=instructions), "")

    def press(self, key: str, instructions: str = "") -> bool:
        """Answer it with a key; any other key does nothing."""
        decision = self.CHOICES.get(key)
        return decision is not None and self.resolve(decision, instructions)

    def withdraw(self, reason: str) -> bool:
        """Take the question back; whether it was still open."""
        return self._settle(None, reason)

    async def response(self) -> ConfirmationResponse | None:
        """What the person says; None when the question is taken back first."""
        return await self._future

    def _settle(self, response: ConfirmationResponse | None, reason: str) -> bool:
        with self._lock:
            if self._settled:
                return False
            self._settled = True
            self.withdrawn_because = reason
        try:
            self._loop.call_soon_threadsafe(self._hand_over, response)
        except RuntimeError:
            return False  # the loop has ended, and with it whoever waited
        return True

    def _hand_over(self, response: ConfirmationResponse | None) -> None:
        if not self._future.done():
            self._future.set_result(response)
