"""The transcript view; creates only visible rows."""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import replace
from itertools import accumulate
from operator import add

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget

from tandem_desktop.domain.agent_protocol import EntryKind
from tandem_desktop.ui.chat.cards import DecisionCard, PermissionCard
from tandem_desktop.ui.chat.entries import EDGE, PASSED_ON, NoteLine, gap, guessed_height, is_for, make_entry
from tandem_desktop.ui.chat.entry_widget import EntryWidget
from tandem_desktop.ui.chat.plan_card import PlanCard, PlanFacts
from tandem_desktop.ui.chat.reflection_card import ReflectionCard, ReflectionFacts
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.models.transcript import TranscriptModel, TranscriptRow
from tandem_desktop.ui.plan_text import RunFacts
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.decision_guard import release_focus
from tandem_desktop.ui.widgets.labels import announce


class KnownPlans:
    """The known plan revisions; only the latest of each plan can be waiting."""

    def __init__(self) -> None:
        self._facts: dict[tuple[str, int], PlanFacts] = {}
        self._latest: dict[str, int] = {}

    def learn(self, facts: PlanFacts) -> None:
        self._facts[facts.plan_id, facts.revision] = facts
        self.note(facts.plan_id, facts.revision)

    def note(self, plan_id: str, revision: int) -> None:
        """Note that a revision exists."""
        self._latest[plan_id] = max(revision, self._latest.get(plan_id, 0))

    def of(self, plan_id: str | None, revision: int) -> PlanFacts | None:
        facts = self._facts.get((plan_id or "", revision))
        if facts is not None and facts.is_waiting and revision < self._latest[facts.plan_id]:
            return replace(facts, is_waiting=False, state=tr("Superseded"), tone="neutral")
        return facts


class RowFacts:
    """The latest facts of plans, reflections and runs, for rows that are created later."""

    def __init__(self) -> None:
        self.plans = KnownPlans()
        self._reflections: dict[str, ReflectionFacts] = {}
        self._runs: dict[str, RunFacts] = {}

    def know(self, *facts: PlanFacts | ReflectionFacts) -> None:
        for each in facts:
            if isinstance(each, PlanFacts):
                self.plans.learn(each)
            else:
                self._reflections[each.reflection.run_id] = each

    def set_runs(self, runs: Iterable[RunFacts]) -> None:
        """Replace the facts of all runs."""
        self._runs = {run.run_id: run for run in runs}

    def inform(self, widget: EntryWidget, row: TranscriptRow) -> None:
        entry = row.last
        if isinstance(widget, NoteLine) and (run := self._runs.get(widget.run_id or "")) is not None:
            widget.show_run(run, self.plans.of(run.plan_id, run.revision))
        elif isinstance(widget, PlanCard) and (plan := self.plans.of(entry.plan_id, entry.revision)):
            widget.set_facts(plan)
        elif isinstance(widget, ReflectionCard) and (found := self._reflections.get(entry.run_id or "")):
            widget.set_facts(found)


class TranscriptGeometry:
    """Row heights and the gaps above them, in pixels. Independent of widgets."""

    def __init__(self, below: int = 0) -> None:
        self._heights: list[int] = []
        self._gaps: list[int] = []
        self._measured: list[bool] = []
        self._below = below
        self._known_tops: list[int] = []
        """Cache; empty after a height or gap changed."""

    def __len__(self) -> int:
        return len(self._heights)

    @property
    def end(self) -> int:
        return self._tops()[-1]

    def insert(self, at: int, gap: int, guess: int) -> None:
        self._heights.insert(at, guess)
        self._gaps.insert(at, gap)
        self._measured.insert(at, False)
        self._known_tops = []

    def remove(self, at: int) -> None:
        del self._heights[at], self._gaps[at], self._measured[at]
        self._known_tops = []

    def set_gap(self, at: int, gap: int) -> None:
        self._gaps[at] = gap
        self._known_tops = []

    def forget(self, at: int) -> None:
        """Mark the height as outdated; it serves as an estimate until measured again."""
        self._measured[at] = False

    def forget_all(self) -> None:
        self._measured = [False] * len(self._measured)

    def is_measured(self, at: int) -> bool:
        return self._measured[at]

    def learn(self, at: int, height: int) -> bool:
        """Set a measured height; returns whether it differs from the estimate."""
        self._measured[at] = True
        if height == self._heights[at]:
            return False
        self._heights[at] = height
        self._known_tops = []
        return True

    def height(self, at: int) -> int:
        return self._heights[at]

    def top(self, at: int) -> int:
        """The row's top, below its gap."""
        return self._tops()[at] + self._gaps[at]

    def anchor(self, edge: int) -> tuple[int, int]:
        """The row at the view's upper edge, and its offset above the edge."""
        tops = self._tops()
        at = max(bisect_right(tops, edge) - 1, 0)
        return at, edge - tops[at]

    def edge(self, anchor: tuple[int, int]) -> int:
        """The scroll position that keeps the anchor in place."""
        tops = self._tops()
        return tops[min(anchor[0], len(tops) - 1)] + anchor[1]

    def near(self, edge: int, height: int) -> range:
        """The rows in a view of this height, plus half a view on each side."""
        tops = self._tops()
        first = max(bisect_right(tops, edge - height // 2) - 1, 0)
        return range(first, min(bisect_left(tops, edge + height + height // 2), len(self._heights)))

    def _tops(self) -> list[int]:
        """The start of each row including its gap, and the end of the last."""
        if not self._known_tops:
            self._known_tops = list(accumulate(map(add, self._gaps, self._heights), initial=0))
            self._known_tops[-1] += self._below
        return self._known_tops


WIDEST = 820
"""Maximum text width; longer lines are hard to read."""

_MOST_TRIES = 6
"""Layout passes: rows shorter than estimated bring more rows into view."""
_AT_ONCE_S = 0.012
"""Time limit for creating rows at the end, so that input and painting are not delayed."""
_QUICKEST_MS = 30
_SHARE_OF_TIME = 4
"""Streaming updates wait this many times the last drawing time."""


class Transcript(QAbstractScrollArea):
    """Shows a `TranscriptModel`. At the end it follows new rows; elsewhere it keeps the position."""

    link_activated = Signal(str)
    file_activated = Signal(str)
    view_requested = Signal(str, int)
    undo_requested = Signal(str)
    permission_answered = Signal(str, object, str)
    edit_requested = Signal(int)
    back_requested = Signal(int)
    restart_requested = Signal()
    model_requested = Signal()
    login_requested = Signal(object)
    log_requested = Signal()
    reflection_requested = Signal(object)
    question_answered = Signal(str, object, object)
    address_opened = Signal(str)
    typed = Signal(str)
    at_end_changed = Signal(bool)

    def __init__(self, model: TranscriptModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._theme = theme
        self._places = TranscriptGeometry()
        self._widgets: dict[int, EntryWidget] = {}
        """By the number of the row's first entry, which is stable."""
        self._open: set[int] = set()
        self._facts = RowFacts()
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
        self.setAccessibleName(tr("Conversation"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        model.rowsInserted.connect(self._rows_inserted)
        model.dataChanged.connect(lambda first, last: self._row_changed(first.row()))
        model.rowsRemoved.connect(self._rows_removed)
        model.modelReset.connect(self._start_over)
        theme.changed.connect(self._start_over)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._focus_moved)
        self._start_over()

    def know(self, *facts: PlanFacts | ReflectionFacts) -> None:
        """Update the facts of revisions and reflections, and their cards."""
        self._facts.know(*facts)
        self._inform_all()

    def set_runs(self, runs: Iterable[RunFacts]) -> None:
        """Replace the facts of all runs, and update their notes."""
        self._facts.set_runs(runs)
        self._inform_all()

    def waiting_card(self) -> DecisionCard | None:
        """The newest card that waits for a decision."""
        for row in reversed(self._model.rows):
            widget = self._widgets.get(row.number)
            card = widget.card if isinstance(widget, PermissionCard | ReflectionCard) else None
            if card is not None and card.is_waiting:
                return card
        return None

    @property
    def is_at_end(self) -> bool:
        return self._at_end

    def jump_to_end(self) -> None:
        self._set_at_end(True)
        self._place()

    def show_start(self, number: int) -> None:
        """Where the view follows the end: show the start of a row that is taller than the view."""
        self._place()
        at = self._model.place_of(number)
        if at is not None and self._at_end and self._places.height(at) > self.viewport().height():
            self.verticalScrollBar().setValue(self._places.top(at) - self._theme.px(EDGE))

    @property
    def shows_question(self) -> bool:
        """Whether the last row is an open question of the agent, and at least its start is in view."""
        last = len(self._model.rows) - 1
        if last < 0 or (entry := self._model.row(last).last).kind is not EntryKind.ELICITATION or entry.answer:
            return False
        return self._places.top(last) - self.verticalScrollBar().value() < self.viewport().height()

    def settle_now(self) -> None:
        """Create and place new rows now, not in the next event loop iteration."""
        self._place()

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
            self.typed.emit(event.text())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._places.forget_all()
        # Placing rows may show or hide the scroll bar, which changes the width: place again.
        self._soon.start() if self._is_placing else self._place()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._place()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._soon.start()
        return super().viewportEvent(event)

    # Model changes

    def _start_over(self) -> None:
        for widget in self._widgets.values():
            widget.hide()
            widget.deleteLater()
        self._widgets.clear()
        self._grown.clear()
        self._places = TranscriptGeometry(below=self._theme.px(EDGE))
        for at in range(self._model.rowCount()):
            self._add_place(at)
        self._soon.start()

    def _rows_inserted(self, parent: object, first: int, last: int) -> None:
        for at in range(first, last + 1):
            self._add_place(at)
            row = self._model.row(at)
            if row.kind in (EntryKind.QUESTION, EntryKind.ELICITATION, EntryKind.PLAN, EntryKind.PROBLEM):
                announce(self, row.words(), urgent=row.kind is not EntryKind.PLAN)
        self._inform_all()
        self._update_gap(last + 1)

    def _rows_removed(self, parent: object, first: int, last: int) -> None:
        for _ in range(first, last + 1):
            self._places.remove(first)
        self._update_gap(first)

    def _add_place(self, at: int) -> None:
        row = self._model.row(at)
        if row.kind is EntryKind.PLAN:
            self._facts.plans.note(row.last.plan_id or "", row.last.revision)
        before = self._model.row(at - 1) if at else None
        self._places.insert(at, self._theme.px(gap(before, row)), self._theme.px(guessed_height(row)))

    def _update_gap(self, at: int) -> None:
        """Update the gap of the row at `at`, which has a new predecessor."""
        if at < self._model.rowCount() == len(self._places):
            before = self._model.row(at - 1) if at else None
            self._places.set_gap(at, self._theme.px(gap(before, self._model.row(at))))
        self._soon.start()

    def _row_changed(self, at: int) -> None:
        row = self._model.row(at)
        number = row.number
        if number in self._widgets and not is_for(self._widgets[number], row):
            old = self._widgets.pop(number)
            release_focus(old)
            old.hide()
            old.deleteLater()
            self._places.forget(at)
            self._soon.start()
        elif number in self._widgets:
            self._grown.add(number)
            if not self._growing.isActive():
                self._growing.start(max(_QUICKEST_MS, int(self._cost_ms * _SHARE_OF_TIME)))
        else:
            self._places.forget(at)

    def _draw_grown(self) -> None:
        began = time.perf_counter()
        for number in self._grown:
            at, widget = self._model.place_of(number), self._widgets.get(number)
            if at is not None and widget is not None:
                widget.set_row(self._model.row(at))
                self._places.forget(at)
        self._grown.clear()
        self._place()
        self._cost_ms = (time.perf_counter() - began) * 1000

    # Placement

    def _place(self) -> None:
        """Create, measure and place the visible rows."""
        if self._is_placing or not self.isVisible():
            return
        self._is_placing = True
        try:
            anchor = self._places.anchor(self.verticalScrollBar().value())
            until = time.perf_counter() + _AT_ONCE_S
            for _ in range(_MOST_TRIES):
                if not self._measure(self._near(self._edge(anchor)), until):
                    break
            self._settle(self._edge(anchor))
        finally:
            self._is_placing = False

    def _edge(self, anchor: tuple[int, int]) -> int:
        """Scroll position of the view's upper edge."""
        most = max(self._places.end - self.viewport().height(), 0)
        return most if self._at_end else min(self._places.edge(anchor), most)

    def _near(self, edge: int) -> range:
        return self._places.near(edge, self.viewport().height())

    def _measure(self, wanted: range, until: float) -> bool:
        """Measure rows until the time limit; returns whether a height differed from its estimate."""
        changed = False
        width = self._column().width()
        for at in reversed(wanted) if self._at_end else wanted:
            row = self._model.row(at)
            known = self._widgets.get(row.number)
            if known is None and self._at_end and self._has_new and time.perf_counter() > until:
                self._soon.start()  # rows above the end can follow later without moving the visible text
                break
            widget = known or self._make(row)
            if not self._places.is_measured(at):
                changed |= self._places.learn(at, widget.needed_height(width))
        return changed

    def _settle(self, edge: int) -> None:
        bar = self.verticalScrollBar()
        bar.setRange(0, max(self._places.end - self.viewport().height(), 0))
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(self._theme.px(24))
        bar.setValue(edge)
        if not bar.maximum():
            self._set_at_end(True)  # all of it is in view
        column, near = self._column(), self._near(edge)
        for number, widget in list(self._widgets.items()):
            at = self._model.place_of(number)
            if at is None or self._model.row(at).number != number or (at not in near and not widget.is_kept):
                del self._widgets[number]
                widget.hide()
                widget.deleteLater()
                continue
            place = QRect(column.left(), self._places.top(at) - edge, column.width(), self._places.height(at))
            if widget.geometry() != place:
                widget.setGeometry(place)
            if not widget.isVisible():
                widget.show()
        if self._has_new:
            self._has_new = False
            self._order_for_tab()

    def _column(self) -> QRect:
        side = self._theme.px(16)
        room = self.viewport().width() - 2 * side
        width = max(min(room, self._theme.px(WIDEST)), self._theme.px(80))
        return QRect(side + max(room - width, 0) // 2, 0, width, 0)

    # Widgets

    def _make(self, row: TranscriptRow) -> EntryWidget:
        widget = make_entry(row, self._theme, self.viewport())
        for name in PASSED_ON:
            signal = getattr(widget, name, None)
            if signal is not None:
                signal.connect(getattr(self, name))
        if isinstance(widget, PermissionCard):
            widget.answered.connect(self.permission_answered)
        widget.set_row(row)
        self._facts.inform(widget, row)
        number = row.number
        widget.set_open(number in self._open)
        widget.opened.connect(lambda is_open: self._remember(number, is_open))
        widget.height_changed.connect(lambda: self._height_changed(number))
        self._widgets[number] = widget
        self._has_new = True
        widget.ensurePolished()
        return widget

    def _order_for_tab(self) -> None:
        """Set the tab order by row; widgets are created in the order they become visible."""
        before: QWidget = self
        for number in sorted(self._widgets):
            row = self._widgets[number]
            for widget in (row, *row.findChildren(QWidget)):
                if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
                    QWidget.setTabOrder(before, widget)
                    before = widget

    def _inform_all(self) -> None:
        for row in self._model.rows:
            if (widget := self._widgets.get(row.number)) is not None:
                self._facts.inform(widget, row)

    def _remember(self, number: int, is_open: bool) -> None:
        (self._open.add if is_open else self._open.discard)(number)
        self._height_changed(number)

    def _height_changed(self, number: int) -> None:
        if self._is_placing:
            return
        at = self._model.place_of(number)
        if at is not None:
            self._places.forget(at)
            self._soon.start()

    # Scrolling

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
