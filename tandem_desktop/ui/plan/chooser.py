"""What a person wants to leave out or move, kept while they go through a plan."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.orchestration.plan_pages import PlanPage
from tandem_desktop.review.draft import Choices
from tandem_desktop.ui.models.staged_operations_model import StagedOperationsModel


class Chooser(QObject):
    """Marks each choice at once; what they come to is worked out elsewhere and arrives as a page."""

    changed = Signal(object)
    """All `Choices` about the page."""

    def __init__(self, model: StagedOperationsModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._choices: Choices | None = None
        self._planned: tuple[OperationId, ...] = ()
        self._is_unanswered = False

    def begin(self, page: PlanPage) -> None:
        """Go on from what was chosen about this page; what was chosen since it was asked for stays."""
        known = self._choices
        is_same = known is not None and (known.plan_id, known.revision) == (page.version.plan_id, page.version.revision)
        if is_same and self._is_unanswered and page.choices != known:
            return
        self._is_unanswered = False
        self._choices = page.choices
        self._planned = tuple(each.id for each in page.version.operations)

    def drop_or_keep(self, operations: Sequence[OperationId]) -> None:
        for each in operations:
            if self._choices is not None:
                is_dropped = each in self._choices.operations
                self._take(self._choices.keep(each) if is_dropped else self._choices.drop(each))

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
        """What was chosen last could not be kept; the next page tells what is."""
        self._is_unanswered = False

    def edit(self, operation: OperationId, content: str) -> None:
        """The person's own version of a file, by the digest of its stored bytes."""
        if self._choices is not None:
            self._take(self._choices.edit(operation, content))

    def take_proposed(self, operation: OperationId) -> None:
        """The agent's version of a file again, in the place of the person's own."""
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

    def _take(self, choices: Choices) -> None:
        self._choices = choices
        self._is_unanswered = True
        self._model.set_choices(choices)
        self.changed.emit(choices)
