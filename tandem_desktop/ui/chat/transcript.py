"""A conversation of any length: only the rows near the eye exist as widgets, the rest are heights."""

import time
from bisect import bisect_left, bisect_right
from itertools import accumulate
from operator import add

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget

from tandem_desktop.domain.chat import EntryKind
from tandem_desktop.ui.chat.decision_card import DecisionCard
from tandem_desktop.ui.chat.entry_widget import EntryWidget
from tandem_desktop.ui.chat.permission_card import PermissionCard
from tandem_desktop.ui.chat.plan_card import PlanCard, PlanFacts
from tandem_desktop.ui.chat.problem_card import ProblemCard
from tandem_desktop.ui.chat.spoken import AgentMessage, NoteLine, PersonBubble, Thinking
from tandem_desktop.ui.chat.tool_chip import ToolChip
from tandem_desktop.ui.models.transcript_model import Row, TranscriptModel
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.announce import announce

WIDEST = 820
"""Longer lines than this are hard to read; a wide pane leaves room at both sides."""

_FIRST_GUESS = {EntryKind.TOOL: 30, EntryKind.THOUGHT: 24, EntryKind.NOTE: 20, EntryKind.AGENT: 96}
_QUICKEST_MS = 30
_SHARE_OF_TIME = 4
"""While text streams in, drawing it takes at most one part in so many of the time."""


class Transcript(QAbstractScrollArea):
    """Shows a `TranscriptModel`. Stays at the end while it is there, and stays put while it is not."""

    link_activated = Signal(str)
    file_activated = Signal(str)
    approve_requested = Signal(str)
    deny_requested = Signal(str, str)
    view_requested = Signal(str, int)
    undo_requested = Signal(str)
    permission_answered = Signal(str, object, str)
    edit_requested = Signal(int)
    restart_requested = Signal()
    log_requested = Signal()
    typed = Signal(str)
    at_end_changed = Signal(bool)

    def __init__(self, model: TranscriptModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._theme = theme
        self._heights: list[int] = []
        self._gaps: list[int] = []
        self._known_tops: list[int] = []
        """Empty when a height or a gap has changed since."""
        self._measured: list[bool] = []
        self._widgets: dict[int, EntryWidget] = {}
        """By the number of the row's first entry, which a row keeps while others come and go."""
        self._open: set[int] = set()
        self._facts: dict[tuple[str, int], PlanFacts] = {}
        self._at_end = True
        self._is_placing = False
        self._has_new = False
        self._grown: set[int] = set()
        self._growing = QTimer(self)
        self._growing.setSingleShot(True)
        self._growing.timeout.connect(self._draw_grown)
        self._cost_ms = 0.0
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._place)
        self.setObjectName("transcript")
        self.setAccessibleName("Conversation")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        model.rowsInserted.connect(self._rows_inserted)
        model.dataChanged.connect(lambda first, last: self._row_changed(first.row()))
        model.modelReset.connect(self._start_over)
        theme.changed.connect(self._start_over)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._focus_moved)
        self._start_over()

    @property
    def is_at_end(self) -> bool:
        return self._at_end

    @property
    def materialised(self) -> int:
        """How many rows exist as widgets now."""
        return len(self._widgets)

    def widget_of(self, number: int) -> EntryWidget | None:
        """The widget that shows the entry with this number, while it is near the eye."""
        return self._widgets.get(number)

    def set_facts(self, facts: PlanFacts) -> None:
        """What is known of a revision by now; its card follows."""
        self._facts[facts.plan_id, facts.revision] = facts
        for widget in self._widgets.values():
            self._inform(widget)

    def reopen(self, plan_id: str) -> None:
        """Let the cards of a plan ask again, after an answer that could not be carried out."""
        for widget in self._widgets.values():
            if isinstance(widget, PlanCard) and widget.plan_id == plan_id:
                widget.reopen()

    def waiting_card(self) -> DecisionCard | None:
        """The newest card that waits for the person."""
        for row in reversed(self._model.rows):
            widget = self._widgets.get(row.number)
            card = widget.card if isinstance(widget, PlanCard | PermissionCard) else None
            if card is not None and card.is_waiting:
                return card
        return None

    def jump_to_end(self) -> None:
        self._set_at_end(True)
        self._place()

    def settle_now(self) -> None:
        """Make what has just arrived, without waiting for the next turn of the event loop."""
        self._place()

    def press(self, key: str) -> bool:
        """A digit for the newest card that waits."""
        card = self.waiting_card()
        return card is not None and card.press(key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        moves = {
            Qt.Key.Key_Up: -self._theme.px(48),
            Qt.Key.Key_Down: self._theme.px(48),
            Qt.Key.Key_PageUp: -self.viewport().height() + self._theme.px(32),
            Qt.Key.Key_PageDown: self.viewport().height() - self._theme.px(32),
        }
        key = Qt.Key(event.key())
        if key in moves:
            bar.setValue(bar.value() + moves[key])
        elif key == Qt.Key.Key_Home:
            bar.setValue(0)
        elif key == Qt.Key.Key_End:
            self.jump_to_end()
        elif (
            event.text() and event.text().isprintable() and not event.modifiers() & Qt.KeyboardModifier.ControlModifier
        ):
            if not self.press(event.text()):
                self.typed.emit(event.text())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._measured = [False] * len(self._measured)
        # A scroll bar that comes or goes while rows are placed makes the column narrower or wider: place them again.
        self._soon.start() if self._is_placing else self._place()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._place()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._soon.start()
        return super().viewportEvent(event)

    # What the model says

    def _start_over(self) -> None:
        for widget in self._widgets.values():
            widget.hide()
            widget.deleteLater()
        self._widgets.clear()
        self._grown.clear()
        rows = self._model.rows
        self._heights = [self._guess(row) for row in rows]
        self._gaps = [self._gap(at) for at in range(len(rows))]
        self._known_tops = []
        self._measured = [False] * len(rows)
        self._soon.start()

    def _rows_inserted(self, parent: object, first: int, last: int) -> None:
        for at in range(first, last + 1):
            row = self._model.row(at)
            self._heights.insert(at, self._guess(row))
            self._gaps.insert(at, self._gap(at))
            self._known_tops = []
            self._measured.insert(at, False)
            if row.kind in (EntryKind.QUESTION, EntryKind.PLAN, EntryKind.PROBLEM):
                announce(self, row.words(), urgent=row.kind is not EntryKind.PLAN)
        self._soon.start()

    def _row_changed(self, at: int) -> None:
        if self._model.row(at).number in self._widgets:
            self._grown.add(at)
            if not self._growing.isActive():
                self._growing.start(max(_QUICKEST_MS, int(self._cost_ms * _SHARE_OF_TIME)))
        else:
            self._measured[at] = False

    def _draw_grown(self) -> None:
        began = time.perf_counter()
        for at in self._grown:
            row = self._model.row(at)
            widget = self._widgets.get(row.number)
            if widget is not None:
                widget.set_row(row)
            self._measured[at] = False
        self._grown.clear()
        self._place()
        self._cost_ms = (time.perf_counter() - began) * 1000

    # Where things are

    def _place(self) -> None:
        """Make the rows in sight, measure them, and put them where they belong."""
        if self._is_placing or not self.isVisible():
            return
        self._is_placing = True
        try:
            anchor = self._anchor()
            for _ in range(6):
                top = self._top(anchor)
                wanted = self._near(top)
                if not self._measure(wanted):
                    break
            self._settle(anchor)
        finally:
            self._is_placing = False

    def _anchor(self) -> tuple[int, int]:
        """The row at the upper edge, and how much of it is above the edge."""
        tops, value = self._tops(), self.verticalScrollBar().value()
        at = max(bisect_right(tops, value) - 1, 0)
        return at, value - tops[at]

    def _top(self, anchor: tuple[int, int]) -> int:
        tops = self._tops()
        most = max(tops[-1] - self.viewport().height(), 0)
        if self._at_end or not self._heights:
            return most
        return min(tops[min(anchor[0], len(tops) - 1)] + anchor[1], most)

    def _near(self, top: int) -> range:
        """The rows in sight and a little beyond."""
        tops = self._tops()
        height = self.viewport().height()
        first = max(bisect_right(tops, top - height // 2) - 1, 0)
        return range(first, min(bisect_left(tops, top + height + height // 2), len(self._heights)))

    def _measure(self, wanted: range) -> bool:
        """Whether a height turned out to be another than was thought."""
        changed = False
        width = self._column().width()
        for at in wanted:
            row = self._model.row(at)
            widget = self._widgets.get(row.number) or self._make(row)
            if self._measured[at]:
                continue
            height = widget.needed_height(width)
            self._measured[at] = True
            if height != self._heights[at]:
                self._heights[at], self._known_tops, changed = height, [], True
        return changed

    def _settle(self, anchor: tuple[int, int]) -> None:
        tops, top = self._tops(), self._top(anchor)
        bar = self.verticalScrollBar()
        bar.setRange(0, max(tops[-1] - self.viewport().height(), 0))
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(self._theme.px(24))
        bar.setValue(top)
        column, near = self._column(), self._near(top)
        for number, widget in list(self._widgets.items()):
            at = self._model.place_of(number)
            if at is None or (at not in near and not widget.is_kept):
                del self._widgets[number]
                widget.hide()
                widget.deleteLater()
                continue
            place = QRect(column.left(), tops[at] + self._gaps[at] - top, column.width(), self._heights[at])
            if widget.geometry() != place:
                widget.setGeometry(place)
            if not widget.isVisible():
                widget.show()
        if self._has_new:
            self._has_new = False
            self._order_for_tab()

    def _tops(self) -> list[int]:
        """Where each row begins, its gap included, and where the last one ends."""
        if not self._known_tops:
            self._known_tops = list(accumulate(map(add, self._gaps, self._heights), initial=0))
            self._known_tops[-1] += self._theme.px(16)
        return self._known_tops

    def _gap(self, at: int) -> int:
        if at == 0:
            return self._theme.px(16)
        quiet = (EntryKind.TOOL, EntryKind.THOUGHT)
        before, here = self._model.row(at - 1).kind, self._model.row(at).kind
        if here in quiet and before in (*quiet, EntryKind.AGENT):
            return self._theme.px(8)
        return self._theme.px(16 if EntryKind.PERSON in (before, here) else 12)

    def _column(self) -> QRect:
        side = self._theme.px(16)
        room = self.viewport().width() - 2 * side
        width = max(min(room, self._theme.px(WIDEST)), self._theme.px(80))
        return QRect(side + max(room - width, 0) // 2, 0, width, 0)

    def _guess(self, row: Row) -> int:
        lines = 1 + len(row.last.text) // 60 + row.last.text.count("\n") if row.kind is EntryKind.AGENT else 1
        return self._theme.px(max(_FIRST_GUESS.get(row.kind, 48) if lines < 5 else 0, 18 * lines))

    # Widgets come and go

    def _make(self, row: Row) -> EntryWidget:
        widget = _KINDS[row.kind](self._theme, self.viewport())
        widget.link_activated.connect(self.link_activated)
        widget.file_activated.connect(self.file_activated)
        match widget:
            case PersonBubble():
                widget.edit_requested.connect(self.edit_requested)
            case PlanCard():
                widget.approve_requested.connect(self.approve_requested)
                widget.deny_requested.connect(self.deny_requested)
                widget.view_requested.connect(self.view_requested)
                widget.typed.connect(self.typed)
            case PermissionCard():
                widget.answered.connect(self.permission_answered)
                widget.typed.connect(self.typed)
            case ProblemCard():
                widget.restart_requested.connect(self.restart_requested)
                widget.log_requested.connect(self.log_requested)
            case NoteLine():
                widget.view_requested.connect(self.view_requested)
                widget.undo_requested.connect(self.undo_requested)
            case _:
                pass
        widget.set_row(row)
        self._inform(widget, row)
        number = row.number
        widget.set_open(number in self._open)
        widget.opened.connect(lambda is_open: self._remember(number, is_open))
        widget.height_changed.connect(lambda: self._height_changed(number))
        self._widgets[number] = widget
        self._has_new = True
        widget.ensurePolished()
        return widget

    def _order_for_tab(self) -> None:
        """Rows are made in the order they come into sight; Tab goes through them as they stand."""
        before: QWidget = self
        for number in sorted(self._widgets):
            row = self._widgets[number]
            for widget in (row, *row.findChildren(QWidget)):
                if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
                    QWidget.setTabOrder(before, widget)
                    before = widget

    def _inform(self, widget: EntryWidget, row: Row | None = None) -> None:
        if not isinstance(widget, PlanCard):
            return
        if row is None:
            row = next((each for each in self._model.rows if self._widgets.get(each.number) is widget), None)
        facts = self._facts.get((row.last.plan_id or "", row.last.revision)) if row is not None else None
        if facts is not None:
            widget.set_facts(facts)

    def _remember(self, number: int, is_open: bool) -> None:
        (self._open.add if is_open else self._open.discard)(number)
        self._height_changed(number)

    def _height_changed(self, number: int) -> None:
        if self._is_placing:
            return
        at = self._model.place_of(number)
        if at is not None:
            self._measured[at] = False
            self._soon.start()

    # Staying at the end, or not

    def _scrolled(self, value: int) -> None:
        if self._is_placing:
            return
        self._set_at_end(value >= self.verticalScrollBar().maximum() - self._theme.px(8))
        self._place()

    def _set_at_end(self, at_end: bool) -> None:
        if at_end != self._at_end:
            self._at_end = at_end
            self.at_end_changed.emit(at_end)

    def _focus_moved(self, old: QWidget | None, now: QWidget | None) -> None:
        if now is None or not self.viewport().isAncestorOf(now):
            return
        top = now.mapTo(self.viewport(), QPoint(0, 0)).y()
        bottom = top + min(now.height(), self.viewport().height())
        margin, bar = self._theme.px(12), self.verticalScrollBar()
        if top < 0:
            bar.setValue(bar.value() + top - margin)
        elif bottom > self.viewport().height():
            bar.setValue(bar.value() + bottom - self.viewport().height() + margin)


_KINDS: dict[EntryKind, type[EntryWidget]] = {
    EntryKind.PERSON: PersonBubble,
    EntryKind.AGENT: AgentMessage,
    EntryKind.THOUGHT: Thinking,
    EntryKind.TOOL: ToolChip,
    EntryKind.PLAN: PlanCard,
    EntryKind.QUESTION: PermissionCard,
    EntryKind.NOTE: NoteLine,
    EntryKind.PROBLEM: ProblemCard,
}
