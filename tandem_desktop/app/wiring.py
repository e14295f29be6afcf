"""Builds all objects of the engine."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tandem_desktop.approval.audit_log import AuditLog
from tandem_desktop.approval.enforcer import ApprovalEnforcer
from tandem_desktop.approval.store import ApprovalStore
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.execution.captured_commands import BestCommands
from tandem_desktop.execution.commands import ExternalCalls
from tandem_desktop.execution.executor import PlanExecutor
from tandem_desktop.execution.run_manager import ClearInBackground, RunManager, clear_now
from tandem_desktop.execution.run_store import RunStore
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.policy.tools import ToolCounts
from tandem_desktop.rehearsal.rehearse import Rehearser
from tandem_desktop.rehearsal.results import RehearsalStore
from tandem_desktop.rehearsal.sandbox import RehearsalSandboxes
from tandem_desktop.review.comments import CommentStore
from tandem_desktop.services.decisions import Commenting, Decisions, Expiry
from tandem_desktop.services.engine import Engine, PlanActions
from tandem_desktop.services.portability import Bundles, Templates
from tandem_desktop.services.proposals import Proposals
from tandem_desktop.services.rebases import Rebases
from tandem_desktop.services.reflections import Adjusting, Reflections
from tandem_desktop.services.reflector import PlanAdjuster
from tandem_desktop.services.rehearsals import Rehearsals
from tandem_desktop.services.retention import Retention
from tandem_desktop.services.runs import PlanRunCompletion, PlanRuns, RunEvents, RunTasks, TaskBoards
from tandem_desktop.settings import Settings
from tandem_desktop.storage.clock import Since, SteadyTime
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.paths import Locations, default_state_directory
from tandem_desktop.storage.workspace import Workspace

Printing = Callable[[OperationId, bytes], None]


def build_engine(
    root: Path,
    *,
    state: Path | None = None,
    clock: Callable[[], datetime] | None = None,
    on_output: Printing = lambda operation, chunk: None,
    lives_on: bool = False,
    settings: Settings | None = None,
) -> Engine:
    """The engine of the workspace at `root`; with `lives_on`, runs are cleared up after beside the caller."""
    ground = _ground(root, state, clock, settings or Settings())
    clearing = ClearInBackground()
    tasks = RunTasks(ground.now)
    manager = _run_manager(ground, on_output, clearing if lives_on else None, tasks)
    runs = _runs(ground, manager, tasks)
    expiry = _expiry(ground)
    comments = CommentStore(ground.locations.sessions)
    commenting = Commenting(store=comments, plans=ground.plans, objects=ground.objects, clock=ground.now)
    decisions = _decisions(ground, runs, expiry, commenting)
    proposals = _proposals(ground, runs)
    return Engine(
        locations=ground.locations,
        workspace=ground.workspace,
        objects=ground.objects,
        plans=ground.plans,
        proposals=proposals,
        rebases=Rebases(ground.workspace, ground.objects, ground.plans, proposals),
        rehearsals=_rehearsals(ground, proposals, on_output),
        reflections=_reflections(ground, proposals),
        decisions=decisions,
        commenting=commenting,
        bundles=_bundles(ground, runs, comments),
        templates=Templates(ground.locations.templates, ground.objects, ground.plans, proposals),
        expiry=expiry,
        retention=_retention(ground, manager),
        runs=runs,
        boards=TaskBoards(ground.plans, runs, ground.events, ground.now, tasks),
        audit=ground.audit,
        events=ground.events,
        clock=ground.now,
        commands=ground.commands,
        calls=manager.calls,
        finish=clearing.finish,
        settings=ground.settings,
        would_block=ToolCounts(ground.locations.tool_gaps / f"{ground.workspace.identity.key}.guarded.jsonl"),
    )


@dataclass(frozen=True, slots=True)
class _Ground:
    """The objects that all parts of one engine share."""

    workspace: Workspace
    locations: Locations
    objects: ObjectStore
    plans: PlanStore
    run_store: RunStore
    audit: AuditLog
    enforcer: ApprovalEnforcer
    commands: BestCommands
    events: EventStream
    now: Callable[[], datetime]
    since: Since
    settings: Settings


def _ground(root: Path, state: Path | None, clock: Callable[[], datetime] | None, settings: Settings) -> _Ground:
    now = clock or (lambda: datetime.now(UTC))
    workspace = Workspace(root)
    locations = Locations(workspace=workspace.path, state=state or default_state_directory())
    locations.check()
    locations.prepare_state()
    objects = ObjectStore(locations.objects)
    approvals = ApprovalStore(locations.approvals)
    audit = AuditLog(locations.audit, approvals.key)
    enforcer = ApprovalEnforcer(approvals, audit, now, timedelta(hours=settings.approval_hours))
    events = EventStream()
    actions = PlanActions(lambda plan_id: enforcer.revoke(plan_id, workspace.identity), events)
    return _Ground(
        workspace=workspace,
        locations=locations,
        objects=objects,
        plans=PlanStore(locations.plans, now, locations.artifacts, actions),
        run_store=RunStore(locations.runs),
        audit=audit,
        enforcer=enforcer,
        commands=BestCommands(workspace, objects, locations.shadows, settings.command_budget_bytes),
        events=events,
        now=now,
        # An injected clock is trusted; the system clock may be changed.
        since=(lambda moment: now() - moment) if clock else SteadyTime(locations.steady_time).since,
        settings=settings,
    )


def _run_manager(ground: _Ground, on_output: Printing, clear: ClearInBackground | None, tasks: RunTasks) -> RunManager:
    """Where runs are opened; with `clear`, their output is announced too."""
    news = RunEvents(ground.events, tasks)

    def printed(operation: OperationId, chunk: bytes) -> None:
        on_output(operation, chunk)
        news.printed(operation, chunk)

    return RunManager(
        workspace=ground.workspace,
        locations=ground.locations,
        objects=ground.objects,
        runs=ground.run_store,
        commands=ground.commands,
        calls=ExternalCalls(),
        run_completion=PlanRunCompletion(ground.plans, ground.run_store, ground.enforcer, ground.events, ground.now),
        clock=ground.now,
        on_result=news.finished,
        on_output=printed if clear else on_output,
        on_start=news.started,
        clear=clear or clear_now,
    )


def _runs(ground: _Ground, manager: RunManager, tasks: RunTasks) -> PlanRuns:
    return PlanRuns(
        manager=manager,
        plans=ground.plans,
        executor=PlanExecutor(manager, ground.enforcer),
        events=ground.events,
        clock=ground.now,
        since=ground.since,
        stalls_after=timedelta(minutes=ground.settings.executor_timeout_minutes),
        tasks=tasks,
    )


def _expiry(ground: _Ground) -> Expiry:
    return Expiry(
        plans=ground.plans,
        events=ground.events,
        since=ground.since,
        stale_after=timedelta(days=ground.settings.stale_after_days),
    )


def _decisions(ground: _Ground, runs: PlanRuns, expiry: Expiry, comments: Commenting) -> Decisions:
    return Decisions(
        workspace=ground.workspace,
        objects=ground.objects,
        plans=ground.plans,
        enforcer=ground.enforcer,
        events=ground.events,
        clock=ground.now,
        before_writing=runs.refuse_if_interrupted,
        expiry=expiry,
        comments=comments,
    )


def _proposals(ground: _Ground, runs: PlanRuns) -> Proposals:
    return Proposals(
        workspace=ground.workspace,
        locations=ground.locations,
        objects=ground.objects,
        plans=ground.plans,
        enforcer=ground.enforcer,
        events=ground.events,
        clock=ground.now,
        before_writing=runs.refuse_if_interrupted,
        audit=ground.audit,
        plan_md=ground.settings.plan_md,
        gaps=ToolCounts(ground.locations.tool_gaps / f"{ground.workspace.identity.key}.jsonl"),
    )


def _rehearsals(ground: _Ground, proposals: Proposals, on_output: Printing) -> Rehearsals:
    stages = RehearsalSandboxes(
        ground.workspace, ground.locations, ground.objects, ground.settings.command_budget_bytes
    )
    return Rehearsals(
        rehearser=Rehearser(stages, ground.objects, ground.now),
        store=RehearsalStore(ground.locations.sessions),
        plans=ground.plans,
        proposals=proposals,
        objects=ground.objects,
        events=ground.events,
        clock=ground.now,
        on_output=on_output,
    )


def _reflections(ground: _Ground, proposals: Proposals) -> Reflections:
    return Reflections(
        plans=ground.plans,
        runs=ground.run_store,
        adjusting=Adjusting(
            tree=ground.workspace,
            objects=ground.objects,
            proposals=proposals,
            clock=ground.now,
            adjuster=PlanAdjuster(ground.settings.max_generated_steps),
        ),
        audit=ground.audit,
        events=ground.events,
        clock=ground.now,
        max_cycles=ground.settings.max_reflection_cycles,
    )


def _bundles(ground: _Ground, runs: PlanRuns, comments: CommentStore) -> Bundles:
    return Bundles(
        locations=ground.locations,
        objects=ground.objects,
        plans=ground.plans,
        comments=comments,
        events=ground.events,
        before_writing=runs.refuse_if_interrupted,
    )


def _retention(ground: _Ground, manager: RunManager) -> Retention:
    return Retention(
        locations=ground.locations,
        plans=ground.plans,
        manager=manager,
        objects=ground.objects,
        clock=ground.now,
        kept_for=timedelta(days=ground.settings.retention_days),
    )
