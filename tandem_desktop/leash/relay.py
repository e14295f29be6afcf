"""One end of a relayed connection: hands on what comes, as fast as the other end takes it.

Protocols, not streams: a request crosses without waking a task.
"""

import asyncio
import contextlib
from typing import cast

HEAD_BYTES = 64 * 1024
HEAD_END = b"\r\n\r\n"


class RelayEnd(asyncio.Protocol):
    """Keeps what comes until it is joined with another end, then hands it on."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.transport: asyncio.Transport
        self.ended: asyncio.Future[None] = loop.create_future()
        """Done when the connection is gone."""
        self._peer: RelayEnd | None = None
        self._kept = bytearray()
        self._has_ended = False
        self._news = asyncio.Event()

    async def head(self) -> bytes:
        """What comes before the first empty line, with that; what follows is kept.

        Raises:
            ValueError: it is too long.
            ConnectionError: the other side hung up before its end.
        """
        while (end := self._kept.find(HEAD_END)) < 0:
            if len(self._kept) > HEAD_BYTES:
                raise ValueError("the head is too long")
            if self._has_ended or self.ended.done():
                raise ConnectionResetError("hung up")
            self._news.clear()
            await self._news.wait()
        found = bytes(self._kept[: end + len(HEAD_END)])
        del self._kept[: len(found)]
        return found

    def join(self, other: "RelayEnd") -> None:
        """Let everything that comes here go there, and the other way round."""
        for one, peer in ((self, other), (other, self)):
            one._peer = peer
            if one._kept:
                peer.transport.write(bytes(one._kept))
                one._kept.clear()
            if one._has_ended:
                peer._write_end()
            if one.ended.done():
                peer.transport.close()
            one.transport.resume_reading()

    def write(self, data: bytes) -> None:
        self.transport.write(data)

    def close(self) -> None:
        self.transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self._peer is not None:
            self._peer.transport.write(data)
            return
        self._kept += data
        if len(self._kept) > HEAD_BYTES:
            self.transport.pause_reading()
        self._news.set()

    def eof_received(self) -> bool:
        self._has_ended = True
        self._news.set()
        if self._peer is not None:
            self._peer._write_end()
        return True  # the other direction may still be in use

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)
        self._news.set()
        if self._peer is not None:
            self._peer.transport.close()

    def pause_writing(self) -> None:
        if self._peer is not None:
            self._peer.transport.pause_reading()

    def resume_writing(self) -> None:
        if self._peer is not None:
            self._peer.transport.resume_reading()

    def _write_end(self) -> None:
        with contextlib.suppress(OSError, NotImplementedError, RuntimeError):
            if self.transport.can_write_eof():
                self.transport.write_eof()
        if self._has_ended:
            self.transport.close()
