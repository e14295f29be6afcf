"""What the run in question changed, with the way back for one operation or one file of it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QListView, QVBoxLayout, QWidget

from tandem_desktop.domain.execution import RunStatus
from tandem_desktop.domain.ids import RunId
from tandem_desktop.execution.run_changes import DoneOperation
from tandem_desktop.execution.undoing import Part
from tandem_desktop.orchestration.plan_runs import ListedRun
from tandem_desktop.ui.models.run_changes_model import ChangedRow, RunChangesModel
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.plan.taking_back import TakingBack
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import QuietButton
from tandem_desktop.ui.widgets.button_row import ButtonRow
from tandem_desktop.ui.widgets.elided_label import ElidedLabel
from tandem_desktop.ui.words import tr, tr_n


class RunDetail(QWidget):
    """Follows the timeline; asks for what can be done about one row."""

    requested = Signal(object)
    """A `TakingBack` of a part."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("run-detail")
        self._run_id = RunId("")
        self._status: RunStatus | None = None
        self._undoable = False
        self.model = RunChangesModel(self)
        self.heading = ElidedLabel(theme, token="muted", bold=True, points_delta=-2)
        self.list = QListView()
        self.list.setObjectName("run-changes")
        self.list.setAccessibleName(tr("What this run changed"))
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(True)
        self.list.setFont(theme.code_font())
        self.operation = QuietButton(theme, tr("Undo this operation…"))
        self.operation.setObjectName("runs-undo-operation")
        self.file = QuietButton(theme, tr("Undo this file…"))
        self.file.setObjectName("runs-undo-file")
        self.operation.clicked.connect(self._undo_operation)
        self.file.clicked.connect(self._undo_file)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, (12, 8, 12, 12), 8)
        layout.addWidget(ButtonRow(theme, (self.operation, self.file), self.heading))
        layout.addWidget(self.list, 1)
        self.list.selectionModel().currentChanged.connect(self._enable)
        self._enable()

    def follow(self, run: ListedRun) -> bool:
        """Another run, or the same in another state; answers whether what it changed has to be asked for."""
        run_id = run.record.run_id
        is_another = (run_id, run.status) != (self._run_id, self._status)
        self._run_id, self._status, self._undoable = run_id, run.status, run.undoable
        if is_another:
            self.model.show(())
            self.heading.setText(tr("What this run changed"))
        self._enable()
        return is_another

    def show_changes(self, run_id: RunId, operations: tuple[DoneOperation, ...]) -> None:
        if run_id != self._run_id:
            return
        self.model.show(operations)
        paths = len({change.path for operation in operations for change in operation.changes})
        count = tr_n("{n} path", "{n} paths", paths) if paths else tr("nothing that is still there")
        self.heading.setText(tr("What this run changed: {count}", count=count))
        if operations:
            self.list.setCurrentIndex(self.model.index(0))
        self._enable()

    def _row(self) -> ChangedRow | None:
        return self.model.row(self.list.currentIndex().row())

    def _enable(self) -> None:
        row = self._row()
        self.operation.setEnabled(self._undoable and row is not None and row.operation is not None)
        self.file.setEnabled(self._undoable and row is not None and row.path is not None)

    def _undo_operation(self) -> None:
        row = self._row()
        if row is not None and row.operation is not None:
            self.requested.emit(TakingBack(self._run_id, Part(operation=row.operation)))

    def _undo_file(self) -> None:
        row = self._row()
        if row is not None and row.path is not None:
            self.requested.emit(TakingBack(self._run_id, Part(path=row.path)))
