"""One point of the crash matrix: a stage after the crash, and what must be true of it whatever is done next."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.execution.recovery import Recovery
from tests.support.faults import Stage, count_calls, killed_at
from tests.support.run_managers import a_run_manager, carry_out
from tests.support.tree_walker import Node, leftovers, walk
from tests.support.twenty import lay_out, states_between, twenty

Tree = dict[str, Node]


@dataclass(frozen=True)
class Scene:
    """Twenty operations, the trees before and after them, and every call a run of them makes."""

    stage: Stage
    operations: tuple[StagedOperation, ...]
    before: Tree
    after: Tree
    calls: list[tuple[str, str]]

    def run(self, stage: Stage) -> None:
        manager = a_run_manager(stage.workspace, stage.state)
        try:
            carry_out(manager, self.operations)
        finally:
            manager.workspace.close()


def a_scene(folder: Path) -> Scene:
    """Lay out the tree, and run once to know how it ends."""
    stage = Stage(folder / "ws", folder / "state")
    stage.workspace.mkdir(parents=True)
    lay_out(stage.workspace)
    manager = a_run_manager(stage.workspace, stage.state)
    operations = twenty(manager.objects)
    manager.workspace.close()
    before = walk(stage.workspace)
    tried = stage.copy(folder / "tried")
    scene = Scene(stage, operations, before, {}, [])
    calls = count_calls(lambda: scene.run(tried))
    return Scene(stage, operations, before, walk(tried.workspace), calls)


def settle(stage: Stage, how: str) -> bool:
    """Recover in the given way; whether there was anything to recover."""
    manager = a_run_manager(stage.workspace, stage.state)
    try:
        recovery = Recovery(manager)
        waiting = recovery.interrupted()
        if waiting:
            getattr(recovery, how)()
        assert recovery.interrupted() == ()
        return bool(waiting)
    finally:
        manager.workspace.close()


def check_settled(scene: Scene, crashed: Stage, folder: Path) -> None:
    """Resume gives the tree after, roll back the tree before, and nothing is left lying about."""
    for how, expected in (("resume", scene.after), ("roll_back", scene.before)):
        copy = crashed.copy(folder / how)
        waited = settle(copy, how)
        found = walk(copy.workspace)
        assert found == expected if waited else found in (scene.before, scene.after), how
        assert leftovers(copy.workspace) == [], how


def crash(scene: Scene, folder: Path, point: int) -> Stage:
    """A stage whose run was killed before call number `point`."""
    stage = scene.stage.copy(folder)
    assert killed_at(point, lambda: scene.run(stage)), f"call {point} was never made"
    return stage


def possible_states(scene: Scene) -> Callable[[str], list[Node | None]]:
    """For each path every state it may be found in between two operations."""
    between = states_between()
    return lambda path: [scene.before.get(path), scene.after.get(path), *between.get(path, [])]
