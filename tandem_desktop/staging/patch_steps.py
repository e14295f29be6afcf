"""Converts patches to plan steps and applies them to a simulated tree."""

import os
from collections.abc import Iterator
from dataclasses import replace

from tandem_desktop.diff.patch import FilePatch, apply_patch, parse_patch
from tandem_desktop.domain.operations import FileState, SymlinkState
from tandem_desktop.domain.paths import ancestors, check_path, is_inside, shown
from tandem_desktop.staging.changes import (
    DROP,
    LOOK,
    NOUNS,
    TreeChange,
    change_mode,
    delete_one,
    make_link,
    move_one,
    must_be_free,
    must_exist,
    refused,
    write_file,
)
from tandem_desktop.staging.simulated_tree import SimulatedTree
from tandem_desktop.staging.steps import PatchArgs, PatchStep, PlanInput

_LINK = 0o120000
_TYPE_BITS = 0o170000
_PERMISSIONS = 0o7777
_EXECUTABLE = 0o111


def apply_patches(tree: SimulatedTree, patches: tuple[FilePatch, ...]) -> Iterator[TreeChange]:
    """Make the changes of one diff on `tree`. As with git, a folder goes with the last thing in it.

    Raises:
        StepRefusedError: a file is not what the diff was made for.
    """
    for file_patch in with_emptied_folders(in_applicable_order(patches)):
        yield from _apply(tree, file_patch)
        for folder in file_patch.empties or ():
            if tree.is_directory(folder) and not tree.children(folder):
                yield delete_one(tree, folder)


def in_applicable_order(patches: tuple[FilePatch, ...]) -> list[FilePatch]:
    """Deletions first, then renames, each after those that free its new path, then the rest.

    A diff relates one tree to another; applied file by file, the order matters. If a path occurs twice it is a series
    of diffs, whose order is kept.
    """
    if len({patch.path for patch in patches}) != len(patches):
        return list(patches)
    deletions = [patch for patch in patches if patch.is_deleted]
    renames = [patch for patch in patches if is_rename(patch)]
    rest = [patch for patch in patches if not patch.is_deleted and not is_rename(patch)]
    return [*deletions, *_renames_in_order(renames), *rest]


def _renames_in_order(renames: list[FilePatch]) -> list[FilePatch]:
    """Each after those whose old path is its new one, a folder above it, or something in a folder of its name."""
    by_path = {patch.path: patch for patch in renames}
    inside: dict[str, list[FilePatch]] = {}
    for patch in renames:
        for folder in ancestors(patch.path):
            inside.setdefault(folder, []).append(patch)

    def before(patch: FilePatch) -> Iterator[FilePatch]:
        to = patch.to or ""
        yield from (by_path[path] for path in (to, *ancestors(to)) if path in by_path)
        yield from inside.get(to, ())

    ordered: list[FilePatch] = []
    seen: set[str] = set()
    for start in renames:
        waiting = [] if start.path in seen else [(start, before(start))]
        seen.add(start.path)
        while waiting:
            patch, blockers = waiting[-1]
            following = next((each for each in blockers if each.path not in seen), None)
            if following is None:
                ordered.append(patch)
                waiting.pop()
            else:
                seen.add(following.path)
                waiting.append((following, before(following)))
    return ordered


def with_emptied_folders(patches: list[FilePatch]) -> list[FilePatch]:
    """The patches, each with the folders that no later one takes something from or puts something into.

    A patch that was part of a larger diff has them already.
    """
    later: set[str] = set()
    found: list[FilePatch] = []
    for patch in reversed(patches):
        leaves = _folders_above(patch.path) if patch.is_deleted or is_rename(patch) else ()
        filled = () if patch.is_deleted else _folders_above(patch.to or patch.path)
        empties = tuple(folder for folder in leaves if folder not in later and folder not in filled)
        found.append(replace(patch, empties=empties) if patch.empties is None else patch)
        later.update(leaves, filled)
    return found[::-1]


def _folders_above(path: str) -> list[str]:
    """Innermost first, spelt as a checked path is."""
    return ancestors("/".join(name for name in path.split("/") if name not in ("", ".")))[::-1]


def is_rename(patch: FilePatch) -> bool:
    return patch.to is not None and patch.to != patch.path


def _apply(tree: SimulatedTree, patch: FilePatch) -> Iterator[TreeChange]:
    path = check_path(patch.path)
    if patch.is_new:
        yield from _make_way(tree, path)
        yield _create(tree, path, patch)
        return
    if patch.is_deleted:
        yield _delete(tree, path, patch)
        return
    state = must_exist(tree, path)
    if isinstance(state, SymlinkState):
        yield from _change_link(tree, path, patch)
        return
    if not isinstance(state, FileState):
        raise refused(path, f"{shown(path)} is {NOUNS[state.type]}, and the patch is for a file", LOOK)
    yield from _change_file(tree, path, patch)


def _make_way(tree: SimulatedTree, path: str) -> Iterator[TreeChange]:
    """Remove folders that contain only empty folders: a diff, like git, has no empty folders."""
    if tree.is_directory(path) and _is_hollow(tree, path):
        for name in tree.children(path):
            yield from _make_way(tree, f"{path}/{name}")
        yield delete_one(tree, path)


def _is_hollow(tree: SimulatedTree, folder: str) -> bool:
    inside = [f"{folder}/{name}" for name in tree.children(folder)]
    return all(tree.is_directory(each) and _is_hollow(tree, each) for each in inside)


def _create(tree: SimulatedTree, path: str, patch: FilePatch) -> TreeChange:
    must_be_free(tree, path)
    data = apply_patch(b"", patch)
    if _is_link(patch.new_mode):
        return make_link(tree, path, os.fsdecode(data))
    return write_file(tree, path, data, None if patch.new_mode is None else patch.new_mode & _PERMISSIONS)


def _delete(tree: SimulatedTree, path: str, patch: FilePatch) -> TreeChange:
    state = must_exist(tree, path)
    if not isinstance(state, FileState | SymlinkState):
        raise refused(path, f"{shown(path)} is {NOUNS[state.type]}, and the patch deletes a file", LOOK)
    before = os.fsencode(state.target) if isinstance(state, SymlinkState) else tree.content(path)
    apply_patch(before, patch)  # raises for states the patch does not know
    return delete_one(tree, path)


def _change_link(tree: SimulatedTree, path: str, patch: FilePatch) -> Iterator[TreeChange]:
    state = tree.state(path)
    assert isinstance(state, SymlinkState)
    if not _is_link(patch.new_mode if patch.new_mode is not None else patch.old_mode) and patch.hunks:
        raise refused(path, f"{shown(path)} is a symbolic link, and the patch is for a file", LOOK)
    target = os.fsdecode(apply_patch(os.fsencode(state.target), patch)) if patch.hunks else state.target
    if is_rename(patch) and target == state.target:
        yield from _rename(tree, path, check_path(patch.to or path))
        return
    if target == state.target:
        raise refused(path, f"the patch changes nothing in {shown(path)}", DROP)
    to = check_path(patch.to or path)
    yield delete_one(tree, path)
    yield from _make_way(tree, to)
    yield make_link(tree, to, target)


def _rename(tree: SimulatedTree, path: str, to: str) -> Iterator[TreeChange]:
    """A move; where a file becomes a folder of its own name, or a folder a file, no move can do it."""
    if not is_inside(to, path) and not is_inside(path, to):
        yield from _make_way(tree, to)
        yield move_one(tree, path, to)
        return
    state = tree.state(path)
    data = tree.content(path) if isinstance(state, FileState) else b""
    yield delete_one(tree, path)
    yield from _make_way(tree, to)
    must_be_free(tree, to)
    if isinstance(state, SymlinkState):
        yield make_link(tree, to, state.target)
    elif isinstance(state, FileState):
        yield write_file(tree, to, data, state.mode)


def _change_file(tree: SimulatedTree, path: str, patch: FilePatch) -> Iterator[TreeChange]:
    if _is_link(patch.new_mode) or _is_link(patch.old_mode):
        raise refused(path, f"{shown(path)} is a file, and the patch is for a symbolic link", LOOK)
    before = tree.content(path)
    data = apply_patch(before, patch) if patch.hunks else before
    if is_rename(patch):
        to = check_path(patch.to or path)
        yield from _rename(tree, path, to)
        path = to
    state = tree.state(path)
    assert isinstance(state, FileState)
    mode = _changed_mode(state.mode, patch)
    if data != before:
        yield write_file(tree, path, data, mode)
    elif mode is not None and mode != state.mode:
        yield change_mode(tree, path, mode)
    elif not is_rename(patch):
        raise refused(path, f"the patch changes nothing in {shown(path)}", DROP)


def _changed_mode(there: int, patch: FilePatch) -> int | None:
    """The mode after the patch. git only knows executable or not, so for its two usual modes only that bit is used."""
    if patch.new_mode is None or patch.new_mode == patch.old_mode:
        return None
    mode = patch.new_mode & _PERMISSIONS
    if mode == 0o755:
        return there | (there & 0o444) >> 2
    return there & ~_EXECUTABLE if mode == 0o644 else mode


def _is_link(mode: int | None) -> bool:
    return mode is not None and mode & _TYPE_BITS == _LINK


def plan_from_patch(raw: bytes, *, title: str = "") -> PlanInput:
    """The plan for the unified diff in `raw`. Its steps have no description: nobody has said anything about them.

    Raises:
        StepRefusedError: it is no diff, or not one of text.
    """
    patches = with_emptied_folders(in_applicable_order(parse_patch(raw)))
    steps = tuple(
        PatchStep(id=f"s{position}", tool="patch", description="", args=PatchArgs(diff=patch))
        for position, patch in enumerate(patches, start=1)
    )
    usual = in_words(patches[0]) if len(patches) == 1 else f"Apply a patch to {len(steps)} files"
    return PlanInput(title=title.strip() or usual, steps=steps)


def in_words(patch: FilePatch) -> str:
    """What the patch does to its file, for a list."""
    path = shown(patch.path)
    if patch.is_new:
        return f"Create {path}"
    if patch.is_deleted:
        return f"Delete {path}"
    parts = []
    if is_rename(patch):
        parts.append(f"rename {path} to {shown(patch.to or path)}")
    if patch.hunks:
        places = "1 place" if len(patch.hunks) == 1 else f"{len(patch.hunks)} places"
        parts.append(f"change {'it' if parts else path} in {places}")
    if patch.new_mode is not None and patch.new_mode != patch.old_mode:
        parts.append(f"give {'it' if parts else path} the mode {patch.new_mode & 0o7777:04o}")
    summary = " and ".join(parts) or f"patch {path}"
    return summary[0].upper() + summary[1:]
