"""The three-way merge view."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain, zip_longest

from PySide6.QtCore import QObject, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget
from shiboken6 import isValid

from tandem_desktop.diff.three_way import Meeting, Stretch
from tandem_desktop.ui.diff.model import DiffSide
from tandem_desktop.ui.diff.painter import DiffPaintCache
from tandem_desktop.ui.diff.styles import (
    Marks,
    Spans,
    StyledLine,
    StyleSpan,
    Yielding,
    cells_of,
    lex,
    marks_of,
    styled_line,
)
from tandem_desktop.ui.i18n import tr, tr_table
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.threads import Commands

CONTEXT = 3
_WORTH_FOLDING = 4


class Column(IntEnum):
    """Which version a column shows."""

    BASE = 0
    DISK = 1
    PROPOSED = 2


@dataclass(frozen=True, slots=True)
class MergeRow:
    """One row. `cells` holds the line of each column, from zero, where it has one."""

    meeting: Meeting
    cells: tuple[int | None, int | None, int | None] = (None, None, None)
    region: int = 0
    is_head: bool = False
    """Whether this is the header above a conflict."""
    folded: int = 0
    """How many unchanged lines are folded here."""
    stretch: int = 0

    def shown(self, column: Column) -> bool:
        return self.cells[column] is not None


def merge_rows(
    stretches: Sequence[Stretch], opened: Collection[int] = (), *, stacked: bool = False
) -> tuple[MergeRow, ...]:
    """All rows; `opened` names stretches of unchanged lines that are shown whole.

    Stacked, each row has one cell: the base's lines, then the disk's, then the proposed ones.
    """
    rows: list[MergeRow] = []
    for number, stretch in enumerate(stretches):
        if stretch.meeting is Meeting.SAME:
            is_last = number == len(stretches) - 1
            rows.extend(_same(stretch, number, number in opened, is_first=not number, is_last=is_last, stacked=stacked))
            continue
        if stretch.meeting is Meeting.CONFLICT:
            rows.append(MergeRow(stretch.meeting, region=stretch.region, is_head=True, stretch=number))
        rows.extend(_stacked(stretch, number) if stacked else _beside(stretch, number))
    return tuple(rows)


def _same(
    stretch: Stretch, number: int, is_open: bool, *, is_first: bool, is_last: bool, stacked: bool
) -> Iterator[MergeRow]:
    length = len(stretch.base)
    above, below = 0 if is_first else CONTEXT, 0 if is_last else CONTEXT
    hidden = length - above - below
    folds = not is_open and hidden >= _WORTH_FOLDING
    for at in range(length):
        if folds and above <= at < length - below:
            if at == above:
                yield MergeRow(Meeting.SAME, folded=hidden, stretch=number)
            continue
        lines = (stretch.base[at], stretch.disk[at], stretch.proposed[at])
        yield MergeRow(Meeting.SAME, (None, lines[1], None) if stacked else lines, stretch=number)


def _beside(stretch: Stretch, number: int) -> Iterator[MergeRow]:
    for cells in zip_longest(stretch.base, stretch.disk, stretch.proposed):
        yield MergeRow(stretch.meeting, cells, stretch.region, stretch=number)


def _stacked(stretch: Stretch, number: int) -> Iterator[MergeRow]:
    wanted = {
        Meeting.DISK: (Column.BASE, Column.DISK),
        Meeting.PROPOSED: (Column.BASE, Column.PROPOSED),
        Meeting.BOTH: (Column.BASE, Column.PROPOSED),
    }.get(stretch.meeting, tuple(Column))
    for column in wanted:
        for line in (stretch.base, stretch.disk, stretch.proposed)[column]:
            cells: list[int | None] = [None, None, None]
            cells[column] = line
            yield MergeRow(stretch.meeting, (cells[0], cells[1], cells[2]), stretch.region, stretch=number)


_LINE, _HEAD, _GUTTER, _TAG, _STACK_BELOW = 20, 26, 44, 66, 840
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_TITLES = tr_table({Column.BASE: "Base of the plan", Column.DISK: "On disk now", Column.PROPOSED: "Proposed"})
_TAGS = tr_table({Column.BASE: "base", Column.DISK: "disk", Column.PROPOSED: "proposed"})
_GROUNDS = {
    (Meeting.DISK, Column.BASE): "removed",
    (Meeting.DISK, Column.DISK): "info_surface",
    (Meeting.PROPOSED, Column.BASE): "removed",
    (Meeting.PROPOSED, Column.PROPOSED): "added",
    (Meeting.BOTH, Column.BASE): "removed",
    (Meeting.BOTH, Column.DISK): "added",
    (Meeting.BOTH, Column.PROPOSED): "added",
}


_STRONG = {"risk_surface": "found", "info_surface": "info_strong", "added": "added_strong", "removed": "removed_strong"}
"""Background of changed characters within a line."""

Sides = tuple[DiffSide, DiffSide, DiffSide]


class ThreeWayView(QAbstractScrollArea):
    """Shows three versions side by side; keys are emitted as signals."""

    region_chosen = Signal(int)
    key_pressed = Signal(str)
    """A letter or digit that was pressed."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._paint_cache = DiffPaintCache(theme)
        self._sides: Sides = (DiffSide(b""), DiffSide(b""), DiffSide(b""))
        self._spans: dict[Column, list[tuple[StyleSpan, ...]]] = {column: [] for column in Column}
        self._marks: dict[tuple[Column, int], Marks] = {}
        self._missing: frozenset[Column] = frozenset()
        self._stretches: tuple[Stretch, ...] = ()
        self._opened: set[int] = set()
        self._rows: tuple[MergeRow, ...] = ()
        self._states: Mapping[int, str] = {}
        self._current = 0
        self.setObjectName("three-way-view")
        self.setAccessibleName(tr("Base, disk and proposed"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(theme.px(140))
        theme.changed.connect(self._dress)

    def show_sides(self, contents: Sequence[bytes | None], stretches: Sequence[Stretch]) -> None:
        base, disk, proposed = (DiffSide(content or b"") for content in contents)
        self._sides = (base, disk, proposed)
        self._missing = frozenset(column for column in Column if contents[column] is None)
        self._stretches, self._opened = tuple(stretches), set()
        self._spans = {column: [] for column in Column}
        self._marks = {}
        self._current = 0
        self._arrange()
        self.verticalScrollBar().setValue(0)

    def add_spans(self, column: Column, spans: Spans) -> None:
        """Add highlighting of the next lines."""
        self._spans[column].extend(spans)
        self.viewport().update()

    def add_marks(self, marks: Mapping[tuple[Column, int], Marks]) -> None:
        """What changed within lines."""
        self._marks.update(marks)
        self.viewport().update()

    @property
    def sides(self) -> Sides:
        return self._sides

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        return self._stretches

    def styled(self, column: Column, line: int) -> StyledLine:
        """A line as it is drawn, in the colours that have arrived."""
        spans = self._spans[column]
        return styled_line(self.text_of(column, line), spans[line] if line < len(spans) else ())

    def marks_in(self, column: Column, line: int) -> Marks:
        return self._marks.get((column, line), ())

    def show_states(self, states: Mapping[int, str], current: int) -> None:
        """The status text of each conflict, empty while open, and the current one."""
        self._states = dict(states)
        if current != self._current:
            self._current = current
            self.go_to(current)
        told = [
            tr("conflict {number}: {words}", number=number, words=words or tr("open"))
            for number, words in self._states.items()
        ]
        self.setAccessibleName(
            tr("Base, disk and proposed; {states}", states=", ".join(told) or tr("nothing in conflict"))
        )
        self.viewport().update()

    def go_to(self, region: int) -> None:
        """Scroll to a conflict, with some context above it."""
        at = next((n for n, row in enumerate(self._rows) if row.is_head and row.region == region), None)
        if at is not None:
            self.verticalScrollBar().setValue(max(0, at - 2) * self._theme.px(_LINE))

    @property
    def rows(self) -> tuple[MergeRow, ...]:
        return self._rows

    @property
    def is_stacked(self) -> bool:
        return self.width() < self._theme.px(_STACK_BELOW)

    def text_of(self, column: Column, line: int) -> str:
        """A line as it is shown."""
        return self._sides[column].line(line)

    def row_area(self, number: int) -> QRect:
        line = self._theme.px(_LINE)
        top = self._theme.px(_HEAD) + number * line - self.verticalScrollBar().value()
        return QRect(0, top, self.viewport().width(), line)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_letter = bool(event.text().strip()) and event.text().isprintable()  # Escape also has text
        if is_letter and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.accept()
            self.key_pressed.emit(event.text().lower())
            return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        row = self._row_at(event.position().toPoint())
        if row is not None and row.folded:
            self._opened.add(row.stretch)
            self._arrange()
        elif row is not None and row.region:
            self.region_chosen.emit(row.region)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
        self.go_to(self._current)  # keep the current conflict visible in a smaller view

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._paint_cache.color("panel"))
        line, scrolled = self._theme.px(_LINE), self.verticalScrollBar().value()
        first = max(0, scrolled // line)
        last = min(len(self._rows), first + self.viewport().height() // line + 2)
        for number in range(first, last):
            self._paint_row(painter, self._rows[number], self.row_area(number))
        self._paint_head(painter)
        painter.end()

    def _arrange(self) -> None:
        self._rows = merge_rows(self._stretches, self._opened, stacked=self.is_stacked)
        line, page = self._theme.px(_LINE), self.viewport().height()
        bar = self.verticalScrollBar()
        bar.setSingleStep(line)
        bar.setPageStep(page)
        bar.setRange(0, max(0, self._theme.px(_HEAD) + len(self._rows) * line - page))
        sideways = self.horizontalScrollBar()
        room = self._columns()[0][1].width()
        cell = QFontMetricsF(self._paint_cache.code).horizontalAdvance("0")
        longest = max((self._width_of(row) for row in self._rows), default=0)
        sideways.setRange(0, max(0, round(longest * cell) - room + round(2 * cell)))
        sideways.setPageStep(max(1, room))
        sideways.setSingleStep(round(4 * cell))
        self.viewport().update()

    def _width_of(self, row: MergeRow) -> int:
        return max((cells_of(self.text_of(c, n))[-1] for c in Column if (n := row.cells[c]) is not None), default=0)

    def _columns(self) -> list[tuple[Column, QRect]]:
        """Where the text of each column is; the numbers are left of it."""
        gutter, height = self._theme.px(_GUTTER), self.viewport().height()
        if self.is_stacked:
            left = gutter + self._theme.px(_TAG)
            place = QRect(left, 0, max(1, self.viewport().width() - left), height)
            return [(column, place) for column in Column]
        width = self.viewport().width() // 3
        return [(column, QRect(column * width + gutter, 0, width - gutter - 1, height)) for column in Column]

    def _row_at(self, point: QPoint) -> MergeRow | None:
        number = (point.y() - self._theme.px(_HEAD) + self.verticalScrollBar().value()) // self._theme.px(_LINE)
        is_inside = point.y() >= self._theme.px(_HEAD) and 0 <= number < len(self._rows)
        return self._rows[number] if is_inside else None

    def _paint_row(self, painter: QPainter, row: MergeRow, area: QRect) -> None:
        if row.folded:
            self._paint_words(
                painter, area, tr("⋯ {folded} unchanged lines", folded=f"{row.folded:,}"), "raised", "muted"
            )
            return
        if row.is_head:
            self._paint_conflict(painter, area, row)
            return
        for column, place in self._columns():
            number = row.cells[column]
            if self.is_stacked and number is None:
                continue
            left = 0 if self.is_stacked else place.left() - self._theme.px(_GUTTER)
            cell = QRect(left, area.top(), place.right() - left + 1, area.height())
            self._paint_cell(painter, row, column, cell, place)
        if row.region:
            token = "ok" if self._states.get(row.region) else "risk"
            wide = self._theme.px(4 if row.region == self._current else 2)
            painter.fillRect(QRect(0, area.top(), wide, area.height()), self._paint_cache.color(token))

    def _paint_cell(self, painter: QPainter, row: MergeRow, column: Column, cell: QRect, place: QRect) -> None:
        number = row.cells[column]
        is_conflict = row.meeting is Meeting.CONFLICT
        ground = "risk_surface" if is_conflict else _GROUNDS.get((row.meeting, column), "panel")
        if number is None:
            painter.fillRect(cell, self._paint_cache.color("panel"))
            painter.fillRect(cell, self._paint_cache.hatch)
        else:
            painter.fillRect(cell, self._paint_cache.color(ground))
        if not self.is_stacked and column is not Column.BASE:
            painter.fillRect(QRect(cell.left(), cell.top(), 1, cell.height()), self._paint_cache.color("line"))
        if number is None:
            return
        painter.setFont(self._paint_cache.code)
        painter.setPen(self._paint_cache.pen("muted" if is_conflict else "number"))
        numbers = QRect(cell.left(), cell.top(), self._theme.px(_GUTTER) - self._theme.px(8), cell.height())
        painter.drawText(numbers, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, str(number + 1))
        if self.is_stacked and row.meeting is not Meeting.SAME:
            painter.setFont(self._paint_cache.small)
            tag = QRect(self._theme.px(_GUTTER), cell.top(), place.left(), cell.height())
            painter.drawText(tag, _LEFT, _TAGS[column])
            painter.setFont(self._paint_cache.code)
        painter.save()
        painter.setClipRect(QRect(place.left(), cell.top(), place.width(), cell.height()))
        self._paint_text(painter, column, number, cell, place.left() - self.horizontalScrollBar().value(), ground)
        painter.restore()

    def _paint_text(self, painter: QPainter, column: Column, line: int, cell: QRect, left: int, ground: str) -> None:
        styled, metrics = self.styled(column, line), QFontMetricsF(self._paint_cache.code)
        width = metrics.horizontalAdvance("0")
        for start, end in self.marks_in(column, line):
            first, last = (styled.cells[min(at, len(styled.text))] for at in (start, end))
            box = QRectF(left + first * width, cell.top() + 1, (last - first) * width, cell.height() - 2)
            self._paint_cache.box(painter, box, _STRONG.get(ground, ground), 3)
        base = cell.top() + (cell.height() + metrics.ascent() - metrics.descent()) / 2
        for piece in styled.pieces:
            painter.setPen(self._paint_cache.pen(piece.token))
            painter.drawText(QPointF(left + piece.cell * width, base), piece.text)

    def _paint_conflict(self, painter: QPainter, area: QRect, row: MergeRow) -> None:
        words = self._states.get(row.region, "")
        told = tr(
            "Conflict {region} of {max} · {words}",
            region=row.region,
            max=max(self._states, default=row.region),
            words=words or tr("open: choose below"),
        )
        self._paint_words(painter, area, told, "raised", "ok" if words else "risk", bold=True)
        if row.region == self._current:
            painter.setPen(QPen(self._paint_cache.color("focus"), 1))
            painter.drawRect(area.adjusted(0, 0, -1, -1))

    def _paint_words(
        self, painter: QPainter, area: QRect, words: str, ground: str, ink: str, *, bold: bool = False
    ) -> None:
        painter.fillRect(area, self._paint_cache.color(ground))
        painter.setFont(self._paint_cache.small_bold if bold else self._paint_cache.small)
        painter.setPen(self._paint_cache.pen(ink))
        painter.drawText(area.adjusted(self._theme.px(12), 0, 0, 0), _LEFT, words)

    def _paint_head(self, painter: QPainter) -> None:
        head = QRect(0, 0, self.viewport().width(), self._theme.px(_HEAD))
        painter.fillRect(head, self._paint_cache.color("raised"))
        painter.fillRect(QRect(0, head.bottom(), head.width(), 1), self._paint_cache.color("line"))
        painter.setFont(self._paint_cache.small_bold)
        painter.setPen(self._paint_cache.pen("muted"))
        if self.is_stacked:
            painter.drawText(
                head.adjusted(self._theme.px(12), 0, 0, 0), _LEFT, tr("Base, disk and proposed, one below another")
            )
            return
        for column, place in self._columns():
            words = tr("{side}: no file", side=_TITLES[column]) if column in self._missing else _TITLES[column]
            left = place.left() - self._theme.px(_GUTTER) + self._theme.px(12)
            painter.drawText(QRect(left, 0, place.right() - left, head.height()), _LEFT, words)

    def _dress(self) -> None:
        self._paint_cache = DiffPaintCache(self._theme)
        self._arrange()


Marked = dict[tuple[Column, int], Marks]
Part = tuple[Column, Spans] | Marked
_LINES_AT_ONCE = 200


class MergeColours(QObject):
    """Serves one view. Results for a file that is no longer shown are dropped."""

    def __init__(self, view: ThreeWayView, commands: Commands, executor: ThreadPoolExecutor) -> None:
        super().__init__(view)
        self._view = view
        self._commands = commands
        self._executor = executor
        self._wanted = 0

    def show(self, path: str) -> None:
        """Highlight and mark the sides the view shows now."""
        self._wanted += 1
        view = self._view
        work = chain(_marked(view.sides, view.stretches), _lexed(path, view.sides, Yielding()))
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


def _lexed(path: str, sides: Sides, yielding: Yielding) -> Iterator[Part]:
    for column in Column:
        yield from ((column, spans) for spans in lex(path, sides[column], yielding))


def _marked(sides: Sides, stretches: tuple[Stretch, ...]) -> Iterator[Part]:
    """Each changed line with the base line next to it."""
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
