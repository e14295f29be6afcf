"""A stop request made in a signal handler."""

import asyncio


class StopRequest:
    """Can be made once, and only while somebody waits for it."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._made: asyncio.Event | None = None

    def request(self) -> bool:
        """Make it; False when nobody waits for it, or when it was made before."""
        loop, made = self._loop, self._made
        if loop is None or made is None:
            return False
        self._loop = None
        loop.call_soon_threadsafe(made.set)
        return True

    async def wait(self) -> None:
        """Until it is made."""
        self._made = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        await self._made.wait()
