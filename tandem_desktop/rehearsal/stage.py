"""A throw-away shadow on which a plan is played: operations happen, commands run, and nothing of it stays."""

import contextlib
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.domain.errors import StepRefusedError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import Absent, CommandCall, DirectoryState, PathChange, StagedOperation
from tandem_desktop.domain.paths import shown
from tandem_desktop.domain.ports import ROOT
from tandem_desktop.execution.commands import shell_argv
from tandem_desktop.execution.control import RunControl
from tandem_desktop.processes.child import run_child, scrubbed_environment
from tandem_desktop.rehearsal.circumstances import USUAL, Circumstances
from tandem_desktop.rehearsal.watch import Watched, read_report, watched_argv
from tandem_desktop.shadow.confinement import OPEN_NETWORK
from tandem_desktop.shadow.shadow_workspace import ShadowWorkspace, open_shadow
from tandem_desktop.staging.difference import difference, told
from tandem_desktop.storage import atomic, locks
from tandem_desktop.storage.locations import Locations
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.scratch import remove_tree
from tandem_desktop.storage.workspace import Workspace

_PREFIX = "rehearsal-"
_TEMPORARY = ("/tmp", "/var/tmp")

OnOutput = Callable[[OperationId, bytes], None]
Look = dict[str, PathChange]


@dataclass(frozen=True, slots=True)
class Performance:
    """How one command went."""

    exit_code: int
    output: bytes
    seconds: float
    timed_out: bool
    aborted: bool
    effects: tuple[PathChange, ...]
    refused: tuple[tuple[str, str], ...]
    """Paths it changed in a way that cannot be kept, each with the reason."""
    outside: tuple[Path, ...]
    watched: Watched


class Stage:
    """One shadow, for one rehearsal."""

    def __init__(self, shadow: ShadowWorkspace, folder: Path, *, network: bool, budget_bytes: int) -> None:
        self._shadow = shadow
        self._report = folder / "report"
        self._network = network
        self._budget_bytes = budget_bytes
        self._look: Look = {}
        self._is_stale = True
        self._outside: dict[Path, tuple[int, ...]] = {}

    @property
    def is_confined(self) -> bool:
        return self._shadow.confinement.confined

    @property
    def words(self) -> str:
        words = self._shadow.confinement.words
        return words if self._network else words.replace(OPEN_NETWORK, "there is no network")

    def carry_out(self, operation: StagedOperation) -> None:
        """Let a file operation happen.

        Raises:
            StepRefusedError: the path is no longer what the operation was made for.
        """
        for change in operation.changes():
            found = self._shadow.state(change.path)
            differs = difference(change.before, found)
            if differs is not None:
                raise StepRefusedError(
                    f"{shown(change.path)} {told(differs, change.before, found)}.", path=change.path, step=operation.id
                )
        self._shadow.let(operation.changes())
        self._is_stale = True

    def run(
        self,
        operation: OperationId,
        call: CommandCall,
        control: RunControl,
        on_output: OnOutput,
        how: Circumstances = USUAL,
    ) -> Performance:
        """Run a command to its end and see what it did.

        Raises:
            StepRefusedError: the folder it is to run in is not there.
        """
        if call.cwd != ROOT and not isinstance(self._shadow.state(call.cwd), DirectoryState):
            raise StepRefusedError(f"{shown(call.cwd)}, where the command would run, is not a directory.")
        before = self._looked()
        atomic.replace(self._report, b"", mode=0o600)
        launch = self._shadow.rehearse(
            watched_argv(how.argv(shell_argv(call.command), dict(call.env)), str(self._report), how.skipped_pids),
            environment=scrubbed_environment(dict(call.env)),
            cwd=call.cwd,
            network=self._network,
            report=self._report,
        )
        started = time.monotonic()
        outcome = run_child(
            launch.argv,
            cwd=launch.cwd,
            environment=launch.environment,
            timeout_s=call.timeout_s,
            should_abort=lambda: control.is_aborted,
            on_output=lambda chunk: on_output(operation, chunk),
        )
        seconds = time.monotonic() - started
        self._is_stale = True
        return Performance(
            exit_code=outcome.exit_code,
            output=outcome.output,
            seconds=seconds,
            timed_out=outcome.timed_out,
            aborted=outcome.aborted,
            effects=_since(before, self._looked()),
            refused=self._shadow.refused,
            outside=self._newly_outside(),
            watched=read_report(self._report.read_text(errors="replace")),
        )

    def take_back(self, effects: Iterable[PathChange]) -> None:
        """Put the paths of a failed command back, as a run would never have shown them."""
        backwards = [PathChange(path=each.path, before=each.after, after=each.before) for each in effects]
        going = [each for each in backwards if isinstance(each.after, Absent)]
        coming = [each for each in backwards if not isinstance(each.after, Absent)]
        self._shadow.let(sorted(going, key=lambda each: each.path, reverse=True))
        self._shadow.let(sorted(coming, key=lambda each: each.path))
        self._is_stale = True

    def _looked(self) -> Look:
        if self._is_stale:
            found = self._shadow.differences(self._budget_bytes)
            self._look = {change.path: change for change in found}
            self._is_stale = False
        return self._look

    def _newly_outside(self) -> tuple[Path, ...]:
        earlier, self._outside = self._outside, self._shadow.written_outside()
        return tuple(sorted(place for place, marks in self._outside.items() if earlier.get(place) != marks))


class Stages:
    """Set up stages, and clear away those a kill left behind."""

    def __init__(self, workspace: Workspace, locations: Locations, objects: ObjectStore, budget_bytes: int) -> None:
        self._workspace = workspace
        self._locations = locations
        self._objects = objects
        self._budget_bytes = budget_bytes

    @contextmanager
    def open(self, *, network: bool) -> Iterator[Stage]:
        """A stage that is gone afterwards, however that comes about.

        Raises:
            ShadowError: there can be none.
        """
        self.sweep()
        folder = self._locations.shadows / f"{_PREFIX}{secrets.token_hex(8)}"
        home = Path(scrubbed_environment().get("HOME", "/"))
        shadow = open_shadow(
            self._workspace,
            folder,
            self._objects,
            masked=(self._locations.state,),
            person_home=home,
            outside=_places(home, self._workspace.path),
        )
        try:
            yield Stage(shadow, folder, network=network, budget_bytes=self._budget_bytes)
        finally:
            shadow.discard()

    def sweep(self) -> None:
        """Remove stages that nobody holds any more."""
        for leftover in self._locations.shadows.glob(f"{_PREFIX}*"):
            with contextlib.suppress(OSError), locks.held_or_busy(leftover / "lock") as free:
                if free:
                    remove_tree(leftover)


def _places(home: Path, workspace: Path) -> tuple[Path, ...]:
    """Where a command may write besides the workspace, outermost first; a link is named by what it leads to.

    Each gets layers of its own, also inside another: a folder of somebody else on the way could not be copied.
    """
    named = (home, *map(Path, _TEMPORARY), Path(os.environ.get("TMPDIR", _TEMPORARY[0])))
    real = sorted({place.resolve() for place in named if place.is_dir()})
    return tuple(place for place in real if place != Path("/") and not place.is_relative_to(workspace))


def _since(before: Look, now: Look) -> tuple[PathChange, ...]:
    """What became of each path between two looks."""
    found = []
    for path in sorted(before.keys() | now.keys()):
        old = before[path].after if path in before else now[path].before
        new = now[path].after if path in now else before[path].before
        if old != new:
            found.append(PathChange(path=path, before=old, after=new))
    return tuple(found)
