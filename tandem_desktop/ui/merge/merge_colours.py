"""Colour the three sides of a merge and mark what changed within a line, away from the window's thread."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

from PySide6.QtCore import QObject
from shiboken6 import isValid

from tandem_desktop.review.three_way import Meeting, Stretch
from tandem_desktop.ui.commands import Commands
from tandem_desktop.ui.diff.highlighter import Courtesy, Marks, Spans, lex, marks_of
from tandem_desktop.ui.merge.merge_rows import Column
from tandem_desktop.ui.merge.three_way_view import Sides, ThreeWayView

Marked = dict[tuple[Column, int], Marks]
Part = tuple[Column, Spans] | Marked
_LINES_AT_ONCE = 200


class MergeColours(QObject):
    """Serves one view. What was begun for a file that is no longer shown is dropped when it arrives."""

    def __init__(self, view: ThreeWayView, commands: Commands, executor: ThreadPoolExecutor) -> None:
        super().__init__(view)
        self._view = view
        self._commands = commands
        self._executor = executor
        self._wanted = 0

    def show(self, path: str) -> None:
        """Of the sides the view has just been given."""
        self._wanted += 1
        view = self._view
        work = chain(_marked(view.sides, view.stretches), _lexed(path, view.sides, Courtesy()))
        self._go_on(work, self._wanted)

    def _go_on(self, work: Iterator[Part], wanted: int) -> None:
        def done(part: Part | None) -> None:
            if part is None or not isValid(self) or wanted != self._wanted:
                return
            if isinstance(part, dict):
                self._view.add_marks(part)
            else:
                self._view.add_spans(*part)
            self._go_on(work, wanted)

        self._commands.run(self._executor.submit(next, work, None), done)


def _lexed(path: str, sides: Sides, courtesy: Courtesy) -> Iterator[Part]:
    for column in Column:
        yield from ((column, spans) for spans in lex(path, sides[column], courtesy))


def _marked(sides: Sides, stretches: tuple[Stretch, ...]) -> Iterator[Part]:
    """Each changed line beside the line of the base it stands next to."""
    found: Marked = {}
    for stretch in stretches:
        if stretch.meeting is Meeting.SAME:
            continue
        for column, lines in ((Column.DISK, stretch.disk), (Column.PROPOSED, stretch.proposed)):
            for base, line in zip(stretch.base, lines, strict=False):
                _mark(sides, column, base, line, found)
        if len(found) >= _LINES_AT_ONCE:
            yield found
            found = {}
    yield found


def _mark(sides: Sides, column: Column, base: int, line: int, found: Marked) -> None:
    old, new = sides[Column.BASE].line(base), sides[column].line(line)
    if old != new:
        marks = marks_of(old, new)
        known = found.get((Column.BASE, base), ())
        found[Column.BASE, base] = tuple(sorted({*known, *marks.old}))
        found[column, line] = marks.new
