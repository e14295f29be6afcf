from tandem_desktop.acp_agent.updates import AgentUpdates, commands_update
from tandem_desktop.domain.agent_protocol import (
    AgentSaid,
    OfferedCommand,
    ProposedDiff,
    SessionNamed,
    ToolCall,
    ToolCallChanged,
    ToolCallStatus,
    ToolKind,
    UsageReported,
)
from tandem_desktop.domain.ids import ToolCallId


def a_call(status: ToolCallStatus, output: str = "") -> ToolCall:
    return ToolCall(
        id=ToolCallId("c1"),
        title="Edit",
        kind=ToolKind.EDIT,
        status=status,
        paths=("a.py",),
        diffs=(ProposedDiff("a.py", "old\n", "new\n"),),
        output=output,
    )


def test_words_and_thoughts_are_chunks() -> None:
    updates = AgentUpdates("/ws")
    assert updates.of(AgentSaid(text="Hi")) == {
        "sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": "Hi"},
    }
    thought = updates.of(AgentSaid(text="Hm", thought=True))
    assert thought is not None
    assert thought["sessionUpdate"] == "agent_thought_chunk"


def test_a_tool_call_is_told_whole_at_first_and_then_only_what_changed() -> None:
    updates = AgentUpdates("/ws")
    first = updates.of(ToolCallChanged(call=a_call(ToolCallStatus.IN_PROGRESS)))
    assert first is not None
    assert first["sessionUpdate"] == "tool_call"
    assert first["content"] == [{"type": "diff", "path": "/ws/a.py", "oldText": "old\n", "newText": "new\n"}]
    assert first["locations"] == [{"path": "/ws/a.py"}]
    second = updates.of(ToolCallChanged(call=a_call(ToolCallStatus.COMPLETED)))
    assert second == {"sessionUpdate": "tool_call_update", "toolCallId": first["toolCallId"], "status": "completed"}
    assert updates.of(ToolCallChanged(call=a_call(ToolCallStatus.COMPLETED))) is None


def test_no_tool_call_of_the_agent_can_pass_for_a_request_of_ours() -> None:
    call = ToolCall(id=ToolCallId("tandem:PLAN-1a2b3c4d:r1:1"), title="Apply")
    told = AgentUpdates("/ws").of(ToolCallChanged(call=call))
    assert told is not None
    assert not told["toolCallId"].startswith("tandem:")


def test_of_two_commands_with_one_name_ours_is_offered() -> None:
    ours, theirs = OfferedCommand(name="undo", description="ours"), OfferedCommand(name="undo", description="theirs")
    [offered] = commands_update((ours, theirs))["availableCommands"]
    assert offered["description"] == "ours"


def test_an_editor_is_told_the_agents_title_of_the_conversation() -> None:
    told = AgentUpdates("/ws").of(SessionNamed(title="Mend the check"))
    assert told == {"sessionUpdate": "session_info_update", "title": "Mend the check"}


def test_usage_carries_the_cost_only_where_it_is_known() -> None:
    updates = AgentUpdates("/ws")
    assert updates.of(UsageReported(used=1, size=2)) == {"sessionUpdate": "usage_update", "used": 1, "size": 2}
    told = updates.of(UsageReported(used=1, size=2, cost=0.5, currency="EUR"))
    assert told is not None
    assert told["cost"] == {"amount": 0.5, "currency": "EUR"}
