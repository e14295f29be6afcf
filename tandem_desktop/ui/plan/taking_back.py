"""What a person wants taken back, before anything is: a run, a part of it, or a run with every one since."""

from dataclasses import dataclass

from tandem_desktop.domain.ids import RunId
from tandem_desktop.execution.undoing import WHOLE, Part, Undoing
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.words import tr, tr_n


@dataclass(frozen=True, slots=True)
class TakingBack:
    """One question for the sheet, and one wish when it is answered."""

    run_id: RunId
    part: Part = WHOLE
    to_before: bool = False
    """Every run since goes with it."""

    @property
    def title(self) -> str:
        if self.to_before:
            return tr("Back to before this run")
        if self.part.path is not None:
            return tr("Undo {path} of this run", path=visible(self.part.path))
        if self.part.is_whole:
            return tr("Undo this run")
        return tr("Undo {operation} of this run", operation=self.part.operation)

    def sentence(self, undoing: Undoing, runs: tuple[str, ...]) -> str:
        """What would happen, or why nothing can."""
        if undoing.conflicts:
            told = tr_n(
                "Later edits overlap in {n} file, so nothing is undone. Put them aside first, then try again.",
                "Later edits overlap in {n} files, so nothing is undone. Put them aside first, then try again.",
                len(undoing.conflicts),
            )
            instead = tr("Or undo the other files one by one, from the list of what the run changed.")
            return f"{told} {instead}" if self.part.is_whole and not self.to_before else told
        if not undoing.changes:
            return tr("Nothing is left to undo: every file is as it was before.")
        paths = tr_n("{n} path", "{n} paths", len(undoing.changes))
        if self.to_before:
            return tr_n(
                "{n} run will be taken back as one; {paths} will be as before. Nothing else is touched.",
                "{n} runs will be taken back as one; {paths} will be as before. Nothing else is touched.",
                len(runs),
                paths=paths,
            )
        return tr("{paths} will be as before the run. Nothing else is touched.", paths=paths)


def is_the_same(one: Undoing, other: Undoing) -> bool:
    """Whether both would do the same to the disk."""
    return (one.changes, one.merged, one.kept, one.conflicts) == (
        other.changes,
        other.merged,
        other.kept,
        other.conflicts,
    )
