"""The engine of one workspace: all services in one object, and the actions of the plan lifecycle."""

import contextlib
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from tandem_desktop.approval.audit_log import AuditLog
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import PlanMoved
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.lifecycle import is_running
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import PlanMeta, PlanVersion
from tandem_desktop.domain.ports import AdvisorPort
from tandem_desktop.domain.state_machine import EventKind, PlanAction, TransitionStep
from tandem_desktop.domain.tasks import PlanTask
from tandem_desktop.execution.commands import CommandRunner, ExternalCalls, beside
from tandem_desktop.execution.git_objects import outside_git_directory
from tandem_desktop.plans.index import PlanListing
from tandem_desktop.plans.store import ActionPerformer, PlanStore
from tandem_desktop.policy.tools import ToolCounts
from tandem_desktop.review.drift import Drifted, dated, drift
from tandem_desktop.review.operation_view import OperationView, view_operation
from tandem_desktop.review.twins import twins
from tandem_desktop.services.audit import AuditCheck
from tandem_desktop.services.checks import Checks
from tandem_desktop.services.decisions import Commenting, Decisions, Expiry
from tandem_desktop.services.generator import PlanGenerator
from tandem_desktop.services.needed import Needed
from tandem_desktop.services.portability import Bundles, Templates
from tandem_desktop.services.proposals import Proposals
from tandem_desktop.services.rebases import Rebases
from tandem_desktop.services.reflections import Reflections
from tandem_desktop.services.rehearsals import Rehearsals
from tandem_desktop.services.retention import Retention
from tandem_desktop.services.runs import PlanRuns, TaskBoards
from tandem_desktop.settings import Settings
from tandem_desktop.staging.simulate import Problem, simulate_operations
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.paths import Locations
from tandem_desktop.storage.workspace import Workspace

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Engine:
    """All services of one workspace."""

    locations: Locations
    workspace: Workspace
    objects: ObjectStore
    plans: PlanStore
    proposals: Proposals
    rebases: Rebases
    decisions: Decisions
    commenting: Commenting
    bundles: Bundles
    templates: Templates
    expiry: Expiry
    retention: Retention
    runs: PlanRuns
    boards: TaskBoards
    rehearsals: Rehearsals
    checks: Checks
    needed: Needed
    reflections: Reflections
    audit: AuditLog
    audit_check: AuditCheck
    events: EventStream
    clock: Callable[[], datetime]
    commands: CommandRunner
    calls: ExternalCalls
    finish: Callable[[], None]
    """Wait for background work."""
    settings: Settings
    guarded_calls: ToolCounts
    """Calls of guarded tools: what the guard blocked, or would have blocked where it only logs."""

    def listing(self) -> PlanListing:
        """Every plan as it is now: a plan that waited too long is expired, a run that was cut off is stalled."""
        listing = self.plans.list()
        with contextlib.suppress(TandemError, OSError):  # what cannot be written now is recorded later
            expired = self.expiry.expire(listing.plans)
            if any(is_running(plan.status) for plan in listing.plans):
                self.runs.interrupted()
            elif not expired:
                return listing
        return self.plans.list()

    def meta(self, plan_id: PlanId) -> PlanMeta:
        """The record of one plan as it is now, as `listing` has it."""
        with contextlib.suppress(TandemError, OSError):
            self.expiry.settle(plan_id)
            self.runs.settle(plan_id)
        return self.plans.meta(plan_id)

    def view(self, version: PlanVersion) -> tuple[OperationView, ...]:
        """Every operation with its flags and hunks."""
        return tuple(self.views(version))

    def views(self, version: PlanVersion, most_bytes: int | None = None) -> Iterator[OperationView]:
        """The same one at a time; sides that have more than `most_bytes` together are not compared line by line."""
        has_commands = any(operation.is_run for operation in version.operations)
        captured = has_commands and self.commands_captured
        outside = outside_git_directory(self.workspace.path) if has_commands else None
        alike = twins(version.operations, self._children)
        for operation in version.operations:
            yield view_operation(
                operation,
                self.objects,
                commands_captured=captured,
                git_outside=outside,
                twin=alike.get(operation.id),
                most_bytes=most_bytes,
            )

    def _children(self, folder: str) -> tuple[str, ...]:
        """The names in a directory of the workspace; none where it cannot be read."""
        with contextlib.suppress(TandemError, OSError):
            return self.workspace.children(folder)
        return ()

    def beside(self, version: PlanVersion) -> dict[OperationId, tuple[OperationId, ...]]:
        """For each command that a run would start together with others, which ones."""
        return beside(version.operations, self.commands)

    def contents(self, operation: StagedOperation) -> tuple[bytes, bytes]:
        """The bytes before and after an operation, empty where there is no file."""
        before, after = (
            self.objects.read(state.sha256) if state.type == "file" else b""
            for state in (operation.base, operation.after)
        )
        return before, after

    def tasks(self, version: PlanVersion) -> tuple[PlanTask, ...]:
        """The tasks of a revision, with the status that follows from the results of their operations."""
        return self.boards.board(version).get_tasks()

    @property
    def commands_captured(self) -> bool:
        """Whether the effects of commands on the workspace can be undone here."""
        return self.commands.captures

    def generator(self, advisor: AdvisorPort) -> PlanGenerator:
        """The advisor may only read; its plans wait for approval."""
        most = self.settings.max_generated_steps
        return PlanGenerator(advisor, self.proposals, self.workspace, self.clock, max_steps=most)

    def drift(self, plan_id: PlanId) -> tuple[Drifted, ...]:
        """What changed on disk since the plan was made."""
        version = self.plans.revision(plan_id)
        return dated(drift(version.operations, self.workspace), self.workspace.times, version.created_at)

    def simulate(self, plan_id: PlanId) -> tuple[Problem, ...]:
        """Which operations would not apply to the workspace as it stands."""
        return simulate_operations(self.plans.revision(plan_id).operations, self.workspace)

    def close(self) -> None:
        self.finish()
        self.workspace.close()


class PlanActions(ActionPerformer):
    """Withdraws approvals, and publishes each step with its actions for the session and the window to perform."""

    def __init__(self, withdraw: Callable[[PlanId], None], events: EventStream) -> None:
        self._withdraw = withdraw
        self._events = events

    def before(self, meta: PlanMeta, step: TransitionStep) -> None:
        # Before the step is stored: a crash in between leaves a plan that has to be approved again.
        if PlanAction.REARM_APPROVAL in step.actions:
            self._withdraw(meta.plan_id)

    def after(self, meta: PlanMeta, kind: EventKind, step: TransitionStep) -> None:
        _log.info("plan %s: %s, state %s, status %s", meta.plan_id, kind, step.state, meta.status)
        self._events.publish(
            PlanMoved(
                plan_id=meta.plan_id,
                session_id=meta.session_id,
                event=kind,
                state=step.state,
                status=meta.status,
                actions=step.actions,
            )
        )
