"""Steps for the scripted agent, spoken as an agent would: ask, write, run, end a call."""

import json
import sys
from pathlib import Path
from typing import Any

from tandem_desktop.domain.agent_protocol import AgentProfile
from tests.support.sidecars import AGENTS

Step = dict[str, Any]

OPTIONS = [
    {"optionId": "1", "name": "Never mind", "kind": "allow_once"},
    {"optionId": "2", "name": "Yes", "kind": "reject_once"},
    {"optionId": "3", "name": "Always", "kind": "allow_always"},
]
"""Named to mislead whoever goes by names."""


def scripted_agent(*turns: list[Step], told_at_once: bool = False) -> AgentProfile:
    """An agent that does these steps, turn by turn; without a turn for the outcome of a run unless wanted."""
    return scripted_agent_with({"turns": list(turns)}, told_at_once=told_at_once)


def scripted_agent_with(script: dict[str, Any], *, told_at_once: bool = False) -> AgentProfile:
    """An agent with all of its script."""
    command = (sys.executable, "-S", "-E", str(AGENTS / "scripted_agent.py"), json.dumps(script))
    return AgentProfile(name="scripted", title="Scripted", command=command, told_at_once=told_at_once)


class Steps:
    """Makes steps about one workspace, with ids that are never used twice."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._number = 0

    def ask_to_write(self, call: str, path: str, text: str, old: str | None = None) -> Step:
        content = [{"type": "diff", "path": self._full(path), "oldText": old, "newText": text}]
        return self._permission(call, kind="edit", title=f"Edit {path}", content=content, paths=[path])

    def ask_to_run(self, call: str, command: str) -> Step:
        return self._permission(call, kind="execute", title=command, rawInput={"command": command})

    def write(self, path: str, text: str) -> Step:
        return self._request("fs/write_text_file", path=self._full(path), content=text)

    def terminal(self, command: str) -> Step:
        return self._request("terminal/create", command=command)

    def shows(self, call: str, path: str, text: str) -> Step:
        """The agent says something else of a call than when it asked."""
        content = [{"type": "diff", "path": self._full(path), "oldText": None, "newText": text}]
        return self._update(sessionUpdate="tool_call_update", toolCallId=call, content=content)

    def ended(self, call: str, status: str = "completed") -> Step:
        return self._update(sessionUpdate="tool_call_update", toolCallId=call, status=status)

    def ran(self, call: str, command: str) -> Step:
        """A command the agent says it runs, without having asked."""
        return self._update(
            sessionUpdate="tool_call",
            toolCallId=call,
            title=command,
            kind="execute",
            status="in_progress",
            rawInput={"command": command},
        )

    def named(self, title: str) -> Step:
        """The agent gives the conversation a title."""
        return self._update(sessionUpdate="session_info_update", title=title)

    def say(self, text: str) -> Step:
        return {"do": "say", "text": text}

    def _permission(self, call: str, *, paths: list[str] | None = None, **facts: Any) -> Step:
        locations = [{"path": self._full(path)} for path in paths or []]
        tool_call = {"toolCallId": call, "status": "pending", "locations": locations, **facts}
        return self._request("session/request_permission", toolCall=tool_call, options=OPTIONS)

    def _request(self, method: str, **params: Any) -> Step:
        self._number += 1
        return {"do": "request", "id": self._number, "method": method, "params": params}

    def _update(self, **update: Any) -> Step:
        return {"do": "update", "update": update}

    def _full(self, path: str) -> str:
        return str(self._workspace / path)
