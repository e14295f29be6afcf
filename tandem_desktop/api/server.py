"""Runs the HTTP server on the loopback interface."""

import asyncio
import secrets
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from tandem_desktop.api.app import Api, Visitors
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.services.engine import Engine

LOOPBACK = "127.0.0.1"
HEADERS_S = 5.0
MOST_HEADER_BYTES = 32 * 1024
MOST_CONNECTIONS = 64
"""Of clients that have shown the token."""
MOST_STRANGERS = 256
"""Connections that have not shown the token; beyond it the oldest of them is closed."""
_BACKLOG = 32
"""Connections accepted at once: a client's request is read long before MOST_STRANGERS others can push it out."""
_QUEUE = 1024
"""Connections the kernel holds until they are accepted."""
_HANGING_UP_S = 5
_TOKEN_BYTES = 32

Ready = Callable[[str, str], None]
"""Is told the address and the token as soon as requests are answered."""


def serve(engine: Engine, port: int, ready: Ready) -> None:
    """Answer requests until SIGINT or SIGTERM; port 0 takes a free one.

    Raises:
        BadInputError: the port cannot be had.
    """
    listening = _listening(port)
    chosen = listening.getsockname()[1]
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    api = Api(engine, token, chosen, Visitors(MOST_STRANGERS, MOST_CONNECTIONS))
    config = uvicorn.Config(
        api,
        http=PatientProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=_HANGING_UP_S,
    )
    try:
        asyncio.run(_Server(config, api, lambda: ready(f"http://{LOOPBACK}:{chosen}", token)).serve([listening]))
    finally:
        listening.close()


class _Server(uvicorn.Server):
    """Says when it is ready, and turns a signal into a quiet end."""

    def __init__(self, config: uvicorn.Config, api: Api, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._api = api
        self._ready = ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Override: uvicorn re-raises the signal on exit; here the shutdown is clean."""
        loop = asyncio.get_running_loop()
        numbers = (signal.SIGINT, signal.SIGTERM)
        for number in numbers:
            loop.add_signal_handler(number, self._end)
        try:
            yield
        finally:
            for number in numbers:
                loop.remove_signal_handler(number)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(_QUEUE)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for runs first, so that clients get their end."""
        await self._api.stop()
        self._api.hang_up()
        await super().shutdown(sockets)

    def _end(self) -> None:
        self.should_exit = True


class PatientProtocol(H11Protocol):
    """HTTP with a time limit for the head of a request."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as theirs
        super().connection_made(transport)
        self._visitors.arrive(self.client, transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._wait_no_more()
        elif self._waiting is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        self._visitors.leave(self.client)
        super().connection_lost(exc)

    @property
    def _visitors(self) -> Visitors:
        api = self.config.app
        assert isinstance(api, Api)
        return api.visitors

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(HEADERS_S, self.transport.close)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def _listening(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((LOOPBACK, port))
    except OSError as error:
        found.close()
        raise BadInputError(
            f"Port {port} cannot be had: {error.strerror}.", next="Name another with --port, or none for a free one."
        ) from None
    return found
