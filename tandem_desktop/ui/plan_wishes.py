"""What a person wants done with a plan or a run, carried out by the workroom, told in words."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from PySide6.QtCore import QObject, Signal

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.execution import FailurePolicy, RunStatus
from tandem_desktop.domain.ids import OperationId, PlanId, RunId, SessionId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.review import CommentId, Comments
from tandem_desktop.orchestration.plan_pages import PlanPage
from tandem_desktop.orchestration.plan_runs import ListedRun
from tandem_desktop.orchestration.workroom import Workroom
from tandem_desktop.review.compare import Comparison
from tandem_desktop.ui.commands import Commands
from tandem_desktop.ui.editor import open_in_editor
from tandem_desktop.ui.plan.comment_area import CommentSpot
from tandem_desktop.ui.plan.execution_plan_panel import ExecutionPlanPanel
from tandem_desktop.ui.plan.taking_back import TakingBack
from tandem_desktop.ui.rehearsal_wishes import RehearsalWishes
from tandem_desktop.ui.undo_wishes import UndoWishes
from tandem_desktop.ui.wishes import Wishes
from tandem_desktop.ui.words import tr


class PlanWishes(Wishes):
    """Listens to the panel. Every step that counts was asked again in a sheet before it gets here."""

    text_approved = Signal(str)
    """The id of a plan that was approved and has no operations: its agent carries it out."""

    def __init__(self, workroom: Workroom, commands: Commands, panel: ExecutionPlanPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._workroom = workroom
        self._commands = commands
        self._panel = panel
        self._is_choosing = False
        self._next_choice: Callable[[], Future[PlanPage]] | None = None
        self._undos = UndoWishes(workroom, commands, panel, self)
        for wishes in (self._undos, RehearsalWishes(workroom, commands, panel.rehearsals, self)):
            wishes.report_to(self)
        panel.choices_changed.connect(lambda choices: self._choose(lambda: workroom.choose(choices)))
        panel.edit_saved.connect(self._keep_edit)
        panel.save_requested.connect(lambda choices: self._carry_out(workroom.save_choices(choices)))
        panel.commented.connect(self._comment)
        panel.comment_edited.connect(
            lambda plan, comment, words: self._about(workroom.edit_comment(PlanId(plan), CommentId(comment), words))
        )
        panel.comment_removed.connect(
            lambda plan, comment: self._about(workroom.remove_comment(PlanId(plan), CommentId(comment)))
        )
        panel.clear_requested.connect(self._cancel)
        panel.cancel_requested.connect(self._cancel)
        panel.approve_confirmed.connect(self._implement)
        panel.restore_requested.connect(self._restore)
        panel.compare_requested.connect(self._compare)
        panel.pair_requested.connect(self._compare_pair)
        panel.branch_requested.connect(self._branch)
        panel.open_requested.connect(self._open)
        panel.stop_requested.connect(workroom.stop_run)
        panel.pause_requested.connect(workroom.pause_run)
        panel.resume_requested.connect(workroom.resume_run)
        panel.undo_preview_requested.connect(self.preview_undo)
        panel.redo_requested.connect(self._redo)
        panel.recover_requested.connect(self._recover)
        panel.rated.connect(lambda plan, rating: self._carry_out(workroom.rate(PlanId(plan), rating)))

    def show_comments(self, plan_id: PlanId) -> None:
        """What was said about the plan, beside the operations."""
        self._about(self._workroom.comments(plan_id))

    def undo_last(self) -> None:
        """Look at taking back the last run; nothing happens before the person has seen what."""
        self._commands.run(self._workroom.runs(), self._preview_last, self.failed.emit)

    def take_back(self, run_id: str) -> None:
        """Look at taking a run back; one that was undone is brought back."""
        record = self._workroom.engine.runs.record(RunId(run_id))
        if record.status is RunStatus.UNDONE:
            self._redo(run_id)
        else:
            self.preview_undo(run_id)

    def abandon(self, session_id: SessionId) -> None:
        """Drop a draft that is not a plan yet, and stop its agent."""
        self._carry_out(self._workroom.conversations.abandon(session_id), tr("Cancelled. Nothing was written."), "info")

    def preview_undo(self, run_id: str) -> None:
        self._undos.preview(TakingBack(RunId(run_id)))

    def _preview_last(self, runs: tuple[ListedRun, ...]) -> None:
        last = next((run for run in runs if run.undoable), None)
        if last is None:
            self.said.emit(tr("There is no run to undo."), "info")
        else:
            self.preview_undo(last.record.run_id)

    def _implement(self, plan_id: str, digest: str, policy: FailurePolicy) -> None:
        plan = PlanId(plan_id)
        # The button that opened the sheet can no longer be pressed; the keyboard goes to what is being done.
        self._panel.operations.list.setFocus()

        page = self._panel.page
        is_text = page is not None and page.version.plan_id == plan_id and not page.version.operations

        def apply(_: object) -> None:
            if is_text:
                self.text_approved.emit(plan_id)
                self.changed.emit()
            else:
                self._carry_out(self._workroom.apply(plan, policy))

        seen, sheet = self._panel.operations.list.seen.all, self._panel.sheets.approval
        notes = sheet.notes.text().strip()
        approval = self._workroom.approve(plan, digest, seen=seen, acknowledged=sheet.acknowledged, notes=notes)
        self._commands.run(approval, apply, self._refused)

    def _cancel(self, plan_id: str) -> None:
        self._carry_out(self._workroom.cancel(PlanId(plan_id)), tr("Cancelled. Nothing was written."), "info")

    def _keep_edit(self, plan_id: str, operation: str, content: bytes) -> None:
        """The bytes first; then they are a choice like any other, on top of whatever was chosen meanwhile."""

        def stored(digest: str) -> None:
            if self._is_shown(plan_id):
                self._panel.chooser.edit(OperationId(operation), digest)
            else:
                words = tr("Your version of {it} was not taken: another plan is shown by now.", it=operation)
                self.said.emit(words, "risk")

        self._commands.run(self._workroom.keep_bytes(content), stored, self.failed.emit)

    def _comment(self, plan_id: str, operation: OperationId | None, spot: CommentSpot, words: str) -> None:
        def not_kept(error: TandemError) -> None:
            if self._is_shown(plan_id):
                self._panel.remarks.write_again(operation, spot, words)
            self.failed.emit(error)

        future = self._workroom.comment(PlanId(plan_id), words, operation, spot.side, spot.lines)
        self._commands.run(future, self._panel.set_comments, not_kept)

    def _is_shown(self, plan_id: str) -> bool:
        page = self._panel.page
        return page is not None and page.version.plan_id == plan_id

    def _about(self, comments: "Future[Comments]") -> None:
        self._commands.run(comments, self._panel.set_comments, self.failed.emit)

    def _choose(self, keep: "Callable[[], Future[PlanPage]]") -> None:
        """One at a time and the newest last, so that what is kept on disk is what was chosen last."""
        if self._is_choosing:
            self._next_choice = keep
            return
        self._is_choosing = True
        self._commands.run(keep(), self._chosen, self._choice_refused)

    def _chosen(self, page: PlanPage) -> None:
        self._is_choosing = False
        following, self._next_choice = self._next_choice, None
        shown = self._panel.page
        if following is not None:
            self._choose(following)
        elif shown is not None and shown.version.plan_id == page.version.plan_id:
            self._panel.show_page(page)

    def _choice_refused(self, error: TandemError) -> None:
        self._is_choosing, self._next_choice = False, None
        self._panel.chooser.give_up()
        self._refused(error)

    def _restore(self, plan_id: str, revision: int) -> None:
        self._carry_out(self._workroom.restore(PlanId(plan_id), revision))

    def _open(self, path: str, line: int) -> None:
        engine = self._workroom.engine
        problem = open_in_editor(engine.locations.workspace / path, max(1, line), engine.settings.editor)
        if problem:
            self.said.emit(problem, "info")

    def _compare(self, plan_id: str, old: int, new: int) -> None:
        future = self._workroom.compare(PlanId(plan_id), old, new)
        self._commands.latest(
            "compare", future, lambda found: self._panel.show_comparison(old, found), self.failed.emit
        )

    def branch(self) -> None:
        """An alternative to the revision on screen."""
        if self._panel.page is not None:
            self._branch(self._panel.page.version.plan_id, self._panel.page.version.revision)

    def _branch(self, plan_id: str, revision: int) -> None:
        def branched(version: PlanVersion) -> None:
            words = tr("An alternative to r{revision}. Change this one; the other stays as it is.", revision=revision)
            self.said.emit(words, "ok")
            self._panel.plan_requested.emit(version.plan_id)

        self._commands.run(self._workroom.branch(PlanId(plan_id), revision), branched, self._refused)

    def _compare_pair(self, plan_id: str, old: int, new: int, other: str) -> None:
        plan, earlier, sheet = PlanId(plan_id), PlanId(other), self._panel.sheets.compare

        def compared(found: Comparison) -> None:
            between = self._workroom.interdiff(earlier, old, new, plan)
            self._commands.latest("interdiff", between, lambda hunks: sheet.show_found(found, hunks), self.failed.emit)

        self._commands.latest("pair", self._workroom.compare(earlier, old, new, plan), compared, self.failed.emit)

    def _redo(self, run_id: str) -> None:
        self._carry_out(self._workroom.redo(RunId(run_id)), tr("Done again."), "ok")

    def _recover(self, run_id: str, way: str) -> None:
        self._carry_out(self._workroom.recover(RunId(run_id), way), tr("The interrupted run is settled."), "ok")

    def _carry_out(self, future: "Future[Any]", words: str = "", tone: str = "info") -> None:
        def done(_: object) -> None:
            if words:
                self.said.emit(words, tone)
            self.changed.emit()

        self._commands.run(future, done, self._refused)

    def _refused(self, error: TandemError) -> None:
        self.failed.emit(error)
        self.changed.emit()
