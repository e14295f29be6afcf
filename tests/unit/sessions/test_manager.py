"""One registry says which sessions are open, with which agent, and what the person wants of those that are not."""

import asyncio
import gc
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.background import Conversations
from tandem_desktop.domain.agent_protocol import StopReason
from tandem_desktop.domain.errors import SidecarLaunchError
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.planning_tools.relay import SOCKET_VARIABLE, TOKEN_VARIABLE
from tandem_desktop.services.engine import Engine
from tandem_desktop.services.engine_thread import EngineThread
from tandem_desktop.sessions.advisors import Advisor
from tandem_desktop.sessions.manager import AgentSessions, open_session_shadow, shadow_folder
from tandem_desktop.settings import Settings
from tests.support.agent_scripts import Steps, scripted_agent

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
SESSION = SessionId("SES-0123abcd")


@pytest.fixture
def engine(workspace: Path, tmp_path: Path) -> Iterator[Engine]:
    made = build_engine(workspace, state=tmp_path / "state")
    yield made
    made.close()


async def test_agents_take_turns_in_one_session_and_only_the_last_is_open(
    sessions: AgentSessions, steps: Steps
) -> None:
    slot = sessions.slot(SESSION)
    writer = Advisor(scripted_agent([steps.write("b.txt", "b\n")]))
    first = await slot.take(writer)
    assert await slot.take(writer) is first is sessions.find(SESSION)
    await first.plan("Go")
    second = await slot.take(Advisor(scripted_agent([steps.write("c.txt", "c\n")])))
    assert second is sessions.find(SESSION) is not first
    turn = await second.plan("Go on")
    assert turn.version is not None
    assert [each.path for each in turn.version.operations] == ["b.txt", "c.txt"]
    await slot.leave()
    assert sessions.find(SESSION) is None


async def test_agent_that_cannot_be_started_leaves_the_session_closed(sessions: AgentSessions) -> None:
    slot = sessions.slot(SESSION)
    await slot.take(Advisor(scripted_agent()))
    nowhere = scripted_agent().model_copy(update={"name": "nowhere", "command": ("/nowhere/agent",)})
    with pytest.raises(SidecarLaunchError):
        await slot.take(Advisor(nowhere))
    assert sessions.find(SESSION) is None
    assert await slot.take(Advisor(scripted_agent())) is sessions.find(SESSION)


async def test_two_agents_that_are_new_in_their_home_are_started_one_after_the_other(
    sessions: AgentSessions, steps: Steps
) -> None:
    plain = scripted_agent([steps.write("b.txt", "b\n")])
    working = "n=0; while [ $n -lt 300000 ]; do n=$((n + 1)); done"  # long enough for the other to come in between
    setting_up = f'mkdir "$HOME/begun" || exit 1; {working}; rmdir "$HOME/begun"'
    begin = f'{setting_up}; exec "$0" "$@"'
    clumsy = plain.model_copy(update={"command": ("/bin/sh", "-c", begin, *plain.command)})
    both = [await sessions.slot(SessionId(f"SES-{n}0123abc")).take(Advisor(clumsy)) for n in range(2)]
    await asyncio.gather(*(session.start() for session in both))
    await asyncio.gather(*(session.close() for session in both))


async def test_the_agent_is_told_that_its_tools_changed_when_plan_mode_is_switched(sessions: AgentSessions) -> None:
    session = await sessions.slot(SESSION).take(Advisor(scripted_agent()))
    (server,) = session._servers
    reader, writer = await asyncio.open_unix_connection(server.env[SOCKET_VARIABLE])
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    greeting = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    writer.write(f"{server.env[TOKEN_VARIABLE]} {SESSION}\n".encode())
    writer.writelines(json.dumps(message).encode() + b"\n" for message in (greeting, ready, ping))
    assert [json.loads(await reader.readline())["id"] for _ in range(2)] == [0, 1]
    await asyncio.to_thread(session.set_plan_mode, False)
    assert json.loads(await reader.readline())["method"] == "notifications/tools/list_changed"
    writer.close()


async def test_plan_mode_chosen_before_a_session_is_open_holds_when_it_opens(sessions: AgentSessions) -> None:
    sessions.slot(SESSION).plan_mode = False
    session = await sessions.slot(SESSION).take(Advisor(scripted_agent()))
    assert not session.is_planning


def test_stop_before_a_session_is_open_stops_its_first_turn_and_no_other(
    engine: Engine, tmp_path: Path, steps: Steps
) -> None:
    sessions = AgentSessions(engine, Settings(), engine.clock, person_home=tmp_path / "home")
    with EngineThread() as thread:
        conversations = Conversations(engine, sessions, thread)
        profile = scripted_agent([steps.say("Hi")])
        try:
            stopped = conversations.send(SESSION, "Go", profile, plan_mode=True)
            conversations.stop(SESSION).result(60)
            assert stopped.result(60).stop_reason is StopReason.CANCELLED
            assert conversations.is_open(SESSION)
            assert conversations.send(SESSION, "Go", profile, plan_mode=True).result(60).said == "Hi"
        finally:
            conversations.close()
    assert not conversations.is_open(SESSION)


def test_engine_that_ends_while_a_session_opens_leaves_no_shadow_open(
    engine: Engine, tmp_path: Path, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda raised: left.append(str(raised.exc_value)))
    sessions = AgentSessions(engine, Settings(), engine.clock, person_home=tmp_path / "home")
    folder = shadow_folder(engine.locations.shadows, SESSION)
    with EngineThread() as thread:
        conversations = Conversations(engine, sessions, thread)
        turn = conversations.send(SESSION, "Go", scripted_agent([steps.say("Hi")]), plan_mode=True)
        while not folder.exists():
            assert not turn.done()
        conversations.close()
    assert turn.cancelled()
    open_session_shadow(engine, SESSION).close()
    gc.collect()
    assert left == []
