"""The plan card."""

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from tandem_desktop.diff.text import visible_line
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.ui.chat.entry_widget import EntryWidget
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.models.transcript import TranscriptRow
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banners import Card
from tandem_desktop.ui.widgets.buttons import LinkButton
from tandem_desktop.ui.widgets.decision_guard import release_focus
from tandem_desktop.ui.widgets.labels import Badge, ElidedLabel, plain_label


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """What a card shows of one revision; chat entries only have its number."""

    plan_id: PlanId
    revision: int
    title: str
    operations: int
    files: int = 0
    commands: int = 0
    added: int = 0
    removed: int = 0
    state: str = ""
    """Label of the status: "Proposed", "Completed"."""
    tone: str = "neutral"
    """One of a badge's tones."""
    is_waiting: bool = False
    """Whether this revision can be approved or denied now."""
    origin: str = ""
    """How it came to be: "reworked from 1 comment"; may be empty."""


class PlanCard(EntryWidget):
    """A line for a decided revision, a card for a waiting one. Both only lead to the plan, where it is decided."""

    view_requested = Signal(str, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("plan-card")
        self._plan_id, self._revision = PlanId(""), 0
        self._shown: PlanFacts | None = None
        self._line = _SettledLine(theme)
        self._line.view.clicked.connect(self._view)
        self._card: _WaitingCard | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._line)

    def set_row(self, row: TranscriptRow) -> None:
        entry = row.last
        self._plan_id, self._revision = entry.plan_id or PlanId(""), entry.revision
        if self._shown is None:
            self._line.say(tr("Revision {revision}", revision=entry.revision), visible_line(entry.text))

    def set_facts(self, facts: PlanFacts) -> None:
        if facts == self._shown:
            return
        self._shown = facts
        self._line.show_facts(facts)
        if self._card is not None:
            release_focus(self._card)
            self._card.hide()
            self._card.deleteLater()
            self._card = None
        if facts.is_waiting:
            self._card = _WaitingCard(self.theme, facts)
            self._card.view.clicked.connect(self._view)
            layout = self.layout()
            assert layout is not None
            layout.addWidget(self._card)
            self._card.show()
        self._line.setVisible(self._card is None)
        self.setAccessibleName(
            tr(
                "Plan {title}, revision {revision}, {state}",
                title=facts.title,
                revision=facts.revision,
                state=facts.state,
            )
        )
        self.height_changed.emit()

    def _view(self) -> None:
        self.view_requested.emit(self._plan_id, self._revision)


class _WaitingCard(Card):
    def __init__(self, theme: Theme, facts: PlanFacts, parent: QWidget | None = None) -> None:
        super().__init__(theme, "raised", parent=parent)
        self.setObjectName("plan-card-waiting")
        head = QHBoxLayout()
        head.setSpacing(theme.px(8))
        head.addWidget(ElidedLabel(theme, facts.title, mode=Qt.TextElideMode.ElideRight, bold=True), 1)
        head.addWidget(plain_label(f"r{facts.revision}", "code-muted"))
        if facts.state:
            head.addWidget(Badge(theme, facts.state, facts.tone))
        self.body.addLayout(head)
        figures = _figures(theme, facts)
        figures.addStretch(1)
        self.view = LinkButton(theme, tr("View"))
        self.view.setObjectName("plan-card-view")
        figures.addWidget(self.view)
        self.body.addLayout(figures)


class _SettledLine(QWidget):
    """`Revision 2 · reworked from 1 comment · 7 operations +142 −38`"""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = ElidedLabel(theme, mode=Qt.TextElideMode.ElideRight, token="muted", points_delta=-1)
        self.view = LinkButton(theme, tr("View"), ink="muted")
        self.view.setObjectName("plan-line-view")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(8))
        layout.addWidget(self._words, 1)
        layout.addWidget(self.view)

    def say(self, *words: str) -> None:
        self._words.setText(" · ".join(word for word in words if word))

    def show_facts(self, facts: PlanFacts) -> None:
        figures = " ".join(words for words, _ in _lines(facts))
        operations = tr_n("{n} operation", "{n} operations", facts.operations)
        counted = f"{operations} {figures}".strip()
        rest = (facts.origin,) if facts.origin else (counted, facts.state)
        self.say(tr("Revision {revision}", revision=facts.revision), *rest)
        self._words.setAccessibleDescription(f"{counted}, {facts.state}")


def _figures(theme: Theme, facts: PlanFacts) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(theme.px(12))
    row.addWidget(plain_label(tr_n("{n} operation", "{n} operations", facts.operations), "muted"))
    changed = QHBoxLayout()
    changed.setSpacing(theme.px(5))
    if facts.files:
        changed.addWidget(plain_label(tr_n("{n} file", "{n} files", facts.files), "muted"))
    for words, role in _lines(facts):
        changed.addWidget(plain_label(words, role))
    row.addLayout(changed)
    if facts.commands:
        row.addWidget(plain_label(tr_n("{n} command", "{n} commands", facts.commands), "muted"))
    return row


def _lines(facts: PlanFacts) -> Iterator[tuple[str, str]]:
    """The counts of added and removed lines, each with its label role; none for zero."""
    if facts.added:
        yield f"+{facts.added:,}", "added"
    if facts.removed:
        yield f"−{facts.removed:,}", "removed"
