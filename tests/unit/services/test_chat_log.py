"""The conversation as it is told while an agent works, as it is read again, and what it keeps of requests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.domain.agent_protocol import (
    AgentSaid,
    EntryKind,
    PermissionRequest,
    PermissionVerdict,
    ToolCall,
    ToolKind,
)
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import (
    AgentProgramChanged,
    AgentUpdated,
    PermissionAnswered,
    PermissionAsked,
    PlanProposed,
    RunFinished,
)
from tandem_desktop.domain.ids import PlanId, RequestId, RunId, ToolCallId
from tandem_desktop.domain.runs import RunStatus
from tandem_desktop.services.chat_log import ChatLog
from tests.support.builders import A_MOMENT, SESSION_ID

ZERO = RequestId("0")


class Heard:
    """A conversation in a folder, and the events of its agent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.events = EventStream()
        self.log = ChatLog(folder, self.events, lambda: A_MOMENT, lambda plan_id: None)

    def asked(self, command: str) -> None:
        call = ToolCall(id=ToolCallId(command), kind=ToolKind.EXECUTE, title=command, command=command)
        request = PermissionRequest(id=ZERO, session_id=SESSION_ID, call=call, options=())
        self.events.publish(PermissionAsked(session_id=SESSION_ID, request=request))

    def answered(self, verdict: PermissionVerdict) -> None:
        self.events.publish(PermissionAnswered(session_id=SESSION_ID, request_id=ZERO, verdict=verdict))

    def restarted(self) -> "Heard":
        self.log.close()
        return Heard(self.folder)

    @property
    def answers(self) -> list[str]:
        return [entry.answer for entry in self.log.entries(SESSION_ID)]


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Heard]:
    made = Heard(tmp_path)
    yield made
    made.log.close()


def test_an_answer_ends_the_latest_request_of_its_number(heard: Heard) -> None:
    heard.asked("true")
    heard.answered(PermissionVerdict.ALLOW)
    heard.asked("make")
    heard.answered(PermissionVerdict.REJECT)
    assert heard.answers == ["allow", "reject"]


def test_no_card_waits_after_a_restart_so_that_none_answers_a_later_request(heard: Heard) -> None:
    heard.asked("true")
    again = heard.restarted()
    assert again.answers == ["cancelled"]
    again.asked("make")
    assert again.answers == ["cancelled", ""]
    again.answered(PermissionVerdict.ALLOW)
    assert again.answers == ["cancelled", "allow"]
    again.log.close()


def test_a_changed_program_is_kept_as_what_it_is_and_not_as_a_failed_turn(heard: Heard) -> None:
    heard.events.publish(AgentProgramChanged(session_id=SESSION_ID, agent="opencode", text="Another one."))
    assert [entry.problem_kind for entry in heard.log.entries(SESSION_ID)] == ["agent_program_changed"]


PLAN = PlanId("PLAN-1")


@pytest.fixture
def events() -> EventStream:
    return EventStream()


@pytest.fixture
def chat(tmp_path: Path, events: EventStream) -> Iterator[ChatLog]:
    made = ChatLog(tmp_path, events, lambda: A_MOMENT, lambda plan_id: SESSION_ID)
    yield made
    made.close()


def test_a_sentence_is_not_cut_by_a_plan_and_its_run_and_is_read_again_in_its_place(
    tmp_path: Path, events: EventStream, chat: ChatLog
) -> None:
    events.publish(AgentUpdated(session_id=SESSION_ID, update=AgentSaid(text="I run the ")))
    events.publish(PlanProposed(plan_id=PLAN, revision=1, digest="0"))
    events.publish(RunFinished(run_id=RunId("RUN-1"), plan_id=PLAN, status=RunStatus.COMPLETED, summary="done"))
    events.publish(AgentUpdated(session_id=SESSION_ID, update=AgentSaid(text="tests.")))
    told = [(entry.kind, entry.text) for entry in chat.entries(SESSION_ID)]
    assert told == [(EntryKind.AGENT, "I run the tests."), (EntryKind.PLAN, ""), (EntryKind.NOTE, "done")]

    chat.close()
    again = ChatLog(tmp_path, EventStream(), lambda: A_MOMENT, lambda plan_id: SESSION_ID)
    assert [(entry.kind, entry.text) for entry in again.entries(SESSION_ID)] == told
