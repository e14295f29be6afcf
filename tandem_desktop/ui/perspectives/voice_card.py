"""One voice: who it is, what it thinks, and what that rests on."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from tandem_desktop.domain.perspectives import Perspective, Voice
from tandem_desktop.ui.perspectives.badge_row import BadgeRow
from tandem_desktop.ui.perspectives.voice_words import ROLES, Part, badges, parts, spoken_by
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.card import Card
from tandem_desktop.ui.widgets.elided_label import ElidedLabel
from tandem_desktop.ui.widgets.link_button import LinkButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import tr


class VoiceCard(Card):
    """Shows a perspective, or how far the voice is with it."""

    transcript_requested = Signal()
    """The person wants to read, message by message, what it was asked and did."""

    def __init__(self, theme: Theme, voice: Voice, parent: QWidget | None = None) -> None:
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
        """Nothing has been said, or not yet; `words` tell how far it is."""
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

    def _add(self, part: Part) -> None:
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
    """A line of a list; what does not fit goes on under its words, not under its dot."""
    point = QWidget()
    row = QHBoxLayout(point)
    Spacing(theme, row, between=6)
    row.addWidget(plain_label("·", "muted"), 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(_line(words), 1)
    return point
