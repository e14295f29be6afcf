"""What a model may look at: files, folders and lines, what git ignores left out, long answers cut."""

import re
from itertools import islice

from tandem_desktop.agent.recipes.bounded_regex import BoundedRegex
from tandem_desktop.agent.recipes.report import Left
from tandem_desktop.agent.recipes.text_edits import text_files
from tandem_desktop.agent.source_files import BrowsableTree, Selection, walk
from tandem_desktop.agent.source_text import SourceText
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.operations import Absent, FileState
from tandem_desktop.domain.paths import shown

MAX_LINES = 2_000
MAX_CHARACTERS = 200_000
MAX_NAMES = 500


def read_text(tree: BrowsableTree, path: str) -> SourceText:
    """The text of the file at `path`.

    Raises:
        BadInputError: nothing is there, or it is no text.
    """
    state = tree.state(path)
    if isinstance(state, Absent):
        raise BadInputError(f"{shown(path)} does not exist.", path=path, next="Look with list or glob.")
    if not isinstance(state, FileState):
        raise BadInputError(f"{shown(path)} is no file ({state.type}).", path=path, next="Use list for a folder.")
    source = SourceText.of(tree.read(path))
    if source is None:
        raise BadInputError(f"{shown(path)} is a binary file.", path=path, next="Leave it as it is.")
    return source


def read_lines(tree: BrowsableTree, path: str, first: int, count: int) -> str:
    """A stretch of a file, and how to go on when there is more."""
    lines = read_text(tree, path).text.split("\n")
    start = max(first, 1) - 1
    stretch = lines[start : start + min(max(count, 1), MAX_LINES)]
    text = "\n".join(stretch)[:MAX_CHARACTERS]
    end = start + len(stretch)
    if end < len(lines):
        text += f"\n[lines {start + 1} to {end} of {len(lines)}; go on with first={end + 1}]"
    return text


def list_folder(tree: BrowsableTree, folder: str) -> str:
    """The names in a folder, folders with a slash."""
    if folder and not tree.is_directory(folder):
        raise BadInputError(f"{shown(folder)} is no folder.", path=folder, next="Look with list in the folder above.")
    prefix = f"{folder}/" if folder else ""
    depth = prefix.count("/")
    names = [
        f"{path.removeprefix(prefix)}/" if is_folder else path.removeprefix(prefix)
        for path, is_folder in walk(tree, folder)
        if path.count("/") == depth
    ]
    return _names(names) or "The folder is empty."


def find_files(tree: BrowsableTree, pattern: str, folder: str) -> str:
    """The files that match a pattern written as in `.gitignore`."""
    found = list(islice(Selection((pattern,)).paths(tree, folder), MAX_NAMES + 1))
    return _names(found) or f"No file matches {shown(pattern, 60)}."


def find_lines(tree: BrowsableTree, pattern: str, patterns: tuple[str, ...], *, ignores_case: bool) -> str:
    """The lines that match a regular expression, as `path:number:line`."""
    found: list[str] = []
    with BoundedRegex(pattern, None, int(re.IGNORECASE if ignores_case else 0)) as regex:
        for path, source in text_files(tree, Selection(patterns), Left()):
            found += [f"{path}:{number}:{line}" for number, line in regex.matching_lines(source.text, path)]
            if len(found) > MAX_NAMES:
                break
    return _names(found) or f"No line matches {shown(pattern, 60)}."


def _names(names: list[str]) -> str:
    text = "\n".join(names[:MAX_NAMES])
    return f"{text}\n[more than {MAX_NAMES}; narrow the search]" if len(names) > MAX_NAMES else text
