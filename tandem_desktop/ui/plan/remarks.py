"""The person's comments, wherever in a plan they are written and shown."""

from PySide6.QtCore import QObject, Signal

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.review import Comment
from tandem_desktop.ui.models.staged_operations_model import StagedOperationsModel
from tandem_desktop.ui.plan.comment_area import CommentSpot
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.plan_text_tab import PlanTextTab


class Remarks(QObject):
    """Hands each comment to the place it is about, and gathers what is written there."""

    added = Signal(object, object, str)
    """An operation id, or None for the plan text, a `CommentSpot` and words."""
    edited = Signal(str, str)
    removed = Signal(str)

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
        """What was said and not sent yet."""
        self.drafts = drafts
        by_operation: dict[OperationId, tuple[Comment, ...]] = {}
        for draft in drafts:
            if (about := draft.place.operation) is not None:
                by_operation[about] = (*by_operation.get(about, ()), draft)
        self._model.set_comments(by_operation)
        self._text.comments.show_comments(tuple(draft for draft in drafts if draft.place.operation is None))

    def write_again(self, operation: OperationId | None, spot: CommentSpot, words: str) -> None:
        """A comment that could not be kept stands again where it was written."""
        if operation is None:
            self._text.comments.write_again(spot, words)
        else:
            self._operations.comment_again(operation, spot, words)
