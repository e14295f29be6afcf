"""The models of plans and revisions."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from tandem_desktop.diff.text import visible_line
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanStatus
from tandem_desktop.plans.index import PlanSummary, alternatives, family_roots
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_table, when
from tandem_desktop.ui.plan.wording import STATUSES
from tandem_desktop.ui.plan_text import REDO, UNDO, RunFacts

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
PUT_AWAY = later("put away")
"""Searching for this text lists the plans that were put away."""


class PlanGroup(StrEnum):
    """Where a plan stands in the rail."""

    NEEDS_YOU = "Needs you"
    RUNNING = "Running"
    DONE = "Done"


_GROUP = {
    PlanStatus.DRAFT: PlanGroup.RUNNING,
    PlanStatus.PROPOSED: PlanGroup.NEEDS_YOU,
    PlanStatus.APPROVED: PlanGroup.NEEDS_YOU,
    PlanStatus.EXECUTING: PlanGroup.RUNNING,
    PlanStatus.PAUSED: PlanGroup.RUNNING,
    PlanStatus.COMPLETED: PlanGroup.DONE,
    PlanStatus.FAILED: PlanGroup.NEEDS_YOU,
    PlanStatus.UNDONE: PlanGroup.DONE,
    PlanStatus.REJECTED: PlanGroup.RUNNING,
    PlanStatus.NEEDS_REVIEW: PlanGroup.NEEDS_YOU,
    PlanStatus.CANCELLED: PlanGroup.DONE,
    PlanStatus.EXPIRED: PlanGroup.NEEDS_YOU,
    PlanStatus.STALLED: PlanGroup.NEEDS_YOU,
    PlanStatus.SUPERSEDED: PlanGroup.DONE,
}
_HEADINGS = tr_table({PlanGroup.NEEDS_YOU: "Needs you", PlanGroup.RUNNING: "Running", PlanGroup.DONE: "Done"})
DOT = {
    PlanGroup.NEEDS_YOU: "risk",
    PlanGroup.RUNNING: "accent",
    PlanGroup.DONE: "ok",
}
_OWN_DOT = {
    PlanStatus.FAILED: "removed_ink",
    PlanStatus.STALLED: "removed_ink",
    PlanStatus.UNDONE: "muted",
    PlanStatus.CANCELLED: "muted",
    PlanStatus.SUPERSEDED: "muted",
}


@dataclass(frozen=True, slots=True)
class RailRow:
    """A heading, or a plan under it."""

    group: PlanGroup
    plan: PlanSummary | None = None
    words: str = ""
    """The status line."""
    run: RunFacts | None = None
    """The last run that wrote the plan, if there was one."""
    is_below: bool = False
    """Shown below the plan it is an alternative to, or below another alternative."""

    @property
    def title(self) -> str:
        return _HEADINGS[self.group] if self.plan is None else visible_line(self.plan.title)

    @property
    def subtitle(self) -> str:
        return self.words

    @property
    def dot(self) -> str:
        """The colour of the plan's mark, by token."""
        if self.plan is None:
            return DOT[self.group]
        return _OWN_DOT.get(self.plan.status, DOT[self.group])


class PlansModel(QAbstractListModel):
    """Headings and plans, newest first in each group."""

    RowRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        super().__init__()
        self._now = now
        self._listed: tuple[PlanSummary, ...] = ()
        self._plans: tuple[PlanSummary, ...] = ()
        """Those listed, by the names the person gave them."""
        self._names: Mapping[str, str] = {}
        self._put_away: frozenset[str] = frozenset()
        self._roots: Mapping[PlanId, PlanId] = {}
        self._runs: Mapping[str, RunFacts] = {}
        self._cut_off: Mapping[str, tuple[int, int]] = {}
        self._filter = ""
        self._rows: tuple[RailRow, ...] = ()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            point = row.plan.branched_from if row.plan else None
            told = f"{row.title}, {row.subtitle}" if row.plan else row.title
            if point is None:
                return told
            origin = tr("branched from r{revision} of {plan_id}", revision=point.revision, plan_id=point.plan_id)
            return f"{told} ({origin})"
        if role == self.RowRole:
            return row
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or self._rows[index.row()].plan is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def set_plans(self, plans: Iterable[PlanSummary]) -> None:
        self._listed = tuple(sorted(plans, key=_updated, reverse=True))
        self._name_again()

    def set_own(self, names: Mapping[str, str], put_away: frozenset[str]) -> None:
        """The user's titles, and which plans are put away: search still finds those."""
        self._names, self._put_away = names, put_away
        self._name_again()

    def is_put_away(self, plan: PlanSummary) -> bool:
        """Only a finished plan can be put away: one that needs a decision is listed again."""
        return plan.plan_id in self._put_away and self._group(plan) is PlanGroup.DONE

    def _name_again(self) -> None:
        self._plans = tuple(
            plan._replace(title=self._names[plan.plan_id]) if plan.plan_id in self._names else plan
            for plan in self._listed
        )
        self._roots = family_roots(self._plans)
        self._arrange()

    def set_runs(self, runs: Iterable[RunFacts]) -> None:
        """The runs, newest first."""
        found: dict[str, RunFacts] = {}
        for run in runs:
            if run.is_applied or run.way_back:
                found.setdefault(run.plan_id, run)
        self._runs = found
        self._arrange()

    def set_interrupted(self, runs: Mapping[str, tuple[int, int]]) -> None:
        """Plans whose run was interrupted, with operations done and in total."""
        self._cut_off = dict(runs)
        self._arrange()

    def set_filter(self, text: str) -> None:
        """Show only plans whose title or id contains the text."""
        self._filter = text.strip().lower()
        self._arrange()

    def row_of(self, plan_id: PlanId) -> int | None:
        return next((n for n, row in enumerate(self._rows) if row.plan and row.plan.plan_id == plan_id), None)

    @property
    def plans(self) -> tuple[PlanSummary, ...]:
        """The plans in the order of the rail."""
        return tuple(row.plan for row in self._rows if row.plan is not None)

    def alternatives(self, plan_id: PlanId) -> tuple[PlanSummary, ...]:
        """The plans that are alternatives to this one."""
        return alternatives(self._plans, plan_id)

    @property
    def waiting(self) -> int:
        """How many plans wait for a decision."""
        return sum(self._group(plan) is PlanGroup.NEEDS_YOU for plan in self._plans)

    def _arrange(self) -> None:
        rows: list[RailRow] = []
        for group in PlanGroup:
            found = [plan for plan in self._plans if self._group(plan) is group and self._fits(plan)]
            if found:
                rows.append(RailRow(group))
                rows.extend(
                    RailRow(group, plan, self._words(plan), self._runs.get(plan.plan_id), is_below)
                    for plan, is_below in self._together(found)
                )
        if tuple(rows) == self._rows:
            return
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def _together(self, plans: list[PlanSummary]) -> Iterator[tuple[PlanSummary, bool]]:
        """Group alternatives below their original, at the place of the newest of them."""
        families: dict[PlanId, list[PlanSummary]] = {}
        for plan in plans:
            families.setdefault(self._roots[plan.plan_id], []).append(plan)
        for root, family in families.items():
            family.sort(key=lambda plan: plan.plan_id != root)
            yield from ((plan, place > 0) for place, plan in enumerate(family))

    def _fits(self, plan: PlanSummary) -> bool:
        if not self._filter:
            return not self.is_put_away(plan)
        if self._filter == tr_marked(PUT_AWAY).lower():
            return self.is_put_away(plan)
        return self._filter in plan.title.lower() or self._filter in plan.plan_id.lower()

    def _group(self, plan: PlanSummary) -> PlanGroup:
        return PlanGroup.NEEDS_YOU if plan.plan_id in self._cut_off else _GROUP[plan.status]

    def _words(self, plan: PlanSummary) -> str:
        return f"{tr_marked(PUT_AWAY)} · {self._where(plan)}" if self.is_put_away(plan) else self._where(plan)

    def _where(self, plan: PlanSummary) -> str:
        cut_off, run = self._cut_off.get(plan.plan_id), self._runs.get(plan.plan_id)
        if cut_off is not None:
            return tr("interrupted at {at}/{total} · resume or roll back", at=cut_off[0], total=cut_off[1])
        ran = (PlanStatus.COMPLETED, PlanStatus.UNDONE)
        if plan.status in ran and run is not None and run.way_back == REDO:
            return tr("undone · can be redone")
        if plan.status is PlanStatus.COMPLETED and run is not None:
            applied = tr("completed {when}", when=when(run.at, self._now()))
            return f"{applied} · {tr('undo available')}" if run.way_back == UNDO else applied
        parts = [f"r{plan.revision}", STATUSES[plan.status].lower()]
        if plan.branched_from is not None:
            parts.append(tr("alternative to r{revision}", revision=plan.branched_from.revision))
        return " · ".join(parts)


def _updated(plan: PlanSummary) -> datetime | str:
    return plan.updated_at


class RevisionsModel(QAbstractListModel):
    """Revision numbers: which is the latest and which is shown."""

    NumberRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._latest = 0
        self._current = 0

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else self._latest

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= self._latest:
            return None
        number = self._latest - index.row()
        if role == self.NumberRole:
            return number
        if role == Qt.ItemDataRole.DisplayRole:
            return tr("r{number} · latest", number=number) if number == self._latest else f"r{number}"
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if number == self._current else Qt.CheckState.Unchecked
        return None

    @property
    def current(self) -> int:
        return self._current

    @property
    def latest(self) -> int:
        return self._latest

    def show(self, latest: int, current: int) -> None:
        if latest != self._latest:
            self.beginResetModel()
            self._latest, self._current = latest, current
            self.endResetModel()
        elif current != self._current:
            self._current = current
            self.dataChanged.emit(self.index(0), self.index(latest - 1))
