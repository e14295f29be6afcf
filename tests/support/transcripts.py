"""Recorded conversations with real agents, and what our translation makes of their side."""

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tandem_desktop.acp_client.connection import SidecarLimits
from tandem_desktop.acp_client.requests import PermissionOptions, agent_updates, offers
from tandem_desktop.acp_client.tool_calls import ToolCalls, WorkspacePaths, read_tool_call
from tandem_desktop.domain.agent_protocol import AgentUpdate, ToolCall, ToolCallChanged

FOLDER = Path(__file__).parents[1] / "golden" / "transcripts"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.jsonl")))
FROM_AGENT = "<-"
TO_AGENT = "->"


@dataclass
class Translated:
    """One agent's side of a conversation in the product's words."""

    updates: list[AgentUpdate] = field(default_factory=list)
    asked: list[tuple[ToolCall, tuple[PermissionOptions, ...]]] = field(default_factory=list)
    calls: dict[str, ToolCall] = field(default_factory=dict)
    session_client: list[tuple[str, str]] = field(default_factory=list)
    """Calls to the client other than requests: method, and path or command."""
    ignored: list[str] = field(default_factory=list)


@cache
def messages(name: str) -> tuple[tuple[str, dict[str, Any]], ...]:
    """Direction and message, as recorded; the recorder's own notes left out."""
    lines = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]
    return tuple((line["dir"], line["msg"]) for line in lines if line["dir"] in (FROM_AGENT, TO_AGENT))


def translated(name: str) -> Translated:
    from tandem_desktop.acp_client import protocol

    result = Translated()
    calls = ToolCalls(WorkspacePaths("/workspace"), SidecarLimits(), ("tandem",))
    for direction, message in messages(name):
        if direction != FROM_AGENT or "method" not in message:
            continue
        method, params = message["method"], message["params"]
        if method == "session/update":
            kind = params["update"]["sessionUpdate"]
            model = protocol.read_update(params["update"])
            updates = () if model is None else agent_updates(kind, model, calls)
            if not updates:
                result.ignored.append(kind)
            result.updates += updates
            result.calls |= {said.call.id: said.call for said in updates if isinstance(said, ToolCallChanged)}
        elif method == "session/request_permission":
            update = read_tool_call(params["toolCall"])
            assert update is not None
            call = calls.asked(update)
            result.calls[call.id] = call
            result.asked.append((call, offers(params["options"])))
        elif not method.startswith("_"):
            result.session_client.append((method, params.get("path") or params.get("command") or ""))
    return result
