"""The recipe interface, its edits, arguments and reports."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tandem_desktop.domain.errors import BadInputError, OutsideWorkspaceError, StorageError
from tandem_desktop.domain.paths import shown
from tandem_desktop.recipes.sources import MAX_TEXT_BYTES, BrowsableTree, SourceSelection, SourceText, read_source


@dataclass(frozen=True, slots=True)
class WriteFile:
    """A file will hold exactly these bytes; `mode` None keeps the mode there is."""

    path: str
    data: bytes
    description: str
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """A file, a link or a folder with what is in it goes."""

    path: str
    description: str


@dataclass(frozen=True, slots=True)
class MoveFile:
    """A file, a link or a folder gets another path, which must be free."""

    path: str
    to: str
    description: str


@dataclass(frozen=True, slots=True)
class ChangeMode:
    """A file gets other permissions."""

    path: str
    mode: int
    description: str


@dataclass(frozen=True, slots=True)
class MakeLink:
    """A symbolic link appears."""

    path: str
    target: str
    description: str


Edit = WriteFile | DeleteFile | MoveFile | ChangeMode | MakeLink


@dataclass(frozen=True, slots=True)
class RecipeOutcome:
    """What a recipe would do: edits in order, and what to tell the person."""

    title: str
    edits: tuple[Edit, ...]
    summary: str


class Work(Protocol):
    """A recipe with its arguments understood. Reads the tree, changes nothing."""

    def run(self, tree: BrowsableTree) -> RecipeOutcome:
        """The edits, and what to say about them.

        Raises:
            BadInputError: the arguments make no sense in this workspace.
            StagingError: the edits cannot be made here.
        """


@dataclass(frozen=True, slots=True)
class Recipe:
    """One recipe as people choose it."""

    name: str
    title: str
    description: str
    hint: str
    """What is typed after the name."""
    example: str
    parse: Callable[[str], Work]
    """Understands what was typed, or raises `BadInputError` with a sentence."""


_SHOWN = 8


@dataclass(slots=True)
class Left:
    """What a recipe passed over, by reason, in the order it was met."""

    by_reason: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, what: str) -> None:
        self.by_reason.setdefault(reason, []).append(what)

    def lines(self) -> list[str]:
        return [f"- {reason}: {listed(names)}" for reason, names in self.by_reason.items()]


def listed(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    first = ", ".join(shown(name) for name in names[:_SHOWN])
    more = len(names) - _SHOWN
    return f"{first} and {more:,} more" if more > 0 else first


def counted(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def summary(headline: str, left: Left, *more: str) -> str:
    """The headline, then what was left alone, one reason to a line."""
    lines = left.lines()
    parts = [headline, *more]
    if lines:
        parts.append("Left alone:\n" + "\n".join(lines))
    return "\n\n".join(part for part in parts if part)


_WORD = re.compile(
    r"""\s*(?:
        "(?P<double>(?:[^"\\]|\\.)*)"(?=\s|$)
      | '(?P<single>(?:[^'\\]|\\.)*)'(?=\s|$)
      | (?P<plain>[^\s"']\S*)
    )""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class RecipeArguments:
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
) -> RecipeArguments:
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
    return RecipeArguments(tuple(arguments), options)


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


TOO_LARGE = f"larger than {MAX_TEXT_BYTES // (1024 * 1024)} MiB"
UNREADABLE = "cannot be read"
OTHER_ENCODING = "the new text cannot be written in the file's encoding"


@dataclass(frozen=True, slots=True)
class Changed:
    """The new text of a file, and in how many places it differs."""

    text: str
    places: int


Change = Callable[[str, SourceText], Changed | None]
"""What becomes of the file at a path; None leaves it alone."""


def text_files(tree: BrowsableTree, selection: SourceSelection, left: Left) -> Iterator[tuple[str, SourceText]]:
    """Every text file that is meant, without links and binary files; what is too large or unreadable is noted."""
    for path in selection.paths(tree):
        try:
            data = read_source(tree, path)
        except (OutsideWorkspaceError, StorageError):
            left.add(UNREADABLE, path)
            continue
        if data is None:
            continue
        source = SourceText.of(data) if len(data) <= MAX_TEXT_BYTES else None
        if source is not None:
            yield path, source
        elif len(data) > MAX_TEXT_BYTES and b"\0" not in data[:8000]:
            left.add(TOO_LARGE, path)


def change_texts(
    tree: BrowsableTree, selection: SourceSelection, left: Left, change: Change, verb: str
) -> tuple[tuple[WriteFile, ...], int]:
    """The files that `change` changes, and the number of places in all of them."""
    edits: list[WriteFile] = []
    places = 0
    for path, source in text_files(tree, selection, left):
        changed = change(path, source)
        if changed is None or changed.text == source.text:
            continue
        data = source.encoded(changed.text)
        if data is None:
            left.add(OTHER_ENCODING, path)
            continue
        edits.append(WriteFile(path, data, f"{verb} {counted(changed.places, 'place')} in {shown(path)}"))
        places += changed.places
    return tuple(edits), places


def replaced(
    title: str, edits: tuple[WriteFile, ...], places: int, left: Left, *more: str, nothing: str
) -> RecipeOutcome:
    """What a recipe that replaces something comes to; `nothing` is said where it found nothing to change."""
    if not edits:
        return RecipeOutcome(title, (), summary(nothing, left))
    headline = f"{title}: {counted(places, 'place')} in {counted(len(edits), 'file')}."
    return RecipeOutcome(title, edits, summary(headline, left, *more))
