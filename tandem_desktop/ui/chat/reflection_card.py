"""The reflection card."""

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from tandem_desktop.diff.text import visible, visible_command, visible_in_a_line, visible_name
from tandem_desktop.domain.reflection import AdjustmentAction, AdjustmentVerdict, Assessment, Judged, Reflection
from tandem_desktop.ui.chat.cards import DecisionCard
from tandem_desktop.ui.chat.entry_widget import EntryWidget
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_n
from tandem_desktop.ui.models.transcript import TranscriptRow
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import PRIMARY, Button, QuietButton
from tandem_desktop.ui.widgets.chips import Segmented
from tandem_desktop.ui.widgets.labels import Badge, ElidedLabel, KeyHint, plain_label

_ASSESSMENTS = {
    Assessment.COMPLETE: (later("Complete"), "ok"),
    Assessment.FAILED: (later("Cannot be done this way"), "error"),
    Assessment.ON_TRACK: (later("On track"), "ok"),
    Assessment.NEEDS_ADJUSTMENT: (later("Needs adjustment"), "risk"),
    Assessment.OFF_TRACK: (later("Off track"), "error"),
    Assessment.UNKNOWN: (later("No answer"), "neutral"),
}
_ACTIONS = {
    AdjustmentAction.MODIFY: later("Change {step}"),
    AdjustmentAction.RETRY: later("Do {step} again"),
    AdjustmentAction.SKIP: later("Leave out {step}"),
    AdjustmentAction.ADD_BEFORE: later("Add a step before {step}"),
    AdjustmentAction.ADD_AFTER: later("Add a step after {step}"),
    AdjustmentAction.REPLACE: later("Replace {step}"),
}
_VERDICTS = (
    (AdjustmentVerdict.OPEN.value, later("Undecided")),
    (AdjustmentVerdict.ACCEPTED.value, later("Accept")),
    (AdjustmentVerdict.REJECTED.value, later("Reject")),
)
_SETTLED = {
    AdjustmentVerdict.OPEN: (later("Not accepted"), "neutral"),
    AdjustmentVerdict.ACCEPTED: (later("Accepted"), "ok"),
    AdjustmentVerdict.REJECTED: (later("Rejected"), "neutral"),
}
_MOST_LINES, _LONGEST = 8, 600


@dataclass(frozen=True, slots=True)
class ReflectionFacts:
    """What a card shows of one reflection; chat entries only have its run."""

    reflection: Reflection
    is_open: bool
    """Whether the adjustments can still be judged."""

    @property
    def is_waiting(self) -> bool:
        return self.is_open and bool(self.reflection.adjustments)


@dataclass(frozen=True, slots=True)
class ReflectionRequest:
    """A request about a reflection: judge an adjustment, make the revision, or reflect again."""

    run_id: str
    number: int = 0
    verdict: AdjustmentVerdict | None = None
    makes_revision: bool = False


class ReflectionCard(EntryWidget):
    """Shows one reflection. Accepted adjustments become a revision, which is reviewed like any other."""

    reflection_requested = Signal(object)
    typed = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("reflection-card")
        self._shown: ReflectionFacts | None = None
        self._card: _Card | None = None
        self._waiting = plain_label("", "muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._waiting)

    @property
    def card(self) -> DecisionCard | None:
        """The card that takes digits."""
        return self._card

    def set_row(self, row: TranscriptRow) -> None:
        if self._shown is None:
            self._waiting.setText(tr("Reflection on {run_id}", run_id=row.last.run_id))

    def set_facts(self, facts: ReflectionFacts) -> None:
        if facts == self._shown:
            return
        before, self._shown = self._shown, facts
        if self._card is not None and before is not None and _same_but_verdicts(before, facts):
            self._card.follow(facts.reflection)
            return
        had_focus = self.is_kept
        if self._card is not None:
            self._card.hide()
            self._card.deleteLater()
        self._card = self._made(facts)
        self._waiting.hide()
        if had_focus:
            self._card.setFocus()
        words, found = tr_marked(_ASSESSMENTS[facts.reflection.assessment][0]), facts.reflection
        self.setAccessibleName(tr("Reflection: {words}. {reasoning}", words=words, reasoning=found.reasoning))
        self.height_changed.emit()

    def _made(self, facts: ReflectionFacts) -> "_Card":
        card = _Card(self.theme, facts)
        card.wished.connect(self.reflection_requested)
        card.typed.connect(self.typed)
        layout = self.layout()
        assert layout is not None
        layout.addWidget(card)
        card.show()
        return card


class _Card(DecisionCard):
    wished = Signal(object)

    def __init__(self, theme: Theme, facts: ReflectionFacts, parent: QWidget | None = None) -> None:
        super().__init__(theme, "line_strong" if facts.is_waiting else "line", parent)
        self.setObjectName("reflection")
        self._facts = facts
        found = facts.reflection
        self._run_id = found.run_id
        self.setAccessibleName(
            tr_n(
                "Reflection with {n} adjustment. A number accepts or rejects it.",
                "Reflection with {n} adjustments. A number accepts or rejects it.",
                len(found.adjustments),
            )
        )
        self._head(found)
        self.body.addWidget(_prose(found.reasoning, "reflection-reasoning"))
        self._rows = [
            _AdjustmentRow(theme, number, each, _subject(found, each), is_open=facts.is_open)
            for number, each in enumerate(found.adjustments, start=1)
        ]
        for row in self._rows:
            row.judged.connect(self._judge)
            self.body.addSpacing(theme.px(4))
            self.body.addWidget(_line())
            self.body.addSpacing(theme.px(4))
            self.body.addWidget(row)
        if self._rows:
            self.body.addSpacing(theme.px(4))
        self._foot(found)
        self.follow(found)

    def follow(self, found: Reflection) -> None:
        """Update the verdicts and the button that makes the revision."""
        for row, each in zip(self._rows, found.adjustments, strict=True):
            row.follow(each)
        accepted = len(found.numbers(AdjustmentVerdict.ACCEPTED))
        self.guard.decides(self._make, accepted > 0)
        told = _after_words(self._facts)
        if self._facts.is_waiting:
            tally = tr("{accepted} of {count} accepted.", accepted=accepted, count=len(self._rows))
            told = f"{tally} {told}"
        self._after.setText(told)

    @property
    def digits(self) -> frozenset[str]:
        return frozenset(map(str, range(1, len(self._rows) + 1))) if self._facts.is_waiting else frozenset()

    def press(self, key: str) -> bool:
        """Toggle the adjustment with this number between accepted and rejected."""
        if not self._facts.is_waiting or not key.isdecimal() or not 1 <= int(key) <= len(self._rows):
            return False
        self._rows[int(key) - 1].turn()
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._make.isVisible() and self._make.isEnabled():
            if self.guard.takes(event):
                self._make.click()
            return
        super().keyPressEvent(event)

    def _head(self, found: Reflection) -> None:
        words, tone = _ASSESSMENTS[found.assessment]
        head = QHBoxLayout()
        head.setSpacing(self.theme.px(8))
        head.addWidget(plain_label(tr("Looking back"), "heading"))
        head.addWidget(Badge(self.theme, tr_marked(words), tone))
        head.addStretch(1)
        head.addWidget(plain_label(f"{found.run_id} · r{found.snapshot.plan.revision}", "code-muted"))
        self.body.addLayout(head)

    def _foot(self, found: Reflection) -> None:
        self._make = Button(
            self.theme, tr("Make revision {revision}", revision=found.snapshot.plan.revision + 1), hint="Enter"
        )
        self._make.set_look(PRIMARY)
        self._make.setObjectName("reflection-make")
        self._make.clicked.connect(lambda: self.wished.emit(ReflectionRequest(self._run_id, makes_revision=True)))
        again = QuietButton(self.theme, tr("Ask again"))
        again.setObjectName("reflection-again")
        again.clicked.connect(lambda: self.wished.emit(ReflectionRequest(self._run_id)))
        self.guard.decides(again)
        self._after = _prose("", "reflection-after", "muted")
        row = QHBoxLayout()
        row.setSpacing(self.theme.px(8))
        row.addWidget(self._make)
        row.addWidget(again)
        row.addStretch(1)
        self._make.setVisible(self._facts.is_waiting)
        again.setVisible(self._facts.is_open)
        self.choices.hide()
        self.body.addWidget(self._after)
        self.body.addLayout(row)

    @property
    def is_waiting(self) -> bool:
        return self._facts.is_waiting

    def _judge(self, number: int, verdict: str) -> None:
        self.wished.emit(ReflectionRequest(self._run_id, number, AdjustmentVerdict(verdict)))


class _AdjustmentRow(QWidget):
    """One adjustment: subject, reason, new value and verdict."""

    judged = Signal(int, str)

    def __init__(self, theme: Theme, number: int, each: Judged, subject: str, *, is_open: bool) -> None:
        super().__init__()
        self._number = number
        self._may_accept = is_open and not each.problem
        self.setObjectName(f"adjustment-{number}")
        head = QHBoxLayout()
        head.setSpacing(theme.px(8))
        head.addWidget(KeyHint(theme, str(number)) if is_open and number < 10 else plain_label(f"{number}.", "muted"))
        head.addWidget(plain_label(_title(each), "heading"))
        head.addWidget(ElidedLabel(theme, subject, mode=Qt.TextElideMode.ElideRight, token="muted"), 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(6))
        layout.addLayout(head)
        layout.addWidget(_prose(each.adjustment.reason, f"adjustment-{number}-reason"))
        if given := _given(each):
            layout.addWidget(_prose(given, f"adjustment-{number}-input", "code-block"))
        if each.problem:
            problem = tr("Cannot be accepted: {problem}", problem=each.problem)
            layout.addWidget(_prose(problem, f"adjustment-{number}-problem", "risk"))
        self._choice: Segmented | None = None
        self._badge: Badge | None = None
        answer = QHBoxLayout()
        if is_open:
            verdicts = tuple((key, tr_marked(words)) for key, words in _VERDICTS)
            self._choice = Segmented(theme, verdicts, tr("Adjustment {number}", number=number))
            self._choice.set_allowed(AdjustmentVerdict.ACCEPTED.value, not each.problem)
            self._choice.chosen.connect(lambda verdict: self.judged.emit(number, verdict))
            answer.addWidget(self._choice)
        else:
            self._badge = Badge(theme)
            answer.addWidget(self._badge)
        answer.addStretch(1)
        layout.addLayout(answer)

    def follow(self, each: Judged) -> None:
        if self._choice is not None:
            self._choice.set_current(each.verdict.value)
        if self._badge is not None:
            words, tone = _SETTLED[each.verdict]
            self._badge.set_state(tr_marked(words), tone)

    def turn(self) -> None:
        """Toggle between accepted and rejected."""
        if self._choice is None:
            return
        accept = self._may_accept and self._choice.current != AdjustmentVerdict.ACCEPTED.value
        verdict = AdjustmentVerdict.ACCEPTED if accept else AdjustmentVerdict.REJECTED
        self._choice.set_current(verdict.value)
        self.judged.emit(self._number, verdict.value)


def _same_but_verdicts(before: ReflectionFacts, now: ReflectionFacts) -> bool:
    def bare(facts: ReflectionFacts) -> object:
        found = facts.reflection
        undecided = tuple(each.model_copy(update={"verdict": AdjustmentVerdict.OPEN}) for each in found.adjustments)
        return facts.is_open, found.model_copy(update={"adjustments": undecided})

    return bare(before) == bare(now)


def _title(each: Judged) -> str:
    return tr_marked(_ACTIONS[each.adjustment.action], step=visible_name(each.adjustment.step_id))


def _subject(found: Reflection, each: Judged) -> str:
    """The step's command, path or description."""
    step = next((step for step in found.snapshot.plan.steps if step.id == each.adjustment.step_id), None)
    if step is None:
        return ""
    path = step.tool_input.get("path")
    command = step.tool_input.get("command")
    return visible_name(str(path)) if path and not command else visible_in_a_line(str(command or step.description))


def _given(each: Judged) -> str:
    """The step's new value, shortened; the revision shows it in full."""
    given = dict(each.adjustment.tool_input or {})
    if not given:
        return ""
    path, command, content = (given.pop(name, None) for name in ("path", "command", "content"))
    first = " ".join(str(word) for word in (each.adjustment.tool, path or command) if word)
    rest = (f"{name}: {value}" for name, value in given.items())
    lines = "\n".join(part for part in (first, *rest, str(content or "").rstrip()) if part)
    shown = visible_command(lines[:_LONGEST])
    more = len(lines) > _LONGEST or len(shown) > _MOST_LINES
    return "\n".join((*shown[:_MOST_LINES], *(("…",) if more else ())))


def _after_words(facts: ReflectionFacts) -> str:
    found = facts.reflection
    if found.made_revision is not None:
        return tr("What was accepted became revision {revision}.", revision=found.made_revision)
    if not facts.is_open:
        return tr("The plan has gone on since; these can no longer be accepted.")
    if not found.adjustments:
        return tr("Nothing is proposed; the plan stays as it is.")
    return tr("What you accept becomes a new revision. Nothing runs before you have reviewed and approved it.")


def _line() -> QWidget:
    line = QFrame()
    line.setProperty("role", "separator")
    line.setFixedHeight(1)
    return line


def _prose(text: str, name: str, role: str = "") -> QLabel:
    label = plain_label("\n".join(map(visible, text.split("\n"))), role, wrap=True)
    label.setObjectName(name)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
