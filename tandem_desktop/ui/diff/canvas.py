"""Paints the visible rows of a diff."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QMargins, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QWidget

from tandem_desktop.diff.intraline import IntralineChange
from tandem_desktop.ui.diff.model import FileDiff, StretchKind, build_file_diff
from tandem_desktop.ui.diff.options import FEWEST, DiffDisplay, Whitespace
from tandem_desktop.ui.diff.overview_ruler import WIDTH, OverviewRuler, marks_of
from tandem_desktop.ui.diff.painter import RowPainter, VisibleRow
from tandem_desktop.ui.diff.panes import NARROW, panes_for
from tandem_desktop.ui.diff.rows import Around, DiffRow, DiffRows, InlineComment, RowHeights, RowKind
from tandem_desktop.ui.diff.selection import line_of
from tandem_desktop.ui.diff.styles import SHOWN_CHARACTERS, LineStyles, Spans, Yielding
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.theme.theme import Theme


class SeenLines:
    """Stretches of one side; lines are counted from zero."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, first: int, last: int) -> None:
        """These lines and all between them were in sight."""
        left = bisect_left(self._ends, first - 1)
        right = bisect_right(self._starts, last + 1)
        if left < right:
            first, last = min(first, self._starts[left]), max(last, self._ends[right - 1])
        self._starts[left:right], self._ends[left:right] = [first], [last]

    def covers(self, first: int, last: int) -> bool:
        """Whether each of these lines was in sight at some time."""
        at = bisect_right(self._starts, first) - 1
        return last < first or (at >= 0 and self._ends[at] >= last)


class SeenChanges:
    """Both sides of one comparison."""

    def __init__(self) -> None:
        self._old, self._new = SeenLines(), SeenLines()

    def note(self, rows: Iterable[DiffRow]) -> None:
        """These rows, one below the other, are in sight."""
        lines = [row for row in rows if row.kind is RowKind.LINE]
        for seen, numbers in (
            (self._old, [row.old for row in lines if row.old is not None]),
            (self._new, [row.new for row in lines if row.new is not None]),
        ):
            if numbers:
                seen.add(numbers[0], numbers[-1])

    def unseen(self, diff: FileDiff) -> int:
        """How many changes have a line that was never in sight."""
        return sum(
            not self._old.covers(stretch.old_start, stretch.old_end - 1)
            or not self._new.covers(stretch.new_start, stretch.new_end - 1)
            for stretch in diff.stretches
            if stretch.kind is StretchKind.CHANGE
        )


TALLEST = 480
"""A view among other rows asks for no more than this and scrolls inside."""
REST_MS = 40
"""How long nothing must have been painted before threads that help go on."""
_END_ROOM = 24
"""Cells after the longest line, for what is said about its end."""


class DiffCanvas(QAbstractScrollArea):
    """Holds a `FileDiff` and how it is looked at. Knows nothing of keys and pointers."""

    pairs_in_sight = Signal(object)
    """Pairs of lines whose changed characters are not known yet."""
    layout_changed = Signal()
    """Split or unified, wrapped, white space: whatever a switch elsewhere may want to follow."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.yielding = Yielding()
        self._wants_split = True
        self._tallest = TALLEST
        self._room_above = 0
        self._asked: set[tuple[int, int]] = set()
        self._seen = SeenChanges()
        self._painter = RowPainter(theme)
        self._heights = RowHeights(0, 1)
        empty = build_file_diff("", b"", b"")
        rows = DiffRows(replace(empty, words=()), is_split=False)
        self._look = DiffDisplay(rows, LineStyles(empty), panes_for(theme, 800, 1, is_split=False))
        self._ruler = OverviewRuler(theme, self)
        self._ruler.asked.connect(self._go_to_share)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._ask_for_pairs)
        self.setObjectName("diff-view")
        self.setAccessibleName(tr("Changes"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        theme.changed.connect(self._restyle)

    # What is shown

    @property
    def diff(self) -> FileDiff:
        return self._look.rows.diff

    @property
    def rows(self) -> DiffRows:
        return self._look.rows

    @property
    def is_split(self) -> bool:
        """What is seen; a narrow view has one column whatever is wished."""
        return self._look.rows.is_split

    @property
    def wraps(self) -> bool:
        return self._look.wraps

    @property
    def whitespace(self) -> Whitespace:
        return self._look.whitespace

    def show_diff(self, diff: FileDiff) -> None:
        """Show another comparison from its beginning; how it is looked at stays."""
        self._look.styles = LineStyles(diff)
        self._look.titles.clear()
        self._look.current, self._look.selection, self._look.search, self._look.found = -1, None, None, -1
        self._look.hovered = None
        self._asked.clear()
        self._seen = SeenChanges()
        self._rebuild(diff, frozenset(), self._look.rows.comments)
        self.verticalScrollBar().setValue(0)
        self.horizontalScrollBar().setValue(0)
        self.setAccessibleName(tr("Changes in {path}", path=diff.path))
        self.setAccessibleDescription(diff.counts)
        self.updateGeometry()

    def set_split(self, is_split: bool) -> None:
        self._wants_split = is_split
        self._refit()

    def set_wrap(self, wraps: bool) -> None:
        self._look.wraps = wraps
        self._refit()

    def set_whitespace(self, whitespace: Whitespace) -> None:
        self._look.whitespace = whitespace
        self.viewport().update()
        self.layout_changed.emit()

    def set_dropped(self, hunks: Sequence[int]) -> None:
        """Which changes a person does not want; their lines stay readable, behind a veil."""
        wanted = frozenset(hunks)
        if wanted != self._look.dropped:
            self._look.dropped = wanted
            self.viewport().update()

    def set_dropped_lines(self, *, added: Iterable[int], removed: Iterable[int]) -> None:
        """Single lines a person does not want, counted from one on their own side."""
        wanted = frozenset({*((False, line - 1) for line in added), *((True, line - 1) for line in removed)})
        if wanted != self._look.dropped_lines:
            self._look.dropped_lines = wanted
            self.viewport().update()

    def set_offers(self, offers: Iterable[str]) -> None:
        """Which of `drop`, `comment` and `keep` a person can do with a change here."""
        wanted = frozenset(offers)
        if wanted != self._look.offers:
            self._look.offers = wanted
            self.viewport().update()

    def set_comments(self, comments: Sequence[InlineComment]) -> None:
        if tuple(comments) != self.rows.comments:
            self._rebuild(self.diff, self.rows.unfolded, comments)

    def set_tallest(self, pixels: int) -> None:
        """How high the view asks to be at most."""
        self._tallest = pixels
        self.updateGeometry()

    def add_spans(self, is_old: bool, spans: Spans) -> None:
        """Colours of the next lines of one side."""
        if self._look.styles.add_spans(is_old, spans):
            self.viewport().update()

    def add_marks(self, marks: Mapping[tuple[int, int], IntralineChange]) -> None:
        """Changed characters of pairs that were asked for."""
        self._look.styles.add_marks(marks)
        self.viewport().update()

    def unfold(self, number: int) -> None:
        self._rebuild(self.diff, self.rows.unfolded | {number}, self.rows.comments)

    def unfold_all(self) -> None:
        every = frozenset(range(-1, len(self.diff.stretches)))
        self._rebuild(self.diff, every, self.rows.comments)

    def open_line(self, is_old: bool, line: int) -> None:
        """Show all of a line that was cut."""
        self._look.styles.open(is_old, line)
        self._refit()

    # Where things are

    def row_area(self, index: int) -> QRect:
        """In the viewport, also when it is out of sight."""
        top = self._heights.top(index) - self.verticalScrollBar().value()
        return QRect(0, top, self.viewport().width(), self._heights.height(index))

    def row_at(self, y: int) -> int | None:
        """The row at a place in the viewport, if there is one."""
        place = y + self.verticalScrollBar().value()
        if not len(self.rows) or not 0 <= place < self._heights.total:
            return None
        return self._heights.row_at(place)

    def ensure_visible(self, index: int, *, at_top: bool = False) -> None:
        self._measure(index, index)
        bar, height = self.verticalScrollBar(), self.viewport().height()
        top = self._heights.top(index)
        bottom = top + self._heights.height(index)
        if at_top and (top < bar.value() or bottom > bar.value() + height * 2 // 3):
            bar.setValue(top - self._look.panes.line * 2)
        elif top < bar.value():
            bar.setValue(top)
        elif bottom > bar.value() + height:
            bar.setValue(min(top, bottom - height))

    def sizeHint(self) -> QSize:
        height = self._heights.total
        if self.horizontalScrollBar().maximum() > 0:
            height += self.horizontalScrollBar().sizeHint().height()
        return QSize(self._theme.px(760), min(self._theme.px(self._tallest), max(height, self._theme.px(32))))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(200), min(self.sizeHint().height(), self._theme.px(60)))

    # Qt asks

    def paintEvent(self, event: QPaintEvent) -> None:
        self.yielding.ask()
        self._paint(event.rect())
        self._rest.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._refit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self._look.scrolled = self.horizontalScrollBar().value()
        if self._look.wraps:
            self._settle()
        if dx or self._look.wraps or abs(dy) > self.viewport().height():
            self.viewport().update()
        else:
            self.viewport().scroll(0, dy)
        self._show_sight()

    def _paint(self, area: QRect) -> None:
        painter = QPainter(self.viewport())
        self._look.has_focus = self.hasFocus()
        visible = [*self._visible(area)]
        self._painter.paint(painter, self._look, visible, area)
        painter.end()
        self._seen.note([shown.row for shown in visible])

    def _visible(self, area: QRect) -> Iterator[VisibleRow]:
        offset, width, rows = self.verticalScrollBar().value(), self.viewport().width(), self.rows
        index = self._heights.row_at(area.top() + offset)
        y = self._heights.top(index) - offset
        while index < len(rows) and y <= area.bottom():
            row, height = rows.row(index), self._heights.height(index)
            if row.kind is RowKind.HEADER:
                self._look.title(row.hunk)
            yield VisibleRow(index, row, QRect(0, y, width, height))
            y += height
            index += 1

    # Layout

    def _rebuild(self, diff: FileDiff, unfolded: frozenset[int], comments: Sequence[InlineComment]) -> None:
        is_same = diff is self.diff
        anchor = self._anchor() if is_same else None
        current = line_of(self.rows.row(self._look.current), None) if is_same and self._look.current >= 0 else None
        around = Around(self._look.context - FEWEST, self._look.more)
        split = self._splits(diff)
        self._look.rows = DiffRows(diff, is_split=split, unfolded=unfolded, comments=comments, around=around)
        self._look.selection = None
        self._look.hovered = None
        if current:
            self._look.current = self._row_of(current) or self._look.current
        self._look.current = min(self._look.current, len(self.rows) - 1)
        self._fit()
        if anchor is not None:
            self._return_to(anchor)
        self.updateGeometry()

    def _refit(self) -> None:
        if self._splits(self.diff) != self.rows.is_split:
            self._rebuild(self.diff, self.rows.unfolded, self.rows.comments)
        else:
            anchor = self._anchor()
            self._fit()
            self._return_to(anchor)
        self.layout_changed.emit()

    def _splits(self, diff: FileDiff) -> bool:
        return self._wants_split and self.viewport().width() >= self._theme.px(NARROW) and not diff.is_preview

    def _fit(self) -> None:
        rows, width = self.rows, self.viewport().width()
        largest = max(len(self.diff.old), len(self.diff.new), 1)
        panes = panes_for(self._theme, width, largest, is_split=rows.is_split)
        self._look.panes = panes
        special = [(index, self._special_height(index, kind)) for index, kind in rows.special]
        measure = self._wrapped_heights if self._look.wraps else None
        self._heights = RowHeights(len(rows), panes.line, special, measure)
        self._measure(0, 0)
        self._fit_bars()
        self._fit_ruler()
        self.viewport().update()

    def _fit_bars(self) -> None:
        vertical, horizontal, panes = self.verticalScrollBar(), self.horizontalScrollBar(), self._look.panes
        height = self.viewport().height()
        vertical.setRange(0, max(0, self._heights.total - height))
        vertical.setPageStep(max(panes.line, height - panes.line))
        vertical.setSingleStep(panes.line)
        widest = 0 if self._look.wraps else round(self._widest() * panes.cell)
        room = min(pane.text_width for pane in panes.panes)
        horizontal.setRange(0, max(0, widest - room))
        horizontal.setPageStep(max(1, room))
        horizontal.setSingleStep(round(panes.cell * 4))

    def _widest(self) -> int:
        if self.diff.is_binary and -1 not in self.rows.unfolded:
            return 0
        opened = self._look.styles.widest_opened()
        cut = min(self.diff.longest, SHOWN_CHARACTERS)
        ends = _END_ROOM if self.diff.longest > SHOWN_CHARACTERS or not self._ends_well() else 1
        return max(opened, cut) + ends

    def _ends_well(self) -> bool:
        return all(not len(side) or side.has_newline(len(side) - 1) for side in (self.diff.old, self.diff.new))

    def _fit_ruler(self) -> None:
        is_needed = self.verticalScrollBar().maximum() > 0
        width = self._theme.px(WIDTH) if is_needed else 0
        if self.viewportMargins() != QMargins(0, self._room_above, width, 0):
            self.setViewportMargins(0, self._room_above, width, 0)
            return
        self._ruler.setVisible(is_needed)
        view = self.viewport().geometry()
        self._ruler.setGeometry(view.right() + 1, view.top(), width, view.height())
        self._ruler.set_marks(marks_of(self.rows, self._heights))
        self._show_sight()

    def _show_sight(self) -> None:
        total, top = max(1, self._heights.total), self.verticalScrollBar().value()
        self._ruler.set_sight(top / total, (top + self.viewport().height()) / total)

    def _go_to_share(self, share: float) -> None:
        self.verticalScrollBar().setValue(round(share * self._heights.total) - self.viewport().height() // 2)

    def _special_height(self, index: int, kind: RowKind) -> int:
        panes = self._look.panes
        if kind is RowKind.HEADER:
            return panes.header
        if kind is RowKind.FOLD:
            return self._theme.px(24)
        number = self.rows.row(index).number
        if kind is RowKind.COMMENT:
            return self._painter.comment_height(self.rows.comments[number].text, panes.width)
        return self._painter.words_height(self.diff.words[number].text, panes.width)

    def _wrapped_heights(self, first: int, end: int) -> list[int]:
        return [self._look.wrapped_height(self.rows.row(index)) for index in range(first, end)]

    def _measure(self, first: int, last: int) -> bool:
        return self._heights.measure(first, last + self.viewport().height() // self._look.panes.line + 1)

    def _settle(self) -> None:
        """Wrapped lines that come into sight take their room; what is at the top stays there."""
        bar = self.verticalScrollBar()
        row = self._heights.row_at(bar.value())
        offset = bar.value() - self._heights.top(row)
        if self._measure(row, row):
            bar.blockSignals(True)
            bar.setRange(0, max(0, self._heights.total - self.viewport().height()))
            bar.setValue(self._heights.top(row) + offset)
            bar.blockSignals(False)

    def _anchor(self) -> tuple[tuple[bool, int] | None, int]:
        """The first line in sight and how far it is from the top."""
        value = self.verticalScrollBar().value()
        index = self._heights.row_at(value)
        for place in range(index, min(index + 3, len(self.rows))):
            line = line_of(self.rows.row(place), None)
            if line is not None:
                return line, self._heights.top(place) - value
        return None, value

    def _return_to(self, anchor: tuple[tuple[bool, int] | None, int]) -> None:
        line, offset = anchor
        index = self._row_of(line) if line is not None else None
        if index is not None:
            self._measure(index, index)
            self._fit_bars()
            self.verticalScrollBar().setValue(self._heights.top(index) - offset)

    def _row_of(self, line: tuple[bool, int]) -> int | None:
        return self.rows.row_of(old=line[1]) if line[0] else self.rows.row_of(new=line[1])

    def _ask_for_pairs(self) -> None:
        """Once nothing moves any more: now others may use the interpreter."""
        self.yielding.thank()
        first = self.row_at(0)
        if first is None:
            return
        last = self._heights.row_at(self.verticalScrollBar().value() + self.viewport().height())
        wanted = {self.rows.row(index).pair for index in range(first, last + 1)} - self._asked
        pairs = sorted(pair for pair in wanted if pair is not None and not self._look.styles.knows(pair))
        if pairs:
            self._asked.update(pairs)
            self.pairs_in_sight.emit(tuple(pairs))

    def _restyle(self) -> None:
        self._painter = RowPainter(self._theme)
        self._refit()
        self.updateGeometry()
