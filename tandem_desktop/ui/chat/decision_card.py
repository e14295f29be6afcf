"""A card that waits for a person: it has the focus ring, and single digits choose while the focus is in it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from tandem_desktop.ui.chat.entry_widget import EntryWidget
from tandem_desktop.ui.chat.reason_field import ReasonField
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button


class DecisionCard(EntryWidget):
    """Draws its own ground and holds a body, a row of choices and, when asked for, a field for words."""

    typed = Signal(str)
    """Letters that were not meant for the card; the composer takes them."""

    def __init__(self, theme: Theme, edge: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._edge = edge
        self._buttons: dict[str, Button] = {}
        self._reason: ReasonField | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(theme.px(14), theme.px(12), theme.px(14), theme.px(12))
        self._layout.setSpacing(theme.px(10))
        self.body = QVBoxLayout()
        self.body.setSpacing(theme.px(6))
        self._layout.addLayout(self.body)
        self.choices = QWidget()
        self._row = QHBoxLayout(self.choices)
        self._row.setContentsMargins(0, theme.px(2), 0, 0)
        self._row.setSpacing(theme.px(8))
        self._row.addStretch(1)
        self._layout.addWidget(self.choices)

    @property
    def is_waiting(self) -> bool:
        return not self.choices.isHidden() or self._reason is not None

    @property
    def is_kept(self) -> bool:
        return super().is_kept or (self._reason is not None and bool(self._reason.words))

    def add_choice(self, key: str, button: Button) -> None:
        button.set_hint(key)
        self._buttons[key] = button
        self._row.insertWidget(self._row.count() - 1, button)

    def press(self, key: str) -> bool:
        """Choose by digit; whether there was such a choice."""
        button = self._buttons.get(key)
        if button is None or self.choices.isHidden() or not button.isEnabled():
            return False
        button.click()
        return True

    def ask_words(self, field: ReasonField) -> None:
        """Put a field in the place of the choices."""
        self._reason = field
        self.choices.hide()
        self._layout.addWidget(field)
        field.left.connect(self._stop_asking)
        field.show()
        field.edit.setFocus()

    def settle(self) -> None:
        """There is nothing to choose any more."""
        self._forget_field()
        self.choices.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        text = event.text()
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        if plain and self.press(text):
            return
        if plain and text and text.isprintable() and not isinstance(self.focusWidget(), QPlainTextEdit):
            self.typed.emit(text)
            return
        super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = self.hasFocus()
        width = 2 if focused else 1
        painter.setPen(QPen(self.theme.color("focus" if focused else self._edge), width))
        painter.setBrush(self.theme.color("panel"))
        inset = width / 2
        frame = self.rect().toRectF().adjusted(inset, inset, -inset, -inset)
        painter.drawRoundedRect(frame, self.theme.px(10), self.theme.px(10))
        painter.end()

    def _stop_asking(self) -> None:
        self._forget_field()
        self.choices.show()
        self.setFocus()

    def _forget_field(self) -> None:
        if self._reason is not None:
            self._layout.removeWidget(self._reason)
            self._reason.hide()
            self._reason.deleteLater()
            self._reason = None
