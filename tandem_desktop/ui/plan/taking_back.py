"""What a person wants taken back, before anything is: a run, a part of it, or a run with every one since."""

from dataclasses import dataclass

from tandem_desktop.domain.ids import RunId
from tandem_desktop.execution.undoing import WHOLE, Part, Undoing
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.plan import wording


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
            return "Back to before this run"
        if self.part.path is not None:
            return f"Undo {visible(self.part.path)} of this run"
        return "Undo this run" if self.part.is_whole else f"Undo {self.part.operation} of this run"

    def sentence(self, undoing: Undoing, runs: tuple[str, ...]) -> str:
        """What would happen, or why nothing can."""
        if undoing.conflicts:
            number = wording.counted(len(undoing.conflicts), "file")
            instead = " Or undo the other files one by one, from the list of what the run changed."
            return (
                f"Later edits overlap in {number}, so nothing is undone. Put them aside first, then try again."
                f"{instead if self.part.is_whole and not self.to_before else ''}"
            )
        if not undoing.changes:
            return "Nothing is left to undo: every file is as it was before."
        paths = wording.counted(len(undoing.changes), "path")
        if self.to_before:
            return f"{wording.counted(len(runs), 'run')} will be taken back as one; {paths} will be as before. {_ELSE}"
        return f"{paths} will be as before the run. {_ELSE}"


def is_the_same(one: Undoing, other: Undoing) -> bool:
    """Whether both would do the same to the disk."""
    return (one.changes, one.merged, one.kept, one.conflicts) == (
        other.changes,
        other.merged,
        other.kept,
        other.conflicts,
    )


_ELSE = "Nothing else is touched."
