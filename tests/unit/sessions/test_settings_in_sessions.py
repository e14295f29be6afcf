"""What the settings say about agents holds for the sessions they work in, and for those that are asked for advice."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.advice import Question
from tandem_desktop.domain.agent_protocol import AgentProfile, OptionsOffered
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import NoAnswerError, SidecarTimeoutError
from tandem_desktop.domain.events import AgentUpdated, PermissionAsked, TandemEvent, TurnEnded
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.sessions.advisors import Advisor, Advisors
from tandem_desktop.sessions.manager import AgentSessions
from tandem_desktop.settings import AdvisorChoice, Settings
from tests.support.agent_scripts import Step, Steps
from tests.support.patience import PATIENCE_S
from tests.support.sidecars import AGENTS

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


class Count(Frozen):
    number: int


QUESTION = Question("koda", "How many files are there?", "submit_perspective", Count)


@asynccontextmanager
async def opened(folder: Path, settings: Settings) -> AsyncIterator[tuple[AgentSessions, Steps, list[TandemEvent]]]:
    workspace, home = folder / "ws", folder / "home"
    for each in (workspace, home):
        each.mkdir()
    (workspace / "a.txt").write_text("old\n")
    engine = build_engine(workspace, state=folder / "state", settings=settings)
    heard: list[TandemEvent] = []
    engine.events.subscribe(heard.append)
    sessions = AgentSessions(engine, settings, engine.clock, person_home=home)
    try:
        yield sessions, Steps(workspace), heard
    finally:
        await sessions.close()
        engine.close()


def an_agent(*turns: list[Step]) -> AgentProfile:
    script = json.dumps({"turns": list(turns)})
    command = (sys.executable, "-S", "-E", str(AGENTS / "scripted_agent.py"), script)
    return AgentProfile(name="scripted", title="Scripted", command=command)


@pytest.mark.setting("yolo", "tool_ignore", "rules")
@pytest.mark.parametrize(
    "chosen",
    [{"yolo": True}, {"tool_ignore": ("edit",)}, {"rules": ({"answer": "allow", "path": "a.txt"},)}],
    ids=["never ask", "a tool", "a rule"],
)
async def test_while_plan_mode_is_off_nobody_is_asked_where_the_settings_have_answered(
    tmp_path: Path, chosen: dict[str, object]
) -> None:
    async with opened(tmp_path, Settings.model_validate(chosen)) as (sessions, steps, heard):
        asks = [steps.ask_to_write("c1", "a.txt", "new\n", "old\n"), steps.write("a.txt", "new\n"), steps.ended("c1")]
        session = await sessions.open(an_agent(asks), plan_mode=False)
        await session.plan("Make it new")
        assert not [event for event in heard if isinstance(event, PermissionAsked)]
        assert (tmp_path / "ws" / "a.txt").read_text() == "new\n"


@pytest.mark.setting("present_plan_retries")
@pytest.mark.parametrize("tries", [0, 2])
async def test_an_advisor_is_asked_again_as_often_as_the_settings_say(tmp_path: Path, tries: int) -> None:
    async with opened(tmp_path, Settings(present_plan_retries=tries)) as (sessions, steps, _):
        heard: list[object] = []
        question = Question("koda", "How many?", "submit_perspective", Count, on_update=heard.append)
        turns = [[steps.say(f"Answer {number}: I do not know.")] for number in range(5)]
        with pytest.raises(NoAnswerError):
            await sessions.advisor(Advisors({}, an_agent(*turns))).ask(question)
        assert f"Answer {tries}" in str(heard)
        assert f"Answer {tries + 1}" not in str(heard)


@pytest.mark.setting("advice_minutes")
async def test_an_advisor_is_ended_when_its_time_is_over(tmp_path: Path) -> None:
    no_time = Settings().model_copy(update={"advice_minutes": 0})
    async with opened(tmp_path, no_time) as (sessions, _, _heard):
        with pytest.raises(SidecarTimeoutError, match="after 0 minutes"):
            await asyncio.wait_for(
                sessions.advisor(Advisors({}, an_agent([{"do": "never"}]))).ask(QUESTION), PATIENCE_S
            )


@pytest.mark.setting("models", "advisors")
def test_a_role_takes_its_own_model_before_the_one_of_its_agent() -> None:
    koda = Advisors({"koda": AdvisorChoice(agent="built-in", model="ollama:own")}, an_agent()).of("koda")
    assert koda.profile.choosing("ollama:usual") == {"TANDEM_MODEL": "ollama:usual"}
    assert koda.environment == {"TANDEM_MODEL": "ollama:own"}


async def test_command_of_the_agent_is_sent_alone_and_the_next_message_has_what_it_is_to_know(tmp_path: Path) -> None:
    async with opened(tmp_path, Settings()) as (sessions, steps, _):
        offered = {
            "sessionUpdate": "available_commands_update",
            "availableCommands": [{"name": "init", "description": ""}],
        }
        turns = [[steps.say("Done.")]] * 3
        script = json.dumps({"turns": turns, "sessions": [{"do": "update", "update": offered}]})
        command = (sys.executable, "-S", "-E", str(AGENTS / "scripted_agent.py"), script)
        session = await sessions.open(AgentProfile(name="scripted", title="Scripted", command=command))
        await session.start()
        session.tell("News")
        await session.plan("/init here")
        await session.plan("/initial is no command")
        transcript = next((tmp_path / "state").glob("sessions/*/transcript.jsonl"))
        lines = [json.loads(line)["msg"] for line in transcript.read_text().splitlines()]
    prompts = [
        message["params"]["prompt"][0]["text"]
        for message in (json.loads(line) for line in lines if '"session/prompt"' in line)
        if message.get("method") == "session/prompt"
    ]
    assert prompts[0] == "/init here"
    assert "News" in prompts[1]
    assert prompts[1].endswith("/initial is no command")


def costs(amount: float) -> Step:
    cost = {"amount": amount, "currency": "USD"}
    return {"do": "update", "update": {"sessionUpdate": "usage_update", "used": 1, "size": 10, "cost": cost}}


@pytest.mark.setting("cost_limit")
async def test_an_agent_that_costs_more_than_is_allowed_is_stopped_and_goes_on_for_as_much_with_the_next_message(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, Settings(cost_limit=0.5)) as (sessions, steps, heard):
        first = [steps.write("a.txt", "one\n"), costs(0.4), costs(0.6), {"do": "await_cancel"}]
        second = [steps.write("a.txt", "two\n"), costs(1.0)]
        session = await sessions.open(an_agent(first, second))
        turn = await session.plan("Go")
        [ended] = [event for event in heard if isinstance(event, TurnEnded)]
        assert ended.problem.startswith("The agent was stopped: since your message it has cost 0.60 USD")
        assert turn.version is not None
        assert turn.version.incomplete, "what was done until then is kept, and cannot be approved"
        again = await session.plan("Go on")
        assert again.version is not None
        assert not again.version.incomplete


MODEL = {
    "id": "model",
    "name": "Model",
    "category": "model",
    "type": "select",
    "currentValue": "small",
    "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}],
}


async def test_what_was_chosen_of_an_agent_holds_for_the_next_one_of_the_conversation(tmp_path: Path) -> None:
    async with opened(tmp_path, Settings()) as (sessions, steps, heard):
        script = json.dumps({"turns": [[steps.say("Hi")]], "session": {"configOptions": [MODEL]}})
        command = (sys.executable, "-S", "-E", str(AGENTS / "scripted_agent.py"), script)
        agent = AgentProfile(name="scripted", title="Scripted", command=command)
        session = await sessions.open(agent)
        await session.start()
        await session.choose("model", "large")
        await session.close()
        del heard[:]
        again = await sessions.open(agent, session_id=session.id)
        await again.start()
        offered = [
            event.update.options
            for event in heard
            if isinstance(event, AgentUpdated) and isinstance(event.update, OptionsOffered)
        ]
        assert [each.current for each in offered[-1]] == ["large"]


@pytest.mark.setting("idle_agents")
async def test_only_the_last_idle_agent_is_kept_and_another_is_resumed_with_its_rights_and_its_news(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, Settings(idle_agents=1)) as (sessions, steps, _):
        agent = Advisor(an_agent([steps.say("Hi")]))
        first, second = (sessions.slot(SessionId(f"SES-0000000{number}")) for number in (1, 2))
        session = await first.take(agent)
        await session.plan("Go")
        assert first.session is session, "the last one stays"
        session.interceptor.set_permissions(
            session.interceptor.permissions.model_copy(update={"plan_scope": ("edit",)})
        )
        session.tell("News")
        await (await second.take(agent)).plan("Go")
        while first.session is not None:
            await asyncio.sleep(0)
        assert second.session is not None
        first.plan_mode = False
        again = await first.take(agent)
        assert again is not session
        assert again.interceptor.permissions.plan_scope == ("edit",)
        assert not again.is_planning
        assert again.untold[0] == "News"
        assert "Plan mode is off" in again.untold[1]
        assert (await again.plan("Go on")).said == "Hi"


@pytest.mark.setting("idle_agent_minutes")
async def test_agent_without_a_turn_for_a_while_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path, Settings(idle_agent_minutes=7)) as (sessions, steps, _):
        waited = asyncio.Event()
        rest = asyncio.sleep

        async def sleep(seconds: float) -> None:
            if seconds == 7 * 60:
                await waited.wait()
            else:
                await rest(seconds)

        monkeypatch.setattr("tandem_desktop.sessions.slots.asyncio.sleep", sleep)
        slot = sessions.slot(SessionId("SES-00000001"))
        await (await slot.take(Advisor(an_agent([steps.say("Hi")])))).plan("Go")
        assert slot.session is not None
        waited.set()
        while slot.session is not None:
            await rest(0)
