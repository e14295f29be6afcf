"""An agent's question reaches the client as a value, and its answer reaches the agent as the protocol has it."""

import asyncio
from typing import Any

import pytest
from acp.schema import AcceptElicitationResponse, CancelElicitationResponse, DeclineElicitationResponse

from tandem_desktop.acp_client.connection import RefusedError
from tandem_desktop.acp_client.elicitation import (
    LONGEST_DESCRIPTION,
    LONGEST_MESSAGE,
    MOST_CHOICES,
    MOST_FIELDS,
    read_question,
    tool_answers,
    tool_question,
)
from tandem_desktop.domain.agent_protocol import ToolCall, ToolKind
from tandem_desktop.domain.ids import ToolCallId
from tandem_desktop.domain.questions import AgentQuestion, FieldKind, QuestionAction, QuestionAnswer
from tests.support.sidecars import NotingClient, reported, running

FORM = {
    "type": "object",
    "required": ["name", "size"],
    "properties": {
        "name": {"type": "string", "title": "Name", "minLength": 1, "maxLength": 9, "default": "tandem"},
        "mail": {"type": "string", "format": "email"},
        "size": {"type": "integer", "minimum": 1, "maximum": 5, "default": 2},
        "rate": {"type": "number", "description": "A rate"},
        "sure": {"type": "boolean", "default": True},
        "way": {"type": "string", "enum": ["left", "right"], "default": "up"},
        "tone": {"type": "string", "oneOf": [{"const": "red", "title": "red — Warm"}, {"const": "x", "title": "Blue"}]},
        "many": {"type": "array", "items": {"anyOf": [{"const": "1", "title": "One"}, {"const": "2", "title": "Two"}]}},
        "plain": {"type": "array", "items": {"type": "string", "enum": ["p", "q"]}, "minItems": 1, "default": ["q"]},
        "later": {"type": "_custom"},
    },
}


def asking(number: str, wait: bool = True, **params: Any) -> dict[str, Any]:
    return {"do": "request", "id": number, "method": "elicitation/create", "params": params, "wait": wait}


def a_form(number: str = "q1", wait: bool = True, **changes: Any) -> dict[str, Any]:
    return asking(number, wait, **{"mode": "form", "message": "Which?", "requestedSchema": FORM, **changes})


def answering(action: QuestionAction, **values: Any) -> Any:
    async def answer(question: AgentQuestion) -> QuestionAnswer:
        return QuestionAnswer(action=action, values=question.checked(values))

    return answer


async def answers(client: NotingClient, *steps: dict[str, Any], **options: Any) -> dict[str, dict[str, Any]]:
    """What the agent was answered to each request of one turn."""
    async with running({"turns": [list(steps)]}, client, **options) as manager:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
        told = await reported(manager, client, session.id)
    return {each["id"]: each for each in told if "method" not in each}


def test_every_kind_of_field_is_read_with_its_limits_and_a_default_only_where_it_fits() -> None:
    fields = {
        each.name: each for each in read_question({"mode": "form", "message": "", "requestedSchema": FORM}).fields
    }
    kinds = {name: each.kind for name, each in fields.items()}
    assert kinds == {
        "name": FieldKind.TEXT,
        "mail": FieldKind.TEXT,
        "size": FieldKind.INTEGER,
        "rate": FieldKind.NUMBER,
        "sure": FieldKind.BOOLEAN,
        "way": FieldKind.CHOICE,
        "tone": FieldKind.CHOICE,
        "many": FieldKind.CHOICES,
        "plain": FieldKind.CHOICES,
    }
    assert [name for name, each in fields.items() if each.is_required] == ["name", "size"]
    assert (fields["name"].min_length, fields["name"].max_length, fields["mail"].format) == (1, 9, "email")
    assert (fields["size"].minimum, fields["size"].maximum, fields["plain"].min_items) == (1, 5, 1)
    defaults = {name: each.default for name, each in fields.items() if each.default is not None}
    assert defaults == {"name": "tandem", "size": 2, "sure": True, "plain": ("q",)}
    first = fields["tone"].choices[0]
    assert (first.value, first.label, first.description) == ("red", "red", "Warm")


def test_the_words_of_an_agent_are_cut_and_a_form_without_end_is_refused() -> None:
    schema = {"properties": {"a": {"type": "string", "description": "x" * 9_999}}}
    read = read_question({"mode": "form", "message": "m" * 9_999, "requestedSchema": schema})
    assert (len(read.message), len(read.fields[0].description)) == (LONGEST_MESSAGE + 1, LONGEST_DESCRIPTION + 1)
    many = {"properties": {str(n): {"type": "string"} for n in range(MOST_FIELDS + 1)}}
    long = {"properties": {"a": {"type": "string", "enum": [str(n) for n in range(MOST_CHOICES + 1)]}}}
    for wrong in (many, long, None, {"properties": {}, "required": ["a"]}):
        with pytest.raises(RefusedError):
            read_question({"mode": "form", "message": "", "requestedSchema": wrong})
    for address in ("javascript:alert(1)", "https://x.org/" + "y" * 3_000, None):
        with pytest.raises(RefusedError):
            read_question({"mode": "url", "message": "", "url": address, "elicitationId": "1"})


async def test_a_client_says_that_it_shows_forms_and_addresses_unless_its_agent_may_not_ask() -> None:
    for may_ask in (True, False):
        frames: list[bytes] = []
        client = NotingClient()
        async with running({}, client, on_frame=lambda _, data, to=frames: to.append(data), may_ask=may_ask):
            pass
        assert (b'"elicitation":{"form":{},"url":{}}' in frames[0]) is may_ask


async def test_an_agent_reads_what_the_person_answered_declined_or_left() -> None:
    client = NotingClient()
    client.answer = answering(QuestionAction.ACCEPT, name="x", size=3, many=["2"])
    result = (await answers(client, a_form()))["q1"]["result"]
    assert AcceptElicitationResponse.model_validate(result).content == {"name": "x", "size": 3, "many": ["2"]}
    client.answer = NotingClient().answer
    assert DeclineElicitationResponse.model_validate((await answers(client, a_form()))["q1"]["result"])
    url = asking("q1", mode="url", message="Log in", url="https://example.org/in", elicitationId="e1")
    client.answer = answering(QuestionAction.ACCEPT)
    assert (await answers(client, url))["q1"]["result"] == {"action": "accept"}
    assert client.questions[-1].host == "example.org"


async def test_a_question_that_cannot_be_shown_is_refused_as_invalid() -> None:
    client = NotingClient()
    told = await answers(client, asking("q1", mode="voice", message="?"), asking("q2", mode="form"))
    assert [told[each]["error"]["code"] for each in ("q1", "q2")] == [-32602, -32602]
    assert client.questions == []


async def test_an_open_question_ends_with_a_cancelled_turn_and_with_the_agents_own_word() -> None:
    client = NotingClient()
    never = asyncio.Event()

    async def wait(question: AgentQuestion) -> QuestionAnswer:
        await never.wait()
        raise AssertionError

    client.answer = wait
    takes_back = {"do": "raw", "text": '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"q1"}}\n'}
    script = {
        "turns": [[a_form("q1", wait=False), takes_back, {"do": "await", "ids": ["q1"]}, a_form("q2", message="Last?")]]
    }
    async with running(script, client) as manager:
        session = await manager.new_session()
        turn = asyncio.create_task(manager.prompt(session.id, "go"))
        while not any(each.message == "Last?" for each in client.questions):
            client.asked.clear()
            await client.asked.wait()
        await manager.cancel(session.id)
        await turn
        told = await reported(manager, client, session.id)
    heard = [each.get("method") or each["id"] for each in told]
    assert heard.index("q1") < heard.index("session/cancel")  # by its own word, before the turn was stopped
    for number in ("q1", "q2"):
        result = told[heard.index(number)]["result"]
        assert CancelElicitationResponse.model_validate(result).action == "cancel"


async def test_an_agent_may_ask_while_it_opens_a_session_and_tell_that_an_address_is_done_with() -> None:
    client = NotingClient()
    client.answer = answering(QuestionAction.ACCEPT)
    asks = asking("q1", wait=False, mode="url", message="Log in", url="https://x.org", elicitationId="e1", requestId=1)
    asks["params"]["sessionId"] = None
    done = '{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e1"}}\n'
    async with running({"sessions": [asks, {"do": "raw", "text": done}]}, client) as manager:
        session = await manager.new_session()
        told = await reported(manager, client, session.id)
    assert [each["result"] for each in told if each.get("id") == "q1"] == [{"action": "accept"}]
    assert client.completed == ["e1"]


def a_tool_call(*questions: Any, **facts: Any) -> ToolCall:
    known = {
        "id": ToolCallId("c"),
        "tool": "think",
        "kind": ToolKind.THINK,
        "arguments": {"questions": list(questions)},
    }
    return ToolCall(**{**known, **facts})


LIBRARY = {
    "question": "Which library?",
    "header": "Library",
    "options": [{"label": "httpx", "description": "Newer"}, {"label": "requests", "description": "Older"}],
}
EXTRAS = {**LIBRARY, "question": "Which extras?", "header": "Extras", "multiSelect": True}


def test_a_tool_with_a_name_of_its_own_is_no_question_though_it_says_that_it_thinks() -> None:
    assert tool_question(a_tool_call(LIBRARY, tool="")) is not None
    assert tool_question(a_tool_call(LIBRARY, tool="mcp__odoo__create_invoice")) is None


def test_the_questions_of_a_tool_become_a_form_and_its_answers_go_by_number() -> None:
    question = tool_question(a_tool_call(LIBRARY, EXTRAS))
    assert question is not None
    assert [(each.name, each.kind.value, each.title) for each in question.fields] == [
        ("0", "choice", "Library"),
        ("0-other", "text", "Another answer"),
        ("1", "choices", "Extras"),
        ("1-other", "text", "Another answer"),
    ]
    values = question.checked({"0": "httpx", "1": ["httpx", "requests"], "1-other": "aiohttp"})
    answered = QuestionAnswer(action=QuestionAction.ACCEPT, values=values)
    assert tool_answers(question, answered) == {"0": "httpx", "1": "httpx, requests, aiohttp"}
    own = QuestionAnswer(action=QuestionAction.ACCEPT, values={"0": "httpx", "0-other": "urllib"})
    assert tool_answers(question, own) == {"0": "urllib"}
    declined = tool_answers(question, QuestionAnswer(action=QuestionAction.DECLINE))
    assert set(declined) == {"0", "1"}
    assert "declined" in declined["0"]


@pytest.mark.parametrize(
    "call",
    [
        a_tool_call(),
        a_tool_call({"question": 1}),
        a_tool_call(LIBRARY, kind=ToolKind.OTHER, tool="mcp__forms__submit"),
        a_tool_call(LIBRARY, kind=ToolKind.EXECUTE, command="rm -r ."),
        a_tool_call(LIBRARY, paths=("app.py",)),
    ],
)
def test_no_other_call_is_taken_for_a_question(call: ToolCall) -> None:
    assert tool_question(call) is None
