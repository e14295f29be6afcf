"""The proposed file in an editor: what the person makes of it takes the place of the agent's version."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.editable_text import EditableText
from tandem_desktop.ui.plan.sheet import Sheet
from tandem_desktop.ui.text_form import text_form
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.announce import announce
from tandem_desktop.ui.widgets.button import PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.code_edit import CodeEdit
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import later, tr, tr_marked

_WIDE, _MARGIN = 980, 24
_UNFIT = later(
    "This content cannot be edited here: it is larger than 1 MB or no plain UTF-8 text. Drop changes, or comment."
)
_MEANING = later(
    "Your version takes the place of the agent's and becomes part of the next revision; nothing on disk changes now."
)
_UNSAVED = later("What you changed is not saved. Esc once more discards it.")


class EditSheet(Sheet):
    """Takes bytes in and gives bytes out; lines that were not touched keep every byte."""

    saved = Signal(str, bytes)
    """Operation id and the person's version of its file."""
    taken_back = Signal(str)
    """An operation whose proposed version is wanted again."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "edit-sheet", tr("Edit"), wide=_WIDE)
        self._operation = OperationId("")
        self._known: EditableText | None = None
        self.said = plain_label("", "muted", wrap=True)
        self.editor = CodeEdit(theme, "edit-file", tr("Proposed file"))
        self.editor.sent.connect(self._save)
        self.editor.left.connect(self.leave)
        self.editor.textChanged.connect(self._typed)
        self.refusal = plain_label("", "risk", wrap=True)
        self.refusal.setObjectName("edit-refusal")
        self.body.addWidget(self.said)
        self.body.addWidget(self.editor, 1)
        self.theirs = QuietButton(theme, tr("Keep the agent's version"))
        self.theirs.setObjectName("edit-theirs")
        self.theirs.clicked.connect(self._take_back)
        self.back = QuietButton(theme, tr("Back to review"), "Esc")
        self.back.setObjectName("edit-back")
        self.back.clicked.connect(self.leave)
        self.save = PrimaryButton(theme, tr("Save my version"), "Ctrl+⏎")
        self.save.setObjectName("edit-save")
        self.save.clicked.connect(self._save)
        self.add_buttons(self.theirs, self.back, self.save, note=self.refusal)

    def ask(self, operation: OperationId, path: str, content: bytes, *, is_edited: bool) -> None:
        """Open for one file as it would be now; `is_edited` when that is the person's own version already."""
        self._operation = operation
        self._known = EditableText.of(content)
        self.title.setText(tr("Edit {path}", path=visible(path)))
        form = text_form(content)
        as_is = (
            tr("As it would be after the plan, {form}.", form=form) if form else tr("As it would be after the plan.")
        )
        self.said.setText(f"{as_is} {tr_marked(_MEANING)}")
        self.editor.setPlainText(self._known.text if self._known is not None else "")
        self.editor.document().setModified(False)
        self.editor.moveCursor(QTextCursor.MoveOperation.Start)
        self.editor.setVisible(self._known is not None)
        self.refusal.setText("" if self._known is not None else tr_marked(_UNFIT))
        self.theirs.setVisible(is_edited)
        self.open(self.editor if self._known is not None else self.back)
        self.decides(self.save, False)

    def leave(self) -> None:
        """What was typed is not thrown away by one key."""
        if self.editor.document().isModified() and self.refusal.text() != tr_marked(_UNSAVED):
            self.refusal.setText(tr_marked(_UNSAVED))
            announce(self, tr_marked(_UNSAVED), urgent=True)
            return
        super().leave()

    def fit(self) -> None:
        margin = self._theme.px(_MARGIN)
        width = min(self._theme.px(self._wide), self.width() - 2 * margin)
        self.card.setGeometry((self.width() - width) // 2, margin, width, self.height() - 2 * margin)

    def _typed(self) -> None:
        self.refusal.setText("")
        self.decides(self.save, self._known is not None and self.editor.document().isModified())

    def _save(self) -> None:
        if self._known is not None and self.editor.document().isModified():
            self.shut()
            self.saved.emit(self._operation, self._known.encoded(self.editor.text))

    def _take_back(self) -> None:
        self.shut()
        self.taken_back.emit(self._operation)
