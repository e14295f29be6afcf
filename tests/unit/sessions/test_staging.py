"""What a scripted agent asks for and does in its shadow goes into the session's store, and everything follows that."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.events import OperationStaged, OperationUnstaged, StagingCleared, TandemEvent
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.services.engine import Engine
from tandem_desktop.sessions.manager import AgentSessions
from tandem_desktop.settings import Settings
from tandem_desktop.staging.requests import Handling
from tandem_desktop.staging.staging_store import StagingStore
from tests.support.agent_scripts import Steps, scripted_agent

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
AWAIT_CANCEL = {"do": "await_cancel"}


@pytest.fixture
def engine(workspace: Path, tmp_path: Path) -> Iterator[Engine]:
    made = build_engine(workspace, state=tmp_path / "state")
    yield made
    made.close()


@pytest.fixture
def session_settings() -> Settings:
    """Commands are put into the plan."""
    return Settings(commands_while_planning="stage")


class Follower:
    """Rebuilds what is staged from the events alone."""

    def __init__(self, engine: Engine) -> None:
        self.operations: dict[OperationId, StagedOperation] = {}
        self.counts: list[int] = []
        self.events: list[TandemEvent] = []
        self._loop, self._told = asyncio.get_running_loop(), asyncio.Event()
        engine.events.subscribe(self._on_event)

    async def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            await asyncio.wait_for(self._told.wait(), 60)
            self._told.clear()

    @property
    def shown(self) -> list[str]:
        return shown(tuple(self.operations.values()))

    def _on_event(self, event: TandemEvent) -> None:
        match event:
            case OperationStaged():
                self.operations[event.operation.id] = event.operation
                self.counts.append(len(self.operations))
            case OperationUnstaged():
                del self.operations[event.operation_id]
            case StagingCleared():
                for operation_id in event.operation_ids:
                    del self.operations[operation_id]
        self.events.append(event)
        self._loop.call_soon_threadsafe(self._told.set)


def shown(operations: tuple[StagedOperation, ...]) -> list[str]:
    return [each.path or (each.call.command if each.call else "") for each in operations]


@pytest.mark.req("S0-31", "S0-32", "S0-33")
async def test_edits_and_commands_of_an_agent_are_staged_in_order_while_it_works(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    follower = Follower(engine)
    session = await sessions.open(
        scripted_agent(
            [
                steps.ask_to_write("c1", "a.txt", "new\n", "old\n"),
                steps.write("a.txt", "new\n"),
                steps.ended("c1"),
                steps.ask_to_run("c2", "make"),
                steps.ask_to_write("c3", "b.txt", "b\n"),
                steps.write("b.txt", "b\n"),
                steps.ended("c3"),
                AWAIT_CANCEL,
            ]
        )
    )
    planning = asyncio.create_task(session.plan("Go"))
    await follower.until(lambda: follower.shown == ["a.txt", "make", "b.txt"])
    store = session.staging.store
    assert shown(store.get_all()) == ["a.txt", "make", "b.txt"]
    assert list(dict.fromkeys(follower.counts)) == [1, 2, 3]
    requests = {each.request_id: each for segment in store.observations.segments for each in segment.requests}
    edit, command, _ = requests.values()
    assert (command.tool, command.args, command.session_id) == ("make", {"command": "make"}, edit.session_id)
    assert (command.handling, command.queued_as) == (Handling.QUEUED, 2)
    assert command.message_id == edit.message_id == session.interceptor.message_id
    assert [each.request_ids for each in store.get_all()] == [(each,) for each in requests]
    await session.cancel_turn()
    turn = await planning
    assert turn.version is not None
    assert turn.version.operations == store.get_all() == tuple(follower.operations.values())


@pytest.mark.req("S0-32")
async def test_request_without_tool_or_arguments_is_staged_as_unknown(
    sessions: AgentSessions, workspace: Path, steps: Steps
) -> None:
    asks = steps.ask_to_write("c1", "a.txt", "new\n", "old\n")
    asks["params"]["toolCall"] = {"toolCallId": "c1", "status": "pending", "kind": "other"}
    session = await sessions.open(scripted_agent([asks, steps.write("a.txt", "new\n")]))
    await session.plan("Go")
    (request,) = (each for segment in session.staging.store.observations.segments for each in segment.requests)
    assert (request.tool, request.args) == ("unknown", {})


@pytest.mark.req("S0-31")
async def test_abandoned_draft_is_drained_once_and_whoever_follows_is_told_of_exactly_that(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    follower = Follower(engine)
    session = await sessions.open(
        scripted_agent([steps.write("b.txt", "b\n"), steps.ask_to_run("c1", "make"), AWAIT_CANCEL])
    )
    planning = asyncio.create_task(session.plan("Go"))
    await follower.until(lambda: follower.shown == ["b.txt", "make"])
    staged = tuple(follower.operations)
    await asyncio.gather(session.abandon(), session.abandon())
    await planning
    cleared = [each.operation_ids for each in follower.events if isinstance(each, StagingCleared)]
    assert cleared == [staged]
    assert session.staging.store.get_all() == session.clear_staging() == ()
    assert StagingStore(engine.locations.sessions / session.id / "staging.jsonl").get_all() == ()


async def test_events_lead_to_what_the_store_holds_however_the_agent_goes_about(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    follower = Follower(engine)
    work = []
    for number, (path, text) in enumerate(
        [("d.txt", "1\n"), ("b.txt", "2\n"), ("c.txt", "3\n"), ("b.txt", "4\n"), ("a.txt", "5\n")]
    ):
        work += [steps.ask_to_write(f"c{number}", path, text), steps.write(path, text), steps.ended(f"c{number}")]
    work.insert(9, steps.ask_to_run("x", "make"))
    session = await sessions.open(scripted_agent(work, [steps.write("a.txt", "old\n"), steps.ended("c9")]))
    first = await session.plan("Go")
    assert first.version is not None
    assert tuple(follower.operations.values()) == first.version.operations
    second = await session.plan("Leave a.txt alone")
    assert second.version is not None
    assert "a.txt" not in follower.shown
    assert tuple(follower.operations.values()) == second.version.operations == session.staging.store.get_all()


async def test_operation_that_stays_the_same_keeps_the_time_it_was_staged_at(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await sessions.open(scripted_agent([steps.write("b.txt", "b\n")], [steps.write("c.txt", "c\n")]))
    first = await session.plan("Go")
    second = await session.plan("Go on")
    assert first.version is not None
    assert second.version is not None
    assert first.version.operations == second.version.operations[:1]


async def test_session_staged_by_0_1_0_goes_on_with_its_queue(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await sessions.open(scripted_agent([steps.ask_to_run("c1", "make")], [steps.say("Hi")]))
    await session.plan("Go")
    await session.close()
    file = engine.locations.sessions / session.id / "staging.jsonl"
    file.write_bytes(b"".join(line for line in file.read_bytes().splitlines(True) if b'"operation":' not in line))
    again = await sessions.open(session.profile, session_id=session.id)
    assert shown(again.staging.store.get_all()) == ["make"]


async def test_session_staged_by_0_1_0_knows_the_command_that_ran_in_its_shadow(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await sessions.open(scripted_agent([steps.ask_to_run("c1", "make")]))
    await session.plan("Go")
    await session.close()
    file = engine.locations.sessions / session.id / "staging.jsonl"
    first, second = (json.loads(line) for line in file.read_bytes().splitlines()[:2])
    segment = {**first, "requests": [*first["requests"], *second.get("requests", ())]}
    request = {**segment["requests"][0], "handling": "rehearsed", "verdict": "allow", "queued_as": None}
    segment.update(rehearsed=request, requests=[request], command=None)
    del segment["ran"]
    file.write_text(json.dumps(segment) + "\n")
    (ran,) = (await sessions.open(session.profile, session_id=session.id)).staging.staged().ran
    assert ran.command == "make"
