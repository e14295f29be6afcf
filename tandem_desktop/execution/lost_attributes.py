"""Owner and attributes of what a run takes away: nothing else would know them when it is undone."""

import contextlib
from collections.abc import Collection, Iterable

from tandem_desktop.domain.operations import FileState
from tandem_desktop.execution.steps import Action, Step
from tandem_desktop.execution.workbench import Metadata, Workbench, read_metadata
from tandem_desktop.storage.workspace import Workspace


class LostAttributes:
    """Look at each node that goes, and remember by the number of its step what it had, nothing included.

    A file that is replaced hands on what it had, unless its successor is one of the `renewed`, which get their own.
    """

    def __init__(self, workspace: Workspace, bench: Workbench, renewed: Collection[str]) -> None:
        self._workspace = workspace
        self._bench = bench
        self._renewed = renewed
        self._known: dict[int, Metadata] = {}

    def take_over(self, known: dict[int, Metadata]) -> None:
        """Go on with what an earlier, cut-off run had written down."""
        self._known = known

    def before(self, step: Step) -> None:
        """A folder leaves nothing behind, so it is looked at before it goes."""
        if step.action is Action.RMDIR:
            with contextlib.suppress(OSError):
                self._known[step.n] = read_metadata(*self._workspace.parent(step.path))

    def after(self, step: Step) -> None:
        """A file rests on the bench when it has gone."""
        if self._rests(step):
            self._known[step.n] = read_metadata(self._bench.fd, step.name)

    def catch_up(self, steps: Iterable[Step]) -> None:
        """Look again at what went right before a run was cut off."""
        for step in steps:
            if step.n not in self._known:
                with contextlib.suppress(OSError):
                    self.after(step)

    def of(self, step: Step) -> Metadata:
        return self._known.get(step.n, {})

    def packed(self) -> dict[str, Metadata]:
        """For the journal."""
        return {str(n): metadata for n, metadata in self._known.items()}

    def _rests(self, step: Step) -> bool:
        is_gone = step.action is Action.REMOVE or (step.action is Action.SWAP and step.path in self._renewed)
        return is_gone and isinstance(step.before, FileState)
