"""Go through the text files of a workspace, change some, and keep everything else of each file byte for byte."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tandem_desktop.agent.edits import WriteFile
from tandem_desktop.agent.recipes.recipe import Outcome
from tandem_desktop.agent.recipes.report import Left, counted, summary
from tandem_desktop.agent.source_files import BrowsableTree, Selection, read_source
from tandem_desktop.agent.source_text import MAX_TEXT_BYTES, SourceText
from tandem_desktop.domain.errors import OutsideWorkspaceError, StorageError
from tandem_desktop.domain.paths import shown

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


def text_files(tree: BrowsableTree, selection: Selection, left: Left) -> Iterator[tuple[str, SourceText]]:
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
    tree: BrowsableTree, selection: Selection, left: Left, change: Change, verb: str
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


def replaced(title: str, edits: tuple[WriteFile, ...], places: int, left: Left, *more: str, nothing: str) -> Outcome:
    """What a recipe that replaces something comes to; `nothing` is said where it found nothing to change."""
    if not edits:
        return Outcome(title, (), summary(nothing, left))
    headline = f"{title}: {counted(places, 'place')} in {counted(len(edits), 'file')}."
    return Outcome(title, edits, summary(headline, left, *more))
