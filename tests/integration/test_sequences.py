"""Every short sequence of operations on paths that get in each other's way: applied, undone, redone, compared."""

import hashlib
import itertools
import json
import os
import random
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.operations import DirectoryState, FileState, NodeState, StagedOperation, SymlinkState
from tandem_desktop.domain.runs import RunStatus
from tandem_desktop.execution.run_manager import RunManager
from tandem_desktop.execution.undo import UndoExecutor
from tandem_desktop.staging.plan_json import parse_plan
from tandem_desktop.staging.simulate import simulate_steps
from tandem_desktop.storage.workspace import Workspace
from tests.support.run_managers import a_run_manager, carry_out
from tests.support.tree_walker import Node, leftovers, walk

PATHS = ("a", "d", "d/x")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
Step = dict[str, object]


def every_step() -> Iterator[Step]:
    """All kinds on all paths."""
    for path in PATHS:
        yield {"tool": "write", "args": {"path": path, "content": f"new {path}\n"}}
        yield {"tool": "edit", "args": {"path": path, "old_string": "e", "new_string": "E", "replace_all": True}}
        yield {"tool": "delete", "args": {"path": path}}
        yield {"tool": "chmod", "args": {"path": path, "mode": "0700"}}
        yield {"tool": "symlink", "args": {"path": path, "target": "elsewhere"}}
        yield {"tool": "mkdir", "args": {"path": path}}
        for to in PATHS:
            yield {"tool": "move", "args": {"path": path, "to": to}}


def lay_out(root: Path) -> None:
    (root / "d").mkdir(parents=True)
    (root / "a").write_text("text e\n")
    (root / "d" / "x").write_text("inner e\n")
    (root / "untouched").write_text("stays\n")
    os.utime(root / "untouched", ns=(1_000_000_000, 2_000_000_000))


class Bench:
    """A tree that is never changed, to find out what is possible, and a fresh one for every round trip."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        lay_out(folder / "pristine")
        self._pristine = Workspace(folder / "pristine")

    def round_trip(self, steps: tuple[Step, ...]) -> bool:
        """Apply, undo, redo; whether the plan was possible at all."""
        raw = json.dumps({"title": "t", "steps": [{"description": "d", **step} for step in steps]}).encode()
        self._pristine.forget_directories()
        try:
            simulation = simulate_steps(parse_plan(raw), self._pristine, NOW)
        except TandemError:
            return False
        root = self._folder / "ws"
        shutil.rmtree(root, ignore_errors=True)
        lay_out(root)
        manager = a_run_manager(root, self._folder / "state")
        try:
            manager.objects.put_all(simulation.contents.values())
            check_round_trip(manager, root, simulation.operations)
        finally:
            manager.workspace.close()
        return True


def check_round_trip(manager: RunManager, root: Path, operations: tuple[StagedOperation, ...]) -> None:
    before = walk(root)
    record, results = carry_out(manager, operations)
    assert record.status is RunStatus.COMPLETED, results
    after = walk(root)
    final: dict[str, NodeState] = {}
    for change in (change for operation in operations for change in operation.changes()):
        final[change.path] = change.after
        for above in Path(change.path).parents:
            final.pop(str(above), None)  # a folder made on the way is nobody's own operation
    assert [path for path, state in final.items() if not agrees(after.get(path), state)] == []
    undone = UndoExecutor(manager).undo(record.run_id)
    assert walk(root) == before
    UndoExecutor(manager).redo(undone.record.run_id)
    assert walk(root) == after
    assert (root / "untouched").stat().st_mtime_ns == 2_000_000_000
    assert leftovers(root) == []


def agrees(node: Node | None, state: NodeState) -> bool:
    """Whether what the walker found is what the operation promised."""
    match state:
        case FileState():
            found = ("", 0, b"") if node is None else node
            return found[:2] == ("file", state.mode) and hashlib.sha256(found[2]).hexdigest() == state.sha256
        case SymlinkState():
            return node == ("link", 0, state.target.encode())
        case DirectoryState():
            return node == ("folder", state.mode, b"")
        case _:
            return node is None


def sequences(length: int) -> list[tuple[Step, ...]]:
    return list(itertools.product(tuple(every_step()), repeat=length))


@pytest.mark.req("S0-65")
def test_short_sequences_are_applied_undone_and_redone_exactly(memory_path: Path) -> None:
    everything = [*sequences(1), *sequences(2)]
    drawn = [*everything, *random.Random(7).sample(sequences(3), 1500)]
    scratch_dir = Bench(memory_path)
    possible = sum(scratch_dir.round_trip(steps) for steps in drawn)
    assert possible >= 100


@pytest.mark.exhaustive
def test_every_sequence_of_three_is_applied_undone_and_redone_exactly(memory_path: Path) -> None:
    drawn = [*sequences(1), *sequences(2), *sequences(3)]
    scratch_dir = Bench(memory_path)
    possible = sum(scratch_dir.round_trip(steps) for steps in drawn)
    print(f"{len(drawn)} sequences, {possible} possible, each applied, undone and redone: 0 wrong")
    assert possible >= 900
