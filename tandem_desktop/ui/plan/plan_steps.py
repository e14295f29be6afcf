"""What a person asks of a plan: every step that counts is asked again in a sheet before it is passed on."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.plan import Origin
from tandem_desktop.domain.plan_events import EventKind
from tandem_desktop.domain.state_machine import PlanState
from tandem_desktop.orchestration.plan_pages import PlanPage
from tandem_desktop.plans.plan_index import summary_of
from tandem_desktop.review.coverage import coverage
from tandem_desktop.ui.plan import plan_page_facts
from tandem_desktop.ui.plan.editing import Editing

if TYPE_CHECKING:
    from tandem_desktop.ui.plan.execution_plan_panel import ExecutionPlanPanel

RUNNING = (PlanState.EXECUTING, PlanState.PAUSED)


class PlanSteps:
    """The steps that belong to one panel. It asks and passes on; it carries nothing out."""

    def __init__(self, panel: "ExecutionPlanPanel", editing: Editing, now: Callable[[], datetime]) -> None:
        self._panel = panel
        self._editing = editing
        self._now = now
        self._to_approve: tuple[PlanId, int] | None = None
        """The plan and revision the person asked to implement, while their choices are being saved as it."""

    def go_on_with(self, page: PlanPage) -> None:
        """The revision that was waited for is on screen: ask about exactly that."""
        if self._to_approve == (page.version.plan_id, page.version.revision):
            self._to_approve = None
            if page.version.origin is Origin.PERSON:  # not one of an agent that came first
                self.request(EventKind.APPROVE)

    def request(self, kind: EventKind) -> None:
        """What a button or key asks for; every step that counts is asked again in a sheet."""
        panel, page = self._panel, self._panel.page
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
            not_viewed = panel.model.total - len(panel.model.viewed)
            shown = coverage(page.version, panel.operations.list.seen.all)
            panel.sheets.approval.ask(page, comments=len(panel.comments), not_viewed=not_viewed, coverage=shown)
        elif kind is EventKind.REQUEST_REVISION:
            panel.sheets.rework.ask(page, panel.comments)
        elif kind is EventKind.CANCEL:
            panel.sheets.ask_to_cancel(lambda: panel.cancel_requested.emit(page.version.plan_id))

    def clear(self) -> None:
        panel, page = self._panel, self._panel.page
        if page is not None:
            panel.sheets.ask_to_clear(len(page.views), lambda: panel.clear_requested.emit(page.version.plan_id))

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
            case "rework":
                self.request(EventKind.REQUEST_REVISION)
            case "merge" if paths := plan_page_facts.drifted_paths(page):
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
                panel.model.set_changes(panel.since.marks(panel.model.viewed))
                panel.operations.show_banners(plan_page_facts.banners(page, self._now()))
            case "keep-all":
                panel.chooser.keep_everything()
            case "settle":
                panel.settle_requested.emit()

    def _compare(self, page: PlanPage, earlier: tuple[PlanId, int]) -> None:
        self._panel.sheets.compare.ask(
            summary_of(page.meta),
            earlier,
            page.version.revision,
            may_restore=page.meta.status in plan_page_facts.OPEN,
            alternatives=self._panel.alternatives,
        )

    def merge(self, operation: str) -> None:
        """Look at the drifted path an operation rests on."""
        panel, page = self._panel, self._panel.page
        paths = plan_page_facts.drifted_paths(page, OperationId(operation)) if page is not None else ()
        if paths:
            panel.with_plan(panel.merge_requested, paths[0])

    def edit(self, operation: str) -> None:
        if self._panel.page is not None:
            self._editing.begin(self._panel.page, OperationId(operation))
