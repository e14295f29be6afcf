"""All that is known of one operation where it is listed, and which of them are listed in which order."""

from dataclasses import dataclass
from enum import StrEnum

from tandem_desktop.domain.execution import OperationResult, ResultStatus
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.review import Comment
from tandem_desktop.review.draft import Part
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.ui.models.rehearsed import Rehearsed
from tandem_desktop.ui.plan import rehearsal_words, wording
from tandem_desktop.ui.words import tr, tr_marked, tr_n, tr_table


class Shown(StrEnum):
    """Which operations are listed."""

    ALL = "All"
    FILES = "Files"
    COMMANDS = "Commands"
    FLAGGED = "Flagged"
    NOT_VIEWED = "Not viewed"
    LINES = "Changed lines"
    """Those whose changed lines hold the text that is looked for."""


class Sorting(StrEnum):
    """In which order; only the plan's own can be changed by dragging."""

    PLAN = "Plan order"
    PATH = "By path"
    LARGEST = "Largest first"


SHOWN_WORDS = tr_table(
    {
        Shown.ALL: "All",
        Shown.FILES: "Files",
        Shown.COMMANDS: "Commands",
        Shown.FLAGGED: "Flagged",
        Shown.NOT_VIEWED: "Not viewed",
        Shown.LINES: "Changed lines",
    }
)
SORTING_WORDS = tr_table(
    {Sorting.PLAN: "Plan order", Sorting.PATH: "By path", Sorting.LARGEST: "Largest first"},
)


@dataclass(frozen=True, slots=True)
class OperationRow:
    """All that is painted of one operation."""

    view: OperationView
    position: int
    """In the plan, from zero, whatever is filtered or sorted."""
    viewed: bool
    expanded: bool
    drift: str
    result: OperationResult | None
    running: bool
    """Whether the plan runs or ran, so that results stand where the viewed box was."""
    change: str
    """`new`, `changed` or `moved` against the revision it is compared with."""
    checked: bool
    """False while the agent drafts: flags come with the revision."""
    since: float | None = None
    """When it was begun, by the clock that only goes forward."""
    dropped: bool = False
    """The person does not want it; it stays in sight until the choice becomes a revision."""
    part: Part | None = None
    """What the person wants otherwise inside it."""
    problem: str = ""
    """Why it would no longer apply after what the person chose."""
    comments: tuple[Comment, ...] = ()
    """What the person said about it and did not send yet."""
    rehearsed: Rehearsed | None = None
    """What came of it when the plan was played in a copy."""

    @property
    def operation(self) -> StagedOperation:
        return self.view.operation

    @property
    def is_under_way(self) -> bool:
        return self.result is not None and self.result.status is ResultStatus.RUNNING


def tells(result: OperationResult) -> bool:
    """Whether a result has more to say than fits its line."""
    return bool(result.error or result.output) or result.status is ResultStatus.RUNNING


def has_ended(result: OperationResult) -> bool:
    return result.status not in (ResultStatus.PENDING, ResultStatus.RUNNING)


def does_the_same(one: StagedOperation, other: StagedOperation) -> bool:
    """Whether both do the same to the world, whatever is said about them and whatever they wait for."""
    return one is other or (
        (one.kind, one.path, one.to, one.base, one.after, one.call)
        == (other.kind, other.path, other.to, other.base, other.after, other.call)
    )


def spoken(row: OperationRow) -> str:
    parts = [f"{row.position + 1}: {wording.title(row.operation)}"]
    if row.view.has_lines:
        parts.append(tr("{added} added, {removed} removed", added=row.view.added, removed=row.view.removed))
    parts += [wording.flag_sentence(flag, row.operation) for flag in row.view.flags]
    parts += [
        each for each in (tr_marked(row.change), row.drift, row.problem, tr("dropped") if row.dropped else "") if each
    ]
    if row.part is not None and (chosen := wording.part_words(row.part)):
        parts.append(chosen)
    if row.comments:
        parts.append(tr_n("{n} comment", "{n} comments", len(row.comments)))
    if row.rehearsed is not None:
        parts.append(rehearsal_words.sentence(row.rehearsed))
    if row.result is not None:
        parts.append(wording.RESULTS[row.result.status])
    elif not row.running:
        parts.append(tr("viewed") if row.viewed else tr("not viewed"))
    parts.append(tr("opened") if row.expanded else tr("closed"))
    return ", ".join(parts)
