"""The diff view: painting, layout, position, options and search."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QMargins, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QMenu, QSizePolicy, QToolTip, QWidget

from tandem_desktop.diff.hunk_classes import ProvedChange, class_of
from tandem_desktop.diff.lines import IntralineChange
from tandem_desktop.ui.diff.actions import context_menu, key_action
from tandem_desktop.ui.diff.model import FileDiff, build_file_diff
from tandem_desktop.ui.diff.options import FEWEST, WHOLE_FILE, DiffDisplay, DiffOptions, Whitespace
from tandem_desktop.ui.diff.overview_ruler import WIDTH, OverviewRuler, marks_of
from tandem_desktop.ui.diff.painter import RowPainter, VisibleRow
from tandem_desktop.ui.diff.panes import READABLE, panes_for
from tandem_desktop.ui.diff.pointer import DiffPointer
from tandem_desktop.ui.diff.rows import Around, DiffRows, InlineComment, RowHeights, RowKind
from tandem_desktop.ui.diff.scroll import DiffScroll
from tandem_desktop.ui.diff.search import SearchControl
from tandem_desktop.ui.diff.seen import SeenChanges
from tandem_desktop.ui.diff.selection import (
    Selection,
    TextPosition,
    line_of,
    marked_changes,
    marked_lines,
    selected_text,
)
from tandem_desktop.ui.diff.styles import SHOWN_CHARACTERS, LineStyles, Spans, Yielding
from tandem_desktop.ui.diff.text import PlainTextView, as_text, patch, row_text
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.labels import announce, plain_tooltip

MORE = 10
"""Lines shown at once when a fold is partly opened."""
TALLEST = 480
"""The maximum height hint; a higher diff scrolls inside."""
REST_MS = 40
"""Idle time after painting before worker threads go on."""
_SLACK = 4
"""Pixels of a line that may be covered although it counts as seen: the room above and below its letters."""
_END_ROOM = 24
"""Cells after the longest line for the note about its end."""


class DiffView(QAbstractScrollArea):
    """Shows a `FileDiff`. Requests to drop, keep or comment are signals; the view changes no plan."""

    pairs_in_sight = Signal(object)
    """Pairs of lines whose changed characters are not known yet."""
    layout_changed = Signal()
    """One of the options (split, wrap, white space, context) or the layout changed."""
    passed_end = Signal(int)
    """There is no further change in this direction (1 or -1)."""
    current_changed = Signal(int)
    """The current hunk; 0 above the first."""
    drop_requested = Signal(int)
    keep_requested = Signal(int)
    lines_requested = Signal(object, object)
    """Added and removed lines, one-based, to be dropped or kept."""
    comment_requested = Signal(bool, int, int)
    """Old side or not, and the first and last line, one-based."""
    comment_chosen = Signal(int)
    """The index of an inline comment."""
    open_requested = Signal(str, int)
    """A path and a line to open in the editor."""
    all_seen = Signal()
    """Every changed line was on screen."""
    height_changed = Signal(int)
    """As a slice: the full height changed; scroll by so many pixels to keep the text in its place."""
    scroll_requested = Signal(int)
    """As a slice: pixels to scroll by."""
    reveal_requested = Signal(int, int, bool)
    """As a slice: the top and bottom of what is to be on screen, and whether in its upper part."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.yielding = Yielding()
        self._wants_split = True
        self.position = DiffScroll(self)
        self._asked: set[tuple[int, int]] = set()
        self._proved: tuple[ProvedChange, ...] = ()
        self._seen = SeenChanges()
        self._is_all_seen = False
        self.painter = RowPainter(theme)
        self.heights = RowHeights(0, 1)
        empty = build_file_diff("", b"", b"")
        rows = DiffRows(replace(empty, notes=()), is_split=False)
        self.display = DiffDisplay(rows, LineStyles(empty), panes_for(theme, 800, 1, is_split=False))
        self._ruler = OverviewRuler(theme, self)
        self._ruler.asked.connect(self.position.to_share)
        self.search = SearchControl(self)
        self._plain: PlainTextView | None = None
        self._pointer = DiffPointer(self)
        self.single_letters = True
        """Whether the single-letter keys (n, p, v, w, x, c, o) are active; a setting turns them off."""
        self.leave_lines: Callable[[], object] | None = None
        """Shows the file as something else than its lines, where that is possible."""
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
        return self.display.rows.diff

    @property
    def rows(self) -> DiffRows:
        return self.display.rows

    @property
    def is_split(self) -> bool:
        """The layout on screen; a narrow view always has one column."""
        return self.display.rows.is_split

    @property
    def wraps(self) -> bool:
        return self.display.wraps

    @property
    def whitespace(self) -> Whitespace:
        return self.display.whitespace

    def show_diff(self, diff: FileDiff) -> None:
        """Show another comparison from its beginning; options and an open search stay."""
        searched = self.display.search.text if self.display.search else ""
        self.display.more = {}
        self.display.styles = LineStyles(diff)
        self.display.titles.clear()
        self.display.current, self.display.selection, self.display.search, self.display.found = -1, None, None, -1
        self.display.hovered = None
        self._asked.clear()
        self._seen = SeenChanges()
        self._is_all_seen = False
        self._rebuild(diff, frozenset(), self.display.rows.comments)
        if not self.position.page:
            self.verticalScrollBar().setValue(0)
        self.horizontalScrollBar().setValue(0)
        self.setAccessibleName(tr("Changes in {path}", path=diff.path))
        self.setAccessibleDescription(diff.counts)
        self.updateGeometry()
        if self.hasFocus() and len(self.rows):
            self.display.current = 0  # the keyboard focus needs a current row
        if searched and self.search.bar.isVisible():
            self.search.set_text(searched)
        if self._plain is not None:
            self._plain.setPlainText(self.as_text())

    def set_split(self, is_split: bool) -> None:
        self._wants_split = is_split
        self._refit()

    def set_wrap(self, wraps: bool) -> None:
        self.display.wraps = wraps
        self._refit()

    def set_whitespace(self, whitespace: Whitespace) -> None:
        self.display.whitespace = whitespace
        self.viewport().update()
        self.layout_changed.emit()

    def set_ignores_space(self, ignores: bool) -> None:
        """Whether changes of white space alone are folded, until they are opened."""
        self.set_options(replace(self.options, ignores_space=ignores))
        self.layout_changed.emit()

    def set_dropped(self, hunks: Sequence[int]) -> None:
        """Hunks to show as dropped; their lines are dimmed."""
        wanted = frozenset(hunks)
        if wanted != self.display.dropped:
            self.display.dropped = wanted
            self.viewport().update()

    def set_dropped_lines(self, *, added: Iterable[int], removed: Iterable[int]) -> None:
        """Single lines to show as dropped, one-based on their own side."""
        wanted = frozenset({*((False, line - 1) for line in added), *((True, line - 1) for line in removed)})
        if wanted != self.display.dropped_lines:
            self.display.dropped_lines = wanted
            self.viewport().update()

    def set_offers(self, offers: Iterable[str]) -> None:
        """Which of `drop`, `comment` and `keep` are available."""
        wanted = frozenset(offers)
        if wanted != self.display.offers:
            self.display.offers = wanted
            self.viewport().update()

    def set_comments(self, comments: Sequence[InlineComment]) -> None:
        if tuple(comments) != self.rows.comments:
            self._rebuild(self.diff, self.rows.unfolded, comments)

    def set_proved(self, proved: Sequence[ProvedChange]) -> None:
        """Changes that are proved to be mechanical; they are folded until they are opened."""
        if tuple(proved) != self.rows.proved:
            self._proved = tuple(proved)
            self._rebuild(self.diff, self.rows.unfolded, self.rows.comments)

    def is_proved(self, hunk: int) -> bool:
        """Whether all of a hunk is proved to be mechanical."""
        return bool(class_of(self.diff.hunks[hunk - 1], self._proved))

    def is_in_sight(self, hunk: int) -> bool:
        """Whether all changed lines of a hunk are on screen now."""
        area, region = self.hunk_area(hunk), self.viewport().visibleRegion().boundingRect()
        return not area.isEmpty() and area.top() >= region.top() and area.bottom() <= region.bottom()

    def hunk_area(self, hunk: int) -> QRect:
        """From the bar of a hunk to its last changed line, in viewport coordinates."""
        first, following = self.rows.header(hunk), self.rows.header(hunk + 1)
        if first is None:
            return QRect()
        last = (len(self.rows) if following is None else following) - 1
        while last > first and not self.rows.row(last).is_change:
            last -= 1
        return self.row_area(first) | self.row_area(last)

    def set_line_marks(self, marks: Mapping[int, tuple[str, bool]]) -> None:
        """Messages about lines of the new file, by number from one: the text, and whether it is an error."""
        found = {line - 1: mark for line, mark in marks.items()}
        if found != self.display.line_marks:
            self.display.line_marks = found
            self.viewport().update()

    def line_mark_at(self, y: int) -> str:
        """The message about the line at this height of the viewport; empty if there is none."""
        index = self.row_at(y)
        line = self.rows.row(index).new if index is not None else None
        return self.display.line_marks[line][0] if line is not None and line in self.display.line_marks else ""

    def add_spans(self, is_old: bool, spans: Spans) -> None:
        """Add highlighting of the next lines of one side."""
        if self.display.styles.add_spans(is_old, spans):
            self.viewport().update()

    def add_marks(self, marks: Mapping[tuple[int, int], IntralineChange]) -> None:
        """Add the intraline marks of requested pairs."""
        self.display.styles.add_marks(marks)
        self.viewport().update()

    def unfold(self, number: int) -> None:
        self._rebuild(self.diff, self.rows.unfolded | {number}, self.rows.comments)

    def open_line(self, is_old: bool, line: int) -> None:
        """Show all of a line that was cut."""
        self.display.styles.open(is_old, line)
        self._refit()

    # Geometry

    def row_area(self, index: int) -> QRect:
        """In viewport coordinates, even if it is not visible."""
        top = self.heights.top(index) - self.verticalScrollBar().value()
        return QRect(0, top, self.viewport().width(), self.heights.height(index))

    def row_at(self, y: int) -> int | None:
        """The row at a place in the viewport, if there is one."""
        place = y + self.verticalScrollBar().value()
        if not len(self.rows) or not 0 <= place < self.heights.total:
            return None
        return self.heights.row_at(place)

    def sizeHint(self) -> QSize:
        height = max(self.heights.total, self.theme.px(32)) + self._sideways_bar
        return QSize(self.theme.px(760), min(self.theme.px(TALLEST), height))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.theme.px(200), min(self.sizeHint().height(), self.theme.px(60)))

    @property
    def full_height(self) -> int:
        """The height at which nothing is left to scroll."""
        return max(self.heights.total, self.theme.px(32)) + self._sideways_bar + self.search.height

    @property
    def _sideways_bar(self) -> int:
        bar = self.horizontalScrollBar()
        return bar.sizeHint().height() if bar.maximum() > 0 else 0

    # Qt events

    def paintEvent(self, event: QPaintEvent) -> None:
        self.yielding.pause()
        self._paint(event.rect())
        self._rest.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self.position.page and self.viewport().width() == self.display.panes.width:
            self.position.fit_height()
        else:
            self._refit()
        self.search.place_bar()
        if self._plain is not None:
            self._plain.setGeometry(self.rect())

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.display.scrolled = self.horizontalScrollBar().value()
        if self.display.wraps:
            self.position.settle()
        if dx or self.display.wraps or abs(dy) > self.viewport().height():
            self.viewport().update()
        else:
            self.viewport().scroll(0, dy)
        self._show_sight()

    def wheelEvent(self, event: QWheelEvent) -> None:
        across = abs(event.angleDelta().x()) > abs(event.angleDelta().y())
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            QApplication.sendEvent(self.horizontalScrollBar(), event)
        elif self.position.page and not across:
            event.ignore()  # for the surface
        else:
            super().wheelEvent(event)

    def _paint(self, area: QRect) -> None:
        painter = QPainter(self.viewport())
        self.display.has_focus = self.hasFocus()
        visible = [*self._visible(area)]
        self.painter.paint(painter, self.display, visible, area)
        painter.end()
        self._note_seen(area)

    def _note_seen(self, area: QRect) -> None:
        """Record the changed lines that are on screen, or the parts of them that are; `area` was just painted."""
        region = self.viewport().visibleRegion().boundingRect()
        if region.isEmpty() or self._is_all_seen:
            return
        line = 2 * self.display.panes.line  # a line that was cut off until now can lie beside what was painted
        painted = area.adjusted(0, -line, 0, line) & region
        self._seen.note(self.display, self._visible(painted), region, self.theme.px(_SLACK))
        if self.diff.is_preview or self._seen.count < self.diff.added + self.diff.removed:
            return
        if self.unseen_changes == 0:
            self._is_all_seen = True
            self.all_seen.emit()

    def _visible(self, area: QRect) -> Iterator[VisibleRow]:
        offset, width, rows = self.verticalScrollBar().value(), self.viewport().width(), self.rows
        index = self.heights.row_at(area.top() + offset)
        y = self.heights.top(index) - offset
        while index < len(rows) and y <= area.bottom():
            row, height = rows.row(index), self.heights.height(index)
            if row.kind is RowKind.HEADER:
                self.display.title(row.hunk)
            yield VisibleRow(index, row, QRect(0, y, width, height))
            y += height
            index += 1

    # Layout

    def _rebuild(self, diff: FileDiff, unfolded: frozenset[int], comments: Sequence[InlineComment]) -> None:
        is_same = diff is self.diff
        anchor = self.position.anchor() if is_same else None
        current = line_of(self.rows.row(self.display.current), None) if is_same and self.display.current >= 0 else None
        around = Around(self.display.context - FEWEST, self.display.more)
        split = self._splits(diff)
        self.display.rows = DiffRows(
            diff,
            is_split=split,
            unfolded=unfolded,
            comments=comments,
            around=around,
            proved=self._proved,
            ignores_space=self.display.ignores_space,
        )
        self.display.selection = None
        self.display.hovered = None
        if current:
            self.display.current = self.row_of(current) or self.display.current
        self.display.current = min(self.display.current, len(self.rows) - 1)
        self._fit()
        if anchor is not None:
            self.position.return_to(anchor)
        else:
            self.position.note_height()
        self.updateGeometry()

    def _refit(self) -> None:
        if self._splits(self.diff) != self.rows.is_split:
            self._rebuild(self.diff, self.rows.unfolded, self.rows.comments)
        else:
            anchor = self.position.anchor()
            self._fit()
            self.position.return_to(anchor)
        self.layout_changed.emit()

    def _splits(self, diff: FileDiff) -> bool:
        """Two columns only where both have something to show, and room for it."""
        if not self._wants_split or diff.is_preview or not (len(diff.old) and len(diff.new)):
            return False
        largest = max(len(diff.old), len(diff.new))
        return panes_for(self.theme, self.viewport().width(), largest, is_split=True).characters >= READABLE

    def _fit(self) -> None:
        self._seen.forget_parts()
        rows, width = self.rows, self.viewport().width()
        largest = max(len(self.diff.old), len(self.diff.new), 1)
        panes = panes_for(self.theme, width, largest, is_split=rows.is_split)
        self.display.panes = panes
        special = [(index, self._special_height(index, kind)) for index, kind in rows.special]
        measure = self._wrapped_heights if self.display.wraps else None
        self.heights = RowHeights(len(rows), panes.line, special, measure)
        self.measure(0, 0)
        self.fit_bars()
        self.fit_ruler()
        self.viewport().update()

    def fit_bars(self) -> None:
        horizontal, panes = self.horizontalScrollBar(), self.display.panes
        self.position.fit()
        widest = 0 if self.display.wraps else round(self._widest() * panes.cell)
        room = min(pane.text_width for pane in panes.panes)
        horizontal.setRange(0, max(0, widest - room))
        horizontal.setPageStep(max(1, room))
        horizontal.setSingleStep(round(panes.cell * 4))

    def _widest(self) -> int:
        if self.diff.is_binary and -1 not in self.rows.unfolded:
            return 0
        opened = self.display.styles.widest_opened()
        cut = min(self.diff.longest, SHOWN_CHARACTERS)
        ends = _END_ROOM if self.diff.longest > SHOWN_CHARACTERS or not self._ends_well() else 1
        return max(opened, cut) + ends

    def _ends_well(self) -> bool:
        return all(not len(side) or side.has_newline(len(side) - 1) for side in (self.diff.old, self.diff.new))

    def fit_ruler(self) -> None:
        is_needed = self.heights.total > self.position.page_height
        width = self.theme.px(WIDTH) if is_needed else 0
        if self.viewportMargins() != QMargins(0, self.search.height, width, 0):
            self.setViewportMargins(0, self.search.height, width, 0)
            return
        self._ruler.setVisible(is_needed)
        self._ruler.set_marks(marks_of(self.rows, self.heights))
        self.place_ruler()

    def place_ruler(self) -> None:
        view = self.viewport().geometry()
        self._ruler.setGeometry(view.right() + 1, view.top(), self.viewportMargins().right(), view.height())
        self._show_sight()

    def _show_sight(self) -> None:
        total, top = max(1, self.heights.total), self.verticalScrollBar().value()
        self._ruler.set_sight(top / total, (top + self.viewport().height()) / total)

    def _special_height(self, index: int, kind: RowKind) -> int:
        panes = self.display.panes
        if kind is RowKind.HEADER:
            return panes.header
        if kind is RowKind.FOLD:
            return self.theme.px(24)
        number = self.rows.row(index).number
        if kind is RowKind.COMMENT:
            comment = self.rows.comments[number]
            return comment.room or self.painter.comment_height(comment.text, panes.width)
        return self.painter.note_height(self.diff.notes[number].text, panes.width)

    def _wrapped_heights(self, first: int, end: int) -> list[int]:
        return [self.display.wrapped_height(self.rows.row(index)) for index in range(first, end)]

    def measure(self, first: int, last: int) -> bool:
        return self.heights.measure(first, last + self.viewport().height() // self.display.panes.line + 1)

    def row_of(self, line: tuple[bool, int]) -> int | None:
        return self.rows.row_of(old=line[1]) if line[0] else self.rows.row_of(new=line[1])

    def _ask_for_pairs(self) -> None:
        """Request intraline marks of the visible rows and let workers go on, once painting pauses."""
        self.yielding.resume()
        first = self.row_at(0)
        if first is None:
            return
        last = self.heights.row_at(self.verticalScrollBar().value() + self.viewport().height())
        wanted = {self.rows.row(index).pair for index in range(first, last + 1)} - self._asked
        pairs = sorted(pair for pair in wanted if pair is not None and not self.display.styles.knows(pair))
        if pairs:
            self._asked.update(pairs)
            self.pairs_in_sight.emit(tuple(pairs))

    def _restyle(self) -> None:
        self.painter = RowPainter(self.theme)
        self._refit()
        self.updateGeometry()

    # Position and selection

    @property
    def current_hunk(self) -> int:
        return self.rows.hunk_at(self.display.current) if self.display.current >= 0 else 0

    @property
    def current_line(self) -> int:
        """One-based; on a bar, the first changed line below it."""
        for index in range(max(0, self.display.current), len(self.rows)):
            row = self.rows.row(index)
            if row.kind is RowKind.LINE and (row.is_change or index == self.display.current):
                line = row.new if row.new is not None else row.old
                return (line or 0) + 1
        return 1

    @property
    def is_current_line_old(self) -> bool:
        """Whether `current_line` is on the old side, because the line is removed."""
        row = self.rows.row(self.display.current) if self.display.current >= 0 else None
        return row is not None and row.kind is RowKind.LINE and row.new is None

    @property
    def marked_lines(self) -> tuple[bool, int, int]:
        """Old or not, and the first and last selected line, or the current line; one-based."""
        marked = marked_lines(self.rows, self.display.selection) if self.display.selection else None
        return marked or (self.is_current_line_old, self.current_line, self.current_line)

    @property
    def marked_changes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Added and removed lines in the selection, or the current line and its counterpart; one-based."""
        return marked_changes(self.rows, self.display.selection, self.display.current)

    def step_to_change(self, direction: int) -> None:
        """The next change or the one before; past the last, `passed_end` is emitted."""
        wanted = self.current_hunk + direction
        header = self.rows.header(wanted)
        if header is None or (self.diff.is_binary and -1 not in self.rows.unfolded):
            self.passed_end.emit(direction)
            return
        self.set_current(header, at_top=True)

    def go_to_change(self, hunk: int) -> None:
        """Go to a change by its number; -1 is the last."""
        header = self.rows.header(len(self.diff.hunks) if hunk < 0 else hunk)
        if header is not None:
            self.set_current(header, at_top=True)

    def go_to_line(self, line: int, *, is_old: bool = False) -> None:
        """Counted from one; a fold that hides it opens."""
        key = (is_old, line - 1)
        index = self.row_of(key)
        if index is not None and self.rows.row(index).kind is RowKind.FOLD:
            self.unfold(self.rows.row(index).number)
            index = self.row_of(key)
        if index is not None:
            self.set_current(index)

    def set_current(self, index: int, *, at_top: bool = False, extends: bool = False) -> None:
        before = self.current_hunk
        index = max(0, min(len(self.rows) - 1, index))
        if extends:
            self._select_to(index)
        else:
            self.display.selection = None
        self.display.current = index
        self.position.reveal(index, at_top=at_top)
        self.viewport().update()
        announce(self, self.row_text(index))
        if self.current_hunk != before:
            self.current_changed.emit(self.current_hunk)

    @property
    def unseen_changes(self) -> int:
        """How many changes have a line that was never visible."""
        return self._seen.unseen(self.diff)

    @property
    def folded_regions(self) -> int:
        """How many stretches of unchanged lines are still hidden."""
        folds = (self.rows.row(index) for index, kind in self.rows.special if kind is RowKind.FOLD)
        return sum(not fold.is_change for fold in folds)

    @property
    def folded_proofs(self) -> int:
        """How many changes are folded because they are proved to be mechanical."""
        folds = (self.rows.row(index) for index, kind in self.rows.special if kind is RowKind.FOLD)
        return sum(self.rows.proof(fold) is not None for fold in folds)

    @property
    def options(self) -> DiffOptions:
        """The options of this view."""
        display = self.display
        return DiffOptions(
            self._wants_split, display.wraps, display.whitespace.name, display.context, display.ignores_space
        )

    def set_options(self, options: DiffOptions) -> None:
        """Take over options set in another view; emits no `layout_changed`."""
        if options == self.options:
            return
        display = self.display
        self._wants_split, display.wraps, display.context = options.splits, options.wraps, options.context
        display.whitespace = Whitespace[options.whitespace]
        opened = self.rows.unfolded if display.ignores_space == options.ignores_space else frozenset[int]()
        display.ignores_space = options.ignores_space
        self._rebuild(self.diff, opened, self.rows.comments)

    def set_context(self, lines: int) -> None:
        """Show this many unchanged lines around each change."""
        self.display.context, self.display.more = lines, {}
        self._rebuild(self.diff, frozenset(), self.rows.comments)
        self.layout_changed.emit()

    def toggle_whole_file(self) -> None:
        self.set_context(FEWEST if self.display.context == WHOLE_FILE else WHOLE_FILE)

    def show_more(self, number: int, lines: int = MORE) -> None:
        """Show more lines at both ends of a fold."""
        more = self.display.more
        self.display.more = {**more, number: more.get(number, 0) + lines}
        self._rebuild(self.diff, self.rows.unfolded, self.rows.comments)

    @property
    def patch_names(self) -> tuple[str | None, str | None]:
        """The path before and after; none where there is no file."""
        return self.diff.path, self.diff.path

    def patch(self, hunk: int = 0) -> str:
        """One hunk, or all of them, as a patch."""
        return patch(self.diff, self.patch_names, hunk)

    def row_text(self, index: int) -> str:
        """The text of a row for screen readers."""
        return row_text(self.display, index)

    def as_text(self) -> str:
        return as_text(self.diff)

    def read_as_text(self) -> None:
        """Cover the view with its plain text; Escape closes it."""
        self._leave_text()
        self._plain = PlainTextView(self.theme, self.as_text(), self.accessibleName(), self)
        self._plain.left.connect(self._leave_text)
        self._plain.setGeometry(self.rect())
        self._plain.show()
        self._plain.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _leave_text(self) -> None:
        plain, self._plain = self._plain, None
        if plain is not None:
            plain.hide()
            plain.deleteLater()
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def selected_text(self) -> str:
        return selected_text(self.rows, self.display.selection) if self.display.selection else ""

    def select_all(self) -> None:
        if len(self.rows):
            self.display.selection = self.selection_at(0)
            self._select_to(len(self.rows) - 1)
            self.viewport().update()

    def unselect(self) -> None:
        self.display.selection = None
        self.viewport().update()

    def copy(self) -> None:
        text = self.selected_text()
        if text:
            QGuiApplication.clipboard().setText(text)

    def _select_to(self, index: int) -> None:
        selection = self.display.selection or self.selection_at(max(0, self.display.current))
        line = line_of(self.rows.row(index), selection.is_old)
        length = len(self.display.styles.line(*line).text) if line else 0
        column = length if index >= selection.anchor.row else 0
        self.display.selection = selection._replace(head=TextPosition(index, column))

    def selection_at(self, index: int) -> Selection:
        """An empty selection begun with a key: on the new side."""
        place = TextPosition(index, 0)
        return Selection(place, place, False if self.is_split else None)

    # Input

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            text = self.line_mark_at(event.pos().y())
            QToolTip.showText(event.globalPos(), plain_tooltip(text) if text else "", self.viewport())
            return True
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = key_action(self, event)
        if action is None:
            event.ignore()
            return
        action()
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer.move(event.position().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pointer.release()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._pointer.double_click(event)

    def drop_or_keep(self) -> None:
        self.request("keep" if self.current_hunk in self.display.dropped else "drop", self.current_hunk)

    def drop_or_keep_lines(self) -> None:
        added, removed = self.marked_changes
        if (added or removed) and "drop" in self.display.offers:
            self.lines_requested.emit(added, removed)

    def request_comment(self) -> None:
        if "comment" in self.display.offers and len(self.rows):
            self.comment_requested.emit(*self.marked_lines)

    def open_file(self) -> None:
        self.open_requested.emit(self.diff.path, self.current_line)

    def request(self, what: str, hunk: int) -> None:
        if not hunk or what not in self.display.offers:
            return
        if what == "drop":
            self.drop_requested.emit(hunk)
        elif what == "keep":
            self.keep_requested.emit(hunk)
        else:
            self.request_comment()

    def unfold_row(self, index: int) -> None:
        self.unfold(self.rows.row(index).number)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.row_at(event.pos().y())
        if event.reason() == QContextMenuEvent.Reason.Mouse and index is not None and self.display.selection is None:
            self.set_current(index)
        self.menu().exec(event.globalPos())

    def menu(self) -> QMenu:
        return context_menu(self)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.display.current < 0 and event.reason() in _KEYBOARD_REASONS and len(self.rows):
            self.display.current = self.row_at(0) or 0
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()


_KEYBOARD_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
