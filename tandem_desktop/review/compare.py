"""Compares two revisions operation by operation."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tandem_desktop.diff.hunks import Hunk, hunks
from tandem_desktop.diff.lines import changes
from tandem_desktop.diff.text import split_lines
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import (
    CommandCall,
    FileState,
    NodeState,
    OperationCall,
    OperationKind,
    StagedOperation,
)
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.ports import SourceTree
from tandem_desktop.review.rebase import PathHistory, chains
from tandem_desktop.staging.hazards import flags
from tandem_desktop.storage.objects import ObjectStore


class ComparedOperation(Frozen):
    """One operation in a comparison; `earlier_id` is its id in the older revision, if it existed."""

    id: OperationId
    kind: OperationKind
    path: str | None = None
    to: str | None = None
    command: str | None = None
    earlier_id: OperationId | None = None

    @property
    def name(self) -> str:
        """The path, or the command's text."""
        return self.path or self.command or ""


class Comparison(Frozen):
    """What the newer revision does differently. `removed` names operations of the older one, the rest of the newer."""

    added: tuple[ComparedOperation, ...] = ()
    removed: tuple[ComparedOperation, ...] = ()
    changed: tuple[ComparedOperation, ...] = ()
    reordered: tuple[ComparedOperation, ...] = ()
    """The fewest operations that have to be moved to turn the old order into the new one."""
    text_changed: bool = False

    @property
    def is_empty(self) -> bool:
        return self == Comparison()


class _Pair(NamedTuple):
    old: int
    new: int


def compare(old: PlanVersion, new: PlanVersion) -> Comparison:
    """Pair operations by what they work on, not by title, and find the pairs that differ in effect.

    An operation works on its path, followed back through the moves of its plan, or on its command and directory. A
    created file that was only renamed is still the same operation. Ids only distinguish several operations on one
    thing.
    """
    pairs = _paired(old.operations, new.operations)
    earlier = {pair.new: old.operations[pair.old].id for pair in pairs}
    renamed = {old.operations[pair.old].id: new.operations[pair.new].id for pair in pairs}
    kept_in_place = _longest_rise([pair.old for pair in pairs])

    def named(position: int) -> ComparedOperation:
        return _named(new.operations[position], earlier.get(position))

    old_paired = {pair.old for pair in pairs}
    return Comparison(
        added=tuple(named(position) for position in range(len(new.operations)) if position not in earlier),
        removed=tuple(
            _named(operation) for position, operation in enumerate(old.operations) if position not in old_paired
        ),
        changed=tuple(
            named(pair.new)
            for pair in pairs
            if _effect(old.operations[pair.old], renamed) != _effect(new.operations[pair.new])
        ),
        reordered=tuple(named(pair.new) for place, pair in enumerate(pairs) if place not in kept_in_place),
        text_changed=old.content != new.content,
    )


_CONTEXT = 3
"""Lines around a change that a rebase must leave as they were."""


def why_not_same_patch(old: PlanVersion, new: PlanVersion, disk: SourceTree, objects: ObjectStore) -> str:
    """Why a rebased revision is not provably the patch that the earlier one is; empty if it is.

    It is the same patch if each operation does the same to the same path, with equal lines taken out and put in
    between equal lines that stand in the file once, and brings no new flag. An operation is left out only where the
    disk has its result already.

    Raises:
        StorageError: stored bytes are missing or altered.
    """
    if (old.title, old.content, old.context) != (new.title, new.content, new.context):
        return "its text is another one"
    if any(operation.is_run for operation in new.operations):
        return "it runs commands, which may do something else on other files"
    kept = {operation.id: operation for operation in new.operations}
    histories = chains(old.operations)
    for operation in old.operations:
        history = histories.get(operation.id)
        if operation.id not in kept and (history is None or not _is_there(history, disk)):
            return f"{operation.id} is left out"
    earlier = [operation for operation in old.operations if operation.id in kept]
    if [each.id for each in earlier] != [each.id for each in new.operations]:
        return "its operations are others, or in another order"
    for one, other in zip(earlier, new.operations, strict=True):
        if reason := _why_not_same_change(one, other, kept.keys(), objects):
            return f"{one.id}: {reason}"
    return ""


def _is_there(history: PathHistory, disk: SourceTree) -> bool:
    return history.last_path == history.path and disk.state(history.path) == history.after


def _why_not_same_change(
    old: StagedOperation, new: StagedOperation, kept: Collection[OperationId], objects: ObjectStore
) -> str:
    blocked_by = tuple(each for each in old.blocked_by if each in kept)
    if (old.kind, old.path, old.to, blocked_by, old.task) != (new.kind, new.path, new.to, new.blocked_by, new.task):
        return "it is another operation"
    if (old.base, old.after) == (new.base, new.after):
        return ""
    states = (old.base, old.after, new.base, new.after)
    if not all(isinstance(state, FileState) for state in states) or old.to is not None:
        return "it meets something else on disk"
    if [_mode(state) for state in states[:2]] != [_mode(state) for state in states[2:]]:
        return "the mode is another one"
    was, becomes, is_now, will_be = (objects.read_state(state) or b"" for state in states)
    if not set(flags(new, is_now, will_be)) <= set(flags(old, was, becomes)):
        return "it needs attention for another reason"
    one, other = _patch(was, becomes), _patch(is_now, will_be)
    if one is None or one != other:
        return "the changed lines, or the lines around them, are others"
    if any(is_now.count(b"".join((*each.above, *each.removed, *each.below))) != 1 for each in other):
        return "the changed lines stand in the file more than once"
    return ""


def _mode(state: NodeState) -> int | None:
    return state.mode if isinstance(state, FileState) else None


class _PatchedLines(NamedTuple):
    """One change with the lines around it."""

    above: list[bytes]
    removed: list[bytes]
    added: list[bytes]
    below: list[bytes]


def _patch(before: bytes, after: bytes) -> list[_PatchedLines] | None:
    """Every change; None of what is not text."""
    if b"\0" in before or b"\0" in after:
        return None
    old, new = split_lines(before), split_lines(after)
    return [
        _PatchedLines(
            old[max(0, each.old_start - _CONTEXT) : each.old_start],
            old[each.old_start : each.old_end],
            new[each.new_start : each.new_end],
            old[each.old_end : each.old_end + _CONTEXT],
        )
        for each in changes(old, new)
    ]


def counterparts(old: PlanVersion, new: PlanVersion) -> dict[OperationId, OperationId]:
    """The matching operation of the newer revision for each older one; removed ones are left out."""
    pairs = _paired(old.operations, new.operations)
    return {old.operations[pair.old].id: new.operations[pair.new].id for pair in pairs}


def known_again(old: PlanVersion, new: PlanVersion) -> dict[OperationId, OperationId]:
    """The operations of `new` that `old` had already, by id, each with its id there."""
    pairs = _paired(old.operations, new.operations)
    return {new.operations[pair.new].id: old.operations[pair.old].id for pair in pairs}


def _paired(old: Sequence[StagedOperation], new: Sequence[StagedOperation]) -> list[_Pair]:
    """Pairs in the order of the newer revision; stronger criteria are tried first."""
    old_subjects, new_subjects = _subjects(old), _subjects(new)
    free_old, free_new = dict.fromkeys(range(len(old))), dict.fromkeys(range(len(new)))
    pairs: list[_Pair] = []

    def pair_by(old_key: Callable[[int], Hashable], new_key: Callable[[int], Hashable]) -> None:
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for position in reversed(free_old):
            waiting[old_key(position)].append(position)
        for position in tuple(free_new):
            key = new_key(position)
            if key is not None and waiting.get(key):
                pair = _Pair(waiting[key].pop(), position)
                del free_old[pair.old], free_new[pair.new]
                pairs.append(pair)

    pair_by(lambda at: (old_subjects[at], _outcome(old[at])), lambda at: (new_subjects[at], _outcome(new[at])))
    # Several operations on one thing: match by same result, then same id, then order.
    pair_by(lambda at: (old_subjects[at], _leaves(old[at])), lambda at: (new_subjects[at], _leaves(new[at])))
    pair_by(
        lambda at: (old_subjects[at], old[at].kind, old[at].id), lambda at: (new_subjects[at], new[at].kind, new[at].id)
    )
    pair_by(lambda at: (old_subjects[at], old[at].kind), lambda at: (new_subjects[at], new[at].kind))
    pair_by(old_subjects.__getitem__, new_subjects.__getitem__)
    pair_by(lambda at: _created(old[at]), lambda at: _created(new[at]))
    return sorted(pairs, key=lambda pair: pair.new)


def _subjects(operations: Sequence[StagedOperation]) -> list[Hashable]:
    origin: dict[str, str] = {}
    subjects: list[Hashable] = []
    for operation in operations:
        if operation.path is None:
            subjects.append(_subject_of_call(operation.call))
            continue
        subject = origin.get(operation.path, operation.path)
        subjects.append(subject)
        if operation.to is not None:
            origin.pop(operation.path, None)  # a file created there later is another one
            origin[operation.to] = subject
    return subjects


def _subject_of_call(call: OperationCall | None) -> Hashable:
    return (call.command, call.cwd) if isinstance(call, CommandCall) else call


def _outcome(operation: StagedOperation) -> Hashable:
    return operation.kind, operation.path, operation.to, operation.base, operation.after, operation.call


def _leaves(operation: StagedOperation) -> Hashable:
    return operation.kind, operation.path, operation.to, operation.after, operation.call


def _created(operation: StagedOperation) -> Hashable:
    """A new file by its bytes; an empty one is not distinctive."""
    if operation.base.type == "absent" and operation.after.type == "file" and operation.after.size:
        return operation.after.sha256
    return None


def _effect(operation: StagedOperation, renamed: Mapping[OperationId, OperationId] | None = None) -> Hashable:
    """Everything that has an effect, except step ids.

    With `renamed`, dependencies use the newer ids; one on a removed operation equals no other.
    """
    if renamed is None:
        return _outcome(operation), frozenset(operation.blocked_by)
    return _outcome(operation), frozenset(renamed.get(each) for each in operation.blocked_by)


def _longest_rise(numbers: Sequence[int]) -> set[int]:
    """The positions of a longest increasing subsequence of `numbers`."""
    tails: list[int] = []
    tail_places: list[int] = []
    before: list[int] = []
    for place, number in enumerate(numbers):
        length = bisect_left(tails, number)
        before.append(tail_places[length - 1] if length else -1)
        tails[length : length + 1] = [number]
        tail_places[length : length + 1] = [place]
    kept: set[int] = set()
    place = tail_places[-1] if tail_places else -1
    while place >= 0:
        kept.add(place)
        place = before[place]
    return kept


def _named(operation: StagedOperation, earlier_id: OperationId | None = None) -> ComparedOperation:
    return ComparedOperation(
        id=operation.id,
        kind=operation.kind,
        path=operation.path,
        to=operation.to,
        command=operation.command,
        earlier_id=earlier_id,
    )


@dataclass(frozen=True, slots=True)
class Interdiff:
    """One changed operation: its old and new result, and the hunks between them."""

    operation: ComparedOperation
    earlier: bytes
    later: bytes
    hunks: tuple[Hunk, ...]


def interdiff(
    old: PlanVersion, new: PlanVersion, comparison: Comparison, objects: ObjectStore
) -> tuple[Interdiff, ...]:
    """Every operation of `comparison.changed`, in its order; without hunks where the bytes are the same.

    Raises:
        StorageError: stored bytes are missing or altered.
    """
    before = {operation.id: operation for operation in old.operations}
    after = {operation.id: operation for operation in new.operations}
    return tuple(
        _between(each, before.get(each.earlier_id or each.id), after[each.id], objects) for each in comparison.changed
    )


def _between(
    named: ComparedOperation, old: StagedOperation | None, new: StagedOperation, objects: ObjectStore
) -> Interdiff:
    earlier, later = _left(old, objects), _left(new, objects)
    return Interdiff(named, earlier, later, hunks(earlier, later) if earlier != later else ())


def _left(operation: StagedOperation | None, objects: ObjectStore) -> bytes:
    state = operation.after if operation else None
    return objects.read(state.sha256) if isinstance(state, FileState) else b""
