"""Makes revisions from staged changes, and adopts existing plans."""

import contextlib
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import PlanMoved
from tandem_desktop.domain.ids import PlanId, SessionId, TaskId, new_plan_id
from tandem_desktop.domain.lifecycle import refuse_agent
from tandem_desktop.domain.network import NetworkReport
from tandem_desktop.domain.operations import (
    FileState,
    NodeState,
    OperationCall,
    PathChange,
    StagedOperation,
)
from tandem_desktop.domain.paths import shown
from tandem_desktop.domain.perspectives import Perspectives
from tandem_desktop.domain.plan import Origin, PlanVersion
from tandem_desktop.domain.plan_states import EventKind, PlanState, PlanStatus, has_ended
from tandem_desktop.domain.state_machine import Cancel, PlanEvent, PlanStateMachine, StageOperation, StartPlanning
from tandem_desktop.domain.tasks import PlanTask
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.policy import messages
from tandem_desktop.services.proposals import Proposals
from tandem_desktop.sessions.staging import SessionStaging
from tandem_desktop.shadow.workspace import ShadowWorkspace
from tandem_desktop.staging.changes import difference
from tandem_desktop.staging.requests import QueuedCommand
from tandem_desktop.staging.segments import Staged
from tandem_desktop.storage.objects import ObjectStore

_LONGEST_TITLE = 72
_MOST_NAMED = 50


@dataclass(slots=True)
class Presented:
    """The plan in the agent's own words, as far as it has told it."""

    title: str = ""
    markdown: str = ""
    tasks: tuple[PlanTask, ...] = ()
    perspectives: Perspectives | None = None
    task: TaskId | None = None
    """The task that is being planned: new operations belong to it, and the plan's text is fixed."""
    unfinished: str = ""
    """What is still to be planned; until then nothing can be approved."""


class Drafting:
    """Writes the revisions of one session. Works in a thread."""

    def __init__(
        self,
        session_id: SessionId,
        shadow: ShadowWorkspace,
        staging: SessionStaging,
        plans: PlanStore,
        proposals: Proposals,
        clock: Callable[[], datetime],
        planner: Callable[[], str],
        events: EventStream,
        network: Callable[[], NetworkReport],
        unanswered: Callable[[], tuple[str, ...]],
    ) -> None:
        self.presented = Presented()
        self._session_id = session_id
        self._shadow = shadow
        self._staging = staging
        self._plans = plans
        self._proposals = proposals
        self._clock = clock
        self._planner = planner
        self._events = events
        self._network = network
        self._unanswered = unanswered
        self._prepared: Presented | None = None
        self._draft = PlanStateMachine()
        """Of the plan that is drafted, until its first revision is stored."""
        self.left_out: tuple[str, ...] = ()
        """Warnings of the last look at the shadow that no revision carries."""

    @property
    def plan_id(self) -> PlanId | None:
        """The plan the session works on; none before the first and after the end of the last."""
        found = self._plans.plan_of(self._session_id)
        if found is None or has_ended(self._plans.meta(found).status):
            return None
        return found

    @property
    def ended_plan(self) -> PlanId | None:
        """The plan the session worked on last, when that has ended."""
        found = self._plans.plan_of(self._session_id)
        return found if self.plan_id is None else None

    @property
    def has_whole_plan(self) -> bool:
        """True if a plan is stored and nothing of it is still to be planned."""
        latest = self._latest()
        return latest is not None and not latest.incomplete

    def refuse_when_up_to_the_person(self) -> None:
        """Before the agent is told anything: nothing it did to the plan would be taken."""
        if (plan_id := self.plan_id) is not None:
            refuse_agent(self._plans.meta(plan_id))

    def prepare(self, presented: Presented) -> None:
        """Set the text and tasks found before the agent was started, for the current plan or the next."""
        self.presented = presented
        self._prepared = presented if self.plan_id is None else None

    @property
    def machine(self) -> PlanStateMachine:
        """Of the session's plan, or of the draft while nothing is stored."""
        plan_id = self.plan_id
        return self._draft if plan_id is None else PlanStateMachine.restore(self._plans.meta(plan_id))

    def start_planning(self, task: str) -> None:
        """Start the draft of a new plan, with a text of its own."""
        ended = self.ended_plan
        self._draft = PlanStateMachine() if ended is None else PlanStateMachine.restore(self._plans.meta(ended))
        self._send(StartPlanning(task=task))
        self.presented = self._prepared or Presented()
        self._prepared = None

    def add(self, operations: Iterable[StagedOperation]) -> None:
        """Operations were staged; those of a stored plan come with its next revision."""
        if self._draft.state is PlanState.DRAFTING:
            for operation in operations:
                self._draft.send(StageOperation(operation=operation))

    def cancel(self) -> None:
        """Give up the draft, if there is one."""
        if self._draft.can(EventKind.CANCEL):
            self._send(Cancel())

    def _send(self, event: PlanEvent) -> None:
        step = self._draft.send(event)
        self._events.publish(
            PlanMoved(
                plan_id=None,
                session_id=self._session_id,
                event=event.kind,
                state=step.state,
                status=self._draft.status,
                actions=step.actions,
            )
        )

    def propose(self, task: str, said: str, problem: str, origin: Origin, *, is_final: bool) -> PlanVersion | None:
        """The revision with everything staged; None if nothing was changed or presented.

        `is_final` says that the agent announced a plan, so that what it said is one even without operations.
        """
        staged = self._staging.staged()
        if is_final and not self.presented.markdown:
            self.presented.markdown = said
        version = self._proposed(task, said, problem, origin, staged)
        carried = version or self._newest()
        told = {self._staging.agent_warning, *(carried.warnings if carried is not None else ())}
        self.left_out = tuple(warning for warning in staged.warnings if warning not in told)
        return version

    def _proposed(self, task: str, said: str, problem: str, origin: Origin, staged: Staged) -> PlanVersion | None:
        latest = self._latest()
        if latest is not None and not problem and self._only_answered(latest, staged.operations):
            return latest
        text = self.presented.markdown or said
        if not staged.operations and not self.presented.markdown and latest is None:
            return None
        title = self.presented.title or (latest.title if latest else title_of(self._draft.context.task or task))
        changed = self._shadow.changed_on_disk()
        draft = PlanVersion(
            id=str(uuid.uuid4()),
            plan_id=latest.plan_id if latest else new_plan_id(),
            session_id=self._session_id,
            parent_revision=latest.revision if latest else None,
            origin=self._origin(latest, origin),
            title=title,
            content=f"# {title}\n\n{text}\n" if text else f"# {title}\n",
            operations=self._with_tasks(staged.operations, latest),
            tasks=self.presented.tasks or (latest.tasks if latest else ()),
            notes=staged.notes,
            warnings=(
                *staged.warnings,
                *self._unanswered(),
                *self._confinement_warning(),
                *_warnings_about(changed or ()),
            ),
            ran=staged.ran,
            confinement=self._shadow.confinement.description,
            changed_on_disk=changed,
            network=self._network(),
            incomplete=problem or self.presented.unfinished,
            perspectives=self.presented.perspectives or (latest.perspectives if latest else None),
            drifted=self._staging.drifted,
            ignored=self._shadow.ignored(),
            created_at=self._clock(),
        )
        draft = self._proposals.with_plan_md(draft)
        if latest is not None and self._is_same(latest, draft):
            return latest
        self._draft = PlanStateMachine()  # from here on the stored plan has its own machine
        return self._proposals.stage(draft, self._planner())

    def _origin(self, latest: PlanVersion | None, origin: Origin) -> Origin:
        """A revision after a rejection is a rework."""
        if latest is None:
            return Origin.AGENT
        return Origin.REWORK if self._plans.meta(latest.plan_id).status is PlanStatus.REJECTED else origin

    def _only_answered(self, latest: PlanVersion, operations: tuple[StagedOperation, ...]) -> bool:
        """Whether the turn left a proposed plan unchanged, so that it needs no new revision."""
        waits = self._plans.meta(latest.plan_id).status is PlanStatus.PROPOSED
        is_told = bool(self.presented.markdown or self.presented.unfinished or latest.incomplete)
        same = [each.effect() for each in operations] == [each.effect() for each in latest.operations]
        return waits and same and not is_told

    def _with_tasks(
        self, operations: tuple[StagedOperation, ...], latest: PlanVersion | None
    ) -> tuple[StagedOperation, ...]:
        """What was there before stays with its task; what is new belongs to the one that is being planned."""
        before = {_place(each): each.task for each in latest.operations} if latest else {}
        current = self.presented.task
        return tuple(
            each if each.task is not None else each.model_copy(update={"task": before.get(_place(each), current)})
            for each in operations
        )

    def _latest(self) -> PlanVersion | None:
        plan_id = self.plan_id
        return None if plan_id is None else self._plans.revision(plan_id)

    def _newest(self) -> PlanVersion | None:
        """The last revision of the session, whether its plan has ended or not."""
        plan_id = self._plans.plan_of(self._session_id)
        return None if plan_id is None else self._plans.revision(plan_id)

    def _is_same(self, latest: PlanVersion, draft: PlanVersion) -> bool:
        """Whether the waiting revision is identical."""
        waits = self._plans.meta(latest.plan_id).status is PlanStatus.PROPOSED
        same = ApprovalHash.of(draft.model_copy(update={"revision": latest.revision})) == ApprovalHash.of(latest)
        return waits and same and not draft.incomplete and not latest.incomplete

    def _confinement_warning(self) -> tuple[str, ...]:
        if self._shadow.confinement.confined:
            return ()
        return (f"The agent was {self._shadow.confinement.description}.",)


def _warnings_about(changed: tuple[str, ...]) -> Iterator[str]:
    """Each path that changed on disk while nothing held the agent back, as far as a person would read them."""
    for path in changed[:_MOST_NAMED]:
        yield f"{shown(path)} changed on disk during the turn; the agent was not confined and may have done it itself."
    if len(changed) > _MOST_NAMED:
        yield f"{len(changed) - _MOST_NAMED} more paths changed on disk during the turn."


def _place(operation: StagedOperation) -> OperationCall | tuple[str, ...]:
    """What an operation is known by from one revision to the next."""
    return operation.call or operation.paths


def title_of(task: str) -> str:
    """The first line of what was asked for, as far as it fits."""
    first = next((line.strip() for line in task.splitlines() if line.strip()), "Untitled")
    with contextlib.suppress(ValueError):
        if len(first) > _LONGEST_TITLE:
            return first[: first.rindex(" ", 0, _LONGEST_TITLE)] + " …"
    return first[: _LONGEST_TITLE + 2]


def take_over(version: PlanVersion, shadow: ShadowWorkspace, staging: SessionStaging, objects: ObjectStore) -> str:
    """Apply a revision in the shadow, its commands queued; the message says what was and was not applied.

    What changed on disk since is left out: the shadow begins with the disk, and the person's edit must not be undone
    unseen. Can be repeated after an interruption.
    """
    carried: list[StagedOperation] = []
    left: list[StagedOperation] = []
    for number, operation in enumerate(version.operations, start=1):
        if operation.call is not None:
            command = QueuedCommand(
                number=number, call=operation.call, tool=operation.tool, description=operation.description
            )
            staging.queue(command)
        elif all(_fits(change, shadow) for change in operation.changes()):
            for change in operation.changes():
                shadow.put(change.path, change.after, _bytes(change.after, objects))
        else:
            left.append(operation)
            continue
        carried.append(operation)
    staging.staged()  # what comes after the last command is part of the plan before the first turn
    return messages.taken_over(version.title, version.content, carried, left)


def _fits(change: PathChange, shadow: ShadowWorkspace) -> bool:
    found = shadow.state(change.path)
    return found == change.after or difference(change.before, found) is None


def _bytes(state: NodeState, objects: ObjectStore) -> bytes | None:
    return objects.read(state.sha256) if isinstance(state, FileState) else None
