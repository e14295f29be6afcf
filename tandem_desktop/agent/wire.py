"""The domain's words in those of the agent client protocol; absolute paths on the wire, relative ones inside."""

from enum import StrEnum
from typing import Any

from acp import schema
from acp.helpers import (
    plan_entry,
    start_tool_call,
    text_block,
    tool_content,
    tool_diff_content,
    update_agent_message_text,
    update_agent_thought_text,
    update_available_commands,
    update_current_mode,
    update_plan,
    update_tool_call,
)

from tandem_desktop.domain.agents import (
    AgentSaid,
    AgentUpdate,
    CommandsOffered,
    ModeChanged,
    TodosChanged,
    ToolCall,
    ToolCallChanged,
    ToolCallStatus,
    UsageReported,
    Verdict,
)

ALLOW = schema.PermissionOption(option_id="allow", name="Allow", kind="allow_once")
REJECT = schema.PermissionOption(option_id="reject", name="Reject", kind="reject_once")


def update_on_wire(update: AgentUpdate, root: str) -> Any:
    """One session update."""
    match update:
        case AgentSaid(text=text, thought=thought):
            return update_agent_thought_text(text) if thought else update_agent_message_text(text)
        case ToolCallChanged(call=call):
            return _tool_call(call, root)
        case TodosChanged(todos=todos):
            return update_plan(
                plan_entry(todo.content, priority=_priority(todo.priority), status=_status(todo.status))
                for todo in todos
            )
        case CommandsOffered(commands=commands):
            return update_available_commands(
                schema.AvailableCommand(
                    name=command.name,
                    description=command.description,
                    input=schema.AvailableCommandInput(schema.UnstructuredCommandInput(hint=command.hint))
                    if command.hint
                    else None,
                )
                for command in commands
            )
        case ModeChanged(mode=mode):
            return update_current_mode(mode)
        case UsageReported(used=used, size=size):
            return schema.UsageUpdate(session_update="usage_update", used=used, size=size)


def request_on_wire(call: ToolCall, root: str) -> schema.ToolCallUpdate:
    """The tool call of a permission request: kind, locations, and whole files before and after."""
    return schema.ToolCallUpdate(
        tool_call_id=call.id,
        title=call.title,
        kind=_word(call.kind),
        status="pending",
        locations=[schema.ToolCallLocation(path=f"{root}/{path}") for path in call.paths],
        content=_diffs(call, root),
        raw_input=call.arguments,
    )


def verdict_from_wire(response: schema.RequestPermissionResponse) -> Verdict:
    """What was chosen; anything unknown is a refusal."""
    outcome = response.outcome
    if isinstance(outcome, schema.DeniedOutcome):
        return Verdict.CANCELLED
    return Verdict.ALLOW if outcome.option_id == ALLOW.option_id else Verdict.REJECT


def _tool_call(call: ToolCall, root: str) -> Any:
    locations = [schema.ToolCallLocation(path=f"{root}/{path}") for path in call.paths]
    if call.status is ToolCallStatus.PENDING:
        return start_tool_call(
            call.id,
            call.title or call.tool,
            kind=_word(call.kind),
            status=_word(call.status),
            content=_diffs(call, root),
            locations=locations,
            raw_input=call.arguments,
        )
    content = [tool_content(text_block(call.output))] if call.output else None
    return update_tool_call(
        call.id,
        status=_word(call.status),
        content=[*_diffs(call, root), *content] if content and call.diffs else content,
    )


def _word(value: StrEnum) -> Any:
    """The same word on the wire as in the domain."""
    return value.value


def _diffs(call: ToolCall, root: str) -> list[Any]:
    return [tool_diff_content(f"{root}/{diff.path}", diff.new_text, diff.old_text) for diff in call.diffs]


def _priority(text: str) -> Any:
    return text if text in ("high", "medium", "low") else "medium"


def _status(text: str) -> Any:
    return text if text in ("pending", "in_progress", "completed") else "pending"
