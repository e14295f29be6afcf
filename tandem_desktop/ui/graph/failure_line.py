"""The task that failed, below the graph: what went wrong in one line, and the way to its log."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from tandem_desktop.domain.execution import ResultStatus
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.tasks import task_words
from tandem_desktop.ui.tasks.plan_work import PlanWork
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button
from tandem_desktop.ui.widgets.card import Card
from tandem_desktop.ui.widgets.elided_label import ElidedLabel
from tandem_desktop.ui.widgets.status_mark import StatusMark
from tandem_desktop.ui.words import tr


class FailureLine(QWidget):
    """Hidden while nothing has failed."""

    log_requested = Signal(str)

    def __init__(self, theme: Theme, work: PlanWork) -> None:
        super().__init__()
        self.setObjectName("graph-failure")
        self._work = work
        self._operation = OperationId("")
        card = Card(theme)
        row = QHBoxLayout()
        Spacing(theme, row, between=12)
        card.body.addLayout(row)
        self.title = ElidedLabel(theme, "", bold=True)
        self.words = ElidedLabel(theme, "", token="muted")
        self.log = Button(theme, tr("Open log"))
        self.log.setObjectName("graph-open-log")
        self.log.clicked.connect(lambda: self.log_requested.emit(self._operation))
        row.addWidget(StatusMark(theme, "failed"))
        row.addWidget(self.title, 1)
        row.addWidget(self.words, 2)
        row.addWidget(self.log)
        layout = QHBoxLayout(self)
        Spacing(theme, layout, (18, 8, 18, 12))
        layout.addWidget(card)
        self.hide()

    def show_work(self) -> None:
        """Look at how the tasks stand now."""
        task = self._work.first_failed()
        self.setVisible(task is not None)
        if task is None:
            return
        views = self._work.views_of(task.id)
        failed = next((v for v in views if self._work.status(v.operation.id) is ResultStatus.FAILED), None)
        self._operation = failed.operation.id if failed is not None else OperationId("")
        self.log.setVisible(failed is not None)
        self.title.setText(tr("{subject} failed", subject=task_words.subject(task)))
        parts = (wording.title(failed.operation) if failed else "", task_words.remark(self._work, task))
        self.words.setText(" · ".join(part for part in parts if part))
