"""Reads Python without a parser: where comments and strings stand, and which definitions can be looked at alone."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tandem_desktop.diff.hunk_classes import ChangedLines, Span
from tandem_desktop.diff.text import split_lines


@dataclass(frozen=True, slots=True)
class PythonText:
    """The comments and strings of a content, each in order."""

    comments: Sequence[Span]
    strings: Sequence[Span]

    def is_in_string(self, at: int) -> bool:
        """Whether a byte is within a string, after its first."""
        place = bisect_right(self.strings, (at, 0)) - 1
        return place >= 0 and self.strings[place][0] < at < self.strings[place][1]

    def part(self, span: Span, shift: int) -> "PythonText":
        """What stands in a range of bytes that neither begins nor ends within a string, as if it began at `shift`."""
        moved = shift - span[0]
        return PythonText(
            *(
                [(start + moved, end + moved) for start, end in _between(every, span)]
                for every in (self.comments, self.strings)
            )
        )


def _between(spans: Sequence[Span], window: Span) -> Sequence[Span]:
    return spans[bisect_left(spans, (window[0], 0)) : bisect_left(spans, (window[1], 0))]


_FIELD = rb"\{(?>[^{}\"'\\\n#]++|%s|\{[^{}\"'\\\n#]*+\})*+\}"
_SINGLE, _DOUBLE = rb"'[^'\"{}\\\n]*+'", rb"\"[^'\"{}\\\n]*+\""
_IN_TRIPLE = _FIELD % (_SINGLE + b"|" + _DOUBLE)
_FORMATTED = re.compile(
    # What is evaluated has strings of other quotes at most: then the end is the same to every version of Python.
    rb'"""(?>[^"\\{}]++|\\[^N]|"(?!"")|\{\{|\}\}|' + _IN_TRIPLE + rb')*+"""'
    rb"|'''(?>[^'\\{}]++|\\[^N]|'(?!'')|\{\{|\}\}|" + _IN_TRIPLE + rb")*+'''"
    rb'|"(?!"")(?>[^"\\\n{}]++|\\[^N]|\{\{|\}\}|' + _FIELD % _SINGLE + rb')*+"'
    rb"|'(?!'')(?>[^'\\\n{}]++|\\[^N]|\{\{|\}\}|" + _FIELD % _DOUBLE + rb")*+'",
    re.DOTALL,
)
_TOKEN = re.compile(
    # Begins with a set of bytes, which the search is fast for.
    rb"[#\"'](?:(?<=#)[^\n]*+"
    rb'|(?<=")(?:""(?>[^"\\]++|\\.|"(?!""))*+"""|(?!"")(?>[^"\\\n]++|\\.)*+")'
    rb"|(?<=')(?:''(?>[^'\\]++|\\.|'(?!''))*+'''|(?!'')(?>[^'\\\n]++|\\.)*+')"
    rb"|)",
    re.DOTALL,
)
_PREFIX = re.compile(rb"(?<![\w\x80-\xff])(?:[fFtT][rR]?|[rR][fFtT])$")
_LONE_RETURN = re.compile(rb"\r(?!\n)")


def read_python(content: bytes) -> PythonText | None:
    """None where the end of a string is not beyond doubt."""
    if _LONE_RETURN.search(content) or b"\0" in content:
        return None
    comments: list[Span] = []
    strings: list[Span] = []
    for found in _TOKEN.finditer(content):
        start, end = span = found.span()
        if content[start] == _HASH:
            comments.append(span)
            continue
        if end - start == 1:
            return None
        if start and content[start - 1] in _LETTERS and _PREFIX.search(content[max(0, start - 3) : start]):
            formatted = _FORMATTED.match(content, start)
            if formatted is None or formatted.end() != end:
                return None
        strings.append(span)
    return PythonText(comments, strings)


_HASH = ord("#")
_LETTERS = b"fFtTrR"


@dataclass(frozen=True, slots=True)
class PythonWindow:
    """Whole definitions of both sides of a file, which mean the same wherever they stand, and their changes."""

    before: bytes
    after: bytes
    texts: tuple[PythonText, PythonText]
    changes: tuple[ChangedLines, ...]
    shift: tuple[int, int]
    """What the numbers of its lines lack to be those of the file."""
    wholes: tuple[ChangedLines, ...]
    """The same changes by the numbers of the file."""

    def whole(self, change: ChangedLines) -> ChangedLines:
        """A change by the numbers of the file."""
        return _shifted(change, *self.shift)


_HEADER = b"if 1:\n"
"""Stands above a window, so that it may be indented."""
_BELOW = b"def below(): pass\n"
"""Stands below a window instead of the definition there, so that decorators in it belong to something."""
_DEFINITION = re.compile(rb"([ ]{0,4}|\t)(?:async[ ]+def|def|class)[ ]+\w")
"""Never begins a line within brackets; so, outside of strings, a statement begins with it."""


def windows(before: bytes, after: bytes, changes: Sequence[ChangedLines]) -> list[PythonWindow]:
    """The changes of a file in parts that can be parsed alone; none where that is not beyond doubt."""
    texts = read_python(before), read_python(after)
    if texts[0] is None or texts[1] is None:
        return []
    sides = _PythonLines(before, texts[0]), _PythonLines(after, texts[1])
    return [*_Windows(*sides, changes).found()]


class _PythonLines:
    def __init__(self, content: bytes, text: PythonText) -> None:
        self.lines = split_lines(content)
        self._starts = [0, *accumulate(map(len, self.lines))]
        self._text = text

    def part(self, lines: Span, header: bytes, below: bytes) -> tuple[bytes, PythonText]:
        """Some lines below a header and above a definition."""
        span = self._starts[lines[0]], self._starts[lines[1]]
        return b"".join((header, *self.lines[slice(*lines)], below)), self._text.part(span, len(header))

    def definition(self, line: int) -> bytes | None:
        """The blanks before a definition that begins with this line."""
        found = _DEFINITION.match(self.lines[line])
        return found[1] if found is not None and self.is_free(line) else None

    def is_free(self, line: int) -> bool:
        """Whether a line is neither within a string nor continues the one above."""
        is_continued = line > 0 and self.lines[line - 1].rstrip(b"\r\n").endswith(b"\\")
        return not is_continued and not self._text.is_in_string(self._starts[line])

    def is_indented(self, lines: Span, indent: bytes) -> bool:
        """Whether no line has fewer blanks than these, apart from what strings hold."""
        return not indent or not any(
            line.strip() and not line.startswith(indent) and not self._text.is_in_string(self._starts[number])
            for number, line in enumerate(self.lines[slice(*lines)], start=lines[0])
        )


class _Windows:
    def __init__(self, old: _PythonLines, new: _PythonLines, changes: Sequence[ChangedLines]) -> None:
        self._old, self._new = old, new
        self._changes = sorted(changes, key=lambda each: (each.new, each.old))

    def found(self) -> Iterator[PythonWindow]:
        first = 0
        above = (0, 0)
        while first < len(self._changes):
            change = self._changes[first]
            start = self._above(change, above)
            indent = self._new.definition(start[1]) if start[1] else b""
            last, end = self._below(first, indent or b"")
            yield self._window(start, end, indent or b"", self._changes[first : last + 1])
            first, above = last + 1, end

    def _above(self, change: ChangedLines, above: Span) -> Span:
        """The nearest definition above a change that both sides have; otherwise where the last window ended."""
        for back in range(1, min(change.old[0] - above[0], change.new[0] - above[1]) + 1):
            place = change.old[0] - back, change.new[0] - back
            if self._indent(*place) is not None:
                return place
        return above

    def _below(self, first: int, indent: bytes) -> tuple[int, Span]:
        """The last change of a window, and where the next definition beside or around it begins."""
        for number in range(first, len(self._changes)):
            change = self._changes[number]
            is_last = number + 1 == len(self._changes)
            limit = (
                (len(self._old.lines), len(self._new.lines))
                if is_last
                else (self._changes[number + 1].old[0], self._changes[number + 1].new[0])
            )
            for ahead in range(min(limit[0] - change.old[1], limit[1] - change.new[1])):
                place = change.old[1] + ahead, change.new[1] + ahead
                if self._ends(*place, indent):
                    return number, place
        return len(self._changes) - 1, (len(self._old.lines), len(self._new.lines))

    def _ends(self, old: int, new: int, indent: bytes) -> bool:
        """Whether a definition of these blanks ends here on both sides: with another one, or with fewer blanks."""
        line = self._new.lines[new]
        if line.startswith(indent) or not line.strip():
            found = self._indent(old, new)
            return found is not None and len(found) <= len(indent)
        return line == self._old.lines[old] and self._old.is_free(old) and self._new.is_free(new)

    def _indent(self, old: int, new: int) -> bytes | None:
        """The blanks before the definition that begins here on both sides."""
        if self._old.lines[old] != self._new.lines[new]:
            return None
        return self._new.definition(new) if self._old.definition(old) is not None else None

    def _window(self, start: Span, end: Span, indent: bytes, changes: Sequence[ChangedLines]) -> PythonWindow:
        is_first = start == (0, 0)
        spans = (start[0], end[0]), (start[1], end[1])
        if not (self._old.is_indented(spans[0], indent) and self._new.is_indented(spans[1], indent)):
            spans, is_first = ((0, len(self._old.lines)), (0, len(self._new.lines))), True
        header = b"" if is_first else _HEADER if indent else b"pass\n"
        shift = (0, 0) if is_first else (spans[0][0] - 1, spans[1][0] - 1)
        is_last = spans[1][1] == len(self._new.lines)
        beside = None if is_last else self._new.definition(spans[1][1])
        below = b"" if beside is None else beside + _BELOW
        (before, old), (after, new) = (
            side.part(span, header, below) for side, span in zip((self._old, self._new), spans, strict=True)
        )
        return PythonWindow(
            before,
            after,
            (old, new),
            tuple(_shifted(each, -shift[0], -shift[1]) for each in changes),
            shift,
            tuple(changes),
        )


def _shifted(change: ChangedLines, old: int, new: int) -> ChangedLines:
    (a, b), (c, d) = change.old, change.new
    return ChangedLines(change.hunk, (a + old, b + old), (c + new, d + new))
