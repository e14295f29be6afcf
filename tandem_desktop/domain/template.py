"""Plan templates with parameters."""

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.patterns import lazy_pattern

NAME = lazy_pattern(r"[a-z0-9][a-z0-9_-]{0,63}")


class TemplateParameter(Frozen):
    """A parameter of a template, and its value when the template was made."""

    name: Annotated[str, Field(pattern=rf"^{NAME.pattern}$")]
    example: Annotated[str, Field(min_length=1)]

    @property
    def mark(self) -> str:
        """Its placeholder in the steps."""
        return "{{" + self.name + "}}"


class PlanTemplate(Frozen):
    """Plan JSON with placeholders."""

    format: Annotated[int, Field(ge=1, le=1)] = 1
    name: Annotated[str, Field(pattern=rf"^{NAME.pattern}$")]
    title: str
    parameters: tuple[TemplateParameter, ...] = ()
    plan: dict[str, Any]

    def filled(self, values: Mapping[str, str]) -> dict[str, Any]:
        """Fill the placeholders with these values.

        Raises:
            BadInputError: a value is missing, unknown, empty or has several lines.
        """
        known = [parameter.name for parameter in self.parameters]
        usage = " ".join((self.name, *(f"{each.name}={each.example}" for each in self.parameters)))
        following = f"Say each once: tandem template use {usage}"
        for name in (*known, *values):
            if name not in values:
                raise BadInputError(f"The template {self.name} needs a value for {name}.", next=following)
            if name not in known:
                raise BadInputError(f"The template {self.name} has no parameter {name}.", next=following)
            if not values[name].strip() or "\n" in values[name]:
                raise BadInputError(f"The value of {name} must be one line of text.", next=following)
        filled: dict[str, Any] = replaced(self.plan, {each.mark: values[each.name] for each in self.parameters})
        return filled


def read_template_words(text: str) -> tuple[str, dict[str, str]]:
    """Parse a name and its values: `endpoint resource="new orders"`.

    Raises:
        BadInputError: a quotation has no end, there is no name, or an argument has no value.
    """
    try:
        name, *arguments = shlex.split(text)
    except ValueError:
        raise BadInputError("A name is needed, and quotes in pairs.", next="As in: endpoint resource=orders") from None
    return name, read_values(arguments)


def read_values(arguments: Iterable[str]) -> dict[str, str]:
    """Parse `name=value` arguments.

    Raises:
        BadInputError: an argument has no value, or a name occurs twice.
    """
    values: dict[str, str] = {}
    for argument in arguments:
        name, sign, value = argument.partition("=")
        if not sign or name in values:
            raise BadInputError(f"{argument!r} does not say one value.", next="Write NAME=VALUE, each name once.")
        values[name] = value
    return values


def marked(plan: dict[str, Any], parameters: Iterable[TemplateParameter]) -> dict[str, Any]:
    """Replace the example of each parameter by its placeholder; longer examples first.

    Raises:
        BadInputError: an example does not occur, or a placeholder is already in the plan.
    """
    ordered = sorted(parameters, key=lambda parameter: -len(parameter.example))
    for parameter in ordered:
        if occurrences(plan, parameter.mark):
            raise BadInputError(
                f"The plan itself contains {parameter.mark}.", next="Choose another name for this parameter."
            )
        if not occurrences(plan, parameter.example):
            raise BadInputError(
                f"{parameter.example!r} occurs nowhere in the plan's paths, texts and commands.",
                next="Name a text that the plan contains, exactly as it stands there.",
            )
    found: dict[str, Any] = replaced(plan, {parameter.example: parameter.mark for parameter in ordered})
    return found


def occurrences(value: Any, text: str) -> int:
    """The number of occurrences of a text in the strings of a JSON value."""
    match value:
        case str():
            return value.count(text)
        case dict():
            return sum(occurrences(each, text) for each in value.values())
        case list() | tuple():
            return sum(occurrences(each, text) for each in value)
    return 0


def replaced(value: Any, pairs: Mapping[str, str]) -> Any:
    """Replace texts in a JSON value in one pass; inserted text is not searched again."""
    if not pairs:
        return value
    pattern = re.compile("|".join(re.escape(text) for text in pairs))

    def walk(part: Any, key: str = "") -> Any:
        match part:
            case str() if key not in _FIXED:
                return pattern.sub(lambda found: pairs[found.group()], part)
            case dict():
                return {name: walk(each, name) for name, each in part.items()}
            case list() | tuple():
                return [walk(each, key) for each in part]
        return part

    return walk(value)


_FIXED = frozenset({"id", "tool", "task", "blocked_by", "mode", "content_base64"})
"""Keys whose values are ids or no text."""
