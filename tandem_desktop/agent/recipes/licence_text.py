"""The words of a licence header, and how to know them again in a file that already carries them."""

import re
from dataclasses import dataclass

from tandem_desktop.agent.recipes.comment_styles import CommentStyle
from tandem_desktop.agent.source_files import BrowsableTree
from tandem_desktop.agent.source_text import SourceText
from tandem_desktop.domain.errors import BadInputError, OutsideWorkspaceError
from tandem_desktop.domain.operations import FileState
from tandem_desktop.domain.paths import check_path, shown
from tandem_desktop.storage.resources import resource

_YEARS = r"(?P<first>\d{4})(?:\s*[-–]\s*(?P<last>\d{4}))?"
_YEAR = r"\d{4}(?:\s*[-–]\s*\d{4})?"
_MARK = "\x00"
_SPDX_ID = re.compile(r"[A-Za-z0-9.+-]+")


@dataclass(frozen=True, slots=True)
class LicenceText:
    """A header with a place for the year, where it has one."""

    template: str
    """`\\x00` stands for the year."""

    def comment(self, style: CommentStyle, years: str) -> str:
        return style.comment(self.template).replace(_MARK, years)

    def find(self, text: str, style: CommentStyle) -> re.Match[str] | None:
        """The header where it stands in `text`, whatever its year."""
        first, *others = style.comment(self.template).rstrip("\n").split(_MARK)
        spelled = "".join(
            (re.escape(first), *((_YEARS if n == 0 else _YEAR) + re.escape(other) for n, other in enumerate(others)))
        )
        return re.search(rf"^{spelled}[ \t]*$", text, re.MULTILINE)


def licence_text(tree: BrowsableTree, source: str, holder: str | None, usage: str) -> LicenceText:
    """The header named by a file of the workspace or by an SPDX licence id.

    Raises:
        BadInputError: it is neither.
    """
    if _is_file(tree, source):
        return LicenceText(_from_file(tree, check_path(source), holder))
    known = {line.lower(): line for line in resource("licences/spdx-ids.txt").read_text("utf-8").split()}
    identifier = known.get(source.lower()) if _SPDX_ID.fullmatch(source) else None
    if identifier is None:
        raise BadInputError(
            f"{shown(source)!r} is neither a file of the workspace nor an SPDX licence id.",
            next=f"Write it as: {usage}",
        )
    owner = f"SPDX-FileCopyrightText: {_MARK} {holder}\n" if holder else ""
    return LicenceText(f"{owner}SPDX-License-Identifier: {identifier}")


def _is_file(tree: BrowsableTree, source: str) -> bool:
    try:
        return isinstance(tree.state(check_path(source)), FileState)
    except OutsideWorkspaceError:
        return False


def _from_file(tree: BrowsableTree, path: str, holder: str | None) -> str:
    source = SourceText.of(tree.read(path))
    text = "" if source is None else source.text.strip("\n")
    if not text.strip() or _MARK in text:
        raise BadInputError(
            f"{shown(path)} holds no text.", path=path, next="Name a text file with the header's words."
        )
    if "{{holder}}" in text and not holder:
        raise BadInputError(
            f"{shown(path)} has a place for {{{{holder}}}}, and none was named.", path=path, next="Add --holder NAME."
        )
    return text.replace("{{holder}}", holder or "").replace("{{year}}", _MARK)
