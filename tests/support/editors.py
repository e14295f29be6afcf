"""Editors that talk to `tandem acp`: the client of the protocol's own library with a real process, and bare frames."""

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import acp
from acp import schema

from tandem_desktop.acp_agent.server import EditorAgent
from tandem_desktop.acp_client.profiles import custom_profile
from tandem_desktop.app.wiring import build_engine
from tandem_desktop.background import Background
from tandem_desktop.domain.ids import PlanId, SessionId
from tandem_desktop.services.engine_thread import EngineThread
from tandem_desktop.sessions.manager import AgentSessions
from tandem_desktop.sessions.record import SessionFacts, SessionRecord
from tests.support.patience import PATIENCE_S

Json = dict[str, Any]
NONE = "none"
"""Withdraw the request."""
_READ_LIMIT = 16 * 1024 * 1024


class Editor:
    """The library's client. `answers` are given to requests in turn, by the id of an option; then there is none."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[Json] = []
        self.updates: list[Any] = []
        self.is_asked = asyncio.Event()
        self.may_answer = asyncio.Event()
        """Clear it to hold answers back."""
        self.may_answer.set()
        self.on_request: Callable[[], None] = lambda: None
        self.session_id = ""
        self.connection: Any = None
        self.process: Any = None

    def on_connect(self, conn: Any) -> None:
        """Nothing to do: the connection is kept by `editor`."""

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.updates.append(update)

    async def request_permission(
        self, session_id: str, tool_call: Any, options: list[Any], **_: Any
    ) -> schema.RequestPermissionResponse:
        request = {
            "toolCall": tool_call.model_dump(mode="json", by_alias=True, exclude_none=True),
            "options": [option.option_id for option in options],
        }
        self.asked.append(request)
        self.on_request()
        self.is_asked.set()
        await self.may_answer.wait()
        answer = self.answers.pop(0) if self.answers else NONE
        if answer == NONE:
            return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))
        return schema.RequestPermissionResponse(outcome=schema.AllowedOutcome(outcome="selected", option_id=answer))

    async def say(self, text: str, *attached: Any) -> str:
        """Send a message; how its turn ended."""
        prompt = [acp.text_block(text), *attached]
        async with asyncio.timeout(PATIENCE_S):
            answer = await self.connection.prompt(session_id=self.session_id, prompt=prompt)
        return str(answer.stop_reason)

    @property
    def said(self) -> str:
        """All messages of the agent, as one text."""
        chunks = (each for each in self.updates if isinstance(each, schema.AgentMessageChunk))
        return "".join(each.content.text for each in chunks)

    def diffs(self, number: int = -1) -> dict[str, tuple[str | None, str]]:
        """What a request showed of files, before and after, by the name of the file."""
        content = self.asked[number]["toolCall"]["content"]
        found = (each for each in content if each["type"] == "diff")
        return {Path(each["path"]).name: (each.get("oldText"), each["newText"]) for each in found}


@asynccontextmanager
async def editor(root: Path, words: Sequence[str], *answers: str, session: str = "") -> AsyncIterator[Editor]:
    """An editor with `tandem acp` and a session in `root`; with `session` one of before, loaded."""
    found = Editor(*answers)
    command = (sys.executable, "-m", "tandem_desktop", "acp", *words)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        environment.pop(name, None)
    streams = {"limit": _READ_LIMIT, "shutdown_timeout": PATIENCE_S}
    async with acp.spawn_agent_process(found, *command, env=environment, cwd=root, transport_kwargs=streams) as (
        connection,
        process,
    ):
        found.connection, found.process = connection, process
        async with asyncio.timeout(PATIENCE_S):
            await connection.initialize(protocol_version=1, client_capabilities=schema.ClientCapabilities())
            if session:
                found.session_id = session
                await connection.load_session(cwd=str(root), session_id=session, mcp_servers=[])
            else:
                opened = await connection.new_session(cwd=str(root), mcp_servers=[])
                found.session_id = opened.session_id
        yield found


SESSION = SessionId("SES-00000001")
"""The session of before that `a_plan` makes."""
Window = Callable[[Path, str], "subprocess.Popen[bytes] | None"]


def open_workspace(root: Path, is_there: bool) -> Background:
    engine = build_engine(root)
    return Background(engine, AgentSessions(engine, engine.settings, engine.clock), EngineThread())


def a_plan(root: Path, path: str = "a.txt") -> PlanId:
    """A plan that waits, and a session of before."""
    engine = build_engine(root)
    step = {"tool": "write", "args": {"path": path, "content": "two\n"}, "description": "Change."}
    plan = engine.proposals.propose(json.dumps({"title": "Two", "steps": [step]}).encode()).plan_id
    facts = SessionFacts(id=SESSION, agent="built-in", workspace=str(engine.locations.workspace))
    SessionRecord(engine.locations.sessions / SESSION).save(facts)
    engine.close()
    return plan


class Frames:
    """The editor's end of a pair of sockets: bytes out, messages in."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.heard: list[Json] = []

    def put(self, data: bytes) -> None:
        self._writer.write(data)

    def send(self, message: Json) -> None:
        self.put(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def hear(self) -> Json | None:
        """The next message; None at the end."""
        line = await self._reader.readline()
        if not line:
            return None
        self.heard.append(json.loads(line))
        return self.heard[-1]

    async def hear_until(self, is_it: Callable[[Json], bool]) -> Json:
        async with asyncio.timeout(PATIENCE_S):
            while (message := await self.hear()) is not None:
                if is_it(message):
                    return message
        raise AssertionError("the other side is gone")

    async def call(self, number: int, method: str, params: Any) -> Json:
        """The answer to a request."""
        self.send({"id": number, "method": method, "params": params})
        return await self.hear_until(lambda each: each.get("id") == number and "method" not in each)

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    def end(self) -> None:
        if not self._writer.is_closing():
            self._writer.write_eof()


@asynccontextmanager
async def served(window: Window = lambda root, plan: None) -> AsyncIterator[Frames]:
    ours, theirs = socket.socketpair()
    agent = EditorAgent(custom_profile("/bin/false"), open_workspace, window=window)
    reader, writer = await asyncio.open_connection(sock=ours)
    wire = agent.connect(reader, writer)
    serving = asyncio.create_task(wire.serve())
    frames = Frames(*await asyncio.open_connection(sock=theirs))
    try:
        yield frames
        frames.end()
        await serving
    finally:
        await agent.close()
        await wire.close()
        writer.close()
        await frames.close()
