"""Proves that changed lines of a file are only format or only comments.

Three kinds of lines are told: lines that give way to others with the same tokens, removed lines and added lines that
hold nothing or only comments. The file before without such removed lines, and the file after without such added
lines and with the old lines for those of the same tokens, must mean the same as they are. Whoever reads the other
lines has read all that has an effect.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate

from tandem_desktop.diff.hunk_classes import ChangeClass, ChangedLines, Span
from tandem_desktop.diff.lines import common_subsequence
from tandem_desktop.diff.names import visible_bindings
from tandem_desktop.diff.python_text import PythonText, read_python, windows
from tandem_desktop.diff.renames import Renames, with_old_names
from tandem_desktop.diff.syntax import (
    LONGEST,
    Blanks,
    Grammar,
    ParsedSource,
    grammar_of,
    parse,
    same_meaning,
    windows_around,
)
from tandem_desktop.diff.text import split_lines

_BLANKS = b" \t\r\n\f\v"
_LOOSE = _BLANKS + b"'\"`(),"
"""What may differ between two lines that are worth a comparison."""
_MOST_PARSED = 10
"""How many times the size of a file is parsed at most, when its changes are not proved together."""
_MOST_PAIRED = 400
"""Lines of one change, on a side, among which lines of the same tokens are looked for."""
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


_ABOUT_NEXT = re.compile(rb"(?:#|//|/\*).*(?:next|ignore|disable|nolint|\+build|go:)", re.IGNORECASE)
"""A comment for a tool about the line, or the empty line, below it."""


def is_likely(path: str, before: bytes, after: bytes, changes: Iterable[ChangedLines]) -> bool:
    """Whether a file is worth parsing, by a cheap look at its changed lines."""
    grammar = grammar_of(path)
    if grammar is None or max(len(before), len(after)) > LONGEST:
        return False
    old, new = split_lines(before), split_lines(after)
    return any(_is_likely(grammar, old[slice(*each.old)], new[slice(*each.new)]) for each in changes)


def _is_likely(grammar: Grammar, old: list[bytes], new: list[bytes]) -> bool:
    gone, come = ([line.translate(None, _LOOSE) for line in side] for side in (old, new))
    if b"".join(gone) == b"".join(come) or not {*filter(None, gone)}.isdisjoint(come):
        return True
    if not grammar.has_quiet_lines:
        return False
    marks = grammar.marks
    return any(not line or (marks and (marks in line or b"*" in line)) for side in (gone, come) for line in side)


def prove(
    path: str, before: bytes, after: bytes, changes: Iterable[ChangedLines], renames: Renames | None = None
) -> tuple[tuple[ChangedLines, ChangeClass], ...]:
    """Which lines of these changes are only format, only format and comments, or only names that have another one.

    Args:
        path: the name of the file, which tells the language.
        before: its content.
        after: its content with the changes.
        changes: runs of changed lines.
        renames: new names by the old ones; they are proved for the whole plan.
    """
    grammar = grammar_of(path)
    if grammar is None:
        return ()
    every = [*changes]
    found: _Unit = []
    if renames:
        return tuple(_ComparedFile(grammar, before, after, renames).proved(every))
    old, new = split_lines(before), split_lines(after)
    left = {each for each in every if _is_likely(grammar, old[slice(*each.old)], new[slice(*each.new)])}
    if grammar.name == "python" and left and max(len(before), len(after)) <= LONGEST:
        for window in windows(before, after, every):
            if left.isdisjoint(window.wholes):
                continue
            compared = _ComparedFile(grammar, window.before, window.after, {}, window.texts)
            proved = [*compared.proved([*window.changes])]
            if not compared.is_refused:
                found += ((window.whole(lines), kind) for lines, kind in proved)
                left.difference_update(window.wholes)
    if left:
        found += _ComparedFile(grammar, before, after, {}).proved([each for each in every if each in left])
    return tuple(found)


_Unit = list[tuple[ChangedLines, ChangeClass]]
"""Lines of one change that are proved together, or not at all."""


class _Side:
    """One side of a file."""

    def __init__(self, grammar: Grammar, content: bytes, text: PythonText | None = None) -> None:
        self.content = content
        self.lines = split_lines(content)
        self.starts = [0, *accumulate(map(len, self.lines))]
        self._grammar = grammar
        if text is not None:
            self.text = text

    @cached_property
    def parsed(self) -> ParsedSource | None:
        """The tree; None if it cannot be parsed whole."""
        return parse(self._grammar, self.content)

    @property
    def is_refused(self) -> bool:
        return "parsed" in self.__dict__ and self.parsed is None

    def span(self, lines: Span) -> Span:
        """The bytes of some lines."""
        return self.starts[lines[0]], self.starts[lines[1]]

    def code(self, lines: Span, comments: Sequence[Span], loose: bytes = _LOOSE) -> bytes:
        """What is left of lines without comments, and without what may differ between equal ones."""
        start, end = self.span(lines)
        pieces: list[bytes] = []
        at = start
        for first, last in comments:
            if last > start and first < end:
                pieces.append(self.content[at : max(at, first)])
                at = max(at, last)
        pieces.append(self.content[at:end])
        return b"".join(pieces).translate(None, loose)

    def codes(self, lines: Sequence[int]) -> list[bytes]:
        """The code of single lines, in order; the file is only parsed where a comment may be among them."""
        marks = self._grammar.marks
        if not marks or not any(marks in self.lines[line] or b"*" in self.lines[line] for line in lines):
            return [self.lines[line].translate(None, _LOOSE) for line in lines]
        comments = self.comments((lines[0], lines[-1] + 1))
        return [self.code((line, line + 1), comments) for line in lines]

    @cached_property
    def text(self) -> PythonText | None:
        """Comments and strings without a tree; None in other languages and where that is not beyond doubt."""
        return read_python(self.content) if self._grammar.name == "python" and len(self.content) <= LONGEST else None

    @property
    def is_read(self) -> bool:
        """Whether its comments and strings are known."""
        return self.text is not None or self.parsed is not None

    def comments(self, lines: Span) -> list[Span]:
        """The comments that touch some lines; an empty range has none."""
        if lines[1] <= lines[0]:
            return []
        if self.text is not None:
            return _touching(self.text.comments, self.span(lines))
        return self.parsed.comments(self.span(lines)) if self.parsed is not None else []

    def _comments_and_exact(self, lines: Span) -> tuple[list[Span], list[Span]]:
        span = self.span(lines)
        if self.text is not None:
            return _touching(self.text.comments, span), _touching(self.text.strings, span)
        return self.parsed.comments_and_exact(span) if self.parsed is not None else ([], [])

    def quiet(self, lines: Span) -> dict[int, ChangeClass]:
        """The lines that hold nothing, or only comments, and can go without the others."""
        if not self._grammar.has_quiet_lines or not any(map(self._may_be_quiet, range(*lines))):
            return {}
        if not self.is_read:
            return {}
        comments, exact = self._comments_and_exact(lines)
        exact = _outermost(exact)
        comments = [each for each in comments if not _inside(exact, each[0])]
        found: dict[int, ChangeClass] = {}
        for line in range(*lines):
            start, end = self.starts[line], self.starts[line + 1]
            is_empty = not self.lines[line].strip()
            if not is_empty and not _touch(comments, start, end):
                continue
            if _inside(exact, start) or self._is_continued(line):
                continue
            if is_empty:
                found[line] = ChangeClass.FORMAT
            elif not self.code((line, line + 1), comments, _BLANKS):
                found[line] = ChangeClass.COMMENT
        for comment in comments:
            self._leave_out(comment, found)
        return found if found and self.parsed is not None else {}

    def _may_be_quiet(self, line: int) -> bool:
        """A cheap test: it is empty, or begins like a comment, or may be within one."""
        text = self.lines[line].strip()
        return not text or (bool(self._grammar.marks) and (text.startswith((b"#", b"/", b"*")) or self._has_blocks))

    @cached_property
    def _has_blocks(self) -> bool:
        return self._grammar.marks in (b"//", b"/*") and b"/*" in self.content

    def _leave_out(self, comment: Span, found: dict[int, ChangeClass]) -> None:
        """Keep the lines of a comment of which only one end changes, and of one that a tool may act on."""
        first, last = self.line_at(comment[0]), self.line_at(comment[1] - 1)
        if _INSTRUCTION.search(self.content[slice(*comment)]):
            for line in range(first, last + 1):
                found.pop(line, None)
        elif not (first in found and last in found):
            found.pop(first, None)
            found.pop(last, None)

    def line_at(self, at: int) -> int:
        return bisect_right(self.starts, at) - 1

    def _is_continued(self, line: int) -> bool:
        """Whether the line above ends with a backslash, or a comment in it is about the next line."""
        above = self.lines[line - 1] if line > 0 else b""
        return above.rstrip(b"\r\n").endswith(b"\\") or _ABOUT_NEXT.search(above) is not None


class _ComparedFile:
    """Both sides of one file."""

    def __init__(
        self,
        grammar: Grammar,
        before: bytes,
        after: bytes,
        renames: Renames,
        texts: tuple[PythonText | None, PythonText | None] = (None, None),
    ) -> None:
        self._grammar = grammar
        self._left = _MOST_PARSED * max(len(before), len(after))
        renamed = with_old_names(after, renames)
        self._old, self._new = _Side(grammar, before, texts[0]), _Side(grammar, renamed, texts[1])
        self._shown = split_lines(after) if renamed is not after else self._new.lines
        parsed = self._old.parsed if renames else None
        self._binding = {line for old in renames for line in (visible_bindings(parsed, old) if parsed else ())}
        """Lines before in which others see a name that has another one now; they are to be read."""

    @property
    def is_refused(self) -> bool:
        """Whether a side was parsed, and has errors."""
        return self._old.is_refused or self._new.is_refused

    def proved(self, changes: list[ChangedLines]) -> Iterator[tuple[ChangedLines, ChangeClass]]:
        wholes: list[_Unit] = []
        parts: list[_Unit] = []
        gone: list[_Unit] = []
        come: list[_Unit] = []
        for change in filter(self._allows, changes):
            if self._is_alike(change) and (kind := self._kind(change)) is not None:
                wholes.append([(change, kind)])
                continue
            removed, added = self._old.quiet(change.old), self._new.quiet(change.new)
            parts += filter(None, ([*self._pairs(change, removed, added)],))
            above, below = (change.new[0],) * 2, (change.old[1],) * 2
            gone.append([(ChangedLines(change.hunk, run, above), kind) for run, kind in _runs(removed)])
            come.append([(ChangedLines(change.hunk, below, run), kind) for run, kind in _runs(added)])
        if self._is_free:
            # These languages read nothing of a line that holds no token, as long as a newline is left above it.
            yield from (each for unit in (*gone, *come) for each in unit)
            come = []
        else:
            yield from self._largest([*filter(None, gone)], lambda unit: unit[0][0].old[0], self._holds_before)
        yield from self._largest([*filter(None, come), *wholes, *parts], self._statement, self._holds_after)

    def _statement(self, unit: _Unit) -> int:
        first = self._new.starts[unit[0][0].new[0]]
        return self._new.parsed.statement_at(first) if self._new.parsed is not None else 0

    def _is_alike(self, change: ChangedLines) -> bool:
        """Whether lines on both sides have the same tokens, by a cheap look; where comments are, they may differ."""
        old, new = self._old.lines[slice(*change.old)], self._new.lines[slice(*change.new)]
        if not old or not new:
            return False
        gone, come = b"".join(old), b"".join(new)
        marks = self._grammar.marks
        if marks and (marks in gone or marks in come or b"*" in gone or b"*" in come):
            return True
        return gone.translate(None, _LOOSE) == come.translate(None, _LOOSE)

    def _largest(
        self, units: list[_Unit], place: Callable[[_Unit], int], holds: Callable[[Iterable[ChangedLines]], bool]
    ) -> _Unit:
        """All units if they are proved together; otherwise those of each statement that are, or of its halves.

        Args:
            units: lines that are proved together or not at all.
            place: the number of the statement a unit is in.
            holds: whether the file means the same without some changes; never, once too much was parsed.
        """
        if not units or holds(_changes(units)):
            return [each for unit in units for each in unit]
        groups: dict[int, list[_Unit]] = {}
        for unit in units:
            groups.setdefault(place(unit), []).append(unit)
        good: list[_Unit] = []
        waiting = [*groups.values()] if len(groups) > 1 else _halves(units)
        while waiting:
            part = waiting.pop(0)
            if holds(_changes(part)):
                good += part
            else:
                waiting += _halves(part)
        self._left = max(self._left, 2 * len(self._new.content + self._old.content))  # for what was proved in parts
        return [each for unit in good for each in unit] if good and holds(_changes(good)) else []

    def _holds_before(self, changes: Iterable[ChangedLines]) -> bool:
        """Whether the file before means the same without the lines that these remove."""
        return self._holds(self._old, [(each.old, b"") for each in changes])

    def _holds_after(self, changes: Iterable[ChangedLines]) -> bool:
        """Whether the file after means the same without these."""
        old = self._old
        return self._holds(self._new, [(each.new, old.content[slice(*old.span(each.old))]) for each in changes])

    def _holds(self, side: _Side, parts: list[tuple[Span, bytes]]) -> bool:
        """Whether a content means the same with other bytes instead of some of its lines."""
        pieces: list[bytes] = []
        spans: list[tuple[Span, Span]] = []
        at = size = 0
        for lines, instead in sorted(parts):
            first, last = side.span(lines)
            pieces += (side.content[at:first], instead)
            size += first - at
            spans.append(((first, last), (size, size + len(instead))))
            size, at = size + len(instead), last
        pieces.append(side.content[at:])
        return side.parsed is not None and self._means_the_same(side.parsed, b"".join(pieces), spans)

    def _means_the_same(self, one: ParsedSource, other: bytes, spans: Sequence[tuple[Span, Span]]) -> bool:
        """Compare whole contents; of a large one only the statements around what differs, which stand by themselves."""
        windows = [*windows_around(one, len(other), spans)] if self._is_free else []
        if not windows or sum(end - start for (start, end), _ in windows) * 3 > len(one.content):
            whole = self._parsed(other)
            return whole is not None and same_meaning(one, whole, spans)
        for mine, theirs in windows:
            sides = self._parsed(one.content[slice(*mine)]), self._parsed(other[slice(*theirs)])
            inside = [
                ((a - mine[0], b - mine[0]), (c - theirs[0], d - theirs[0]))
                for (a, b), (c, d) in spans
                if mine[0] <= a and b <= mine[1]
            ]
            if sides[0] is None or sides[1] is None or not same_meaning(sides[0], sides[1], inside):
                return False
        return True

    def _parsed(self, content: bytes) -> ParsedSource | None:
        """The tree, as long as not too much was parsed for this file."""
        self._left -= len(content)
        return parse(self._grammar, content) if self._left > 0 else None

    def _pairs(
        self, change: ChangedLines, removed: dict[int, ChangeClass], added: dict[int, ChangeClass]
    ) -> Iterator[tuple[ChangedLines, ChangeClass]]:
        """Lines within a change that have the same tokens on both sides, in the same order."""
        old = [line for line in range(*change.old) if line not in removed]
        new = [line for line in range(*change.new) if line not in added]
        if not 0 < len(old) <= _MOST_PAIRED or not 0 < len(new) <= _MOST_PAIRED:
            return
        mine, theirs = self._old.codes(old), self._new.codes(new)
        if {*filter(None, mine)}.isdisjoint(theirs):
            return
        last: tuple[ChangedLines, ChangeClass] | None = None
        for at, other in common_subsequence(mine, theirs):
            lines = ChangedLines(change.hunk, (old[at], old[at] + 1), (new[other], new[other] + 1))
            kind = self._kind(lines) if mine[at] else None
            if kind is None:
                continue
            if (
                last is not None
                and last[1] is kind
                and (last[0].old[1], last[0].new[1]) == (lines.old[0], lines.new[0])
            ):
                lines = ChangedLines(change.hunk, (last[0].old[0], lines.old[1]), (last[0].new[0], lines.new[1]))
            elif last is not None:
                yield last
            last = lines, kind
        if last is not None:
            yield last

    def _kind(self, change: ChangedLines) -> ChangeClass | None:
        """What a change is, if it turns out to be harmless; None if it is not even alike."""
        if not self._old.is_read or not self._new.is_read:
            return None
        said, says = self._old.comments(change.old), self._new.comments(change.new)
        if self._old.code(change.old, said) != self._new.code(change.new, says):
            return None
        if self._old.parsed is None or self._new.parsed is None:
            return None
        if self._is_free and self._significant(self._old, change.old) != self._significant(self._new, change.new):
            return None
        sides = [self._old.content[a:b] for a, b in said], [self._new.content[a:b] for a, b in says]
        if any(_INSTRUCTION.search(comment) for side in sides for comment in side):
            return None
        if self._shown[slice(*change.new)] != self._new.lines[slice(*change.new)]:
            return ChangeClass.RENAME if self._binding.isdisjoint(range(*change.old)) else None
        texts = [[_words(comment) for comment in side] for side in sides]
        return ChangeClass.FORMAT if texts[0] == texts[1] else ChangeClass.COMMENT

    @staticmethod
    def _significant(side: _Side, lines: Span) -> bytes:
        """The tokens of some lines: a cheap test before anything is parsed again."""
        return side.parsed.significant(side.span(lines)) if side.parsed is not None and lines[0] < lines[1] else b""

    @property
    def _is_free(self) -> bool:
        """Whether statements of this language stand by themselves, and lines without a token say nothing."""
        return self._grammar.blanks in (Blanks.FREE, Blanks.SCRIPT)

    def _allows(self, change: ChangedLines) -> bool:
        if self._grammar.name == "python" and min(change.old[0], change.new[0]) < 2:
            # The first two lines can name the encoding, or the interpreter.
            first = b"".join(self._old.lines[:2] + self._new.lines[:2])
            return b"coding" not in first and not first.startswith(b"#!") and b"\n#!" not in first
        if self._grammar.blanks is Blanks.PROSE:
            return not any(_EXTENSION.match(line) for line in self._new.lines[slice(*change.new)])
        return True


def _halves(part: list[_Unit]) -> list[list[_Unit]]:
    middle = len(part) // 2
    return [part[:middle], part[middle:]] if middle else []


def _changes(units: Iterable[_Unit]) -> list[ChangedLines]:
    return [lines for unit in units for lines, _ in unit]


def _outermost(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for span in sorted(spans, key=lambda each: (each[0], -each[1])):
        if not found or span[0] >= found[-1][1]:
            found.append(span)
    return found


def _inside(spans: Sequence[Span], at: int) -> bool:
    """Whether a byte is within one of these ranges, after its first; they are in order."""
    place = bisect_left(spans, (at, 0)) - 1
    return place >= 0 and spans[place][0] < at < spans[place][1]


def _touching(spans: Sequence[Span], window: Span) -> list[Span]:
    """Those of these ranges, which are in order and apart, that have bytes in a window."""
    found = spans[bisect_left(spans, window[0], key=_end) : bisect_left(spans, window[1], key=_start)]
    return [*found]


def _start(span: Span) -> int:
    return span[0]


def _end(span: Span) -> int:
    return span[1]


def _touch(spans: Sequence[Span], start: int, end: int) -> bool:
    """Whether one of these ranges, which are in order, has bytes in a line."""
    place = bisect_right(spans, (start, end))
    return (place > 0 and spans[place - 1][1] > start) or (place < len(spans) and spans[place][0] < end)


def _runs(found: dict[int, ChangeClass]) -> Iterator[tuple[Span, ChangeClass]]:
    """Neighbouring lines together; comments where one of them holds a comment."""
    lines = sorted(found)
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or lines[at] != lines[at - 1] + 1:
            run = lines[start:at]
            is_comment = any(found[line] is ChangeClass.COMMENT for line in run)
            yield (run[0], run[-1] + 1), ChangeClass.COMMENT if is_comment else ChangeClass.FORMAT
            start = at


_EXTENSION = re.compile(rb"\s*(?:!!!|\?\?\?|:::|\.\. |\[\^|\||\{|<|%|\$\$|---|===)")
"""How lines begin that have a meaning in some dialects of Markdown."""


def _words(comment: bytes) -> bytes:
    return comment.translate(None, _BLANKS + b"*")
