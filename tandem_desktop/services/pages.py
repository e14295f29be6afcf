"""Collects everything the window shows about a revision."""

import logging
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from tandem_desktop.diff.hunks import hunks
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.events import OperationStaged, TandemEvent
from tandem_desktop.domain.ids import OperationId, PlanId, SessionId
from tandem_desktop.domain.operations import FileState, NodeState, StagedOperation
from tandem_desktop.domain.plan import PlanMeta, PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus, is_open, is_running
from tandem_desktop.domain.runs import OperationResult
from tandem_desktop.domain.tasks import PlanTask
from tandem_desktop.review.change_classes import MANY, ChangeProver, Proved
from tandem_desktop.review.choices import Choices, ChoiceStore
from tandem_desktop.review.compare import Comparison, Interdiff, compare, interdiff
from tandem_desktop.review.conflicts import Resolution
from tandem_desktop.review.drift import Drifted, dated, drift
from tandem_desktop.review.operation_view import OperationView, Totals, view_operation
from tandem_desktop.review.ranking import Rank, ranks
from tandem_desktop.review.rebase import Rebased
from tandem_desktop.review.scope import asked_for
from tandem_desktop.review.viewed import Looked
from tandem_desktop.services.engine import Engine
from tandem_desktop.services.rebases import ThreeSides
from tandem_desktop.staging.changes import Difference
from tandem_desktop.staging.simulate import Problem

_COUNTED_BYTES = 1_000_000
"""Lines of larger drifted files are not counted, to keep the page fast."""


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PlanDraft:
    """A person's choices about the page, and the revision they would become."""

    choices: Choices
    digest: str
    """What would be approved; empty where the choices cannot become a revision."""
    views: tuple[OperationView, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class PlanPage:
    """All a person sees of one revision. The totals are computed once, off the UI thread."""

    version: PlanVersion
    meta: PlanMeta
    digest: str
    views: tuple[OperationView, ...]
    """Every operation of the revision, in the order the person wants; what was dropped is among them."""
    tasks: tuple[PlanTask, ...]
    results: tuple[OperationResult, ...]
    drifted: tuple[Drifted, ...]
    draft: PlanDraft | None = None
    beside: Mapping[OperationId, tuple[OperationId, ...]] = field(default_factory=dict)
    """Commands of the revision that a run starts together, each with the others."""
    edited_page: str = ""
    """The Markdown page of the revision where a person has edited it; empty where none has."""
    is_read_only: bool = False
    """Whether nothing can be written in the workspace."""

    @cached_property
    def choices(self) -> Choices:
        if self.draft is not None:
            return self.draft.choices
        return Choices(plan_id=self.version.plan_id, revision=self.version.revision)

    @property
    def left(self) -> tuple[OperationView, ...]:
        """What would be done, with the person's choices."""
        return self.draft.views if self.draft is not None else self.views

    @cached_property
    def sums(self) -> Totals:
        return Totals.of(self.views)

    @cached_property
    def sums_left(self) -> Totals:
        return Totals.of(self.left) if self.draft is not None else self.sums

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every path that is named."""
        return tuple(path for view in self.views for path in view.operation.paths)

    def summed_up(self) -> "PlanPage":
        """The same page with its cached values computed, so that the window does not wait for them."""
        _ = self.sums_left, self.paths
        return self


@dataclass(frozen=True, slots=True)
class PlanFocus:
    """What of a revision matters to a reader."""

    proved: Proved
    ranks: Mapping[OperationId, Rank]
    asked: frozenset[OperationId] | None
    """What the task asked for; None where its words do not tell."""


class StagedProofs:
    """Proves what agents stage while they work, once it is so much that a plan would wait for it."""

    def __init__(self, engine: Engine, prover: ChangeProver) -> None:
        self._engine = engine
        self._prover = prover
        self._lock = threading.Lock()
        self._waiting: dict[tuple[SessionId, OperationId], StagedOperation] = {}
        self._is_proving = False
        engine.events.subscribe(self._hear)

    @property
    def waiting(self) -> int:
        """How many operations are not proved ahead yet."""
        return len(self._waiting)

    def _hear(self, event: TandemEvent) -> None:
        if isinstance(event, OperationStaged):
            operation = event.operation
            if isinstance(operation.base, FileState) and isinstance(operation.after, FileState):
                with self._lock:
                    self._waiting[event.session_id, operation.id] = operation
                    begins = len(self._waiting) >= MANY and not self._is_proving
                    self._is_proving |= begins
                if begins:
                    threading.Thread(target=self._prove, name="proofs", daemon=True).start()

    def _prove(self) -> None:
        while operations := self._taken():
            try:
                self._prover.prepare([*self._views(operations)])
            except (TandemError, OSError) as error:
                _log.info("nothing is proved ahead: %s", error)

    def _views(self, operations: Iterable[StagedOperation]) -> Iterator[OperationView]:
        for operation in operations:
            yield view_operation(operation, self._engine.objects, commands_captured=self._engine.commands_captured)

    def _taken(self) -> tuple[StagedOperation, ...]:
        """What waits, if it is enough to begin; a later state of an operation has replaced an earlier one."""
        with self._lock:
            if len(self._waiting) < MANY:
                self._is_proving = False
                return ()
            taken, self._waiting = tuple(self._waiting.values()), {}
            return taken


class PlanPages:
    """Reads stores and the disk; writes nothing but the person's choices."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._choices = ChoiceStore(engine.locations.sessions)
        self._looking = threading.Lock()
        self._prover = engine.change_prover()
        self._staged = StagedProofs(engine, self._prover)
        self._looked_at: tuple[PlanVersion, tuple[OperationView, ...]] | None = None

    def page(self, plan_id: PlanId, revision: int | None = None) -> PlanPage:
        """One revision; the latest when none is named."""
        engine = self._engine
        version, views = self._look(engine.plans.revision(plan_id, revision))
        meta = engine.meta(plan_id)
        if is_running(meta.status) and any(run.plan_id == plan_id for run in engine.runs.interrupted()):
            # Nothing runs: it is shown as cut off, however short a time ago that was.
            meta = meta.model_copy(update={"status": PlanStatus.STALLED})
        waits = is_open(meta.status) and version.revision == meta.revision
        choices = self._choices.load(version) if waits else None
        draft = self._draft(version, views, choices) if choices is not None and not choices.is_empty else None
        if draft is not None:
            by_id = {view.operation.id: view for view in views}
            views = tuple(by_id[each.id] for each in draft.choices.ordered(version.operations))
        operations = tuple(view.operation for view in draft.views) if draft is not None else version.operations
        return PlanPage(
            version=version,
            meta=meta,
            digest=version.approval_hash,
            views=views,
            tasks=engine.tasks(version),
            results=engine.runs.results(version) if meta.status is not PlanStatus.UNDONE else (),
            drifted=self._found(version, operations) if waits else (),
            draft=draft,
            beside=engine.beside(version),
            edited_page=str(engine.plans.edited_page(plan_id, version.revision) or ""),
            is_read_only=engine.locations.is_read_only,
        ).summed_up()

    def focus(self, page: PlanPage, said: Sequence[str] = (), failing: Collection[str] = ()) -> PlanFocus:
        """What is proved to be mechanical, and in which order to read.

        Args:
            page: the revision.
            said: what the person asked for, in their words.
            failing: paths with a new failure or diagnostic.
        """
        proved = self._prover.prove(page.views)
        steps = (words for task in page.tasks for words in (task.subject, task.description))
        asked = asked_for(page.views, (page.version.title, *said, *steps))
        return PlanFocus(proved, ranks(page.views, proved, failing), asked)

    def drifted(self, plan_id: PlanId) -> tuple[Drifted, ...]:
        """What changed on disk under the latest revision, as the person's choices leave it."""
        version = self._engine.plans.revision(plan_id)
        choices = self._choices.load(version)
        drafted = self._engine.proposals.draft(version, choices).version if not choices.is_empty else version
        return self._found(version, drafted.operations if drafted is not None else ())

    def choices(self, plan_id: PlanId) -> Choices:
        """What the person has chosen so far about the latest revision."""
        return self._choices.load(self._engine.plans.revision(plan_id))

    def choose(self, choices: Choices) -> PlanPage:
        """Keep the choices, and show the page with them."""
        self._choices.save(self._engine.plans.meta(choices.plan_id).session_id, choices)
        return self.page(choices.plan_id)

    def interdiff(self, plan_id: PlanId, old: int, new: int, other: PlanId | None = None) -> tuple[Interdiff, ...]:
        """For every operation that changed between two revisions, the hunks between their after-images."""
        plans = self._engine.plans
        earlier, later = plans.revision(plan_id, old), plans.revision(other or plan_id, new)
        return interdiff(earlier, later, compare(earlier, later), self._engine.objects)

    def compare(self, plan_id: PlanId, old: int, new: int, other: PlanId | None = None) -> Comparison:
        """What one revision of a plan does differently from another, or from one of another plan."""
        plans = self._engine.plans
        return compare(plans.revision(plan_id, old), plans.revision(other or plan_id, new))

    def since_looked(self, plan_id: PlanId, looked: Looked, revision: int) -> Looked:
        """What has become, by a later revision, of what a person had looked at in an earlier one."""
        plans = self._engine.plans
        for number in range(looked.revision, revision):
            looked = looked.in_next(plans.revision(plan_id, number), plans.revision(plan_id, number + 1))
        return looked

    def three_way(self, plan_id: PlanId, path: str) -> ThreeSides:
        """Base, disk and proposed at a path, with the person's choices, and where they meet."""
        return self._engine.rebases.three_way(plan_id, path, self.choices(plan_id))

    def preview_rebase(self, plan_id: PlanId, resolutions: Sequence[Resolution] = ()) -> Rebased:
        return self._engine.rebases.preview(plan_id, resolutions, self.choices(plan_id))

    def rebase(self, plan_id: PlanId, resolutions: Sequence[Resolution] = ()) -> PlanVersion:
        """What the person's choices leave of the plan, for the files as they are, as a new revision."""
        return self._engine.rebases.rebase(plan_id, resolutions, self.choices(plan_id))

    def _look(self, version: PlanVersion) -> tuple[PlanVersion, tuple[OperationView, ...]]:
        """Its operations as a reviewer sees them; the very same values as long as it is the same revision."""
        with self._looking:
            known = self._looked_at
            if known is None or known[0] != version:
                views = self._prover.beside(version.operations, self._engine.views(version))
                known = self._looked_at = (version, tuple(views))
            return known

    def _found(self, version: PlanVersion, operations: tuple[StagedOperation, ...]) -> tuple[Drifted, ...]:
        """What drifted, when, and by how many lines."""
        workspace = self._engine.workspace
        found = dated(drift(operations, workspace), workspace.times, version.created_at)
        first = {change.path: change.before for each in reversed(operations) for change in reversed(each.changes())}
        return tuple(replace(each, lines=self._lines(each, first.get(each.path))) for each in found)

    def _lines(self, drifted: Drifted, base: NodeState | None) -> int:
        """How many lines are not what the plan saw; none where that cannot be said in lines."""
        if drifted.change is not Difference.MODIFIED or not isinstance(base, FileState) or base.size > _COUNTED_BYTES:
            return 0
        data = self._engine.workspace.peek(drifted.path)[1]
        if data is None or len(data) > _COUNTED_BYTES:
            return 0
        return sum(max(hunk.added, hunk.removed) for hunk in hunks(self._engine.objects.read(base.sha256), data))

    def _draft(self, version: PlanVersion, views: tuple[OperationView, ...], choices: Choices) -> PlanDraft:
        engine = self._engine
        drafted = engine.proposals.draft(version, choices)
        if drafted.version is None:
            return PlanDraft(choices, "", (), drafted.problems)
        engine.objects.put_all(drafted.contents)  # so that they can be looked at
        known = {view.operation: view for view in views}
        fresh = tuple(each for each in drafted.version.operations if each not in known)
        known |= {view.operation: view for view in engine.view(version.model_copy(update={"operations": fresh}))}
        left = tuple(known[operation] for operation in drafted.version.operations)
        return PlanDraft(choices, ApprovalHash.of(drafted.version).combined_hash, left, drafted.problems)
