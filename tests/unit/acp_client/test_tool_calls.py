"""What agents say about a tool call in several messages becomes one call, in the product's words."""

from typing import Any

import pytest

from tandem_desktop.acp_client.connection import SidecarLimits
from tandem_desktop.acp_client.tool_calls import ToolCalls, WorkspacePaths, read_tool_call
from tandem_desktop.domain.agent_protocol import ProposedDiff, ToolCall, ToolCallStatus, ToolKind


@pytest.fixture
def calls() -> ToolCalls:
    return ToolCalls(WorkspacePaths("/workspace"), SidecarLimits(), ("tandem",))


def told(calls: ToolCalls, number: str = "c", *, asked: bool = False, **said: Any) -> ToolCall:
    update = read_tool_call({"toolCallId": number, **said})
    assert update is not None
    return calls.asked(update) if asked else calls.told(update)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ({"kind": "other", "rawInput": {"command": "ls"}}, ToolKind.EXECUTE),
        ({"kind": "read", "rawInput": {"command": "rm -rf /"}}, ToolKind.EXECUTE),
        ({"kind": "edit", "rawInput": {"command": "rm -rf /", "path": "/workspace/a"}}, ToolKind.EXECUTE),
        ({"rawInput": {"cmd": ["bash", "-lc", "ls"]}}, ToolKind.EXECUTE),
        ({"kind": "edit", "rawInput": {"command": "str_replace", "path": "/workspace/a"}}, ToolKind.EDIT),
        ({"kind": "other", "rawInput": {"command": "view", "path": "/workspace/a"}}, ToolKind.READ),
        ({"kind": "other", "title": "read", "rawInput": {"path": "/workspace/a"}}, ToolKind.READ),
        ({"kind": "other", "title": "shell"}, ToolKind.EXECUTE),
        ({"kind": "from tomorrow"}, ToolKind.OTHER),
        ({"kind": "fetch"}, ToolKind.FETCH),
        ({}, ToolKind.OTHER),
    ],
)
def test_the_kind_follows_from_what_the_call_does(calls: ToolCalls, said: dict[str, Any], kind: ToolKind) -> None:
    assert told(calls, **said).kind is kind


def test_a_command_stays_one_when_a_later_message_plays_it_down(calls: ToolCalls) -> None:
    told(calls, kind="execute", rawInput={"command": "make"})
    assert told(calls, asked=True, kind="read", title="Looking around").kind is ToolKind.EXECUTE


def test_a_command_in_words_is_quoted_for_a_shell(calls: ToolCalls) -> None:
    assert told(calls, rawInput={"command": ["echo", "a b", "$HOME"]}).command == "echo 'a b' '$HOME'"


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/workspace/src/a.py", "src/a.py"),
        ("/workspace/src/../a.py", "a.py"),
        ("src/a.py", "src/a.py"),
        ("/workspace", "."),
        ("/workspaces/a.py", "/workspaces/a.py"),
        ("/workspace/../etc/passwd", "/workspace/../etc/passwd"),
        ("/etc/passwd", "/etc/passwd"),
    ],
)
def test_paths_are_shown_relative_to_the_workspace_where_inside_it(calls: ToolCalls, path: str, shown: str) -> None:
    assert told(calls, kind="edit", locations=[{"path": path}]).paths == (shown,)


@pytest.mark.parametrize(
    ("meta", "name"),
    [
        ({"toolName": "write_file"}, "write_file"),
        ({"tool_name": "bash"}, "bash"),
        ({"claudeCode": {"toolName": "mcp__tandem__present_plan"}}, "present_plan"),
        ({"goose": {"toolCall": {"toolName": "tandem__present_plan"}}}, "present_plan"),
        ({"claudeCode": {"toolName": "mcp__other__present_plan"}}, "mcp__other__present_plan"),
        ({"goose": 5, "claudeCode": []}, ""),
    ],
)
def test_the_tools_name_is_taken_from_where_agents_put_it(calls: ToolCalls, meta: dict[str, Any], name: str) -> None:
    assert told(calls, title="Doing things", _meta=meta).tool == name


def test_a_first_title_that_is_a_bare_name_is_the_tools_name(calls: ToolCalls) -> None:
    told(calls, title="tandem_present_plan")
    assert told(calls, title="Presenting the plan").tool == "present_plan"


def test_the_diff_that_was_asked_for_is_kept(calls: ToolCalls) -> None:
    whole = {"type": "diff", "path": "/workspace/src/a.py", "oldText": "a\n", "newText": "b\n"}
    told(calls, asked=True, kind="edit", content=[whole])
    later = told(calls, status="completed", content=[{**whole, "path": "a.py", "newText": "shortened"}])
    assert later.diffs == (ProposedDiff(path="src/a.py", old_text="a\n", new_text="b\n"),)
    assert (later.status, later.asked) == (ToolCallStatus.COMPLETED, True)


def test_a_diff_put_together_gives_way_to_a_real_one(calls: ToolCalls) -> None:
    first = told(calls, asked=True, kind="other", rawInput={"path": "/workspace/a", "before": "x", "after": "y"})
    assert first.diffs == (ProposedDiff(path="a", old_text="x", new_text="y"),)
    whole = {"type": "diff", "path": "/workspace/a", "oldText": "x\nz\n", "newText": "y\nz\n"}
    assert told(calls, content=[whole]).diffs == (ProposedDiff(path="a", old_text="x\nz\n", new_text="y\nz\n"),)


PI = {
    "status": "failed",
    "_meta": {"terminal_output": {"data": "\nCommand exited with code 3"}, "terminal_exit": {"exit_code": 1}},
}


def test_a_patch_names_its_files_and_the_title_of_cline_its_tool() -> None:
    calls = ToolCalls(WorkspacePaths("/workspace"), SidecarLimits(), titles_name_tools=True)
    patch = "*** Begin Patch\n*** Update File: /workspace/a\n@@\n-x\n+y\n*** Add File: b\n+z\n*** End Patch\n"
    asked = told(calls, asked=True, kind="other", title="apply_patch: {…", rawInput={"input": patch})
    assert (asked.tool, asked.paths) == ("apply_patch", ("a", "b"))
    ran = told(calls, "d", kind="execute", title="run_commands: make", rawInput={"commands": ["make", "make test"]})
    assert ran.command == "make\nmake test"


@pytest.mark.parametrize("same", [{"title": "Edit `a`"}, {"rawInput": {"file_path": "/workspace/a"}}])
def test_a_request_under_an_id_of_its_own_is_about_the_open_call_it_repeats(
    calls: ToolCalls, same: dict[str, Any]
) -> None:
    told(calls, "other", kind="execute", title="make", rawInput={"command": "make"})
    told(calls, "ended", kind="edit", title="Edit `a`", rawInput={"file_path": "/workspace/a"}, status="completed")
    told(calls, "first", kind="edit", title="Edit `a`", rawInput={"file_path": "/workspace/a"}, status="pending")
    asked = told(calls, "request", asked=True, **same)
    assert (asked.id, asked.kind) == ("first", ToolKind.EDIT)
    assert told(calls, "again", asked=True, **same).id == "again"


CODEX = (
    {"kind": "execute", "status": "in_progress", "rawInput": {"command": "make"}},
    {"_meta": {"terminal_output_delta": {"data": "one\n", "terminal_id": "c"}}},
    {"_meta": {"terminal_output_delta": {"data": "two\n", "terminal_id": "c"}}},
    {"status": "failed", "_meta": {"terminal_exit": {"exit_code": 3, "signal": None, "terminal_id": "c"}}},
)
"""As Codex tells of a command, one message after the other."""


def test_what_a_command_prints_bit_by_bit_is_put_together_and_its_exit_code_read(calls: ToolCalls) -> None:
    ended = [told(calls, **said) for said in CODEX][-1]
    assert (ended.output, ended.exit_code, ended.status) == ("one\ntwo\n", 3, ToolCallStatus.FAILED)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"rawOutput": {"output": "broken\n", "metadata": {"exit": 3}}}, 3),
        ({"text": "```\nExit code 3\nbroken\n```"}, 3),
        ({"text": "```console\nmended\n```"}, None),
        ({"text": "```console\n" + "a line\n" * 9 + "Exit code 1\n" + "a line\n" * 9 + "```"}, None),
        ({"text": "Output: broken\nExit Code: 3\nProcess Group PGID: 40"}, 3),
        ({"text": "Output: mended\nProcess Group PGID: 90"}, None),
        ({"text": "Command: make\nOutput: broken\nError: (none)\nExit Code: 3\nSignal: 0"}, 3),
        ({"rawOutput": {"content": "broken", "contents": [{"type": "shell_exit", "exitCode": 3}]}}, 3),
        ({"text": "broken\nCommand failed with exit code: 3."}, 3),
        (PI, 3),
        ({"text": "Tool: terminal\nResult:\nbroken\n\u274c Exit code: 3"}, 3),
        ({"rawOutput": [{"query": "make", "result": "[Command exited with code 3]\nbroken\n", "success": False}]}, 3),
        ({"text": "**Command:**\n```bash\nmake\n```\n\n**Status:** Command failed with exit code 3"}, 3),
    ],
    ids=[
        "opencode",
        "claude",
        "claude, success",
        "printed",
        "gemini",
        "gemini, success",
        "qwen",
        "copilot",
        "kimi",
        "pi",
        "openhands",
        "cline",
        "deepagents",
    ],
)
def test_an_exit_code_is_read_from_what_each_agent_sends_and_not_guessed(
    calls: ToolCalls, said: dict[str, Any], code: int | None
) -> None:
    told(calls, kind="execute", status="in_progress", rawInput={"command": "make"})
    text = said.pop("text", None)
    content = [] if text is None else [{"type": "content", "content": {"type": "text", "text": text}}]
    assert told(calls, **{"status": "completed", "content": content, **said}).exit_code == code


def test_output_is_kept_from_its_end(calls: ToolCalls) -> None:
    short = ToolCalls(WorkspacePaths("/workspace"), SidecarLimits(output_characters=5))
    text = {"type": "content", "content": {"type": "text", "text": "a long story"}}
    assert told(short, content=[text]).output == "story"
    assert told(calls, rawOutput={"error": "no such file"}).output == "no such file"


def test_content_nobody_knows_is_passed_over(calls: ToolCalls) -> None:
    assert told(calls, kind="edit", content=[{"type": "hologram"}, 5], locations=[{"line": 1}]).diffs == ()


def test_the_oldest_calls_are_forgotten_when_there_are_too_many() -> None:
    few = ToolCalls(WorkspacePaths("/workspace"), SidecarLimits(tool_calls=2))
    told(few, "first", title="grep")
    told(few, "second", title="grep")
    told(few, "third", title="grep")
    assert told(few, "first").tool == ""
    assert told(few, "third").tool == "grep"


def test_the_oldest_calls_are_forgotten_when_they_hold_too_much() -> None:
    light = ToolCalls(WorkspacePaths("/workspace"), SidecarLimits(tool_call_characters=100))
    told(light, "first", title="grep", rawInput={"text": "x" * 80})
    told(light, "second", title="grep", rawInput={"text": "x" * 80})
    assert told(light, "first").tool == ""


@pytest.mark.parametrize(
    ("title", "texts", "command"),
    [
        ("rm old.txt", (), "rm old.txt"),
        ("rm old.txt [current working directory /home/me/project] (Remove it)", (), "rm old.txt"),
        ("`make test`", (), "make test"),
        ("Shell", ("Requesting approval to Running: rm old.txt",), "rm old.txt"),
    ],
)
def test_a_request_without_arguments_says_its_command_in_the_title_or_the_text(
    title: str, texts: tuple[str, ...], command: str
) -> None:
    content = [{"type": "content", "content": {"type": "text", "text": text}} for text in texts]
    update = read_tool_call({"toolCallId": "c", "title": title, "kind": "execute", "content": content})
    assert update is not None
    calls = ToolCalls(WorkspacePaths("/home/me/project"), SidecarLimits())
    assert calls.asked(update).command == command
