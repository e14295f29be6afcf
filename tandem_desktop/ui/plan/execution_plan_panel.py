"""The right half of the window: one plan, what it would do, and the steps a person can take with it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from PySide6.QtWidgets import QWidget

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.plan import PlanStatus
from tandem_desktop.domain.plan_events import EventKind, UserReviewing
from tandem_desktop.domain.review import Comment, Comments
from tandem_desktop.domain.state_machine import PlanState, PlanStateMachine, state_of
from tandem_desktop.events.events import PlanRejected, RunPaused, RunResumed, TandemEvent
from tandem_desktop.events.perspective_events import PlanningStarted
from tandem_desktop.execution.recovery import InterruptedRun
from tandem_desktop.execution.undoing import Undoing
from tandem_desktop.orchestration.plan_pages import PlanPage
from tandem_desktop.orchestration.plan_runs import ListedRun
from tandem_desktop.plans.plan_index import PlanSummary
from tandem_desktop.review.compare import Comparison
from tandem_desktop.review.drift import Drifted
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.review.since_viewed import Looked
from tandem_desktop.review.viewed import ViewedMarks
from tandem_desktop.ui.plan import plan_page_facts
from tandem_desktop.ui.plan.editing import shown_views
from tandem_desktop.ui.plan.empty_plan import Emptiness
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.plan_panel_parts import PlanPanelParts
from tandem_desktop.ui.plan.plan_steps import RUNNING, PlanSteps
from tandem_desktop.ui.plan.row_diff import DiffSource
from tandem_desktop.ui.plan.since_looked import SinceLooked
from tandem_desktop.ui.plan.taking_back import TakingBack
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.announce import announce
from tandem_desktop.ui.words import tr


class ExecutionPlanPanel(PlanPanelParts):
    """Takes pages, runs and events in; gives the person's wishes out. It carries nothing out itself."""

    def __init__(
        self,
        theme: Theme,
        contents: DiffSource,
        *,
        workspace: str,
        now: Callable[[], datetime],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, contents, workspace=workspace, now=now, parent=parent)
        self._page: PlanPage | None = None
        self._runs: tuple[ListedRun, ...] = ()
        self.alternatives: tuple[PlanSummary, ...] = ()
        """The plans that are alternatives to the one on screen."""
        self._refusal = ""
        self._marks = ViewedMarks()
        self._since = SinceLooked()
        self.machine = PlanStateMachine()
        self._steps = PlanSteps(self, self._editing, now)
        self._connect()
        self.show_nothing()

    # Values in

    def show_nothing(self, why: Emptiness = Emptiness.NO_PLAN) -> None:
        """No plan is open."""
        self._keep_unfinished(None)
        self._page = None
        self.operations.list.set_editable(False)
        self.machine = PlanStateMachine(PlanState.DRAFTING if why is Emptiness.DRAFTING else PlanState.IDLE)
        self.model.clear()
        self.operations.say_why_empty(why)
        self.operations.show_banners(())
        self.operations.attention.show_views(())
        self.operations.result.hide()
        self.header.show_running(False)
        self.header.setVisible(why not in (Emptiness.NO_PLAN, Emptiness.READ_ONLY, Emptiness.NO_FILES))
        self.runs.show_progress(False)
        self.rehearsals.show_page(None)
        self.work.clear()
        self.perspectives.show_perspectives(None)
        self._follow()

    def show_drafting(self, title: str) -> None:
        """The agent works; operations arrive one by one through `show_progress`."""
        self.show_nothing(Emptiness.DRAFTING)
        self._follower.begin_draft(title)
        words = tr("The agent is drafting. Read along; deciding comes when it has finished.")
        self.operations.show_banners((plan_page_facts.BannerWords("info", words),))
        self.header.show_viewed(0, 0)
        self.tabs.show_tab("operations")

    def show_page(self, page: PlanPage) -> None:
        if self._follower.is_stale(page):
            return
        self._keep_unfinished(page)
        before, self._page = self._page, page
        same_plan = before is not None and before.version.plan_id == page.version.plan_id
        if before is not None and (not same_plan or before.digest != page.digest or not page.choices.is_empty):
            self.sheets.approval.expire()
        self.chooser.begin(page)
        self._is_showing = True
        if not same_plan:
            self.operations.filter.leave()
            self.model.clear()
            self.remarks.show(())
        earlier = before if same_plan else None
        self.operations.list.seen.follow(
            earlier.version if earlier else None,
            page.version,
            by_choice=earlier is not None and not earlier.choices.is_empty,
        )
        self._since.follow(before.version if same_plan and before else None, self.model.viewed, page.version)
        opened = self.model.expanded if same_plan and before and before.version == page.version else ()
        self._show_operations(page, known=before.views if same_plan and before else ())
        for operation_id in opened:  # what a person has just written is read on in its place
            self.model.set_expanded(operation_id, True)
        self.model.set_changes(self._since.marks(()))
        self._is_showing = False
        self.header.show()
        self.header.show_running(page.meta.status in (PlanStatus.EXECUTING, PlanStatus.PAUSED))
        self.header.show_page(page)
        self._follower.show_page(page)
        self.work.show_page(page, self._follower.live_results(page))
        is_decided_here = page.meta.status in plan_page_facts.OPEN and page.version.revision == page.meta.revision
        self.text.show_version(page.version, page.choices.text, editable=is_decided_here)
        self.perspectives.show_perspectives(page.version.perspectives)
        self.operations.attention.show_views(page.views if page.meta.status in plan_page_facts.OPEN else ())
        self.operations.show_banners(plan_page_facts.banners(page, self._now()))
        self.operations.result.show_result(page, self._run_of(page))
        self.machine = PlanStateMachine.restore(page.meta)
        if self.machine.state is PlanState.AWAITING_APPROVAL:
            self.machine.send(UserReviewing())
        self._refusal = plan_page_facts.approval_refusal(page)
        self.rehearsals.show_page(page)
        self._follow()
        self._steps.go_on_with(page)

    def show_runs(self, runs: tuple[ListedRun, ...], titles: dict[str, str] | None = None) -> None:
        self._runs = runs
        self.runs.show_runs(runs, titles)
        if self._page is not None:
            self.operations.result.show_result(self._page, self._run_of(self._page))

    def show_drift(self, drifted: tuple[Drifted, ...]) -> None:
        """The disk was looked at again."""
        if self._page is not None and drifted != self._page.drifted:
            self.show_page(replace(self._page, drifted=drifted))
            if drifted:
                self.sheets.approval.expire()
                announce(self, self._refusal)

    def show_comparison(self, earlier: int, comparison: Comparison) -> None:
        """Mark what is different from an earlier revision, until the person is done or the page changes."""
        if self._page is not None:
            self.model.set_changes(plan_page_facts.changes_by_operation(comparison))
            compared = plan_page_facts.comparison_banner(earlier, comparison)
            self.operations.show_banners((compared, *plan_page_facts.banners(self._page, self._now())))
            self.tabs.show_tab("operations")

    def show_progress(self, event: TandemEvent) -> None:
        """Follow the draft, or the run of the plan that is shown; other events are nothing to this panel."""
        plan_id = self._page.version.plan_id if self._page is not None else None
        self.rehearsals.follow(event)
        self.work.follow(event)
        if self.perspectives.follow(event) and isinstance(event, PlanningStarted):
            self.tabs.show_tab("perspectives")
        if self._follower.follow(event, plan_id, is_drafting=self.machine.state is PlanState.DRAFTING):
            self.machine = PlanStateMachine(PlanState.EXECUTING)
            self._follow()
        elif isinstance(event, RunPaused | RunResumed) and self.machine.state in RUNNING:
            # One run at a time in a workspace: it is that of this plan.
            self.machine = PlanStateMachine(RUNNING[isinstance(event, RunPaused)])
            self._follow()
        elif isinstance(event, PlanRejected) and event.plan_id == plan_id:
            # At once: what was sent back cannot be decided while its page is read again.
            self.machine = PlanStateMachine(state_of(event.status))
            self._follow()

    def show_undo(
        self, taking: TakingBack, undoing: Undoing, runs: tuple[str, ...] = (), *, has_changed: bool = False
    ) -> None:
        self.sheets.undo.ask(taking, undoing, runs, has_changed=has_changed)

    def show_interrupted(self, run: InterruptedRun, plan_title: str) -> None:
        self.sheets.show_interrupted(run, plan_title)

    def show_alternatives(self, plans: tuple[PlanSummary, ...]) -> None:
        """Of the plan on screen."""
        self.alternatives = plans
        self.header.show_alternatives(plans)

    def set_comments(self, comments: Comments) -> None:
        """What the person said about the plan and did not send yet."""
        if self._page is None or self._page.version.plan_id != comments.plan_id:
            return
        self.remarks.show(comments.drafts)
        self._follow()

    def set_viewed(self, marks: tuple[str, ...]) -> None:
        """What was viewed earlier, as `viewed_changed` told it; a mark of what has changed since is not taken."""
        self._is_showing = True
        self.model.set_viewed(self._marks.fitting(self.model.views(), marks))
        self._is_showing = False

    @property
    def looked(self) -> Looked | None:
        """What the person has looked at, to be kept and handed to `resume_looking`; of the latest revision only."""
        page = self._page
        if page is None or page.version.revision != page.meta.revision:
            return None
        return self._since.looked(page.version.revision, self.model.viewed)

    def resume_looking(self, looked: Looked) -> None:
        """Mark what changed since the person looked, as far as that was known when the plan was last on screen."""
        if self._page is not None and self._page.version.revision == looked.revision:
            self._since.resume(looked)
            self.model.set_changes(self._since.marks(self.model.viewed))

    def forget_contents(self) -> None:
        """The window closes: whatever is still being compared is for nobody."""
        for listed in self.findChildren(OperationList):
            listed.forget_contents()

    def set_single_letters(self, allowed: bool) -> None:
        self.operations.list.single_letters = self.runs.list.single_letters = allowed
        self.sheets.compare.diff.single_letters = allowed
        self.sheets.merge.set_single_letters(allowed)

    def show_tasks(self) -> None:
        """The tasks, with the keyboard on them."""
        self.tabs.show_tab("tasks")
        self.tasks.take_keyboard()

    def show_graph(self) -> None:
        """What waits for what, with the keyboard on it."""
        self.tabs.show_tab("graph")
        self.graph.take_keyboard()

    # What is shown

    @property
    def page(self) -> PlanPage | None:
        return self._page

    @property
    def is_waiting(self) -> bool:
        """Whether the latest revision of a plan is on screen and nothing has been done about it yet."""
        page = self._page
        if page is None or page.meta.status not in plan_page_facts.OPEN:
            return False
        return page.version.revision == page.meta.revision and self.machine.state is not PlanState.EXECUTING

    @property
    def refusal(self) -> str:
        """Why the plan cannot be implemented although its state would allow it."""
        return self._refusal

    @property
    def comments(self) -> tuple[Comment, ...]:
        """What would be sent with a rework."""
        return self.remarks.drafts

    @property
    def since(self) -> SinceLooked:
        """What changed since the person looked."""
        return self._since

    # The person's wishes

    def request(self, kind: EventKind) -> None:
        """What a button or key asks for; every step that counts is asked again in a sheet."""
        self._steps.request(kind)

    def _connect(self) -> None:
        operations, header, sheets = self.operations.list, self.header, self.sheets
        operations.remove_requested.connect(self.chooser.drop_or_keep)
        operations.reorder_requested.connect(self.chooser.reorder)
        operations.drop_requested.connect(self.chooser.drop_hunk)
        operations.keep_requested.connect(self.chooser.keep_hunk)
        operations.lines_requested.connect(self.chooser.toggle_lines)
        self.chooser.changed.connect(self.choices_changed)
        self.chooser.changed.connect(lambda _: self.sheets.approval.expire())
        self.remarks.added.connect(lambda *what: self.with_plan(self.commented, *what))
        self.remarks.edited.connect(lambda *what: self.with_plan(self.comment_edited, *what))
        self.remarks.removed.connect(lambda *what: self.with_plan(self.comment_removed, *what))
        self.text.rewritten.connect(self.chooser.rewrite)
        operations.open_requested.connect(self.open_requested)
        operations.merge_requested.connect(self._steps.merge)
        operations.edit_requested.connect(self._steps.edit)
        operations.theirs_requested.connect(lambda operation: self.chooser.take_proposed(OperationId(operation)))
        self._editing.saved.connect(lambda *edit: self.with_plan(self.edit_saved, *edit))
        operations.implement_requested.connect(lambda: self.request(EventKind.APPROVE))
        self.tabs.filter_requested.connect(self.operations.filter.ask)
        self.operations.banner_requested.connect(self._steps.banner)
        self.operations.result.view_requested.connect(lambda: self.tabs.show_tab("runs"))
        self.operations.result.undo_requested.connect(self.undo_preview_requested)
        self.operations.result.redo_requested.connect(self.redo_requested)
        self.operations.result.rated.connect(lambda rating: self.with_plan(self.rated, rating))
        self.runs.undo_requested.connect(self.undo_preview_requested)
        self.runs.redo_requested.connect(self.redo_requested)
        self.runs.taking_back_requested.connect(self.taking_back_requested)
        self.runs.run_chosen.connect(self.run_chosen)
        self.runs.view_requested.connect(self._view_run)
        header.revision_chosen.connect(lambda number: self.with_plan(self.revision_requested, number))
        header.compare_requested.connect(lambda old, new: self.with_plan(self.compare_requested, old, new))
        header.compare_any_requested.connect(lambda: self._steps.banner("compare"))
        header.restore_requested.connect(lambda number: self.with_plan(self.restore_requested, number))
        header.branch_requested.connect(lambda number: self.with_plan(self.branch_requested, number))
        header.plan_requested.connect(self.plan_requested)
        sheets.compare.pair_chosen.connect(lambda *pair: self.with_plan(self.pair_requested, *pair))
        sheets.compare.restore_requested.connect(lambda number: self.with_plan(self.restore_requested, number))
        header.stop_requested.connect(self.stop_requested)
        header.pause_requested.connect(self.pause_requested)
        header.resume_requested.connect(self.resume_requested)
        self.footer.execute_requested.connect(lambda: self.request(EventKind.APPROVE))
        self.footer.clear_requested.connect(self._steps.clear)
        self.rehearsals.save_requested.connect(self.save_requested)
        self.rehearsals.restore_requested.connect(self.restore_requested)
        self.model.viewed_changed.connect(self._viewed)
        sheets.approval.approved.connect(self.approve_confirmed)
        sheets.approval.rework_requested.connect(lambda: self.request(EventKind.REQUEST_REVISION))
        sheets.approval.show_requested.connect(self._show_operation)
        self.tasks.operation_requested.connect(self._show_operation)
        self.graph.operation_requested.connect(self._show_operation)
        self.tasks.order_accepted.connect(self.chooser.reorder)
        self.tasks.operations_requested.connect(lambda: self.tabs.show_tab("operations"))
        self.work.changed.connect(lambda: self.tabs.count("tasks", len(self.work.tasks)))
        sheets.rework.confirmed.connect(self.rework_confirmed)
        sheets.undo.confirmed.connect(self.undo_requested)
        sheets.interrupted.chosen.connect(self.recover_requested)

    _is_showing = False
    """While a page is taken in; what changes then is not the person's doing."""

    def _keep_unfinished(self, following: PlanPage | None) -> None:
        """Words that are being written about a plan stay with it, as drafts, when another one is shown."""
        page = self._page
        if page is not None and (following is None or following.version.plan_id != page.version.plan_id):
            self.operations.list.keep_unfinished()
            self.text.keep_unfinished()

    def with_plan(self, signal: object, *values: object) -> None:
        """Emit one of the panel's signals about the plan on screen."""
        if self._page is not None:
            signal.emit(self._page.version.plan_id, *values)  # type: ignore[attr-defined]

    def _show_operations(self, page: PlanPage, known: tuple[OperationView, ...]) -> None:
        status = page.meta.status
        reviewed = status in plan_page_facts.OPEN
        drift = plan_page_facts.drift_by_operation(page.views, page.drifted) if reviewed else {}
        ran = status in plan_page_facts.RAN or bool(page.results)
        self.operations.say_why_empty(Emptiness.NOTHING_LEFT)
        problems = {OperationId(each.step): each.reason for each in page.draft.problems} if page.draft else {}
        self.model.show(
            shown_views(page),
            drift=drift,
            results=self._follower.live_results(page),
            running=ran,
            choices=page.choices,
            problems=problems,
        )
        if reviewed and known is not page.views:
            before = {view.operation.id for view in known}
            for view in page.views:
                if view.operation.id not in before and plan_page_facts.opens_by_itself(view):
                    self.model.set_expanded(view.operation.id, True)
        self.operations.list.set_editable(reviewed and page.version.revision == page.meta.revision)

    def _run_of(self, page: PlanPage) -> ListedRun | None:
        return next((run for run in self._runs if run.record.run_id == page.meta.execution_session), None)

    def _viewed(self) -> None:
        viewed = self.model.viewed
        if self._page is not None and not self.model.running:
            self.header.show_viewed(len(viewed), self.model.total)
            if not self._is_showing:
                self._since.marks(viewed)
                self.viewed_changed.emit(self._page.version.plan_id, self._marks.of(self.model.views(), viewed))
        else:
            self.header.show_viewed(0, 0)

    def _view_run(self, plan_id: str, revision: int) -> None:
        self.tabs.show_tab("operations")
        self.revision_requested.emit(plan_id, revision)

    def _show_operation(self, operation_id: OperationId) -> None:
        self.tabs.show_tab("operations")
        self.operations.jump(operation_id)

    def _follow(self) -> None:
        self.footer.follow(self.machine, refusal=self._refusal if self._page else "", operations=self.model.total)
        self.footer.setVisible(self._page is not None)
        self._refusal = self._refusal if self._page is not None else ""
        self.followed.emit(self.machine)
