"""Builds the objects of the engine, each when it is first used.

A call of the command line needs few of the services, and their modules are most of what it would import.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tandem_desktop.services.engine import Engine
from tandem_desktop.storage.paths import Locations, default_state_directory, is_in_repository, workspace_path

if TYPE_CHECKING:
    from functools import cached_property as built_once

    from tandem_desktop.approval.audit_log import AuditLog
    from tandem_desktop.approval.enforcer import ApprovalEnforcer
    from tandem_desktop.approval.store import ApprovalStore
    from tandem_desktop.checks.runner import CheckRunner
    from tandem_desktop.domain.event_stream import EventStream
    from tandem_desktop.domain.events import TandemEvent
    from tandem_desktop.domain.ids import OperationId
    from tandem_desktop.domain.plan import PlanVersion
    from tandem_desktop.execution.captured_commands import BestCommands
    from tandem_desktop.execution.commands import ExternalCalls
    from tandem_desktop.execution.journal import JournalStore
    from tandem_desktop.execution.run_manager import ClearInBackground, RunManager
    from tandem_desktop.execution.run_store import RunStore
    from tandem_desktop.plans.index import PlanIndex
    from tandem_desktop.plans.store import PlanStore
    from tandem_desktop.policy.tools import ToolCounts
    from tandem_desktop.rehearsal.sandbox import RehearsalSandboxes
    from tandem_desktop.review.comments import CommentStore
    from tandem_desktop.services.audit import AuditCheck
    from tandem_desktop.services.checks import Checks
    from tandem_desktop.services.commits import Commits
    from tandem_desktop.services.decisions import Commenting, Decisions
    from tandem_desktop.services.expiry import Expiry, Staleness
    from tandem_desktop.services.needed import Needed
    from tandem_desktop.services.origins import LineOrigins
    from tandem_desktop.services.portability import Bundles, Templates
    from tandem_desktop.services.proposals import Proposals
    from tandem_desktop.services.rebases import Rebases
    from tandem_desktop.services.reflections import Reflections
    from tandem_desktop.services.rehearsals import Rehearsals
    from tandem_desktop.services.retention import Retention
    from tandem_desktop.services.runs import PlanRuns, RunTasks, TaskBoards
    from tandem_desktop.services.sharing import Sharing
    from tandem_desktop.services.team_policy import TeamPolicy
    from tandem_desktop.services.train import PlanTrain
    from tandem_desktop.settings import Settings
    from tandem_desktop.storage.clock import Since
    from tandem_desktop.storage.objects import ObjectStore
    from tandem_desktop.storage.workspace import Workspace

    Printing = Callable[[OperationId, bytes], None]
else:
    Built = TypeVar("Built")

    class built_once(Generic[Built]):  # noqa: N801 - a decorator
        """As `functools.cached_property`, and several threads never build the same object twice."""

        def __init__(self, build: Callable[[Any], Built]) -> None:
            self._build = build
            self._name = build.__name__

        def __get__(self, services: Any, owner: type) -> Any:
            if services is None:
                return self
            with services.building:
                if self._name not in vars(services):
                    vars(services)[self._name] = self._build(services)
                return vars(services)[self._name]


SERVICE_MODULES = tuple(
    f"tandem_desktop.{name}"
    for name in (
        *("approval.enforcer", "checks.runner", "checks.trees", "domain.events"),
        *("execution.captured_commands", "execution.executor", "execution.git_objects", "execution.recovery"),
        *("execution.undo", "policy.tools", "tasks.board"),
        *("rehearsal.rehearse", "review.change_classes", "review.drift", "review.mentions"),
        *("review.operation_view", "review.twins", "services.audit", "services.checks"),
        *("execution.git_commit", "services.commits", "services.origins", "services.signatures", "services.statements"),
        *("services.sharing", "services.team_policy", "services.train"),
        *(
            "services.decisions",
            "services.expiry",
            "services.generator",
            "services.lifecycle_actions",
            "services.needed",
        ),
        *("services.portability", "services.proposals", "services.rebases", "services.reflections"),
        *("services.rehearsals", "services.retention", "services.runs", "settings"),
        *(
            "staging.simulate",
            "storage.clock",
        ),
    )
)
"""What an engine that lives on needs, to be imported ahead on another thread."""


def build_engine(
    root: Path,
    *,
    state: Path | None = None,
    clock: Callable[[], datetime] | None = None,
    on_output: "Printing" = lambda operation, chunk: None,
    lives_on: bool = False,
    settings: "Settings | None" = None,
    gateway: bool = False,
) -> Engine:
    """The engine of the workspace at `root`.

    With `lives_on`, everything is built now, so that no click waits for it, and runs are cleared up after beside the
    caller.

    With `gateway`, plans made here are marked as made through a gateway, which expire sooner.
    """
    engine = Engine(
        _WorkspaceServices(
            root, state=state, clock=clock, on_output=on_output, lives_on=lives_on, settings=settings, gateway=gateway
        )
    )
    if lives_on:
        for name in Engine.__annotations__:
            getattr(engine, name)
    return engine


class _WorkspaceServices:
    """The services of one workspace by the names they have in `Engine`, and what they share."""

    def __init__(
        self,
        root: Path,
        *,
        state: Path | None,
        clock: Callable[[], datetime] | None,
        on_output: "Printing",
        lives_on: bool,
        settings: "Settings | None",
        gateway: bool,
    ) -> None:
        self.building = RLock()
        self._root = root
        self._injected_clock = clock
        self._on_output = on_output
        self._lives_on = lives_on
        self._given_settings = settings
        self._gateway = gateway
        self.clock = clock or (lambda: datetime.now(UTC))
        path = self.workspace.path if lives_on else workspace_path(root)
        self.locations = Locations(workspace=path, state=state or default_state_directory())
        self.locations.check()
        self.locations.prepare_state()

    def finish(self) -> None:
        if "_clearing" in vars(self):
            self._clearing.finish()

    def close(self) -> None:
        self.finish()
        if "workspace" in vars(self):
            self.workspace.close()

    @built_once
    def settings(self) -> "Settings":
        from tandem_desktop.settings import Settings

        return self._given_settings or Settings()

    @built_once
    def workspace(self) -> "Workspace":
        from tandem_desktop.storage.workspace import Workspace

        return Workspace(self._root)

    @built_once
    def objects(self) -> "ObjectStore":
        from tandem_desktop.storage.objects import ObjectStore

        return ObjectStore(self.locations.objects)

    @built_once
    def events(self) -> "EventStream":
        from tandem_desktop.domain.event_stream import EventStream

        events = EventStream()
        events.subscribe(self._tell_boards)
        return events

    def _tell_boards(self, event: "TandemEvent") -> None:
        """Only these two mean something for tasks; the boards are built for the first of them."""
        if event.type in ("plan_proposed", "run_finished"):
            self.boards.follow(event)

    @built_once
    def index(self) -> "PlanIndex":
        from tandem_desktop.plans.index import PlanIndex

        return PlanIndex(self.locations.plans, lambda plan_id: self.plans.fresh_meta(plan_id))

    @built_once
    def plans(self) -> "PlanStore":
        from tandem_desktop.plans.store import PlanStore
        from tandem_desktop.services.lifecycle_actions import PlanActions

        locations = self.locations
        actions = PlanActions(lambda plan_id: self._enforcer.revoke(plan_id, self.workspace.identity), self.events)
        return PlanStore(locations.plans, self.clock, locations.artifacts, actions, gateway=self._gateway)

    @built_once
    def _run_store(self) -> "RunStore":
        from tandem_desktop.execution.run_store import RunStore

        return RunStore(self.locations.runs)

    @built_once
    def _approvals(self) -> "ApprovalStore":
        from tandem_desktop.approval.store import ApprovalStore

        return ApprovalStore(self.locations.approvals)

    @built_once
    def audit(self) -> "AuditLog":
        from tandem_desktop.approval.audit_log import AuditLog

        return AuditLog(self.locations.audit, self._approvals.key)

    @built_once
    def audit_check(self) -> "AuditCheck":
        from tandem_desktop.services.audit import AuditCheck

        return AuditCheck(self.audit, self._approvals, self._run_store, self.locations)

    @built_once
    def _enforcer(self) -> "ApprovalEnforcer":
        from tandem_desktop.approval.enforcer import ApprovalEnforcer

        hours = timedelta(hours=self.settings.approval_hours)
        return ApprovalEnforcer(self._approvals, self.audit, self.clock, hours)

    @built_once
    def commands(self) -> "BestCommands":
        from tandem_desktop.execution.captured_commands import BestCommands

        budget = self.settings.command_budget_bytes
        return BestCommands(self.workspace, self.objects, self.locations.shadows, budget)

    @built_once
    def _since(self) -> "Since":
        # An injected clock is trusted; the system clock may be changed.
        if (clock := self._injected_clock) is not None:
            return lambda moment: clock() - moment
        from tandem_desktop.storage.clock import SteadyTime

        return SteadyTime(self.locations.steady_time).since

    @built_once
    def staleness(self) -> "Staleness":
        from tandem_desktop.services.expiry import Staleness, WaitingTimes

        given = self._given_settings
        if given is None:
            return Staleness(self._since, WaitingTimes())
        return Staleness(self._since, WaitingTimes(given.stale_after_days, given.gateway_stale_after_days))

    @built_once
    def expiry(self) -> "Expiry":
        from tandem_desktop.services.expiry import Expiry

        return Expiry(plans=self.plans, events=self.events, staleness=self.staleness)

    @built_once
    def _tasks(self) -> "RunTasks":
        from tandem_desktop.services.runs import RunTasks

        return RunTasks(self.clock)

    @built_once
    def _clearing(self) -> "ClearInBackground":
        from tandem_desktop.execution.run_manager import ClearInBackground

        return ClearInBackground()

    @built_once
    def _manager(self) -> "RunManager":
        """Where runs are opened; with `lives_on`, their output is announced too."""
        from tandem_desktop.execution.run_manager import RunManager, clear_now
        from tandem_desktop.services.runs import PlanRunCompletion, RunEvents

        news = RunEvents(self.events, self._tasks)

        def printed(operation: "OperationId", chunk: bytes) -> None:
            self._on_output(operation, chunk)
            news.printed(operation, chunk)

        return RunManager(
            workspace=self.workspace,
            locations=self.locations,
            objects=self.objects,
            runs=self._run_store,
            commands=self.commands,
            run_completion=PlanRunCompletion(self.plans, self._run_store, self._enforcer, self.events, self.clock),
            clock=self.clock,
            on_result=news.finished,
            on_output=printed if self._lives_on else self._on_output,
            on_start=news.started,
            clear=self._clearing if self._lives_on else clear_now,
        )

    @built_once
    def calls(self) -> "ExternalCalls":
        return self._manager.calls

    @built_once
    def runs(self) -> "PlanRuns":
        from tandem_desktop.services.runs import PlanRuns

        return PlanRuns(
            manager=self._manager,
            plans=self.plans,
            enforcer=self._enforcer,
            events=self.events,
            clock=self.clock,
            since=self._since,
            stalls_after=timedelta(minutes=self.settings.executor_timeout_minutes),
            tasks=self._tasks,
            refuse_without_team=self._refuse_without_team,
        )

    def _refuse_without_team(self, version: "PlanVersion") -> None:
        if is_in_repository(self.workspace.path):
            approval = self._enforcer.verify_approval(version.plan_id, version.revision, self.workspace.identity)
            self.team_policy.refuse_unless_met(version, approval)

    @built_once
    def sharing(self) -> "Sharing":
        from tandem_desktop.services.sharing import Sharing

        return Sharing(
            workspace=self.workspace,
            bundles=self.bundles,
            plans=self.plans,
            comments=self._comments,
            decisions=self.decisions,
            enforcer=self._enforcer,
            clock=self.clock,
        )

    @built_once
    def team_policy(self) -> "TeamPolicy":
        from tandem_desktop.services.team_policy import TeamPolicy

        return TeamPolicy(self.workspace.path, lambda version, approval: self.sharing.approvers(version, approval))

    @built_once
    def train(self) -> "PlanTrain":
        from tandem_desktop.services.train import PlanTrain

        return PlanTrain(
            workspace=self.workspace,
            objects=self.objects,
            plans=self.plans,
            enforcer=self._enforcer,
            decisions=self.decisions,
            rebases=self.rebases,
            runs=self.runs,
            checks=self.checks,
        )

    @built_once
    def commits(self) -> "Commits":
        from tandem_desktop.services.commits import Commits

        return Commits(
            root=self.workspace.path,
            runs=self.runs,
            plans=self.plans,
            objects=self.objects,
            audit=self.audit,
            clock=self.clock,
            co_author=self.settings.co_author,
        )

    @built_once
    def origins(self) -> "LineOrigins":
        from tandem_desktop.services.origins import LineOrigins

        return LineOrigins(self.workspace, self.runs, self.plans, self.objects, self.audit)

    @built_once
    def boards(self) -> "TaskBoards":
        from tandem_desktop.services.runs import TaskBoards

        return TaskBoards(self.plans, self.runs, self.events, self.clock, self._tasks)

    def _refuse_if_interrupted(self) -> None:
        """As `runs` does it, which is imported where a journal is open."""
        if self._journals.open_runs():
            self.runs.refuse_if_interrupted()

    @built_once
    def _journals(self) -> "JournalStore":
        from tandem_desktop.execution.journal import JournalStore

        return JournalStore(self.locations.journals, self.workspace.identity)

    @built_once
    def _comments(self) -> "CommentStore":
        from tandem_desktop.review.comments import CommentStore

        return CommentStore(self.locations.sessions)

    @built_once
    def commenting(self) -> "Commenting":
        from tandem_desktop.services.decisions import Commenting

        return Commenting(store=self._comments, plans=self.plans, objects=self.objects, clock=self.clock)

    @built_once
    def decisions(self) -> "Decisions":
        from tandem_desktop.services.decisions import Decisions

        return Decisions(
            workspace=self.workspace,
            objects=self.objects,
            plans=self.plans,
            enforcer=self._enforcer,
            events=self.events,
            clock=self.clock,
            before_writing=self._refuse_if_interrupted,
            expiry=self.expiry,
            comments=self.commenting,
        )

    @built_once
    def proposals(self) -> "Proposals":
        from tandem_desktop.policy.tools import ToolCounts
        from tandem_desktop.services.proposals import Proposals

        return Proposals(
            workspace=self.workspace,
            locations=self.locations,
            objects=self.objects,
            plans=self.plans,
            enforcer=self._enforcer,
            events=self.events,
            clock=self.clock,
            before_writing=self._refuse_if_interrupted,
            audit=self.audit,
            plan_md=self.settings.plan_md,
            gaps=ToolCounts(self.locations.tool_gaps / f"{self.workspace.identity.key}.jsonl"),
        )

    @built_once
    def guarded_calls(self) -> "ToolCounts":
        from tandem_desktop.policy.tools import ToolCounts

        return ToolCounts(self.locations.tool_gaps / f"{self.workspace.identity.key}.guarded.jsonl")

    @built_once
    def rebases(self) -> "Rebases":
        from tandem_desktop.services.rebases import Rebases

        return Rebases(self.workspace, self.objects, self.plans, self.proposals)

    @built_once
    def _sandboxes(self) -> "RehearsalSandboxes":
        from tandem_desktop.rehearsal.sandbox import RehearsalSandboxes

        return RehearsalSandboxes(self.workspace, self.locations, self.objects, self.settings.command_budget_bytes)

    @built_once
    def rehearsals(self) -> "Rehearsals":
        from tandem_desktop.rehearsal.rehearse import Rehearser
        from tandem_desktop.rehearsal.results import RehearsalStore
        from tandem_desktop.services.rehearsals import Rehearsals

        return Rehearsals(
            rehearser=Rehearser(self._sandboxes, self.objects, self.clock),
            store=RehearsalStore(self.locations.sessions),
            plans=self.plans,
            proposals=self.proposals,
            objects=self.objects,
            workspace=self.workspace,
            events=self.events,
            clock=self.clock,
            on_output=self._on_output,
        )

    @built_once
    def _check_runner(self) -> "CheckRunner":
        from tandem_desktop.checks.runner import CheckRunner, ResultStore

        return CheckRunner(self._sandboxes, ResultStore(self.locations.checks / "results"), self.workspace.path)

    @built_once
    def checks(self) -> "Checks":
        from tandem_desktop.checks.trees import TreeDigests
        from tandem_desktop.services.checks import AcceptedChecks, Checks

        folder, key = self.locations.checks, self.workspace.identity.key
        return Checks(
            workspace=self.workspace,
            runner=self._check_runner,
            trees=TreeDigests(self.workspace.path, folder / "digests" / f"{key}.json"),
            accepted=AcceptedChecks(self.locations.accepted_checks),
            plans=self.plans,
            objects=self.objects,
            events=self.events,
        )

    @built_once
    def needed(self) -> "Needed":
        from tandem_desktop.services.needed import Needed

        return Needed(
            checks=self.checks,
            runner=self._check_runner,
            plans=self.plans,
            objects=self.objects,
            proposals=self.proposals,
        )

    @built_once
    def reflections(self) -> "Reflections":
        from tandem_desktop.services.reflections import Adjusting, Reflections
        from tandem_desktop.services.reflector import PlanAdjuster

        return Reflections(
            plans=self.plans,
            runs=self._run_store,
            adjusting=Adjusting(
                tree=self.workspace,
                objects=self.objects,
                proposals=self.proposals,
                clock=self.clock,
                adjuster=PlanAdjuster(self.settings.max_generated_steps),
            ),
            audit=self.audit,
            events=self.events,
            clock=self.clock,
            max_cycles=self.settings.max_reflection_cycles,
        )

    @built_once
    def bundles(self) -> "Bundles":
        from tandem_desktop.services.portability import Bundles

        return Bundles(
            locations=self.locations,
            objects=self.objects,
            plans=self.plans,
            comments=self._comments,
            events=self.events,
            before_writing=self._refuse_if_interrupted,
        )

    @built_once
    def templates(self) -> "Templates":
        from tandem_desktop.services.portability import Templates

        return Templates(self.locations.templates, self.objects, self.plans, self.proposals)

    @built_once
    def retention(self) -> "Retention":
        from tandem_desktop.services.retention import Retention

        return Retention(
            locations=self.locations,
            plans=self.plans,
            manager=self._manager,
            objects=self.objects,
            clock=self.clock,
            kept_for=timedelta(days=self.settings.retention_days),
        )
