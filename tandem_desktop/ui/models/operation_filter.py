"""Which operations are listed, and in which order."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from tandem_desktop.domain.operations import OperationKind, StagedOperation
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.review.ranking import Rank
from tandem_desktop.ui.i18n import tr_table
from tandem_desktop.ui.plan import wording


class OperationFilter(StrEnum):
    """A property of operations by which they are listed; those of one group widen, those of several narrow."""

    NOT_VIEWED = "Not viewed"
    FLAGGED = "Flagged"
    FAILING = "New failures"
    CHANGED = "Changed"
    """Other than in the revision it is compared with, or than when the person looked."""
    INTERFACE = "Public interface"
    BEHAVIOUR = "Behaviour"
    TESTS = "Tests"
    MECHANICAL = "Mechanical"
    """All of it is proved: format, comments, moves, renames."""
    GENERATED = "Generated"
    ASKED = "Asked for"
    ALSO = "Also changed"
    """What no word of the task names."""
    CREATED = "Created"
    EDITED = "Edited"
    DELETED = "Deleted"
    RENAMED = "Renamed"
    COMMANDS = "Commands"


FILTER_LABELS = tr_table(
    {
        OperationFilter.NOT_VIEWED: "Not viewed",
        OperationFilter.FLAGGED: "Flagged",
        OperationFilter.FAILING: "New failures",
        OperationFilter.CHANGED: "Changed",
        OperationFilter.INTERFACE: "Public interface",
        OperationFilter.BEHAVIOUR: "Behaviour",
        OperationFilter.TESTS: "Tests",
        OperationFilter.MECHANICAL: "Mechanical",
        OperationFilter.GENERATED: "Generated",
        OperationFilter.ASKED: "Asked for",
        OperationFilter.ALSO: "Also changed",
        OperationFilter.CREATED: "Created",
        OperationFilter.EDITED: "Edited",
        OperationFilter.DELETED: "Deleted",
        OperationFilter.RENAMED: "Renamed",
        OperationFilter.COMMANDS: "Commands",
    }
)
OF_RANK = {
    Rank.INTERFACE: OperationFilter.INTERFACE,
    Rank.BEHAVIOUR: OperationFilter.BEHAVIOUR,
    Rank.TESTS: OperationFilter.TESTS,
    Rank.MECHANICAL: OperationFilter.MECHANICAL,
    Rank.GENERATED: OperationFilter.GENERATED,
}
OF_KIND = {
    OperationKind.CREATE: OperationFilter.CREATED,
    OperationKind.MKDIR: OperationFilter.CREATED,
    OperationKind.SYMLINK: OperationFilter.CREATED,
    OperationKind.MODIFY: OperationFilter.EDITED,
    OperationKind.CHMOD: OperationFilter.EDITED,
    OperationKind.DELETE: OperationFilter.DELETED,
    OperationKind.MOVE: OperationFilter.RENAMED,
    OperationKind.COMMAND: OperationFilter.COMMANDS,
    OperationKind.EXTERNAL: OperationFilter.COMMANDS,
}
KINDS = tuple(dict.fromkeys(OF_KIND.values()))
CLASSES = tuple(OF_RANK.values())
_SCOPE = (OperationFilter.ASKED, OperationFilter.ALSO)
_GROUPS = (KINDS, CLASSES, _SCOPE)


class Sorting(StrEnum):
    """The sort order; only the plan's own can be changed by dragging."""

    PLAN = "Plan order"
    RISK = "Risk first"
    """What needs attention before the rest, the gravest first; what is listed as flagged always comes like this."""
    READING = "What matters first"
    """Flagged, failing, the public interface, behaviour, tests, mechanical, generated."""
    PATH = "By path"
    LARGEST = "Largest first"


SORTING_WORDS = tr_table(
    {
        Sorting.PLAN: "Plan order",
        Sorting.READING: "What matters first",
        Sorting.RISK: "Risk first",
        Sorting.PATH: "By path",
        Sorting.LARGEST: "Largest first",
    },
)


@dataclass(frozen=True, slots=True)
class Listing:
    """What a person asked to see of the operations."""

    text: str = ""
    only: frozenset[OperationFilter] = frozenset()
    folder: str = ""
    """A path that ends with a slash: what lies in it and below."""
    in_lines: bool = False
    """Whether the text is looked for in the changed lines instead of paths, commands and words."""
    sorting: Sorting = Sorting.PLAN

    @classmethod
    def of(cls, *only: OperationFilter, text: str = "", sorting: Sorting = Sorting.PLAN) -> "Listing":
        return cls(text=text, only=frozenset(only), sorting=sorting)

    def toggled(self, which: OperationFilter) -> "Listing":
        return replace(self, only=self.only ^ {which})

    @property
    def lists_all(self) -> bool:
        return not (self.text or self.only or self.folder)

    @property
    def is_usual(self) -> bool:
        """Whether everything is listed in the order of the plan."""
        return self.lists_all and self.sorting is Sorting.PLAN

    @property
    def is_in_plan_order(self) -> bool:
        return self.sorting is Sorting.PLAN and OperationFilter.FLAGGED not in self.only

    def admits(self, properties: Iterable[OperationFilter]) -> bool:
        """Whether an operation with these properties is listed: one of each group that was chosen from."""
        if not self.only:
            return True
        found = frozenset(properties)
        for group in _GROUPS:
            chosen = self.only.intersection(group)
            if chosen and not chosen & found:
                return False
        return self.only.difference(*_GROUPS) <= found


def properties(
    view: OperationView,
    *,
    is_viewed: bool,
    is_changed: bool,
    is_failing: bool,
    rank: Rank | None,
    is_asked: bool | None,
) -> Iterator[OperationFilter]:
    """By what an operation can be listed; `is_asked` is None where the task names no files."""
    yield OF_KIND[view.operation.kind]
    if view.flags:
        yield OperationFilter.FLAGGED
    if not is_viewed:
        yield OperationFilter.NOT_VIEWED
    if is_changed:
        yield OperationFilter.CHANGED
    if is_failing:
        yield OperationFilter.FAILING
    if rank is not None and rank in OF_RANK:
        yield OF_RANK[rank]
    if is_asked is not None:
        yield OperationFilter.ASKED if is_asked else OperationFilter.ALSO


def is_under(operation: StagedOperation, folder: str) -> bool:
    return any(path.startswith(folder) for path in operation.paths)


def answers_to(operation: StagedOperation, wanted: str) -> bool:
    """Whether the path, the command or the words of an operation hold a text in small letters."""
    texts = (*operation.paths, operation.command or "", wording.kind_word(operation))
    return any(wanted in text.casefold() for text in (*texts, operation.description, operation.rationale))


def changed_text(view: OperationView) -> str:
    """The added and removed lines in small letters, to be searched."""
    changed = (line.raw for hunk in view.hunks for line in hunk.lines if line.kind != " ")
    return "\n".join(raw.rstrip(b"\n").decode("utf-8", "replace").casefold() for raw in changed)


def lines_with(text: str, wanted: str) -> int:
    """How many lines of a text hold another one."""
    return sum(wanted in line for line in text.split("\n")) if wanted in text else 0
