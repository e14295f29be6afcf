"""Send a plan back with words: what should be different, so that the agent makes a new revision."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from tandem_desktop.domain.review import Comment
from tandem_desktop.orchestration.plan_pages import PlanPage
from tandem_desktop.review.feedback import where
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.plan.sheet import Sheet
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.announce import announce
from tandem_desktop.ui.widgets.button import PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.widgets.words_edit import WordsEdit
from tandem_desktop.ui.words import later, tr, tr_marked, tr_n

_REFUSAL = later("Say what should be different; an empty rework tells the agent nothing.")


class ReworkSheet(Sheet):
    """Takes feedback. Without any it refuses, in words."""

    confirmed = Signal(str, str)
    """Plan id and the person's words."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "rework-sheet", tr("Rework"))
        self._plan_id = ""
        self._comments = 0
        self.said = plain_label("", "muted", wrap=True)
        self.drafts = plain_label("", "muted", wrap=True)
        self.feedback = WordsEdit()
        self.feedback.setObjectName("rework-feedback")
        self.feedback.setAccessibleName(tr("What should be different"))
        self.feedback.setPlaceholderText(tr("What should be different?"))
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
        self.back = QuietButton(theme, tr("Back to review"))
        self.back.setObjectName("rework-back")
        self.back.clicked.connect(self.leave)
        self.send = PrimaryButton(theme, tr("Send rework"), "Ctrl+⏎")
        self.send.setObjectName("rework-send")
        self.send.clicked.connect(self._send)
        self.add_buttons(self.back, self.send)

    def ask(self, page: PlanPage, comments: Sequence[Comment] = ()) -> None:
        """Open for this plan; the person's comments go along."""
        self._plan_id = page.version.plan_id
        self._comments = len(comments)
        self.title.setText(tr("Rework revision {revision}", revision=page.version.revision))
        self.said.setText(tr("Your words go to the agent. It keeps its work and answers with a new revision."))
        lines = [tr_n("{n} comment will be sent along:", "{n} comments will be sent along:", len(comments))]
        lines += [f"· {visible(where(each.place))}: {_first_line(each.text)}" for each in comments[:8]]
        lines += [tr("… and {n} more", n=len(comments) - 8)] if len(comments) > 8 else []
        self.drafts.setText("\n".join(lines))
        self.drafts.setVisible(bool(comments))
        self.open(self.feedback)

    def give_back(self, words: str) -> None:
        """They could not be sent: they are here again the next time."""
        if not self.feedback.toPlainText().strip():
            self.feedback.setPlainText(words)

    def _send(self) -> None:
        words = self.feedback.toPlainText().strip()
        if not words and not self._comments:
            self.refusal.setText(tr_marked(_REFUSAL))
            self.refusal.show()
            self.fit()
            self.feedback.setFocus()
            announce(self, tr_marked(_REFUSAL), urgent=True)
            return
        self.shut()
        self.feedback.clear()
        self.confirmed.emit(self._plan_id, words)

    def _forget_refusal(self) -> None:
        self.refusal.hide()


def _first_line(text: str) -> str:
    first, _, more = text.partition("\n")
    return visible(first) + (" …" if more else "")
