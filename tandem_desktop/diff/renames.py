"""Finds names of Python that a plan replaces by others everywhere, so that nothing else can tell."""

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from tandem_desktop.diff.moves import MovableFile
from tandem_desktop.diff.names import NameRole

_MOST_NAMES = 12
"""Names of one plan that are looked into, those with the most places first."""
_TOKEN = re.compile(rb"[A-Za-z_]\w*|\S")
_WITHOUT_NAMES = b" \t\r\n'\"(),"
Renames = Mapping[bytes, bytes]
"""New names by the old ones."""
Roles = Mapping[NameRole, str]
FindRoles = Callable[[Sequence[tuple[str, bytes, bytes]]], Sequence[Roles]]
"""The roles of a name in a file, by path, content and name."""
Mentions = Callable[[frozenset[bytes]], frozenset[bytes]]
"""Which of these words stand in files that the plan does not change."""


def renames(files: Sequence[MovableFile], find: FindRoles, mentions: Mentions) -> dict[bytes, bytes]:
    """The names that have another one everywhere in the plan, and that nothing outside of it can see."""
    python = [file for file in files if file.path.endswith(".py")]
    complete = _complete(_complete(_candidates(python), python), files)
    asked = [(number, old) for old in complete for number, file in enumerate(files) if _names({old}, file.before)]
    told = find([(files[number].path, files[number].before, old) for number, old in asked]) if asked else ()
    places: dict[bytes, dict[str, Roles]] = {}
    for (number, old), found in zip(asked, told, strict=True):
        places.setdefault(old, {})[files[number].path] = found
    followed = {old: new for old, new in complete.items() if _can_follow(places.get(old, {}))}
    seen = {old: new for old, new in followed.items() if not _is_local(places[old])}
    named = mentions(frozenset(seen) | frozenset(seen.values())) if seen else frozenset()
    return {old: new for old, new in followed.items() if old not in named and new not in named}


def _complete(likely: Renames, files: Sequence[MovableFile]) -> dict[bytes, bytes]:
    """Those of which no file has the old name after, or had the new one before."""
    left = dict(likely)
    for file in files:
        if not left:
            break
        there = _names(left.keys(), file.after) | _names(left.values(), file.before)
        left = {old: new for old, new in left.items() if old not in there and new not in there}
    return left


def _names(names: Iterable[bytes], content: bytes) -> set[bytes]:
    """Which of these names stand in a content."""
    return {
        each for each in names if each in content and re.search(rb"(?<!\w)" + re.escape(each) + rb"(?!\w)", content)
    }


def with_old_names(content: bytes, renames: Renames) -> bytes:
    """A content with the old names for the new ones; the very same where there are none."""
    if not renames:
        return content
    olds = {new: old for old, new in renames.items()}
    pattern = re.compile(rb"(?<![\w])(?:" + b"|".join(map(re.escape, olds)) + rb")(?![\w])")
    return pattern.sub(lambda found: olds[found[0]], content) if pattern.search(content) else content


def _candidates(files: Sequence[MovableFile]) -> dict[bytes, bytes]:
    """Names that stand for another one wherever lines differ in nothing but names."""
    votes: Counter[tuple[bytes, bytes]] = Counter()
    for file in files:
        for change in file.changes:
            if change.old[1] - change.old[0] == change.new[1] - change.new[0]:
                for old, new in zip(file.old[slice(*change.old)], file.new[slice(*change.new)], strict=True):
                    if old.translate(None, _WITHOUT_NAMES) != new.translate(None, _WITHOUT_NAMES):
                        votes.update({*_replaced(old, new)})
    olds, news = (Counter(pair[side] for pair in votes) for side in (0, 1))
    single = [pair for pair, _ in votes.most_common() if olds[pair[0]] == 1 and news[pair[1]] == 1]
    return dict(single[:_MOST_NAMES])


def _replaced(old: bytes, new: bytes) -> Iterator[tuple[bytes, bytes]]:
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if len(before) != len(after):
        return
    pairs = [(one, other) for one, other in zip(before, after, strict=True) if one != other]
    if all(_is_name(each) for pair in pairs for each in pair):
        yield from pairs


def _is_name(token: bytes) -> bool:
    text = token.decode("utf-8", "replace")
    is_free = not keyword.iskeyword(text) and not hasattr(builtins, text)
    return is_free and text.isidentifier() and not text.startswith("__")


def _can_follow(places: Mapping[str, Roles]) -> bool:
    """Whether each file binds the name itself, or imports it from one of these files that does."""
    if not places:
        return False
    for path, found in places.items():
        if NameRole.OPAQUE in found or not found.keys() - {NameRole.USED}:
            return False
        if NameRole.IMPORTED in found:
            module = found[NameRole.IMPORTED]
            sources = (other for other, roles in places.items() if NameRole.DEFINED in roles and other != path)
            if not any(_is_module(module, path, other) for other in sources):
                return False
    return True


def _is_module(module: str, importing: str, path: str) -> bool:
    """Whether a file is what an import names."""
    parts = PurePosixPath(path).with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    dots = len(module) - len(module.lstrip("."))
    named = tuple(filter(None, module.lstrip(".").split(".")))
    if not dots:
        return bool(named) and parts[-len(named) :] == named
    base = PurePosixPath(importing).parts[:-dots]
    return parts == (*base, *named)


def _is_local(places: Mapping[str, Roles]) -> bool:
    """Whether the name is bound in functions only."""
    return all(found.keys() <= {NameRole.LOCAL, NameRole.USED} for found in places.values())
