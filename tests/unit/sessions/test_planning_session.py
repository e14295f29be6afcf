"""A session with a scripted agent in a real shadow: planning, Plan mode off, decisions and what the agent is told."""

import asyncio
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.agent_protocol import PermissionVerdict
from tandem_desktop.domain.errors import InvalidTransitionError, NotApprovableError
from tandem_desktop.domain.events import (
    AgentUpdated,
    ChangesWaiting,
    OperationStaged,
    PermissionAsked,
    PlanCancelled,
    PlanMoved,
    TandemEvent,
    TurnEnded,
)
from tandem_desktop.domain.operations import FileState, OperationKind
from tandem_desktop.domain.plan import Origin
from tandem_desktop.domain.plan_states import EventKind, PlanAction, PlanState, PlanStatus
from tandem_desktop.domain.review import Side
from tandem_desktop.domain.state_machine import Cancel, PlanContext, Supersede
from tandem_desktop.review.choices import Drop
from tandem_desktop.services.engine import Engine
from tandem_desktop.sessions.interceptor import Decision
from tandem_desktop.sessions.manager import AgentSessions
from tandem_desktop.sessions.record import SessionRecord
from tandem_desktop.sessions.session import PlanningSession
from tandem_desktop.settings import CommandsWhilePlanning, Settings
from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support.agent_scripts import Step, Steps, scripted_agent, scripted_agent_with
from tests.support.patience import PATIENCE_S
from tests.support.tree_walker import walk

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def session_settings() -> Settings:
    """Commands are put into the plan."""
    return Settings(commands_while_planning="stage")


@pytest.fixture
def engine(workspace: Path, tmp_path: Path) -> Iterator[Engine]:
    made = build_engine(workspace, state=tmp_path / "state")
    yield made
    made.close()


async def a_session(sessions: AgentSessions, *turns: list[Step], plan_mode: bool = True) -> PlanningSession:
    return await sessions.open(scripted_agent(*turns), plan_mode=plan_mode)


def disk(workspace: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in workspace.iterdir() if path.is_file()}


async def test_what_an_agent_writes_while_planning_becomes_a_plan_and_nothing_else(
    sessions: AgentSessions, workspace: Path, steps: Steps
) -> None:
    before = walk(workspace)
    session = await a_session(
        sessions,
        [steps.ask_to_write("c1", "a.txt", "new\n", "old\n"), steps.write("a.txt", "new\n"), steps.ended("c1")],
    )
    turn = await session.plan("Make it new")
    assert turn.version is not None
    assert [(each.kind, each.path) for each in turn.version.operations] == [(OperationKind.MODIFY, "a.txt")]
    assert turn.version.operations[0].request_ids
    assert turn.version.title == "Make it new"
    assert walk(workspace) == before


async def test_another_mode_opens_the_conversation_of_an_agent_with_a_free_mode_again(
    sessions: AgentSessions, steps: Steps
) -> None:
    modes = {
        "modes": {"currentModeId": "ask", "availableModes": [{"id": each, "name": each} for each in ("ask", "free")]}
    }
    script = {"turns": [[steps.say("a")], [steps.say("b")], [steps.say("c")]], "session": modes}
    profile = scripted_agent_with(script).model_copy(update={"asking_mode": "ask", "free_mode": "free"})
    session = await sessions.open(profile)
    starts: list[bool] = []
    start = session.start

    async def noted() -> None:
        starts.append(session.is_planning)
        await start()

    session.start = noted  # type: ignore[method-assign]
    await session.plan("One")
    await session.plan("Two")
    session.set_plan_mode(False)
    await session.plan("Three")
    assert starts == [True, False]


async def test_lines_of_what_is_staged_are_counted_while_the_agent_works(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    told: list[OperationStaged] = []
    engine.events.subscribe(lambda event: told.append(event) if isinstance(event, OperationStaged) else None)
    session = await a_session(
        sessions,
        [
            steps.ask_to_write("c1", "a.txt", "new\nand more\n", "old\n"),
            steps.write("a.txt", "new\nand more\n"),
            steps.ended("c1"),
            steps.ask_to_run("c2", "make"),
        ],
    )
    await session.plan("Make it new")
    assert ("a.txt", 2, 1) in [(each.operation.path, each.added, each.removed) for each in told]


@pytest.mark.req("S0-78b")
async def test_every_fact_about_a_staged_operation_is_kept_with_it(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps
) -> None:
    session = await a_session(
        sessions,
        [
            steps.ask_to_write("c1", "a.txt", "new\n", "old\n"),
            steps.write("a.txt", "new\n"),
            steps.ended("c1"),
            steps.ask_to_run("c2", "make"),
        ],
    )
    turn = await session.plan("Make it new")
    assert turn.version is not None
    stored = engine.plans.revision(turn.version.plan_id)
    edit, command = stored.operations
    assert stored.session_id == session.id
    assert all(each.id and each.tool and each.description and each.staged_at for each in stored.operations)
    assert all(each.request_ids and each.tool_call_id and each.message_id for each in stored.operations)
    assert (edit.path, command.call and command.call.command) == ("a.txt", "make")
    assert isinstance(edit.base, FileState)
    assert isinstance(edit.after, FileState)
    assert (engine.objects.read(edit.base.sha256), engine.objects.read(edit.after.sha256)) == (b"old\n", b"new\n")
    asked = {request.request_id: request.args for request in session.interceptor.requests}
    assert asked[command.request_ids[0]] == {"command": "make"}


async def test_command_of_the_agent_divides_what_came_before_from_what_came_after(
    sessions: AgentSessions, workspace: Path, steps: Steps
) -> None:
    session = await a_session(
        sessions,
        [
            steps.write("one.txt", "1\n"),
            steps.ask_to_run("c1", "touch ran"),
            steps.write("two.txt", "2\n"),
            steps.terminal("touch ran-too"),
        ],
    )
    turn = await session.plan("Several things")
    assert turn.version is not None
    shown = [each.path or (each.call and each.call.command) for each in turn.version.operations]
    assert shown == ["one.txt", "touch ran", "two.txt", "touch ran-too"]
    assert disk(workspace) == {"a.txt": "old\n"}


async def test_a_rework_puts_its_corrections_before_the_command_that_waits_for_them(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await a_session(
        sessions,
        [
            steps.write("a.txt", "new\n"),
            steps.write("test_a.txt", "wrong\n"),
            steps.ask_to_run("c1", "pytest"),
            steps.write("notes.txt", "1\n"),
            steps.ask_to_run("c2", "git commit"),
        ],
        [
            steps.write("test_a.txt", "right\n"),
            steps.write("help.txt", "1\n"),
            steps.ask_to_run("c3", "make"),
            steps.write("a.txt", "newer\n"),
        ],
    )
    first = (await session.plan("Several things")).version
    assert first is not None
    await asyncio.to_thread(engine.decisions.reject, first.plan_id, "The test is wrong.")
    second = (await session.plan("")).version
    assert second is not None
    shown = [each.path or (each.call and each.call.command) for each in second.operations]
    # What was changed after the new command stays after it, as in a first draft.
    assert shown == ["a.txt", "test_a.txt", "pytest", "help.txt", "notes.txt", "git commit", "make", "a.txt"]
    test = second.operations[1]
    assert isinstance(test.after, FileState)
    assert engine.objects.read(test.after.sha256) == b"right\n"


async def test_command_run_without_asking_is_a_warning_on_the_plan(sessions: AgentSessions, steps: Steps) -> None:
    session = await a_session(sessions, [steps.ran("c1", "make install"), steps.write("one.txt", "1\n")])
    turn = await session.plan("Go")
    assert turn.version is not None
    assert any("make install" in warning for warning in turn.version.warnings)


async def test_agent_that_stops_at_a_refusal_is_told_to_go_on(sessions: AgentSessions, steps: Steps) -> None:
    session = await a_session(
        sessions,
        [steps.ask_to_run("c1", "make")],
        [steps.write("after.txt", "went on\n")],
    )
    turn = await session.plan("Build")
    assert turn.version is not None
    assert [each.kind for each in turn.version.operations] == [OperationKind.COMMAND, OperationKind.CREATE]


async def test_agent_that_goes_on_after_a_refusal_is_not_told_to(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await a_session(sessions, [steps.ask_to_run("c1", "make"), steps.ran("c2", "ls"), steps.ended("c2")])
    await session.plan("Build")
    assert len(prompts(session, engine)) == 1


async def test_a_turn_the_person_stopped_is_unfinished_whatever_the_agent_answers(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    turn_steps = [steps.write("one.txt", "1\n"), steps.say("Half done"), {"do": "await_cancel"}]
    session = await sessions.open(scripted_agent_with({"turns": [turn_steps], "says_end_turn": True}))
    said = hears(engine, AgentUpdated)
    going = asyncio.create_task(session.plan("Go"))
    await said.wait()
    await session.cancel_turn()
    turn = await going
    assert turn.version is not None
    assert turn.version.incomplete
    with pytest.raises(NotApprovableError):
        engine.decisions.approve(turn.version.plan_id, turn.version.approval_hash)


@pytest.mark.parametrize(
    ("offers", "method"),
    [({"sessionCapabilities": {"resume": {}}}, "session/resume"), ({"loadSession": True}, "session/load")],
)
async def test_the_agent_goes_on_with_its_own_conversation_after_a_restart(
    engine: Engine, steps: Steps, offers: dict[str, Any], method: str
) -> None:
    script = {"turns": [[steps.write("one.txt", "1\n")]], "initialize": {"agentCapabilities": offers}}
    first = AgentSessions(engine, engine.settings, engine.clock)
    session = await first.open(scripted_agent_with(script))
    await session.plan("Remember: blue")
    await first.close()
    second = AgentSessions(engine, engine.settings, engine.clock)
    again = await second.open(scripted_agent_with(script), session_id=session.id)
    await again.plan("Go on")
    await second.close()
    sent = [message["method"] for message in frames(again, engine) if "method" in message]
    assert (sent.count("session/new"), sent.count(method)) == (1, 1)
    assert prompts(again, engine)[-1].endswith("Go on")
    assert "Tools here" not in prompts(again, engine)[-1]


async def test_a_conversation_has_the_title_its_agent_gives_it_unless_that_repeats_what_tandem_told_the_agent(
    engine: Engine, steps: Steps
) -> None:
    sessions = AgentSessions(engine, engine.settings, engine.clock)
    echo = "You are in READ-ONLY PLANNING MODE…"
    session = await sessions.open(
        scripted_agent([steps.named(" Mend\n the\u202e check "), steps.named(echo)], [steps.named(echo)])
    )
    await session.plan("Please mend it.")
    await sessions.close()
    record = SessionRecord(engine.locations.sessions / session.id)
    told = prompts(session, engine)[0]
    assert "read-only planning mode" in told.lower()
    assert (record.load().title, record.load().task) == ("Mend the⟨U+202E⟩ check", "Please mend it.")


async def test_an_agent_that_cannot_go_on_is_told_the_first_task_and_the_plan(engine: Engine, steps: Steps) -> None:
    first = AgentSessions(engine, engine.settings, engine.clock)
    session = await a_session(first, [steps.write("one.txt", "1\n")])
    await session.plan("Remember: blue")
    await first.close()
    second = AgentSessions(engine, engine.settings, engine.clock)
    again = await second.open(scripted_agent([steps.say("Yes")]), session_id=session.id)
    await again.plan("Go on")
    await second.close()
    last = prompts(again, engine)[-1]
    assert last.index("Remember: blue") < last.index("create one.txt") < last.index("Go on")


async def test_agent_that_dies_leaves_a_plan_that_cannot_be_approved(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await a_session(sessions, [steps.write("one.txt", "1\n"), {"do": "exit", "code": 3}])
    turn = await session.plan("Go")
    assert turn.failure is not None
    assert turn.version is not None
    with pytest.raises(NotApprovableError):
        engine.decisions.approve(turn.version.plan_id, turn.version.approval_hash)


async def test_question_in_one_session_keeps_no_other_session_waiting(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    asked = hears(engine, PermissionAsked)
    waiting = await a_session(sessions, [steps.ask_to_write("c1", "a.txt", "new\n", "old\n")], plan_mode=False)
    other = await a_session(sessions, [steps.write("b.txt", "b\n")])
    first = asyncio.create_task(waiting.plan("Ask me"))
    await asked.wait()
    turn = await other.plan("Write b")
    assert turn.version is not None
    assert not first.done()
    await waiting.cancel_turn()
    await first


async def test_change_a_card_showed_and_a_person_allowed_is_written_at_once_and_can_be_undone(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps
) -> None:
    session = await a_session(
        sessions,
        [steps.ask_to_write("c1", "a.txt", "new\n", "old\n"), steps.write("a.txt", "new\n"), steps.ended("c1")],
        plan_mode=False,
    )
    answering_for(engine, session, Decision.YES)
    await session.plan("Change it")
    assert disk(workspace) == {"a.txt": "new\n"}
    engine.runs.undo(engine.runs.runs()[0].record.run_id)
    assert disk(workspace) == {"a.txt": "old\n"}


async def test_edits_of_one_file_that_were_allowed_one_after_the_other_are_all_written(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps
) -> None:
    texts = ["old\n", "new\n", "newer\n", "newest\n"]
    turn = [
        step
        for number, (old, new) in enumerate(itertools.pairwise(texts))
        for step in (
            steps.ask_to_write(f"c{number}", "a.txt", new, old),
            steps.write("a.txt", new),
            steps.ended(f"c{number}"),
        )
    ]
    session = await a_session(sessions, turn, plan_mode=False)
    answering_for(engine, session, Decision.YES)
    await session.plan("Change it")
    assert disk(workspace) == {"a.txt": "newest\n"}


async def test_ignored_file_that_a_card_showed_and_a_person_allowed_is_written_and_others_beside_it_are_not(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps
) -> None:
    asked = steps.ask_to_write("c1", "node_modules/b.js", "new\n")
    beside = {"do": "shell", "script": "mkdir -p node_modules; echo made > node_modules/c.js"}
    done = (steps.write("node_modules/b.js", "new\n"), steps.ended("c1"))
    session = await a_session(sessions, [asked, beside, *done], plan_mode=False)
    answering_for(engine, session, Decision.YES)
    await session.plan("Change it")
    assert {path for path, node in walk(workspace).items() if node[0] == "file"} == {"a.txt", "node_modules/b.js"}


async def test_change_other_than_the_card_showed_waits_as_a_second_card(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps
) -> None:
    waiting = hears(engine, ChangesWaiting)
    session = await a_session(
        sessions,
        [steps.ask_to_write("c1", "a.txt", "new\n", "old\n"), steps.write("a.txt", "EVIL\n"), steps.ended("c1")],
        plan_mode=False,
    )
    answering_for(engine, session, Decision.YES)
    turn = await session.plan("Change it")
    await waiting.wait()
    assert disk(workspace) == {"a.txt": "old\n"}
    assert turn.version is not None
    assert [each.path for each in turn.version.operations] == ["a.txt"]


async def test_change_nobody_asked_about_waits_as_a_card(
    sessions: AgentSessions, workspace: Path, steps: Steps
) -> None:
    session = await a_session(sessions, [steps.write("b.txt", "b\n")], plan_mode=False)
    turn = await session.plan("Do something")
    assert turn.version is not None
    assert disk(workspace) == {"a.txt": "old\n"}


async def test_skipped_request_changes_nothing_and_the_agent_is_told(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps
) -> None:
    session = await a_session(sessions, [steps.ask_to_write("c1", "a.txt", "new\n", "old\n")], plan_mode=False)
    answering_for(engine, session, Decision.SKIP, "Leave it")
    await session.plan("Change it")
    assert disk(workspace) == {"a.txt": "old\n"}
    assert "Leave it" in session.interceptor.requests[0].reason


@pytest.mark.req("S1-07", "S0-78", "S0-94")
async def test_the_agent_is_told_at_once_what_is_on_disk_and_plan_mode_stays_as_the_person_set_it(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps
) -> None:
    agent = scripted_agent([steps.write("a.txt", "new\n")], [steps.say("Thanks")], told_at_once=True)
    session = await sessions.open(agent)
    turn = await session.plan("Make it new")
    assert turn.version is not None
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    engine.events.subscribe(
        lambda event: loop.call_soon_threadsafe(ended.set) if isinstance(event, TurnEnded) else None
    )
    await asyncio.to_thread(engine.decisions.approve, turn.version.plan_id, turn.version.approval_hash)
    await asyncio.to_thread(engine.runs.apply, turn.version.plan_id)
    await asyncio.wait_for(ended.wait(), PATIENCE_S)
    assert session.is_planning
    assert len(prompts(session, engine)) == 2
    assert "applied and checked on disk" in prompts(session, engine)[-1]
    assert "Plan mode is off" not in "".join(prompts(session, engine))
    assert session.shadow.read("a.txt") == (workspace / "a.txt").read_bytes() == b"new\n"


@pytest.mark.req("S3-20", "S3-21", "S3-37d")
async def test_while_an_approved_plan_waits_for_its_run_its_agent_may_use_what_the_plan_is_made_of_and_nothing_else(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps
) -> None:
    asks = [steps.ask_to_run("c1", "touch made"), steps.say("Then not.")]
    session = await a_session(sessions, [steps.write("a.txt", "new\n")], asks, asks)
    turn = await session.plan("Make it new")
    assert turn.version is not None
    engine.decisions.approve(turn.version.plan_id, turn.version.approval_hash)
    await asyncio.sleep(0)
    await session.plan("Go on")
    (asked,) = session.interceptor.requests
    assert asked.verdict is PermissionVerdict.REJECT
    assert asked.reason.startswith("Tool not available in plan scope. Only [")
    assert "bash" not in asked.reason
    assert disk(workspace) == {"a.txt": "old\n"}


async def test_cancelled_plan_leaves_the_shadow_as_the_disk_is(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await a_session(sessions, [steps.write("a.txt", "new\n"), steps.ask_to_run("c1", "make")])
    turn = await session.plan("Make it new")
    assert turn.version is not None
    engine.decisions.cancel(turn.version.plan_id)
    await session.abandon()
    assert session.shadow.read("a.txt") == b"old\n"
    assert session.staging.staged().operations == ()


async def test_what_was_left_out_of_a_plan_that_gave_way_is_not_proposed_again(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await a_session(
        sessions, [steps.write("a.txt", "new\n"), steps.write("b.txt", "b\n")], [steps.write("c.txt", "c\n")]
    )
    first = await session.plan("Two things")
    assert first.version is not None
    [on_b] = [each.id for each in first.version.operations if each.path == "b.txt"]
    engine.proposals.drop(first.version.plan_id, [Drop.parse(on_b)])
    engine.plans.send(first.version.plan_id, Supersede())
    second = await session.plan("And c")
    assert second.version is not None
    assert [each.path for each in second.version.operations] == ["c.txt"]


async def test_plan_that_needs_a_person_is_refused_before_its_agent_is_told_anything(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await a_session(sessions, [steps.write("a.txt", "new\n")])
    first = await session.plan("Make it new")
    assert first.version is not None
    plan_id = first.version.plan_id
    for words in ("Smaller.", "Smaller still."):
        engine.decisions.reject(plan_id, words)
        engine.proposals.restore(plan_id, 1)
    engine.decisions.reject(plan_id, "No.")
    with pytest.raises(InvalidTransitionError, match="rejected 3 times") as refusal:
        await session.plan("", Origin.REWORK)
    assert f"tandem cancel {plan_id}" in refusal.value.next
    assert len(prompts(session, engine)) == 1


async def test_dropped_operation_is_gone_from_the_shadow_and_the_next_revision(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await a_session(
        sessions,
        [steps.write("a.txt", "new\n"), steps.write("b.txt", "b\n"), steps.ask_to_run("c1", "make")],
        [steps.write("c.txt", "c\n")],
    )
    first = await session.plan("Three things")
    assert first.version is not None
    dropped = [each.id for each in first.version.operations if each.path != "a.txt"]
    engine.proposals.drop(first.version.plan_id, [Drop.parse(each) for each in dropped])
    second = await session.plan("And c")
    assert second.version is not None
    assert [each.path for each in second.version.operations] == ["a.txt", "c.txt"]
    assert "create b.txt: left out by the person" in prompts(session, engine)[-1]


async def test_agent_that_only_answers_leaves_the_plan_and_its_digest_as_they_are(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await a_session(
        sessions, [steps.write("a.txt", "new\n")], [steps.say("Because it is old.")], [steps.write("b.txt", "b\n")]
    )
    first = await session.plan("Make it new")
    asked = await session.plan("Why?")
    assert first.version is not None
    assert asked.version == first.version
    assert engine.plans.meta(first.version.plan_id).revision == 1
    further = await session.plan("And b")
    assert further.version is not None
    assert further.version.revision == 2


async def test_every_comment_reaches_the_agent_that_has_to_rework_the_plan(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await a_session(sessions, [steps.write("a.txt", "new\nand more\n"), steps.write("b.txt", "b\n")], [])
    first = await session.plan("Two things")
    assert first.version is not None
    plan_id, (on_a, on_b) = first.version.plan_id, (each.id for each in first.version.operations)
    commenting = engine.commenting
    commenting.add(plan_id, "only one line", on_a, Side.AFTER, (1, 2))
    commenting.add(plan_id, "why keep it", on_a, Side.BEFORE, (1, 1))
    commenting.add(plan_id, "not needed", on_b)
    commenting.add(plan_id, "name the tests", None)
    engine.decisions.reject(plan_id, "Please again.")
    await session.plan("", Origin.REWORK)
    told = prompts(session, engine)[-1]
    for part in (
        "Please again.",
        f"a.txt ({on_a}), lines 1-2 of the file as proposed:\n   > new\n   > and more\n   only one line",
        f"a.txt ({on_a}), line 1 of the file as it was:\n   > old\n   why keep it",
        f"b.txt ({on_b}):\n   not needed",
        "the plan text:\n   name the tests",
    ):
        assert part in told
    assert engine.commenting.comments(plan_id).drafts == ()


async def test_agent_hears_what_the_person_left_out_and_changed_and_their_notes(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps
) -> None:
    session = await a_session(sessions, [steps.write("a.txt", "one\ntwo\n"), steps.write("b.txt", "b\n")], [])
    first = await session.plan("Two things")
    assert first.version is not None
    on_a, on_b = (each.id for each in first.version.operations)
    left = engine.proposals.drop(first.version.plan_id, [Drop.parse(f"{on_a}:+2"), Drop.parse(on_b)])
    engine.decisions.approve(left.plan_id, left.approval_hash, notes="mind the tests")
    engine.runs.apply(left.plan_id)
    assert disk(workspace) == {"a.txt": "one\n"}
    await session.plan("Go on")
    told = prompts(session, engine)[-1]
    for part in (
        f"- {on_a} modify a.txt: completed",
        f"- {on_b} create b.txt: left out by the person",
        f"- {on_a} modify a.txt: changed by the person before it was approved",
        "The person's notes on it:\nmind the tests",
    ):
        assert part in told


async def test_person_who_edits_while_the_agent_works_keeps_the_edit(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps
) -> None:
    session = await a_session(
        sessions, [steps.write("a.txt", "agent\n"), {"do": "sleep", "seconds": 0.5}, steps.write("b.txt", "b\n")]
    )
    planning = asyncio.create_task(session.plan("Go"))
    while session.shadow.read("a.txt") != b"agent\n":
        await asyncio.sleep(0.01)
    (workspace / "a.txt").write_text("person\n")
    turn = await planning
    assert turn.version is not None
    assert turn.version.drifted == ("a.txt",)
    with pytest.raises(NotApprovableError):
        engine.decisions.approve(turn.version.plan_id, turn.version.approval_hash)
    assert engine.plans.meta(turn.version.plan_id).status is PlanStatus.PROPOSED
    assert disk(workspace) == {"a.txt": "person\n"}


async def test_change_shown_only_after_the_card_was_answered_waits(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps
) -> None:
    session = await a_session(
        sessions,
        [
            steps.ask_to_write("c1", "a.txt", "new\n", "old\n"),
            steps.write("a.txt", "EVIL\n"),
            steps.shows("c1", "a.txt", "EVIL\n"),
            steps.ended("c1"),
        ],
        plan_mode=False,
    )
    answering_for(engine, session, Decision.YES)
    await session.plan("Change it")
    assert disk(workspace) == {"a.txt": "old\n"}


async def test_request_allowed_while_planning_is_no_permission_when_plan_mode_is_off(
    sessions: AgentSessions, workspace: Path, steps: Steps
) -> None:
    session = await a_session(
        sessions,
        [steps.ask_to_write("c1", "a.txt", "new\n", "old\n")],
        [steps.write("a.txt", "new\n"), steps.ended("c1")],
    )
    await session.plan("Ask")
    session.set_plan_mode(False)
    await session.plan("Do")
    assert disk(workspace) == {"a.txt": "old\n"}


@pytest.mark.req("S1-02")
async def test_turning_plan_mode_on_puts_the_planning_words_before_the_next_message(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await a_session(sessions, [steps.say("Hello")], [steps.say("Planning")], plan_mode=False)
    await session.plan("First")
    session.set_plan_mode(True)
    await session.plan("Second")
    sent = [each["params"]["prompt"][0]["text"] for each in frames(session, engine) if _is_prompt(each)]
    assert ["READ-ONLY PLANNING MODE" in text for text in sent] == [False, True]
    assert sent[1].index("READ-ONLY PLANNING MODE") < sent[1].index("Second")


def _is_prompt(message: dict[str, Any]) -> bool:
    return message.get("method") == "session/prompt"


async def test_unconfined_agent_is_led_to_the_copy_and_never_to_the_workspace(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tandem_desktop.shadow.factory.bubblewrap_missing", lambda: "it is not there")
    monkeypatch.setattr("tandem_desktop.shadow.sandbox.bubblewrap_missing", lambda: "it is not there")
    monkeypatch.setattr("tandem_desktop.shadow.sandbox.landlock_missing", lambda: "neither is this")
    session = await a_session(sessions, [steps.say("Hello"), {"do": "shell", "script": "echo agent > a.txt"}])
    assert not session.shadow.confinement.confined
    turn = await session.plan("Go")
    opened = next(each for each in frames(session, engine) if each.get("method") == "session/new")
    assert opened["params"]["cwd"] == str(session.shadow.place) != str(workspace)
    assert disk(workspace) == {"a.txt": "old\n"}
    assert turn.version is not None
    assert any("not confined" in warning for warning in turn.version.warnings)


@pytest.mark.parametrize("commands", ["run", "stage"])
@pytest.mark.parametrize("is_confined", [True, False])
async def test_an_agent_gets_its_free_mode_only_where_it_is_confined_and_its_commands_run(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, commands: CommandsWhilePlanning, is_confined: bool
) -> None:
    if is_confined and bubblewrap_missing():
        pytest.skip("nothing can be confined here")
    if not is_confined:
        monkeypatch.setattr("tandem_desktop.shadow.factory.bubblewrap_missing", lambda: "it is not there")
        monkeypatch.setattr("tandem_desktop.shadow.sandbox.bubblewrap_missing", lambda: "it is not there")
        monkeypatch.setattr("tandem_desktop.shadow.sandbox.landlock_missing", lambda: "neither is this")
    modes = [{"id": name, "name": name} for name in ("ask", "free")]
    script = {"turns": [[]], "session": {"modes": {"currentModeId": "ask", "availableModes": modes}}}
    profile = scripted_agent_with(script).model_copy(update={"asking_mode": "ask", "free_mode": "free"})
    sessions = AgentSessions(engine, Settings(commands_while_planning=commands), engine.clock)
    session = await sessions.open(profile)
    await session.plan("Go")
    await sessions.close()
    [chosen] = [
        each["params"]["modeId"] for each in frames(session, engine) if each.get("method") == "session/set_mode"
    ]
    assert (chosen == "free") is (is_confined and commands == "run")


async def test_plan_applied_during_a_turn_is_not_proposed_again(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps
) -> None:
    session = await a_session(
        sessions, [steps.write("b.txt", "b\n"), steps.ask_to_run("c1", "touch made"), {"do": "await_cancel"}]
    )
    planning = asyncio.create_task(session.plan("Go"))
    while not session.interceptor.requests:
        await asyncio.sleep(0.01)
    version = await session.stage_now("Go")
    assert version is not None
    await asyncio.to_thread(engine.decisions.approve, version.plan_id, version.approval_hash)
    await asyncio.to_thread(engine.runs.apply, version.plan_id)
    await session.cancel_turn()
    turn = await planning
    assert turn.version is None
    assert (workspace / "b.txt").read_text() == "b\n"


async def test_plan_cancelled_during_a_turn_stays_cancelled(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await a_session(
        sessions, [steps.write("b.txt", "b\n"), steps.ask_to_run("c1", "make"), {"do": "await_cancel"}]
    )
    planning = asyncio.create_task(session.plan("Go"))
    while not session.interceptor.requests:
        await asyncio.sleep(0.01)
    version = await session.stage_now("Go")
    assert version is not None
    await asyncio.to_thread(engine.decisions.cancel, version.plan_id)
    turn = await planning
    await session.abandon()
    assert turn.version is None
    assert engine.plans.meta(version.plan_id).status is PlanStatus.CANCELLED
    assert session.shadow.changes() == ()


async def test_turn_begun_after_a_plan_was_cancelled_goes_on_when_word_of_that_comes_late(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await a_session(
        sessions, [steps.write("a.txt", "new\n")], [steps.ask_to_run("c1", "make"), steps.write("b.txt", "b\n")]
    )
    first = await session.plan("Make it new")
    assert first.version is not None
    engine.plans.send(first.version.plan_id, Cancel())
    planning = asyncio.create_task(session.plan("Something else"))
    while not session.interceptor.requests:
        await asyncio.sleep(0.01)
    engine.events.publish(PlanCancelled(plan_id=first.version.plan_id))
    second = await planning
    assert second.version is not None
    assert [each.path or each.kind for each in second.version.operations] == [OperationKind.COMMAND, "b.txt"]


async def test_same_command_twice_in_a_turn_stays_twice(sessions: AgentSessions, steps: Steps) -> None:
    session = await a_session(
        sessions,
        [steps.ask_to_run("c1", "make"), steps.write("b.txt", "b\n"), steps.ask_to_run("c2", "make")],
    )
    turn = await session.plan("Go")
    assert turn.version is not None
    shown = [each.path or (each.call and each.call.command) for each in turn.version.operations]
    assert shown == ["make", "b.txt", "make"]


async def test_agent_that_died_is_started_again_with_the_next_message(sessions: AgentSessions, steps: Steps) -> None:
    session = await a_session(sessions, [steps.say("Hi"), {"do": "exit", "code": 3}])
    first = await session.plan("Go")
    second = await session.plan("Go on")
    assert first.failure is not None
    assert second.failure is None or "exit" in second.failure.message
    assert second.said == "Hi"


async def test_session_with_any_text_in_its_queue_can_be_opened_again(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    command = "echo 'a\u2028b\u0085c'"
    session = await a_session(sessions, [steps.ask_to_run("c1", command), steps.ran("c2", "make install")])
    first = await session.plan("Go")
    await session.close()
    again = await sessions.open(session.profile, session_id=session.id)
    staged = again.staging.staged()
    assert first.version is not None
    assert [each.call and each.call.command for each in staged.operations] == [command]
    assert any("make install" in warning for warning in staged.warnings)


@pytest.mark.req("S0-75")
@pytest.mark.parametrize("signal", ["PLAN_CREATED", "PLAN_UPDATED"])
async def test_signal_of_the_agent_makes_a_plan_of_what_it_said(
    sessions: AgentSessions, steps: Steps, signal: str
) -> None:
    session = await a_session(sessions, [steps.say("1. Look. 2. Change.\n"), steps.say(signal)])
    turn = await session.plan("Think")
    assert turn.version is not None
    assert "1. Look." in turn.version.content


def frames(session: PlanningSession, engine: Engine) -> list[dict[str, Any]]:
    lines = (engine.locations.sessions / session.id / "transcript.jsonl").read_text().splitlines()
    return [json.loads(json.loads(line)["msg"]) for line in lines]


def hears(engine: Engine, kind: type) -> asyncio.Event:
    """Set as soon as an event of this kind is published."""
    loop, heard = asyncio.get_running_loop(), asyncio.Event()

    def on_event(event: TandemEvent) -> None:
        if isinstance(event, kind):
            loop.call_soon_threadsafe(heard.set)

    engine.events.subscribe(on_event)
    return heard


def answering_for(engine: Engine, session: PlanningSession, decision: Decision, words: str = "") -> None:
    """A person who answers every card of a session alike."""

    def on_event(event: TandemEvent) -> None:
        if isinstance(event, PermissionAsked) and event.session_id == session.id:
            session.interceptor.resolve(event.request.id, decision, words)

    engine.events.subscribe(on_event)


def prompts(session: PlanningSession, engine: Engine) -> list[str]:
    """Every prompt the agent was given."""
    messages = [each for each in frames(session, engine) if each.get("method") == "session/prompt"]
    return [each["params"]["prompt"][0]["text"] for each in messages]


@pytest.mark.req("S0-03", "S0-04", "S0-05", "S0-11", "S0-12", "S0-14", "S0-19", "S0-33")
async def test_a_session_drives_the_machine_from_the_task_to_the_plan_and_through_a_rework(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    moved: list[PlanMoved] = []
    engine.events.subscribe(lambda event: moved.append(event) if isinstance(event, PlanMoved) else None)
    session = await a_session(
        sessions, [steps.write("one.txt", "1\n"), steps.ask_to_run("c1", "make")], [steps.write("two.txt", "2\n")]
    )
    assert (session.machine.state, session.machine.context) == (PlanState.IDLE, PlanContext())
    staged: list[tuple[PlanState, int]] = []
    session.staging.store.listen(
        lambda _: staged.append((session.machine.state, len(session.machine.context.operations)))
    )
    turn = await session.plan("Make one")
    assert turn.version is not None
    assert (PlanState.DRAFTING, 2) in staged
    assert session.machine.state is PlanState.AWAITING_APPROVAL
    assert (session.machine.context.plan_id, session.machine.context.revision) == (turn.version.plan_id, 1)
    await asyncio.to_thread(engine.decisions.reject, turn.version.plan_id, "And two.")
    assert session.machine.state is PlanState.DRAFTING
    await session.plan("")
    assert [(each.event, each.state) for each in moved] == [
        (EventKind.START_PLANNING, PlanState.DRAFTING),
        (EventKind.PLAN_CREATED, PlanState.AWAITING_APPROVAL),
        (EventKind.REQUEST_REVISION, PlanState.DRAFTING),
        (EventKind.PLAN_UPDATED, PlanState.DRAFTING),
        (EventKind.FINISH_DRAFTING, PlanState.AWAITING_APPROVAL),
    ]
    assert moved[0].actions == (PlanAction.INITIALIZE_PLAN, PlanAction.SET_TASK, PlanAction.CREATE_PLAN_DOCUMENT)
    assert (session.machine.context.revision, session.machine.state) == (2, PlanState.AWAITING_APPROVAL)


@pytest.mark.req("S0-16", "S0-21")
async def test_what_an_agent_stages_while_its_plan_waits_makes_a_revision_that_needs_a_new_approval(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    session = await a_session(sessions, [steps.write("one.txt", "1\n")], [steps.write("two.txt", "2\n")])
    turn = await session.plan("Make one")
    assert turn.version is not None
    moved: list[PlanMoved] = []
    engine.events.subscribe(lambda event: moved.append(event) if isinstance(event, PlanMoved) else None)
    turn = await session.plan("And two")
    assert turn.version is not None
    assert [(each.event, each.state) for each in moved] == [(EventKind.OPERATION_STAGED, PlanState.REVIEWING)]
    assert PlanAction.REARM_APPROVAL in moved[0].actions
    assert turn.version.revision == 2


async def test_a_plan_whose_run_was_rolled_back_is_reworked_from_where_it_was(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps
) -> None:
    session = await a_session(
        sessions,
        [steps.write("one.txt", "1\n"), steps.ask_to_run("c1", "exit 7")],
        [steps.write("two.txt", "2\n")],
    )
    turn = await session.plan("Make one")
    assert turn.version is not None
    plan_id = turn.version.plan_id

    def run_it() -> None:
        engine.decisions.approve(plan_id, turn.version.approval_hash)
        assert engine.runs.apply(plan_id).record.rolled_back
        engine.decisions.reject(plan_id, "Without the command, and with two.")

    await asyncio.to_thread(run_it)
    again = await session.plan("", Origin.REWORK)
    assert again.version is not None
    assert (again.version.plan_id, again.version.revision) == (plan_id, 2)
    assert {each.path for each in again.version.operations if each.path} == {"one.txt", "two.txt"}
    assert disk(workspace) == {"a.txt": "old\n"}


LEFT = {
    "a pipe in the place of a file": ("rm a.txt; mkfifo a.txt", "a.txt cannot be staged"),
    "a name that cannot be written down": ("printf x > \"$(printf 'b\\377.txt')\"", "cannot be staged"),
    "a file that is too large": ("truncate -s 3G big.bin", "big.bin cannot be staged"),
    "a hook in the repository": ("mkdir -p .git/hooks; echo x > .git/hooks/pre-commit", "hooks/pre-commit created"),
}


@pytest.mark.parametrize("what", LEFT)
@pytest.mark.parametrize("plan_mode", [True, False])
async def test_what_the_agent_left_that_no_plan_can_carry_is_told_at_the_end_of_the_turn(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps, what: str, plan_mode: bool
) -> None:
    script, told = LEFT[what]
    (workspace / ".git").mkdir()
    ends: list[tuple[str, ...]] = []
    engine.events.subscribe(lambda event: ends.append(event.left_out) if isinstance(event, TurnEnded) else None)
    session = await a_session(
        sessions, [steps.ask_to_write("c1", "a.txt", "new\n"), {"do": "shell", "script": script}], plan_mode=plan_mode
    )
    answering_for(engine, session, Decision.YES)
    turn = await session.plan("Do something")
    assert turn.version is None
    assert any(told in sentence for sentence in turn.left_out), turn.left_out
    assert ends == [turn.left_out]


async def test_what_no_plan_can_carry_is_told_once_with_the_plan_or_with_the_turn_that_leaves_it_as_it_was(
    sessions: AgentSessions, steps: Steps
) -> None:
    pipe = {"do": "shell", "script": "mkfifo pipe"}
    again = [{"do": "shell", "script": "mkfifo p"}, steps.ran("c1", "mkfifo p"), steps.ended("c1")]
    session = await a_session(sessions, [steps.write("b.txt", "b\n"), pipe], [], again, [], again)
    turns = [await session.plan(words) for words in ("One", "Two", "Three", "Four", "Five")]
    assert turns[0].version is not None
    assert any("pipe cannot be staged" in warning for warning in turns[0].version.warnings)
    told = [any("p cannot be staged" in sentence for sentence in turn.left_out) for turn in turns]
    assert told == [False, False, True, False, True]
