"""Writes what happens in a session as updates for an editor."""

from collections.abc import Iterable
from typing import Any

from tandem_desktop.domain.agent_protocol import (
    AgentOption,
    AgentSaid,
    AgentUpdate,
    ChatEntry,
    EntryKind,
    OfferedCommand,
    SessionNamed,
    ToolCall,
    ToolCallChanged,
    UsageReported,
)
from tandem_desktop.domain.agent_protocol import TodosChanged as Todos
from tandem_desktop.domain.ids import ToolCallId

Json = dict[str, Any]

MOST_CALLS = 4096
"""Tool calls of which it is known what the editor was told; the oldest are forgotten first."""
_OF_AGENT = "agent:"
"""Before each id of a tool call of the agent, so that none of them can pass for a request of ours."""
_PRIORITIES = ("high", "medium", "low")
_STATUSES = ("pending", "in_progress", "completed")


def said(text: str, kind: str = "agent_message_chunk") -> Json:
    """A piece of a message."""
    return {"sessionUpdate": kind, "content": text_block(text)}


def text_block(text: str) -> Json:
    return {"type": "text", "text": text}


def commands_update(commands: Iterable[OfferedCommand]) -> Json:
    """The slash commands; of two with one name the first is offered."""
    found: dict[str, Json] = {}
    for each in commands:
        hint = {"input": {"hint": each.hint}} if each.hint else {}
        found.setdefault(each.name, {"name": each.name, "description": each.description, **hint})
    return {"sessionUpdate": "available_commands_update", "availableCommands": list(found.values())}


def config_options(options: Iterable[AgentOption]) -> list[Json]:
    """What can be chosen of the agent, such as its model."""
    return [
        {
            "id": each.id,
            "name": each.name,
            "type": "select",
            "currentValue": each.current,
            "options": [{"value": value.value, "name": value.name} for value in each.values],
        }
        for each in options
    ]


class AgentUpdates:
    """The updates of one session's agent. Of a tool call that was told before, only what changed is told again."""

    def __init__(self, root: str) -> None:
        self._root = root.rstrip("/")
        self._calls: dict[ToolCallId, ToolCall] = {}

    def of(self, update: AgentUpdate) -> Json | None:
        """The update for the editor; None for what it is not told."""
        match update:
            case AgentSaid():
                return said(update.text, "agent_thought_chunk" if update.thought else "agent_message_chunk")
            case ToolCallChanged(call=call):
                return self.of_call(call)
            case Todos(todos=todos):
                entries = [
                    {
                        "content": each.content,
                        "priority": each.priority if each.priority in _PRIORITIES else "medium",
                        "status": each.status if each.status in _STATUSES else "pending",
                    }
                    for each in todos
                ]
                return {"sessionUpdate": "plan", "entries": entries}
            case SessionNamed(title=title):
                return {"sessionUpdate": "session_info_update", "title": title}
            case UsageReported():
                cost = (
                    {"amount": update.cost, "currency": update.currency or "USD"} if update.cost is not None else None
                )
                found = {"sessionUpdate": "usage_update", "used": update.used, "size": update.size}
                return {**found, "cost": cost} if cost else found
        return None

    def of_call(self, call: ToolCall) -> Json | None:
        """A tool call that is new, or what of it is."""
        before = self._calls.pop(call.id, None)
        self._calls[call.id] = call
        if len(self._calls) > MOST_CALLS:
            del self._calls[next(iter(self._calls))]
        told = self._fields(call)
        if before is None:
            return {"sessionUpdate": "tool_call", "toolCallId": f"{_OF_AGENT}{call.id}", **told}
        known = self._fields(before)
        news = {name: value for name, value in told.items() if known.get(name) != value}
        return {"sessionUpdate": "tool_call_update", "toolCallId": f"{_OF_AGENT}{call.id}", **news} if news else None

    def of_entry(self, entry: ChatEntry) -> Json | None:
        """An entry of a conversation that is told again."""
        if entry.set_aside:
            return None
        if entry.kind is EntryKind.TOOL and entry.call is not None:
            return self.of_call(entry.call)
        kind = _CHUNKS.get(entry.kind)
        return said(f"{entry.text}\n\n" if kind == "agent_message_chunk" else entry.text, kind) if kind else None

    def _fields(self, call: ToolCall) -> Json:
        content: list[Json] = [
            {"type": "diff", "path": self._place(diff.path), "oldText": diff.old_text, "newText": diff.new_text}
            for diff in call.diffs
        ]
        if call.output:
            content.append({"type": "content", "content": text_block(call.output)})
        found: Json = {
            "title": call.title or call.command or call.tool or call.kind.value,
            "kind": call.kind.value,
            "status": call.status.value,
            "content": content,
            "locations": [{"path": self._place(path)} for path in call.paths],
        }
        return {**found, "rawInput": call.arguments} if call.arguments else found

    def _place(self, path: str) -> str:
        return path if path.startswith("/") else f"{self._root}/{path}"


_CHUNKS = {
    EntryKind.PERSON: "user_message_chunk",
    EntryKind.AGENT: "agent_message_chunk",
    EntryKind.THOUGHT: "agent_thought_chunk",
    EntryKind.NOTE: "agent_message_chunk",
    EntryKind.PROBLEM: "agent_message_chunk",
}
