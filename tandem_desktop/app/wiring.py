"""Build every object once and hand it to its neighbours; the only place that knows everyone."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tandem_desktop.approval.approval_enforcer import ApprovalEnforcer
from tandem_desktop.approval.approval_store import ApprovalStore
from tandem_desktop.approval.audit_log import AuditLog
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.events.stream import EventStream
from tandem_desktop.execution.captured_commands import BestCommands
from tandem_desktop.execution.clearing import ClearBeside, clear_now
from tandem_desktop.execution.plan_executor import PlanExecutor
from tandem_desktop.execution.run_desk import RunDesk
from tandem_desktop.execution.run_store import RunStore
from tandem_desktop.orchestration.adjusting import Adjusting
from tandem_desktop.orchestration.bundles import Bundles
from tandem_desktop.orchestration.commenting import Commenting
from tandem_desktop.orchestration.decisions import Decisions
from tandem_desktop.orchestration.engine import Engine
from tandem_desktop.orchestration.expiry import Expiry
from tandem_desktop.orchestration.paperwork import PlanPaperwork
from tandem_desktop.orchestration.plan_runs import PlanRuns
from tandem_desktop.orchestration.proposals import Proposals
from tandem_desktop.orchestration.rebases import Rebases
from tandem_desktop.orchestration.reflections import Reflections
from tandem_desktop.orchestration.rehearsals import Rehearsals
from tandem_desktop.orchestration.retention import Retention
from tandem_desktop.orchestration.run_news import RunNews
from tandem_desktop.orchestration.task_boards import TaskBoards
from tandem_desktop.orchestration.templates import Templates
from tandem_desktop.plans.plan_store import PlanStore
from tandem_desktop.plans.tool_gaps import ToolGaps
from tandem_desktop.reflection.plan_adjuster import PlanAdjuster
from tandem_desktop.rehearsal.rehearsal_store import RehearsalStore
from tandem_desktop.rehearsal.rehearse import Rehearser
from tandem_desktop.rehearsal.stage import Stages
from tandem_desktop.review.comment_store import CommentStore
from tandem_desktop.settings.settings import Settings
from tandem_desktop.storage.locations import Locations, default_state_directory
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace


def build_engine(
    root: Path,
    *,
    state: Path | None = None,
    clock: Callable[[], datetime] | None = None,
    on_output: Callable[[OperationId, bytes], None] = lambda operation, chunk: None,
    lives_on: bool = False,
    settings: Settings | None = None,
) -> Engine:
    """The engine of the workspace at `root`; with `lives_on`, runs are cleared up after beside the caller."""
    now = clock or (lambda: datetime.now(UTC))
    chosen = settings or Settings()
    workspace = Workspace(root)
    locations = Locations(workspace=workspace.path, state=state or default_state_directory())
    locations.check()
    locations.prepare_state()
    objects = ObjectStore(locations.objects)
    events = EventStream()
    plans = PlanStore(locations.plans, now, locations.artifacts)
    store = ApprovalStore(locations.approvals)
    audit = AuditLog(locations.audit, store.key)
    enforcer = ApprovalEnforcer(store, audit, now, timedelta(hours=chosen.approval_hours))
    commands = BestCommands(workspace, objects, locations.shadows, chosen.command_budget_bytes)

    run_store = RunStore(locations.runs)
    clearing = ClearBeside()

    news = RunNews(events)

    def printed(operation: OperationId, chunk: bytes) -> None:
        on_output(operation, chunk)
        news.printed(operation, chunk)

    desk = RunDesk(
        workspace=workspace,
        locations=locations,
        objects=objects,
        commands=commands,
        paperwork=PlanPaperwork(plans, run_store, enforcer, events, now),
        clock=now,
        on_result=news.finished,
        on_output=printed if lives_on else on_output,
        on_start=news.started if lives_on else lambda run_id, operation, is_command: None,
        clear=clearing if lives_on else clear_now,
    )
    runs = PlanRuns(
        desk=desk,
        plans=plans,
        executor=PlanExecutor(desk, enforcer),
        events=events,
        clock=now,
        stalls_after=timedelta(minutes=chosen.executor_timeout_minutes),
    )
    expiry = Expiry(
        workspace=workspace,
        plans=plans,
        enforcer=enforcer,
        events=events,
        clock=now,
        stale_after=timedelta(days=chosen.stale_after_days),
    )
    decisions = Decisions(
        workspace=workspace,
        objects=objects,
        plans=plans,
        enforcer=enforcer,
        events=events,
        clock=now,
        before_writing=runs.refuse_if_interrupted,
        expiry=expiry,
    )
    proposals = Proposals(
        workspace=workspace,
        locations=locations,
        objects=objects,
        plans=plans,
        enforcer=enforcer,
        events=events,
        clock=now,
        before_writing=runs.refuse_if_interrupted,
        audit=audit,
        plan_md=chosen.plan_md,
        gaps=ToolGaps(locations.tool_gaps / f"{workspace.identity.key}.jsonl"),
    )
    comments = CommentStore(locations.sessions)
    stages = Stages(workspace, locations, objects, chosen.command_budget_bytes)
    return Engine(
        locations=locations,
        workspace=workspace,
        objects=objects,
        plans=plans,
        proposals=proposals,
        rebases=Rebases(workspace, objects, plans, proposals),
        rehearsals=Rehearsals(
            rehearser=Rehearser(stages, objects, now),
            store=RehearsalStore(locations.sessions),
            plans=plans,
            proposals=proposals,
            objects=objects,
            events=events,
            clock=now,
            on_output=on_output,
        ),
        reflections=Reflections(
            plans=plans,
            runs=run_store,
            adjusting=Adjusting(
                tree=workspace,
                objects=objects,
                proposals=proposals,
                clock=now,
                adjuster=PlanAdjuster(chosen.max_generated_steps),
            ),
            audit=audit,
            events=events,
            clock=now,
            max_cycles=chosen.max_reflection_cycles,
        ),
        decisions=decisions,
        commenting=Commenting(store=comments, plans=plans, objects=objects, decisions=decisions, clock=now),
        bundles=Bundles(
            locations=locations,
            objects=objects,
            plans=plans,
            comments=comments,
            events=events,
            before_writing=runs.refuse_if_interrupted,
        ),
        templates=Templates(locations.templates, objects, plans, proposals),
        expiry=expiry,
        retention=Retention(
            locations=locations,
            plans=plans,
            desk=desk,
            objects=objects,
            clock=now,
            kept_for=timedelta(days=chosen.retention_days),
        ),
        runs=runs,
        boards=TaskBoards(plans, runs, events, now),
        audit=audit,
        events=events,
        clock=now,
        commands=commands,
        finish=clearing.finish,
        settings=chosen,
    )
