"""Whether an operation answers to what is looked for: by kind, path, command, words, folder, or changed lines."""

from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.review.totals import folder_of
from tandem_desktop.ui.models.operation_row import Shown
from tandem_desktop.ui.plan import wording

IN_FOLDER = "in:"
"""Before a folder in the filter: what happens right in it."""


def is_of(which: Shown, view: OperationView, *, is_viewed: bool) -> bool:
    """Whether an operation is among those that are listed."""
    return {
        Shown.ALL: True,
        Shown.FILES: not view.operation.is_run,
        Shown.COMMANDS: view.operation.is_run,
        Shown.FLAGGED: bool(view.flags),
        Shown.NOT_VIEWED: not is_viewed,
        Shown.LINES: bool(view.hunks),
    }[which]


def answers_to(operation: StagedOperation, text: str) -> bool:
    """Whether the path, the command or the words of an operation hold a text."""
    if text.startswith(IN_FOLDER):
        path = operation.to or operation.path
        return path is not None and folder_of(path) == text.removeprefix(IN_FOLDER)
    wanted = text.casefold()
    texts = (*operation.paths, operation.command or "", wording.kind_word(operation))
    return any(wanted in text.casefold() for text in (*texts, operation.description, operation.rationale))


def lines_with(view: OperationView, text: str) -> int:
    """How many added and removed lines hold a text; small and large letters are the same."""
    wanted = text.casefold()
    changed = (line for hunk in view.hunks for line in hunk.lines if line.kind != " ")
    return sum(wanted in line.raw.decode("utf-8", "replace").casefold() for line in changed)
