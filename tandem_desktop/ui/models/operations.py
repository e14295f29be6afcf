"""The model of staged operations."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal

from tandem_desktop.diff.hunk_classes import ALONE, ProvedChange
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.review import Comment
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tandem_desktop.review.attention import risk
from tandem_desktop.review.choices import ChoicePart, Choices
from tandem_desktop.review.operation_view import OperationView, with_its_move
from tandem_desktop.review.ranking import Rank
from tandem_desktop.services.pages import PlanFocus
from tandem_desktop.ui.i18n import tr, tr_marked, tr_n
from tandem_desktop.ui.models.operation_filter import (
    OF_KIND,
    OF_RANK,
    Listing,
    OperationFilter,
    Sorting,
    answers_to,
    changed_text,
    is_under,
    lines_with,
    properties,
)
from tandem_desktop.ui.models.renames import Renames, result_of_both
from tandem_desktop.ui.plan import rehearsal_text, wording
from tandem_desktop.ui.plan.rehearsal_text import Rehearsed


@dataclass(frozen=True, slots=True)
class LineMark:
    """What checks say about one line of a file as the plan leaves it."""

    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class OperationRow:
    """Everything shown of one operation."""

    view: OperationView
    position: int
    """Zero-based position among the rows of the plan, independent of filter and sort order."""
    viewed: bool
    expanded: bool
    drift: str
    result: OperationResult | None
    running: bool
    """Whether the plan runs or ran; then results replace the viewed box."""
    change: str
    """`new`, `changed` or `moved` against the revision it is compared with."""
    checked: bool
    """False while the agent drafts: flags come with the revision."""
    since: float | None = None
    """When it started, by the monotonic clock."""
    dropped: bool = False
    """Dropped by the user; listed until the choice is saved as a revision."""
    part: ChoicePart | None = None
    """The user's changes within it."""
    problem: str = ""
    """Why it would no longer apply with the user's choices."""
    comments: tuple[Comment, ...] = ()
    """Unsent comments on it."""
    line_marks: Mapping[int, LineMark] = field(default_factory=dict)
    """What checks newly say about its lines, by number from one."""
    rehearsed: Rehearsed | None = None
    """Its rehearsal result."""
    proved: tuple[ProvedChange, ...] = ()
    """Its changes that are proved to be mechanical."""
    rank: Rank | None = None
    """What it is to a reader; None until that is known."""
    move: StagedOperation | None = None
    """The move of the file it edits, which is listed, viewed, dropped and kept with it."""

    @property
    def operation(self) -> StagedOperation:
        return self.view.operation

    @property
    def operations(self) -> tuple[StagedOperation, ...]:
        """All that the row stands for, in the order of the plan."""
        return (self.operation,) if self.move is None else (self.move, self.operation)

    @property
    def named(self) -> StagedOperation:
        """The operation whose kind and paths the row tells."""
        return self.move or self.operation

    @property
    def is_under_way(self) -> bool:
        return self.result is not None and self.result.status is ResultStatus.RUNNING


def tells(result: OperationResult) -> bool:
    """Whether a result has more text than fits its line."""
    return bool(result.error or result.output) or result.status is ResultStatus.RUNNING


def has_ended(result: OperationResult) -> bool:
    return result.status not in (ResultStatus.PENDING, ResultStatus.RUNNING)


def does_the_same(one: StagedOperation, other: StagedOperation) -> bool:
    """Whether both have the same effect, ignoring descriptions and dependencies."""
    return one is other or (
        (one.kind, one.path, one.to, one.base, one.after, one.call)
        == (other.kind, other.path, other.to, other.base, other.after, other.call)
    )


def spoken(row: OperationRow) -> str:
    parts = [f"{row.position + 1}: {wording.title(row.named)}"]
    if row.view.has_lines:
        parts.append(tr("{added} added, {removed} removed", added=row.view.added, removed=row.view.removed))
    parts += [wording.flag_title(row.view, flag) for flag in row.view.flags]
    parts += [
        each for each in (tr_marked(row.change), row.drift, row.problem, tr("dropped") if row.dropped else "") if each
    ]
    if row.part is not None and (chosen := wording.part_words(row.part)):
        parts.append(chosen)
    if words := wording.proved_words(row.view, row.proved):
        parts.append(words)
    if row.comments:
        parts.append(tr_n("{n} comment", "{n} comments", len(row.comments)))
    if row.rehearsed is not None:
        parts.append(rehearsal_text.sentence(row.rehearsed))
    if row.result is not None:
        parts.append(wording.RESULTS[row.result.status])
    elif not row.running:
        parts.append(tr("viewed") if row.viewed else tr("not viewed"))
    parts.append(tr("opened") if row.expanded else tr("closed"))
    return ", ".join(parts)


_SEARCH_SECONDS = 0.012
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class StagedOperationsModel(QAbstractListModel):
    """The operations in execution order, with viewed and expanded state."""

    RowRole = Qt.ItemDataRole.UserRole + 1
    viewed_changed = Signal()
    facts_changed = Signal()
    """Something that is counted changed; what is listed, expanded or running is not."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._views: list[OperationView] = []
        self._shown: list[int] = []
        self._rows: dict[OperationId, int] | None = None
        """Cached lookup; rebuilt when rows are added, removed or moved."""
        self._places: dict[OperationId, int] | None = None
        """The index of each operation in `_views`; rebuilt like the rows."""
        self.renames = Renames()
        self._viewed: set[OperationId] = set()
        self._expanded: set[OperationId] = set()
        self._drift: dict[OperationId, str] = {}
        self._results: dict[OperationId, OperationResult] = {}
        self._done = 0
        self._since: dict[OperationId, float] = {}
        self._telling: set[OperationId] = set()
        """Operations whose results have more text than fits their line."""
        self._under_way: OperationId | None = None
        self._begun_at, self._goes_beside = 0, False
        self._changes: dict[OperationId, str] = {}
        self._choices: Choices | None = None
        self._dropped: frozenset[OperationId] = frozenset()
        self._parts: dict[OperationId, ChoicePart] = {}
        self._problems: dict[OperationId, str] = {}
        self._comments: dict[OperationId, tuple[Comment, ...]] = {}
        self._line_marks: dict[OperationId, Mapping[int, LineMark]] = {}
        self._rehearsed: Mapping[OperationId, Rehearsed] = {}
        self._focus: PlanFocus | None = None
        self._running = False
        self._checked = True
        self._kinds: Counter[OperationFilter] = Counter()
        """How many operations are of each kind, and flagged."""
        self._listing = Listing()
        self._wanted = ""
        """The text that is looked for, in small letters."""
        self._found: dict[OperationId, int] = {}
        self._changed_texts: dict[OperationId, tuple[OperationView, str]] = {}
        """What was searched before, with the view it is of."""
        self._search_timer = QTimer(self, interval=0, singleShot=True)
        self._search_timer.timeout.connect(self._go_on_searching)

    # Qt model interface

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        row = self.row(index.row())
        if role == self.RowRole:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return wording.title(row.named)
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if row.viewed else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.ToolTipRole:
            return None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken(row)
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return wording.spoken_changes(row.view) if row.expanded else ""
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        usual = super().flags(index)
        return usual | Qt.ItemFlag.ItemIsUserCheckable if index.isValid() else usual

    # Input

    def show(
        self,
        views: Sequence[OperationView],
        *,
        drift: Mapping[OperationId, str] | None = None,
        results: Iterable[OperationResult] = (),
        running: bool = False,
        checked: bool = True,
        choices: Choices | None = None,
        problems: Mapping[OperationId, str] | None = None,
    ) -> None:
        """Show a revision. Viewed and expanded state is kept for operations with the same effect."""
        unchanged = self._unchanged(views)
        self._take_choices(choices)
        grows = self._grows(views, checked) and Renames.of(views, self._dropped) == self.renames
        first = len(self._views)
        if not grows:
            self.beginResetModel()
        self._viewed &= unchanged
        self._expanded &= unchanged
        self._drift, self._changes = dict(drift or {}), {}
        self._problems = dict(problems or {})
        self._results = {result.id: result for result in results}
        self._done = sum(map(has_ended, self._results.values()))
        self._telling = {each.id for each in self._results.values() if tells(each)}
        self._running, self._checked = running, checked
        if grows:
            self._append(views[first:])
            self._take_views(views)  # keep the new objects: the next comparison is by identity
            self._all_changed()
        else:
            self._take_views(views)
            self._shown = self._chosen()
            self.endResetModel()
        self.viewed_changed.emit()
        self.facts_changed.emit()

    def put(self, view: OperationView) -> None:
        """Add an operation while the agent drafts, or replace the one with its id."""
        place = self._place(view.operation.id)
        if place < 0:
            self._append((view,))
        else:
            self._replace(place, view)
        self._pair_again()
        self._count_kinds()
        self.viewed_changed.emit()
        self.facts_changed.emit()

    def remove(self, operation_id: OperationId) -> None:
        """Remove an operation while the agent drafts."""
        self._reset(lambda: self._views.__delitem__(self._place(operation_id)), operation_id)

    def clear(self) -> None:
        self.show(())

    def set_result(self, result: OperationResult) -> None:
        """Set the result of one operation in the current run."""
        self._running = True
        before = self._results.get(result.id)
        if result.status is ResultStatus.RUNNING:
            self._leave_behind(result.id)
            if before is None or before.status is not ResultStatus.RUNNING:
                self._since[result.id] = time.monotonic()
        self._done += has_ended(result) - (before is not None and has_ended(before))
        self._results[result.id] = result
        (self._telling.add if tells(result) else self._telling.discard)(result.id)
        self._changed(result.id)

    def has_ended(self, operation_id: OperationId) -> bool:
        result = self._results.get(operation_id)
        return result is not None and has_ended(result)

    def is_under_way(self, operation_id: OperationId) -> bool:
        result = self._results.get(operation_id)
        return result is not None and result.status is ResultStatus.RUNNING

    def begin_run(self) -> None:
        """Collapse all operations and mark them as waiting: a run begins."""
        self._running, self._results, self._done = True, {}, 0
        self._expanded.clear()
        self._since.clear()
        self._telling.clear()
        self._all_changed()

    def set_changes(self, changes: Mapping[OperationId, str]) -> None:
        """One word per operation about its difference from another revision."""
        if changes != self._changes:
            self._changes = dict(changes)
            self._list_again_by(OperationFilter.CHANGED)
            self.facts_changed.emit()

    def set_choices(self, choices: Choices) -> None:
        """Show choices at once, before the page with their effect arrives."""
        self._take_choices(choices)
        if not self._pair_again():
            self._all_changed()
        self.facts_changed.emit()

    def _take_choices(self, choices: Choices | None) -> None:
        self._choices = choices
        self._dropped = frozenset(choices.operations) if choices is not None else frozenset()
        self._parts = {part.operation: part for part in choices.parts} if choices is not None else {}

    def set_comments(self, comments: Mapping[OperationId, tuple[Comment, ...]]) -> None:
        """The user's comments by operation."""
        if comments != self._comments:
            self._comments = dict(comments)
            self._all_changed()

    def set_line_marks(self, marks: Mapping[OperationId, Mapping[int, LineMark]]) -> None:
        """What checks newly say about lines, by operation."""
        if marks != self._line_marks:
            self._line_marks = dict(marks)
            self._list_again_by(OperationFilter.FAILING)
            self.facts_changed.emit()

    def set_rehearsed(self, rehearsed: Mapping[OperationId, Rehearsed]) -> None:
        """Rehearsal results by operation."""
        if rehearsed != self._rehearsed:
            self._rehearsed = dict(rehearsed)
            self._all_changed()

    def set_focus(self, focus: PlanFocus | None) -> None:
        """What is proved of the operations, and what they are to a reader."""
        if focus != self._focus:
            self._focus = focus
            if not self._listing.only and self._listing.sorting is not Sorting.READING:
                self._all_changed()
            else:
                self._choose_again()
            self.facts_changed.emit()

    @property
    def focus(self) -> PlanFocus | None:
        return self._focus

    def matters(self, row: OperationRow) -> bool:
        """Whether something of an operation has to be read: it is neither mechanical nor generated."""
        return row.rank is None or row.rank < Rank.MECHANICAL

    # Viewed and expanded

    def set_viewed(self, operation_ids: Iterable[OperationId], viewed: bool = True) -> None:
        wanted = frozenset(self.renames.whole(operation_ids))
        known = {view.operation.id for view in self._views if view.operation.id in wanted} if wanted else set()
        if not known:
            return
        self._viewed = self._viewed | known if viewed else self._viewed - known
        if len({*map(self.row_of, known)}) == 1:
            self._changed(next(iter(known)))
        else:
            self._list_again_by(OperationFilter.NOT_VIEWED)
        self.viewed_changed.emit()
        self.facts_changed.emit()

    def set_expanded(self, operation_id: OperationId, expanded: bool) -> None:
        operation_id = self.renames.listed(operation_id)
        if expanded != (operation_id in self._expanded):
            self._expanded ^= {operation_id}
            self._changed(operation_id)

    def set_listing(self, listing: Listing) -> None:
        """List other operations, or in another order. A long search goes on in short steps."""
        if listing == self._listing:
            return
        is_other_search = (listing.text, listing.in_lines) != (self._listing.text, self._listing.in_lines)
        self._listing, self._wanted = listing, listing.text.casefold()
        if is_other_search:
            self._found = {}
            self._search_timer.stop()
            if listing.text and listing.in_lines:
                self._search_step()
        self._choose_again()

    @property
    def searched_in_lines(self) -> str:
        """The text that changed lines are searched for; empty without such a search."""
        return self._listing.text if self._listing.in_lines else ""

    @property
    def listing(self) -> Listing:
        return self._listing

    def counts(self) -> Counter[OperationFilter]:
        """How many operations have each property, listed or not."""
        found, focus = Counter(self._kinds), self._focus
        found[OperationFilter.NOT_VIEWED] = self.rows_in_all - self.rows_viewed
        found[OperationFilter.CHANGED] = self.renames.count_rows(self._changes)
        if focus is not None:
            for rank, count in Counter(
                self._rank(each) for each in focus.ranks if each not in self.renames.edits
            ).items():
                if rank is not None and (which := OF_RANK.get(rank)) is not None:
                    found[which] = count
            if focus.asked is not None:
                asked = {self.renames.listed(each) for each in focus.asked}
                found[OperationFilter.ASKED] = len(asked)
                found[OperationFilter.ALSO] = self.rows_in_all - len(asked)
        found[OperationFilter.FAILING] = len(self.failing())
        return found

    def failing(self) -> set[OperationId]:
        """Operations because of which a check newly fails."""
        ranks = self._focus.ranks if self._focus is not None else {}
        failing = {each for each, rank in ranks.items() if rank is Rank.FAILING}
        return failing | {each for each in self._line_marks if self.is_failing(each)}

    # Queries

    def row(self, number: int) -> OperationRow:
        return self._row_at(self._shown[number])

    def _row_at(self, position: int) -> OperationRow:
        view = self._views[position]
        operation_id = view.operation.id
        move_id = self.renames.moves.get(operation_id)
        if move_id is None:
            return self._row(position, view)
        move = self._views[self._place(move_id)]
        row, before = self._row(position, with_its_move(view, move)), self._row(position, move)
        return replace(
            row,
            move=move.operation,
            viewed=row.viewed and before.viewed,
            drift=row.drift or before.drift,
            result=result_of_both(before.result, row.result),
            change=row.change or before.change,
            since=row.since if row.since is not None else before.since,
            problem=row.problem or before.problem,
            comments=(*before.comments, *row.comments),
            rehearsed=row.rehearsed or before.rehearsed,
            rank=self._rank(operation_id),
        )

    def _row(self, position: int, view: OperationView) -> OperationRow:
        operation_id = view.operation.id
        return OperationRow(
            view=view,
            position=position - sum(self._place(move) < position for move in self.renames.edits),
            viewed=operation_id in self._viewed,
            expanded=operation_id in self._expanded,
            drift=self._drift.get(operation_id, ""),
            result=self._results.get(operation_id),
            running=self._running,
            change=self._found_words(operation_id) or self._changes.get(operation_id, ""),
            checked=self._checked,
            since=self._since.get(operation_id),
            dropped=operation_id in self._dropped,
            part=self._parts.get(operation_id),
            problem=self._problems.get(operation_id, ""),
            comments=self._comments.get(operation_id, ()),
            line_marks=self._line_marks.get(operation_id, {}),
            rehearsed=self._rehearsed.get(operation_id),
            proved=self._proved(operation_id),
            rank=self._rank(operation_id),
        )

    def row_of(self, operation_id: OperationId) -> int:
        """Its row, or -1 where it is not listed."""
        if self._rows is None:
            self._rows = {self._views[at].operation.id: number for number, at in enumerate(self._shown)}
        return self._rows.get(self.renames.listed(operation_id), -1)

    def listed_views(self) -> tuple[OperationView, ...]:
        """One for each row there would be without a filter."""
        return tuple(view for view in self._views if view.operation.id not in self.renames.edits)

    @property
    def rows_in_all(self) -> int:
        """How many rows there are without a filter."""
        return len(self._views) - len(self.renames.edits)

    @property
    def rows_viewed(self) -> int:
        return sum(self._is_viewed(each) for each in self._viewed if each not in self.renames.edits)

    def _is_viewed(self, operation_id: OperationId) -> bool:
        return operation_id in self._viewed and self.renames.moves.get(operation_id, operation_id) in self._viewed

    def views(self) -> tuple[OperationView, ...]:
        """Every operation in the plan's order, filtered or not."""
        return tuple(self._views)

    @property
    def viewed(self) -> frozenset[OperationId]:
        return frozenset(self._viewed)

    @property
    def dropped(self) -> frozenset[OperationId]:
        return self._dropped

    @property
    def expanded(self) -> frozenset[OperationId]:
        return frozenset(self._expanded)

    @property
    def total(self) -> int:
        return len(self._views)

    @property
    def done(self) -> int:
        """How many operations of the run have ended."""
        return self._done

    @property
    def results(self) -> tuple[OperationResult, ...]:
        return tuple(self._results.values())

    @property
    def reached(self) -> int:
        """Operations that ended, or the position of the current one while many files are written at once."""
        under_way = self._under_way
        if under_way is None or not self.is_under_way(under_way):
            return self._done
        return max(self._done, self._begun_at)

    @property
    def running(self) -> bool:
        return self._running

    @property
    def is_plan_order(self) -> bool:
        """Whether rows are the whole plan in its order, so that they can be moved."""
        return self._listing.is_in_plan_order and len(self._shown) == self.rows_in_all

    def exceptional(self) -> list[int]:
        """Rows that may be higher than one line: expanded, drifted or with a result."""
        ids = self._expanded | self._drift.keys() | self._problems.keys() | self._telling | self._rehearsed.keys()
        return sorted({row for row in map(self.row_of, ids) if row >= 0})

    def order_after_moving(self, row: int, before: int) -> tuple[OperationId, ...]:
        """All operation ids in the order with `row` moved before `before`. Changes nothing."""
        moved = self.renames.whole((self._views[self._shown[row]].operation.id,))
        if before in (row, row + 1):
            return tuple(view.operation.id for view in self._views)
        order = [view.operation.id for view in self._views if view.operation.id not in moved]
        following = self._views[self._shown[before]].operation.id if before < len(self._shown) else None
        place = order.index(following) if following in order else len(order)
        return (*order[:place], *moved, *order[place:])

    # Internals

    def _proved(self, operation_id: OperationId) -> tuple[ProvedChange, ...]:
        """Nothing of a file the person edited; once something may have been dropped, only what holds without it."""
        found = self._focus.proved.get(operation_id, ()) if self._focus is not None else ()
        if not found or self._choices is None or self._choices.is_empty:
            return found
        part = self._choices.part(operation_id)
        if part is not None and part.edited is not None:
            return ()
        return tuple(each for each in found if each.kind in ALONE)

    def _rank(self, operation_id: OperationId) -> Rank | None:
        """The gravest of all that shares the row."""
        ranks = self._focus.ranks if self._focus is not None else {}
        return min((ranks[each] for each in self.renames.whole((operation_id,)) if each in ranks), default=None)

    def _pair(self) -> bool:
        """Find the renames with an edit; whether there are others than before."""
        before, self.renames = self.renames, Renames.of(self._views, self._dropped)
        return before != self.renames

    def _pair_again(self) -> bool:
        has_changed = self._pair()
        if has_changed:
            self._choose_again()
        return has_changed

    def _leave_behind(self, operation_id: OperationId) -> None:
        """Stop showing the previous operation as running: with many files not every one reports a result."""
        before, stays, self._under_way = self._under_way, self._goes_beside, operation_id
        is_listed = self.row_of(operation_id) >= 0
        self._begun_at = self._place(operation_id) if is_listed else 0
        self._goes_beside = is_listed and self._views[self._begun_at].operation.is_run
        if before is not None and not stays and before != operation_id and self.is_under_way(before):
            del self._results[before]
            self._telling.discard(before)
            self._changed(before)

    def _unchanged(self, views: Sequence[OperationView]) -> set[OperationId]:
        marked = self._viewed | self._expanded
        if not marked:
            return set()
        before = {view.operation.id: view.operation for view in self._views if view.operation.id in marked}
        return {
            view.operation.id
            for view in views
            if view.operation.id in before and does_the_same(view.operation, before[view.operation.id])
        }

    def _grows(self, views: Sequence[OperationView], checked: bool) -> bool:
        """Whether the rows only grew at the end, so that the view need not be reset."""
        return (
            checked == self._checked
            and self._listing.is_usual
            and 0 < len(self._views) <= len(views)
            and all(
                old is new or (old.operation == new.operation and old.flags == new.flags)
                for old, new in zip(self._views, views, strict=False)
            )
        )

    def _append(self, views: Sequence[OperationView]) -> None:
        first = len(self._views)
        if self._places is not None:
            self._places.update((view.operation.id, first + number) for number, view in enumerate(views))
        listed = [first + number for number, view in enumerate(views) if self._is_listed(view)]
        if listed and self._listing.is_in_plan_order:
            self.beginInsertRows(ROOT, len(self._shown), len(self._shown) + len(listed) - 1)
            self._views.extend(views)
            self._shown.extend(listed)
            self._rows = None
            self.endInsertRows()
        elif listed:
            self.beginResetModel()
            self._views.extend(views)
            self._shown = self._chosen()
            self.endResetModel()
        else:
            self._views.extend(views)

    def _replace(self, place: int, view: OperationView) -> None:
        operation_id = view.operation.id
        if not does_the_same(view.operation, self._views[place].operation):
            self._viewed.discard(operation_id)
            self._expanded.discard(operation_id)
        self._views[place] = view
        if self._listing.is_in_plan_order and self._is_listed(view) == (self.row_of(operation_id) >= 0):
            self._changed(operation_id)
        else:
            self._choose_again()

    def _reset(self, change: Callable[[], None], operation_id: OperationId) -> None:
        if self._place(operation_id) < 0:
            return
        self.beginResetModel()
        change()
        self._places = None
        self._pair()
        self._count_kinds()
        self._shown = self._chosen()
        self.endResetModel()
        self.viewed_changed.emit()
        self.facts_changed.emit()

    def _place(self, operation_id: OperationId) -> int:
        if self._places is None:
            self._places = {view.operation.id: at for at, view in enumerate(self._views)}
        return self._places.get(operation_id, -1)

    def _choose_again(self) -> None:
        self.beginResetModel()
        self._shown = self._chosen()
        self.endResetModel()

    def _chosen(self) -> list[int]:
        self._rows = None
        chosen = [at for at, view in enumerate(self._views) if self._is_listed(view)]
        if self._listing.sorting is Sorting.PATH:
            chosen.sort(key=lambda at: (self._views[at].operation.path or "\uffff", at))
        elif self._listing.sorting is Sorting.READING:
            chosen.sort(key=self._reading_order)
        elif self._listing.sorting is Sorting.LARGEST:
            chosen.sort(key=lambda at: (-self._views[at].added - self._views[at].removed, at))
        elif not self._listing.is_in_plan_order:
            chosen.sort(key=lambda at: -risk(self._views[at]))
        return chosen

    def _reading_order(self, at: int) -> tuple[int, int, int]:
        rank = self._rank(self._views[at].operation.id)
        return Rank.BEHAVIOUR if rank is None else rank, -risk(self._views[at]), at

    def _found_words(self, operation_id: OperationId) -> str:
        found = self._found.get(operation_id, 0)
        return tr("{found} found", found=f"{found:,}") if found else ""

    def _is_listed(self, view: OperationView) -> bool:
        operation, listing = view.operation, self._listing
        if operation.id in self.renames.edits:
            return False
        every = [operation]
        if (move := self.renames.moves.get(operation.id)) is not None:
            every.append(self._views[self._place(move)].operation)
        if listing.folder and not any(is_under(each, listing.folder) for each in every):
            return False
        if listing.only and not listing.admits(self._properties(view)):
            return False
        if not listing.text:
            return True
        if listing.in_lines:
            return self._found.get(operation.id, 0) > 0
        return any(answers_to(each, self._wanted) for each in every)

    def _properties(self, view: OperationView) -> Iterator[OperationFilter]:
        operation_id, focus = view.operation.id, self._focus
        move = self.renames.moves.get(operation_id)
        if move is not None:
            yield OperationFilter.RENAMED
            view = with_its_move(view, self._views[self._place(move)])
        yield from properties(
            view,
            is_viewed=self._is_viewed(operation_id),
            is_changed=operation_id in self._changes or move in self._changes,
            is_failing=self.is_failing(operation_id),
            rank=self._rank(operation_id),
            is_asked=not focus.asked.isdisjoint(self.renames.whole((operation_id,)))
            if focus is not None and focus.asked is not None
            else None,
        )

    def is_failing(self, operation_id: OperationId) -> bool:
        """Whether a check newly fails because of it."""
        marks = self._line_marks.get(operation_id, {})
        return self._rank(operation_id) is Rank.FAILING or any(mark.is_error for mark in marks.values())

    def _list_again_by(self, which: OperationFilter) -> None:
        if which in self._listing.only:
            self._choose_again()
        else:
            self._all_changed()

    def _count_kinds(self) -> None:
        self._kinds = Counter(OF_KIND[view.operation.kind] for view in self._views)
        flagged = {self.renames.listed(view.operation.id) for view in self._views if view.flags}
        self._kinds[OperationFilter.FLAGGED] = len(flagged)

    def _take_views(self, views: Sequence[OperationView]) -> None:
        self._views, self._places = list(views), None
        self._pair()
        self._count_kinds()
        if self._listing.text and self._listing.in_lines:
            self._found = {}
            self._search_step()

    def _search_step(self) -> None:
        """Search changed lines for a moment; the rest follows when events were handled."""
        until = time.monotonic() + _SEARCH_SECONDS
        for view in self._views:
            if view.operation.id in self._found:
                continue
            known = self._changed_texts.get(view.operation.id)
            if known is None or known[0] is not view:
                if time.monotonic() > until:
                    self._search_timer.start()
                    return
                known = self._changed_texts[view.operation.id] = (view, changed_text(view))
            self._found[view.operation.id] = lines_with(known[1], self._wanted)

    def _go_on_searching(self) -> None:
        self._search_step()
        if not self._search_timer.isActive():
            self._choose_again()

    def _changed(self, operation_id: OperationId) -> None:
        number = self.row_of(operation_id)
        if number >= 0:
            self.dataChanged.emit(self.index(number), self.index(number))

    def _all_changed(self) -> None:
        if self._shown:
            self.dataChanged.emit(self.index(0), self.index(len(self._shown) - 1))
