"""A question of a session's agent reaches the person, and the agent reads the answer, in any mode and on any way."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.agent_protocol import EntryKind
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.events import QuestionAnswered, QuestionAsked, QuestionCompleted, TandemEvent
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.domain.questions import AgentQuestion, QuestionAction
from tandem_desktop.services.chat_log import ChatLog
from tandem_desktop.services.engine import Engine
from tandem_desktop.sessions.manager import NOBODY, AgentSessions, Person
from tandem_desktop.sessions.questions import MOST_OPEN, AgentQuestions
from tandem_desktop.sessions.session import PlanningSession
from tandem_desktop.settings import Settings
from tests.support.agent_scripts import OPTIONS, Step, Steps, scripted_agent

THERE = Person(is_there=True)
COLOUR = {"properties": {"colour": {"type": "string", "enum": ["red", "blue"]}}, "required": ["colour"]}
LIBRARY = {
    "question": "Which library?",
    "header": "Library",
    "options": [{"label": "httpx", "description": "Newer"}, {"label": "requests", "description": "Older"}],
}
Open = Callable[[Person], AgentSessions]


@pytest.fixture
def engine(workspace: Path, tmp_path: Path) -> Iterator[Engine]:
    made = build_engine(workspace, state=tmp_path / "state")
    yield made
    made.close()


@pytest.fixture
async def open_sessions(engine: Engine, tmp_path: Path) -> AsyncIterator[Open]:
    (tmp_path / "home").mkdir()
    opened: list[AgentSessions] = []

    def open_some(person: Person) -> AgentSessions:
        home = tmp_path / "home"
        opened.append(AgentSessions(engine, Settings(), engine.clock, person_home=home, person=person))
        return opened[-1]

    yield open_some
    for each in opened:
        await each.close()


def asks(number: str = "q1", **params: Any) -> Step:
    form = {"mode": "form", "message": "Which colour?", "requestedSchema": COLOUR}
    return {"do": "request", "id": number, "method": "elicitation/create", "params": {**form, **params}}


def asks_by_tool(number: str = "q1") -> Step:
    """As Qwen Code asks: a permission request with the questions as the arguments of a tool."""
    call = {"toolCallId": "c1", "status": "pending", "kind": "think", "title": "Ask user 1 question"}
    params = {"toolCall": {**call, "rawInput": {"questions": [LIBRARY]}}, "options": OPTIONS}
    return {"do": "request", "id": number, "method": "session/request_permission", "params": params}


class Heard:
    """The events about questions, and a person who answers each alike."""

    def __init__(self, engine: Engine) -> None:
        self.events: list[TandemEvent] = []
        self.asked = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self.session: PlanningSession | None = None
        self.action: QuestionAction | None = None
        self.values: dict[str, Any] = {}
        engine.events.subscribe(self._on_event)

    def _on_event(self, event: TandemEvent) -> None:
        if not isinstance(event, QuestionAsked | QuestionAnswered | QuestionCompleted):
            return
        self.events.append(event)
        if isinstance(event, QuestionAsked):
            self._loop.call_soon_threadsafe(self.asked.set)
            if self.session is not None and self.action is not None:
                self.session.interceptor.questions.answer(event.question.id, self.action, self.values)

    @property
    def questions(self) -> list[AgentQuestion]:
        return [event.question for event in self.events if isinstance(event, QuestionAsked)]

    @property
    def ends(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(each.action.value, each.answers) for each in self.events if isinstance(each, QuestionAnswered)]


async def told(session: PlanningSession, engine: Engine, number: str = "q1") -> Any:
    """What the agent was answered."""
    lines = (engine.locations.sessions / session.id / "transcript.jsonl").read_text().splitlines()
    messages = [json.loads(json.loads(line)["msg"]) for line in lines if json.loads(line)["msg"].startswith("{")]
    return next(each.get("result") for each in messages if each.get("id") == number and "method" not in each)


@pytest.mark.parametrize("plan_mode", [True, False])
async def test_the_agent_reads_what_the_person_answered_and_the_log_does_not(
    open_sessions: Open, engine: Engine, caplog: pytest.LogCaptureFixture, plan_mode: bool
) -> None:
    caplog.set_level(logging.DEBUG)
    session = await open_sessions(THERE).open(scripted_agent([asks()]), plan_mode=plan_mode)
    heard = Heard(engine)
    heard.session, heard.action, heard.values = session, QuestionAction.ACCEPT, {"colour": "blue"}
    await session.plan("Paint it")
    assert await told(session, engine) == {"action": "accept", "content": {"colour": "blue"}}
    assert [(each.agent, each.message) for each in heard.questions] == [("Scripted", "Which colour?")]
    assert heard.ends == [("accept", ("colour: blue",))]
    assert "blue" not in caplog.text
    assert "question answered" in caplog.text


async def test_a_tool_that_asks_by_permission_is_given_the_answer_with_it(open_sessions: Open, engine: Engine) -> None:
    session = await open_sessions(THERE).open(scripted_agent([asks_by_tool()]))
    heard = Heard(engine)
    heard.session, heard.action, heard.values = session, QuestionAction.ACCEPT, {"0-other": "urllib3"}
    await session.plan("Replace the client")
    assert await told(session, engine) == {
        "outcome": {"outcome": "selected", "optionId": "1"},
        "answers": {"0": "urllib3"},
    }
    assert heard.questions[0].message == "Which library?"


async def test_a_tool_whose_question_is_declined_goes_on_and_says_so_to_its_model(
    open_sessions: Open, engine: Engine
) -> None:
    session = await open_sessions(THERE).open(scripted_agent([asks_by_tool()]))
    heard = Heard(engine)
    heard.session, heard.action = session, QuestionAction.DECLINE
    await session.plan("Replace the client")
    answered = await told(session, engine)
    assert answered["outcome"]["optionId"] == "1"
    assert "declined" in answered["answers"]["0"]


@pytest.mark.parametrize("ask", [asks(), asks_by_tool()], ids=["elicitation", "tool"])
async def test_without_a_person_a_question_is_declined_and_the_plan_names_it(
    open_sessions: Open, engine: Engine, steps: Steps, ask: Step
) -> None:
    session = await open_sessions(NOBODY).open(scripted_agent([ask, steps.write("a.txt", "new\n")]))
    turn = await session.plan("Paint it")
    assert turn.version is not None
    words = "Which library?" if "toolCall" in ask["params"] else "Which colour?"
    sentence = f"The agent asked “{words}”; nobody was there to answer."
    assert turn.version.warnings == (sentence,)
    assert turn.unanswered == (sentence,)
    assert (await told(session, engine)).get("action", "decline") == "decline"


async def test_a_question_waits_no_longer_than_its_person_has_patience(open_sessions: Open, engine: Engine) -> None:
    session = await open_sessions(Person(is_there=True, patience_s=0.05)).open(scripted_agent([asks()]))
    turn = await session.plan("Paint it")
    assert turn.unanswered == ("The agent asked “Which colour?”; nobody answered within 0.05 seconds.",)
    assert await told(session, engine) == {"action": "decline"}


@pytest.mark.parametrize("ask", [asks(), asks_by_tool()], ids=["elicitation", "tool"])
async def test_a_stopped_turn_withdraws_its_questions_and_ends(open_sessions: Open, engine: Engine, ask: Step) -> None:
    session = await open_sessions(THERE).open(scripted_agent([ask]))
    heard = Heard(engine)
    turn = asyncio.create_task(session.plan("Paint it"))
    await heard.asked.wait()
    question = heard.questions[0]
    await session.cancel_turn()
    await turn
    assert heard.ends == [("cancel", ())]
    assert [each.reason for each in heard.events if isinstance(each, QuestionAnswered)] == [
        "the person stopped the agent"
    ]
    cancelled = ({"action": "cancel"}, {"outcome": {"outcome": "cancelled"}})
    assert await told(session, engine) in cancelled
    assert not session.interceptor.questions.answer(question.id, QuestionAction.ACCEPT, {"colour": "red"})


async def test_an_answer_that_does_not_fit_is_refused_and_the_question_stays_open(
    open_sessions: Open, engine: Engine
) -> None:
    session = await open_sessions(THERE).open(scripted_agent([asks()]))
    heard = Heard(engine)
    turn = asyncio.create_task(session.plan("Paint it"))
    await heard.asked.wait()
    questions = session.interceptor.questions
    with pytest.raises(BadInputError, match="one of the choices"):
        questions.answer(heard.questions[0].id, QuestionAction.ACCEPT, {"colour": "green"})
    assert questions.open == (heard.questions[0],)
    assert questions.answer(heard.questions[0].id, QuestionAction.ACCEPT, {"colour": "red"})
    assert not questions.answer(heard.questions[0].id, QuestionAction.DECLINE)
    await turn
    assert await told(session, engine) == {"action": "accept", "content": {"colour": "red"}}


async def test_the_end_an_agent_tells_takes_an_unanswered_address_back_and_makes_no_yes(
    open_sessions: Open, engine: Engine, steps: Steps
) -> None:
    done = {"do": "raw", "text": '{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e1"}}\n'}
    ask = asks(mode="url", url="https://example.org/in", elicitationId="e1")
    session = await open_sessions(THERE).open(
        scripted_agent(
            [{**ask, "wait": False}, steps.write("b.txt", "b\n"), done, done, {"do": "await", "ids": ["q1"]}]
        )
    )
    heard = Heard(engine)
    await session.plan("Log in")
    assert await told(session, engine) == {"action": "cancel"}
    assert sorted(event.type for event in heard.events) == ["question_answered", "question_asked"]


@pytest.mark.parametrize(
    ("action", "told_as_completed"),
    [(QuestionAction.ACCEPT, 1), (QuestionAction.DECLINE, 0), (QuestionAction.CANCEL, 0)],
)
async def test_only_an_address_the_person_accepted_is_told_as_completed_and_once(
    action: QuestionAction, told_as_completed: int
) -> None:
    shown: list[AgentQuestion] = []
    completed: list[str] = []
    questions = AgentQuestions(SessionId("SES-1"), "Agent", ask=shown.append, completed=completed.append)
    asked = AgentQuestion(message="Log in", url="https://example.org/in", elicitation_id="e1")
    waiting = asyncio.create_task(questions.put(asked))
    while not shown:
        await asyncio.sleep(0)
    questions.answer(shown[0].id, action)
    assert (await waiting).action is action
    questions.complete("e1")
    questions.complete("e1")
    assert len(completed) == told_as_completed


async def test_more_questions_than_a_person_can_see_at_once_are_declined() -> None:
    shown: list[AgentQuestion] = []
    questions = AgentQuestions(SessionId("SES-1"), "Agent", ask=shown.append)
    waiting = [asyncio.create_task(questions.put(AgentQuestion(message=str(n)))) for n in range(MOST_OPEN + 1)]
    done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    assert [task.result().action for task in done] == [QuestionAction.DECLINE]
    assert len(shown) == MOST_OPEN
    assert questions.withdraw_all("the end") == MOST_OPEN
    assert {(await each).action for each in waiting} == {QuestionAction.DECLINE, QuestionAction.CANCEL}


async def test_a_conversation_keeps_how_a_question_ended_and_leaves_none_open_after_a_restart(
    open_sessions: Open, engine: Engine
) -> None:
    chat = ChatLog(engine.locations.sessions, engine.events, engine.clock, lambda plan_id: None)
    session = await open_sessions(THERE).open(scripted_agent([asks("q1"), asks("q2")]))
    heard = Heard(engine)
    turn = asyncio.create_task(session.plan("Paint it"))
    await heard.asked.wait()
    heard.asked.clear()
    session.interceptor.questions.answer(heard.questions[0].id, QuestionAction.ACCEPT, {"colour": "red"})
    await heard.asked.wait()

    def ends(log: ChatLog) -> list[tuple[str, tuple[str, ...]]]:
        entries = [each for each in log.entries(session.id) if each.kind is EntryKind.ELICITATION]
        return [(each.answer, each.details) for each in entries]

    assert ends(chat) == [("accept", ("colour: red",)), ("", ())]
    again = ChatLog(engine.locations.sessions, engine.events, engine.clock, lambda plan_id: None)
    assert ends(again) == [("accept", ("colour: red",)), ("cancel", ())]
    again.close()
    await session.cancel_turn()
    await turn
    assert ends(chat)[1] == ("cancel", ())
    chat.close()
