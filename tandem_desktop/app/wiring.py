"""Builds all objects of the engine."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tandem_desktop.approval.audit_log import AuditLog
from tandem_desktop.approval.enforcer import ApprovalEnforcer
from tandem_desktop.approval.store import ApprovalStore
from tandem_desktop.checks.runner import CheckRunner, ResultStore
from tandem_desktop.checks.trees import TreeDigests
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.execution.captured_commands import BestCommands
from tandem_desktop.execution.executor import PlanExecutor
from tandem_desktop.execution.run_manager import ClearInBackground, RunManager, clear_now
from tandem_desktop.execution.run_store import RunStore
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.policy.tools import ToolCounts
from tandem_desktop.rehearsal.rehearse import Rehearser
from tandem_desktop.rehearsal.results import RehearsalStore
from tandem_desktop.rehearsal.sandbox import RehearsalSandboxes
from tandem_desktop.review.comments import CommentStore
from tandem_desktop.services.audit import AuditCheck
from tandem_desktop.services.checks import AcceptedChecks, Checks
from tandem_desktop.services.decisions import Commenting, Decisions, Expiry
from tandem_desktop.services.engine import Engine, PlanActions
from tandem_desktop.services.needed import Needed
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
    gateway: bool = False,
) -> Engine:
    """The engine of the workspace at `root`; with `lives_on`, runs are cleared up after beside the caller.

    With `gateway`, plans made here are marked as made through a gateway, which expire sooner.
    """
    shared = _shared(root, state, clock, settings or Settings(), gateway=gateway)
    clearing = ClearInBackground()
    tasks = RunTasks(shared.now)
    manager = _run_manager(shared, on_output, clearing if lives_on else None, tasks)
    runs = _runs(shared, manager, tasks)
    expiry = _expiry(shared)
    comments = CommentStore(shared.locations.sessions)
    commenting = Commenting(store=comments, plans=shared.plans, objects=shared.objects, clock=shared.now)
    decisions = _decisions(shared, runs, expiry, commenting)
    proposals = _proposals(shared, runs)
    sandboxes = RehearsalSandboxes(
        shared.workspace, shared.locations, shared.objects, shared.settings.command_budget_bytes
    )
    runner = CheckRunner(sandboxes, ResultStore(shared.locations.checks / "results"), shared.workspace.path)
    checks = _checks(shared, runner)
    return Engine(
        locations=shared.locations,
        workspace=shared.workspace,
        objects=shared.objects,
        plans=shared.plans,
        proposals=proposals,
        rebases=Rebases(shared.workspace, shared.objects, shared.plans, proposals),
        rehearsals=_rehearsals(shared, sandboxes, proposals, on_output),
        checks=checks,
        needed=Needed(checks=checks, runner=runner, plans=shared.plans, objects=shared.objects, proposals=proposals),
        reflections=_reflections(shared, proposals),
        decisions=decisions,
        commenting=commenting,
        bundles=_bundles(shared, runs, comments),
        templates=Templates(shared.locations.templates, shared.objects, shared.plans, proposals),
        expiry=expiry,
        retention=_retention(shared, manager),
        runs=runs,
        boards=TaskBoards(shared.plans, runs, shared.events, shared.now, tasks),
        audit=shared.audit,
        audit_check=AuditCheck(shared.audit, shared.approvals, shared.run_store, shared.locations),
        events=shared.events,
        clock=shared.now,
        commands=shared.commands,
        calls=manager.calls,
        finish=clearing.finish,
        settings=shared.settings,
        guarded_calls=ToolCounts(shared.locations.tool_gaps / f"{shared.workspace.identity.key}.guarded.jsonl"),
    )


@dataclass(frozen=True, slots=True)
class _Shared:
    """The objects that all parts of one engine share."""

    workspace: Workspace
    locations: Locations
    objects: ObjectStore
    plans: PlanStore
    run_store: RunStore
    approvals: ApprovalStore
    audit: AuditLog
    enforcer: ApprovalEnforcer
    commands: BestCommands
    events: EventStream
    now: Callable[[], datetime]
    since: Since
    settings: Settings


def _shared(
    root: Path, state: Path | None, clock: Callable[[], datetime] | None, settings: Settings, *, gateway: bool
) -> _Shared:
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
    return _Shared(
        workspace=workspace,
        locations=locations,
        objects=objects,
        plans=PlanStore(locations.plans, now, locations.artifacts, actions, gateway=gateway),
        run_store=RunStore(locations.runs),
        approvals=approvals,
        audit=audit,
        enforcer=enforcer,
        commands=BestCommands(workspace, objects, locations.shadows, settings.command_budget_bytes),
        events=events,
        now=now,
        # An injected clock is trusted; the system clock may be changed.
        since=(lambda moment: now() - moment) if clock else SteadyTime(locations.steady_time).since,
        settings=settings,
    )


def _run_manager(shared: _Shared, on_output: Printing, clear: ClearInBackground | None, tasks: RunTasks) -> RunManager:
    """Where runs are opened; with `clear`, their output is announced too."""
    news = RunEvents(shared.events, tasks)

    def printed(operation: OperationId, chunk: bytes) -> None:
        on_output(operation, chunk)
        news.printed(operation, chunk)

    return RunManager(
        workspace=shared.workspace,
        locations=shared.locations,
        objects=shared.objects,
        runs=shared.run_store,
        commands=shared.commands,
        run_completion=PlanRunCompletion(shared.plans, shared.run_store, shared.enforcer, shared.events, shared.now),
        clock=shared.now,
        on_result=news.finished,
        on_output=printed if clear else on_output,
        on_start=news.started,
        clear=clear or clear_now,
    )


def _runs(shared: _Shared, manager: RunManager, tasks: RunTasks) -> PlanRuns:
    return PlanRuns(
        manager=manager,
        plans=shared.plans,
        executor=PlanExecutor(manager, shared.enforcer),
        events=shared.events,
        clock=shared.now,
        since=shared.since,
        stalls_after=timedelta(minutes=shared.settings.executor_timeout_minutes),
        tasks=tasks,
    )


def _expiry(shared: _Shared) -> Expiry:
    return Expiry(
        plans=shared.plans,
        events=shared.events,
        since=shared.since,
        stale_after=timedelta(days=shared.settings.stale_after_days),
        gateway_stale_after=timedelta(days=shared.settings.gateway_stale_after_days),
    )


def _decisions(shared: _Shared, runs: PlanRuns, expiry: Expiry, comments: Commenting) -> Decisions:
    return Decisions(
        workspace=shared.workspace,
        objects=shared.objects,
        plans=shared.plans,
        enforcer=shared.enforcer,
        events=shared.events,
        clock=shared.now,
        before_writing=runs.refuse_if_interrupted,
        expiry=expiry,
        comments=comments,
    )


def _proposals(shared: _Shared, runs: PlanRuns) -> Proposals:
    return Proposals(
        workspace=shared.workspace,
        locations=shared.locations,
        objects=shared.objects,
        plans=shared.plans,
        enforcer=shared.enforcer,
        events=shared.events,
        clock=shared.now,
        before_writing=runs.refuse_if_interrupted,
        audit=shared.audit,
        plan_md=shared.settings.plan_md,
        gaps=ToolCounts(shared.locations.tool_gaps / f"{shared.workspace.identity.key}.jsonl"),
    )


def _rehearsals(
    shared: _Shared, sandboxes: RehearsalSandboxes, proposals: Proposals, on_output: Printing
) -> Rehearsals:
    return Rehearsals(
        rehearser=Rehearser(sandboxes, shared.objects, shared.now),
        store=RehearsalStore(shared.locations.sessions),
        plans=shared.plans,
        proposals=proposals,
        objects=shared.objects,
        workspace=shared.workspace,
        events=shared.events,
        clock=shared.now,
        on_output=on_output,
    )


def _checks(shared: _Shared, runner: CheckRunner) -> Checks:
    folder, key = shared.locations.checks, shared.workspace.identity.key
    return Checks(
        workspace=shared.workspace,
        runner=runner,
        trees=TreeDigests(shared.workspace.path, folder / "digests" / f"{key}.json"),
        accepted=AcceptedChecks(folder / "accepted.json"),
        plans=shared.plans,
        objects=shared.objects,
        events=shared.events,
    )


def _reflections(shared: _Shared, proposals: Proposals) -> Reflections:
    return Reflections(
        plans=shared.plans,
        runs=shared.run_store,
        adjusting=Adjusting(
            tree=shared.workspace,
            objects=shared.objects,
            proposals=proposals,
            clock=shared.now,
            adjuster=PlanAdjuster(shared.settings.max_generated_steps),
        ),
        audit=shared.audit,
        events=shared.events,
        clock=shared.now,
        max_cycles=shared.settings.max_reflection_cycles,
    )


def _bundles(shared: _Shared, runs: PlanRuns, comments: CommentStore) -> Bundles:
    return Bundles(
        locations=shared.locations,
        objects=shared.objects,
        plans=shared.plans,
        comments=comments,
        events=shared.events,
        before_writing=runs.refuse_if_interrupted,
    )


def _retention(shared: _Shared, manager: RunManager) -> Retention:
    return Retention(
        locations=shared.locations,
        plans=shared.plans,
        manager=manager,
        objects=shared.objects,
        clock=shared.now,
        kept_for=timedelta(days=shared.settings.retention_days),
    )
