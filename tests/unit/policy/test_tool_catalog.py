"""Every agent's tools are understood under their own names, and never as less than they are."""

import pytest

from tandem_desktop.domain.agent_protocol import ProposedDiff, ToolCall, ToolKind
from tandem_desktop.domain.authorization import ToolCategory
from tandem_desktop.domain.ids import ToolCallId
from tandem_desktop.policy.tools import EXECUTE_TOOLS, tool_use
from tests.support.tools import READ_ONLY_TOOLS, WRITE_TOOLS


def a_call(tool: str = "", **fields: object) -> ToolCall:
    return ToolCall(id=ToolCallId("call-1"), tool=tool, **fields)


@pytest.mark.req("S1-10")
def test_categories_are_the_promised_ones() -> None:
    assert EXECUTE_TOOLS == ("bash",)
    assert {tool_use(a_call(tool)).category for tool in READ_ONLY_TOOLS} == {ToolCategory.READ}
    assert {tool_use(a_call(tool)).category for tool in WRITE_TOOLS} == {ToolCategory.WRITE}
    assert tool_use(a_call("bash")).category is ToolCategory.EXECUTE
    assert tool_use(a_call("todo_write")).category is ToolCategory.PLANNING


@pytest.mark.parametrize(
    ("tool", "kind", "name", "category"),
    [
        ("edit", "edit", "edit", "write"),
        ("Edit", "edit", "edit", "write"),
        ("MultiEdit", "edit", "edit", "write"),
        ("developer__text_editor", "other", "edit", "write"),
        ("replace", "edit", "edit", "write"),
        ("apply_patch", "edit", "patch", "write"),
        ("Bash", "execute", "bash", "execute"),
        ("developer__shell", "other", "bash", "execute"),
        ("run_shell_command", "execute", "bash", "execute"),
        ("webfetch", "fetch", "web_fetch", "read"),
        ("TodoWrite", "think", "todo", "planning"),
        ("tandem_present_plan", "other", "present_plan", "planning"),
        ("mcp__tandem__plan_propose", "other", "plan_propose", "planning"),
        ("tandem: present plan", "other", "present_plan", "planning"),
        ("ExitPlanMode", "switch_mode", "exit_plan_mode", "mode"),
        ("mcp__google__gmail_send", "other", "mcp__google__gmail_send", "outside"),
        ("slack_post_message", "other", "slack_post_message", "outside"),
        ("sendMessage", "other", "sendmessage", "outside"),
        ("mcp__weather__today", "other", "mcp__weather__today", "other"),
        ("", "other", "unknown", "other"),
        ("", "delete", "unknown", "write"),
    ],
)
def test_names_of_real_agents_are_known(tool: str, kind: str, name: str, category: str) -> None:
    use = tool_use(a_call(tool, kind=ToolKind(kind)))
    assert (use.name, use.category) == (name, category)


@pytest.mark.parametrize("kind", [ToolKind.READ, ToolKind.OTHER, ToolKind.THINK])
def test_a_call_that_carries_a_command_runs_something_whatever_it_is_called(kind: ToolKind) -> None:
    assert tool_use(a_call("read", kind=kind, command="make")).category is ToolCategory.EXECUTE


def test_a_call_that_shows_a_diff_writes_whatever_it_is_called() -> None:
    diff = ProposedDiff(path="a.txt", old_text=None, new_text="x")
    use = tool_use(a_call("glob", kind=ToolKind.READ, diffs=(diff,)))
    assert use.category is ToolCategory.WRITE
    assert use.paths == ("a.txt",)


def test_somebody_elses_tool_is_not_taken_for_one_of_ours() -> None:
    assert tool_use(a_call("mcp__evil__present_plan")).category is ToolCategory.OTHER
