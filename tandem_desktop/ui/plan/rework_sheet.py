"""Send a plan back with words: what should be different, so that the agent makes a new revision."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from tandem_desktop.orchestration.plan_pages import PlanPage
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.sheet import Sheet
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.announce import announce
from tandem_desktop.ui.widgets.button import PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.plain_text import plain_label

_REFUSAL = "Say what should be different; an empty rework tells the agent nothing."


class ReworkSheet(Sheet):
    """Takes feedback. Without any it refuses, in words."""

    confirmed = Signal(str, str)
    """Plan id and the person's words."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "rework-sheet", "Rework")
        self._plan_id = ""
        self._drafts: tuple[str, ...] = ()
        self.said = plain_label("", "muted", wrap=True)
        self.drafts = plain_label("", "muted", wrap=True)
        self.feedback = _Feedback()
        self.feedback.setObjectName("rework-feedback")
        self.feedback.setAccessibleName("What should be different")
        self.feedback.setPlaceholderText("What should be different?")
        self.feedback.setTabChangesFocus(True)
        self.feedback.setMinimumHeight(theme.px(120))
        self.feedback.sent.connect(self._send)
        self.feedback.left.connect(self.leave)
        self.feedback.textChanged.connect(self._forget_refusal)
        self.refusal = plain_label("", "risk", wrap=True)
        self.refusal.setObjectName("rework-refusal")
        self.refusal.hide()
        for widget in (self.said, self.drafts, self.feedback, self.refusal):
            self.body.addWidget(widget)
        self.back = QuietButton(theme, "Back to review")
        self.back.setObjectName("rework-back")
        self.back.clicked.connect(self.leave)
        self.send = PrimaryButton(theme, "Send rework", "Ctrl+⏎")
        self.send.setObjectName("rework-send")
        self.send.clicked.connect(self._send)
        self.add_buttons(self.back, self.send)

    def ask(self, page: PlanPage, drafts: tuple[str, ...] = ()) -> None:
        """Open for this plan; `drafts` are the person's comments that go along."""
        self._plan_id = page.version.plan_id
        self._drafts = drafts
        self.title.setText(f"Rework revision {page.version.revision}")
        self.said.setText("Your words go to the agent. It keeps its work and answers with a new revision.")
        self.drafts.setText(
            f"{wording.counted(len(drafts), 'comment')} will be sent along:\n"
            + "\n".join(f"· {visible(draft)}" for draft in drafts[:8])
            + (f"\n… and {len(drafts) - 8} more" if len(drafts) > 8 else "")
        )
        self.drafts.setVisible(bool(drafts))
        self.open(self.feedback)

    def _send(self) -> None:
        words = self.feedback.toPlainText().strip()
        if not words and not self._drafts:
            self.refusal.setText(_REFUSAL)
            self.refusal.show()
            self.fit()
            self.feedback.setFocus()
            announce(self, _REFUSAL, urgent=True)
            return
        self.shut()
        self.feedback.clear()
        self.confirmed.emit(self._plan_id, "\n\n".join((*self._drafts, *((words,) if words else ()))))

    def _forget_refusal(self) -> None:
        self.refusal.hide()


class _Feedback(QPlainTextEdit):
    """Enter is a new line here; Ctrl+Enter sends."""

    sent = Signal()
    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.sent.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)
