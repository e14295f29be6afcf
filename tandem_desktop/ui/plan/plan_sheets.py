"""All the sheets of a plan panel."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtWidgets import QWidget

from tandem_desktop.execution.recovery import InterruptedRun
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.merge.sheet import MergeSheet
from tandem_desktop.ui.plan.approval_sheet import ApprovalSheet
from tandem_desktop.ui.plan.choices import EditSheet
from tandem_desktop.ui.plan.commit_sheet import CommitSheet
from tandem_desktop.ui.plan.compare_sheet import CompareSheet
from tandem_desktop.ui.plan.row_diff import DiffSource
from tandem_desktop.ui.plan.sheets import ConfirmSheet, InterruptedSheet, ReworkSheet, Sheet
from tandem_desktop.ui.plan.undo_sheet import RestoreSheet, UndoSheet
from tandem_desktop.ui.theme.theme import Theme


class PlanSheets:
    """The panel's sheets, of which one is open at a time."""

    def __init__(
        self, host: QWidget, theme: Theme, source: DiffSource, workspace: str, now: Callable[[], datetime]
    ) -> None:
        self._now = now
        self.approval = ApprovalSheet(host, theme, workspace)
        self.rework = ReworkSheet(host, theme)
        self.undo = UndoSheet(host, theme)
        self.commit = CommitSheet(host, theme)
        self.interrupted = InterruptedSheet(host, theme)
        self.confirm = ConfirmSheet(host, theme)
        self.back = RestoreSheet(host, theme)
        self.compare = CompareSheet(host, theme, source)
        self.edit = EditSheet(host, theme)
        self.merge = MergeSheet(host, theme, source)

    def enter_window(self) -> None:
        """Take the sheets into the window of the panel, so that none waits for that when it is opened."""
        for sheet in vars(self).values():
            if isinstance(sheet, Sheet):
                sheet.enter_window()

    def show_interrupted(self, run: InterruptedRun, plan_title: str) -> None:
        self.interrupted.ask(run, plan_title, self._now())

    def ask_to_abandon(self, do: Callable[[], None]) -> None:
        words = tr(
            "The agent stops where it is, and what it has drafted is forgotten. Tandem has changed nothing on disk."
        )
        self.confirm.ask(tr("Discard this draft?"), words, tr("Discard the draft"), do)

    def ask_to_cancel(self, operations: int, do: Callable[[], None]) -> None:
        words = tr("Nothing of it will be run. Its revisions stay on record; Tandem has changed nothing on disk.")
        question = tr_n(
            "Discard the plan and its {n} operation?", "Discard the plan and its {n} operations?", operations
        )
        self.confirm.ask(question if operations else tr("Discard this plan?"), words, tr("Discard the plan"), do)
