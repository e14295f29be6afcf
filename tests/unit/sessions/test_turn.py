"""What belongs to one turn stays with it, whenever it is stopped or abandoned."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.agent_protocol import StopReason
from tandem_desktop.domain.events import TandemEvent, TurnStarted
from tandem_desktop.services.engine import Engine
from tandem_desktop.sessions.manager import AgentSessions
from tandem_desktop.sessions.turn import Interruption, TurnPhase, TurnState
from tests.support.agent_scripts import Steps, scripted_agent

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def engine(workspace: Path, tmp_path: Path) -> Iterator[Engine]:
    made = build_engine(workspace, state=tmp_path / "state")
    yield made
    made.close()


def test_what_is_said_before_the_first_message_and_after_the_end_is_no_answer() -> None:
    turn = TurnState()
    for phase, text in zip(TurnPhase, ("waiting", "starting", "PLAN_", "ended"), strict=True):
        turn.phase = phase
        turn.hear(text)
        if phase is TurnPhase.TALKING:
            turn.hear("CREATED")
            assert not turn.is_announced
            turn.end_talk()
    assert (turn.said, turn.is_announced) == ("PLAN_CREATED", True)


def test_abandoned_turn_that_is_stopped_stays_abandoned_and_an_ended_one_is_not_stopped_any_more() -> None:
    abandoned = TurnState(TurnPhase.TALKING, Interruption.ABANDONED)
    abandoned.stop()
    ended = TurnState(TurnPhase.ENDED)
    ended.stop()
    assert (abandoned.interruption, ended.interruption) == (Interruption.ABANDONED, Interruption.NONE)


async def test_turn_stopped_before_it_begins_reaches_no_agent_and_the_next_one_does(
    sessions: AgentSessions, steps: Steps
) -> None:
    session = await sessions.open(scripted_agent([steps.say("First")], [steps.say("Second")]))
    first = await session.plan("Go")
    session.stop_next_turn()
    stopped = await session.plan("Go on")
    third = await session.plan("Go on")
    assert (first.said, stopped.said, third.said) == ("First", "", "Second")
    assert stopped.stop_reason is StopReason.CANCELLED
    assert third.stop_reason is StopReason.END_TURN


async def test_cancel_and_abandon_between_turns_stop_no_later_turn(sessions: AgentSessions, steps: Steps) -> None:
    session = await sessions.open(scripted_agent([steps.write("b.txt", "b\n")], [steps.write("c.txt", "c\n")]))
    await session.plan("Go")
    await session.cancel_turn()
    await asyncio.gather(session.abandon(), session.abandon())
    turn = await session.plan("Something else")
    assert turn.stop_reason is StopReason.END_TURN
    assert turn.version is not None


async def test_turn_abandoned_while_its_agent_starts_leaves_nothing(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    loop, begun = asyncio.get_running_loop(), asyncio.Event()

    def on_event(event: TandemEvent) -> None:
        if isinstance(event, TurnStarted):
            loop.call_soon_threadsafe(begun.set)

    engine.events.subscribe(on_event)
    session = await sessions.open(scripted_agent([steps.write("b.txt", "b\n")]))
    planning = asyncio.create_task(session.plan("Go"))
    await begun.wait()
    await session.abandon()
    turn = await planning
    assert turn.version is None
    assert session.shadow.changes() == session.staging.store.get_all() == ()
