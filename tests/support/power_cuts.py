"""Runs on a disk whose power is cut: what was acknowledged, what is left, and what recovery makes of it."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tandem_desktop.execution.recovery import Recovery
from tandem_desktop.storage import syscalls
from tests.support.crash_points import Tree
from tests.support.faults import count_calls, killed_at
from tests.support.power import copy_image, cut, make_image, mounted
from tests.support.run_managers import a_run_manager, carry_out
from tests.support.tree_walker import Node, leftovers, walk
from tests.support.twenty import lay_out, states_between, twenty

Skips = Callable[[str, bool], bool]
"""Whether the sync of a node, given by its path and whether it is a folder, is left out."""


@dataclass(frozen=True)
class Script:
    """Runs of some operations each, one after another, and the tree after every one of them."""

    folder: Path
    image: Path
    runs: tuple[tuple[StagedOperation, ...], ...]
    trees: tuple[Tree, ...]
    calls: int

    @property
    def disk(self) -> Path:
        return self.folder / "disk"

    @property
    def acknowledgements(self) -> Path:
        """Outside the disk, so that no cut takes them back."""
        return self.folder / "acknowledged"


@dataclass
class Findings:
    """What was wrong after one cut, in words."""

    torn: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    unsettled: list[str] = field(default_factory=list)
    acknowledged: int = 0

    @property
    def all(self) -> list[str]:
        return self.torn + self.lost + self.unsettled


def a_script(folder: Path, size: int) -> Script:
    """The twenty operations in runs of `size`, on a disk where their tree lies ready and is durable."""
    folder.mkdir()
    image = make_image(folder / "image")
    with mounted(image, folder / "disk") as disk:
        (disk / "ws").mkdir()
        lay_out(disk / "ws")
        manager = a_run_manager(disk / "ws", disk / "state")
        operations = twenty(manager.objects)
        manager.workspace.close()
        trees = [walk(disk / "ws")]
    runs = tuple(operations[i : i + size] for i in range(0, len(operations), size))
    calls = 0
    with mounted(copy_image(image, folder / "tried"), folder / "disk") as disk:
        for run in runs:
            calls += len(count_calls(lambda run=run: _run(disk, (run,))))  # type: ignore[misc]
            trees.append(walk(disk / "ws"))
    return Script(folder, image, runs, tuple(trees), calls)


def cut_at(script: Script, point: int, flag: int, skips: Skips | None = None) -> Findings:
    """Kill the runs before call number `point`, cut the power, and look at everything that is left."""
    script.acknowledgements.write_text("", encoding="utf-8")
    findings = Findings()
    with _copies(script, script.image) as (running, first, second):
        with mounted(running, script.disk) as disk:
            killed_at(point, lambda: _run_and_tell(script, disk, skips))
            cut(disk, flag)
        told = script.acknowledgements.read_text(encoding="utf-8").split()
        findings.acknowledged = len(told)
        with mounted(copy_image(running, first), script.disk) as disk:
            _look(script, disk, told, findings)
            _settle(script, disk, "resume", told, findings)
        with mounted(copy_image(running, second), script.disk) as disk:
            _settle(script, disk, "roll_back", told, findings)
    return findings


def interrupted_image(script: Script, point: int) -> Path:
    """The disk of a script whose runs were killed before call number `point`, with the power on."""
    image = copy_image(script.image, Path(mkdtemp(dir=script.folder)) / "interrupted")
    with mounted(image, script.disk) as disk:
        assert killed_at(point, lambda: _run(disk, script.runs))
    return image


def recovery_calls(script: Script, interrupted: Path, how: str) -> int:
    """How many calls a whole recovery makes."""
    with _copies(script, interrupted) as (tried, _, _), mounted(tried, script.disk) as disk:
        return len(count_calls(lambda: _recover(disk, how)))


def cut_recovery_at(script: Script, interrupted: Path, how: str, point: int, flag: int) -> Findings:
    """Kill the recovery of a single run before call number `point`, cut the power, and recover again, both ways."""
    findings = Findings()
    with _copies(script, interrupted) as (running, first, second):
        with mounted(running, script.disk) as disk:
            killed_at(point, lambda: _recover(disk, how))
            cut(disk, flag)
        for image, again in ((first, "resume"), (second, "roll_back")):
            with mounted(copy_image(running, image), script.disk) as disk:
                _look(script, disk, [], findings)
                _recover_again(script, disk, how, again, findings)
    return findings


@contextmanager
def _copies(script: Script, image: Path) -> Iterator[tuple[Path, Path, Path]]:
    """A fresh copy of an image, and two names for what is left of it."""
    with TemporaryDirectory(dir=script.folder) as name:
        folder = Path(name)
        yield copy_image(image, folder / "running"), folder / "first", folder / "second"


def _recover_again(script: Script, disk: Path, how: str, again: str, findings: Findings) -> None:
    trees = {"resume": script.trees[1], "roll_back": script.trees[0]}
    try:
        waited = _recover(disk, again)
    except Exception as error:  # whatever it is, it is what a person would have been left with
        findings.unsettled.append(f"{again} after {how}: {error}")
        return
    if walk(disk / "ws") != trees[again if waited else how] or leftovers(disk / "ws"):
        findings.unsettled.append(f"{again} after {how} left another tree, or something on the bench")


def _recover(disk: Path, how: str) -> bool:
    """Settle the run that waits; whether there was one."""
    manager = a_run_manager(disk / "ws", disk / "state")
    try:
        recovery = Recovery(manager)
        if not recovery.interrupted():
            return False
        getattr(recovery, how)()
        return True
    finally:
        manager.workspace.close()


def _run(disk: Path, runs: tuple[tuple[StagedOperation, ...], ...]) -> None:
    manager = a_run_manager(disk / "ws", disk / "state")
    try:
        for operations in runs:
            carry_out(manager, operations)
    finally:
        manager.workspace.close()


def _run_and_tell(script: Script, disk: Path, skips: Skips | None) -> None:
    """In the fork: do every run, and write down outside the disk what is said to be done."""
    told = os.open(script.acknowledgements, os.O_WRONLY | os.O_APPEND)

    def tell(run_id: RunId, result: OperationResult) -> None:
        if result.status is ResultStatus.COMPLETED:
            os.write(told, f"{result.id}\n".encode())

    if skips is not None:
        _leave_out(skips)
    manager = a_run_manager(disk / "ws", disk / "state", tell)
    for operations in script.runs:
        carry_out(manager, operations)
        os.write(told, b"returned\n")


def _leave_out(skips: Skips) -> None:
    """Replace the seam's syncs, in this process that is about to die, by ones that may do nothing."""
    sync, sync_filesystem = syscalls.sync, syscalls.sync_filesystem

    def some(fd: int) -> None:
        if not skips(os.readlink(f"/proc/self/fd/{fd}"), stat.S_ISDIR(os.fstat(fd).st_mode)):  # noqa: PTH115 - a name
            sync(fd)

    def whole(fd: int) -> None:
        if not skips("", False):
            sync_filesystem(fd)

    syscalls.sync = some
    syscalls.sync_filesystem = whole


def _look(script: Script, disk: Path, told: list[str], findings: Findings) -> None:
    """Before any recovery: nothing torn, and everything that was acknowledged is there."""
    done = _acknowledged_runs(script, told)
    now, following = script.trees[done], script.trees[min(done + 1, len(script.runs))]
    touched = _touched(script.runs[done]) if done < len(script.runs) else set()
    found, between = walk(disk / "ws"), states_between()
    for path in sorted(found.keys() | {path for tree in script.trees for path in tree}):
        node = found.get(path)
        passing = between.get(path, []) if path in touched else []
        if node in (now.get(path), following.get(path), *passing):
            continue
        known: list[Node | None] = [*(tree.get(path) for tree in script.trees), *between.get(path, [])]
        (findings.lost if node in known else findings.torn).append(f"{path} is {_short(node)}")


def _settle(script: Script, disk: Path, how: str, told: list[str], findings: Findings) -> None:
    """Recover: the tree is that of a whole number of runs, and of no fewer than had returned."""
    manager = a_run_manager(disk / "ws", disk / "state")
    try:
        recovery = Recovery(manager)
        waiting = recovery.interrupted()
        ended = len(list((disk / "state" / "journal" / manager.workspace.identity.journal_key).glob("*.journal")))
        if waiting:
            getattr(recovery, how)()
        expected = script.trees[ended + 1 if waiting and how == "resume" else ended]
        if ended < told.count("returned"):
            findings.lost.append(f"{told.count('returned')} runs had returned, {ended} are on record")
        if walk(disk / "ws") != expected:
            findings.unsettled.append(f"{how} left another tree, with {'a run' if waiting else 'nothing'} waiting")
        if leftovers(disk / "ws"):
            findings.unsettled.append(f"{how} left something on the bench")
    except Exception as error:  # whatever it is, it is what a person would have been left with
        findings.unsettled.append(f"{how}: {error}")
    finally:
        manager.workspace.close()


def _acknowledged_runs(script: Script, told: list[str]) -> int:
    """How many runs, from the first, had every operation acknowledged."""
    said = set(told)
    return next((i for i, run in enumerate(script.runs) if not {o.id for o in run} <= said), len(script.runs))


def _touched(operations: tuple[StagedOperation, ...]) -> set[str]:
    return {path for operation in operations for path in (operation.path, operation.to) if path}


def _short(node: Node | None) -> str:
    return "missing" if node is None else f"a {node[0]} of {len(node[2])} bytes, mode {node[1]:o}"
