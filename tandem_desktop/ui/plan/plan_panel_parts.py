"""The parts of the panel of a plan, and where each stands."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tandem_desktop.ui.graph.graph_tab import GraphTab
from tandem_desktop.ui.models.operation_row import OperationRow
from tandem_desktop.ui.models.staged_operations_model import StagedOperationsModel
from tandem_desktop.ui.perspectives.perspectives_view import PerspectivesView
from tandem_desktop.ui.plan.chooser import Chooser
from tandem_desktop.ui.plan.editing import Editing
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.operations_tab import OperationsTab
from tandem_desktop.ui.plan.plan_footer import PlanFooter
from tandem_desktop.ui.plan.plan_header import PlanHeader
from tandem_desktop.ui.plan.plan_panel_signals import PlanPanelSignals
from tandem_desktop.ui.plan.plan_sheets import PlanSheets
from tandem_desktop.ui.plan.plan_tabs import PlanTabs
from tandem_desktop.ui.plan.plan_text_tab import PlanTextTab
from tandem_desktop.ui.plan.progress_follower import ProgressFollower
from tandem_desktop.ui.plan.rehearsal_desk import RehearsalDesk
from tandem_desktop.ui.plan.rehearsed_part import RehearsedPart
from tandem_desktop.ui.plan.remarks import Remarks
from tandem_desktop.ui.plan.row_diff import DiffSource, RowDiff
from tandem_desktop.ui.plan.runs_tab import RunsTab
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.tasks.plan_work import PlanWork
from tandem_desktop.ui.tasks.task_sidebar import TaskSidebar
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.words import tr


class PlanPanelParts(PlanPanelSignals):
    """Header, tabs, footer and sheets, made and placed; what they do together is told by the panel itself."""

    def __init__(
        self,
        theme: Theme,
        contents: DiffSource,
        *,
        workspace: str,
        now: Callable[[], datetime],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme, self._contents, self._now = theme, contents, now
        self.setObjectName("execution-plan-panel")
        self.setAccessibleName(tr("Execution plan"))
        self.setProperty("role", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = StagedOperationsModel(self)
        self.chooser = Chooser(self.model, self)
        self.header = PlanHeader(theme)
        self.tabs = PlanTabs(theme)
        self.operations = OperationsTab(theme, self.model, self._content)
        self.text = PlanTextTab(theme)
        self.perspectives = PerspectivesView(theme)
        progress = OperationList(self.model, theme, self._content)
        progress.setObjectName("run-progress")
        progress.setAccessibleName(tr("Progress of the run"))
        progress.set_editable(False)
        self.runs = RunsTab(theme, now, progress)
        self.work = PlanWork(self)
        self.tasks = TaskSidebar(theme, self.work)
        self.graph = GraphTab(theme, self.work)
        self.footer = PlanFooter(theme)
        self.rehearsals = RehearsalDesk(self.model, self.footer, self.operations.rehearsal, self.chooser, now, self)
        self.sheets = PlanSheets(self, theme, contents, workspace, now)
        self._editing = Editing(self.sheets.edit, self.chooser, contents.load, self)
        for key, words, widget in (
            ("operations", tr("Operations"), self.operations),
            ("tasks", tr("Tasks"), self.tasks),
            ("graph", tr("Graph"), self.graph),
            ("plan-text", tr("Plan text"), self.text),
            ("perspectives", tr("Perspectives"), self.perspectives),
            ("runs", tr("Runs"), self.runs),
        ):
            self.tabs.add(key, words, widget)
        self.remarks = Remarks(self.model, self.operations.list, self.text, self)
        self._follower = ProgressFollower(
            self, self.model, self.header, self.tabs, self.operations, self.runs, self.footer
        )
        layout = QVBoxLayout(self)
        Spacing(theme, layout, between=4)
        layout.addWidget(self.header)
        layout.addWidget(self.tabs, 1)
        layout.addWidget(self.footer)

    def _content(self, row: OperationRow) -> OperationContent:
        diff = RowDiff(row.view, self._theme, self._contents) if RowDiff.suits(row.view) else None
        if diff is not None:
            diff.single_letters = self.operations.list.single_letters
        part, operation = None, row.operation
        if operation.call is not None:
            part = RehearsedPart(self._theme, self._content)
            part.record_requested.connect(lambda: self.rehearsals.record((operation.id,)))
        return OperationContent(row, self._theme, diff, part)
