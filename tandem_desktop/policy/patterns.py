"""Does a rule a person wrote match a use? Generous where it restricts, strict where it allows."""

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING

from tandem_desktop.domain.authorization import PermissionRule, ToolCategory, ToolUse
from tandem_desktop.domain.errors import OutsideWorkspaceError
from tandem_desktop.domain.paths import check_path, folded

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_JOINTS = re.compile(r"\|\||&&|[;|&\n(){}`]|\$\(")
_MORE_THAN_ONE_COMMAND = re.compile(r"[;|&\n\r`$<>(){}\\]")
_KINDS = {category.value: category for category in (ToolCategory.READ, ToolCategory.WRITE, ToolCategory.EXECUTE)}


def matches(rule: PermissionRule, use: ToolUse) -> bool:
    """Whether every pattern of `rule` fits `use`.

    An allowing rule must fit the whole use: all of its paths, inside the workspace, and one plain command. A denying
    or asking one fits when any path, or any part of a joined command, does.
    """
    if not _names_it(rule.tool, use):
        return False
    if rule.answer == "allow":
        return not use.disguised and _allows_paths(rule.path, use) and _allows_command(rule.command, use)
    return _touches(rule.path, use) and _runs(rule.command, use)


def _names_it(pattern: str, use: ToolUse) -> bool:
    wanted = pattern.lower()
    return _KINDS.get(wanted) is use.category or any(fnmatchcase(name, wanted) for name in use.names)


def _allows_paths(pattern: str | None, use: ToolUse) -> bool:
    if pattern is None:
        return True
    inside = [_inside(path) for path in use.paths]
    return bool(inside) and all(path is not None and _spec(pattern).match_file(path) for path in inside)


def _touches(pattern: str | None, use: ToolUse) -> bool:
    if pattern is None:
        return True
    spec = _spec(folded(pattern))
    return any(spec.match_file(folded(path).removeprefix("./")) for path in use.paths)


def _allows_command(pattern: str | None, use: ToolUse) -> bool:
    if pattern is None:
        return True
    if use.command is None or _MORE_THAN_ONE_COMMAND.search(use.command):
        return False
    return fnmatchcase(use.command.strip(), pattern)


def _runs(pattern: str | None, use: ToolUse) -> bool:
    if pattern is None:
        return True
    if use.command is None:
        return False
    parts = (use.command, *_JOINTS.split(use.command))
    wanted = " ".join(pattern.split())
    return any(fnmatchcase(" ".join(part.split()), wanted) for part in parts)


def _inside(path: str) -> str | None:
    try:
        return check_path(path)
    except OutsideWorkspaceError:
        return None


@lru_cache(maxsize=256)
def _spec(pattern: str) -> "GitIgnoreSpec":
    # Needed only where a rule names paths, and slow to load.
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines([pattern])
