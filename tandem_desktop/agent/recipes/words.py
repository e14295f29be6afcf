"""Read what a person typed after a recipe's name: words, quoted words and options, backslashes taken as they are."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from tandem_desktop.domain.errors import BadInputError

_WORD = re.compile(
    r"""\s*(?:
        "(?P<double>(?:[^"\\]|\\.)*)"(?=\s|$)
      | '(?P<single>(?:[^'\\]|\\.)*)'(?=\s|$)
      | (?P<plain>[^\s"']\S*)
    )""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Words:
    """Arguments in order, and options with what was given to them."""

    arguments: tuple[str, ...]
    options: dict[str, tuple[str, ...]]

    def last(self, option: str) -> str | None:
        """What was given to an option, the last time it was."""
        return self.options[option][-1] if self.options.get(option) else None

    def has(self, option: str) -> bool:
        return option in self.options


def read_words(
    text: str,
    usage: str,
    *,
    wanted: Collection[str],
    valued: Collection[str] = (),
    flags: Collection[str] = (),
) -> Words:
    """The words of `text`, which must be as many as `wanted` names.

    A word in quotes may hold spaces and new lines, and is never an option; inside, only a backslash before the same
    quote is taken away, so that a regular expression needs no second escaping. After `--` there are no options.

    Raises:
        BadInputError: naming what is missing, unknown or one too many.
    """
    arguments: list[str] = []
    options: dict[str, tuple[str, ...]] = {}
    pieces = _pieces(text, usage)
    takes_options = True
    while pieces:
        word, quoted = pieces.pop(0)
        if quoted or not takes_options or not word.startswith("--"):
            arguments.append(word)
            continue
        if word == "--":
            takes_options = False
            continue
        name, has_value, value = word.partition("=")
        if name in valued:
            if not has_value and not pieces:
                raise BadInputError(f"{name} needs a value after it.", next=_advice(usage))
            given = value if has_value else pieces.pop(0)[0]
            options[name] = (*options.get(name, ()), given)
        elif name in flags and not has_value:
            options[name] = ()
        else:
            raise BadInputError(
                f"{word} is not an option here.", next=f"Put text that begins with -- in quotes. {_advice(usage)}"
            )
    _check_count(arguments, list(wanted), usage)
    return Words(tuple(arguments), options)


def _pieces(text: str, usage: str) -> list[tuple[str, bool]]:
    pieces: list[tuple[str, bool]] = []
    place = 0
    end = len(text.rstrip())
    while place < end:
        found = _WORD.match(text, place)
        if found is None:
            rest = text[place:].strip()
            raise BadInputError(
                f"The quote before {rest[1:21]!r} is not closed, or something follows the closing quote directly.",
                next=f"{_advice(usage)} Use the other kind of quote around text that holds one.",
            )
        place = found.end()
        if found["plain"] is not None:
            pieces.append((found["plain"], False))
        elif found["double"] is not None:
            pieces.append((found["double"].replace('\\"', '"'), True))
        else:
            pieces.append((found["single"].replace("\\'", "'"), True))
    return pieces


def _check_count(arguments: list[str], wanted: list[str], usage: str) -> None:
    if len(arguments) < len(wanted):
        missing = " and ".join(wanted[len(arguments) :])
        raise BadInputError(f"{missing} {'is' if ' and ' not in missing else 'are'} missing.", next=_advice(usage))
    if len(arguments) > len(wanted):
        raise BadInputError(
            f"There is a word too many: {arguments[len(wanted)]!r}.",
            next=f"{_advice(usage)} Put text with spaces in quotes.",
        )


def _advice(usage: str) -> str:
    return f"Write it as: {usage}"
