"""What a conversation keeps of the requests of its agent, whose numbers begin anew at each start."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.domain.agent_protocol import PermissionRequest, PermissionVerdict, ToolCall, ToolKind
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import AgentProgramChanged, PermissionAnswered, PermissionAsked
from tandem_desktop.domain.ids import RequestId, ToolCallId
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
