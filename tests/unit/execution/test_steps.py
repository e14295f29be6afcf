"""Net changes come out in an order in which each can happen on a real tree."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import ABSENT, Absent, DirectoryState, NodeState, PathChange, SymlinkState
from tandem_desktop.execution.steps import Action, ordered_steps
from tests.support.builders import a_file

PATHS = ("a", "a/b", "a/b/c", "a/d", "e", "e/f")
NODES = st.sampled_from([None, "file", "other file", "link", "folder"])
STATES: dict[str | None, NodeState] = {
    None: ABSENT,
    "file": a_file(b"one"),
    "other file": a_file(b"two"),
    "link": SymlinkState(target="x"),
    "folder": DirectoryState(mode=0o755),
}


def a_tree(drawn: tuple[str | None, ...]) -> dict[str, NodeState]:
    """A tree that can exist: nothing lies below what is no folder."""
    tree: dict[str, NodeState] = {}
    for path, kind in zip(PATHS, drawn, strict=True):
        above = str(Path(path).parent)
        possible = above == "." or isinstance(tree[above], DirectoryState)
        tree[path] = STATES[kind] if possible else ABSENT
    return tree


TREES = st.tuples(*[NODES] * len(PATHS)).map(a_tree)


@given(before=TREES, after=TREES)
def test_every_tree_becomes_every_other_without_a_step_that_cannot_happen(
    before: dict[str, NodeState], after: dict[str, NodeState]
) -> None:
    tree = dict(before)
    changes = [PathChange(path=p, before=before[p], after=after[p]) for p in PATHS if before[p] != after[p]]
    steps = ordered_steps(changes, OperationId("s1"), moves={"a/d": "e/f", "e": "a"})
    for step in steps:
        for path, was, becomes in step.states():
            above = str(Path(path).parent)
            assert tree[path] == was, step
            assert above == "." or isinstance(becomes, Absent) or isinstance(tree[above], DirectoryState), step
            if step.action is Action.RMDIR:
                assert all(isinstance(tree[p], Absent) for p in PATHS if p.startswith(f"{path}/")), step
            tree[path] = becomes
    assert tree == after
    assert [step.n for step in steps] == list(range(len(steps)))
