"""What it costs to take in, translate and answer ten thousand permission requests next to only reading their bytes."""

import asyncio
import json
import time

from acp.schema import RequestPermissionRequest
from pydantic import BaseModel

from tandem_desktop.domain.ids import SessionId
from tandem_desktop.sidecar import protocol
from tandem_desktop.sidecar.agent_requests import AgentRequests
from tandem_desktop.sidecar.connection import LineTransport
from tandem_desktop.sidecar.conversation import Conversation
from tandem_desktop.sidecar.limits import SidecarLimits
from tandem_desktop.sidecar.tool_calls import ToolCalls
from tandem_desktop.sidecar.workspace_paths import WorkspacePaths
from tests.benchmarks.rounds import measure, row, seconds_of
from tests.support.sidecars import NotingClient
from tests.support.transcripts import FROM_AGENT, messages

REQUESTS = 10_000


class Envelope(BaseModel):
    """A request as the library's models read it, and nothing more."""

    id: int
    method: str
    params: RequestPermissionRequest


def main(rounds: int = 9) -> None:
    print(f"Permission requests: wall time, {REQUESTS:,} requests, {rounds} rounds, shuffled")
    for name, figures in run(rounds):
        print(f"  {name:<34} {figures}")


def run(rounds: int) -> list[tuple[str, str]]:
    lines = recorded()
    found = measure(
        {
            "read": lambda: seconds_of(lambda: [Envelope.model_validate_json(line) for line in lines]),
            "answer": lambda: asyncio.run(answered(lines)),
        },
        rounds,
    )
    return [row("answer 10,000 permission requests", found["answer"], found["read"], "pydantic read")]


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


async def answered(lines: list[bytes]) -> float:
    """Seconds from the first byte in the pipe to the last answer written."""
    limits, paths = SidecarLimits(), WorkspacePaths("/workspace")
    reader = asyncio.StreamReader()
    client = NotingClient()
    requests = AgentRequests(client, paths, read_tool_call=protocol.read_tool_call, read_update=protocol.read_update)
    conversation = Conversation(SessionId("s"), ToolCalls(paths, limits))
    conversation.begin_turn()
    requests.opened(conversation)
    transport = LineTransport(reader, await a_drain(), limits, answer=requests.answer, notice=requests.notice)
    started = time.perf_counter()
    wire = protocol.Wire(transport)
    for start in range(0, REQUESTS, 64):
        reader.feed_data(b"\n".join(lines[start : start + 64]) + b"\n")
        await asyncio.sleep(0)
    while len(client.requests) < REQUESTS or transport.open_requests:
        await asyncio.sleep(0)
    seconds = time.perf_counter() - started
    await wire.close()
    return seconds


async def a_drain() -> asyncio.StreamWriter:
    """A pipe's end that takes everything at once."""
    loop = asyncio.get_running_loop()
    transport, flow = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, open("/dev/null", "wb"))
    return asyncio.StreamWriter(transport, flow, None, loop)


if __name__ == "__main__":
    main()
