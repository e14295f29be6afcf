"""Carries out plan, undo, rehearsal, restore and merge requests."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

from PySide6.QtCore import QObject, Signal

from tandem_desktop.background import Background
from tandem_desktop.checks.evidence import Evidence
from tandem_desktop.diff.text import visible, visible_line, visible_name
from tandem_desktop.domain.errors import ChecksNotAcceptedError, TandemError, UserAbortError
from tandem_desktop.domain.ids import OperationId, PlanId, RunId, SessionId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.review import CommentId, Comments
from tandem_desktop.domain.runs import FailurePolicy, RunResult, RunStatus
from tandem_desktop.execution.git_repository import short
from tandem_desktop.execution.run_store import DoneOperation
from tandem_desktop.execution.undo import UndoneRun, UndoPlan
from tandem_desktop.rehearsal.results import Rehearsal
from tandem_desktop.review.compare import Comparison
from tandem_desktop.review.conflicts import Resolution
from tandem_desktop.review.rebase import Rebased
from tandem_desktop.services.chat_log import PointPreview, RestoredPoint, Restoring
from tandem_desktop.services.checks import OfferedChecks
from tandem_desktop.services.commits import CommitResult, CommitWish
from tandem_desktop.services.needed import NeededParts
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.services.rehearsals import RehearsedEffects
from tandem_desktop.services.runs import ListedRun
from tandem_desktop.services.sharing import Fetched, FetchedPlan, Shared
from tandem_desktop.storage.paths import is_in_repository
from tandem_desktop.tasks.suggested_order import SuggestedOrder
from tandem_desktop.ui.chat.pane import ChatPane
from tandem_desktop.ui.editor import open_in_editor
from tandem_desktop.ui.i18n import some_of, tr, tr_n
from tandem_desktop.ui.merge.sheet import MergeSheet
from tandem_desktop.ui.plan.checks import ChecksController
from tandem_desktop.ui.plan.comments import CommentSpot
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.plan.rehearsal import RehearsalController
from tandem_desktop.ui.plan.undo_sheet import UndoRequest, is_the_same
from tandem_desktop.ui.threads import Commands
from tandem_desktop.ui.turn_controller import AgentChoice


class RequestController(QObject):
    """Base of the controllers that run a request in the background and signal the outcome."""

    changed = Signal()
    """Plans or runs have changed and must be read again."""
    said = Signal(str, str)
    """A message and its tone."""
    failed = Signal(object)
    """A `TandemError`."""

    def report_to(self, above: "RequestController") -> None:
        """Forward the three signals to `above`."""
        self.changed.connect(above.changed)
        self.said.connect(above.said)
        self.failed.connect(above.failed)


class RehearsalRequestController(RequestController):
    """Handles the requests of the panel's rehearsal page. A rehearsal changes nothing, so it needs no confirmation."""

    def __init__(
        self, background: Background, commands: Commands, rehearsals: RehearsalController, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._background = background
        self._commands = commands
        self._rehearsals = rehearsals
        rehearsals.use_network(background.engine.settings.rehearse_with_network)
        rehearsals.rehearse_requested.connect(self._rehearse)
        rehearsals.kept_wanted.connect(self._look_for)
        rehearsals.stop_requested.connect(background.stop_rehearsal)
        rehearsals.record_requested.connect(self._record)

    def _rehearse(self, plan_id: str, revision: int, network: bool) -> None:
        future = self._background.rehearse(PlanId(plan_id), revision, network=network)
        self._commands.run(future, self._look_at, self._ended)

    def _look_for(self, version: PlanVersion) -> None:
        def found(kept: tuple[Rehearsal, Mapping[OperationId, RehearsedEffects]] | None) -> None:
            if kept is not None:
                self._rehearsals.remember(*kept)

        # An unreadable rehearsal is treated as missing.
        self._commands.latest(
            "kept",
            self._background.run(self._background.engine.rehearsals.kept_with_effects, version),
            found,
            lambda error: None,
        )

    def _look_at(self, rehearsal: Rehearsal) -> None:
        effects = self._background.run(self._background.engine.rehearsals.effects, rehearsal)
        self._commands.run(effects, lambda found: self._rehearsals.finish(rehearsal, found), self._ended)

    def _ended(self, error: TandemError) -> None:
        self._rehearsals.fail()
        if isinstance(error, UserAbortError):
            self.said.emit(tr("The rehearsal was stopped. Nothing on disk has changed."), "info")
        else:
            self.failed.emit(error)

    def _record(self, rehearsal: Rehearsal, chosen: tuple[OperationId, ...]) -> None:
        def recorded(version: PlanVersion) -> None:
            self._rehearsals.recorded(version, chosen)
            self.changed.emit()

        self._commands.run(
            self._background.run(self._background.engine.rehearsals.record, rehearsal, chosen),
            recorded,
            self.failed.emit,
        )


class ChecksRequestController(RequestController):
    """Runs checks for the panel. They change nothing, but run only after the person accepted their list."""

    def __init__(self, background: Background, commands: Commands, checks: ChecksController, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._commands = commands
        self._checks = checks
        checks.state_wanted.connect(self._look_for)
        checks.run_requested.connect(self._run)
        checks.stop_requested.connect(background.stop_checks)
        checks.needed_requested.connect(self._find_needed)
        checks.shrink_requested.connect(self._shrink)

    def _look_for(self, version: PlanVersion) -> None:
        engine = self._background.engine

        def known() -> tuple[OfferedChecks, Evidence | None]:
            return engine.checks.offered(), engine.checks.kept(version)

        runs = engine.settings.checks_when_a_plan_arrives
        self._background.stop_checks()
        self._commands.latest(
            "checks",
            self._background.run(known),
            lambda found: self._checks.show_known(version, *found, runs=runs),
            lambda error: self._checks.refuse(version.plan_id, version.revision, error.message),
        )

    def _run(self, plan_id: str, revision: int, accept: str, again: bool) -> None:
        self._commands.run(
            self._background.check(PlanId(plan_id), revision, accept=accept, again=again),
            lambda found: self._checks.finish(PlanId(plan_id), revision, *found),
            lambda error: self._ended(plan_id, revision, error),
        )

    def _find_needed(self, plan_id: str, revision: int) -> None:
        self._commands.run(
            self._background.find_needed(PlanId(plan_id)),
            self._checks.show_needed,
            lambda error: self._ended(plan_id, revision, error),
        )

    def _shrink(self, found: NeededParts) -> None:
        self._commands.run(
            self._background.shrink(found), lambda _: self.changed.emit(), lambda error: self.failed.emit(error)
        )

    def _ended(self, plan_id: str, revision: int, error: TandemError) -> None:
        if isinstance(error, UserAbortError):
            self._checks.stopped(plan_id, revision)
        elif isinstance(error, ChecksNotAcceptedError):
            self.said.emit(tr("The list of checks has changed since it was shown; nothing was run."), "risk")
            self._checks.look_again(plan_id, revision)
        else:
            self._checks.refuse(plan_id, revision, error.message)


Seen = Callable[[UndoPlan, tuple[RunId, ...]], None]


class UndoController(RequestController):
    """Previews and carries out undo requests of the panel."""

    def __init__(self, background: Background, commands: Commands, panel: ExecutionPlanPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._commands = commands
        self._panel = panel
        panel.runs.taking_back_requested.connect(self.preview)
        panel.sheets.undo.keeping_git_requested.connect(self.preview)
        panel.sheets.undo.confirmed.connect(self._take_back)
        panel.runs.run_chosen.connect(self._show_changes)

    def preview(self, taking: UndoRequest) -> None:
        """Show what the undo would do; it runs only after confirmation."""
        self._look(taking, lambda undoing, runs: self._show(taking, undoing, runs))

    def _look(self, taking: UndoRequest, seen: Seen) -> None:
        run_id = taking.run_id
        if taking.to_before:
            rewinding = self._background.run(
                self._background.engine.runs.preview_rewind, run_id, keep_git=taking.part.keep_git
            )
            self._commands.run(rewinding, lambda found: seen(found.undoing, found.runs), self.failed.emit)
        else:
            undoing = self._background.run(self._background.engine.runs.preview_undo, run_id, taking.part)
            self._commands.run(undoing, lambda found: seen(found, (run_id,)), self.failed.emit)

    def _show(
        self, taking: UndoRequest, undoing: UndoPlan, runs: tuple[RunId, ...], *, has_changed: bool = False
    ) -> None:
        names = tuple(map(self._panel.runs.model.title_of, runs)) if taking.to_before else ()
        self._panel.show_undo(taking, undoing, names, has_changed=has_changed)

    def _take_back(self, taking: UndoRequest, shown: UndoPlan) -> None:
        def decide(undoing: UndoPlan, runs: tuple[RunId, ...]) -> None:
            if not is_the_same(undoing, shown):
                self._show(taking, undoing, runs, has_changed=True)
                return
            background, run_id = self._background, taking.run_id
            future = (
                background.run(background.engine.runs.rewind, run_id, keep_git=taking.part.keep_git)
                if taking.to_before
                else background.run(background.engine.runs.undo, run_id, taking.part)
            )
            self._commands.run(future, self._done, self._refused)

        self._look(taking, decide)

    def _done(self, undone: UndoneRun) -> None:
        words = tr("Undone.")
        if undone.merged:
            merged = ", ".join(map(visible, undone.merged[:3]))
            words = f"{words} {tr('Your later edits in {paths} were kept.', paths=merged)}"
        if undone.git:
            told = "; ".join(visible(line) for effect in undone.git for line in effect.lines[:3])
            words = f"{words} {tr('In the repository: {lines}.', lines=told)}"
        if undone.notes:
            words = f"{words} {' '.join(map(visible, undone.notes[:3]))}"
        self.said.emit(words, "ok")
        self.changed.emit()

    def _refused(self, error: TandemError) -> None:
        self.failed.emit(error)
        self.changed.emit()

    def _show_changes(self, run_id: str) -> None:
        def arrived(found: tuple[DoneOperation, ...]) -> None:
            self._panel.runs.show_changes(RunId(run_id), found)

        self._commands.run(
            self._background.run(self._background.engine.runs.changes, RunId(run_id)), arrived, self.failed.emit
        )


class CommitController(RequestController):
    """Previews and makes commits of runs."""

    def __init__(self, background: Background, commands: Commands, panel: ExecutionPlanPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._commands = commands
        self._panel = panel
        is_offered = is_in_repository(background.engine.workspace.path)
        panel.runs.offers_commit = panel.operations.result.offers_commit = is_offered
        panel.sheets.approval.offers_commit = is_offered
        for source in (panel.runs, panel.operations.result):
            source.commit_requested.connect(self.preview)
        panel.sheets.commit.confirmed.connect(
            lambda shown, wish, push: self.commit(shown.run_id, wish, push=push)  # what was on screen
        )

    def preview(self, run_id: str) -> None:
        """Show what a commit would hold; it is made only after confirmation."""
        background = self._background
        finding = background.run(background.engine.commits.preview, RunId(run_id))
        self._commands.run(finding, self._panel.sheets.commit.ask, self.failed.emit)

    def commit(self, run_id: RunId, wish: CommitWish, *, push: bool = False) -> None:
        background = self._background

        def made(result: CommitResult) -> None:
            oids = ", ".join(short(each.oid) for each in result.commits)
            place = visible_name(result.branch) if result.branch else tr("a detached HEAD")
            words = tr("Committed {commits} to {branch}.", commits=oids, branch=place)
            self._panel.operations.result.show_commits(run_id, oids)
            if not push:
                self.said.emit(words, "ok")
                return
            self.said.emit(f"{words} {tr('Pushing…')}", "info")
            pushing = background.run(background.engine.commits.push, hooks=wish.hooks)
            self._commands.run(
                pushing,
                lambda pushed: self.said.emit(f"{words} {tr('Pushed to {remote}.', remote=pushed.remote)}", "ok"),
                self.failed.emit,
            )

        making = background.run(background.engine.commits.commit, run_id, wish)
        self._commands.run(making, made, self.failed.emit)


class SharingController(RequestController):
    """Hands the plan on screen to the people of the repository, and takes in what they shared."""

    def __init__(self, background: Background, commands: Commands, panel: ExecutionPlanPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._commands = commands
        self._panel = panel

    def share(self) -> None:
        page = self._panel.page
        if page is None:
            self.said.emit(tr("There is no plan to share."), "info")
            return

        def shared(made: Shared) -> None:
            place = visible_name(made.remote)
            words = tr("Shared on {remote}.", remote=place) if made.is_new else tr("{remote} has it.", remote=place)
            if made.is_approved:
                words = f"{words} {tr('Your signed approval is with it.')}"
            self.said.emit(f"{words} {visible_line(made.problem)}".strip(), "risk" if made.problem else "ok")

        self.said.emit(tr("Sharing…"), "info")
        sharing = self._background.run(self._background.engine.sharing.share, page.version.plan_id)
        self._commands.run(sharing, shared, self.failed.emit)

    def fetch(self) -> None:
        def fetched(found: tuple[FetchedPlan, ...]) -> None:
            refused = [each for each in found if each.outcome is Fetched.REFUSED]
            taken = len(found) - len(refused)
            words = [tr_n("{n} plan has news.", "{n} plans have news.", taken)] if taken else []
            by = {said.by for each in found for said in each.decisions if said.counts}
            if by:
                words.append(tr("Approved by {who}.", who=", ".join(sorted(map(visible_line, by)))))
            words += [f"{each.plan_id}: {visible_line(each.reason)}" for each in refused[:1]]
            self.said.emit(" ".join(words) or tr("Nothing is new."), "risk" if refused else "ok" if words else "info")
            self.changed.emit()

        self.said.emit(tr("Fetching shared plans…"), "info")
        fetching = self._background.run(self._background.engine.sharing.fetch)
        self._commands.run(fetching, fetched, self.failed.emit)


class PlanController(RequestController):
    """Carries out the panel's requests. Those that change files were confirmed in a sheet before."""

    text_approved = Signal(str)
    """Id of an approved plan without operations; its agent carries it out."""

    def __init__(self, background: Background, commands: Commands, panel: ExecutionPlanPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._commands = commands
        self._panel = panel
        self._is_choosing = False
        self._next_choice: Callable[[], Future[PlanPage]] | None = None
        self._undos = UndoController(background, commands, panel, self)
        self._commits = CommitController(background, commands, panel, self)
        self.sharing = SharingController(background, commands, panel, self)
        for controller in (
            self._undos,
            self._commits,
            self.sharing,
            RehearsalRequestController(background, commands, panel.rehearsals, self),
            ChecksRequestController(background, commands, panel.checks, self),
        ):
            controller.report_to(self)
        panel.choices_changed.connect(
            lambda choices: self._choose(lambda: background.run(background.pages.choose, choices))
        )
        panel.history.said.connect(lambda words: self.said.emit(words, "info"))
        panel.edit_saved.connect(self._keep_edit)
        panel.save_requested.connect(
            lambda choices: self._carry_out(background.run(background.engine.proposals.save, choices))
        )
        panel.commented.connect(self._comment)
        panel.comment_edited.connect(
            lambda plan, comment, words: self._about(
                background.run(background.engine.commenting.edit, PlanId(plan), CommentId(comment), words)
            )
        )
        panel.comment_removed.connect(
            lambda plan, comment: self._about(
                background.run(background.engine.commenting.remove, PlanId(plan), CommentId(comment))
            )
        )
        panel.include_requested.connect(
            lambda plan, glob, choices: self._carry_out(
                background.run(background.conversations.include, PlanId(plan), (glob,), choices)
            )
        )
        panel.command_added.connect(
            lambda plan, *command: self._carry_out(
                background.run(background.conversations.add_command, PlanId(plan), *command)
            )
        )
        panel.cancel_requested.connect(self._cancel)
        panel.sheets.approval.approved.connect(self._implement)
        panel.restore_requested.connect(self._restore)
        panel.hosts_allowed.connect(self._allow_hosts)
        panel.compare_requested.connect(self._compare)
        panel.pair_requested.connect(self._compare_pair)
        panel.branch_requested.connect(self._branch)
        panel.open_requested.connect(self._open)
        panel.stop_requested.connect(background.stop_run)
        panel.header.pause_requested.connect(background.pause_run)
        panel.header.resume_requested.connect(background.resume_run)
        for source in (panel.operations.result, panel.runs):
            source.undo_requested.connect(self.preview_undo)
            source.redo_requested.connect(self._redo)
        panel.sheets.interrupted.chosen.connect(self._recover)
        panel.rated.connect(
            lambda plan, rating: self._carry_out(background.run(background.engine.decisions.rate, PlanId(plan), rating))
        )

    def show_comments(self, plan_id: PlanId) -> None:
        """Load the plan's comments into the panel."""
        self._about(self._background.run(self._background.engine.commenting.comments, plan_id))

    def undo_last(self) -> None:
        """Preview the undo of the last run."""
        self._commands.run(
            self._background.run(self._background.engine.runs.runs), self._preview_last, self.failed.emit
        )

    def commit_last(self) -> None:
        """Show what a commit of the last run would hold."""

        def look(runs: tuple[ListedRun, ...]) -> None:
            last = next((run for run in runs if run.undoable), None)
            if last is None:
                self.said.emit(tr("There is no run to commit."), "info")
            else:
                self._commits.preview(last.record.run_id)

        self._commands.run(self._background.run(self._background.engine.runs.runs), look, self.failed.emit)

    def take_back(self, run_id: str) -> None:
        """Preview the undo of a run; redo one that was undone."""
        record = self._background.engine.runs.record(RunId(run_id))
        if record.status is RunStatus.UNDONE:
            self._redo(run_id)
        else:
            self.preview_undo(run_id)

    def abandon(self, session_id: SessionId) -> None:
        """Discard a draft and stop its agent."""
        self._carry_out(
            self._background.conversations.abandon(session_id), tr("Discarded. Nothing was written."), "info"
        )

    def preview_undo(self, run_id: str) -> None:
        self._undos.preview(UndoRequest(RunId(run_id)))

    def _preview_last(self, runs: tuple[ListedRun, ...]) -> None:
        last = next((run for run in runs if run.undoable), None)
        if last is None:
            self.said.emit(tr("There is no run to undo."), "info")
        else:
            self.preview_undo(last.record.run_id)

    def _implement(self, plan_id: str, digest: str, policy: FailurePolicy) -> None:
        plan = PlanId(plan_id)
        # The button that had the focus is disabled now; focus the operations that are about to run.
        self._panel.operations.list.setFocus()

        page = self._panel.page
        is_text = page is not None and page.version.plan_id == plan_id and not page.version.operations

        def apply(_: object) -> None:
            if is_text:
                self.text_approved.emit(plan_id)
                self.changed.emit()
            else:
                # The end of the run is an event, which the window follows for every run.
                self._commands.run(self._background.apply(plan, policy), ended, self._refused)

        def ended(run: RunResult) -> None:
            if wants_commit and run.succeeded:
                self._commits.commit(run.record.run_id, CommitWish())

        seen, sheet = self._panel.operations.list.seen.all, self._panel.sheets.approval
        wants_commit = sheet.wants_commit
        notes = sheet.notes.text().strip()
        approval = self._background.run(
            self._background.engine.decisions.approve_shown,
            plan,
            digest,
            seen=seen,
            acknowledged=sheet.acknowledged,
            lock_files=sheet.lock_files,
            notes=notes,
            evidence=self._panel.checks.shown_digest,
        )
        self._commands.run(approval, apply, self._refused)

    def _cancel(self, plan_id: str) -> None:
        self._carry_out(self._background.cancel(PlanId(plan_id)), tr("Discarded. Nothing was written."), "info")

    def _keep_edit(self, plan_id: str, operation: str, content: bytes) -> None:
        """Store the bytes, then record the edit on top of the choices made since."""

        def stored(digest: str) -> None:
            if self._is_shown(plan_id):
                self._panel.chooser.edit(OperationId(operation), digest)
            else:
                words = tr("Your version of {it} was not taken: another plan is shown by now.", it=operation)
                self.said.emit(words, "risk")

        self._commands.run(self._background.run(self._background.engine.objects.put, content), stored, self.failed.emit)

    def _comment(self, plan_id: str, operation: OperationId | None, spot: CommentSpot, words: str) -> None:
        def not_kept(error: TandemError) -> None:
            if self._is_shown(plan_id):
                self._panel.remarks.write_again(operation, spot, words)
            self.failed.emit(error)

        future = self._background.run(
            self._background.engine.commenting.add, PlanId(plan_id), words, operation, spot.side, spot.lines
        )
        self._commands.run(future, self._panel.set_comments, not_kept)

    def _is_shown(self, plan_id: str) -> bool:
        page = self._panel.page
        return page is not None and page.version.plan_id == plan_id

    def _about(self, comments: "Future[Comments]") -> None:
        self._commands.run(comments, self._panel.set_comments, self.failed.emit)

    def _choose(self, keep: "Callable[[], Future[PlanPage]]") -> None:
        """Save one set of choices at a time, so that the last one is what stays on disk."""
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
        self._carry_out(self._background.run(self._background.engine.proposals.restore, PlanId(plan_id), revision))

    def _allow_hosts(self, plan_id: str, hosts: tuple[str, ...], lasting: bool) -> None:
        future = self._background.conversations.allow_hosts(PlanId(plan_id), hosts, lasting=lasting)
        said = (
            tr("Allowed for this agent. It can try again: tell it to go on.")
            if lasting
            else tr("Allowed for this conversation. The agent can try again: tell it to go on.")
        )
        self._commands.run(future, lambda _: self.said.emit(said, "info"), self.failed.emit)

    def _open(self, path: str, line: int) -> None:
        engine = self._background.engine
        problem = open_in_editor(engine.locations.workspace / path, max(1, line), engine.settings.editor)
        if problem:
            self.said.emit(problem, "info")

    def _compare(self, plan_id: str, old: int, new: int) -> None:
        future = self._background.run(self._background.pages.compare, PlanId(plan_id), old, new)
        self._commands.latest(
            "compare", future, lambda found: self._panel.show_comparison(old, found), self.failed.emit
        )

    def branch(self) -> None:
        """Create an alternative to the shown revision."""
        if self._panel.page is not None:
            self._branch(self._panel.page.version.plan_id, self._panel.page.version.revision)

    def _branch(self, plan_id: str, revision: int) -> None:
        def branched(version: PlanVersion) -> None:
            words = tr("An alternative to r{revision}. Change this one; the other stays as it is.", revision=revision)
            self.said.emit(words, "ok")
            self._panel.plan_requested.emit(version.plan_id)

        self._commands.run(
            self._background.run(self._background.engine.proposals.branch, PlanId(plan_id), revision),
            branched,
            self._refused,
        )

    def _compare_pair(self, plan_id: str, old: int, new: int, other: str) -> None:
        plan, earlier, sheet = PlanId(plan_id), PlanId(other), self._panel.sheets.compare

        def compared(found: Comparison) -> None:
            between = self._background.run(self._background.pages.interdiff, earlier, old, new, plan)
            self._commands.latest("interdiff", between, lambda hunks: sheet.show_found(found, hunks), self.failed.emit)

        self._commands.latest(
            "pair",
            self._background.run(self._background.pages.compare, earlier, old, new, plan),
            compared,
            self.failed.emit,
        )

    def _redo(self, run_id: str) -> None:
        self._carry_out(self._background.run(self._background.engine.runs.redo, RunId(run_id)), tr("Reapplied."), "ok")

    def _recover(self, run_id: str, way: str) -> None:
        self._carry_out(
            self._background.run(self._background.engine.runs.recover, RunId(run_id), way),
            tr("The interrupted run is settled."),
            "ok",
        )

    def _carry_out(self, future: "Future[Any]", words: str = "", tone: str = "info") -> None:
        def done(_: object) -> None:
            if words:
                self.said.emit(words, tone)
            self.changed.emit()

        self._commands.run(future, done, self._refused)

    def _refused(self, error: TandemError) -> None:
        self.failed.emit(error)
        self.changed.emit()


class OrderController(RequestController):
    """Asks an agent for a better order of the operations."""

    def __init__(
        self,
        background: Background,
        commands: Commands,
        panel: ExecutionPlanPanel,
        agents: AgentChoice,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._background, self._commands, self._panel, self._agents = background, commands, panel, agents
        panel.tasks.order_asked.connect(self._ask)

    def _ask(self) -> None:
        page, profile = self._panel.page, self._agents.profile
        if page is None or profile is None:
            self._panel.tasks.stop_waiting()
            self.said.emit(tr("Tandem is still looking for agents; try again in a moment."), "info")
            return
        version = page.version

        def arrived(suggested: SuggestedOrder) -> None:
            shown = self._panel.page
            self._panel.tasks.stop_waiting()
            if shown is not None and shown.version == version:
                self._panel.tasks.show_advice(suggested)

        def refused(error: TandemError) -> None:
            self._panel.tasks.stop_waiting()
            self.failed.emit(error)

        self._commands.latest("order", self._background.conversations.advise_order(version, profile), arrived, refused)


class RestoreController(RequestController):
    """Previews and restores an earlier point of the conversation."""

    def __init__(
        self,
        background: Background,
        commands: Commands,
        chat: ChatPane,
        panel: ExecutionPlanPanel,
        session: Callable[[], SessionId],
    ) -> None:
        super().__init__(chat)
        self._background, self._commands, self._chat = background, commands, chat
        self._sheet, self._session = panel.sheets.back, session
        self._asked = SessionId("")
        chat.back_requested.connect(self._look)
        self._sheet.confirmed.connect(self._go)

    def _look(self, entry: int) -> None:
        self._asked = self._session()
        future = self._background.run(self._background.points.preview, self._asked, entry)
        self._commands.run(future, lambda preview: self._ask(entry, preview), self._refused)

    def _ask(self, entry: int, preview: PointPreview) -> None:
        known = self._chat.model.entry(entry)
        if known is not None and self._session() == self._asked:
            self._sheet.ask(entry, known.text, preview)

    def _go(self, entry: int, what: Restoring) -> None:
        self._commands.run(
            self._background.run(self._background.points.restore, self._asked, entry, what), self._gone, self._refused
        )

    def _gone(self, point: RestoredPoint) -> None:
        if self._session() == self._asked:
            self._chat.set_entries(self._background.chat.entries(self._asked))
        self.said.emit(_told(point), "ok")
        self.changed.emit()

    def _refused(self, error: TandemError) -> None:
        self.failed.emit(error)


def _told(point: RestoredPoint) -> str:
    aside = tr_n("{n} entry set aside", "{n} entries set aside", point.entries)
    if point.run is None:
        return tr("Went back: {aside}.", aside=aside) if point.entries else tr("Went back: nothing had to change.")
    if not point.entries:
        return tr("Went back: the files are as they were then.")
    return tr("Went back: the files are as they were then and {aside}.", aside=aside)


_NAMED = 3


class MergeController(RequestController):
    """Runs rebases and shows conflicts in the sheet. Saves nothing while a conflict is open."""

    def __init__(self, background: Background, commands: Commands, panel: ExecutionPlanPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._commands = commands
        self._panel = panel
        self._plan_id = PlanId("")
        self.sheet: MergeSheet = panel.sheets.merge
        panel.rebase_requested.connect(self._rebase)
        panel.merge_requested.connect(self._merge)
        self.sheet.path_wanted.connect(self._show_path)
        self.sheet.answered.connect(self._answered)
        self.sheet.save_requested.connect(self._save)

    def _rebase(self, plan_id: str) -> None:
        self._plan_id = PlanId(plan_id)
        self._run(self._background.run(self._background.pages.preview_rebase, self._plan_id), self._previewed)

    def _previewed(self, rebased: Rebased) -> None:
        if rebased.conflicts:
            self._open(rebased, rebased.conflicts[0].path)
        else:
            self._save(())

    def _merge(self, plan_id: str, path: str) -> None:
        self._plan_id = PlanId(plan_id)
        self._run(
            self._background.run(self._background.pages.preview_rebase, self._plan_id),
            lambda rebased: self._open(rebased, path),
        )

    def _open(self, rebased: Rebased, path: str) -> None:
        page = self._panel.page
        if page is not None and page.version.plan_id == self._plan_id:
            self.sheet.ask(page.meta.revision, self._drifted(), rebased.conflicts, path)

    def _show_path(self, path: str) -> None:
        sides = self._background.run(self._background.pages.three_way, self._plan_id, path)
        self._commands.latest("merge-sides", sides, self.sheet.show_sides, self._refused)

    def _answered(self) -> None:
        future = self._background.run(self._background.pages.preview_rebase, self._plan_id, self.sheet.resolutions())
        self._commands.latest(
            "merge-answers", future, lambda rebased: self.sheet.show_open(rebased.conflicts), self._refused
        )

    def _save(self, resolutions: tuple[Resolution, ...]) -> None:
        merged = self._drifted()
        future = self._background.run(self._background.pages.rebase, self._plan_id, resolutions)
        self._run(future, lambda version: self._saved(version, merged))

    def _saved(self, version: PlanVersion, merged: tuple[str, ...]) -> None:
        self.sheet.shut()
        words = tr_n(
            "Revision {revision} fits what is on disk: {n} file merged ({named}).",
            "Revision {revision} fits what is on disk: {n} files merged ({named}).",
            len(merged),
            revision=version.revision,
            named=some_of([visible_name(path) for path in merged], _NAMED),
        )
        self.said.emit(words, "ok")
        self.changed.emit()

    def _drifted(self) -> tuple[str, ...]:
        page = self._panel.page
        if page is None:
            return ()
        return tuple(dict.fromkeys((*(each.path for each in page.drifted), *page.version.drifted)))

    def _run(self, future, done) -> None:  # type: ignore[no-untyped-def]  # as Commands.run
        self._commands.run(future, done, self._refused)

    def _refused(self, error: TandemError) -> None:
        self.failed.emit(error)
        self.changed.emit()
