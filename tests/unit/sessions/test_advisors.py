"""Asking an agent: the answer is typed and checked, wrong ones come back to it, and nothing it does leaves a trace."""

import asyncio
import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field, StrictStr

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.advice import Advice, Question
from tandem_desktop.domain.agent_protocol import AgentProfile, AgentUpdate
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import BadInputError, NoAnswerError, SidecarError, SidecarExitedError
from tandem_desktop.domain.events import AgentProgramChanged, TandemEvent
from tandem_desktop.services.engine import Engine
from tandem_desktop.sessions.advisors import Advisors
from tandem_desktop.sessions.manager import AgentSessions
from tandem_desktop.sessions.record import SessionRecord
from tandem_desktop.settings import AdvisorChoice
from tests.support.agent_scripts import Step, Steps
from tests.support.builders import SESSION_ID
from tests.support.sidecars import AGENTS
from tests.support.tree_walker import walk

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


class Count(Frozen):
    """How many there are."""

    number: Annotated[int, Field(description="How many.", strict=True)]
    why: StrictStr = ""


def even(count: Count) -> None:
    if count.number % 2:
        raise BadInputError(f"{count.number} is odd.", next="Give an even number.")


QUESTION = Question("koda", "How many files are there?", "submit_perspective", Count, check=even)


@pytest.fixture
def engine(workspace: Path, tmp_path: Path) -> Iterator[Engine]:
    made = build_engine(workspace, state=tmp_path / "state")
    yield made
    made.close()


def an_agent(*turns: list[Step]) -> AgentProfile:
    script = json.dumps({"turns": list(turns)})
    command = (sys.executable, "-S", "-E", str(AGENTS / "scripted_agent.py"), script)
    return AgentProfile(name="scripted", title="Scripted", command=command)


async def asked(sessions: AgentSessions, *turns: list[Step], question: Question[Count] = QUESTION) -> Advice[Count]:
    return await sessions.advisor(Advisors({}, an_agent(*turns))).ask(question)


def read(call: str, path: str) -> Step:
    update = {"toolCallId": call, "title": f"Read {path}", "kind": "read", "status": "completed"}
    return {"do": "update", "update": {"sessionUpdate": "tool_call", "locations": [{"path": path}], **update}}


async def test_json_in_the_text_is_an_answer_where_the_tool_was_not_called(
    sessions: AgentSessions, steps: Steps
) -> None:
    said = 'I counted {them}.\n```json\n{"number": 2, "why": "a and b"}\n```\n'
    advice = await asked(sessions, [steps.say(said)])
    assert advice.result == Count(number=2, why="a and b")
    assert advice.agent == "scripted"


async def test_an_answer_that_cannot_be_used_comes_back_until_it_can(sessions: AgentSessions, steps: Steps) -> None:
    turns = [[steps.say("No idea.")], [steps.say('{"numbers": 2}')], [steps.say('{"number": 3}')]]
    advice = await asked(sessions, *turns, [steps.say('{"number": 4}')])
    assert advice.result.number == 4


@pytest.mark.req("S3-29")
@pytest.mark.parametrize("said", ['{"number": 2}', "No idea."])
async def test_what_was_asked_and_said_is_kept_with_the_session_whether_or_not_there_was_an_answer(
    sessions: AgentSessions, engine: Engine, steps: Steps, said: str
) -> None:
    with contextlib.suppress(NoAnswerError):
        await asked(sessions, [steps.say(said)], question=replace(QUESTION, session_id=SESSION_ID))
    kept = SessionRecord(engine.locations.sessions / SESSION_ID).advice_kept()
    assert list(kept) == ["koda"]
    messages = [json.loads(line) for line in kept["koda"].read_text().splitlines()]
    assert any("How many files are there?" in message["msg"] for message in messages)
    assert any(json.dumps(said)[1:-1] in message["msg"] for message in messages)
    assert kept["koda"].stat().st_mode & 0o077 == 0


async def test_after_the_last_try_the_failure_says_what_was_wrong(sessions: AgentSessions, steps: Steps) -> None:
    with pytest.raises(NoAnswerError) as failure:
        await asked(sessions, [steps.say('{"number": 3}')])
    assert failure.value.message == "koda handed in no usable answer. 3 is odd."


async def test_an_advisor_whose_program_is_another_one_than_last_time_is_named_at_once(
    sessions: AgentSessions, engine: Engine, steps: Steps, tmp_path: Path
) -> None:
    part = tmp_path / "agent.conf"
    part.write_text("one\n")
    agent = an_agent([steps.say('{"number": 2}')])
    agent = agent.model_copy(update={"command": (*agent.command, str(part))})
    told: list[TandemEvent] = []
    engine.events.subscribe(told.append)
    question = replace(QUESTION, session_id=SESSION_ID)
    for content, expected in (("one\n", 0), ("two\n", 1), ("two\n", 1)):
        part.write_text(content)
        await sessions.advisor(Advisors({}, agent)).ask(question)
        changed = [event for event in told if isinstance(event, AgentProgramChanged)]
        assert len(changed) == expected
    assert changed[0].session_id == SESSION_ID
    assert f"another program than at its last start (version 1 then): {part} has" in changed[0].text


@pytest.mark.req("S2-04")
async def test_an_advisor_may_look_and_nothing_it_writes_or_runs_is_staged(
    sessions: AgentSessions, engine: Engine, workspace: Path, steps: Steps
) -> None:
    before = walk(workspace)
    advice = await asked(
        sessions,
        [
            read("c0", str(workspace / "a.txt")),
            steps.ask_to_write("c1", "a.txt", "new\n", "old\n"),
            steps.write("b.txt", "by the client\n"),
            steps.ask_to_run("c2", "touch made"),
            steps.terminal("touch made-in-a-terminal"),
            {"do": "shell", "script": "echo unasked > unasked.txt"},
            steps.say('{"number": 2}'),
        ],
    )
    assert advice.read == ("a.txt",)
    assert advice.denied == ("Edit a.txt", "write b.txt", "touch made", "touch made-in-a-terminal")
    assert advice.thrown_away == ("unasked.txt",)
    assert walk(workspace) == before
    assert engine.plans.list().plans == ()
    assert not list(engine.locations.shadows.glob("advice-*"))


async def test_an_agent_that_dies_is_a_failure_and_leaves_no_shadow(sessions: AgentSessions, engine: Engine) -> None:
    with pytest.raises(SidecarExitedError):
        await asked(sessions, [{"do": "exit", "code": 3}])
    assert not list(engine.locations.shadows.glob("advice-*"))


async def test_whoever_stops_waiting_ends_the_agent(sessions: AgentSessions, engine: Engine) -> None:
    begun = asyncio.Event()

    def heard(update: AgentUpdate) -> None:
        begun.set()

    question = Question("koda", "Wait.", "submit_perspective", Count, on_update=heard)
    turn: list[dict[str, Any]] = [{"do": "say", "text": "Thinking."}, {"do": "never"}]
    asking = asyncio.create_task(asked(sessions, turn, question=question))
    await begun.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert not list(engine.locations.shadows.glob("advice-*"))


def test_a_role_has_its_own_agent_and_model() -> None:
    chosen = {"devo": AdvisorChoice(agent="built-in", model="ollama:qwen3"), "koda": AdvisorChoice(model="m")}
    advisors = Advisors(chosen, an_agent(), environment={"A": "1"})
    assert advisors.of("chapo").profile.name == "scripted"
    assert advisors.of("devo").profile.name == "built-in"
    assert advisors.of("devo").environment == {"A": "1", "TANDEM_MODEL": "ollama:qwen3"}
    with pytest.raises(BadInputError, match="The model of Scripted cannot be chosen from here"):
        advisors.of("koda")


def test_a_missing_answer_is_a_failure_of_the_agent() -> None:
    assert issubclass(NoAnswerError, SidecarError)


def starts(engine: Engine) -> dict[str, int]:
    """How often an agent was greeted for each role, by what crossed the wire."""
    kept = SessionRecord(engine.locations.sessions / SESSION_ID).advice_kept()
    return {role: file.read_text().count('\\"initialize\\"') for role, file in kept.items()}


async def test_questions_that_belong_together_share_an_agent_and_those_that_are_open_at_once_have_one_each(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    answer = [steps.say('{"number": 2}')]
    advisor = sessions.advisor(Advisors({}, an_agent(answer, answer)))

    async def ask(role: str) -> Advice[Count]:
        return await advisor.ask(replace(QUESTION, role=role, session_id=SESSION_ID))

    async with advisor.together():
        await ask("chapo")
        await asyncio.gather(ask("koda"), ask("devo"))
    assert starts(engine)["chapo"] == 1
    assert sorted((starts(engine)["koda"], starts(engine)["devo"])) == [0, 1]
    assert list(engine.locations.shadows.iterdir()) == []


async def test_an_agent_that_wrote_into_its_shadow_is_not_asked_again(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    dirty = [{"do": "shell", "script": "echo unasked > unasked.txt"}, steps.say('{"number": 2}')]
    advisor = sessions.advisor(Advisors({}, an_agent(dirty, dirty)))
    async with advisor.together():
        for role in ("chapo", "koda"):
            await advisor.ask(replace(QUESTION, role=role, session_id=SESSION_ID))
    assert starts(engine) == {"chapo": 1, "koda": 1}


async def test_outside_a_block_every_question_has_an_agent_of_its_own(
    sessions: AgentSessions, engine: Engine, steps: Steps
) -> None:
    advisor = sessions.advisor(Advisors({}, an_agent([steps.say('{"number": 2}')])))
    for role in ("chapo", "koda"):
        await advisor.ask(replace(QUESTION, role=role, session_id=SESSION_ID))
    assert starts(engine) == {"chapo": 1, "koda": 1}
