"""A sidecar is started, talked to, cancelled and ended; each of its requests gets one answer."""

import asyncio
import json
import os
from typing import Any

import pytest

from tandem_desktop.acp_client.connection import Direction, SidecarLimits
from tandem_desktop.domain.agent_protocol import (
    AgentFacts,
    CommandsOffered,
    ModeChanged,
    OptionsOffered,
    PermissionRequest,
    PermissionVerdict,
    PlanningServer,
    StopReason,
    ToolKind,
)
from tandem_desktop.domain.errors import SidecarError, SidecarExitedError, SidecarTimeoutError
from tandem_desktop.domain.ids import SessionId
from tests.support.patience import PATIENCE_S
from tests.support.sidecars import NotingClient, a_manager, reported, running

OPTIONS = [
    {"optionId": "1", "name": "Reject", "kind": "allow_always"},
    {"optionId": "2", "name": "Reject for ever", "kind": "allow_once"},
    {"optionId": "3", "name": "Yes, all of it", "kind": "reject_once"},
]
MODES = {
    "modes": {
        "currentModeId": "free",
        "availableModes": [
            {"id": "free", "name": "Free"},
            {"id": "ask", "name": "Ask"},
            {"id": "plan", "name": "Plan"},
        ],
    }
}


def asks(number: Any, call: str = "c1", *, wait: bool = True, options: Any = None, **tool_call: Any) -> dict[str, Any]:
    params = {"toolCall": {"toolCallId": call, **tool_call}, "options": OPTIONS if options is None else options}
    return {"do": "request", "id": number, "method": "session/request_permission", "params": params, "wait": wait}


def calls(number: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"do": "request", "id": number, "method": method, "params": params}


def answer_to(answers: list[dict[str, Any]], number: Any) -> dict[str, Any]:
    [found] = [answer for answer in answers if answer.get("id") == number and "method" not in answer]
    return found


async def never(request: PermissionRequest) -> PermissionVerdict:
    await asyncio.Event().wait()
    raise AssertionError("nobody decides")


async def reject(request: PermissionRequest) -> PermissionVerdict:
    return PermissionVerdict.REJECT


async def outcome_of(options: Any, decide: Any = None) -> Any:
    client = NotingClient(decide) if decide else NotingClient()
    async with running({"turns": [[asks(7, options=options)]]}, client) as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
        return answer_to(await reported(manager, client, session.id), 7)["result"]["outcome"]


async def test_the_agent_tells_who_it_is() -> None:
    script = {"initialize": {"authMethods": [{"id": "key", "name": "By key"}]}}
    async with running(script, NotingClient()) as manager:
        assert await manager.start() == AgentFacts(
            name="scripted", version="1", protocol=1, login_methods=("key: By key",)
        )


async def test_what_the_agent_says_in_a_turn_is_heard_in_order() -> None:
    client = NotingClient()
    steps = [{"do": "say", "text": f"{number} "} for number in range(50)]
    async with running({"turns": [steps]}, client) as manager:
        session = await manager.new_session()
        assert await manager.prompt(session.id, "go") is StopReason.END_TURN
    assert client.text == "".join(f"{number} " for number in range(50))


async def test_allowing_takes_the_option_that_allows_once_whatever_it_is_called() -> None:
    assert await outcome_of(OPTIONS) == {"outcome": "selected", "optionId": "2"}


async def test_rejecting_takes_the_option_that_rejects_once_whatever_it_is_called() -> None:
    assert await outcome_of(OPTIONS, reject) == {"outcome": "selected", "optionId": "3"}


def option(number: str, kind: str) -> dict[str, str]:
    return {"optionId": number, "name": "Yes", "kind": kind}


@pytest.mark.parametrize(
    "options",
    [
        [],
        "none",
        [option("yes", "allow_always")],
        [option("yes", "allow_for_now"), option("no", "reject_once")],
        [option("same", "allow_once"), option("same", "allow_always")],
    ],
)
async def test_allowing_is_answered_as_cancelled_where_it_cannot_be_for_once(options: Any) -> None:
    assert await outcome_of(options) == {"outcome": "cancelled"}


async def test_the_session_is_opened_at_the_workspace_with_the_planning_server() -> None:
    client = NotingClient()
    server = PlanningServer(name="tandem", command=("tandem", "mcp", "--session"), env={"TOKEN": "t"})
    async with running({}, client) as manager:
        session = await manager.new_session((server,))
        [opened] = [call for call in await reported(manager, client, session.id) if call.get("method") == "session/new"]
    assert opened["params"] == {
        "cwd": "/workspace",
        "mcpServers": [
            {
                "name": "tandem",
                "command": "tandem",
                "args": ["mcp", "--session"],
                "env": [{"name": "TOKEN", "value": "t"}],
            }
        ],
    }


async def test_an_agent_without_planning_tools_is_not_given_a_server() -> None:
    client = NotingClient()
    async with running({}, client, planning_tools=False) as manager:
        session = await manager.new_session((PlanningServer(name="tandem", command=("tandem",)),))
        [opened] = [call for call in await reported(manager, client, session.id) if call.get("method") == "session/new"]
    assert opened["params"]["mcpServers"] == []


async def test_the_mode_in_which_it_asks_is_set_after_every_new_session() -> None:
    client = NotingClient()
    async with running({"session": MODES}, client, asking_mode="ask") as manager:
        session = await manager.new_session()
        assert (session.mode, session.modes) == ("ask", ("free", "ask", "plan"))
        told = await reported(manager, client, session.id)
    assert [call["params"] for call in told if call.get("method") == "session/set_mode"] == [
        {"sessionId": session.id, "modeId": "ask"}
    ]


@pytest.mark.req("S0-30")
@pytest.mark.parametrize(
    ("asking_mode", "plan_agent_file", "plan_mode", "mode"),
    [
        ("ask", "plan.md", True, "ask"),
        (None, "plan.md", True, "plan"),
        (None, None, True, "free"),
        (None, None, False, "free"),
    ],
)
async def test_the_mode_that_was_named_wins_then_plan_where_the_agent_was_told_of_it_then_the_agents_own(
    asking_mode: str | None, plan_agent_file: str | None, plan_mode: bool, mode: str
) -> None:
    profile = {"asking_mode": asking_mode, "plan_agent_file": plan_agent_file}
    async with running({"session": MODES}, NotingClient(), **profile) as manager:
        assert (await manager.new_session(plan_mode=plan_mode)).mode == mode


@pytest.mark.parametrize(
    ("runs_freely", "plan_mode", "mode"), [(True, True, "free"), (True, False, "ask"), (False, True, "ask")]
)
async def test_the_free_mode_is_set_only_in_plan_mode_where_the_agent_may_run_commands(
    runs_freely: bool, plan_mode: bool, mode: str
) -> None:
    options = {"asking_mode": "ask", "free_mode": "free", "runs_freely": runs_freely}
    async with running({"session": MODES}, NotingClient(), **options) as manager:
        assert (await manager.new_session(plan_mode=plan_mode)).mode == mode


async def test_a_conversation_whose_resuming_is_refused_is_loaded() -> None:
    client = NotingClient()
    offers = {"agentCapabilities": {"loadSession": True, "sessionCapabilities": {"resume": {}}}}
    refused = {"session/resume": {"code": -32601, "message": "Method not found"}}
    async with running({"initialize": offers, "errors": refused}, client) as manager:
        session = await manager.new_session(resume=SessionId("earlier"))
        methods = [call.get("method") for call in await reported(manager, client, session.id)]
    assert (session.id, session.resumed, "session/new" in methods) == ("earlier", True, False)


async def test_an_agent_without_modes_is_left_as_it_is_in_plan_mode() -> None:
    async with running({}, NotingClient(), asking_mode=None) as manager:
        assert not (await manager.new_session(plan_mode=True)).modes


@pytest.mark.req("S0-70")
async def test_a_message_is_one_part_in_the_persons_words_in_the_mode_of_the_session_and_names_no_model() -> None:
    frames: list[tuple[Direction, Any]] = []
    options = {"asking_mode": "ask", "on_frame": lambda way, data: frames.append((way, json.loads(data)))}
    async with running({"session": MODES}, NotingClient(), **options) as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "Make it new")
    *_, mode, prompt = (call for way, call in frames if way is Direction.SENT and "method" in call)
    assert (mode["method"], mode["params"]["modeId"], prompt["method"]) == ("session/set_mode", "ask", "session/prompt")
    assert prompt["params"] == {"sessionId": session.id, "prompt": [{"type": "text", "text": "Make it new"}]}


async def test_the_mode_is_set_as_an_option_where_the_agent_lists_it_there() -> None:
    option = {
        "id": "mode",
        "name": "Mode",
        "category": "mode",
        "type": "select",
        "currentValue": "plan",
        "options": [{"value": "build", "name": "Build"}, {"value": "plan", "name": "Plan"}],
    }
    client = NotingClient()
    async with running({"session": {"configOptions": [option]}}, client, asking_mode="build") as manager:
        session = await manager.new_session()
        told = await reported(manager, client, session.id)
    assert [call["params"] for call in told if call.get("method") == "session/set_config_option"] == [
        {"sessionId": session.id, "configId": "mode", "value": "build"}
    ]


EFFORT = {
    "id": "effort",
    "name": "Effort",
    "category": "thought_level",
    "type": "select",
    "currentValue": "low",
    "options": [{"value": "low", "name": "Low"}, {"value": "high", "name": "High"}],
}
FAST = {"id": "fast", "name": "Fast mode", "type": "boolean", "currentValue": False}
BUILD_MODE = {
    "id": "mode",
    "name": "Mode",
    "category": "mode",
    "type": "select",
    "currentValue": "build",
    "options": [{"value": "build", "name": "Build"}],
}


async def test_lists_and_switches_are_chosen_by_their_kind_on_the_wire() -> None:
    client = NotingClient()
    async with running({"session": {"configOptions": [BUILD_MODE, EFFORT, FAST]}}, client) as manager:
        session = await manager.new_session()
        effort, fast = session.options
        assert [(each.id, each.shown, each.is_switch) for each in (effort, fast)] == [
            ("effort", "Low", False),
            ("fast", "Off", True),
        ]
        await manager.choose(session.id, effort, "high")
        await manager.choose(session.id, fast, "on")
        told = await reported(manager, client, session.id)
    assert [call["params"] for call in told if call.get("method") == "session/set_config_option"] == [
        {"sessionId": session.id, "configId": "effort", "value": "high"},
        {"sessionId": session.id, "configId": "fast", "type": "boolean", "value": True},
    ]


async def test_options_that_change_with_the_mode_are_all_told() -> None:
    changed = {
        "sessionUpdate": "config_option_update",
        "configOptions": [BUILD_MODE, {**EFFORT, "currentValue": "high"}],
    }
    client = NotingClient()
    async with running({"turns": [[{"do": "update", "update": changed}]]}, client) as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
    updates = [update for _, update in client.updates]
    assert [type(each) for each in updates] == [ModeChanged, OptionsOffered]
    assert [(each.id, each.current) for each in updates[1].options] == [("effort", "high")]  # type: ignore[union-attr]


async def test_a_session_that_cannot_be_made_to_ask_is_not_opened() -> None:
    async with running({"session": MODES}, NotingClient(), asking_mode="careful") as manager:
        with pytest.raises(SidecarError, match=r"no mode called careful.*it offers free, ask, plan"):
            await manager.new_session()


async def test_what_is_said_before_the_session_has_a_name_is_heard_after() -> None:
    commands = [{"name": "init", "description": "d"}]
    offered = {"sessionUpdate": "available_commands_update", "availableCommands": commands}
    client = NotingClient()
    async with running({"sessions": [{"do": "update", "update": offered}]}, client) as manager:
        session = await manager.new_session()
        assert client.updates == []
        await manager.prompt(session.id, "go")
    [(heard_in, update)] = client.updates
    assert heard_in == session.id
    assert isinstance(update, CommandsOffered)
    assert update.commands[0].name == "init"


async def test_a_mode_the_agent_changes_in_its_turn_is_heard_once() -> None:
    flip = {"do": "update", "update": {"sessionUpdate": "current_mode_update", "currentModeId": "free"}}
    client = NotingClient()
    async with running({"session": MODES, "turns": [[flip, flip]]}, client, asking_mode="ask") as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
    assert [update for _, update in client.updates] == [ModeChanged(mode="free")]


async def test_one_waiting_decision_holds_up_no_other_session() -> None:
    client = NotingClient(never)
    async with running({"turns": [[asks(1)], [{"do": "say", "text": "free"}]]}, client) as manager:
        first, second = await manager.new_session(), await manager.new_session()
        turn = asyncio.create_task(manager.prompt(first.id, "go"))
        await client.asked.wait()
        assert await manager.prompt(second.id, "go") is StopReason.END_TURN
        assert client.text == "free"
        await manager.cancel(first.id)
        assert await turn is StopReason.CANCELLED


async def test_several_requests_of_one_turn_wait_side_by_side() -> None:
    everyone = asyncio.Event()
    client = NotingClient()

    async def decide(request: PermissionRequest) -> PermissionVerdict:
        if len(client.requests) == 3:
            everyone.set()
        await everyone.wait()
        return PermissionVerdict.ALLOW

    client._decide = decide
    steps = [*(asks(number, wait=False) for number in range(3)), {"do": "await", "ids": [0, 1, 2]}]
    async with running({"turns": [steps]}, client) as manager:
        session = await manager.new_session()
        assert await manager.prompt(session.id, "go") is StopReason.END_TURN


async def test_cancelling_answers_every_open_request_once() -> None:
    client = NotingClient(never)
    steps = [asks(1, wait=False), asks("two", wait=False), asks(3, wait=False), {"do": "await", "ids": [1, "two", 3]}]
    steps += [{"do": "await_cancel"}, asks(4)]
    async with running({"turns": [steps]}, client) as manager:
        session = await manager.new_session()
        turn = asyncio.create_task(manager.prompt(session.id, "go"))
        while len(client.requests) < 3:
            client.asked.clear()
            await client.asked.wait()
        await manager.cancel(session.id)
        assert await turn is StopReason.CANCELLED
        answers = await reported(manager, client, session.id)
    for number in (1, "two", 3, 4):
        assert answer_to(answers, number)["result"] == {"outcome": {"outcome": "cancelled"}}
    assert len(client.abandoned) == 3


async def test_a_request_left_open_at_the_end_of_the_turn_is_answered_as_cancelled() -> None:
    client = NotingClient(never)
    async with running({"turns": [[asks(1, wait=False)]]}, client) as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
        answers = await reported(manager, client, session.id)
    assert answer_to(answers, 1)["result"] == {"outcome": {"outcome": "cancelled"}}
    assert client.waiting == 0


async def test_a_request_outside_a_turn_is_answered_as_cancelled_and_shown_to_nobody() -> None:
    client = NotingClient()
    async with running(
        {"sessions": [{**asks(5, wait=False), "params": {"sessionId": "session-1"}}]}, client
    ) as manager:
        first = await manager.new_session()
        await manager.new_session()
        answers = await reported(manager, client, first.id)
    assert client.requests == []
    assert len([answer for answer in answers if answer.get("id") == 5]) == 2


async def test_a_turn_whose_prompt_is_abandoned_is_cancelled() -> None:
    client = NotingClient(never)
    async with running({"turns": [[asks(1), {"do": "await_cancel"}]]}, client) as manager:
        session = await manager.new_session()
        turn = asyncio.create_task(manager.prompt(session.id, "go"))
        await client.asked.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        answers = await reported(manager, client, session.id)
    assert [answer for answer in answers if answer.get("method") == "session/cancel"]
    assert client.waiting == 0


async def test_an_agent_that_goes_on_after_a_cancel_is_ended_and_both_sides_are_told() -> None:
    client = NotingClient(never)
    limits = SidecarLimits(cancel_grace_s=0.2, close_grace_s=0.1, stop_grace_s=0.5)
    script = {"ignore_cancel": True, "turns": [[asks(1), {"do": "never"}]]}
    async with running(script, client, limits=limits) as manager:
        session = await manager.new_session()
        turn = asyncio.create_task(manager.prompt(session.id, "go"))
        await client.asked.wait()
        with pytest.raises(SidecarTimeoutError, match="after it was told to stop"):
            await manager.cancel(session.id)
        with pytest.raises(SidecarTimeoutError):
            await turn
        assert not manager.is_running


async def test_a_second_message_in_a_running_turn_is_refused() -> None:
    client = NotingClient(never)
    async with running({"turns": [[asks(1)]]}, client) as manager:
        session = await manager.new_session()
        turn = asyncio.create_task(manager.prompt(session.id, "go"))
        await client.asked.wait()
        with pytest.raises(SidecarError, match="still busy"):
            await manager.prompt(session.id, "and this")
        await manager.cancel(session.id)
        await turn


async def test_files_are_read_and_written_relative_to_the_workspace() -> None:
    client = NotingClient()
    client.files["src/a.py"] = "one\ntwo\nthree\n"
    steps = [
        calls(1, "fs/read_text_file", path="/workspace/src/a.py"),
        calls(2, "fs/read_text_file", path="/workspace/src/a.py", line=2, limit=1),
        calls(3, "fs/write_text_file", path="/workspace/src/../new.txt", content="new\n"),
        calls(4, "fs/read_text_file", path="/workspace/missing"),
    ]
    async with running({"turns": [steps]}, client) as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
        answers = await reported(manager, client, session.id)
    assert answer_to(answers, 1)["result"] == {"content": "one\ntwo\nthree\n"}
    assert answer_to(answers, 2)["result"] == {"content": "two\n"}
    assert client.files["new.txt"] == "new\n"
    assert answer_to(answers, 4)["error"]["code"] == -32002


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/workspace/../etc/passwd", "/workspaces/a", "../a", "/workspace/a\0b", ""]
)
async def test_a_path_outside_the_workspace_is_refused_by_name(path: str) -> None:
    client = NotingClient()
    async with running({"turns": [[calls(1, "fs/write_text_file", path=path, content="x")]]}, client) as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
        answers = await reported(manager, client, session.id)
    assert client.files == {}
    error = answer_to(answers, 1)["error"]
    assert error["code"] == -32602
    assert repr(path) in error["message"]


async def test_a_terminal_is_given_one_shell_line_and_a_place_in_the_workspace() -> None:
    client = NotingClient()
    steps = [
        calls(1, "terminal/create", command="echo hi > a; ls", cwd="/workspace"),
        calls(
            2,
            "terminal/create",
            command="grep",
            args=["a b", "it's"],
            cwd="/workspace/src",
            env=[{"name": "A", "value": "1"}],
        ),
        calls(3, "terminal/create", command="ls", cwd="/etc"),
        calls(4, "terminal/output", terminalId="t0"),
        calls(5, "terminal/wait_for_exit", terminalId="t0"),
        calls(6, "terminal/kill", terminalId="t0"),
        calls(7, "terminal/release", terminalId="t0"),
        calls(8, "terminal/output", terminalId="t0"),
        calls(9, "terminal/create", command="/bin/sh", args=["-lc", "yes"], outputByteLimit=5),
        calls(10, "terminal/output", terminalId="t2"),
    ]
    async with running({"turns": [steps]}, client) as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
        answers = await reported(manager, client, session.id)
    assert [(call.command, call.cwd, call.env) for call in client.commands] == [
        ("echo hi > a; ls", ".", ()),
        ("grep 'a b' 'it'\"'\"'s'", "src", (("A", "1"),)),
        ("yes", ".", ()),
    ]
    assert "'/etc'" in answer_to(answers, 3)["error"]["message"]
    staged = {"output": "[staged: not executed]\n", "truncated": False, "exitStatus": {"exitCode": 0}}
    assert answer_to(answers, 4)["result"] == staged
    assert answer_to(answers, 5)["result"] == {"exitCode": 0}
    assert "error" in answer_to(answers, 8)
    assert answer_to(answers, 10)["result"] == {"output": "ted]\n", "truncated": True, "exitStatus": {"exitCode": 0}}


async def test_unknown_sessions_and_methods_get_an_error() -> None:
    client = NotingClient()
    steps = [{**asks(1), "params": {"sessionId": "nobody"}}, calls(2, "fs/delete_everything"), calls(3, "_own/method")]
    async with running({"turns": [steps]}, client) as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
        answers = await reported(manager, client, session.id)
    assert [answer_to(answers, number)["error"]["code"] for number in (1, 2, 3)] == [-32602, -32601, -32601]
    assert client.requests == []


async def test_an_id_used_twice_is_refused_and_the_first_request_still_gets_its_answer() -> None:
    go_on = asyncio.Event()

    async def decide(request: PermissionRequest) -> PermissionVerdict:
        await go_on.wait()
        return PermissionVerdict.ALLOW

    client = NotingClient(decide)
    first = asks("same", wait=False)
    steps = [first, first, {"do": "await", "ids": [None]}, {"do": "say", "text": "."}, {"do": "await", "ids": ["same"]}]
    async with running({"turns": [steps]}, client) as manager:
        session = await manager.new_session()
        turn = asyncio.create_task(manager.prompt(session.id, "go"))
        await client.spoke.wait()
        go_on.set()
        await turn
        answers = await reported(manager, client, session.id)
    assert answer_to(answers, "same")["result"]["outcome"]["outcome"] == "selected"
    assert "still waiting" in answer_to(answers, None)["error"]["message"]
    assert len(client.requests) == 1


async def test_too_many_open_requests_are_refused_at_once() -> None:
    client = NotingClient(never)
    steps = [*(asks(number, wait=False) for number in range(5)), {"do": "await", "ids": [4]}]
    async with running({"turns": [steps]}, client, limits=SidecarLimits(open_requests=4)) as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
        answers = await reported(manager, client, session.id)
    assert "waiting already" in answer_to(answers, 4)["error"]["message"]
    assert len(client.requests) == 4


async def test_a_command_is_one_even_if_the_agent_calls_it_something_else() -> None:
    client = NotingClient()
    steps = [
        asks(1, kind="other", title="shell", rawInput={"command": "rm -rf ."}),
        asks(2, "c2", kind="read", rawInput={"command": "ls"}),
    ]
    async with running({"turns": [steps]}, client) as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
    assert [(request.call.kind, request.call.command) for request in client.requests] == [
        (ToolKind.EXECUTE, "rm -rf ."),
        (ToolKind.EXECUTE, "ls"),
    ]


async def test_every_frame_is_shown_as_it_was_sent() -> None:
    frames: list[tuple[Direction, bytes]] = []
    async with running({}, NotingClient(), on_frame=lambda way, data: frames.append((way, data))) as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
    methods = [json.loads(data).get("method") for way, data in frames if way is Direction.SENT]
    assert methods == ["initialize", "session/new", "session/prompt"]
    assert [json.loads(data)["id"] for way, data in frames if way is Direction.RECEIVED] == [0, 1, 2]


async def test_a_frame_log_that_fails_does_not_disturb_the_talk(caplog: pytest.LogCaptureFixture) -> None:
    def broken(way: Direction, data: bytes) -> None:
        raise OSError("disk full")

    async with running({}, NotingClient(), on_frame=broken) as manager:
        session = await manager.new_session()
        assert await manager.prompt(session.id, "go") is StopReason.END_TURN


async def test_a_restarted_agent_has_new_sessions_and_knows_no_old_ones() -> None:
    client = NotingClient()
    async with running({"turns": [[{"do": "exit", "code": 3}]]}, client) as manager:
        session = await manager.new_session()
        with pytest.raises(SidecarExitedError, match="exit code 3"):
            await manager.prompt(session.id, "go")
        with pytest.raises(SidecarExitedError):
            await manager.new_session()
        await manager.start()
        with pytest.raises(SidecarError, match="no session called"):
            await manager.prompt(session.id, "go")
        assert (await manager.new_session()).id == SessionId("session-1")


async def test_nothing_of_the_agent_is_left_when_it_is_stopped() -> None:
    client = NotingClient()
    async with running(
        {"turns": [[{"do": "leave_child"}, {"do": "leave_child", "hold_pipe": True}]]}, client
    ) as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
    children = [int(word) for word in client.text.replace("child", " ").split()]
    assert len(children) == 2
    assert [pid for pid in children if is_running(pid)] == []


async def test_stopping_answers_what_is_open() -> None:
    client = NotingClient(never)
    frames: list[Any] = []
    script = {"turns": [[asks(1)]]}
    async with running(script, client, on_frame=lambda way, data: frames.append((way, json.loads(data)))) as manager:
        session = await manager.new_session()
        turn = asyncio.create_task(manager.prompt(session.id, "go"))
        await client.asked.wait()
        await manager.stop()
        # The agent may have time to end its turn, now that it is answered.
        await asyncio.wait({turn})
        assert turn.exception() is None or isinstance(turn.exception(), SidecarExitedError)
    answered = [frame for way, frame in frames if way is Direction.SENT and frame.get("id") == 1 and "result" in frame]
    assert [frame["result"] for frame in answered] == [{"outcome": {"outcome": "cancelled"}}]


async def test_stopping_an_agent_that_is_still_starting_does_not_wait_for_it() -> None:
    manager = a_manager({"start": [{"do": "stderr", "text": "."}, {"do": "sleep", "seconds": 600}]}, NotingClient())
    starting = asyncio.create_task(manager.start())
    async with asyncio.timeout(PATIENCE_S):
        while not manager.stderr:
            await asyncio.sleep(0.01)
        await manager.stop()
        with pytest.raises(SidecarError, match="was stopped"):
            await starting


async def test_stopping_an_agent_whose_process_is_not_there_yet_does_not_wait_for_it() -> None:
    manager = a_manager({"start": [{"do": "sleep", "seconds": 600}]}, NotingClient())
    starting = asyncio.create_task(manager.start())
    await asyncio.sleep(0)  # it has begun, and nothing is there that could be stopped
    assert not manager.is_running
    async with asyncio.timeout(PATIENCE_S):
        await manager.stop()
        with pytest.raises(SidecarError, match="was stopped"):
            await starting


async def test_stopping_twice_or_before_the_start_is_harmless() -> None:
    manager = a_manager({}, NotingClient())
    await manager.stop()
    await manager.start()
    await manager.stop()
    await manager.stop()
    with pytest.raises(SidecarExitedError, match="not running"):
        await manager.new_session()


def is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_test_can_tell_a_running_process() -> None:
    assert is_running(os.getpid())
