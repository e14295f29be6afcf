"""Questions an agent asks the person, and the check of an answer."""

import math
from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import RequestId
from tandem_desktop.domain.paths import shown
from tandem_desktop.domain.patterns import lazy_pattern

AnswerValue = str | bool | int | float | tuple[str, ...]

COMPLETED = "complete"
"""How a question with an address ended, once the agent said that what was begun there has ended."""
LONGEST_ANSWER = 20_000
"""Characters of one text, whatever the agent allows."""
WEB_SCHEMES = ("http", "https")
_EMAIL = lazy_pattern(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_DATE = lazy_pattern(r"\d{4}-\d{2}-\d{2}")
_DATE_TIME = lazy_pattern(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})")


_LARGEST = 2**63


class FieldKind(StrEnum):
    """What a field takes."""

    TEXT = "text"
    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    """One of its choices."""
    CHOICES = "choices"
    """Any number of its choices."""


class QuestionChoice(Frozen):
    """One choice of a field."""

    value: str
    label: str
    description: str = ""


class QuestionField(Frozen):
    """One value an agent asks for. Its words are the agent's: untrusted, bounded in length, not escaped."""

    name: str
    kind: FieldKind
    title: str = ""
    description: str = ""
    is_required: bool = False
    choices: tuple[QuestionChoice, ...] = ()
    default: AnswerValue | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str = ""
    """Shown, and checked by the agent alone: an expression of an agent may take for ever."""
    format: str = ""
    """`email`, `uri`, `date` or `date-time`; another one is not checked."""
    minimum: float | None = None
    maximum: float | None = None
    min_items: int | None = None
    max_items: int | None = None
    instead_of: str = ""
    """The field that this text takes the place of: an answer beside the choices."""

    @property
    def label(self) -> str:
        return self.title or self.name

    def problem(self, value: Any) -> str:
        """What is wrong with a value, as the end of a sentence; empty if nothing is."""
        match self.kind:
            case FieldKind.TEXT:
                return self._text_problem(value)
            case FieldKind.NUMBER | FieldKind.INTEGER:
                return self._number_problem(value)
            case FieldKind.BOOLEAN:
                return "" if isinstance(value, bool) else "must be yes or no"
            case FieldKind.CHOICE:
                return "" if isinstance(value, str) and value in self._values else "must be one of the choices"
            case FieldKind.CHOICES:
                return self._choices_problem(value)

    @property
    def _values(self) -> frozenset[str]:
        return frozenset(choice.value for choice in self.choices)

    def _text_problem(self, value: Any) -> str:
        if not isinstance(value, str):
            return "must be text"
        longest = min(LONGEST_ANSWER, LONGEST_ANSWER if self.max_length is None else self.max_length)
        if len(value) > longest:
            return f"has {len(value)} characters; at most {longest} are allowed"
        if self.min_length is not None and len(value) < self.min_length:
            return f"has {len(value)} characters; at least {self.min_length} are needed"
        return _format_problem(self.format, value)

    def _number_problem(self, value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return "must be a number"
        if abs(value) > _LARGEST or math.isnan(value):  # an integer may be too long for a float
            return "must be a number"
        if self.kind is FieldKind.INTEGER and not isinstance(value, int):
            return "must be a whole number"
        if self.minimum is not None and value < self.minimum:
            return f"must be at least {self.minimum:g}"
        if self.maximum is not None and value > self.maximum:
            return f"must be at most {self.maximum:g}"
        return ""

    def _choices_problem(self, value: Any) -> str:
        if not isinstance(value, tuple | list) or not all(isinstance(each, str) for each in value):
            return "must be a list of choices"
        if not self._values.issuperset(value) or len(set(value)) != len(value):
            return "must be some of the choices, each once"
        if self.min_items is not None and len(value) < self.min_items:
            return f"needs at least {self.min_items} of the choices"
        if self.max_items is not None and len(value) > self.max_items:
            return f"takes at most {self.max_items} of the choices"
        return ""


class QuestionAction(StrEnum):
    """How a question ended."""

    ACCEPT = "accept"
    """Answered; of an address: the person opened it."""
    DECLINE = "decline"
    """The person gave no answer, or was not there."""
    CANCEL = "cancel"
    """Withdrawn before there was an answer."""


class QuestionAnswer(Frozen):
    """The end of one question."""

    action: QuestionAction
    values: dict[str, AnswerValue] = Field(default_factory=dict)
    reason: str = ""
    """Why there is no answer."""


class AgentQuestion(Frozen):
    """A question of an agent to the person: a form, or an address to open."""

    id: RequestId = RequestId("")
    """Given when it is put to the person; ids of requests repeat when an agent starts again."""
    agent: str = ""
    """The title of the agent that asks."""
    message: str
    """Empty where each field has words of its own."""
    fields: tuple[QuestionField, ...] = ()
    url: str = ""
    elicitation_id: str = ""
    """By which the agent tells that what was begun at the address has ended."""

    @property
    def summary(self) -> str:
        """What is asked, in one line."""
        said = (self.message, *(field.description or field.label for field in self.fields), self.url)
        return " ".join(next((text for text in said if text.strip()), "").split())

    @property
    def host(self) -> str:
        """The host of the address."""
        return urlsplit(self.url).hostname or ""

    def problems(self, values: Mapping[str, Any]) -> dict[str, str]:
        """What is wrong, by the name of the field; empty for an answer that fits."""
        found = dict.fromkeys(values.keys() - {field.name for field in self.fields}, "is not asked for")
        replaced = {field.instead_of for field in self.fields if field.instead_of and field.name in values}
        for field in self.fields:
            if field.name in values:
                problem = field.problem(values[field.name])
            else:
                problem = "needs an answer" if field.is_required and field.name not in replaced else ""
            if problem:
                found[field.name] = problem
        return found

    def checked(self, values: Mapping[str, Any]) -> dict[str, AnswerValue]:
        """The values of an answer, where they are what the agent asks for.

        Raises:
            BadInputError: one of them is not; the message names the first field.
        """
        problems = self.problems(values)
        if problems:
            name, problem = next(iter(problems.items()))
            label = next((field.label for field in self.fields if field.name == name), name)
            raise BadInputError(f"{shown(label)} {problem}.", next="Correct the answer, or decline the question.")
        return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}

    def lines(self, values: Mapping[str, AnswerValue]) -> tuple[str, ...]:
        """An answer for people, a line for each field."""
        told = [(field, values[field.name]) for field in self.fields if field.name in values]
        return tuple(f"{field.label}: {_spoken(field, value)}" for field, value in told)


def is_web_address(url: str) -> bool:
    """Whether it is an address that is shown and opened: http or https, with a host, and in one piece."""
    try:
        parts = urlsplit(url)
        return parts.scheme in WEB_SCHEMES and bool(parts.hostname) and url.isprintable() and " " not in url
    except ValueError:
        return False


def _spoken(field: QuestionField, value: AnswerValue) -> str:
    labels = {choice.value: choice.label for choice in field.choices}
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(labels.get(each, each) for each in value) or "none"
    return labels.get(value, value) if isinstance(value, str) else f"{value:g}"


def _format_problem(name: str, value: str) -> str:
    match name:
        case "email":
            return "" if _EMAIL.fullmatch(value) else "must be an e-mail address"
        case "uri":
            return "" if _is_uri(value) else "must be an address such as https://example.org"
        case "date":
            return "" if _DATE.fullmatch(value) and _is_date(value) else "must be a date such as 2026-01-31"
        case "date-time":
            fits = _DATE_TIME.fullmatch(value) and _is_date_time(value)
            return "" if fits else "must be a date and time such as 2026-01-31T09:30:00Z"
    return ""


def _is_uri(value: str) -> bool:
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return bool(parts.scheme and (parts.netloc or parts.path)) and not any(each.isspace() for each in value)


def _is_date(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_date_time(value: str) -> bool:
    try:
        datetime.fromisoformat(value.upper())
    except ValueError:
        return False
    return True
