"""The plan panel."""

from collections.abc import Callable, Collection, Generator, Iterator
from dataclasses import replace
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tandem_desktop.domain.events import PlanningStarted, PlanRejected, RunPaused, RunResumed, TandemEvent
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import Origin
from tandem_desktop.domain.plan_states import EventKind, PlanState, PlanStatus, state_of
from tandem_desktop.domain.review import Comment, Comments
from tandem_desktop.domain.runs import ResultStatus
from tandem_desktop.domain.state_machine import PlanStateMachine, UserReviewing
from tandem_desktop.execution.recovery import InterruptedRun
from tandem_desktop.execution.undo import UndoPlan
from tandem_desktop.plans.index import PlanSummary, summary_of
from tandem_desktop.review.compare import Comparison
from tandem_desktop.review.drift import Drifted
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.review.viewed import Looked, ViewedMarks, coverage
from tandem_desktop.services.pages import PlanFocus, PlanPage
from tandem_desktop.services.runs import ListedRun
from tandem_desktop.ui.graph.tab import GraphTab
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.keys import keys_of
from tandem_desktop.ui.models.operations import OperationRow, StagedOperationsModel
from tandem_desktop.ui.models.tasks import TaskProgressModel
from tandem_desktop.ui.perspectives.tab import PerspectivesView
from tandem_desktop.ui.plan import page_text
from tandem_desktop.ui.plan.checks import ChecksController
from tandem_desktop.ui.plan.choices import Chooser, Editing, shown_views
from tandem_desktop.ui.plan.footer import PlanFooter
from tandem_desktop.ui.plan.header import PlanHeader, PlanTabs
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.operations_tab import Emptiness, OperationsTab
from tandem_desktop.ui.plan.plan_sheets import PlanSheets
from tandem_desktop.ui.plan.progress import ProgressFollower
from tandem_desktop.ui.plan.rehearsal import RehearsalController
from tandem_desktop.ui.plan.rehearsal_view import RehearsedPart
from tandem_desktop.ui.plan.remarks import Remarks
from tandem_desktop.ui.plan.review_history import ReviewHistory
from tandem_desktop.ui.plan.row_diff import DiffSource, RowDiff
from tandem_desktop.ui.plan.runs_tab import RunsTab
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.plan.text_tab import PlanTextTab
from tandem_desktop.ui.plan.undo_sheet import UndoRequest
from tandem_desktop.ui.plan.viewed import ChangedSinceViewed
from tandem_desktop.ui.tasks.tab import TaskSidebar
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.labels import announce

RUNNING = (PlanState.EXECUTING, PlanState.PAUSED)


class PlanSteps:
    """The actions of one panel: opens sheets and emits the panel's signals."""

    def __init__(self, panel: "ExecutionPlanPanel", editing: Editing, now: Callable[[], datetime]) -> None:
        self._panel = panel
        self._editing = editing
        self._now = now
        self._to_approve: tuple[PlanId, int] | None = None
        """The plan and revision the person asked to implement, while their choices are being saved as it."""
        self._to_drop: tuple[PlanId, OperationId] | None = None
        """The plan and the operation that is being dropped before the rest is implemented."""

    def go_on_with(self, page: PlanPage) -> None:
        """What was waited for is on screen, a saved revision or a dropped operation: open the approval sheet."""
        if self._to_drop is not None and page.version.plan_id == self._to_drop[0]:
            if self._to_drop[1] in page.choices.operations:
                self._to_drop = None
                self.request(EventKind.APPROVE)
            return
        if self._to_approve == (page.version.plan_id, page.version.revision):
            self._to_approve = None
            if page.version.origin is Origin.PERSON:  # not a revision of the agent that arrived first
                self.request(EventKind.APPROVE)

    def request(self, kind: EventKind) -> None:
        """Handle a button or key; important steps are confirmed in a sheet."""
        panel, page = self._panel, self._panel.page
        if kind is EventKind.CANCEL and panel.machine.status is PlanStatus.STALLED:
            panel.settle_requested.emit()
            return
        if kind is EventKind.CANCEL and panel.machine.state in RUNNING:
            panel.stop_requested.emit()
            return
        if kind is EventKind.CANCEL and page is None and panel.machine.can(kind):
            panel.sheets.ask_to_abandon(panel.abandon_requested.emit)
            return
        if page is None or not panel.machine.can(kind):
            return
        choices = panel.chooser.choices
        if kind is EventKind.APPROVE and not panel.refusal and choices is not None and not choices.is_empty:
            self._to_approve = (page.version.plan_id, page.version.revision + 1)
            panel.save_requested.emit(choices)
        elif kind is EventKind.APPROVE and not panel.refusal:
            not_viewed = panel.model.rows_in_all - panel.model.rows_viewed
            shown = coverage(page.version, panel.operations.list.seen.all)
            unopened = [
                view.operation.id
                for view in page.views
                if view.must_be_opened and not panel.operations.list.seen.is_opened(view.operation)
            ]
            panel.sheets.approval.ask(
                page,
                comments=len(panel.comments),
                not_viewed=not_viewed,
                coverage=shown,
                unopened=unopened,
                problems=tuple(filter(None, (panel.rehearsals.failure, panel.checks.failure))),
            )
        elif kind is EventKind.REQUEST_REVISION:
            panel.sheets.rework.ask(page, panel.comments)
        elif kind is EventKind.CANCEL:
            panel.sheets.ask_to_cancel(len(page.views), lambda: panel.cancel_requested.emit(page.version.plan_id))

    def implement_the_rest(self) -> None:
        """Drop the operation at which the run failed; what is left is approved once that has been tried."""
        panel, failed = self._panel, self._panel.failed_operation
        if panel.page is not None and failed is not None:
            self._to_drop = (panel.page.version.plan_id, failed.id)
            panel.chooser.drop((failed.id,))

    def banner(self, key: str) -> None:
        panel, page = self._panel, self._panel.page
        if page is None:
            return
        plan_id: PlanId = page.version.plan_id
        match key:
            case "latest":
                panel.revision_requested.emit(plan_id, page.meta.revision)
            case "restore":
                panel.restore_requested.emit(plan_id, page.version.revision)
            case "previous" if page.version.parent_revision is not None:
                panel.restore_requested.emit(plan_id, page.version.parent_revision)
            case "rework":
                self.request(EventKind.REQUEST_REVISION)
            case "merge" if paths := page_text.drifted_paths(page):
                panel.merge_requested.emit(plan_id, paths[0])
            case "rebase":
                panel.rebase_requested.emit(plan_id)
            case "compare":
                self._compare(page, (plan_id, page.version.parent_revision or 1))
            case "compare-origin" if point := page.meta.branched_from:
                self._compare(page, (point.plan_id, point.revision))
            case "origin" if point := page.meta.branched_from:
                panel.plan_requested.emit(point.plan_id)
            case "compared":
                panel.leave_comparison()
            case "allow-agent" | "allow-once" if page.version.network is not None:
                hosts = tuple(each.address for each in page.version.network.refused)
                panel.hosts_allowed.emit(plan_id, hosts, key == "allow-agent")
            case "keep-all":
                panel.chooser.keep_everything()
            case "settle":
                panel.settle_requested.emit()

    def _compare(self, page: PlanPage, earlier: tuple[PlanId, int]) -> None:
        self._panel.sheets.compare.ask(
            summary_of(page.meta),
            earlier,
            page.version.revision,
            may_restore=page.meta.status in page_text.OPEN,
            alternatives=self._panel.alternatives,
        )

    def merge(self, operation: str) -> None:
        """Open the merge of the drifted path of an operation."""
        panel, page = self._panel, self._panel.page
        every = panel.model.renames.whole((OperationId(operation),))
        paths = [path for each in every for path in page_text.drifted_paths(page, each)] if page is not None else []
        if paths:
            panel.with_plan(panel.merge_requested, paths[0])

    def edit(self, operation: str) -> None:
        if self._panel.page is not None:
            self._editing.begin(self._panel.page, OperationId(operation))


class ExecutionPlanPanel(QWidget):
    """Shows pages, runs and events; the user's actions are emitted as signals."""

    choices_changed = Signal(object)
    """All the person's `Choices` about the revision on screen; answered by `show_page`."""
    edit_saved = Signal(str, str, bytes)
    """Plan id, an operation and the person's own version of its file."""
    save_requested = Signal(object)
    """`Choices` to save as the next revision, which is reviewed again before approval."""
    commented = Signal(str, object, object, str)
    """Plan id, operation id or None for the plan text, a `CommentSpot` and the text; answered by `set_comments`."""
    comment_edited = Signal(str, str, str)
    """Plan id, comment id and the new text."""
    comment_removed = Signal(str, str)
    open_requested = Signal(str, int)
    """A path and a line to open in the editor."""
    cancel_requested = Signal(str)
    abandon_requested = Signal()
    """Cancel a draft that is not a plan yet."""
    revision_requested = Signal(str, int)
    restore_requested = Signal(str, int)
    hosts_allowed = Signal(str, object, bool)
    """Hosts the plan's agent was refused; whether they are allowed from now on, or this once."""
    compare_requested = Signal(str, int, int)
    pair_requested = Signal(str, int, int, str)
    """Plan id, two revisions to compare, and the plan of the earlier one; answered in the compare sheet."""
    branch_requested = Signal(str, int)
    """Plan id and the revision an alternative is to begin with."""
    plan_requested = Signal(str)
    """Show another plan, such as an alternative."""
    rebase_requested = Signal(str)
    """Rebase the plan onto the current files."""
    include_requested = Signal(str, str, object)
    """Plan id, a glob of ignored files that are to be part of it, and the person's `Choices`, which are saved first."""
    command_added = Signal(str, str, str, object)
    """Plan id, a command and its folder, to be run for real, and the person's `Choices`, which are saved first."""
    merge_requested = Signal(str, str)
    """Plan id and a drifted path to merge."""
    stop_requested = Signal()
    rated = Signal(str, int)
    """Plan id and rating from 1 to 5."""
    settle_requested = Signal()
    viewed_changed = Signal(str, object)
    """Plan id and a mark for each viewed operation, to be kept and handed to `set_viewed`; told when the person
    marked one."""
    followed = Signal(object)
    """The plan's `PlanStateMachine`, whenever what is allowed may have changed."""
    _is_showing = False
    """True while a page is shown; changes then are not the user's."""
    _tab_before = ""
    """The tab to return to once a plan is loaded."""

    def __init__(
        self,
        theme: Theme,
        contents: DiffSource,
        *,
        workspace: str,
        now: Callable[[], datetime],
        parent: QWidget | None = None,
    ) -> None:
        for _ in self._make(theme, contents, workspace, now, parent):
            pass

    @classmethod
    def in_steps(
        cls, theme: Theme, contents: DiffSource, *, workspace: str, now: Callable[[], datetime]
    ) -> "Generator[None, None, ExecutionPlanPanel]":
        """Make a panel in steps, between which the window that opens can handle its input."""
        made = cls.__new__(cls)
        yield from made._make(theme, contents, workspace, now, None)
        return made

    def _make(
        self,
        theme: Theme,
        contents: DiffSource,
        workspace: str,
        now: Callable[[], datetime],
        parent: QWidget | None,
    ) -> Iterator[None]:
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
        yield
        self.text = PlanTextTab(theme)
        self.perspectives = PerspectivesView(theme)
        self.runs = RunsTab(theme, now, self._progress_list())
        self.work = TaskProgressModel(self)
        self.tasks = TaskSidebar(theme, self.work)
        self.graph = GraphTab(theme, self.work)
        self.footer = PlanFooter(theme)
        yield
        self.rehearsals = RehearsalController(
            self.model, self.footer, self.operations.rehearsal, self.chooser, now, self
        )
        self.checks = ChecksController(self.header.checks, self.model, self)
        self.sheets = PlanSheets(self, theme, contents, workspace, now)
        yield
        self._editing = Editing(self.sheets.edit, self.chooser, contents.load, self)
        self._add_tabs()
        self.remarks = Remarks(self.model, self.operations.list, self.text, self)
        self.history = ReviewHistory(self.chooser, self.model, self.remarks, lambda: self.is_waiting, self)
        self._follower = ProgressFollower(
            self, self.model, self.header, self.tabs, self.operations, self.runs, self.footer
        )
        layout = QVBoxLayout(self)
        Spacing(theme, layout, between=4)
        layout.addWidget(self.header)
        layout.addWidget(self.tabs, 1)
        layout.addWidget(self.footer)
        self._page: PlanPage | None = None
        self._runs: tuple[ListedRun, ...] = ()
        self.alternatives: tuple[PlanSummary, ...] = ()
        """The plans that are alternatives to the one on screen."""
        self._refusal = ""
        self._obstacle = ""
        self._marks = ViewedMarks()
        self._since = ChangedSinceViewed()
        self._compared: tuple[int, Comparison] | None = None
        """The earlier revision that the one on screen is compared with."""
        self.machine = PlanStateMachine()
        self._steps = PlanSteps(self, self._editing, now)
        self._connect()
        self.show_nothing()

    def _progress_list(self) -> OperationList:
        """The operations of a run, with their progress."""
        progress = OperationList(self.model, self._theme, self._content)
        progress.setObjectName("run-progress")
        progress.setAccessibleName(tr("Progress of the run"))
        progress.set_editable(False)
        return progress

    def _add_tabs(self) -> None:
        for key, words, widget in (
            ("operations", tr("Operations"), self.operations),
            ("tasks", tr("Tasks"), self.tasks),
            ("graph", tr("Graph"), self.graph),
            ("plan-text", tr("Plan text"), self.text),
            ("perspectives", tr("Perspectives"), self.perspectives),
            ("runs", tr("Runs"), self.runs),
        ):
            self.tabs.add(key, words, widget)

    def _content(self, row: OperationRow) -> OperationContent:
        diff = RowDiff(row.view, self._theme, self._contents) if RowDiff.suits(row.view) else None
        if diff is not None:
            diff.single_letters = self.operations.list.single_letters
        part, operation = None, row.operation
        if operation.command_call is not None:
            part = RehearsedPart(self._theme, self._content)
            part.record_requested.connect(lambda: self.rehearsals.record((operation.id,)))
        return OperationContent(row, self._theme, diff, part)

    def show_nothing(self, why: Emptiness = Emptiness.NO_PLAN, about: str = "") -> None:
        """No plan is open; `about` is the title of one that is being loaded."""
        self._keep_unfinished(None)
        self._page = None
        self.operations.list.set_editable(False)
        self.machine = PlanStateMachine(PlanState.DRAFTING if why is Emptiness.DRAFTING else PlanState.IDLE)
        self.model.clear()
        self.operations.say_why_empty(why, about)
        self.operations.show_banners(())
        self.operations.ran.show_commands((), may_add=False)
        self.operations.ignored.show_ignored(None, may_include=False)
        self.operations.attention.show_views(())
        self.operations.show_focus(None)
        self.operations.result.hide()
        self.header.show_running(False)
        self.header.setVisible(why is Emptiness.DRAFTING)
        self.runs.show_progress(False)
        self.rehearsals.show_page(None)
        self.checks.show_page(None)
        self.work.clear()
        self.perspectives.show_perspectives(None)
        tab = self.tabs.current
        self._offer_tabs()
        if why is not Emptiness.LOADING:
            self._tab_before = ""
        elif self.tabs.current != tab:
            self._tab_before = tab
        self._follow()

    def show_drafting(self, title: str) -> None:
        """Show a draft; operations arrive through `show_progress`."""
        self.show_nothing(Emptiness.DRAFTING)
        self._follower.begin_draft(title)
        words = tr("The agent is drafting. Read along; deciding comes when it has finished.")
        self.operations.show_banners((page_text.BannerText("info", words),))
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
        self.history.begin(page.version.plan_id, page.version.revision)
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
        if before is None or before.version != page.version:
            self.operations.show_focus(None)
        is_same_version = before is not None and before.version == page.version
        if not is_same_version:
            self._compared = None
        opened = self.model.expanded if is_same_version else ()
        self._show_operations(page, known=before.views if same_plan and before else ())
        for operation_id in opened:  # keep what the user just edited expanded
            self.model.set_expanded(operation_id, True)
        self._show_changes(page, viewed=())
        self._is_showing = False
        self.header.show()
        self.header.show_running(page.meta.status in (PlanStatus.EXECUTING, PlanStatus.PAUSED))
        self.header.show_page(page)
        self._follower.show_page(page)
        self.work.show_page(page, self._follower.live_results(page))
        is_decided_here = page.meta.status in page_text.OPEN and page.version.revision == page.meta.revision
        self.text.show_version(page.version, page.choices.text, editable=is_decided_here)
        self.operations.ran.show_commands(page.version.ran, may_add=is_decided_here)
        self.operations.ignored.show_ignored(page.version.ignored, may_include=is_decided_here)
        self.perspectives.show_perspectives(page.version.perspectives)
        self._offer_tabs()
        self._return_to_tab()
        self.operations.attention.show_views(page.views if page.meta.status in page_text.OPEN else ())
        self.operations.result.show_result(page, self._run_of(page))
        self.machine = PlanStateMachine.restore(page.meta)
        if self.machine.state is PlanState.AWAITING_APPROVAL:
            self.machine.send(UserReviewing())
        self._refusal = page_text.approval_refusal(page)
        self.rehearsals.show_page(page)
        self.checks.show_page(page)
        self._follow()
        self._steps.go_on_with(page)

    def show_focus(self, page: PlanPage, focus: PlanFocus) -> None:
        """What of the page on screen matters; ignored when another is shown by now."""
        if self._page is not None and self._page.version == page.version:
            self.operations.show_focus(focus)

    def show_runs(self, runs: tuple[ListedRun, ...], titles: dict[str, str] | None = None) -> None:
        self._runs = runs
        self.runs.show_runs(runs, titles)
        self._offer_tabs()
        if self._page is not None:
            self.operations.result.show_result(self._page, self._run_of(self._page))

    def show_drift(self, drifted: tuple[Drifted, ...]) -> None:
        """Update the drift of the page."""
        if self._page is not None and drifted != self._page.drifted:
            self.show_page(replace(self._page, drifted=drifted))
            if drifted:
                self.sheets.approval.expire()
                announce(self, self._refusal)

    def show_comparison(self, earlier: int, comparison: Comparison) -> None:
        """Mark differences from an earlier revision until another revision is shown or the user closes it."""
        if self._page is not None:
            self._compared = (earlier, comparison)
            self._show_changes(self._page, self.model.viewed)
            self.tabs.show_tab("operations")

    def leave_comparison(self) -> None:
        """Mark what changed since the user looked, as before the comparison."""
        self._compared = None
        if self._page is not None:
            self._show_changes(self._page, self.model.viewed)

    def _show_changes(self, page: PlanPage, viewed: Collection[OperationId]) -> None:
        """Mark rows and show banners: against the compared revision, otherwise since the user looked."""
        banners = tuple(page_text.banners(page, self._now()))
        if self._compared is None:
            self.model.set_changes(self._since.marks(viewed))
            self.operations.filter.show_compared(None)
        else:
            earlier, comparison = self._compared
            self.model.set_changes(page_text.changes_by_operation(comparison))
            self.operations.filter.show_compared(earlier)
            banners = (page_text.comparison_banner(earlier, comparison), *banners)
        self.operations.show_banners(banners)

    def show_progress(self, event: TandemEvent) -> None:
        """Follow the draft or run of the shown plan; other events are ignored."""
        plan_id = self._page.version.plan_id if self._page is not None else None
        self.rehearsals.follow(event)
        self.checks.follow(event)
        self.work.follow(event)
        if self.perspectives.follow(event) and isinstance(event, PlanningStarted):
            self._offer_tabs()
            self.tabs.show_tab("perspectives")
        if self._follower.follow(event, plan_id, is_drafting=self.machine.state is PlanState.DRAFTING):
            self.machine = PlanStateMachine(PlanState.EXECUTING)
            self._follow()
        elif isinstance(event, RunPaused | RunResumed) and self.machine.state in RUNNING:
            # A workspace has one run at a time, so it is that of this plan.
            self.machine = PlanStateMachine(RUNNING[isinstance(event, RunPaused)])
            self._follow()
        elif isinstance(event, PlanRejected) and event.plan_id == plan_id:
            # Immediately: a plan in rework must not be approved while its page reloads.
            self.machine = PlanStateMachine(state_of(event.status))
            self._follow()

    def show_undo(
        self, taking: UndoRequest, undoing: UndoPlan, runs: tuple[str, ...] = (), *, has_changed: bool = False
    ) -> None:
        self.sheets.undo.ask(taking, undoing, runs, has_changed=has_changed)

    def show_interrupted(self, run: InterruptedRun, plan_title: str) -> None:
        self.sheets.show_interrupted(run, plan_title)

    def show_alternatives(self, plans: tuple[PlanSummary, ...]) -> None:
        """Of the plan on screen."""
        self.alternatives = plans
        self.header.show_alternatives(plans)

    def set_comments(self, comments: Comments) -> None:
        """The unsent comments on the plan."""
        if self._page is None or self._page.version.plan_id != comments.plan_id:
            return
        self.remarks.show(comments.drafts)
        self._follow()

    def set_viewed(self, marks: tuple[str, ...]) -> None:
        """Restore viewed marks from `viewed_changed`; marks of changed operations are ignored."""
        self._is_showing = True
        self.model.set_viewed(self._marks.fitting(self.model.views(), marks))
        self._is_showing = False

    @property
    def looked(self) -> Looked | None:
        """What was viewed of the latest revision, to be stored for `resume_looking`."""
        page = self._page
        if page is None or page.version.revision != page.meta.revision:
            return None
        return self._since.looked(page.version.revision, self.model.viewed)

    def resume_looking(self, looked: Looked) -> None:
        """Mark what changed since it was viewed, from the stored state."""
        if self._page is not None and self._page.version.revision == looked.revision:
            self._since.resume(looked)
            self._show_changes(self._page, self.model.viewed)

    def forget_contents(self) -> None:
        """Drop pending comparisons when the window closes."""
        for listed in self.findChildren(OperationList):
            listed.contents.forget()

    def set_single_letters(self, allowed: bool) -> None:
        self.operations.list.single_letters = self.runs.list.single_letters = allowed
        self.sheets.compare.diff.single_letters = allowed
        self.sheets.merge.set_single_letters(allowed)

    def show_tasks(self) -> None:
        """Show the tasks tab and focus it."""
        self.tabs.show_tab("tasks")
        self.tasks.take_keyboard()

    def show_graph(self) -> None:
        """Show the graph tab and focus it."""
        self.tabs.show_tab("graph")
        self.graph.take_keyboard()

    @property
    def page(self) -> PlanPage | None:
        return self._page

    @property
    def is_waiting(self) -> bool:
        """Whether the latest revision of a plan is on screen and nothing has been done about it yet."""
        page = self._page
        if page is None or page.meta.status not in page_text.OPEN:
            return False
        return page.version.revision == page.meta.revision and self.machine.state is not PlanState.EXECUTING

    @property
    def refusal(self) -> str:
        """Why the plan cannot be implemented although its state would allow it."""
        return self._obstacle or self._refusal

    def set_obstacle(self, words: str) -> None:
        """Why nothing can be written to the workspace now; empty if it can."""
        if words != self._obstacle:
            self._obstacle = words
            if words:
                self.sheets.approval.expire()
            self._follow()

    @property
    def failed_operation(self) -> StagedOperation | None:
        """The operation at which the run of this plan failed, while it is still part of the plan."""
        page = self._page
        if page is None or page.meta.status is not PlanStatus.FAILED:
            return None
        failed = next((each.id for each in page.results if each.status is ResultStatus.FAILED), None)
        return next((each for each in page.version.operations if each.id == failed), None)

    @property
    def comments(self) -> tuple[Comment, ...]:
        """The comments a rework would send."""
        return self.remarks.drafts

    def request(self, kind: EventKind) -> None:
        """Handle a button or key; important steps are confirmed in a sheet."""
        self._steps.request(kind)

    def _follow_reading(self) -> None:
        reading, filters = self._contents.preferences, self.operations.filter
        filters.space_requested.connect(lambda: reading.update(replace(reading.options, ignores_space=False)))
        reading.changed.connect(lambda options: filters.show_ignored_space(options.ignores_space))

    def _connect(self) -> None:
        operations, header, sheets = self.operations.list, self.header, self.sheets
        operations.dropped_changed.connect(self.chooser.set_dropped)
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
        self._follow_reading()
        self.operations.banner_requested.connect(self._steps.banner)
        self.operations.ran.add_requested.connect(
            lambda *command: self.with_plan(self.command_added, *command, self.chooser.choices)
        )
        self.operations.ignored.include_requested.connect(
            lambda glob: self.with_plan(self.include_requested, glob, self.chooser.choices)
        )
        self.operations.result.view_requested.connect(lambda: self.tabs.show_tab("runs"))
        self.operations.result.rated.connect(lambda rating: self.with_plan(self.rated, rating))
        self.runs.view_requested.connect(self._view_run)
        self.runs.settle_requested.connect(self.settle_requested)
        header.revision_chosen.connect(lambda number: self.with_plan(self.revision_requested, number))
        header.compare_requested.connect(lambda old, new: self.with_plan(self.compare_requested, old, new))
        header.compare_any_requested.connect(lambda: self._steps.banner("compare"))
        header.restore_requested.connect(lambda number: self.with_plan(self.restore_requested, number))
        header.branch_requested.connect(lambda number: self.with_plan(self.branch_requested, number))
        header.plan_requested.connect(self.plan_requested)
        header.checks.path_requested.connect(self._show_path)
        sheets.compare.pair_chosen.connect(lambda *pair: self.with_plan(self.pair_requested, *pair))
        sheets.compare.restore_requested.connect(lambda number: self.with_plan(self.restore_requested, number))
        header.stop_requested.connect(self.stop_requested)
        self.footer.buttons.requested.connect(self.request)
        self.footer.buttons.tasks_requested.connect(self.show_tasks)
        self.footer.buttons.rest_requested.connect(self._steps.implement_the_rest)
        self.rehearsals.save_requested.connect(self.save_requested)
        self.rehearsals.restore_requested.connect(self.restore_requested)
        self.model.viewed_changed.connect(self._viewed)
        for keys, step in (("undo-step", self.history.undo), ("redo-step", self.history.redo)):
            for key in keys_of(keys):
                shortcut = QShortcut(QKeySequence(key), self.operations)
                shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
                shortcut.activated.connect(step)
        sheets.approval.rework_requested.connect(lambda: self.request(EventKind.REQUEST_REVISION))
        sheets.approval.show_requested.connect(self._show_operation)
        self.tasks.operation_requested.connect(self._show_operation)
        self.graph.operation_requested.connect(self._show_operation)
        self.tasks.order_accepted.connect(self.chooser.reorder)
        self.tasks.operations_requested.connect(lambda: self.tabs.show_tab("operations"))
        self.work.changed.connect(self._offer_tabs)

    def _keep_unfinished(self, following: PlanPage | None) -> None:
        """Store unfinished comments as drafts before another plan is shown."""
        page = self._page
        if page is not None and (following is None or following.version.plan_id != page.version.plan_id):
            self.operations.list.contents.keep_unfinished()
            self.text.keep_unfinished()

    def with_plan(self, signal: object, *values: object) -> None:
        """Emit one of the panel's signals about the plan on screen."""
        if self._page is not None:
            signal.emit(self._page.version.plan_id, *values)  # type: ignore[attr-defined]

    def _show_operations(self, page: PlanPage, known: tuple[OperationView, ...]) -> None:
        status = page.meta.status
        reviewed = status in page_text.OPEN
        drift = page_text.drift_by_operation(page.views, page.drifted) if reviewed else {}
        ran = status in page_text.RAN or bool(page.results)
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
                if view.operation.id not in before and page_text.opens_by_itself(view, page):
                    self.model.set_expanded(view.operation.id, True)
        self.operations.list.set_editable(reviewed and page.version.revision == page.meta.revision)

    def _run_of(self, page: PlanPage) -> ListedRun | None:
        return next((run for run in self._runs if run.record.run_id == page.meta.execution_session), None)

    def _viewed(self) -> None:
        viewed = self.model.viewed
        self.history.note_viewed(is_step=not self._is_showing)
        if self._page is not None and not self.model.running:
            self.header.show_viewed(self.model.rows_viewed, self.model.rows_in_all)
            if not self._is_showing:
                self._since.marks(viewed)
                self.viewed_changed.emit(self._page.version.plan_id, self._marks.of(self.model.views(), viewed))
        else:
            self.header.show_viewed(0, 0)

    def _offer_tabs(self) -> None:
        """Only the tabs that have something to show."""
        operations = self._page.version.operations if self._page is not None else ()
        has_tasks = bool(self.work.tasks)
        self.tabs.count("tasks", len(self.work.tasks))
        self.tabs.offer("tasks", has_tasks)
        self.tabs.offer("graph", has_tasks or any(each.blocked_by for each in operations))
        self.tabs.offer("plan-text", self._page is not None and not self.text.is_empty)
        self.tabs.offer("perspectives", self.perspectives.has_content)
        self.tabs.offer("runs", self.runs.has_content)

    def _return_to_tab(self) -> None:
        """Show the tab that was open before the plan was loaded, unless another was chosen meanwhile."""
        if self.tabs.current == "operations":
            self.tabs.show_tab(self._tab_before)
        self._tab_before = ""

    def _view_run(self, plan_id: str, revision: int) -> None:
        self.tabs.show_tab("operations")
        self.revision_requested.emit(plan_id, revision)

    def _show_operation(self, operation_id: OperationId) -> None:
        self.tabs.show_tab("operations")
        self.operations.jump(operation_id)

    def _show_path(self, path: str) -> None:
        """Show the last operation on a path, if the plan has one."""
        operations = self._page.version.operations if self._page is not None else ()
        for operation in reversed(operations):
            if path in (operation.to, operation.path):
                self._show_operation(operation.id)
                return

    def _follow(self) -> None:
        page = self._page
        self._refusal = self._refusal if page is not None else ""
        self.footer.follow(
            self.machine,
            refusal=self.refusal if page is not None else "",
            operations=self.model.total,
            comments=len(self.comments),
            tasks=len(page.tasks) if page is not None else 0,
            failed=self.failed_operation,
        )
        self.footer.setVisible(page is not None or self.machine.can(EventKind.CANCEL))
        self.followed.emit(self.machine)
