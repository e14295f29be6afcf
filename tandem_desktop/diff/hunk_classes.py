"""Proves that changes of a file are only format or only comments.

A set of changes is proved if the file without them has the same tree and the same text as the file with them, apart
from comments and from blanks that have no meaning. Whoever reads the other changes has read all that has an effect.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from tandem_desktop.diff.hunks import Hunk
from tandem_desktop.diff.syntax import LONGEST, Blanks, Grammar, ParsedSource, Span, grammar_of, parse, same_meaning
from tandem_desktop.diff.text import split_lines

_BLANKS = b" \t\r\n\f\v"
_MOST_TRIALS = 12
"""Comparisons for one file, when its changes are not proved together."""
_INSTRUCTION = re.compile(
    # What tools read: checkers, formatters, compilers, bundlers, editors, generators, scanners.
    rb"^\W*(?:type|mypy|pyright|pyre|pytype|pylint|ruff|flake8|isort|fmt|yapf|black|cython|distutils|doctest|coding|encoding|"
    rb"go|line|export|nolint|lint|globals?|exported|env|eslint|jshint|jslint|jscs|tslint|biome|deno|prettier|dprint|stylelint|"
    rb"istanbul|c8|v8|webpack\w*|rollup|vite|turbopack|swc|babel|sourceMappingURL|sourceURL|clang|rustfmt|cbindgen|bindgen|"
    rb"noinspection|suppress\w*|formatter|checkstyle|shellcheck|hadolint|yamllint|ansible|renovate|dependabot|syntax|escape|"
    rb"checkov|tfsec|trivy|semgrep|codeql|lgtm|gitleaks|nosemgrep|spell-?checker|cspell|codespell|x-release-please\w*|"
    rb"bumpversion|ko|region|endregion|output|unordered output|deprecated|cgo|include|define|pragma|script)\b"
    rb"[\s:=\[(,/-]"
    rb"|^\W*(?:noqa|nosec|nopep8|pragma|nolint|NOLINT\w*|NOSONAR|NOPMD|skipcq|sourcery|use |@)"
    rb"|^#!|^//\s*\+build|^//go:|^///|^//!|^/\*[#@]|^//[#@]|^#\s*/{3}|-\*-|\b(?:vim?|ex):|\$schema|<reference|<amd-"
    rb"|@(?:ts-|jsx|flow|generated|deprecated|internal|type\b|typedef|template|callback|enum|vitest|jest|vite|__\w+__)"
    rb"|#__\w+__|DO NOT EDIT|eslint-|prettier-ignore|istanbul ignore|type:\s*ignore|noqa|nosec|@\w+\s*\{|\{\{|\{%|<%"
    rb"|\\u[0-9a-fA-F]",
    re.IGNORECASE,
)
"""A comment that a tool acts on; far more than there are, since only what is surely prose may be left out."""


class ChangeClass(StrEnum):
    """What a change is proved to be."""

    FORMAT = "format"
    """The same tokens."""
    COMMENT = "comment"
    """The same tokens; comments differ that no tool acts on."""
    MOVE = "move"
    """The same bytes, removed at one place and added at another."""
    RENAME = "rename"
    """One identifier has another name, everywhere."""


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """Lines `old` that give way to lines `new`; zero-based, ends excluded."""

    hunk: int
    old: Span
    new: Span

    @property
    def count(self) -> int:
        return self.old[1] - self.old[0] + self.new[1] - self.new[0]


@dataclass(frozen=True, slots=True)
class ProvedChange:
    """Changed lines of one hunk, and what they are proved to be."""

    lines: ChangedLines
    kind: ChangeClass
    path: str = ""
    """Of a move: the other place, where it went or came from. Of a rename: the old and the new name."""
    line: int = 0
    """Of a move: the first line there, one-based."""


def changed_lines(hunks: Iterable[Hunk]) -> Iterator[ChangedLines]:
    """Every run of removed and added lines."""
    for hunk in hunks:
        old = hunk.old_start - (1 if hunk.old_count else 0)
        new = hunk.new_start - (1 if hunk.new_count else 0)
        removed = added = 0
        for line in hunk.lines:
            if line.kind == " ":
                if removed or added:
                    yield ChangedLines(hunk.n, (old, old + removed), (new, new + added))
                    old, new, removed, added = old + removed, new + added, 0, 0
                old, new = old + 1, new + 1
            elif line.kind == "-":
                removed += 1
            else:
                added += 1
        if removed or added:
            yield ChangedLines(hunk.n, (old, old + removed), (new, new + added))


def numbered_lines(hunk: Hunk) -> Iterator[tuple[str, int, bytes]]:
    """Removed and added lines with their zero-based numbers, each on its own side."""
    old = hunk.old_start - (1 if hunk.old_count else 0)
    new = hunk.new_start - (1 if hunk.new_count else 0)
    for line in hunk.lines:
        if line.kind != " ":
            yield line.kind, old if line.kind == "-" else new, line.raw
        old, new = old + (line.kind != "+"), new + (line.kind != "-")


def likely(path: str, before: bytes, after: bytes, changes: Iterable[ChangedLines]) -> tuple[ChangedLines, ...]:
    """The changes that are worth parsing for, by a cheap look at their text."""
    grammar = grammar_of(path)
    if grammar is None or not before or not after or max(len(before), len(after)) > LONGEST:
        return ()
    old, new = split_lines(before), split_lines(after)
    return tuple(each for each in changes if _is_likely(grammar, old[slice(*each.old)], new[slice(*each.new)]))


def _is_likely(grammar: Grammar, old: list[bytes], new: list[bytes]) -> bool:
    before, after = b"".join(old), b"".join(new)
    if before.translate(None, _BLANKS) == after.translate(None, _BLANKS):
        return True
    if not grammar.marks:
        return False
    marks = (grammar.marks, b"*")
    return any(mark in before or mark in after for mark in marks)


def prove(
    path: str, before: bytes, after: bytes, changes: Iterable[ChangedLines]
) -> tuple[tuple[ChangedLines, ChangeClass], ...]:
    """Which of these changes are only format, or only format and comments."""
    grammar = grammar_of(path)
    return tuple(_ComparedFile(grammar, before, after).proved([*changes])) if grammar is not None else ()


def class_of(hunk: Hunk, proved: Iterable[ProvedChange]) -> str:
    """The class of a hunk all of whose changes are proved; `mechanical` where they have several; else empty."""
    own = [each for each in proved if each.lines.hunk == hunk.n]
    if sum(each.lines.count for each in own) < hunk.added + hunk.removed:
        return ""
    kinds = {each.kind for each in own}
    if kinds == {ChangeClass.FORMAT, ChangeClass.COMMENT}:
        return ChangeClass.COMMENT.value
    return next(iter(kinds)).value if len(kinds) == 1 else "mechanical"


class _ComparedFile:
    """Both sides of one file."""

    def __init__(self, grammar: Grammar, before: bytes, after: bytes) -> None:
        self._grammar = grammar
        self._before, self._after = before, after
        self._old, self._new = split_lines(before), split_lines(after)
        self._old_starts = [0, *accumulate(map(len, self._old))]
        self._new_starts = [0, *accumulate(map(len, self._new))]

    def proved(self, likely: list[ChangedLines]) -> Iterator[tuple[ChangedLines, ChangeClass]]:
        after = parse(self._grammar, self._after)
        before = parse(self._grammar, self._before) if after is not None else None
        if after is None or before is None:
            return
        found = [(each, kind) for each in likely if (kind := self._kind(each, before, after)) is not None]
        chosen = set(self._largest_proved([each for each, _ in found], before, after))
        yield from ((each, kind) for each, kind in found if each in chosen)

    def _largest_proved(
        self, changes: list[ChangedLines], before: ParsedSource, after: ParsedSource
    ) -> list[ChangedLines]:
        """All of them if they are proved together; otherwise those of each half that are, within limits."""
        trials = 0
        proved: list[ChangedLines] = []
        waiting = [changes] if changes else []
        while waiting and trials < _MOST_TRIALS:
            part = waiting.pop(0)
            trials += 1
            if self._holds(sorted([*proved, *part], key=lambda each: each.new), before, after):
                proved += part
            elif len(part) > 1:
                waiting += [part[: len(part) // 2], part[len(part) // 2 :]]
        return proved

    def _holds(self, changes: list[ChangedLines], before: ParsedSource, after: ParsedSource) -> bool:
        """Whether the file without these changes means the same as with them."""
        pieces: list[bytes] = []
        spans: list[tuple[Span, Span]] = []
        at = size = 0
        for change in changes:
            first, last = self._new_starts[change.new[0]], self._new_starts[change.new[1]]
            pieces.append(self._after[at:first])
            size += first - at
            old = self._before[self._old_starts[change.old[0]] : self._old_starts[change.old[1]]]
            pieces.append(old)
            spans.append(((first, last), (size, size + len(old))))
            size, at = size + len(old), last
        pieces.append(self._after[at:])
        left = b"".join(pieces)
        without = before if left == self._before else parse(self._grammar, left)
        return without is not None and same_meaning(after, without, spans)

    def _kind(self, change: ChangedLines, before: ParsedSource, after: ParsedSource) -> ChangeClass | None:
        """What a change is, if it turns out to be harmless; None if it is not even alike."""
        old = self._old_starts[change.old[0]], self._old_starts[change.old[1]]
        new = self._new_starts[change.new[0]], self._new_starts[change.new[1]]
        said, says = before.comments(_lined(old)), after.comments(_lined(new))
        removed, added = (self._before[a:b] for a, b in said), (self._after[a:b] for a, b in says)
        comments = [*removed], [*added]
        if any(_INSTRUCTION.search(comment) for side in comments for comment in side):
            return None
        if _code(self._before, old, said) != _code(self._after, new, says):
            return None
        if not self._allows(change):
            return None
        texts = [[_words(comment) for comment in side] for side in comments]
        return ChangeClass.FORMAT if texts[0] == texts[1] else ChangeClass.COMMENT

    def _allows(self, change: ChangedLines) -> bool:
        if self._grammar.name == "python" and min(change.old[0], change.new[0]) < 2:
            # The first two lines can name the encoding, or the interpreter.
            first = b"".join(self._old[:2] + self._new[:2])
            return b"coding" not in first and not first.startswith(b"#!") and b"\n#!" not in first
        if self._grammar.blanks is Blanks.PROSE:
            return not any(_EXTENSION.match(line) for line in self._new[slice(*change.new)])
        return True


_EXTENSION = re.compile(rb"\s*(?:!!!|\?\?\?|:::|\.\. |\[\^|\||\{|<|%|\$\$|---|===)")
"""How lines begin that have a meaning in some dialects of Markdown."""


def _lined(span: Span) -> Span:
    """An empty range has no comments."""
    return span if span[1] > span[0] else (span[0], span[0])


def _code(content: bytes, span: Span, comments: Sequence[Span]) -> bytes:
    """What is left of a range of bytes without comments and blanks."""
    pieces: list[bytes] = []
    at = span[0]
    for start, end in comments:
        if end <= span[0] or start >= span[1]:
            continue
        pieces.append(content[at : max(at, start)])
        at = max(at, end)
    pieces.append(content[at : span[1]])
    return b"".join(pieces).translate(None, _BLANKS)


def _words(comment: bytes) -> bytes:
    return comment.translate(None, _BLANKS + b"*")
