"""An answer is what the agent asked for, or is refused with the field and the reason."""

from typing import Any

import pytest

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.questions import AgentQuestion, FieldKind, QuestionChoice, QuestionField, is_web_address

CHOICES = tuple(QuestionChoice(value=each, label=each.upper()) for each in ("a", "b", "c"))


def a_field(kind: FieldKind, **facts: Any) -> QuestionField:
    choices = CHOICES if kind in (FieldKind.CHOICE, FieldKind.CHOICES) else ()
    return QuestionField(name="it", kind=kind, title="It", choices=choices, **facts)


@pytest.mark.parametrize(
    ("field", "fits", "problem", "value"),
    [
        (a_field(FieldKind.TEXT), "x", "must be text", 1),
        (a_field(FieldKind.TEXT), "", "has 20001 characters; at most 20000 are allowed", "x" * 20_001),
        (a_field(FieldKind.TEXT, min_length=2), "xy", "has 1 characters; at least 2 are needed", "x"),
        (a_field(FieldKind.TEXT, max_length=2), "xy", "has 3 characters; at most 2 are allowed", "xyz"),
        (a_field(FieldKind.TEXT, format="email"), "a@b.org", "must be an e-mail address", "a at b.org"),
        (
            a_field(FieldKind.TEXT, format="uri"),
            "https://b.org/x",
            "must be an address such as https://example.org",
            "b",
        ),
        (a_field(FieldKind.TEXT, format="date"), "2026-02-28", "must be a date such as 2026-01-31", "2026-02-30"),
        (
            a_field(FieldKind.TEXT, format="date-time"),
            "2026-01-31T09:30:00Z",
            "must be a date and time such as 2026-01-31T09:30:00Z",
            "2026-01-31",
        ),
        (a_field(FieldKind.NUMBER), 1.5, "must be a number", "1.5"),
        (a_field(FieldKind.NUMBER), 2, "must be a number", float("inf")),
        (a_field(FieldKind.INTEGER), 2, "must be a number", 10**400),
        (a_field(FieldKind.NUMBER), 2, "must be a number", True),
        (a_field(FieldKind.NUMBER, minimum=0), 0, "must be at least 0", -0.5),
        (a_field(FieldKind.INTEGER, maximum=9), 9, "must be at most 9", 10),
        (a_field(FieldKind.INTEGER), 3, "must be a whole number", 3.5),
        (a_field(FieldKind.BOOLEAN), False, "must be yes or no", "false"),
        (a_field(FieldKind.CHOICE), "b", "must be one of the choices", "d"),
        (a_field(FieldKind.CHOICES), ("a", "c"), "must be some of the choices, each once", ("a", "d")),
        (a_field(FieldKind.CHOICES), ["a"], "must be some of the choices, each once", ["a", "a"]),
        (a_field(FieldKind.CHOICES, min_items=2), ("a", "b"), "needs at least 2 of the choices", ("a",)),
        (a_field(FieldKind.CHOICES, max_items=1), ("a",), "takes at most 1 of the choices", ("a", "b")),
        (a_field(FieldKind.CHOICES), (), "must be a list of choices", "a"),
    ],
)
def test_a_value_outside_of_what_the_agent_asks_for_is_refused(
    field: QuestionField, fits: Any, problem: str, value: Any
) -> None:
    question = AgentQuestion(message="?", fields=(field,))
    assert question.problems({"it": fits}) == {}
    assert question.problems({"it": value}) == {"it": problem}
    with pytest.raises(BadInputError, match=r"^It "):
        question.checked({"it": value})


def test_a_required_field_needs_an_answer_or_the_one_in_its_place_and_nothing_else_is_taken() -> None:
    required = a_field(FieldKind.CHOICE, is_required=True)
    other = QuestionField(name="other", kind=FieldKind.TEXT, instead_of="it")
    question = AgentQuestion(message="?", fields=(required, other))
    assert question.problems({}) == {"it": "needs an answer"}
    assert question.problems({"other": "mine"}) == {}
    assert question.problems({"it": "a", "more": 1}) == {"more": "is not asked for"}


def test_an_answer_is_told_with_the_labels_the_person_saw() -> None:
    fields = (a_field(FieldKind.CHOICES), QuestionField(name="n", kind=FieldKind.NUMBER))
    question = AgentQuestion(message="?", fields=fields)
    assert question.lines({"it": ("a", "c"), "n": 2.0}) == ("It: A, C", "n: 2")


@pytest.mark.parametrize(
    ("address", "is_opened"),
    [
        ("https://example.org/a?b=c", True),
        ("http://localhost:8080", True),
        ("javascript:alert(1)", False),
        ("file:///etc/passwd", False),
        ("https://", False),
        ("https://example.org/\u202egpj", False),
        ("https://exa mple.org", False),
        ("https://[", False),
    ],
)
def test_only_an_address_of_the_web_that_can_be_shown_whole_is_opened(address: str, is_opened: bool) -> None:
    assert is_web_address(address) is is_opened
