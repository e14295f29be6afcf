"""The smallest changes of a simulated tree, each one path (or one move), each refused in words where it cannot be."""

import unicodedata
from dataclasses import dataclass

from tandem_desktop.domain.errors import StepRefusedError
from tandem_desktop.domain.operations import (
    ABSENT,
    NEW_FILE_MODE,
    Absent,
    CommandCall,
    DirectoryState,
    FileState,
    NodeState,
    OperationKind,
    SymlinkState,
)
from tandem_desktop.domain.paths import MAX_PATH_BYTES, shown
from tandem_desktop.staging.difference import NOUNS
from tandem_desktop.staging.simulated_tree import SimulatedTree

DROP = "Take the step out of the plan."
LOOK = "Look at what is there, then correct the step."


@dataclass(frozen=True, slots=True)
class Change:
    """What will be an operation once it has a name."""

    kind: OperationKind
    path: str | None = None
    to: str | None = None
    base: NodeState = ABSENT
    after: NodeState = ABSENT
    call: CommandCall | None = None


def write_file(tree: SimulatedTree, path: str, data: bytes, mode: int | None) -> Change:
    """A file with `data`; `mode` None keeps the mode there is, or gives a new file the usual one."""
    tree.check_parents(path)
    before = tree.state(path)
    if isinstance(before, DirectoryState | SymlinkState):
        raise refused(path, f"{shown(path)} is {NOUNS[before.type]} and cannot be written as a file", LOOK)
    if mode is not None:
        check_mode(path, mode, directory=False)
    kept = before.mode if isinstance(before, FileState) else NEW_FILE_MODE
    after = FileState(sha256=tree.keep(path, data), size=len(data), mode=kept if mode is None else mode)
    if after == before:
        raise refused(path, f"{shown(path)} already has exactly this content and mode", DROP)
    if isinstance(before, Absent):
        return _made(tree, Change(OperationKind.CREATE, path, after=after))
    return _made(tree, Change(OperationKind.MODIFY, path, base=before, after=after))


def make_link(tree: SimulatedTree, path: str, target: str) -> Change:
    """A symbolic link where nothing is."""
    _check_target(path, target)
    must_be_free(tree, path)
    return _made(tree, Change(OperationKind.SYMLINK, path, after=SymlinkState(target=target)))


def delete_one(tree: SimulatedTree, path: str) -> Change:
    """Whatever is at `path`, a directory only when it is empty."""
    before = must_exist(tree, path)
    return _made(tree, Change(OperationKind.DELETE, path, base=before))


def move_one(tree: SimulatedTree, path: str, to: str) -> Change:
    """One file or link to a free path."""
    state = must_exist(tree, path)
    return _made(tree, Change(OperationKind.MOVE, path, to, base=state, after=state))


def make_directory(tree: SimulatedTree, path: str, mode: int) -> Change:
    """An empty directory where nothing is."""
    must_be_free(tree, path)
    return _made(tree, Change(OperationKind.MKDIR, path, after=DirectoryState(mode=mode)))


def change_mode(tree: SimulatedTree, path: str, mode: int) -> Change:
    """Other permissions for a file or a directory."""
    before = must_exist(tree, path)
    if isinstance(before, SymlinkState):
        raise refused(path, f"{shown(path)} is a symbolic link, which has no mode of its own", "Name the file itself.")
    assert isinstance(before, FileState | DirectoryState)
    check_mode(path, mode, directory=isinstance(before, DirectoryState))
    if before.mode == mode:
        raise refused(path, f"{shown(path)} already has the mode {mode:04o}", DROP)
    return _made(tree, Change(OperationKind.CHMOD, path, base=before, after=before.model_copy(update={"mode": mode})))


def check_mode(path: str, mode: int, *, directory: bool) -> None:
    """Refuse permissions that hand the workspace to others, or lock Tandem out of undoing them."""
    needed = 0o500 if directory else 0o400
    reasons = (
        (mode & 0o4000, "set the user id on execution"),
        (mode & 0o2000, "set the group id on execution"),
        (mode & 0o1000, "set the sticky bit"),
        (mode & 0o0002, "let everybody write"),
        (mode & needed != needed, "keep even its owner from reading it, so that it could not be checked or undone"),
    )
    for is_so, reason in reasons:
        if is_so:
            raise refused(path, f"the mode {mode:04o} for {shown(path)} would {reason}", "Choose a mode such as 0755.")


def refused(path: str, reason: str, advice: str) -> StepRefusedError:
    return StepRefusedError(f"{reason}.", path=path, next=advice)


def must_exist(tree: SimulatedTree, path: str) -> NodeState:
    tree.check_parents(path)
    state = tree.state(path)
    if isinstance(state, Absent):
        raise refused(path, f"{shown(path)} does not exist", "Correct the path, or make it in an earlier step.")
    return state


def must_be_free(tree: SimulatedTree, path: str) -> None:
    tree.check_parents(path)
    state = tree.state(path)
    if not isinstance(state, Absent):
        raise refused(path, f"{shown(path)} already exists, as {NOUNS[state.type]}", "Choose a path that is free.")


def _check_target(path: str, target: str) -> None:
    reasons = (
        (not target, "is empty"),
        (any(unicodedata.category(character) == "Cc" for character in target), "contains a control character"),
        (any(unicodedata.category(character) == "Cs" for character in target), "contains half of a surrogate pair"),
        (len(target.encode(errors="replace")) > MAX_PATH_BYTES, f"is longer than {MAX_PATH_BYTES} bytes"),
    )
    for is_so, reason in reasons:
        if is_so:
            message = f"the target {shown(target)!r} of the link {shown(path)} {reason}"
            raise refused(path, message, "Give the link another target.")


def _made(tree: SimulatedTree, change: Change) -> Change:
    """Let `change` happen on the tree, its base kept."""
    assert change.path is not None
    if isinstance(change.base, FileState):
        tree.content(change.path)
    if isinstance(change.base, SymlinkState):
        _check_target(change.path, change.base.target)  # a target that is no text could not be recorded, nor restored
    if change.to is None:
        tree.become(change.path, change.after)
    else:
        must_be_free(tree, change.to)
        tree.become(change.path, ABSENT)
        tree.become(change.to, change.after)
    return change
