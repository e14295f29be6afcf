"""What several minds said about the task: three voices side by side, and who is missing."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from tandem_desktop.domain.perspectives import Perspectives, Voice
from tandem_desktop.events.events import TandemEvent
from tandem_desktop.events.perspective_events import (
    PerspectiveCompleted,
    PerspectiveFailed,
    PerspectiveMoved,
    PerspectiveStarted,
    PlanningStarted,
    SynthesisEnded,
    SynthesisStarted,
)
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.perspectives.voice_card import VoiceCard
from tandem_desktop.ui.perspectives.voice_words import risk_badge
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.badge import Badge
from tandem_desktop.ui.widgets.banner import Banner
from tandem_desktop.ui.widgets.empty_state import EmptyState
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import later, tr, tr_marked

NARROWEST = 230
"""Of one voice; with less room they stand below each other."""
_MARGIN = 18


class PerspectivesView(QStackedWidget):
    """Shows what is kept with a revision, and follows the minds while they are at work."""

    ask_requested = Signal()
    """The person wants them asked about a task."""
    transcript_requested = Signal(str)
    """The person wants to read what a voice was asked and did."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("perspectives")
        self.setAccessibleName(tr("Perspectives"))
        self._empty = EmptyState(
            theme,
            "thinking",
            tr("Nobody was asked beforehand"),
            tr(
                "CHAPO (strategy), KODA (code) and DEVO (operations) can look at a task before it is planned. "
                "They may only read; what they say stands here, and becomes the tasks of the plan."
            ),
            tr("Ask them about a task…"),
            primary=False,
        )
        self._empty.requested.connect(self.ask_requested)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._scroll.setAccessibleName(tr("What the minds said"))
        self.cards = {voice: VoiceCard(theme, voice) for voice in Voice}
        self._mark = plain_label(tr_marked(_KEPT), "small")
        self._mark.setWordWrap(True)
        self._look = plain_label("", "muted", wrap=True)
        self._look.setObjectName("perspectives-first-look")
        self._facts = QWidget()
        self._risk = Badge(theme)
        self._duration = plain_label("", "muted")
        facts = QHBoxLayout(self._facts)
        Spacing(theme, facts)
        for widget in (plain_label(tr("Altogether"), "heading"), self._risk, self._duration):
            facts.addWidget(widget)
        facts.addStretch(1)
        self._missing = QVBoxLayout()
        Spacing(theme, self._missing)
        self._banners: list[Banner] = []
        self._voices = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        Spacing(theme, self._voices, between=10)
        for card in self.cards.values():
            self._voices.addWidget(card, 1)
            card.transcript_requested.connect(partial(self.transcript_requested.emit, card.voice.value))
        inner = QWidget()
        inner.setProperty("role", "panel")
        layout = QVBoxLayout(inner)
        Spacing(theme, layout, (_MARGIN, 14, _MARGIN, _MARGIN), 10)
        layout.addWidget(self._look)
        layout.addWidget(self._mark)
        layout.addWidget(self._facts)
        layout.addLayout(self._missing)
        layout.addLayout(self._voices)
        layout.addStretch(1)
        self._scroll.setWidget(inner)
        self.addWidget(self._empty)
        self.addWidget(self._scroll)
        theme.changed.connect(self._arrange)
        self.show_perspectives(None)

    def show_perspectives(self, found: Perspectives | None) -> None:
        """What was said about the plan that is shown; None where nobody was asked."""
        self.setCurrentWidget(self._empty if found is None else self._scroll)
        if found is None:
            return
        self._show_look(found.qualification)
        self._mark.setText(tr_marked(_KEPT))
        self._show_missing(
            tuple(tr("Without {part}: {reason}", part=lost.part.upper(), reason=lost.reason) for lost in found.missing)
        )
        spoken = {each.agent: each for each in found.voices}
        for voice, card in self.cards.items():
            if voice in spoken:
                card.show_perspective(spoken[voice])
            else:
                card.show_state(tr("Could not be heard."), was_asked=True)
        self._facts.setVisible(found.overall_risk is not None)
        if found.overall_risk is not None:
            self._risk.set_state(*risk_badge(found.overall_risk))
        self._duration.setText(visible(found.estimated_duration))

    def follow(self, event: TandemEvent) -> bool:
        """Show how far the minds are; False for an event that is about something else."""
        match event:
            case PlanningStarted():
                self._begin(event.qualification)
            case PerspectiveStarted():
                self.cards[event.agent].show_state(tr("Looks at it…"))
            case PerspectiveMoved():
                self.cards[event.agent].show_state(tr("Looks at it…\n{doing}", doing=visible(event.doing)))
            case PerspectiveCompleted():
                self.cards[event.agent].show_perspective(event.perspective)
            case PerspectiveFailed():
                words = tr("Could not be heard. {reason}", reason=visible(event.reason))
                self.cards[event.agent].show_state(words, was_asked=True)
            case SynthesisStarted():
                self._mark.setText(tr("Putting it together into tasks…"))
            case SynthesisEnded():
                self._mark.setText(
                    tr_marked(_OUTCOME)
                    if not event.problem
                    else tr("No tasks: {problem}", problem=visible(event.problem))
                )
            case _:
                return False
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _show_look(self, words: str) -> None:
        self._look.setText(visible(words))
        self._look.setVisible(bool(words))

    def _begin(self, qualification: str) -> None:
        self.setCurrentWidget(self._scroll)
        self._show_look(qualification)
        self._mark.setText(tr_marked(_WAITING))
        self._facts.hide()
        self._show_missing(())
        for card in self.cards.values():
            card.show_state(tr("Is asked after CHAPO.") if card.voice is not Voice.CHAPO else tr("Is asked first."))

    def _show_missing(self, words: tuple[str, ...]) -> None:
        for banner in self._banners:
            self._missing.removeWidget(banner)
            banner.hide()
            banner.deleteLater()
        self._banners = [Banner(self._theme, "risk", visible(each)) for each in words]
        for banner in self._banners:
            self._missing.addWidget(banner)
            banner.show()

    def _arrange(self) -> None:
        room = self.width() - self._theme.px(2 * _MARGIN)
        wide = room >= len(self.cards) * self._theme.px(NARROWEST)
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        self._voices.setDirection(direction)


_KEPT = later("Advice, kept with the plan. It is not in the digest, and decides nothing.")
_WAITING = later("They may only look. What they say becomes the tasks of the plan.")
_OUTCOME = later("The tasks are there; each is now planned by the agent it is for.")
