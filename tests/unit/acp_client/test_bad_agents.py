"""Each way an agent can fail ends in the right error, with the reason, its last words and the next thing to do."""

import asyncio
import contextlib
import json
import logging
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.acp_client.client import SidecarManager
from tandem_desktop.acp_client.connection import MIB, SidecarLimits
from tandem_desktop.domain.agent_protocol import PermissionRequest, PermissionVerdict, StopReason
from tandem_desktop.domain.errors import (
    LoginNeededError,
    SidecarError,
    SidecarExitedError,
    SidecarLaunchError,
    SidecarProtocolError,
    SidecarTimeoutError,
)
from tandem_desktop.processes.child import Launch
from tandem_desktop.storage.logs import AGENT_LOGGER
from tests.support.sidecars import NotingClient, a_launch, a_manager, an_agent, running

SMALL = SidecarLimits(message_bytes=64 * 1024, noise_lines=5, close_grace_s=0.1, stop_grace_s=0.5)


async def start_of(script: dict[str, Any] | Launch, **options: Any) -> SidecarError:
    """The error with which such an agent does not start; nothing of it runs afterwards."""
    manager = a_manager(script, NotingClient(), **options)
    try:
        with pytest.raises(SidecarError) as raised:
            await manager.start()
        assert not manager.is_running
    finally:
        await manager.stop()
    assert raised.value.next
    return raised.value


async def turn_of(steps: list[dict[str, Any]], client: NotingClient | None = None, **options: Any) -> SidecarError:
    """The error with which a turn of these steps ends."""
    async with running({"turns": [steps]}, client or NotingClient(), **options) as manager:
        session = await manager.new_session()
        with pytest.raises(SidecarError) as raised:
            await manager.prompt(session.id, "go")
        assert not manager.is_running
    assert raised.value.next
    return raised.value


async def test_a_missing_command_is_named() -> None:
    error = await start_of(a_launch("no-such-agent-anywhere", "acp"))
    assert isinstance(error, SidecarLaunchError)
    assert "no-such-agent-anywhere was not found" in error.message


async def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    error = await start_of(Launch(argv=("sh",), environment={"PATH": "/bin:/usr/bin"}, cwd=tmp_path / "gone"))
    assert isinstance(error, SidecarLaunchError)
    assert str(tmp_path / "gone") in error.message


async def test_a_file_that_is_no_program_cannot_be_started(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("no program")
    assert isinstance(await start_of(a_launch(str(tmp_path / "agent"))), SidecarLaunchError)


async def test_an_agent_that_exits_at_once_leaves_its_last_words(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, AGENT_LOGGER)
    error = await start_of(
        {"start": [{"do": "stderr", "text": "no such model\nbye\n"}, {"do": "exit", "code": 3}]}, needs="Set a key."
    )
    assert isinstance(error, SidecarLaunchError)
    assert "exit code 3" in error.message
    assert error.stderr == ("no such model", "bye")
    assert [each.getMessage() for each in caplog.records if each.name == AGENT_LOGGER] == ["no such model", "bye"]
    assert error.next == "Set a key."


async def test_an_agent_that_is_killed_while_it_starts_is_not_sent_to_log_in() -> None:
    error = await start_of(a_launch("sh", "-c", "kill -9 $$"), needs="Log in.")
    assert error.message.endswith("was killed (signal 9, SIGKILL).")
    assert error.next != "Log in."


async def test_an_agent_that_speaks_another_version_is_told_apart() -> None:
    error = await start_of({"initialize": {"protocolVersion": 7}})
    assert isinstance(error, SidecarProtocolError)
    assert "version 7" in error.message
    assert "version 1" in error.message


async def test_an_answer_that_cannot_be_read_is_a_protocol_error() -> None:
    async with running({"session": {"sessionId": 5}}, NotingClient()) as manager:
        with pytest.raises(SidecarProtocolError, match="sessionId"):
            await manager.new_session()


async def test_an_agent_that_hangs_in_the_greeting_is_given_up() -> None:
    error = await start_of(
        {"start": [{"do": "stderr", "text": "thinking\n"}, {"do": "sleep", "seconds": 60}]}, start_timeout_s=3
    )
    assert isinstance(error, SidecarTimeoutError)
    assert "3 seconds" in error.message
    assert error.stderr == ("thinking",)


async def test_an_agent_that_hangs_while_opening_a_session_is_given_up() -> None:
    script = {"sessions": [{"do": "sleep", "seconds": 60}]}
    async with running(
        script, NotingClient(), limits=SidecarLimits(session_timeout_s=0.3, close_grace_s=0.1, stop_grace_s=0.5)
    ) as manager:
        with pytest.raises(SidecarTimeoutError, match="open a session"):
            await manager.new_session()


@pytest.mark.parametrize("method", ["session/new", "session/prompt"])
async def test_an_agent_that_wants_a_login_says_which(method: str) -> None:
    async def talk(manager: SidecarManager) -> None:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")

    ways = [{"id": "browser", "name": "Sign in"}, {"id": "key", "name": "By key"}]
    refusal = {"code": -32000, "message": "Authentication required", "data": {"authMethods": ways}}
    script = {"initialize": {"authMethods": ways}, "errors": {method: refusal}}
    async with running(script, NotingClient(), needs="Log in with: agent login") as manager:
        with pytest.raises(LoginNeededError) as raised:
            await talk(manager)
    assert raised.value.message.endswith("required. It offers: browser: Sign in, key: By key.")
    assert raised.value.next == "Log in with: agent login"


async def test_a_login_the_profile_names_is_used_and_its_refusal_told() -> None:
    ways = {"authMethods": [{"id": "key", "name": "By key"}]}
    error = await start_of(
        {"initialize": ways, "errors": {"authenticate": {"code": -32603, "message": "OPENAI_API_KEY is not set"}}},
        login_method="key",
    )
    assert isinstance(error, LoginNeededError)
    assert "OPENAI_API_KEY is not set" in error.message


@pytest.mark.parametrize(("key", "is_opened"), [("x", True), ("", False)])
async def test_an_agent_that_wants_a_login_is_given_the_key_it_has_and_no_other_login(
    key: str, is_opened: bool
) -> None:
    script = {"initialize": {"authMethods": [{"id": "key", "name": "By key"}]}, "wants_login": True}
    agent = an_agent("scripted_agent", json.dumps(script))
    launch = replace(agent, environment={**agent.environment, "ITS_API_KEY": key})
    async with running(launch, NotingClient(), key_login="key", env=("ITS_API_KEY",)) as manager:
        with contextlib.nullcontext() if is_opened else pytest.raises(LoginNeededError):
            assert (await manager.new_session()).id == "session-1"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"details": "model overloaded"}, "Internal error (model overloaded)."),
        ({"service": "session", "codes": [401, 3]}, "Internal error (service: session, codes: 401, 3)."),
        ("out of tokens", "Internal error (out of tokens)."),
    ],
)
async def test_a_refused_message_carries_the_agents_reason_in_plain_words_and_the_agent_lives_on(
    data: object, said: str
) -> None:
    refusal = {"code": -32603, "message": "Internal error", "data": data}
    async with running({"errors": {"session/prompt": refusal}}, NotingClient()) as manager:
        session = await manager.new_session()
        with pytest.raises(SidecarError) as refused:
            await manager.prompt(session.id, "go")
        assert refused.value.message.endswith(said)
        assert manager.is_running


async def test_an_error_without_form_ends_the_turn_as_well() -> None:
    steps = [{"do": "raw", "text": '{"jsonrpc": "2.0", "id": 2, "error": "out of luck"}\n'}, {"do": "never"}]
    async with running({"turns": [steps]}, NotingClient()) as manager:
        session = await manager.new_session()
        with pytest.raises(SidecarError, match="out of luck"):
            await manager.prompt(session.id, "go")


async def test_a_crash_in_a_turn_ends_it_and_every_decision() -> None:
    async def never(request: PermissionRequest) -> PermissionVerdict:
        await asyncio.Event().wait()
        raise AssertionError

    client = NotingClient(never)
    request = {"do": "request", "id": 1, "method": "session/request_permission", "wait": False}
    steps = [
        {**request, "params": {"toolCall": {"toolCallId": "c"}, "options": []}},
        {"do": "stderr", "text": "Segmentation fault\n"},
        {"do": "raw", "text": '{"jsonrpc": "2.0", "id": 2, "method": "session/requ'},
        {"do": "exit", "code": 139},
    ]
    error = await turn_of(steps, client)
    assert isinstance(error, SidecarExitedError)
    assert "signal 11, SIGSEGV" in error.message
    assert error.stderr == ("Segmentation fault",)
    assert (len(client.requests), len(client.abandoned), client.waiting) == (1, 1, 0)


async def test_an_agent_whose_child_holds_the_pipe_is_still_seen_to_have_ended() -> None:
    error = await turn_of([{"do": "leave_child", "hold_pipe": True}, {"do": "exit", "code": 0}])
    assert isinstance(error, SidecarExitedError)


async def test_a_little_noise_is_passed_over() -> None:
    client = NotingClient()
    noise = {"do": "raw", "text": "Welcome!\n\n[1, 2]\n{}\n\xff\xfe\n"}
    async with running({"start": [noise], "turns": [[{"do": "say", "text": "hi"}]]}, client, limits=SMALL) as manager:
        session = await manager.new_session()
        assert await manager.prompt(session.id, "go") is StopReason.END_TURN
    assert client.text == "hi"


async def test_endless_noise_is_a_protocol_error_that_shows_it() -> None:
    error = await turn_of([{"do": "raw", "text": "not a message\n" * 6}, {"do": "never"}], limits=SMALL)
    assert isinstance(error, SidecarProtocolError)
    assert "not a message" in error.message


async def test_a_turn_of_more_messages_than_the_limit_ends_the_agent() -> None:
    said = [{"do": "say", "text": "x"}] * 9
    error = await turn_of(
        [*said, {"do": "never"}], limits=SidecarLimits(notices=8, close_grace_s=0.1, stop_grace_s=0.5)
    )
    assert isinstance(error, SidecarProtocolError)
    assert "more than 8 messages in one turn" in error.message


async def test_each_turn_may_send_as_many_messages_as_the_limit() -> None:
    said = [{"do": "say", "text": "x"}] * 6
    async with running({"turns": [said, said]}, NotingClient(), limits=SidecarLimits(notices=8)) as manager:
        session = await manager.new_session()
        for _ in range(2):
            assert await manager.prompt(session.id, "go") is StopReason.END_TURN


@pytest.mark.parametrize("size", [65535, 65536, 65537, MIB])
async def test_a_message_of_any_size_up_to_the_limit_arrives_whole(size: int) -> None:
    client, frames = NotingClient(), list[bytes]()
    async with running(
        {"turns": [[{"do": "message", "bytes": size}]]},
        client,
        limits=SidecarLimits(message_bytes=MIB),
        on_frame=lambda way, data: frames.append(data),
    ) as manager:
        session = await manager.new_session()
        assert await manager.prompt(session.id, "go") is StopReason.END_TURN
    assert max(map(len, frames)) == size
    assert set(client.text) == {"x"}


async def test_a_message_above_the_limit_is_a_protocol_error_that_says_so() -> None:
    error = await turn_of([{"do": "message", "bytes": 17 * MIB}, {"do": "never"}])
    assert isinstance(error, SidecarProtocolError)
    assert f"{16 * MIB:,} bytes" in error.message


async def test_a_line_that_never_ends_is_a_protocol_error() -> None:
    error = await turn_of([{"do": "flood", "bytes": 64 * MIB}, {"do": "never"}])
    assert isinstance(error, SidecarProtocolError)


async def test_a_flood_of_error_output_does_not_hold_up_the_turn() -> None:
    client = NotingClient()
    steps = [{"do": "flood", "to": "stderr", "bytes": 8 * MIB, "line": "x" * 99 + "\n"}, {"do": "say", "text": "done"}]
    async with running({"turns": [steps]}, client) as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
        assert client.text == "done"
        assert len(manager.stderr) <= 200
        assert sum(len(line) for line in manager.stderr) <= 64 * 1024


async def test_an_agent_that_never_reads_is_given_up() -> None:
    limits = SidecarLimits(write_timeout_s=0.5, close_grace_s=0.1, stop_grace_s=0.5)
    program = (
        "import sys, json, time\n"
        "for n, result in ((0, {'protocolVersion': 1}), (1, {'sessionId': 's'})):\n"
        "    sys.stdin.readline(); print(json.dumps({'jsonrpc': '2.0', 'id': n, 'result': result}), flush=True)\n"
        "time.sleep(600)\n"
    )
    async with running(a_launch(sys.executable, "-S", "-E", "-c", program), NotingClient(), limits=limits) as manager:
        session = await manager.new_session()
        with pytest.raises(SidecarTimeoutError, match="has not read"):
            await manager.prompt(session.id, "x" * 4 * MIB)


@pytest.mark.parametrize(("end", "words"), [(0, "no longer reads"), (1, "closed its output")])
async def test_an_agent_that_closes_one_end_and_lives_on_is_given_up(end: int, words: str) -> None:
    program = (
        "import os, sys, json, time\n"
        "for n, result in ((0, {'protocolVersion': 1}), (1, {'sessionId': 's'})):\n"
        "    sys.stdin.readline(); print(json.dumps({'jsonrpc': '2.0', 'id': n, 'result': result}), flush=True)\n"
        f"os.close({end})\n"
        "print('closed', file=sys.stderr, flush=True)\n"
        "time.sleep(600)\n"
    )
    async with running(a_launch(sys.executable, "-S", "-E", "-c", program), NotingClient()) as manager:
        session = await manager.new_session()
        while not manager.stderr:
            await asyncio.sleep(0.01)
        with pytest.raises(SidecarExitedError, match=words):
            await manager.prompt(session.id, "go")


async def test_a_message_of_ours_above_the_limit_is_refused_and_the_agent_lives_on() -> None:
    async with running({}, NotingClient(), limits=SMALL) as manager:
        session = await manager.new_session()
        with pytest.raises(SidecarError, match="larger than"):
            await manager.prompt(session.id, "x" * 65536)
        assert await manager.prompt(session.id, "short") is StopReason.END_TURN


async def test_a_file_too_large_for_the_wire_is_refused_to_the_agent() -> None:
    client = NotingClient()
    client.files["big"] = "x" * 65536
    read = {"do": "request", "id": 9, "method": "fs/read_text_file", "params": {"path": "/workspace/big"}}
    frames: list[Any] = []
    async with running(
        {"turns": [[read]]}, client, limits=SMALL, on_frame=lambda way, data: frames.append(json.loads(data))
    ) as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
    [answer] = [frame for frame in frames if frame.get("id") == 9 and "method" not in frame]
    assert "larger than" in answer["error"]["message"]


@pytest.mark.parametrize(
    "line",
    [
        '{"id": 2, "result": 1e999}',
        '{"id": 2, "result": NaN}',
        '{"id": 2, "result": ' + "9" * 5000 + "}",
        '{"id": 2, "error": "text"}',
        '{"id": 2, "error": {"code": "x", "message": 5}}',
        '{"id": [2], "result": {}}',
        '{"id": 2.5, "result": {}}',
        '{"id": null, "method": 5}',
        '{"method": 5}',
        '{"method": "session/update", "params": [1]}',
        '{"method": "session/update"}',
        '{"id": 7, "method": "session/request_permission"}',
        "[" * 10_000,
        '{"a":' * 10_000,
        "\xef\xbb\xbf{}",
        "{\x00}",
    ],
)
async def test_no_line_hangs_or_breaks_the_talk(line: str) -> None:
    async with running({"turns": [[{"do": "raw", "text": line + "\n"}]]}, NotingClient()) as manager:
        session = await manager.new_session()
        with contextlib.suppress(SidecarError):
            assert await manager.prompt(session.id, "go") is StopReason.END_TURN
        assert manager.is_running
        assert await manager.prompt(session.id, "report") is StopReason.END_TURN


def test_the_library_of_the_wire_is_not_loaded_before_an_agent_is_started() -> None:
    program = (
        "import sys, tandem_desktop.acp_client.client, tandem_desktop.acp_client.profiles as p; "
        "p.load_profiles(); sys.exit('acp' in sys.modules)"
    )
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", program]) == 0
