"""The plans of a workspace in three groups: what needs the person, what runs, what is done."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanStatus
from tandem_desktop.plans.plan_index import PlanSummary

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


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
    PlanStatus.REJECTED: PlanGroup.RUNNING,
    PlanStatus.NEEDS_REVIEW: PlanGroup.NEEDS_YOU,
    PlanStatus.CANCELLED: PlanGroup.DONE,
    PlanStatus.EXPIRED: PlanGroup.NEEDS_YOU,
    PlanStatus.STALLED: PlanGroup.NEEDS_YOU,
    PlanStatus.SUPERSEDED: PlanGroup.DONE,
}
_WORDS = {
    PlanStatus.DRAFT: "drafting…",
    PlanStatus.PROPOSED: "waits for your review",
    PlanStatus.APPROVED: "approved, not yet run",
    PlanStatus.EXECUTING: "running",
    PlanStatus.PAUSED: "paused",
    PlanStatus.COMPLETED: "applied",
    PlanStatus.FAILED: "failed",
    PlanStatus.REJECTED: "sent back, the agent revises",
    PlanStatus.NEEDS_REVIEW: "sent back three times, needs a person",
    PlanStatus.CANCELLED: "cancelled",
    PlanStatus.EXPIRED: "expired",
    PlanStatus.STALLED: "interrupted · resume or roll back",
    PlanStatus.SUPERSEDED: "superseded",
}
DOT = {
    PlanGroup.NEEDS_YOU: "risk",
    PlanGroup.RUNNING: "accent",
    PlanGroup.DONE: "ok",
}
_OWN_DOT = {
    PlanStatus.FAILED: "removed_ink",
    PlanStatus.STALLED: "removed_ink",
    PlanStatus.CANCELLED: "muted",
    PlanStatus.SUPERSEDED: "muted",
}


@dataclass(frozen=True, slots=True)
class RailRow:
    """A heading, or a plan under it."""

    group: PlanGroup
    plan: PlanSummary | None = None

    @property
    def title(self) -> str:
        return self.group.value if self.plan is None else self.plan.title

    @property
    def subtitle(self) -> str:
        if self.plan is None:
            return ""
        return f"r{self.plan.revision} · {_WORDS[self.plan.status]}"

    @property
    def dot(self) -> str:
        """The colour of the plan's mark, by token."""
        return DOT[self.group] if self.plan is None else _OWN_DOT.get(self.plan.status, DOT[self.group])


class PlansModel(QAbstractListModel):
    """Headings and plans, newest first in each group. Holds values; owns no rules."""

    RowRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self) -> None:
        super().__init__()
        self._plans: tuple[PlanSummary, ...] = ()
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
            return f"{row.title}, {row.subtitle}" if row.plan else row.title
        if role == self.RowRole:
            return row
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or self._rows[index.row()].plan is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def set_plans(self, plans: Iterable[PlanSummary]) -> None:
        self._plans = tuple(sorted(plans, key=_updated, reverse=True))
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

    @property
    def waiting(self) -> int:
        """How many plans need the person."""
        return sum(_GROUP[plan.status] is PlanGroup.NEEDS_YOU for plan in self._plans)

    def _arrange(self) -> None:
        rows: list[RailRow] = []
        for group in PlanGroup:
            found = [plan for plan in self._plans if _GROUP[plan.status] is group and self._fits(plan)]
            if found:
                rows.append(RailRow(group))
                rows.extend(RailRow(group, plan) for plan in found)
        if tuple(rows) == self._rows:
            return
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def _fits(self, plan: PlanSummary) -> bool:
        return not self._filter or self._filter in plan.title.lower() or self._filter in plan.plan_id.lower()


def _updated(plan: PlanSummary) -> datetime | str:
    return plan.updated_at
