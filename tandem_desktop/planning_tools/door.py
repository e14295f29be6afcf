"""Let connections in, one task each, and end every one of them when the door closes."""

import asyncio
import logging
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable

Receive = Callable[["asyncio.Task[None]", StreamReader, StreamWriter], Awaitable[None]]

_logger = logging.getLogger(__name__)
_LAST_BYTES_S = 1.0
"""How long the last answer may take to be read before the connection is cut."""
_PAUSE_S = 1.0
"""Until the next look when the system has no room for another connection."""


class Door:
    """A listening socket. Unlike the library's own server it loses no connection that arrives while it closes."""

    def __init__(self, listener: socket.socket, receive: Receive) -> None:
        self._listener = listener
        self._receive = receive
        self._inside: set[asyncio.Task[None]] = set()
        self._is_open = False

    def open(self) -> None:
        self._is_open = True
        self._listener.setblocking(False)
        self._listener.listen()
        self._watch()

    async def close(self) -> None:
        """Nobody gets in any more, and whoever is inside leaves."""
        if self._is_open:
            self._is_open = False
            asyncio.get_running_loop().remove_reader(self._listener)
        self._listener.close()
        inside = list(self._inside)
        for task in inside:
            task.cancel()
        await asyncio.gather(*inside, return_exceptions=True)

    def _watch(self) -> None:
        if self._is_open:
            asyncio.get_running_loop().add_reader(self._listener, self._let_in)

    def _let_in(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError:  # no descriptors left, or no memory: whoever knocks has to wait
            loop.remove_reader(self._listener)
            loop.call_later(_PAUSE_S, self._watch)
            return
        task = loop.create_task(self._host(connection))
        self._inside.add(task)
        task.add_done_callback(self._inside.discard)
        task.add_done_callback(lambda _: connection.close())  # also when it was cancelled before it began

    async def _host(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=connection)
        task = asyncio.current_task()
        assert task is not None
        try:
            await self._receive(task, reader, writer)
            writer.close()
            async with asyncio.timeout(_LAST_BYTES_S):
                await writer.wait_closed()
        except (ConnectionError, TimeoutError):
            pass  # nobody is left to be told
        except Exception:
            _logger.exception("a connection of the planning tools failed")
        finally:
            writer.transport.abort()
