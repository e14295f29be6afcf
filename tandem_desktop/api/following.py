"""Carry events from the threads they happen on to whoever listens over HTTP, without ever waiting for a listener."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from tandem_desktop.api.telling import HEARTBEAT, LOST, told
from tandem_desktop.events.events import TandemEvent
from tandem_desktop.events.stream import EventStream

MOST_WAITING = 4_096
"""A listener that is further behind loses events, and is told so."""
HEARTBEAT_S = 15.0


class Follower:
    """One listener, from the moment it is made until it is closed."""

    def __init__(self, events: EventStream) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Queue[TandemEvent | None] = asyncio.Queue(MOST_WAITING)
        self._has_lost = False
        self._is_closed = False
        self._unsubscribe = events.subscribe(self._hear)

    async def next(self) -> TandemEvent | None:
        """The next event; nothing when it was closed and all has been handed out."""
        if self._is_closed and self._waiting.empty():
            return None
        return await self._waiting.get()

    def take_loss(self) -> bool:
        """Whether events were lost since this was last asked."""
        lost, self._has_lost = self._has_lost, False
        return lost

    def close(self) -> None:
        """Hear no more; what waits is still handed out."""
        self._unsubscribe()
        self._is_closed = True
        if self._waiting.empty():
            self._waiting.put_nowait(None)

    def _hear(self, event: TandemEvent) -> None:
        if told(event):
            self._loop.call_soon_threadsafe(self._offer, event)

    def _offer(self, event: TandemEvent) -> None:
        if self._waiting.full():
            self._has_lost = True
        elif not self._is_closed:
            self._waiting.put_nowait(event)


async def lines(follower: Follower, heartbeat_s: float = HEARTBEAT_S) -> AsyncIterator[dict[str, Any]]:
    """Every event as it comes, and a sign of life where none does, so that a listener who left is noticed."""
    yield HEARTBEAT
    try:
        while True:
            try:
                event = await asyncio.wait_for(follower.next(), heartbeat_s)
            except TimeoutError:
                yield HEARTBEAT
                continue
            if event is None:
                return
            if follower.take_loss():
                yield LOST
            for line in told(event):
                yield line
    finally:
        follower.close()


async def as_ndjson(found: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
    async for line in found:
        yield json.dumps(line).encode() + b"\n"


async def as_sse(found: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
    async for line in found:
        yield f"event: {line['type']}\ndata: {json.dumps(line)}\n\n".encode()
