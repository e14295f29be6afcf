"""Our end of the connection to an editor."""

import asyncio
import contextlib
import os
from typing import Any, BinaryIO

from tandem_desktop.acp_client.connection import Answer, LineTransport, Notice, RefusedError, SidecarLimits
from tandem_desktop.domain.models import quick_models

with quick_models():  # slow to import; the other modules take the models from here
    from acp import schema
    from acp.connection import Connection
    from acp.exceptions import RequestError

__all__ = ["EditorWire", "open_streams", "schema"]

Json = dict[str, Any]


class EditorWire:
    """Serves what the editor asks and asks it in turn. Each answer settles the one request it belongs to, once."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        answer: Answer,
        notice: Notice,
        limits: SidecarLimits | None = None,
    ) -> None:
        self._transport = LineTransport(
            reader, writer, limits or SidecarLimits(), answer=answer, notice=notice, peer="editor"
        )
        self._connection = Connection(_nothing_else, self._transport, listening=False)

    async def serve(self) -> None:
        """Until the editor is gone."""
        await self._connection.main_loop()

    async def ask(self, method: str, params: Json) -> Any:
        """The editor's answer.

        Raises:
            RefusedError: it answered with an error.
            ConnectionError: it is gone.
        """
        try:
            return await self._connection.send_request(method, params)
        except RequestError as error:
            raise RefusedError(error.code if isinstance(error.code, int) else 0, str(error), error.data) from error

    async def tell(self, session_id: str, update: Json) -> None:
        """Send an update; one that is too long, or for an editor that is gone, is left out."""
        with contextlib.suppress(ConnectionError, RefusedError):
            await self._connection.send_notification("session/update", {"sessionId": session_id, "update": update})

    async def close(self) -> None:
        await self._transport.close()
        await self._connection.close()


async def open_streams(source: BinaryIO, target: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Streams over pipes, of which `target` is taken over."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), source)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(target, "wb", 0))
    return reader, asyncio.StreamWriter(transport, protocol, None, loop)


async def _nothing_else(method: str, params: Any, is_notification: bool) -> None:
    """The transport passes on nothing but answers."""
    raise RequestError.method_not_found(method)
