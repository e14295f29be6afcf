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
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import NoAnswerError, SidecarTimeoutError
from tandem_desktop.domain.events import PermissionAsked, TandemEvent
from tandem_desktop.sessions.advisors import Advisors
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
