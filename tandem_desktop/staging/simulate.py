"""Simulates a plan in memory and returns its operations or problems."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from tandem_desktop.domain.errors import StepRefusedError, StorageError, TandemError
from tandem_desktop.domain.ids import OperationId, TaskId
from tandem_desktop.domain.operations import (
    NEW_DIRECTORY_MODE,
    CommandCall,
    DirectoryState,
    ExternalCall,
    FileState,
    NodeState,
    OperationKind,
    StagedOperation,
)
from tandem_desktop.domain.paths import ROOT, check_path, folded, is_inside, shown
from tandem_desktop.domain.plan import Note
from tandem_desktop.domain.ports import SourceTree
from tandem_desktop.staging.changes import (
    DROP,
    LOOK,
    NOUNS,
    TreeChange,
    change_mode,
    delete_one,
    difference,
    make_directory,
    make_link,
    move_one,
    must_exist,
    refused,
    told,
    write_file,
)
from tandem_desktop.staging.patch_steps import apply_patches
from tandem_desktop.staging.simulated_tree import MAX_FILE_BYTES, MAX_PLAN_BYTES, SimulatedTree
from tandem_desktop.staging.steps import (
    AnyStep,
    BashArgs,
    BashStep,
    ChmodArgs,
    ChmodStep,
    DeleteStep,
    EditArgs,
    EditStep,
    ExternalStep,
    MkdirStep,
    MoveArgs,
    MoveStep,
    PatchStep,
    PlanInput,
    ReadStep,
    StepOrder,
    SymlinkArgs,
    SymlinkStep,
    WriteArgs,
    WriteStep,
)


def replaced(
    data: bytes,
    *,
    path: str,
    old: str,
    new: str,
    replace_all: bool,
    check_size: Callable[[int], None],
) -> bytes:
    """`data` with `old` replaced by `new`, once or everywhere.

    `check_size` is asked before a result of that many bytes is made.

    Raises:
        StepRefusedError: `old` is empty, equal to `new`, absent, or there several times without `replace_all`.
    """
    name = shown(path)
    if not old:
        raise _refused(path, "old_string is empty", "Name the text to replace, or use write for a whole file.")
    if old == new:
        raise _refused(path, "old_string and new_string are the same", "Take the step out of the plan.")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        advice = "Use write with content_base64 to replace the whole file."
        raise _refused(path, f"{name} is not UTF-8 text and cannot be edited by text", advice) from None
    before, after = old.encode(), new.encode()
    first = data.find(before)
    if first < 0:
        raise _refused(path, f"old_string is not in {name}{_line_ending_hint(data, before)}", "Read the file again.")
    count = data.count(before)
    if not replace_all and data.find(before, first + 1) >= 0:
        advice = "Give more of the text around it, or set replace_all."
        # Matches that overlap count once, but are still more than one place.
        raise _refused(path, f"old_string is in {name} {max(count, 2)} times, and must be there once", advice)
    check_size(len(data) + count * (len(after) - len(before)))
    return data.replace(before, after)


def _line_ending_hint(data: bytes, old: bytes) -> str:
    if b"\r\n" not in old and old.replace(b"\n", b"\r\n") in data:
        return " as it is written; the file has CRLF line endings, old_string has LF"
    if b"\r\n" in old and old.replace(b"\r\n", b"\n") in data:
        return " as it is written; the file has LF line endings, old_string has CRLF"
    return ""


def _refused(path: str, reason: str, advice: str) -> StepRefusedError:
    return StepRefusedError(f"{reason}.", path=path, next=advice)


def apply_step(step: AnyStep, tree: SimulatedTree) -> Iterator[TreeChange]:
    """Apply the step's changes to `tree`, one by one; a step that only reads has none.

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
        case ExternalStep(args=args):
            call = ExternalCall.of(args.tool, args.arguments, args.target)
            yield TreeChange(OperationKind.EXTERNAL, call=call)
        case ReadStep(args=args):
            check_path(args.path)


def _write(tree: SimulatedTree, args: WriteArgs) -> TreeChange:
    path = _file_path(args.path)
    return write_file(tree, path, args.data, None if args.mode is None else int(args.mode, 8))


def _edit(tree: SimulatedTree, args: EditArgs) -> TreeChange:
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


def _delete(tree: SimulatedTree, path: str) -> Iterator[TreeChange]:
    for entry in reversed(_with_all_inside(tree, path, backwards=True)):
        yield delete_one(tree, entry)


def _move(tree: SimulatedTree, args: MoveArgs) -> Iterator[TreeChange]:
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


def _chmod(tree: SimulatedTree, args: ChmodArgs) -> TreeChange:
    return change_mode(tree, check_path(args.path), int(args.mode, 8))


def _symlink(tree: SimulatedTree, args: SymlinkArgs) -> TreeChange:
    return make_link(tree, _file_path(args.path), args.target)


def _command(tree: SimulatedTree, args: BashArgs) -> TreeChange:
    cwd = ROOT if args.cwd in (ROOT, "./") else check_path(args.cwd)
    if not tree.is_directory(cwd):
        raise refused(cwd, f"the command would run in {shown(cwd)}, which is not a directory", "Correct its cwd.")
    call = CommandCall(command=args.command, cwd=cwd, env=tuple(sorted(args.env.items())), timeout_s=args.timeout_s)
    return TreeChange(OperationKind.COMMAND, call=call)


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


MAX_DEPENDENCIES = 1_000_000


@dataclass(frozen=True, slots=True)
class Simulation:
    """The operations of a plan in one workspace."""

    operations: tuple[StagedOperation, ...]
    contents: dict[str, bytes]
    """The bytes of every base and every after, by SHA-256."""
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """An operation that does not apply, and why."""

    step: str
    reason: str


def simulate_steps(
    plan: PlanInput,
    source: SourceTree,
    now: datetime,
    *,
    max_file_bytes: int = MAX_FILE_BYTES,
    max_plan_bytes: int = MAX_PLAN_BYTES,
) -> Simulation:
    """Turn every step into operations, each on the tree the earlier ones leave behind.

    Raises:
        StepRefusedError: a step does not apply; nothing is made.
        OutsideWorkspaceError: a step names a path that no plan may touch.
    """
    order = StepOrder(plan)
    tree = SimulatedTree(source, max_file_bytes=max_file_bytes, max_plan_bytes=max_plan_bytes)
    operations: list[StagedOperation] = []
    notes: list[Note] = []
    ids_of: dict[str, tuple[OperationId, ...]] = {}
    waiting = _StepDependencies(order, ids_of)
    for step in plan.steps:
        changes = _changes(step, tree)
        ids_of[step.id] = _ids(step.id, len(changes))
        blocked_by = waiting.operations_before(step, len(changes))
        operations.extend(
            _operation(step, name, change, blocked_by, now)
            for name, change in zip(ids_of[step.id], changes, strict=True)
        )
        notes += _noted(step)
    return Simulation(tuple(operations), tree.contents, tuple(notes))


def simulate_parts(
    parts: Sequence[StagedOperation | AnyStep], source: SourceTree, stored: Callable[[str], bytes], now: datetime
) -> Simulation:
    """Reviewed operations and new steps, applied in order to one tree.

    A part may depend on any earlier one by id; `stored` returns the bytes of the operations by SHA-256.

    Raises:
        StepRefusedError: one of them does not apply on what the earlier ones leave; nothing is made.
        OutsideWorkspaceError: a step names a path that no plan may touch.
    """
    left = _LeftBehind(source, stored)
    tree = SimulatedTree(left)
    made: list[StagedOperation] = []
    notes: list[Note] = []
    ids_of: dict[str, tuple[OperationId, ...]] = {}
    for part in parts:
        waits_for = _earlier(part, ids_of)
        if isinstance(part, StagedOperation):
            found = [_kept(part.model_copy(update={"blocked_by": waits_for}), tree, left)]
        else:
            changes = _changes(part, tree)
            names = _ids(part.id, len(changes))
            found = [_operation(part, *each, waits_for, now) for each in zip(names, changes, strict=True)]
            notes += _noted(part)
        made += found
        ids_of[part.id] = tuple(operation.id for operation in found) or waits_for
    return Simulation(tuple(made), tree.contents, tuple(notes))


def simulate_operations(operations: tuple[StagedOperation, ...], source: SourceTree) -> tuple[Problem, ...]:
    """Check staged operations, in order, against the current tree. One that does not apply is left out."""
    tree = SimulatedTree(source)
    problems: list[Problem] = []
    every = {operation.id for operation in operations}
    earlier: set[OperationId] = set()
    for operation in operations:
        try:
            _check_blockers(operation, earlier, every)
            _replay(operation, tree)
        except TandemError as error:
            problems.append(Problem(operation.id, error.message))
        earlier.add(operation.id)
    return tuple(problems)


class _StepDependencies:
    """The dependencies as operation ids; equal results share one tuple."""

    def __init__(self, order: StepOrder, ids_of: dict[str, tuple[OperationId, ...]]) -> None:
        self._order = order
        self._ids_of = ids_of
        self._answers: dict[tuple[tuple[str, ...], str | None], tuple[OperationId, ...]] = {}
        self._total = 0

    def operations_before(self, step: AnyStep, count: int) -> tuple[OperationId, ...]:
        question = (step.blocked_by, step.task)
        answer = self._answers.get(question)
        if answer is None:
            answer = tuple(name for before in self._order.waits_for(step) for name in self._ids_of[before])
            self._answers[question] = answer
        self._total += len(answer) * count
        if self._total > MAX_DEPENDENCIES:
            raise StepRefusedError(
                f"Step {step.id}: the operations of the plan wait for each other {MAX_DEPENDENCIES:,} times and more.",
                step=step.id,
                next="Use fewer dependencies, or split the plan.",
            )
        return answer


def _noted(step: AnyStep) -> list[Note]:
    if not isinstance(step, ReadStep):
        return []
    return [Note(step=step.id, tool=step.tool, path=check_path(step.args.path), description=step.description)]


def _earlier(part: StagedOperation | AnyStep, ids_of: dict[str, tuple[OperationId, ...]]) -> tuple[OperationId, ...]:
    for name in part.blocked_by:
        if name not in ids_of:
            raise StepRefusedError(f"{part.id} waits for {shown(name)}, which does not come before it.", step=part.id)
    return tuple(dict.fromkeys(each for name in part.blocked_by for each in ids_of[name]))


def _kept(operation: StagedOperation, tree: SimulatedTree, left: "_LeftBehind") -> StagedOperation:
    try:
        _replay(operation, tree)
    except TandemError as error:
        raise StepRefusedError(
            f"{operation.id} no longer applies: {error.message}", path=error.path, step=operation.id, next=error.next
        ) from error
    left.remember(operation)
    return operation


class _LeftBehind:
    """The source, with the bytes of replayed operations; each is read only if a later step needs it."""

    def __init__(self, source: SourceTree, stored: Callable[[str], bytes]) -> None:
        self._source = source
        self._stored = stored
        self._left: dict[str, str] = {}
        self.state = source.state
        self.children = source.children

    def remember(self, operation: StagedOperation) -> None:
        if isinstance(operation.after, FileState):
            self._left[operation.to or operation.path or ""] = operation.after.sha256

    def read(self, path: str) -> bytes:
        known = self._left.get(path)
        return self._source.read(path) if known is None else self._stored(known)


def _changes(step: AnyStep, tree: SimulatedTree) -> list[TreeChange]:
    try:
        return list(apply_step(step, tree))
    except StorageError as error:
        # Nothing ran, so an unreadable file is a step that does not apply.
        raise StepRefusedError(
            f"Step {step.id}: {error.message}", path=error.path, step=step.id, next=error.next
        ) from error
    except TandemError as error:
        error.step = step.id
        error.message = f"Step {step.id}: {error.message}"
        error.args = (error.message,)
        raise


def _ids(step: str, count: int) -> tuple[OperationId, ...]:
    if count == 1:
        return (OperationId(step),)
    return tuple(OperationId(f"{step}.{number}") for number in range(1, count + 1))


def _operation(
    step: AnyStep, name: OperationId, change: TreeChange, blocked_by: tuple[OperationId, ...], now: datetime
) -> StagedOperation:
    return StagedOperation(
        id=name,
        kind=change.kind,
        path=change.path,
        to=change.to,
        base=change.base,
        after=change.after,
        call=change.call,
        blocked_by=blocked_by,
        tool=step.tool,
        task=None if step.task is None else TaskId(step.task),
        description=step.description,
        rationale=step.rationale,
        risk=step.risk,
        staged_at=now,
    )


def _check_blockers(operation: StagedOperation, earlier: set[OperationId], every: set[OperationId]) -> None:
    for blocker in operation.blocked_by:
        if blocker not in earlier:
            what = "comes later" if blocker in every else "is not in the plan"
            raise StepRefusedError(f"{operation.id} waits for {blocker}, which {what}.")


def _replay(operation: StagedOperation, tree: SimulatedTree) -> None:
    if (call := operation.command_call) is not None:
        cwd = call.cwd
        if cwd != ROOT and not tree.is_directory(check_path(cwd)):
            raise StepRefusedError(f"{shown(cwd)}, where the command would run, is not a directory.")
    for change in operation.changes():
        check_path(change.path)
        tree.check_parents(change.path)
        _must_be(tree, change.path, change.before)
    for change in operation.changes():
        tree.become(change.path, change.after)


def _must_be(tree: SimulatedTree, path: str, expected: NodeState) -> None:
    found = tree.state(path)
    differs = difference(expected, found)
    if differs is not None:
        raise StepRefusedError(f"{shown(path)} {told(differs, expected, found)}.", path=path)
