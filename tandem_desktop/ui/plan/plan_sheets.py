"""The sheets of the panel, each made once and kept."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtWidgets import QWidget

from tandem_desktop.execution.recovery import InterruptedRun
from tandem_desktop.ui.merge.merge_sheet import MergeSheet
from tandem_desktop.ui.plan.approval_sheet import ApprovalSheet
from tandem_desktop.ui.plan.back_sheet import BackSheet
from tandem_desktop.ui.plan.compare_sheet import CompareSheet
from tandem_desktop.ui.plan.confirm_sheet import ConfirmSheet
from tandem_desktop.ui.plan.edit_sheet import EditSheet
from tandem_desktop.ui.plan.interrupted_sheet import InterruptedSheet
from tandem_desktop.ui.plan.rework_sheet import ReworkSheet
from tandem_desktop.ui.plan.row_diff import DiffSource
from tandem_desktop.ui.plan.undo_sheet import UndoSheet
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.words import tr, tr_n


class PlanSheets:
    """One question at a time."""

    def __init__(
        self, host: QWidget, theme: Theme, source: DiffSource, workspace: str, now: Callable[[], datetime]
    ) -> None:
        self._now = now
        self.approval = ApprovalSheet(host, theme, workspace)
        self.rework = ReworkSheet(host, theme)
        self.undo = UndoSheet(host, theme)
        self.interrupted = InterruptedSheet(host, theme)
        self.confirm = ConfirmSheet(host, theme)
        self.back = BackSheet(host, theme)
        self.compare = CompareSheet(host, theme, source)
        self.edit = EditSheet(host, theme)
        self.merge = MergeSheet(host, theme, source)

    def show_interrupted(self, run: InterruptedRun, plan_title: str) -> None:
        self.interrupted.ask(run, plan_title, self._now())

    def ask_to_abandon(self, do: Callable[[], None]) -> None:
        words = tr("The agent stops where it is, and what it has drafted is forgotten. Nothing on disk has changed.")
        self.confirm.ask(tr("Cancel this draft?"), words, tr("Cancel the draft"), do)

    def ask_to_cancel(self, do: Callable[[], None]) -> None:
        words = tr("Nothing of it will be run. Its revisions stay on record; nothing on disk has changed.")
        self.confirm.ask(tr("Cancel this plan?"), words, tr("Cancel the plan"), do)

    def ask_to_clear(self, operations: int, do: Callable[[], None]) -> None:
        words = tr("The plan is cancelled, as nothing would be left of it. Nothing on disk has changed.")
        question = tr_n("Clear all {n} operation?", "Clear all {n} operations?", operations)
        self.confirm.ask(question, words, tr("Clear all"), do)
