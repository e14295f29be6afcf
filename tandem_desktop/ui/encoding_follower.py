"""Tells how the text of the current operation is written, for the line below everything."""

from PySide6.QtCore import QObject, Signal

from tandem_desktop.orchestration.workroom import Workroom
from tandem_desktop.ui.commands import Commands
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.text_form import text_form


class EncodingFollower(QObject):
    """Follows the list; reads beside the GUI thread."""

    found = Signal(str)

    def __init__(self, workroom: Workroom, commands: Commands, operations: OperationList, parent: QObject) -> None:
        super().__init__(parent)
        self._workroom = workroom
        self._commands = commands
        self._operations = operations
        operations.selectionModel().currentChanged.connect(lambda now, before: self._look())

    def _look(self) -> None:
        row = self._operations.current_row()
        if row is None:
            self.found.emit("")
            return
        future = self._workroom.contents(row.view)
        self._commands.latest("encoding", future, lambda sides: self.found.emit(text_form(sides[1] or sides[0])))
