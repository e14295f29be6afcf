"""The perspectives tab."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from tandem_desktop.acp_client.profiles import title_of
from tandem_desktop.diff.text import visible
from tandem_desktop.domain.advice import RiskLevel
from tandem_desktop.domain.events import (
    PerspectiveCompleted,
    PerspectiveFailed,
    PerspectiveMoved,
    PerspectiveStarted,
    PlanningStarted,
    SynthesisEnded,
    SynthesisStarted,
    TandemEvent,
)
from tandem_desktop.domain.perspectives import TITLES, ChapoPerspective, Effort, Perspective, Perspectives, Role
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_table
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banners import Banner, Card, EmptyState
from tandem_desktop.ui.widgets.buttons import LinkButton
from tandem_desktop.ui.widgets.labels import Badge, ElidedLabel, plain_label

_BETWEEN = 6


class BadgeRow(QWidget):
    """A row of badges that wraps; its minimum width is that of the widest badge."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._badges: list[Badge] = []
        self._row = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._row.setAlignment(Qt.AlignmentFlag.AlignLeft)
        Spacing(theme, self._row, between=_BETWEEN)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        theme.changed.connect(self._arrange)

    def set_badges(self, words: Sequence[tuple[str, str]]) -> None:
        """Text and tone of each."""
        for badge in self._badges:
            self._row.removeWidget(badge)
            badge.hide()
            badge.deleteLater()
        self._badges = [Badge(self._theme, text, tone) for text, tone in words]
        for badge in self._badges:
            self._row.addWidget(badge)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        gaps = self._theme.px(_BETWEEN) * max(0, len(self._badges) - 1)
        wanted = sum(badge.sizeHint().width() for badge in self._badges) + gaps
        fits = wanted <= self.width()
        self._row.setDirection(QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom)


ROLES: Mapping[Role, str] = tr_table({Role.CHAPO: "Strategy", Role.KODA: "Code", Role.DEVO: "Operations"})
RISK_TONES = {RiskLevel.LOW: "ok", RiskLevel.MEDIUM: "risk", RiskLevel.HIGH: "error"}
RISKS = tr_table({RiskLevel.LOW: "low risk", RiskLevel.MEDIUM: "medium risk", RiskLevel.HIGH: "high risk"})
EFFORTS = tr_table(
    {
        Effort.TRIVIAL: "trivial effort",
        Effort.SMALL: "small effort",
        Effort.MEDIUM: "medium effort",
        Effort.LARGE: "large effort",
    }
)
_BADGES = ("estimated_effort", "risk_assessment")
_AT_THE_TOP = ("analysis",)
_PATHS = ("affected_files",)


class OpinionSection(NamedTuple):
    """A heading and its points."""

    title: str
    lines: tuple[str, ...]
    is_code: bool = False
    is_list: bool = True


class BadgeWords(NamedTuple):
    """A badge's text and tone."""

    text: str
    tone: str


def badges(found: Perspective) -> tuple[BadgeWords, ...]:
    effort = BadgeWords(EFFORTS[found.estimated_effort], _effort_tone(found.estimated_effort))
    if isinstance(found, ChapoPerspective):
        return (risk_badge(found.risk_assessment), effort)
    return (effort,)


def risk_badge(risk: RiskLevel) -> BadgeWords:
    return BadgeWords(RISKS[risk], RISK_TONES[risk])


def parts(found: Perspective) -> tuple[OpinionSection, ...]:
    """The sections of a perspective, in reading order."""
    said = found.model_dump(mode="json")
    told = []
    for name, label in TITLES.items():
        title, value = tr_marked(label), said.get(name)
        if name in _BADGES or not value:
            continue
        if isinstance(value, list):
            told.append(OpinionSection(title, tuple(map(visible, value)), is_code=name in _PATHS))
        else:
            told.append(OpinionSection("" if name in _AT_THE_TOP else title, (visible(str(value)),), is_list=False))
    return (*told, _read(found), *_refused(found))


def spoken_by(found: Perspective) -> str:
    return " · ".join(word for word in (title_of(found.spoken_by), found.model) if word)


def _effort_tone(effort: Effort) -> str:
    return "risk" if effort is Effort.LARGE else "neutral"


def _read(found: Perspective) -> OpinionSection:
    if not found.files_read:
        return OpinionSection(tr("Files read"), (tr("None: this rests on no file of the workspace."),), is_list=False)
    return OpinionSection(
        tr("Files read ({count})", count=len(found.files_read)), tuple(map(visible, found.files_read)), is_code=True
    )


def _refused(found: Perspective) -> tuple[OpinionSection, ...]:
    told = []
    if found.denied:
        told.append(
            OpinionSection(tr("Wanted to do more, and was refused"), tuple(map(visible, found.denied)), is_code=True)
        )
    if found.thrown_away:
        told.append(
            OpinionSection(tr("Changed unasked, thrown away"), tuple(map(visible, found.thrown_away)), is_code=True)
        )
    return tuple(told)


class RoleCard(Card):
    """Shows one advisor's perspective or its progress."""

    transcript_requested = Signal()
    """Open the advisor's transcript."""

    def __init__(self, theme: Theme, voice: Role, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent=parent)
        self.voice = voice
        self.setObjectName(f"voice-{voice.value}")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._role = plain_label(ROLES[voice], "muted")
        self._by = ElidedLabel(theme, "", token="muted", points_delta=-1)
        self._badges = BadgeRow(theme)
        self._state = plain_label("", "muted", wrap=True)
        self._said = QWidget()
        self._lines = QVBoxLayout(self._said)
        Spacing(theme, self._lines, (0, 6, 0, 0), 4)
        head = QHBoxLayout()
        Spacing(theme, head)
        head.addWidget(plain_label(voice.value.upper(), "title"))
        head.addWidget(self._role, 1, Qt.AlignmentFlag.AlignBottom)
        self.body.addLayout(head)
        for widget in (self._by, self._badges, self._state, self._said):
            self.body.addWidget(widget)
        self.transcript = LinkButton(theme, tr("Transcript"), "muted")
        self.transcript.setObjectName(f"transcript-{voice.value}")
        self.transcript.setAccessibleName(tr("Transcript of {voice}", voice=voice.value.upper()))
        self.transcript.clicked.connect(self.transcript_requested)
        head.addWidget(self.transcript, 0, Qt.AlignmentFlag.AlignBottom)
        self.body.addStretch(1)
        self.show_state("")

    def show_state(self, words: str, *, was_asked: bool = False) -> None:
        """Show a state instead of a perspective."""
        self.transcript.setVisible(was_asked)
        self.setAccessibleName(f"{self.voice.value.upper()}, {ROLES[self.voice]}. {words}")
        self._clear()
        self._by.hide()
        self._badges.hide()
        self._said.hide()
        self._state.setText(words)
        self._state.setVisible(bool(words))

    def show_perspective(self, found: Perspective) -> None:
        self._clear()
        self.transcript.show()
        self._state.hide()
        self._by.setText(spoken_by(found))
        self._by.setVisible(bool(spoken_by(found)))
        self._badges.set_badges(badges(found))
        self._badges.show()
        for part in parts(found):
            self._add(part)
        self._said.show()
        self.setAccessibleName(f"{self.voice.value.upper()}, {ROLES[self.voice]}")
        self.setAccessibleDescription(found.analysis)

    def _add(self, part: OpinionSection) -> None:
        if part.title:
            title = plain_label(part.title, "section", wrap=True)
            title.setContentsMargins(0, self._theme.px(6), 0, 0)
            self._lines.addWidget(title)
        for line in part.lines:
            if part.is_code:
                self._lines.addWidget(ElidedLabel(self._theme, line, token="muted", code=True, points_delta=-1))
            else:
                self._lines.addWidget(_point(self._theme, line) if part.is_list else _line(line))

    def _clear(self) -> None:
        while (item := self._lines.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()


def _line(words: str) -> QLabel:
    label = plain_label(words, wrap=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _point(theme: Theme, words: str) -> QWidget:
    """A list item with a hanging indent."""
    point = QWidget()
    row = QHBoxLayout(point)
    Spacing(theme, row, between=6)
    row.addWidget(plain_label("·", "muted"), 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(_line(words), 1)
    return point


NARROWEST = 230
"""Minimum width of a card; with less room the cards are stacked."""
_MARGIN = 18


class PerspectivesView(QStackedWidget):
    """Shows the perspectives of a revision, and the advisors' progress."""

    ask_requested = Signal()
    """Ask the advisors about a task."""
    transcript_requested = Signal(str)
    """Open the transcript of the advisor with this role."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("perspectives")
        self.setAccessibleName(tr("Perspectives"))
        self._empty = EmptyState(
            theme,
            "thinking",
            tr("No second opinions"),
            tr(
                "Three advisors, for strategy, code and operations, can look at a task before it is planned. "
                "They may only read; what they say stands here, and becomes the tasks of the plan."
            ),
            tr("Get second opinions…"),
            primary=False,
        )
        self._empty.requested.connect(self.ask_requested)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._scroll.setAccessibleName(tr("What the advisors said"))
        self.cards = {voice: RoleCard(theme, voice) for voice in Role}
        self._mark = plain_label(tr_marked(_KEPT), "small", wrap=True)
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

    @property
    def has_content(self) -> bool:
        """Whether an advisor was asked about this plan."""
        return self.currentWidget() is not self._empty

    def show_perspectives(self, found: Perspectives | None) -> None:
        """Show the perspectives of the plan; None if no advisor was asked."""
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
                card.show_state(tr("Gave no answer."), was_asked=True)
        self._facts.setVisible(found.overall_risk is not None)
        if found.overall_risk is not None:
            self._risk.set_state(*risk_badge(found.overall_risk))
        self._duration.setText(visible(found.estimated_duration))

    def follow(self, event: TandemEvent) -> bool:
        """Show the advisors' progress; False for an unrelated event."""
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
                words = tr("Gave no answer. {reason}", reason=visible(event.reason))
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
            card.show_state(tr("Is asked after strategy.") if card.voice is not Role.CHAPO else tr("Is asked first."))

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
