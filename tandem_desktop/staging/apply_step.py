"""What each tool means: one step becomes changes of single paths, made on a simulated tree as they are found."""

from collections.abc import Iterator

from tandem_desktop.domain.operations import (
    NEW_DIRECTORY_MODE,
    CommandCall,
    DirectoryState,
    FileState,
    OperationKind,
)
from tandem_desktop.domain.paths import check_path, folded, is_inside, shown
from tandem_desktop.domain.ports import ROOT
from tandem_desktop.staging.changes import (
    DROP,
    LOOK,
    Change,
    change_mode,
    delete_one,
    make_directory,
    make_link,
    move_one,
    must_exist,
    refused,
    write_file,
)
from tandem_desktop.staging.difference import NOUNS
from tandem_desktop.staging.patch_steps import apply_patches
from tandem_desktop.staging.plan_steps import (
    AnyStep,
    BashArgs,
    BashStep,
    ChmodArgs,
    ChmodStep,
    DeleteStep,
    EditArgs,
    EditStep,
    MkdirStep,
    MoveArgs,
    MoveStep,
    PatchStep,
    ReadStep,
    SymlinkArgs,
    SymlinkStep,
    WriteArgs,
    WriteStep,
)
from tandem_desktop.staging.replace_text import replaced
from tandem_desktop.staging.simulated_tree import SimulatedTree


def apply_step(step: AnyStep, tree: SimulatedTree) -> Iterator[Change]:
    """Make the step's changes on `tree`, one by one; a step that only reads makes none.

    Raises:
        StepRefusedError: the step does not apply to the tree.
        OutsideWorkspaceError: a path is not one a plan may name.
    """
    match step:
        case WriteStep(args=args):
            yield _write(tree, args)
        case EditStep(args=args):
            yield _edit(tree, args)
        case PatchStep(args=args):
            yield from apply_patches(tree, args.patches)
        case DeleteStep(args=args):
            yield from _delete(tree, check_path(args.path))
        case MoveStep(args=args):
            yield from _move(tree, args)
        case ChmodStep(args=args):
            yield _chmod(tree, args)
        case SymlinkStep(args=args):
            yield _symlink(tree, args)
        case MkdirStep(args=args):
            yield make_directory(tree, check_path(args.path), NEW_DIRECTORY_MODE)
        case BashStep(args=args):
            yield _command(tree, args)
        case ReadStep(args=args):
            check_path(args.path)


def _write(tree: SimulatedTree, args: WriteArgs) -> Change:
    path = _file_path(args.path)
    return write_file(tree, path, args.data, None if args.mode is None else int(args.mode, 8))


def _edit(tree: SimulatedTree, args: EditArgs) -> Change:
    path = check_path(args.path)
    before = must_exist(tree, path)
    if not isinstance(before, FileState):
        raise refused(path, f"{shown(path)} is {NOUNS[before.type]}, not a file that can be edited", LOOK)
    data = replaced(
        tree.content(path),
        path=path,
        old=args.old_string,
        new=args.new_string,
        replace_all=args.replace_all,
        check_size=lambda size: tree.check_size(path, size),
    )
    return write_file(tree, path, data, None)


def _delete(tree: SimulatedTree, path: str) -> Iterator[Change]:
    for entry in reversed(_with_all_inside(tree, path, backwards=True)):
        yield delete_one(tree, entry)


def _move(tree: SimulatedTree, args: MoveArgs) -> Iterator[Change]:
    path, to = check_path(args.path), check_path(args.to)
    must_exist(tree, path)
    if path == to:
        raise refused(path, f"{shown(path)} would be moved onto itself", DROP)
    if is_inside(to, path):
        raise refused(path, f"{shown(path)} cannot be moved into itself, to {shown(to)}", "Choose a path outside it.")
    if folded(path) == folded(to):
        reason = f"{shown(path)} and {shown(to)} differ only in case or accents, and are one file on many disks"
        raise refused(path, reason, "Choose a name that differs in more than case.")
    entries = _with_all_inside(tree, path)
    directories = []
    for entry in entries:
        target = check_path(to + entry.removeprefix(path))
        state = tree.state(entry)
        if isinstance(state, DirectoryState):
            directories.append(entry)
            yield make_directory(tree, target, state.mode)
        else:
            yield move_one(tree, entry, target)
    for directory in reversed(directories):
        yield delete_one(tree, directory)


def _chmod(tree: SimulatedTree, args: ChmodArgs) -> Change:
    return change_mode(tree, check_path(args.path), int(args.mode, 8))


def _symlink(tree: SimulatedTree, args: SymlinkArgs) -> Change:
    return make_link(tree, _file_path(args.path), args.target)


def _command(tree: SimulatedTree, args: BashArgs) -> Change:
    cwd = ROOT if args.cwd in (ROOT, "./") else check_path(args.cwd)
    if not tree.is_directory(cwd):
        raise refused(cwd, f"the command would run in {shown(cwd)}, which is not a directory", "Correct its cwd.")
    call = CommandCall(command=args.command, cwd=cwd, env=tuple(sorted(args.env.items())), timeout_s=args.timeout_s)
    return Change(OperationKind.COMMAND, call=call)


def _file_path(text: str) -> str:
    path = check_path(text)
    if text.endswith("/"):
        raise refused(path, f"{shown(text)} ends with a slash and so names a directory", "Leave the slash out.")
    return path


def _with_all_inside(tree: SimulatedTree, path: str, *, backwards: bool = False) -> list[str]:
    """`path` and everything below it, each directory before what is in it, names in order or backwards."""
    must_exist(tree, path)
    found: list[str] = []
    waiting = [path]
    while waiting:
        entry = waiting.pop()
        found.append(entry)
        if isinstance(tree.state(entry), DirectoryState):
            names = tree.children(entry)
            waiting.extend(check_path(f"{entry}/{name}") for name in (names if backwards else reversed(names)))
    return found
