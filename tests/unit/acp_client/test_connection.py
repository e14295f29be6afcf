"""Any bytes an agent writes become messages, noise or one protocol error: never an exception or a hang."""

import asyncio
import json
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.acp_client.connection import LineTransport, RefusedError, SidecarLimits
from tandem_desktop.domain.errors import SidecarProtocolError
from tests.support.patience import PATIENCE_S

LIMITS = SidecarLimits(message_bytes=4096, noise_lines=10)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
METHODS = st.sampled_from(["session/update", "session/request_permission", "fs/read_text_file", "x", ""])
MESSAGES = st.dictionaries(
    st.sampled_from(["id", "method", "params", "result", "error", "jsonrpc"]), JSON | METHODS, max_size=6
)


class Talk:
    """A transport on a real pipe, fed by hand."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.notices: list[str] = []
        self.served: list[str] = []

    async def hear(self, chunks: list[bytes]) -> LineTransport:
        reader = asyncio.StreamReader()
        for chunk in chunks:
            reader.feed_data(chunk)
        reader.feed_eof()
        near, far = os.pipe()
        loop = asyncio.get_running_loop()
        pipe, flow = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(far, "wb"))
        writer = asyncio.StreamWriter(pipe, flow, None, loop)
        transport = LineTransport(reader, writer, LIMITS, answer=self.answer, notice=self.notice)
        try:
            async with asyncio.timeout(PATIENCE_S):
                while (message := await transport.receive()) is not None:
                    self.answers.append(message)
                while transport.open_requests:
                    await asyncio.sleep(0)
        finally:
            pipe.abort()
            os.close(near)
            await transport.close()
        return transport

    async def answer(self, request_id: str, method: str, params: Any) -> Any:
        self.served.append(request_id)
        if method == "x":
            raise RefusedError(-32601, "no")
        return {}

    def notice(self, method: str, params: Any) -> None:
        self.notices.append(method)


def hear(chunks: list[bytes]) -> tuple[Talk, LineTransport]:
    talk = Talk()
    return talk, asyncio.run(talk.hear(chunks))


@given(st.lists(st.binary(max_size=200), max_size=8))
def test_no_bytes_are_too_odd(chunks: list[bytes]) -> None:
    _, transport = hear(chunks)
    assert transport.failure is None or isinstance(transport.failure, SidecarProtocolError)


@given(st.lists(MESSAGES, max_size=12))
def test_no_message_is_too_odd(messages: list[dict[str, Any]]) -> None:
    _, transport = hear([json.dumps(message).encode() + b"\n" for message in messages])
    assert transport.failure is None or isinstance(transport.failure, SidecarProtocolError)
    assert transport.open_requests == 0


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_messages_arrive_whole_however_the_pipe_cuts_them(size: int) -> None:
    messages: list[dict[str, Any]] = [{"id": 1, "result": "é" * 9}, {"method": "m"}, {"id": "r", "method": "m"}]
    data = b"\r\n".join(json.dumps(message, ensure_ascii=False).encode() for message in messages) + b"\n"
    talk, transport = hear([data[start : start + size] for start in range(0, len(data), size)])
    assert talk.answers == messages[:1]
    assert (talk.notices, talk.served, transport.noise) == (["m"], ["r"], 0)


def test_half_a_line_at_the_end_is_no_message() -> None:
    talk, transport = hear([b'{"id": 1, "result": 1}\n{"id": 2, "result"'])
    assert [message["id"] for message in talk.answers] == [1]
    assert transport.failure is None


@pytest.mark.parametrize(("size", "is_taken"), [(4096, True), (4097, False)])
def test_a_line_is_taken_up_to_the_limit_and_not_beyond(size: int, is_taken: bool) -> None:
    line = b'{"id": 1, "result": "' + b"x" * (size - 23) + b'"}'
    assert len(line) == size
    talk, transport = hear([line + b"\n"])
    assert bool(talk.answers) is is_taken
    assert (transport.failure is None) is is_taken


async def test_a_request_read_right_before_the_end_is_still_taken_up() -> None:
    begun: list[str] = []

    async def answer(request_id: str, method: str, params: Any) -> Any:
        begun.append(request_id)
        await asyncio.Event().wait()

    reader = asyncio.StreamReader()
    reader.feed_data(b'{"id": 1, "method": "session/request_permission", "params": {}}\n')
    near, far = os.pipe()
    loop = asyncio.get_running_loop()
    pipe, flow = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(far, "wb"))
    writer = asyncio.StreamWriter(pipe, flow, None, loop)
    transport = LineTransport(reader, writer, LIMITS, answer=answer, notice=Talk().notice)
    receiving = asyncio.create_task(transport.receive())
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not transport.open_requests:
                await asyncio.sleep(0)
            assert begun == []
            await transport.close()
    finally:
        receiving.cancel()
        pipe.abort()
        os.close(near)
    assert begun == ["1"]
