"""The person's comments on operations and on the plan text."""

from PySide6.QtCore import QObject, Signal

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.review import Comment
from tandem_desktop.ui.models.operations import StagedOperationsModel
from tandem_desktop.ui.plan.comments import CommentSpot
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.text_tab import PlanTextTab


class Remarks(QObject):
    """Distributes comments to the operations and the plan text, and collects new ones."""

    added = Signal(object, object, str)
    """An operation id, or None for the plan text, a `CommentSpot` and the text."""
    edited = Signal(str, str)
    removed = Signal(str)
    shown = Signal(object)
    """The unsent comments, whenever they were set."""

    def __init__(
        self, model: StagedOperationsModel, operations: OperationList, text: PlanTextTab, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.drafts: tuple[Comment, ...] = ()
        self._model = model
        self._operations = operations
        self._text = text
        operations.commented.connect(lambda operation, spot, words: self.added.emit(operation, spot, words))
        operations.comment_edited.connect(self.edited)
        operations.comment_removed.connect(self.removed)
        text.comments.added.connect(lambda spot, words: self.added.emit(None, spot, words))
        text.comments.edited.connect(self.edited)
        text.comments.removed.connect(self.removed)

    def show(self, drafts: tuple[Comment, ...]) -> None:
        """The unsent comments."""
        self.drafts = drafts
        by_operation: dict[OperationId, tuple[Comment, ...]] = {}
        for draft in drafts:
            if (about := draft.place.operation) is not None:
                by_operation[about] = (*by_operation.get(about, ()), draft)
        self._model.set_comments(by_operation)
        self._text.comments.show_comments(tuple(draft for draft in drafts if draft.place.operation is None))
        self.shown.emit(drafts)

    def write_again(self, operation: OperationId | None, spot: CommentSpot, words: str) -> None:
        """Restore the text of a comment that could not be stored."""
        if operation is None:
            self._text.comments.write_again(spot, words)
        else:
            self._operations.comment_again(operation, spot, words)
