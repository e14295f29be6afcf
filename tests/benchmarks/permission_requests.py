"""What it costs to take in, judge, stage and answer ten thousand permission requests next to only reading their bytes.

Each request goes the whole way: framing, translation, rules, the record of what became of it, the answer on the pipe.
Both sides keep what they read, and both run with the same garbage collector, or both without.
"""

import asyncio
import gc
import json
import time
from collections.abc import Callable
from functools import partial

from acp.schema import RequestPermissionRequest
from pydantic import BaseModel

from tandem_desktop.acp_client import protocol
from tandem_desktop.acp_client.connection import LineTransport, SidecarLimits
from tandem_desktop.acp_client.requests import AcpSession, AgentRequests
from tandem_desktop.acp_client.tool_calls import ToolCalls, WorkspacePaths
from tandem_desktop.domain.agent_protocol import AgentUpdate, PermissionAnswer, PermissionRequest
from tandem_desktop.domain.authorization import SessionPermissions
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.policy.rules import AuthorizationPolicy
from tandem_desktop.sessions.interceptor import PermissionInterceptor
from tandem_desktop.settings import Settings
from tandem_desktop.staging.requests import Handling, InterceptedRequest, QueuedCommand
from tests.benchmarks.rounds import measure, row
from tests.support.sidecars import NotingClient
from tests.support.transcripts import FROM_AGENT, messages

REQUESTS = 10_000


class Envelope(BaseModel):
    """A request as the library's models read it, and nothing more."""

    id: int
    method: str
    params: RequestPermissionRequest


class StagingClient(NotingClient):
    """Passes every question to the session's own interceptor, in Plan mode; commands wait in order."""

    def __init__(self) -> None:
        super().__init__()
        self.queued: list[QueuedCommand] = []
        self.staged = 0
        self.is_done = asyncio.Event()
        self.interceptor = PermissionInterceptor(
            SessionId("s"),
            policy=AuthorizationPolicy(),
            settings=Settings(commands_while_planning="stage"),
            queue=self._queue,
            decided=self._count,
            permissions=SessionPermissions(plan_mode=True),
        )

    async def decide(self, request: PermissionRequest) -> PermissionAnswer:
        return await self.interceptor.decide(request)

    def on_update(self, session_id: SessionId, update: AgentUpdate) -> None:
        raise AssertionError("only requests are sent")

    def _count(self, request: InterceptedRequest) -> None:
        self.staged += 1
        if self.staged == REQUESTS:
            self.is_done.set()

    async def _queue(self, command: QueuedCommand) -> int:
        self.queued.append(command)
        return len(self.queued)


def main(rounds: int = 9) -> None:
    print(f"Permission requests: processor time, {REQUESTS:,} requests, {rounds} rounds, shuffled")
    for name, figures in run(rounds):
        print(f"  {name:<38} {figures}")


def run(rounds: int) -> list[tuple[str, str]]:
    lines = recorded()
    rows = []
    for collecting, suffix in ((True, ""), (False, ", no collector")):
        within = partial(alone, collecting=collecting)
        found = measure(
            {
                "read": partial(within, lambda: read(lines)),
                "stage": partial(within, lambda: asyncio.run(staged(lines))),
            },
            rounds,
        )
        rows.append(row(f"stage 10,000 requests{suffix}", found["stage"], found["read"], "pydantic read"))
    return rows


def alone(work: Callable[[], float], *, collecting: bool) -> float:
    """The seconds of `work`, begun with nothing to collect."""
    gc.collect()
    if not collecting:
        gc.disable()
    try:
        return work()
    finally:
        gc.enable()


def recorded() -> list[bytes]:
    """Requests of real agents with new ids and tool calls, all in one session."""
    requests = [
        message["params"]
        for name in ("oc_seq_allow", "claude_seq_allow", "goose_seq_allow", "qwen_seq_allow")
        for direction, message in messages(name)
        if direction == FROM_AGENT and message.get("method") == "session/request_permission"
    ]
    lines = []
    for number in range(REQUESTS):
        params = requests[number % len(requests)]
        call = {**params["toolCall"], "toolCallId": f"call-{number}"}
        params = {**params, "sessionId": "s", "toolCall": call}
        lines.append(
            json.dumps(
                {"jsonrpc": "2.0", "id": number, "method": "session/request_permission", "params": params}
            ).encode()
        )
    return lines


def read(lines: list[bytes]) -> float:
    started = time.process_time()
    kept = [Envelope.model_validate_json(line) for line in lines]
    seconds = time.process_time() - started
    assert len(kept) == REQUESTS
    return seconds


async def staged(lines: list[bytes]) -> float:
    """Seconds from the first byte in the pipe to the last answer written."""
    limits, paths = SidecarLimits(), WorkspacePaths("/workspace")
    reader = asyncio.StreamReader()
    client = StagingClient()
    requests = AgentRequests(client, paths, read_update=protocol.read_update)
    conversation = AcpSession(SessionId("s"), ToolCalls(paths, limits))
    conversation.begin_turn()
    requests.opened(conversation)
    transport = LineTransport(reader, await a_drain(), limits, answer=requests.answer, notice=requests.notice)
    started = time.process_time()
    wire = protocol.Wire(transport)
    for start in range(0, REQUESTS, 64):
        reader.feed_data(b"\n".join(lines[start : start + 64]) + b"\n")
        await asyncio.sleep(0)
    await client.is_done.wait()
    while transport.open_requests:
        await asyncio.sleep(0)
    seconds = time.process_time() - started
    assert client.queued
    staged = [each for each in client.interceptor.requests if each.handling in (Handling.HELD, Handling.QUEUED)]
    assert len(staged) > REQUESTS // 2
    await wire.close()
    return seconds


async def a_drain() -> asyncio.StreamWriter:
    """A pipe's end that takes everything at once."""
    loop = asyncio.get_running_loop()
    transport, flow = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, open("/dev/null", "wb"))
    return asyncio.StreamWriter(transport, flow, None, loop)


if __name__ == "__main__":
    main()
