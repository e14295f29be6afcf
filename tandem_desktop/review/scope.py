"""Tells what of a plan the task asked for from what was also changed, by words; it hides nothing."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.review.operation_view import OperationView

_WORD = lazy_pattern(r"[A-Za-z][A-Za-z0-9]+(?:[._/-][A-Za-z0-9]+)*|[a-z]+(?:_[a-z0-9]+)+")
_PART = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SHORTEST = 4
_COMMON = frozenset(
    [
        "about",
        "added",
        "adds",
        "after",
        "again",
        "also",
        "another",
        "because",
        "before",
        "being",
        "both",
        "change",
        "changed",
        "changes",
        "code",
        "could",
        "create",
        "docs",
        "each",
        "file",
        "files",
        "first",
        "folder",
        "from",
        "function",
        "have",
        "into",
        "json",
        "just",
        "main",
        "make",
        "module",
        "more",
        "must",
        "need",
        "next",
        "only",
        "other",
        "over",
        "plan",
        "please",
        "project",
        "same",
        "should",
        "step",
        "steps",
        "such",
        "test",
        "tests",
        "that",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "update",
        "updated",
        "using",
        "want",
        "what",
        "when",
        "where",
        "which",
        "will",
        "with",
        "work",
        "would",
        "write",
        "yaml",
        "your",
        "init",
        "index",
        "lib",
        "src",
        "utils",
        "util",
    ]
)


def asked_for(views: Iterable[OperationView], texts: Iterable[str]) -> frozenset[OperationId] | None:
    """The operations that words of the task or of the plan's steps name; None where they name none, or all."""
    every = [*views]
    said = " ".join(texts)
    words = {word.lower() for word in _WORD.findall(said)}
    parts = {part.lower() for word in words for part in _parts(word)}
    names = {word for word in _WORD.findall(said) if _is_name(word)}
    found = frozenset(view.operation.id for view in every if _is_named(view, words, parts, names))
    return found if 0 < len(found) < len(every) else None


def _is_named(view: OperationView, words: set[str], parts: set[str], names: set[str]) -> bool:
    operation = view.operation
    if operation.is_run:
        return (operation.command or "").lower() in " ".join(words)
    for path in operation.paths:
        place = PurePosixPath(path.lower())
        if {str(place), place.name, place.stem} & words and len(place.stem) >= _SHORTEST:
            return True
        if any(part in parts for part in _parts(PurePosixPath(path).stem)):
            return True
    text = b"".join(line.raw for hunk in view.hunks for line in hunk.lines if line.kind != " ").decode(
        "utf-8", "replace"
    )
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in names)


def _parts(word: str) -> list[str]:
    """`get_userName` in lower-case words that say something."""
    found = (part.lower() for piece in re.split(r"[\W_]+", word) for part in _PART.findall(piece))
    return [part for part in found if len(part) >= _SHORTEST and part not in _COMMON]


def _is_name(word: str) -> bool:
    """Whether it looks like an identifier rather than a word of prose."""
    return len(word) >= _SHORTEST and ("_" in word or bool(re.search(r"[a-z][A-Z]", word)))
