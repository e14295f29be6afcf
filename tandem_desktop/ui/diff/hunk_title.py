"""Name the function or class a change lies in, the way a person would point to it."""

import re
from pathlib import PurePosixPath

from tandem_desktop.staging.hunks import Hunk
from tandem_desktop.ui.diff.side import Side

FARTHEST = 2_000
"""Lines looked back for the definition around a change."""
_LONGEST = 200
_CALLABLE = re.compile(
    r"^\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|override|async|pub(?:\([^)]*\))?|"
    r"unsafe|const|extern|inline|suspend|open)\s+)*(?:def|function\*?|func|fn|fun|sub)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)"
)
_TYPE = re.compile(
    r"^\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|sealed|data|pub(?:\([^)]*\))?)\s+)*"
    r"(?:class|interface|struct|enum|trait|impl|module|namespace)\s+([A-Za-z_][\w:<>]*)"
)
_HEADINGS = {
    ".md": re.compile(r"^#{1,6}\s+(.+)$"),
    ".toml": re.compile(r"^(\[.+\])\s*$"),
    ".ini": re.compile(r"^(\[.+\])\s*$"),
    ".cfg": re.compile(r"^(\[.+\])\s*$"),
}


def title_of(path: str, hunk: Hunk, new: Side) -> str:
    """`login()`, `Settings`, a heading; nothing when there is no such thing around the change."""
    heading = _HEADINGS.get(PurePosixPath(path).suffix)
    at = hunk.new_start - (1 if hunk.new_count else 0)
    first: int | None = None
    for line in hunk.lines:
        if line.kind != " " and first is None:
            first = at
        if line.kind == "+" and (name := _name(new, at, heading)):
            return name
        at += line.kind != "-"
    return _around(new, min(at if first is None else first, len(new) - 1), heading)


def _around(new: Side, at: int, heading: re.Pattern[str] | None) -> str:
    indent = _indent(new, at)
    for line in range(at - 1, max(-1, at - FARTHEST), -1):
        here = _indent(new, line)
        if here is None:
            continue
        is_outside = indent is None or here < indent or heading is not None
        if is_outside and (name := _name(new, line, heading)):
            return name
        if is_outside and here == 0 and heading is None:
            return ""
    return ""


def _name(new: Side, at: int, heading: re.Pattern[str] | None) -> str:
    if not 0 <= at < len(new) or new.length(at) > _LONGEST:
        return ""
    text = new.line(at)
    if heading:
        found = heading.match(text)
        return found[1].strip() if found else ""
    if found := _CALLABLE.match(text):
        return f"{found[1]}()"
    found = _TYPE.match(text)
    return found[1] if found else ""


def _indent(new: Side, at: int) -> int | None:
    """Nothing for a blank line, and for one that only closes what was opened above it."""
    if not 0 <= at < len(new) or new.length(at) > _LONGEST:
        return None
    text = new.line(at)
    stripped = text.lstrip()
    return len(text) - len(stripped) if stripped.strip(")]}:{ \t␍") else None
