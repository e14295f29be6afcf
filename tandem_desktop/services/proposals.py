"""Creates plans and revisions from JSON, patches and choices."""

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from tandem_desktop.approval.audit_log import AuditLog
from tandem_desktop.approval.enforcer import ApprovalEnforcer
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import StepRefusedError, UnknownToolError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import PlanProposed
from tandem_desktop.domain.ids import PlanId, SessionId, new_plan_id, new_session_id
from tandem_desktop.domain.lifecycle import check
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.paths import ROOT
from tandem_desktop.domain.plan import Note, Origin, PlanVersion
from tandem_desktop.domain.state_machine import PlanUpdated
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.policy.tools import ToolCounts
from tandem_desktop.review.choices import Choices, Drop, choose
from tandem_desktop.staging.patch_steps import plan_from_patch
from tandem_desktop.staging.plan_json import parse_plan
from tandem_desktop.staging.requests import QueuedCommand
from tandem_desktop.staging.segments import first_free_number, queued_operation
from tandem_desktop.staging.simulate import Problem, simulate_operations, simulate_steps
from tandem_desktop.staging.steps import PlanInput, checked_command, with_plan_md
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.paths import Locations
from tandem_desktop.storage.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Drafted:
    """A revision that is not saved yet; None if it would be empty or a dependency is missing."""

    version: PlanVersion | None
    contents: tuple[bytes, ...]
    problems: tuple[Problem, ...]


class PlanRevised(Frozen):
    """The audit entry of a new revision."""

    plan_id: PlanId
    revision: int
    parent_revision: int | None
    origin: Origin
    digest: str
    operations: int


class Proposals:
    """Make revisions. Nothing here touches a file of the workspace outside `.tandem`."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        locations: Locations,
        objects: ObjectStore,
        plans: PlanStore,
        enforcer: ApprovalEnforcer,
        events: EventStream,
        clock: Callable[[], datetime],
        before_writing: Callable[[], None],
        gaps: ToolCounts,
        audit: AuditLog,
        plan_md: bool = False,
    ) -> None:
        self._workspace = workspace
        self._locations = locations
        self._objects = objects
        self._plans = plans
        self._enforcer = enforcer
        self._events = events
        self._clock = clock
        self._before_writing = before_writing
        self.gaps = gaps
        self._audit = audit
        self._plan_md = plan_md

    def propose(self, raw: bytes, session_id: SessionId | None = None) -> PlanVersion:
        """Plan JSON becomes a plan; a tool that is not known is noted.

        Raises:
            BadInputError: it cannot be understood.
            StepRefusedError: a step does not apply; no plan is made.
        """
        try:
            plan = parse_plan(raw)
        except UnknownToolError as refusal:
            self.gaps.note(refusal.tool)
            raise
        return self.make(plan, session_id)

    def make(
        self,
        plan: PlanInput,
        session_id: SessionId | None = None,
        *,
        planner: str = "",
        warnings: tuple[str, ...] = (),
        thoughts: tuple[Note, ...] = (),
    ) -> PlanVersion:
        """Make a plan of a plan input, with the given warnings and notes.

        Raises:
            StepRefusedError: a step does not apply; no plan is made.
        """
        self._before_writing()
        now = self._clock()
        simulation = simulate_steps(plan, self._workspace, now)
        _refuse_external(simulation.operations)
        self._locations.prepare_workspace()
        self._objects.put_all(simulation.contents.values())
        draft = PlanVersion(
            id=str(uuid.uuid4()),
            plan_id=new_plan_id(),
            session_id=session_id or new_session_id(),
            title=plan.title,
            content=_plan_text(plan),
            context=plan.context,
            operations=simulation.operations,
            tasks=plan.plan_tasks(),
            notes=(*thoughts, *simulation.notes),
            warnings=warnings,
            created_at=now,
        )
        draft = self.with_plan_md(draft)
        used = {operation.tool for operation in draft.operations}
        tools = tuple(sorted({step.tool for step in plan.steps} | used))
        return self._announced(self._plans.create_plan(draft, planner_model=planner, tools_required=tools))

    def review_patch(self, patch: bytes, title: str = "") -> PlanVersion:
        """A unified diff becomes a plan."""
        return self.make(plan_from_patch(patch, title=title))

    def drop(self, plan_id: PlanId, drops: Sequence[Drop]) -> PlanVersion:
        """The same plan without some operations or hunks, as the person's own revision."""
        self._before_writing()
        latest = self._plans.revision(plan_id)
        check(self._plans.meta(plan_id), PlanUpdated(revision=latest.revision + 1, origin=Origin.PERSON))
        chosen = choose(latest.operations, drops, self._objects)
        self._objects.put_all(chosen.contents)
        return self.rewrite(latest, chosen.operations, "Drop it as well.")

    def add_command(self, plan_id: PlanId, command: str, cwd: str = ROOT) -> PlanVersion:
        """The same plan with one more command at its end, as the person's own revision.

        Raises:
            StepRefusedError: it is no command that a plan can carry.
            InvalidTransitionError: the plan can no longer be changed.
        """
        self._before_writing()
        latest = self._plans.revision(plan_id)
        check(self._plans.meta(plan_id), PlanUpdated(revision=latest.revision + 1, origin=Origin.PERSON))
        number = first_free_number(latest.operations)
        queued = QueuedCommand(number=number, call=checked_command(command, cwd))
        operation = queued_operation(queued, number, self._clock()).model_copy(update={"description": ""})
        return self.rewrite(latest, (*latest.operations, operation), "Add another command.")

    def draft(self, base: PlanVersion, choices: Choices) -> Drafted:
        """What a person's choices would make of a revision; nothing is saved.

        Raises:
            UnknownOperationError: they name an operation or a hunk the revision does not have.
        """
        try:
            chosen = choose(choices.ordered(base.operations), choices.drops(), self._objects)
        except StepRefusedError as refusal:
            return Drafted(None, (), (Problem(refusal.step or "", refusal.message),))
        update = {
            "operations": chosen.operations,
            "content": base.content if choices.text is None else choices.text,
            "revision": base.revision + 1,
            "parent_revision": base.revision,
            "origin": Origin.PERSON,
        }
        problems = simulate_operations(chosen.operations, self._workspace)
        return Drafted(base.model_copy(update=update), chosen.contents, problems)

    def save(self, choices: Choices) -> PlanVersion:
        """A person's choices become the next revision.

        Raises:
            StepRefusedError: an operation would no longer apply; nothing was saved.
            StaleRevisionError: a newer revision exists.
        """
        self._before_writing()
        drafted = self.draft(self._plans.revision(choices.plan_id, choices.revision), choices)
        if drafted.version is None or drafted.problems:
            first = drafted.problems[0]
            raise StepRefusedError(first.reason, step=first.step, next="Change your choices, then try again.")
        self._objects.put_all(drafted.contents)
        return self._revise(drafted.version)

    def rewrite(self, latest: PlanVersion, operations: tuple[StagedOperation, ...], following: str) -> PlanVersion:
        """Other operations in the same plan, as the person's own revision; their bytes are stored already.

        Raises:
            StepRefusedError: one of them would not apply, and `following` says what to do; nothing was saved.
            StaleRevisionError: a newer revision exists.
        """
        self._before_writing()
        self._refuse_problems(operations, following)
        update = {"operations": operations, "parent_revision": latest.revision, "origin": Origin.PERSON}
        return self._revise(latest.model_copy(update=update))

    def restore(self, plan_id: PlanId, revision: int) -> PlanVersion:
        """An earlier revision, brought back as a new one."""
        self._before_writing()
        earlier = self._plans.revision(plan_id, revision)
        latest = self._plans.latest_revision(plan_id)
        return self._revise(earlier.model_copy(update={"parent_revision": latest, "origin": Origin.PERSON}))

    def branch(self, plan_id: PlanId, revision: int | None = None) -> PlanVersion:
        """An alternative to a revision, the latest when none is named: a plan of its own, with its own digest.

        Whatever has become of the plan it is branched from, that plan stays as it is.
        """
        self._before_writing()
        return self._announced(self._plans.branch(plan_id, revision))

    def stage(self, draft: PlanVersion, planner: str = "") -> PlanVersion:
        """What an agent did becomes a plan, or, with a parent, the next revision of it; the bytes are stored already.

        The record of the plan keeps the `planner`, the agent and its model.

        Raises:
            StaleRevisionError: a newer revision exists.
        """
        self._before_writing()
        self._locations.prepare_workspace()
        if draft.parent_revision is not None:
            return self._revise(draft, planner)
        return self._announced(self._plans.create_plan(draft, planner_model=planner))

    def with_plan_md(self, draft: PlanVersion) -> PlanVersion:
        """The draft with `PLAN.md` among its operations, where the settings ask for it."""
        if not self._plan_md:
            return draft
        found = with_plan_md(draft, self._workspace)
        self._objects.put_all(found.contents)
        return found.version

    def _refuse_problems(self, operations: tuple[StagedOperation, ...], following: str) -> None:
        problems = simulate_operations(operations, self._workspace)
        if problems:
            raise StepRefusedError(
                f"{problems[0].step} no longer applies: {problems[0].reason}", step=problems[0].step, next=following
            )

    def _revise(self, draft: PlanVersion, planner: str = "") -> PlanVersion:
        return self._announced(self._plans.create_revision(draft, planner_model=planner))

    def _announced(self, version: PlanVersion) -> PlanVersion:
        body = PlanRevised(
            plan_id=version.plan_id,
            revision=version.revision,
            parent_revision=version.parent_revision,
            origin=version.origin,
            digest=version.approval_hash,
            operations=len(version.operations),
        )
        self._audit.append("revised", self._clock(), body)
        self._events.publish(
            PlanProposed(
                plan_id=version.plan_id,
                revision=version.revision,
                digest=version.approval_hash,
                tasks=len(version.tasks),
            )
        )
        return version


def _plan_text(plan: PlanInput) -> str:
    """What the person reads before the operations."""
    parts = [f"# {plan.title}"]
    if plan.summary:
        parts.append(plan.summary)
    if plan.tasks:
        parts.append("\n".join(f"- {task.id}: {task.subject}" for task in plan.tasks))
    return "\n\n".join(parts) + "\n"


def _refuse_external(operations: Iterable[StagedOperation]) -> None:
    """Refuse a plan with external calls where no agent is there to make them."""
    call = next((each for each in operations if each.kind.spec.is_external), None)
    if call is not None:
        raise StepRefusedError(
            f"{call.id} calls {call.subject}, which only an agent can do, and no agent proposes this plan.",
            step=call.id,
            next="Let an agent propose it with plan_propose in a session, or write the step as a bash command.",
        )
