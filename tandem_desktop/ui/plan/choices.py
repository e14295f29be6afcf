"""Dropping, moving and editing operations."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from tandem_desktop.diff.text import visible_name
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import FileState, StagedOperation
from tandem_desktop.review.choices import Choices
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.ui.editor import EditableText
from tandem_desktop.ui.i18n import later, text_form, tr, tr_marked
from tandem_desktop.ui.models.operations import StagedOperationsModel
from tandem_desktop.ui.plan.row_diff import LoadContents
from tandem_desktop.ui.plan.sheets import Sheet
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.inputs import CodeEdit
from tandem_desktop.ui.widgets.labels import announce, plain_label


class Chooser(QObject):
    """Marks each choice at once; its effect arrives later as a page."""

    changed = Signal(object)
    """All `Choices` about the page."""
    stepped = Signal(object, object)
    """The `Choices` before and after a step."""

    def __init__(self, model: StagedOperationsModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._choices: Choices | None = None
        self._planned: tuple[OperationId, ...] = ()
        self._is_unanswered = False

    def begin(self, page: PlanPage) -> None:
        """Take over the choices of a page; choices made since it was requested stay."""
        known = self._choices
        is_same = known is not None and (known.plan_id, known.revision) == (page.version.plan_id, page.version.revision)
        if is_same and self._is_unanswered and page.choices != known:
            return
        self._is_unanswered = False
        self._choices = page.choices
        self._planned = tuple(each.id for each in page.version.operations)

    def set_dropped(self, operations: Sequence[OperationId], dropped: bool) -> None:
        if self._choices is not None:
            change = self._choices.drop if dropped else self._choices.keep
            self._take(change(*self._model.renames.whole(operations)))

    def drop(self, operations: Sequence[OperationId]) -> None:
        for each in self._model.renames.whole(operations):
            if self._choices is not None:
                self._take(self._choices.drop(each))

    def drop_hunk(self, operation: str, hunk: int) -> None:
        if self._choices is not None:
            self._take(self._choices.drop_hunk(OperationId(operation), hunk))

    def keep_hunk(self, operation: str, hunk: int) -> None:
        if self._choices is not None:
            self._take(self._choices.keep_hunk(OperationId(operation), hunk))

    def toggle_lines(self, operation: str, added: tuple[int, ...], removed: tuple[int, ...]) -> None:
        if self._choices is not None:
            self._take(self._choices.toggle_lines(OperationId(operation), added, removed))

    @property
    def choices(self) -> Choices | None:
        return self._choices

    def give_up(self) -> None:
        """Stop waiting for the last choice: it could not be stored. The next page shows the stored choices."""
        self._is_unanswered = False

    def edit(self, operation: OperationId, content: str) -> None:
        """The person's own version of a file, by the digest of its stored bytes."""
        if self._choices is not None:
            self._take(self._choices.edit(operation, content))

    def take_proposed(self, operation: OperationId) -> None:
        """Restore the agent's version of a file."""
        if self._choices is not None:
            self._take(self._choices.edit(operation, None))

    def rewrite(self, text: str) -> None:
        if self._choices is not None:
            self._take(self._choices.rewrite(text))

    def reorder(self, order: Sequence[OperationId]) -> None:
        if self._choices is not None:
            self._take(self._choices.reorder(order, self._planned))

    def keep_everything(self) -> None:
        if self._choices is not None:
            self._take(Choices(plan_id=self._choices.plan_id, revision=self._choices.revision))

    def restore(self, choices: Choices) -> None:
        """Take other choices about the same revision, such as those before a step."""
        known = self._choices
        if known is not None and (known.plan_id, known.revision) == (choices.plan_id, choices.revision):
            self._take(choices)

    def _take(self, choices: Choices) -> None:
        if self._choices is not None and choices != self._choices:
            self.stepped.emit(self._choices, choices)
        self._choices = choices
        self._is_unanswered = True
        self._model.set_choices(choices)
        self.changed.emit(choices)


_WIDE, _MARGIN = 980, 24
_UNFIT = later(
    "This content cannot be edited here: it is larger than 1 MB or no plain UTF-8 text. Drop changes, or comment."
)
_MEANING = later(
    "Your version takes the place of the agent's and becomes part of the next revision; nothing on disk changes now."
)
_UNSAVED = later("What you changed is not saved. Esc once more discards it.")


class EditSheet(Sheet):
    """Edits the bytes of a file; untouched lines keep every byte."""

    saved = Signal(str, bytes)
    """Operation id and the person's version of its file."""
    taken_back = Signal(str)
    """An operation whose proposed version is to be restored."""

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
        self.title.setText(tr("Edit {path}", path=visible_name(path)))
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
        self.guard.decides(self.save, False)

    def leave(self) -> None:
        """Ask before discarding typed text."""
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
        self.guard.decides(self.save, self._known is not None and self.editor.document().isModified())

    def _save(self) -> None:
        if self._known is not None and self.editor.document().isModified():
            self.shut()
            self.saved.emit(self._operation, self._known.encoded(self.editor.text))

    def _take_back(self) -> None:
        self.shut()
        self.taken_back.emit(self._operation)


class Editing(QObject):
    """Connects the list, the edit sheet and the user's choices."""

    saved = Signal(str, bytes)
    """The operation and the person's version, to be stored and then kept among their choices."""

    def __init__(self, sheet: EditSheet, chooser: Chooser, load: LoadContents, parent: QObject) -> None:
        super().__init__(parent)
        self._sheet, self._chooser, self._load = sheet, chooser, load
        sheet.saved.connect(self.saved)
        sheet.taken_back.connect(lambda operation: chooser.take_proposed(OperationId(operation)))

    def begin(self, page: PlanPage, operation_id: OperationId) -> None:
        """Open the file with the user's choices applied."""
        view = next((view for view in shown_views(page, every=True) if view.operation.id == operation_id), None)
        if view is None or not is_editable(view.operation):
            return
        path, is_edited = view.operation.path or "", page.choices.part(operation_id).edited is not None
        self._load(view, lambda _, after: self._sheet.ask(operation_id, path, after, is_edited=is_edited))


def is_editable(operation: StagedOperation) -> bool:
    """Whether the operation writes a file in place."""
    return isinstance(operation.after, FileState) and operation.to is None and not operation.is_run


def shown_views(page: PlanPage, *, every: bool = False) -> tuple[OperationView, ...]:
    """Every operation as it is reviewed: the agent's, and in the place of what was edited the person's own version.

    With `every`, what is left after dropped parts stands there too.
    """
    if not (every or page.choices.edited_files):
        return page.views
    drafted = {view.operation.id: view for view in page.left}
    edited = {part.operation for part in page.choices.parts if part.edited is not None}
    return tuple(
        drafted.get(view.operation.id, view) if every or view.operation.id in edited else view for view in page.views
    )
