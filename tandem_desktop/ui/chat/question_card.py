"""The card of a question that an agent asks the person."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from tandem_desktop.diff.text import visible, visible_in_a_line, visible_name
from tandem_desktop.domain.agent_protocol import ChatEntry
from tandem_desktop.domain.questions import (
    COMPLETED,
    AgentQuestion,
    AnswerValue,
    FieldKind,
    QuestionAction,
    QuestionChoice,
    QuestionField,
)
from tandem_desktop.ui.chat.entry_widget import EntryWidget
from tandem_desktop.ui.chat.prose_view import ProseView
from tandem_desktop.ui.i18n import later, tr, tr_marked
from tandem_desktop.ui.models.transcript import TranscriptRow
from tandem_desktop.ui.theme.style import pixmap
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import Button, QuietButton
from tandem_desktop.ui.widgets.decision_guard import BoundedScroll, DecisionGuard, release_focus
from tandem_desktop.ui.widgets.labels import ElidedLabel, announce, plain_label

_LONG_TEXT = 200
"""A text that may be longer has a field of several lines."""
_ENDS = {
    QuestionAction.ACCEPT.value: ("check", "ok", later("You answered")),
    QuestionAction.DECLINE.value: ("cross", "muted", later("Declined")),
    QuestionAction.CANCEL.value: ("cross", "muted", later("No longer asked")),
    COMPLETED: ("check", "ok", later("Done in the browser")),
}


class QuestionCard(EntryWidget):
    """Shows a question and emits one answer; later how it ended. It never takes the focus by itself."""

    question_answered = Signal(str, object, object)
    """Question id, `QuestionAction` and the values by field."""
    address_opened = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("question-card")
        self._shown: ChatEntry | None = None
        self._form: QuestionForm | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)

    @property
    def is_kept(self) -> bool:
        return super().is_kept or (self._form is not None and self._form.is_touched)

    def set_row(self, row: TranscriptRow) -> None:
        entry = row.last
        if entry == self._shown or entry.question is None:
            return
        self._shown = entry
        self._clear()
        layout = self.layout()
        assert layout is not None
        if entry.answer:
            layout.addWidget(_EndedQuestion(self.theme, entry, entry.question))
            return
        form = self._form = QuestionForm(self.theme, entry.question)
        form.answered.connect(self._answer)
        layout.addWidget(form)
        form.show()

    def _answer(self, action: QuestionAction, values: Mapping[str, AnswerValue]) -> None:
        question = self._shown.question if self._shown is not None else None
        if question is None:
            return
        if action is QuestionAction.ACCEPT and question.url:
            self.address_opened.emit(question.url)
        self.question_answered.emit(question.id, action, values)

    def _clear(self) -> None:
        self._form = None
        layout = self.layout()
        while layout is not None and (item := layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                release_focus(widget)
                widget.hide()
                widget.deleteLater()


class QuestionForm(QWidget):
    """An open question: the agent's words, a field for each value, Answer and Decline."""

    answered = Signal(object, object)
    """`QuestionAction` and the values by field."""

    def __init__(self, theme: Theme, question: AgentQuestion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._question = question
        self._inputs: dict[str, _Input] = {}
        self._guard = DecisionGuard(self)
        self.setObjectName("question-form")
        agent = visible(question.agent) or tr("The agent")
        self.setAccessibleName(tr("{agent} asks: {question}", agent=agent, question=visible(question.summary)[:200]))
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(theme.px(14), theme.px(12), theme.px(14), theme.px(12))
        self._layout.setSpacing(theme.px(10))
        self._layout.addLayout(_head(theme, "info", "link", tr("{agent} asks you", agent=agent)))
        page = QWidget()
        page.setProperty("role", "bare")
        self._page = QVBoxLayout(page)
        self._page.setContentsMargins(0, 0, theme.px(4), 0)
        self._page.setSpacing(theme.px(10))
        if question.message.strip():
            self._page.addWidget(AgentWords(theme, question.message))
        if question.url:
            self._page.addWidget(_Address(theme, question))
        for field in question.fields:
            self._add(field)
        self._scroll = BoundedScroll(theme, page)
        self._scroll.setObjectName("question-scroll")
        self._scroll.setAccessibleName(tr("What is asked"))
        self._scroll.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._layout.addWidget(self._scroll)
        self._complaint = plain_label("", "risk", wrap=True)
        self._complaint.setObjectName("question-complaint")
        self._complaint.hide()
        self._layout.addWidget(self._complaint)
        self._unseen = plain_label(tr("Scroll to the end to answer it"), "small", wrap=True)
        self._unseen.setObjectName("question-unseen")
        self._layout.addWidget(self._unseen)
        self._layout.addLayout(self._buttons(theme))
        self._scroll.end.changed.connect(self._may_answer)
        self._may_answer()

    def _may_answer(self) -> None:
        """An answer needs the end of the question on screen; it can be declined at any time."""
        has_seen = self._scroll.end.has_seen
        self._guard.decides(self._accept, has_seen)
        self._unseen.setVisible(not has_seen)

    @property
    def is_touched(self) -> bool:
        """Whether the person has begun an answer."""
        return any(each.is_touched for each in self._inputs.values())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.theme.color("link"), 1))
        painter.setBrush(self.theme.color("panel"))
        frame = self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(frame, self.theme.px(10), self.theme.px(10))
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        focused = self.window().focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if event.isAutoRepeat() or not self._guard.is_ready:
                event.accept()
            elif isinstance(focused, QPushButton):
                focused.click()
            elif not self._question.url and self._accept.isEnabled():
                self._answer()
        elif event.key() in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp) and self._scroll.scrolls:
            bar = self._scroll.verticalScrollBar()
            bar.setValue(bar.value() + bar.pageStep() * (1 if event.key() == Qt.Key.Key_PageDown else -1))
        elif event.text() and event.text().isprintable():
            event.accept()  # keys of this form do not reach what is around it
        else:
            super().keyPressEvent(event)

    def _add(self, field: QuestionField) -> None:
        made = _input_for(self.theme, field)
        self._inputs[field.name] = made
        self._page.addWidget(made)
        replaced = self._inputs.get(field.instead_of)
        if isinstance(replaced, _OneOf) and isinstance(made, _Text):
            # One answer: the person's own words, or a choice.
            made.begun.connect(replaced.clear)
            replaced.chosen.connect(made.clear)

    def _buttons(self, theme: Theme) -> QHBoxLayout:
        is_address = bool(self._question.url)
        words = tr("Open in browser") if is_address else tr("Answer")
        accept = Button(theme, words, hint="" if is_address else "Enter")
        accept.setObjectName("question-answer")
        accept.clicked.connect(self._answer)
        decline = QuietButton(theme, tr("Decline"))
        decline.setObjectName("question-decline")
        decline.clicked.connect(lambda: self._end(QuestionAction.DECLINE, {}))
        self._accept = accept
        self._guard.decides(decline)
        row = QHBoxLayout()
        row.setContentsMargins(0, theme.px(2), 0, 0)
        row.setSpacing(theme.px(8))
        row.addWidget(accept)
        row.addWidget(decline)
        row.addStretch(1)
        return row

    def _answer(self) -> None:
        values = {name: value for name, each in self._inputs.items() if (value := each.value()) is not None}
        problems = self._question.problems(values)
        for field in self._question.fields:
            if field.name in problems:
                self._complain(field, problems[field.name])
                return
        self._end(QuestionAction.ACCEPT, values)

    def _complain(self, field: QuestionField, problem: str) -> None:
        words = tr("{field} {problem}.", field=visible(field.label), problem=problem)
        self._complaint.setText(words)
        self._complaint.show()
        announce(self, words, urgent=True)
        self._inputs[field.name].take_focus()

    def _end(self, action: QuestionAction, values: Mapping[str, AnswerValue]) -> None:
        self.setEnabled(False)  # one answer, also when the next click comes before the end is told
        self.answered.emit(action, values)


class AgentWords(QWidget):
    """The agent's own words, between quotation marks and beside a line: plain text, in which nothing is a link."""

    def __init__(self, theme: Theme, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        bar = QLabel()
        bar.setFixedWidth(theme.px(2))
        bar.setStyleSheet(f"background: {theme.tokens.line_strong};")
        said = "\n".join(visible(line) for line in text.strip().split("\n"))
        words = ProseView(theme)
        words.setObjectName("question-words")
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.setPlainText(f"“{said}”")
        words.setAccessibleName(said)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(10))
        layout.addWidget(bar)
        layout.addWidget(words, 1)


class _Address(QFrame):
    """An address, whole, with its host above it."""

    def __init__(self, theme: Theme, question: AgentQuestion) -> None:
        super().__init__()
        self.setProperty("role", "card-raised")
        host = plain_label(visible_name(question.host), "heading", wrap=True)
        host.setObjectName("question-host")
        address = ProseView(theme)
        address.setObjectName("question-url")
        address.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        address.document().setDefaultFont(theme.code_font())
        address.setPlainText(visible_in_a_line(question.url))
        address.setAccessibleName(visible_in_a_line(question.url))
        inside = QVBoxLayout(self)
        inside.setContentsMargins(theme.px(10), theme.px(8), theme.px(10), theme.px(8))
        inside.setSpacing(theme.px(4))
        inside.addWidget(host)
        inside.addWidget(address)
        note = _address_note(question)
        if note:
            inside.addWidget(plain_label(note, "risk", wrap=True))


def _address_note(question: AgentQuestion) -> str:
    if "xn--" in question.host or not question.host.isascii():
        return tr("This host is written with characters that may look like others.")
    return tr("This address is not encrypted.") if question.url.startswith("http:") else ""


class _Input(QWidget):
    """The field of one value, with its label and hints."""

    is_touched = False

    def __init__(self, theme: Theme, field: QuestionField) -> None:
        super().__init__()
        self.setObjectName(f"question-field-{field.name}")
        self.theme = theme
        self.field = field
        self.rows = QVBoxLayout(self)
        self.rows.setContentsMargins(0, 0, 0, 0)
        self.rows.setSpacing(theme.px(4))
        label = tr("Another answer") if field.instead_of else visible(field.label)
        self.label = tr("{field} (needed)", field=label) if field.is_required else label
        if field.kind is not FieldKind.BOOLEAN:
            self.rows.addWidget(plain_label(self.label, "section" if not field.instead_of else "small", wrap=True))
        if field.description:
            self.rows.addWidget(plain_label(_lines(field.description), wrap=True))

    def value(self) -> AnswerValue | None:
        """What the person entered; None for nothing."""
        raise NotImplementedError

    def take_focus(self) -> None:
        """Move the keyboard focus to the field."""
        raise NotImplementedError

    def _touch(self) -> None:
        self.is_touched = True

    def _hint(self, words: str) -> None:
        if words:
            self.rows.addWidget(plain_label(words, "small", wrap=True))


class _Text(_Input):
    """A text, or a number."""

    begun = Signal()

    def __init__(self, theme: Theme, field: QuestionField) -> None:
        super().__init__(theme, field)
        longest = field.max_length if field.max_length is not None else 0
        is_long = field.kind is FieldKind.TEXT and longest > _LONG_TEXT and not field.format
        self.edit: QLineEdit | QPlainTextEdit = QPlainTextEdit() if is_long else QLineEdit()
        if isinstance(self.edit, QPlainTextEdit):
            self.edit.setTabChangesFocus(True)
            self.edit.setFixedHeight(theme.px(72))
        elif field.kind is not FieldKind.TEXT:
            self.edit.setMaximumWidth(theme.px(160))
        self.edit.setObjectName(f"question-input-{field.name}")
        self.edit.setAccessibleName(self.label)
        if field.default is not None:
            self._set(str(field.default))
        self.edit.textChanged.connect(self._changed)
        self.rows.addWidget(self.edit)
        self._hint(_limits(field))

    def value(self) -> AnswerValue | None:
        text = self._text()
        if self.field.kind is FieldKind.TEXT:
            return text or None
        return _number(text.strip()) if text.strip() else None

    def clear(self) -> None:
        self._set("")

    def take_focus(self) -> None:
        self.edit.setFocus()

    def _text(self) -> str:
        return self.edit.text() if isinstance(self.edit, QLineEdit) else self.edit.toPlainText()

    def _set(self, text: str) -> None:
        self.edit.setText(text) if isinstance(self.edit, QLineEdit) else self.edit.setPlainText(text)

    def _changed(self) -> None:
        self._touch()
        if self._text():
            self.begun.emit()


class _YesOrNo(_Input):
    """A check box."""

    def __init__(self, theme: Theme, field: QuestionField) -> None:
        super().__init__(theme, field)
        self.box = QCheckBox(_escaped(visible(field.label)))
        self.box.setObjectName(f"question-input-{field.name}")
        self.box.setChecked(field.default is True)
        self.box.toggled.connect(self._touch)
        self.rows.insertWidget(0, self.box)

    def value(self) -> AnswerValue | None:
        return self.box.isChecked()

    def take_focus(self) -> None:
        self.box.setFocus()


class _OneOf(_Input):
    """Radio buttons."""

    chosen = Signal()

    def __init__(self, theme: Theme, field: QuestionField) -> None:
        super().__init__(theme, field)
        self._group = QButtonGroup(self)
        for at, choice in enumerate(field.choices):
            button = QRadioButton(_escaped(visible(choice.label)))
            button.setChecked(choice.value == field.default)
            self._group.addButton(button, at)
            _place_choice(self, button, choice, at)
        self._group.idClicked.connect(self._on_choice)

    def value(self) -> AnswerValue | None:
        at = self._group.checkedId()
        return self.field.choices[at].value if at >= 0 else None

    def clear(self) -> None:
        checked = self._group.checkedButton()
        if checked is not None:
            # An exclusive group keeps one button checked.
            self._group.setExclusive(False)
            checked.setChecked(False)
            self._group.setExclusive(True)

    def take_focus(self) -> None:
        self._group.buttons()[0].setFocus()

    def _on_choice(self) -> None:
        self._touch()
        self.chosen.emit()


class _SomeOf(_Input):
    """Check boxes."""

    def __init__(self, theme: Theme, field: QuestionField) -> None:
        super().__init__(theme, field)
        self._boxes: list[QCheckBox] = []
        preset = field.default if isinstance(field.default, tuple) else ()
        for at, choice in enumerate(field.choices):
            box = QCheckBox(_escaped(visible(choice.label)))
            box.setChecked(choice.value in preset)
            box.toggled.connect(self._touch)
            self._boxes.append(box)
            _place_choice(self, box, choice, at)
        self._hint(_limits(field))

    def value(self) -> AnswerValue | None:
        chosen = tuple(
            choice.value for choice, box in zip(self.field.choices, self._boxes, strict=True) if box.isChecked()
        )
        return chosen or None

    def take_focus(self) -> None:
        self._boxes[0].setFocus()


def _place_choice(holder: _Input, button: QRadioButton | QCheckBox, choice: QuestionChoice, at: int) -> None:
    """A choice with its description below it, where the label begins."""
    theme, field = holder.theme, holder.field
    button.setObjectName(f"question-choice-{field.name}-{at}")
    button.setAccessibleDescription(_lines(choice.description))
    holder.rows.addWidget(button)
    if choice.description:
        words = plain_label(_lines(choice.description), "small", wrap=True)
        words.setContentsMargins(theme.px(28), 0, 0, theme.px(2))
        holder.rows.addWidget(words)


_INPUTS: dict[FieldKind, Callable[[Theme, QuestionField], _Input]] = {
    FieldKind.TEXT: _Text,
    FieldKind.NUMBER: _Text,
    FieldKind.INTEGER: _Text,
    FieldKind.BOOLEAN: _YesOrNo,
    FieldKind.CHOICE: _OneOf,
    FieldKind.CHOICES: _SomeOf,
}


def _input_for(theme: Theme, field: QuestionField) -> _Input:
    return _INPUTS[field.kind](theme, field)


class _EndedQuestion(QWidget):
    """One line that says how a question ended, and below it what the person answered."""

    def __init__(self, theme: Theme, entry: ChatEntry, question: AgentQuestion) -> None:
        super().__init__()
        self.setObjectName("question-ended")
        name, token, end = _ENDS.get(entry.answer, ("info", "muted", later("No longer asked")))
        if question.url and entry.answer == QuestionAction.ACCEPT.value:
            end = later("Opened in the browser")
        words, asked = tr_marked(end), visible(question.summary)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.px(2), 0, 0, 0)
        layout.setSpacing(theme.px(2))
        head = _head(theme, name, token, words, "muted", 14)
        head.addWidget(ElidedLabel(theme, asked, mode=Qt.TextElideMode.ElideRight), 1)
        layout.addLayout(head)
        details = [visible(" ".join(each.split())) for each in entry.details if each]
        for detail in details:
            line = plain_label(detail, "muted", wrap=True)
            line.setContentsMargins(theme.px(22), 0, 0, 0)
            layout.addWidget(line)
        self.setAccessibleName(". ".join((f"{words}: {asked}", *details)))


def _head(theme: Theme, icon_name: str, token: str, words: str, role: str = "heading", size: int = 16) -> QHBoxLayout:
    mark = QLabel()
    mark.setPixmap(pixmap(theme, icon_name, token, size, mark.devicePixelRatioF()))
    row = QHBoxLayout()
    row.setSpacing(theme.px(8))
    row.addWidget(mark)
    row.addWidget(plain_label(words, role), 0 if size != 16 else 1)
    return row


def _limits(field: QuestionField) -> str:
    """What a value must be, for a hint below its field."""
    low, high = field.minimum, field.maximum
    if field.pattern:
        return tr("Must match {pattern}", pattern=visible(field.pattern))
    if field.kind is FieldKind.CHOICES:
        low, high = field.min_items, field.max_items
    elif field.kind is FieldKind.TEXT:
        return tr("At most {most} characters", most=field.max_length) if field.max_length is not None else ""
    if low is not None and high is not None:
        return tr("From {least} to {most}", least=f"{low:g}", most=f"{high:g}")
    if low is not None:
        return tr("At least {least}", least=f"{low:g}")
    return tr("At most {most}", most=f"{high:g}") if high is not None else ""


def _number(text: str) -> AnswerValue:
    """The number a person wrote; what is none stays text, and is refused as such."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _lines(text: str) -> str:
    return "\n".join(visible(line) for line in text.split("\n"))


def _escaped(text: str) -> str:
    """A label in which `&` marks no key."""
    return text.replace("&", "&&")
