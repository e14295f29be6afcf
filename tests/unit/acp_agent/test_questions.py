import pytest

from tandem_desktop.acp_agent.questions import question_params, read_answer
from tandem_desktop.acp_client.elicitation import read_question
from tandem_desktop.domain.ids import RequestId
from tandem_desktop.domain.questions import AgentQuestion, FieldKind, QuestionAction, QuestionChoice, QuestionField

QUESTION = AgentQuestion(
    message="Which?",
    fields=(
        QuestionField(
            name="colour",
            kind=FieldKind.CHOICE,
            is_required=True,
            choices=(QuestionChoice(value="r", label="Red"), QuestionChoice(value="b", label="Blue")),
        ),
        QuestionField(name="sizes", kind=FieldKind.CHOICES, choices=(QuestionChoice(value="s", label="Small"),)),
        QuestionField(name="name", kind=FieldKind.TEXT, title="Name", max_length=20, default="x"),
        QuestionField(name="count", kind=FieldKind.INTEGER, minimum=1),
        QuestionField(name="sure", kind=FieldKind.BOOLEAN, default=False),
    ),
)


def test_a_question_is_read_by_an_editor_as_it_was_asked() -> None:
    assert read_question(question_params("SES-1", QUESTION)) == QUESTION


def test_an_address_is_passed_on_with_an_id() -> None:
    question = AgentQuestion(id=RequestId("ASK-1"), message="Log in", url="https://example.org/a")
    params = question_params("SES-1", question)
    assert (params["mode"], params["url"], params["elicitationId"]) == ("url", "https://example.org/a", "ASK-1")


@pytest.mark.parametrize("result", [None, [], {}, {"action": 1}, {"action": "maybe"}, {"action": None}])
def test_what_is_not_understood_is_no_answer(result: object) -> None:
    assert read_answer(result) == (QuestionAction.DECLINE, {})


def test_an_answer_carries_its_values() -> None:
    assert read_answer({"action": "accept", "content": {"a": 1}}) == (QuestionAction.ACCEPT, {"a": 1})
    assert read_answer({"action": "accept", "content": "a"}) == (QuestionAction.ACCEPT, {})
