"""Which widget shows which kind of entry, how far it stands from the one above, and how tall it may be."""

from PySide6.QtWidgets import QWidget

from tandem_desktop.domain.chat import EntryKind
from tandem_desktop.ui.chat.entry_widget import EntryWidget
from tandem_desktop.ui.chat.permission_card import PermissionCard
from tandem_desktop.ui.chat.plan_card import PlanCard
from tandem_desktop.ui.chat.problem_card import ProblemCard
from tandem_desktop.ui.chat.reflection_card import ReflectionCard
from tandem_desktop.ui.chat.set_aside import SetAside
from tandem_desktop.ui.chat.spoken import AgentMessage, NoteLine, PersonBubble, Report, Thinking
from tandem_desktop.ui.chat.tool_chip import ToolChip
from tandem_desktop.ui.models.transcript_model import Row
from tandem_desktop.ui.theme.theme import Theme

EDGE = 16
"""Room above the first row and below the last."""

PASSED_ON = (
    "link_activated",
    "file_activated",
    "edit_requested",
    "back_requested",
    "approve_requested",
    "deny_requested",
    "view_requested",
    "undo_requested",
    "restart_requested",
    "log_requested",
    "reflection_wish",
    "typed",
)
"""What the widgets of entries ask for, each only some of it."""
_WIDGETS: dict[EntryKind, type[EntryWidget]] = {
    EntryKind.PERSON: PersonBubble,
    EntryKind.AGENT: AgentMessage,
    EntryKind.THOUGHT: Thinking,
    EntryKind.TOOL: ToolChip,
    EntryKind.PLAN: PlanCard,
    EntryKind.QUESTION: PermissionCard,
    EntryKind.NOTE: NoteLine,
    EntryKind.REFLECTION: ReflectionCard,
    EntryKind.REPORT: Report,
    EntryKind.PROBLEM: ProblemCard,
}
_FIRST_GUESS = {EntryKind.TOOL: 30, EntryKind.THOUGHT: 24, EntryKind.NOTE: 20}
_QUIET = (EntryKind.TOOL, EntryKind.THOUGHT)


def make_entry(row: Row, theme: Theme, parent: QWidget) -> EntryWidget:
    """A widget for the row, without its content yet."""
    return (SetAside if row.is_set_aside else _WIDGETS[row.kind])(theme, parent)


def gap(before: Row | None, row: Row) -> int:
    """Pixels above a row, before zoom: what belongs together stands closer."""
    if before is None:
        return EDGE
    if row.kind in _QUIET and before.kind in (*_QUIET, EntryKind.AGENT):
        return 8
    return 16 if EntryKind.PERSON in (before.kind, row.kind) else 12


def guessed_height(row: Row) -> int:
    """Good enough for a scroll bar until the row is seen."""
    if row.kind is not EntryKind.AGENT:
        return _FIRST_GUESS.get(row.kind, 48)
    text = row.last.text
    return 18 * (1 + len(text) // 60 + text.count("\n"))
