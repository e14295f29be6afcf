"""The models of conversations, plans and revisions."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from tandem_desktop.diff.text import visible_line
from tandem_desktop.domain.ids import PlanId, SessionId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.plans.index import PlanSummary, alternatives, family_roots
from tandem_desktop.sessions.conversations import Conversation, ConversationEnd
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_table, when
from tandem_desktop.ui.plan.wording import STATUSES
from tandem_desktop.ui.plan_text import REDO, UNDO, RunFacts

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
ARCHIVED = later("archived")
"""Searching for this text lists what was archived."""


class PlanGroup(StrEnum):
    """Where a conversation stands in the rail."""

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
_WAITS = (PlanStatus.PROPOSED, PlanStatus.NEEDS_REVIEW)


class ConversationState(StrEnum):
    """What goes on in a conversation at this moment."""

    DRAFTING = "drafting"
    WORKING = "working"
    ASKING = "asking"
    CHECKING = "checking"


_ACTIVITY_GROUP = {
    ConversationState.DRAFTING: PlanGroup.RUNNING,
    ConversationState.WORKING: PlanGroup.RUNNING,
    ConversationState.ASKING: PlanGroup.NEEDS_YOU,
}
_ACTIVITY_WORDS = tr_table(
    {
        ConversationState.DRAFTING: "drafting…",
        ConversationState.WORKING: "working…",
        ConversationState.ASKING: "waiting for your answer",
        ConversationState.CHECKING: "checking…",
    }
)
_END_GROUP = {ConversationEnd.FAILED: PlanGroup.NEEDS_YOU, ConversationEnd.CUT_OFF: PlanGroup.NEEDS_YOU}
_END_DOT = {
    ConversationEnd.ANSWERED: "ok",
    ConversationEnd.FAILED: "removed_ink",
    ConversationEnd.STOPPED: "muted",
    ConversationEnd.CUT_OFF: "removed_ink",
}
_END_WORDS = tr_table(
    {
        ConversationEnd.ANSWERED: "answered {when}",
        ConversationEnd.FAILED: "failed {when}",
        ConversationEnd.STOPPED: "stopped {when}",
        ConversationEnd.CUT_OFF: "cut off {when} · no answer",
    }
)
_SINCE = tr_table(
    {ConversationEnd.FAILED: " · last message failed", ConversationEnd.CUT_OFF: " · last message was cut off"}
)


@dataclass(frozen=True, slots=True)
class RailRow:
    """A heading, or a conversation under it with its plan, if it has one."""

    group: PlanGroup
    plan: PlanSummary | None = None
    conversation: Conversation | None = None
    activity: ConversationState | None = None
    name: str = ""
    words: str = ""
    """The status line."""
    run: RunFacts | None = None
    """The last run that wrote the plan, if there was one."""
    is_below: bool = False
    """Shown below the plan it is an alternative to, or below another alternative."""
    is_archived: bool = False

    @property
    def is_heading(self) -> bool:
        return self.plan is None and self.conversation is None

    @property
    def key(self) -> str:
        """The plan's id, or that of a conversation without a plan."""
        if self.plan is not None:
            return self.plan.plan_id
        return self.conversation.session_id if self.conversation is not None else ""

    @property
    def session_id(self) -> SessionId:
        if self.plan is not None and self.plan.session_id:
            return self.plan.session_id
        return self.conversation.session_id if self.conversation is not None else SessionId("")

    @property
    def is_at_work(self) -> bool:
        """Whether an agent of this conversation could be stopped."""
        return self.activity in (ConversationState.DRAFTING, ConversationState.WORKING, ConversationState.ASKING)

    @property
    def may_be_archived(self) -> bool:
        """What is done, and what never led to a plan."""
        return not self.is_at_work and (self.group is PlanGroup.DONE or self.plan is None)

    @property
    def title(self) -> str:
        return _HEADINGS[self.group] if self.is_heading else visible_line(self.name)

    @property
    def subtitle(self) -> str:
        return self.words

    @property
    def dot(self) -> str:
        """The colour of the mark, by token."""
        if self.activity is not None or self.is_heading:
            return DOT[self.group]
        if self.plan is not None:
            return _OWN_DOT.get(self.plan.status, DOT[self.group])
        assert self.conversation is not None
        return _END_DOT[self.conversation.end]


class PlansModel(QAbstractListModel):
    """Headings and conversations, newest first in each group. One with several plans shows the last of them."""

    RowRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        super().__init__()
        self._now = now
        self._listed: tuple[PlanSummary, ...] = ()
        self._plans: tuple[PlanSummary, ...] = ()
        """Those listed, by the names the person gave them."""
        self._conversations: Mapping[SessionId, Conversation] = {}
        self._activities: Mapping[str, ConversationState] = {}
        self._names: Mapping[str, str] = {}
        self._archived: frozenset[str] = frozenset()
        self._roots: Mapping[PlanId, PlanId] = {}
        self._runs: Mapping[str, RunFacts] = {}
        self._cut_off: Mapping[str, tuple[int, int]] = {}
        self._filter = ""
        self._rows: tuple[RailRow, ...] = ()
        self.is_loaded = False
        """Whether the plans have been listed."""

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
            told = row.title if row.is_heading else f"{row.title}, {row.subtitle}"
            if point is None:
                return told
            origin = tr("branched from r{revision} of {plan_id}", revision=point.revision, plan_id=point.plan_id)
            return f"{told} ({origin})"
        if role == self.RowRole:
            return row
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or self._rows[index.row()].is_heading:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def set_plans(self, plans: Iterable[PlanSummary]) -> None:
        is_first, self.is_loaded = not self.is_loaded, True
        self._listed = tuple(sorted(plans, key=_updated, reverse=True))
        self._name_again()
        if is_first and not self._rows:
            self.modelReset.emit()  # what is shown in place of the list changes

    def set_conversations(
        self, conversations: Iterable[Conversation], activities: Mapping[str, ConversationState] = MappingProxyType({})
    ) -> None:
        """The conversations on disk, newest first, and what goes on."""
        self._conversations = {each.session_id: each for each in conversations}
        self.set_activities(activities)

    def set_activities(self, activities: Mapping[str, ConversationState]) -> None:
        """What goes on, by the id of the conversation or of the plan."""
        self._activities = dict(activities)
        self._arrange()

    def set_own(self, names: Mapping[str, str], archived: frozenset[str]) -> None:
        """The person's titles, and what is archived, by plan or conversation: search still finds those."""
        self._names, self._archived = names, archived
        self._name_again()

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
        """Show only conversations whose title or id contains the text."""
        self._filter = text.strip().lower()
        self._arrange()

    def row_of(self, key: str, session_id: str = "") -> int | None:
        """The row of a plan, or else of the conversation it belongs to."""
        rows = [(number, row) for number, row in enumerate(self._rows) if not row.is_heading]
        by_plan = next((number for number, row in rows if row.key == key), None)
        if by_plan is not None or not session_id:
            return by_plan
        return next((number for number, row in rows if row.session_id == session_id), None)

    @property
    def plans(self) -> tuple[PlanSummary, ...]:
        """Every plan, newest first."""
        return self._plans

    @property
    def entries(self) -> tuple[RailRow, ...]:
        """The conversations in the order of the rail."""
        return tuple(row for row in self._rows if not row.is_heading)

    def alternatives(self, plan_id: PlanId) -> tuple[PlanSummary, ...]:
        """The plans that are alternatives to this one."""
        return alternatives(self._plans, plan_id)

    @property
    def waiting(self) -> int:
        """How many plans wait for a decision."""
        return sum(self._plan_group(plan) is PlanGroup.NEEDS_YOU for plan in self._plans)

    @property
    def first_waiting(self) -> PlanId | None:
        """The newest plan that waits for a decision."""
        return next((plan.plan_id for plan in self._plans if plan.status in _WAITS), None)

    def _arrange(self) -> None:
        every = self._every_row()
        rows: list[RailRow] = []
        for group in PlanGroup:
            found = [row for row in every if row.group is group and self._fits(row)]
            if found:
                rows.append(RailRow(group))
                rows.extend(self._together(found))
        if tuple(rows) == self._rows:
            return
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def _every_row(self) -> list[RailRow]:
        """A row for each conversation, newest first; its earlier plans have one only while they need the person."""
        count: dict[SessionId, int] = {}
        for plan in self._plans:
            count[plan.session_id] = count.get(plan.session_id, 0) + 1
        rows: list[tuple[datetime, RailRow]] = []
        begun: set[SessionId] = set()
        for plan in self._plans:
            is_last = not plan.session_id or plan.session_id not in begun
            begun.add(plan.session_id)
            if is_last or self._filter or self._plan_group(plan) is not PlanGroup.DONE:
                conversation = self._conversations.get(plan.session_id) if is_last else None
                activity = self._activities.get(plan.plan_id)
                activity = self._activities.get(plan.session_id, activity) if is_last else activity
                row = self._plan_row(plan, conversation, activity, has_others=count[plan.session_id] > 1)
                rows.append((_latest(plan, conversation), row))
        rows += [
            (each.at, self._talk_row(each)) for each in self._conversations.values() if each.session_id not in begun
        ]
        rows.sort(key=lambda each: each[0], reverse=True)
        return [row for _, row in rows]

    def _plan_row(
        self,
        plan: PlanSummary,
        conversation: Conversation | None,
        activity: ConversationState | None,
        *,
        has_others: bool,
    ) -> RailRow:
        group = self._plan_group(plan)
        group = group if activity is None else _ACTIVITY_GROUP.get(activity, group)
        name = plan.title
        if conversation is not None and has_others and plan.plan_id not in self._names:
            name = conversation.title
        words = self._where(plan) if activity is None else _ACTIVITY_WORDS[activity]
        if activity is None and conversation is not None and conversation.at > plan.updated_at:
            words += _SINCE.get(conversation.end, "")
        is_archived = plan.plan_id in self._archived and group is PlanGroup.DONE
        run = self._runs.get(plan.plan_id)
        told = self._told(words, is_archived)
        return RailRow(group, plan, conversation, activity, name, told, run, is_archived=is_archived)

    def _talk_row(self, conversation: Conversation) -> RailRow:
        """A conversation without a plan."""
        activity = self._activities.get(conversation.session_id)
        ended = _END_GROUP.get(conversation.end, PlanGroup.DONE)
        group = ended if activity is None else _ACTIVITY_GROUP.get(activity, ended)
        is_archived = conversation.session_id in self._archived and activity is None
        at = when(conversation.at, self._now())
        words = _ACTIVITY_WORDS[activity] if activity else _END_WORDS[conversation.end].format(when=at)
        name = self._names.get(conversation.session_id, conversation.title)
        told = self._told(words, is_archived)
        return RailRow(group, None, conversation, activity, name, told, is_archived=is_archived)

    def _together(self, rows: list[RailRow]) -> Iterator[RailRow]:
        """Group alternatives below their original, at the place of the newest of them."""
        families: dict[str, list[RailRow]] = {}
        for row in rows:
            root = self._roots[row.plan.plan_id] if row.plan is not None else row.key
            families.setdefault(root, []).append(row)
        for root, family in families.items():
            family.sort(key=lambda row: row.key != root)
            yield family[0]
            yield from (replace(row, is_below=True) for row in family[1:])

    def _fits(self, row: RailRow) -> bool:
        if not self._filter:
            return not row.is_archived
        if self._filter == tr_marked(ARCHIVED).lower():
            return row.is_archived
        spoken = row.conversation.title if row.conversation is not None else ""
        planned = row.plan.title if row.plan is not None else ""
        return any(self._filter in each.lower() for each in (row.name, row.key, spoken, planned))

    def _plan_group(self, plan: PlanSummary) -> PlanGroup:
        return PlanGroup.NEEDS_YOU if plan.plan_id in self._cut_off else _GROUP[plan.status]

    def _told(self, words: str, is_archived: bool) -> str:
        return f"{tr_marked(ARCHIVED)} · {words}" if is_archived else words

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


def _latest(plan: PlanSummary, conversation: Conversation | None) -> datetime:
    return plan.updated_at if conversation is None else max(plan.updated_at, conversation.at)


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
