"""Every recorded session with a real agent is understood, and goes the same way over real pipes."""

import json
from collections import Counter
from typing import Any

import pytest

from tandem_desktop.acp_client.connection import Direction
from tandem_desktop.acp_client.requests import answer, model_of
from tandem_desktop.domain.agent_protocol import (
    PermissionAnswer,
    PermissionVerdict,
    PlanningServer,
    ProposedDiff,
    ToolCall,
    ToolKind,
)
from tandem_desktop.domain.errors import SidecarError
from tests.golden.expected_calls import CALLS, COMMANDS_THROUGH_THE_CLIENT, WITH_FRAGMENTS, WITH_WHOLE_FILES, Call
from tests.support.sidecars import NotingClient, a_replay, running
from tests.support.transcripts import FROM_AGENT, NAMES, TO_AGENT, messages, translated

ASKING_MODES = {
    "claude": "default",
    "codex": "read-only",
    "goose": "approve",
    "oc": "build",
    "qwen": "default",
    "vibe": "ask",
}


def told(calls: dict[str, ToolCall]) -> tuple[Call, ...]:
    return tuple(
        (call.tool, call.kind.value, call.command or next(iter(call.paths), ""), call.asked) for call in calls.values()
    )


def test_no_transcript_is_without_its_expectation() -> None:
    assert set(CALLS) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_calls_of_a_recorded_session_are_understood(name: str) -> None:
    assert told(translated(name).calls) == CALLS[name]


@pytest.mark.parametrize("name", NAMES)
def test_every_recorded_request_can_be_allowed_once_and_never_for_always(name: str) -> None:
    from_agent = [message for direction, message in messages(name) if direction == FROM_AGENT]
    requests = [message for message in from_agent if message.get("method") == "session/request_permission"]
    asked = [message["params"]["options"] for message in requests]
    for options, (_, offered) in zip(asked, translated(name).asked, strict=True):
        chosen = answer(PermissionAnswer(PermissionVerdict.ALLOW), offered)["outcome"]["optionId"]
        assert [option["kind"] for option in options if option["optionId"] == chosen] == ["allow_once"]


@pytest.mark.parametrize("name", WITH_WHOLE_FILES)
def test_the_edit_is_shown_as_whole_files_where_the_agent_gives_them(name: str) -> None:
    [call] = [call for call, _ in translated(name).asked if call.paths == ("app.py",) and call.kind is ToolKind.EDIT]
    assert call.diffs == (ProposedDiff(path="app.py", old_text="x = 1\nprint(x)\n", new_text="x = 42\nprint(x)\n"),)


@pytest.mark.parametrize("name", WITH_FRAGMENTS)
def test_the_edit_is_shown_as_a_fragment_where_the_agent_gives_no_more(name: str) -> None:
    [call] = [call for call, _ in translated(name).asked if call.paths == ("app.py",) and call.kind is ToolKind.EDIT]
    assert call.diffs == (ProposedDiff(path="app.py", old_text="x = 1", new_text="x = 42"),)


def test_the_place_of_a_command_is_taken_from_the_message_before_the_request() -> None:
    assert [call.cwd for call, _ in translated("oc_seq_allow").asked if call.command] == ["."]


def test_a_request_that_names_only_the_call_carries_all_that_was_said_before() -> None:
    [(call, _)] = translated("vibe_seq_allow").asked
    assert (call.tool, call.kind, call.command) == ("bash", ToolKind.EXECUTE, "echo hi > made_by_bash.txt")


def test_what_is_said_after_the_fact_does_not_replace_what_was_asked_for() -> None:
    result = translated("qwen_seq_allow")
    [asked] = [call for call, _ in result.asked if call.paths == ("app.py",)]
    assert result.calls[asked.id].diffs == asked.diffs


@pytest.mark.parametrize("name", [name for name in NAMES if name != "claude_planmode_nosandbox"])
async def test_a_recorded_session_goes_the_same_way_over_real_pipes(name: str) -> None:
    client, frames = NotingClient(), list[tuple[Direction, Any]]()
    client.files = {"app.py": "x = 1\nprint(x)\n"}
    methods = [message["method"] for way, message in messages(name) if way == TO_AGENT and "method" in message]
    async with running(
        a_replay(name),
        client,
        asking_mode=ASKING_MODES.get(name.partition("_")[0]),
        on_frame=lambda way, data: frames.append((way, json.loads(data))),
    ) as manager:
        if "session/new" in methods:
            session = await manager.new_session((PlanningServer(name="tandem", command=("tandem", "mcp")),))
            for _ in range(methods.count("session/prompt")):
                await manager.prompt(session.id, "go")
    assert_answered_once(frames)
    assert commands(client) == COMMANDS_THROUGH_THE_CLIENT.get(name, ())
    asked = [request.call for request in client.requests]
    assert told({call.id: call for call in asked}) == told({call.id: call for call, _ in translated(name).asked})


async def test_an_agent_that_cannot_open_a_session_says_why() -> None:
    async with running(a_replay("claude_planmode_nosandbox"), NotingClient()) as manager:
        with pytest.raises(SidecarError, match="Claude Code process exited with code 1"):
            await manager.new_session()


def commands(client: NotingClient) -> tuple[str, ...]:
    return tuple(call.command for call in client.commands)


def assert_answered_once(frames: list[tuple[Direction, Any]]) -> None:
    requests = [m["id"] for way, m in frames if way is Direction.RECEIVED and "method" in m and "id" in m]
    answers = [m["id"] for way, m in frames if way is Direction.SENT and "method" not in m]
    assert Counter(requests) == Counter(answers)
    assert not [number for number in requests if requests.count(number) > 1]


@pytest.mark.parametrize(
    ("name", "model"), [("oc_warm", "fake/fake-1"), ("qwen_seq_allow", "$runtime|openai|fake-1(openai)")]
)
def test_the_model_an_agent_says_it_uses_is_understood_in_both_places(name: str, model: str) -> None:
    from tandem_desktop.acp_client import protocol

    answers = (
        message["result"] for direction, message in messages(name) if direction == FROM_AGENT and "result" in message
    )
    opened = next(result for result in answers if "sessionId" in result)
    assert model_of(protocol.NewSessionResponse.model_validate(opened), opened) == model
