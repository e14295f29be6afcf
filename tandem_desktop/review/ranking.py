"""Which operations of a plan deserve to be read first."""

import re
from collections.abc import Collection, Iterable, Mapping
from enum import IntEnum
from pathlib import PurePosixPath

from tandem_desktop.diff.hunk_classes import ProvedChange, class_of, numbered_lines
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.review.change_classes import Proved
from tandem_desktop.review.operation_view import OperationView


class Rank(IntEnum):
    """What an operation is to a reader, the most important first."""

    FLAGGED = 0
    FAILING = 1
    """A check fails, or a diagnostic is new, on its path."""
    INTERFACE = 2
    """What others call is added, removed or declared otherwise."""
    BEHAVIOUR = 3
    TESTS = 4
    MECHANICAL = 5
    """All of it is proved: format, comments, moves, renames."""
    GENERATED = 6


_TESTS = lazy_pattern(
    r"(?:^|/)(?:tests?|__tests__|spec|testing|fixtures)/|(?:^|/)(?:test_[^/]*|conftest)\.py$|[._-](?:test|spec)s?\.\w+$"
)
_PUBLIC = {
    **dict.fromkeys(
        (".py", ".pyi"),
        re.compile(r"(?:async\s+)?def [^\W_]|class [^\W_]|    (?:async\s+)?def (?:[^\W_]|__init__)|__all__"),
    ),
    **dict.fromkeys(
        (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"), re.compile(r"\s*export\b|.*\bexports\b")
    ),
    ".go": re.compile(r"func (?:\([^)]*\) )?[A-Z]|(?:type|var|const) [A-Z]|\t[A-Z]\w* "),
    ".rs": re.compile(r"\s*pub\b"),
    ".java": re.compile(r"\s*(?:public|protected)\b"),
    **dict.fromkeys((".h", ".hh", ".hpp", ".hxx"), re.compile(r"\s*[\w#]")),
}
"""How a line begins that declares something others can use."""


def rank_of(view: OperationView, proved: Iterable[ProvedChange] = (), failing: Collection[str] = ()) -> Rank:
    """The rank of one operation; `failing` are paths with a new failure or diagnostic."""
    operation, found = view.operation, tuple(proved)
    path = operation.to or operation.path or ""
    if view.flags or view.must_be_opened or operation.is_run:
        return Rank.FLAGGED
    if path in failing:
        return Rank.FAILING
    if view.generated:
        return Rank.GENERATED
    if view.hunks and all(class_of(hunk, found) for hunk in view.hunks):
        return Rank.MECHANICAL
    if _TESTS.search(path):
        return Rank.TESTS
    pattern = _PUBLIC.get(PurePosixPath(path).suffix.lower())
    if pattern is not None and any(pattern.match(line) for line in _unproved(view, found)):
        return Rank.INTERFACE
    return Rank.BEHAVIOUR


def ranks(views: Iterable[OperationView], proved: Proved, failing: Collection[str] = ()) -> Mapping[OperationId, Rank]:
    """The rank of every operation."""
    return {view.operation.id: rank_of(view, proved.get(view.operation.id, ()), failing) for view in views}


def _unproved(view: OperationView, proved: tuple[ProvedChange, ...]) -> Iterable[str]:
    """The changed lines of which nothing is proved."""
    old = {line for each in proved for line in range(*each.lines.old)}
    new = {line for each in proved for line in range(*each.lines.new)}
    for hunk in view.hunks:
        for kind, number, raw in numbered_lines(hunk):
            if number not in (old if kind == "-" else new):
                yield raw.decode("utf-8", "replace")
