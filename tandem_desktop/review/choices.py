"""A reviewer's choices about a revision, applied and stored."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic_core import ValidationError

from tandem_desktop.diff.hunks import Hunk, hunks, keep, keep_lines, numbered
from tandem_desktop.diff.text import detect_encoding
from tandem_desktop.diff.three_way import merge
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import BadInputError, StepRefusedError, UnknownOperationError
from tandem_desktop.domain.ids import OperationId, PlanId, SessionId
from tandem_desktop.domain.operations import Absent, DirectoryState, FileState, NodeState, Sha256, StagedOperation
from tandem_desktop.domain.paths import is_inside
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.storage import atomic
from tandem_desktop.storage.objects import ObjectStore

_PART = lazy_pattern(r"([+-]?)([1-9]\d{0,8})(?:\.\.([1-9]\d{0,8}))?")
_WITH_LINES = ("utf-8", "latin-1")
_MANY = 1_000_000


@dataclass(frozen=True, slots=True)
class Drop:
    """One dropped operation, or some of its hunks and lines, or the person's own version of its file."""

    operation: OperationId
    hunks: tuple[int, ...] = ()
    added: tuple[int, ...] = ()
    """Lines that do not come, by their numbers in the proposed file."""
    removed: tuple[int, ...] = ()
    """Lines that stay, by their numbers in the file as it was."""
    edited: str | None = None
    """The digest of the person's own bytes; nothing else of the operation is left out then."""

    @property
    def is_whole(self) -> bool:
        return not (self.hunks or self.added or self.removed or self.edited)

    @classmethod
    def parse(cls, text: str) -> "Drop":
        """`OP` is the whole operation, `OP:1,3` two of its hunks, `OP:+12..14,-8` single lines."""
        operation, colon, parts = text.partition(":")
        if not colon:
            return cls(OperationId(operation))
        chosen: dict[str, list[int]] = {"": [], "+": [], "-": []}
        for part in parts.split(","):
            match = _PART.fullmatch(part.strip())
            first, last = (int(match[2]), int(match[3] or match[2])) if match else (1, 0)
            if match is None or not first <= last < first + _MANY:
                raise BadInputError(
                    f"{text} does not name hunks or lines: after the colon come the numbers of hunks, such as "
                    f"{operation}:1,3, or of lines, such as {operation}:+12..14,-8.",
                    step=operation,
                    next="See the numbers with: tandem show PLAN --diff",
                )
            chosen[match[1]] += range(first, last + 1)
        return cls(OperationId(operation), tuple(chosen[""]), tuple(chosen["+"]), tuple(chosen["-"]))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The remaining operations and the new bytes."""

    operations: tuple[StagedOperation, ...]
    contents: tuple[bytes, ...]


def choose(operations: tuple[StagedOperation, ...], drops: Sequence[Drop], objects: ObjectStore) -> Chosen:
    """Apply the choices to the operations. The simulation checks whether they still apply in order.

    Raises:
        UnknownOperationError: there is no such operation, hunk or line.
        StepRefusedError: nothing would be left, or lines of such a file cannot be chosen one by one.
    """
    left = {operation.id: operation for operation in operations}
    contents: list[bytes] = []
    for drop in _one_for_each(drops):
        operation = left.get(drop.operation)
        if operation is None:
            raise UnknownOperationError(
                f"The plan has no operation {drop.operation}.",
                step=drop.operation,
                next="See them with: tandem show PLAN",
            )
        reduced = None if drop.is_whole else _reduced(operation, drop, objects)
        if reduced is None:
            del left[drop.operation]
        else:
            left[drop.operation], data = reduced
            contents.append(data)
    if not left:
        raise StepRefusedError("Nothing would be left of the plan.", next="End it with: tandem cancel PLAN")
    later = _Later(operations, left, objects, contents)
    return Chosen(tuple(later.operations()), tuple(contents))


class _Later:
    """Rebase later operations on a changed file, where the changes do not overlap."""

    def __init__(
        self,
        before: tuple[StagedOperation, ...],
        left: dict[OperationId, StagedOperation],
        objects: ObjectStore,
        contents: list[bytes],
    ) -> None:
        self._before = before
        self._left = left
        self._objects = objects
        self._contents = contents
        self._made = {hashlib.sha256(data).hexdigest(): data for data in contents}
        self._stands: dict[str, NodeState] = {}
        """Paths whose state differs from the plan, with the new state."""

    def operations(self) -> Iterator[StagedOperation]:
        for operation in self._before:
            kept = self._left.get(operation.id)
            if kept is not None and operation.path in self._stands:
                kept = self._moved(kept, self._stands[operation.path])
            if kept is not None and self._is_filled(kept):
                kept = None
            self._follow(operation, kept)
            if kept is not None:
                yield kept

    def _is_filled(self, operation: StagedOperation) -> bool:
        """Whether it deletes a folder in which something stays that the plan had taken away."""
        if not isinstance(operation.base, DirectoryState) or not isinstance(operation.after, Absent):
            return False
        folder = operation.path or ""
        return any(is_inside(path, folder) and not isinstance(now, Absent) for path, now in self._stands.items())

    def _moved(self, operation: StagedOperation, now: NodeState) -> StagedOperation:
        """The operation on its new base; unchanged if that cannot be computed, and then refused by the simulation."""
        base, after = operation.base, operation.after
        if not isinstance(base, FileState) or not isinstance(now, FileState):
            return operation
        if operation.to is not None:
            return operation.model_copy(update={"base": now, "after": now})
        if not isinstance(after, FileState):
            return operation.model_copy(update={"base": now})
        content = merge(self._read(base), self._read(now), self._read(after))
        if content is None:
            return operation
        state = FileState.of(content, now.mode if after.mode == base.mode else after.mode)
        self._made[state.sha256] = content
        self._contents.append(content)
        return operation.model_copy(update={"base": now, "after": state})

    def _follow(self, planned: StagedOperation, kept: StagedOperation | None) -> None:
        for change in planned.changes():
            now = next((c.after for c in kept.changes() if c.path == change.path), None) if kept else None
            if now is None:
                now = self._stands.get(change.path, change.before)
            if now == change.after:
                self._stands.pop(change.path, None)
            else:
                self._stands[change.path] = now

    def _read(self, state: FileState) -> bytes:
        made = self._made.get(state.sha256)
        return self._objects.read(state.sha256) if made is None else made


def _one_for_each(drops: Sequence[Drop]) -> tuple[Drop, ...]:
    """The combined drops of each operation; numbers refer to the operation as it was shown."""
    together: dict[OperationId, Drop] = {}
    for drop in drops:
        known = together.get(drop.operation)
        if known is None or known.is_whole:
            together[drop.operation] = known or drop
        elif drop.is_whole:
            together[drop.operation] = drop
        else:
            together[drop.operation] = Drop(
                drop.operation,
                (*known.hunks, *drop.hunks),
                (*known.added, *drop.added),
                (*known.removed, *drop.removed),
                drop.edited or known.edited,
            )
    return tuple(together.values())


def _reduced(operation: StagedOperation, drop: Drop, objects: ObjectStore) -> tuple[StagedOperation, bytes] | None:
    """The operation without its drops, or with the person's own bytes; None if it would change nothing."""
    if not isinstance(operation.after, FileState) or operation.to is not None:
        raise UnknownOperationError(
            f"{operation.id} ({operation.kind.value}) has no hunks; it can only be dropped whole.",
            step=operation.id,
            path=operation.path,
            next=f"tandem drop PLAN {operation.id}",
        )
    data = objects.read(drop.edited) if drop.edited else _without(operation, operation.after, drop, objects)
    after = FileState.of(data, operation.after.mode)
    if after == operation.base:
        return None
    return operation.model_copy(update={"after": after}), data


def _without(operation: StagedOperation, state: FileState, drop: Drop, objects: ObjectStore) -> bytes:
    before = objects.read(operation.base.sha256) if isinstance(operation.base, FileState) else b""
    after = objects.read(state.sha256)
    shown = hunks(before, after)
    counted = "1 hunk" if len(shown) == 1 else f"{len(shown)} hunks"
    if unknown := [number for number in drop.hunks if number > len(shown)]:
        raise _unknown(operation, f"{operation.id} has {counted}; there is no hunk {unknown[0]}.")
    if not drop.added and not drop.removed:
        return keep(before, shown, drop.hunks)
    if not {detect_encoding(before), detect_encoding(after)} <= set(_WITH_LINES):
        raise StepRefusedError(
            f"{operation.path} is not plain text, so its lines cannot be chosen one by one.",
            step=operation.id,
            path=operation.path,
            next="Choose whole hunks, or drop the operation.",
        )
    left_out = [hunk for hunk in shown if hunk.n in drop.hunks]
    try:
        return keep_lines(
            before,
            shown,
            added={*drop.added, *_numbers(left_out, "+")},
            removed={*drop.removed, *_numbers(left_out, "-")},
        )
    except StepRefusedError as error:
        raise _unknown(operation, f"{operation.id}: {error.message}") from error


def _numbers(some: Sequence[Hunk], sign: str) -> Iterator[int]:
    for hunk in some:
        yield from numbered(hunk, sign)


def _unknown(operation: StagedOperation, message: str) -> UnknownOperationError:
    return UnknownOperationError(
        message, step=operation.id, path=operation.path, next="See them with: tandem show PLAN --diff"
    )


class ChoicePart(Frozen):
    """The choices inside one operation: dropped hunks and lines, or the person's own version."""

    operation: OperationId
    hunks: tuple[int, ...] = ()
    added: tuple[int, ...] = ()
    """Lines that do not come, by their numbers in the proposed file."""
    removed: tuple[int, ...] = ()
    """Lines that stay, by their numbers in the file as it was."""
    edited: Sha256 | None = None
    """Digest of the person's own bytes in the object store; overrides the drops."""

    def drop(self) -> Drop:
        if self.edited is not None:
            return Drop(self.operation, edited=self.edited)
        return Drop(self.operation, self.hunks, self.added, self.removed)


class Choices(Frozen):
    """Dropped operations, hunks and lines, another order, another text. Valid for one revision only."""

    plan_id: PlanId
    revision: int
    operations: tuple[OperationId, ...] = ()
    parts: tuple[ChoicePart, ...] = ()
    order: tuple[OperationId, ...] = ()
    """Every operation in the chosen order; empty if unchanged."""
    text: str | None = None
    """The plan text edited by the person."""

    @property
    def is_empty(self) -> bool:
        return not (self.operations or self.parts or self.order) and self.text is None

    @property
    def dropped_hunks(self) -> int:
        return sum(len(each.hunks) for each in self.parts)

    @property
    def dropped_lines(self) -> int:
        return sum(len(each.added) + len(each.removed) for each in self.parts)

    @property
    def edited_files(self) -> int:
        return sum(each.edited is not None for each in self.parts)

    def part(self, operation: OperationId) -> ChoicePart:
        return next((each for each in self.parts if each.operation == operation), ChoicePart(operation=operation))

    def hunks_of(self, operation: OperationId) -> tuple[int, ...]:
        return self.part(operation).hunks

    def drop(self, *operations: OperationId) -> "Choices":
        return self.model_copy(update={"operations": (*self.keep(*operations).operations, *operations)})

    def keep(self, *operations: OperationId) -> "Choices":
        """Restore operations; their dropped hunks stay dropped."""
        restored = frozenset(operations)
        left = tuple(each for each in self.operations if each not in restored)
        return self.model_copy(update={"operations": left})

    def drop_hunk(self, operation: OperationId, hunk: int) -> "Choices":
        return self._with(operation, hunks=_sorted({*self.hunks_of(operation), hunk}))

    def keep_hunk(self, operation: OperationId, hunk: int) -> "Choices":
        return self._with(operation, hunks=_sorted({*self.hunks_of(operation)} - {hunk}))

    def toggle_lines(self, operation: OperationId, added: Sequence[int], removed: Sequence[int]) -> "Choices":
        """Drop lines, or restore them if all are dropped already."""
        part = self.part(operation)
        come_back = {*added} <= {*part.added} and {*removed} <= {*part.removed}
        change = set.difference if come_back else set.union
        return self._with(
            operation,
            added=_sorted(change({*part.added}, added)),
            removed=_sorted(change({*part.removed}, removed)),
        )

    def edit(self, operation: OperationId, content: str | None) -> "Choices":
        """Set the person's own version of a file by digest; None restores the proposed one."""
        return self._with(operation, edited=content)

    def rewrite(self, text: str | None) -> "Choices":
        """Set another plan text; None restores the proposed one."""
        return self.model_copy(update={"text": text})

    def reorder(self, order: Sequence[OperationId], planned: Sequence[OperationId]) -> "Choices":
        """Set another order; the plan's own order is stored as none."""
        return self.model_copy(update={"order": () if tuple(order) == tuple(planned) else tuple(order)})

    def ordered(self, operations: tuple[StagedOperation, ...]) -> tuple[StagedOperation, ...]:
        """The operations in the chosen order.

        Raises:
            BadInputError: the order does not name each of them once.
        """
        if not self.order:
            return operations
        by_id = {operation.id: operation for operation in operations}
        if sorted(self.order) != sorted(by_id):
            raise BadInputError(
                "The new order does not name each operation once.", next="Look at the plan again: it may have changed."
            )
        return tuple(by_id[each] for each in self.order)

    def drops(self) -> tuple[Drop, ...]:
        whole = tuple(Drop(each) for each in self.operations)
        return (*whole, *(each.drop() for each in self.parts if each.operation not in self.operations))

    def _with(self, operation: OperationId, **fields: object) -> "Choices":
        others = tuple(each for each in self.parts if each.operation != operation)
        made = self.part(operation).model_copy(update=fields)
        return self.model_copy(update={"parts": others if made == ChoicePart(operation=operation) else (*others, made)})


def _sorted(numbers: set[int]) -> tuple[int, ...]:
    return tuple(sorted(numbers))


FILE = "review.json"
FORMAT = 1


class _ChoiceRecord(Frozen):
    format: int = FORMAT
    choices: Choices


class ChoiceStore:
    """One record for each session; ignored if it belongs to another revision."""

    def __init__(self, sessions: Path) -> None:
        self._sessions = sessions

    def load(self, version: PlanVersion) -> Choices:
        """The choices for this revision; empty if the record is missing, damaged or about another."""
        nothing = Choices(plan_id=version.plan_id, revision=version.revision)
        try:
            record = _ChoiceRecord.model_validate_json(self._path(version.session_id).read_bytes())
        except (OSError, ValidationError):
            return nothing
        found = record.choices
        fits = record.format == FORMAT and (found.plan_id, found.revision) == (version.plan_id, version.revision)
        return found if fits else nothing

    def save(self, session_id: SessionId, choices: Choices) -> None:
        path = self._path(session_id)
        atomic.make_directory(path.parent, mode=0o700)
        atomic.replace(path, _ChoiceRecord(choices=choices).model_dump_json().encode(), mode=0o600)

    def _path(self, session_id: SessionId) -> Path:
        return self._sessions / session_id / FILE
