"""One registry says which sessions are open, with which agent, and what the person wants of those that are not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.background import Conversations
from tandem_desktop.domain.agent_protocol import StopReason
from tandem_desktop.domain.errors import SidecarLaunchError
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.services.engine import Engine
from tandem_desktop.services.engine_thread import EngineThread
from tandem_desktop.sessions.advisors import Advisor
from tandem_desktop.sessions.manager import AgentSessions
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
