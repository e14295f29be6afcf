"""Tracks which operations were viewed."""

from collections.abc import Collection

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import Origin, PlanVersion
from tandem_desktop.domain.review import Seen
from tandem_desktop.review.viewed import Looked, mark
from tandem_desktop.ui.i18n import later
from tandem_desktop.ui.models.operations import OperationRow
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.operation_content import OperationContent


class SeenOperations:
    """Operations that were visible in full: expanded to the last changed line, or complete in their row."""

    def __init__(self) -> None:
        self._seen: dict[OperationId, Seen] = {}
        self._opened: dict[OperationId, str] = {}

    def is_opened(self, operation: StagedOperation) -> bool:
        """Whether the content of exactly this operation was opened."""
        return self._opened.get(operation.id) == mark(operation)

    @property
    def all(self) -> tuple[Seen, ...]:
        return tuple(self._seen.values())

    def note(self, row: OperationRow, content: OperationContent | None) -> None:
        """Record a visible row, with its content if expanded."""
        if content is not None and content.is_opened:
            self._opened |= {each.id: mark(each) for each in row.operations}
        if content is not None and content.is_seen:
            folded, proved = content.folded_regions, content.folded_proofs
            self._seen |= {each.id: Seen(mark=mark(each)) for each in row.operations}
            self._seen[row.operation.id] = Seen(mark=mark(row.operation), folded=folded, proved=proved)
        elif content is None and wording.is_told_in_its_line(row.view):
            self._seen.setdefault(row.operation.id, Seen(mark=mark(row.operation)))

    def follow(self, before: PlanVersion | None, now: PlanVersion, *, by_choice: bool = False) -> None:
        """Start over for another plan; a revision `by_choice` of the user keeps what was seen."""
        if before is None:
            self._seen.clear()
            self._opened.clear()
        elif by_choice and now.origin is Origin.PERSON and now.parent_revision == before.revision:
            marks = {operation.id: mark(operation) for operation in before.operations}
            for operation in now.operations:
                known = self._seen.get(operation.id)
                if known is not None and known.mark == marks.get(operation.id):
                    self._seen[operation.id] = Seen(mark=mark(operation), folded=known.folded, proved=known.proved)


WORDS = later("changed since you looked")


class ChangedSinceViewed:
    """Follows one plan from revision to revision."""

    def __init__(self) -> None:
        self._changed: frozenset[OperationId] = frozenset()

    def follow(self, before: PlanVersion | None, viewed: Collection[OperationId], now: PlanVersion) -> None:
        """Follow the next page, of this or another plan."""
        if before is None or now.revision < before.revision:
            self._changed = frozenset()
        elif now.revision > before.revision:
            self.resume(self.looked(before.revision, viewed).in_next(before, now))

    def resume(self, looked: Looked) -> None:
        """Restore the stored state."""
        self._changed = frozenset(looked.changed)

    def looked(self, revision: int, viewed: Collection[OperationId]) -> Looked:
        """The state of the revision on screen, to be stored."""
        return Looked(revision=revision, viewed=tuple(sorted(viewed)), changed=tuple(sorted(self._changed)))

    def marks(self, viewed: Collection[OperationId]) -> dict[OperationId, str]:
        """A mark for each changed operation that was not viewed since."""
        self._changed -= frozenset(viewed)
        return dict.fromkeys(self._changed, WORDS)
