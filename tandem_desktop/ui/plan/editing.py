"""A person edits what an operation proposes: the file is fetched, edited in a sheet, and kept as their choice."""

from PySide6.QtCore import QObject, Signal

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import FileState, StagedOperation
from tandem_desktop.orchestration.plan_pages import PlanPage
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.ui.plan.chooser import Chooser
from tandem_desktop.ui.plan.edit_sheet import EditSheet
from tandem_desktop.ui.plan.row_diff import LoadContents


class Editing(QObject):
    """Between the list, the sheet and the person's choices."""

    saved = Signal(str, bytes)
    """The operation and the person's version, to be stored and then kept among their choices."""

    def __init__(self, sheet: EditSheet, chooser: Chooser, load: LoadContents, parent: QObject) -> None:
        super().__init__(parent)
        self._sheet, self._chooser, self._load = sheet, chooser, load
        sheet.saved.connect(self.saved)
        sheet.taken_back.connect(lambda operation: chooser.take_proposed(OperationId(operation)))

    def begin(self, page: PlanPage, operation_id: OperationId) -> None:
        """Fetch the file as the person's choices leave it, and open it."""
        view = next((view for view in shown_views(page, every=True) if view.operation.id == operation_id), None)
        if view is None or not is_editable(view.operation):
            return
        path, is_edited = view.operation.path or "", page.choices.part(operation_id).edited is not None
        self._load(view, lambda _, after: self._sheet.ask(operation_id, path, after, is_edited=is_edited))


def is_editable(operation: StagedOperation) -> bool:
    """Only what writes a file in its place has a content to edit."""
    return isinstance(operation.after, FileState) and operation.to is None and not operation.is_run


def shown_views(page: PlanPage, *, every: bool = False) -> tuple[OperationView, ...]:
    """Every operation as it is reviewed: the agent's, and in the place of what was edited the person's own version.

    With `every`, what is left after dropped parts stands there too.
    """
    if not (every or page.choices.edited_files):
        return page.views
    drafted = {view.operation.id: view for view in page.left}
    return tuple(
        drafted.get(view.operation.id, view)
        if every or page.choices.part(view.operation.id).edited is not None
        else view
        for view in page.views
    )
