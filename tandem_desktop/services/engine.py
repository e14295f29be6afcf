"""The engine of one workspace: all services in one object."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Protocol

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.plan_states import is_open, is_running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from tandem_desktop.approval.audit_log import AuditLog
    from tandem_desktop.checks.evidence import Evidence
    from tandem_desktop.domain.event_stream import EventStream
    from tandem_desktop.domain.ids import OperationId, PlanId
    from tandem_desktop.domain.operations import StagedOperation
    from tandem_desktop.domain.plan import PlanMeta, PlanVersion
    from tandem_desktop.domain.ports import AdvisorPort
    from tandem_desktop.domain.tasks import PlanTask
    from tandem_desktop.execution.commands import CommandRunner, ExternalCalls
    from tandem_desktop.plans.index import PlanIndex, PlanListing, PlanSummary
    from tandem_desktop.plans.store import PlanStore
    from tandem_desktop.policy.tools import ToolCounts
    from tandem_desktop.rehearsal.results import Rehearsal
    from tandem_desktop.review.change_classes import ChangeProver
    from tandem_desktop.review.drift import Drifted
    from tandem_desktop.review.operation_view import OperationView
    from tandem_desktop.review.overlaps import Overlap
    from tandem_desktop.services.audit import AuditCheck
    from tandem_desktop.services.checks import Checks
    from tandem_desktop.services.commits import Commits
    from tandem_desktop.services.decisions import Commenting, Decisions
    from tandem_desktop.services.expiry import Expiry, Staleness
    from tandem_desktop.services.generator import PlanGenerator
    from tandem_desktop.services.needed import Needed
    from tandem_desktop.services.origins import LineOrigins
    from tandem_desktop.services.portability import Bundles, Templates
    from tandem_desktop.services.proposals import Proposals
    from tandem_desktop.services.rebases import Rebases
    from tandem_desktop.services.reflections import Reflections
    from tandem_desktop.services.rehearsals import Rehearsals
    from tandem_desktop.services.retention import Retention
    from tandem_desktop.services.runs import PlanRuns, TaskBoards
    from tandem_desktop.services.sharing import Sharing
    from tandem_desktop.services.team_policy import TeamPolicy
    from tandem_desktop.services.train import PlanTrain
    from tandem_desktop.settings import Settings
    from tandem_desktop.staging.simulate import Problem
    from tandem_desktop.storage.objects import ObjectStore
    from tandem_desktop.storage.paths import Locations
    from tandem_desktop.storage.workspace import Workspace


class Services(Protocol):
    """Has a service, built on first use, under each name of `Engine`."""

    def finish(self) -> None: ...

    def close(self) -> None: ...


class Engine:
    """All services of one workspace. They are built, and their modules imported, when they are first used."""

    locations: Locations
    workspace: Workspace
    objects: ObjectStore
    index: PlanIndex
    plans: PlanStore
    proposals: Proposals
    rebases: Rebases
    decisions: Decisions
    commenting: Commenting
    bundles: Bundles
    templates: Templates
    staleness: Staleness
    expiry: Expiry
    retention: Retention
    runs: PlanRuns
    commits: Commits
    sharing: Sharing
    team_policy: TeamPolicy
    train: PlanTrain
    origins: LineOrigins
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
    settings: Settings
    guarded_calls: ToolCounts
    """Calls of guarded tools: what the guard blocked, or would have blocked where it only logs."""

    def __init__(self, services: Services) -> None:
        self._services = services

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            if name not in Engine.__annotations__:
                raise AttributeError(name)
            service = vars(self)[name] = getattr(self._services, name)
            return service

    def listing(self) -> PlanListing:
        """Every plan as it is now: a plan that waited too long is expired, a run that was cut off is stalled."""
        listing = self.index.listing()
        with contextlib.suppress(TandemError, OSError):  # what cannot be written now is recorded later
            expired = any(map(self.staleness.of, listing.plans)) and self.expiry.expire(listing.plans)
            if any(is_running(plan.status) for plan in listing.plans):
                self.runs.interrupted()
            elif not expired:
                return listing
        return self.index.listing()

    def edited_pages(self, plans: Sequence[PlanSummary]) -> dict[PlanId, Path]:
        """Pages that a person edited, of those of the plans that still wait for a decision."""
        from tandem_desktop.plans.pages import edited_page

        def found(plan: PlanSummary) -> Path | None:
            folder = self.locations.plans / plan.plan_id
            return edited_page(folder, plan.revision, lambda: self.plans.page(plan.plan_id, plan.revision))

        pages = {plan.plan_id: found(plan) for plan in plans if is_open(plan.status)}
        return {plan_id: page for plan_id, page in pages.items() if page is not None}

    def meta(self, plan_id: PlanId) -> PlanMeta:
        """The record of one plan as it is now, as `listing` has it."""
        with contextlib.suppress(TandemError, OSError):
            self.expiry.settle(plan_id)
            found = self.plans.meta(plan_id)
            if is_running(found.status) or found.execution_session is not None:  # no other plan has a run to settle
                self.runs.settle(plan_id)
        return self.plans.meta(plan_id)

    def view(self, version: PlanVersion) -> tuple[OperationView, ...]:
        """Every operation with its flags and hunks."""
        return tuple(self.views(version))

    def views(self, version: PlanVersion, most_bytes: int | None = None) -> Iterator[OperationView]:
        """The same one at a time; sides that have more than `most_bytes` together are not compared line by line."""
        from tandem_desktop.review.operation_view import view_operation
        from tandem_desktop.review.twins import twins

        has_commands = any(operation.is_run for operation in version.operations)
        captured = has_commands and self.commands_captured
        outside = self._outside_git_directory() if has_commands else None
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

    def _outside_git_directory(self) -> Path | None:
        from tandem_desktop.execution.git_objects import outside_git_directory

        return outside_git_directory(self.workspace.path)

    def _children(self, folder: str) -> tuple[str, ...]:
        """The names in a directory of the workspace; none where it cannot be read."""
        with contextlib.suppress(TandemError, OSError):
            return self.workspace.children(folder)
        return ()

    def beside(self, version: PlanVersion) -> dict[OperationId, tuple[OperationId, ...]]:
        """For each command that a run would start together with others, which ones."""
        if sum(operation.is_run for operation in version.operations) < 2:
            return {}
        from tandem_desktop.execution.commands import beside

        return beside(version.operations, self.commands)

    def contents(self, operation: StagedOperation) -> tuple[bytes, bytes]:
        """The bytes before and after an operation, empty where there is no file."""
        before, after = (
            self.objects.read(state.sha256) if state.type == "file" else b""
            for state in (operation.base, operation.after)
        )
        return before, after

    def evidence(self, version: PlanVersion) -> Evidence | None:
        """What checks are known to say about a revision; a list that cannot be read says nothing here."""
        if not self.locations.accepted_checks.exists():  # no list was ever let run
            return None
        with contextlib.suppress(TandemError, OSError):
            return self.checks.kept(version)
        return None

    def rehearsal(self, version: PlanVersion) -> Rehearsal | None:
        """What the last whole rehearsal of exactly this revision found."""
        is_there = self.locations.rehearsal(version.session_id).exists()
        return self.rehearsals.kept(version) if is_there else None

    def change_prover(self) -> ChangeProver:
        """Proves what of a plan is mechanical, with a look into the other files for names that have another one."""
        from functools import partial

        from tandem_desktop.review.change_classes import ChangeProver, ProofStore
        from tandem_desktop.review.mentions import words_elsewhere

        store = ProofStore(self.locations.proofs)
        return ChangeProver(self.contents, mentions=partial(words_elsewhere, self.workspace), store=store)

    def tasks(self, version: PlanVersion) -> tuple[PlanTask, ...]:
        """The tasks of a revision, with the status that follows from the results of their operations."""
        return self.boards.board(version).get_tasks()

    @property
    def commands_captured(self) -> bool:
        """Whether the effects of commands on the workspace can be undone here."""
        return self.commands.captures

    def generator(self, advisor: AdvisorPort) -> PlanGenerator:
        """The advisor may only read; its plans wait for approval."""
        from tandem_desktop.services.generator import PlanGenerator

        most = self.settings.max_generated_steps
        return PlanGenerator(advisor, self.proposals, self.workspace, self.clock, max_steps=most)

    def drift(self, plan_id: PlanId) -> tuple[Drifted, ...]:
        """What changed on disk since the plan was made."""
        from tandem_desktop.review.drift import dated, drift

        version = self.plans.revision(plan_id)
        return dated(drift(version.operations, self.workspace), self.workspace.times, version.created_at)

    def overlaps(self, of: frozenset[PlanId] = frozenset()) -> tuple[Overlap, ...]:
        """Plans to be decided that change the same paths, oldest first; with `of`, pairs with one of these."""
        from tandem_desktop.review.overlaps import overlaps

        plans = [plan for plan in self.listing().plans if is_open(plan.status) or plan.plan_id in of]
        versions = [self.plans.revision(plan.plan_id) for plan in reversed(plans)]
        self.workspace.forget_directories()
        return tuple(overlaps(versions, self.workspace, self.objects, of))

    def simulate(self, plan_id: PlanId) -> tuple[Problem, ...]:
        """Which operations would not apply to the workspace as it stands."""
        from tandem_desktop.staging.simulate import simulate_operations

        return simulate_operations(self.plans.revision(plan_id).operations, self.workspace)

    def finish(self) -> None:
        """Wait for background work."""
        self._services.finish()

    def close(self) -> None:
        self._services.close()
