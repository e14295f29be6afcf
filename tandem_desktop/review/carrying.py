"""Carry one node's operations onto what is on disk now: exactly where they keep apart, as a conflict where not."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import (
    ABSENT,
    Absent,
    DirectoryState,
    FileState,
    NodeState,
    StagedOperation,
    SymlinkState,
    kind_of_change,
)
from tandem_desktop.review.chains import Chain
from tandem_desktop.review.conflicts import EITHER, ONLY_DISK, Conflict, Modes, Resolution, Take, fingerprint
from tandem_desktop.review.three_way import ThreeWay, three_way, whole
from tandem_desktop.staging.difference import NOUNS, Difference, difference

Carried = dict[OperationId, StagedOperation | None]
"""Each operation as it is now; None where nothing is left for it to do."""


class _Overlap(Exception):  # noqa: N818 - a signal inside this module, not a failure
    """Both sides changed the same thing."""


@dataclass(frozen=True, slots=True)
class Contents:
    """Bytes by digest: those that are stored, those on disk, and those that come into being here."""

    stored: Callable[[str], bytes]
    made: dict[str, bytes]

    def read(self, state: FileState) -> bytes:
        made = self.made.get(state.sha256)
        return self.stored(state.sha256) if made is None else made

    def file(self, data: bytes, mode: int) -> FileState:
        state = FileState(sha256=hashlib.sha256(data).hexdigest(), size=len(data), mode=mode)
        self.made[state.sha256] = data
        return state


class Carrier:
    """One chain and what stands now where it begins."""

    def __init__(self, chain: Chain, now: NodeState, contents: Contents) -> None:
        self._chain = chain
        self._now = now
        self._contents = contents

    def carry(self) -> Carried | Conflict:
        """Without asking anybody: every operation on its new base, or what a person has to decide."""
        if self._chain.last_path == self._chain.path and self._now == self._chain.after:
            return self.nothing()
        try:
            return self._walk(strictly=True)
        except _Overlap:
            conflict = self._conflict()
        # One operation took back what another did: step by step they meet, in the end they do not.
        settled = self._settled(conflict, Resolution(self._chain.path)) if self._is_file_throughout() else None
        return conflict if settled is None else settled

    def decided(self, conflict: Conflict, resolution: Resolution) -> Carried | None:
        """What the person's answer comes to; None when it leaves something open."""
        if conflict.lines is not None:
            return self._settled(conflict, resolution)
        if conflict.modes is not None and resolution.mode is not None:
            resolution = Resolution(resolution.path, resolution.mode)
        if resolution.whole not in conflict.ways:
            return None
        return self.nothing() if resolution.whole is Take.DISK else self.as_proposed()

    def as_proposed(self) -> Carried:
        """The plan's way wherever there is a question."""
        return self._walk(strictly=False)

    def nothing(self) -> Carried:
        """The disk stays as it is."""
        return {operation.id: None for operation in self._chain.operations}

    def _settled(self, conflict: Conflict, resolution: Resolution) -> Carried | None:
        if conflict.takes_disk(resolution) and not self._is_file_throughout():
            return self.nothing()
        content = conflict.resolved(resolution)
        mode = self._merged_mode() if conflict.modes is None else conflict.mode(resolution)
        if content is None or mode is None:
            return None
        return self._walk(strictly=False, final=self._contents.file(content, mode))

    def _is_file_throughout(self) -> bool:
        return all(isinstance(each, FileState) for each in (self._chain.base, self._now, self._chain.after))

    def _walk(self, *, strictly: bool, final: FileState | None = None) -> Carried:
        carried: Carried = {}
        now = self._now
        for operation in self._chain.operations:
            if final is not None and operation.id == self._chain.settler:
                after: NodeState = final
            else:
                after = self._after(operation, now, strictly=strictly)
            carried[operation.id] = _rewritten(operation, now, after)
            now = after
        return carried

    def _after(self, operation: StagedOperation, now: NodeState, *, strictly: bool) -> NodeState:
        """What the operation leaves when it begins with `now`."""
        base, after = operation.base, operation.after
        if now == base:
            return after
        if operation.to is not None and not isinstance(now, Absent):
            return now
        if isinstance(after, Absent) and isinstance(now, Absent):
            return ABSENT
        match base, now, after:
            case FileState(), FileState(), FileState():
                return self._merged_file(base, now, after, strictly=strictly)
            case DirectoryState(), DirectoryState(), DirectoryState():
                mode = merged_mode(base.mode, now.mode, after.mode)
                if mode is not None:
                    return DirectoryState(mode=mode)
        if strictly:
            raise _Overlap
        return after

    def _merged_file(self, base: FileState, now: FileState, after: FileState, *, strictly: bool) -> FileState:
        read = self._contents.read
        mode = merged_mode(base.mode, now.mode, after.mode)
        lines = three_way(read(base), read(now), read(after))
        if strictly and (mode is None or lines.regions):
            raise _Overlap
        data = lines.resolved([region.proposed for region in lines.regions])
        return self._contents.file(data, after.mode if mode is None else mode)

    def _merged_mode(self) -> int | None:
        modes = [each.mode for each in (self._chain.base, self._now, self._chain.after) if isinstance(each, FileState)]
        return merged_mode(*modes) if len(modes) == 3 else modes[-1]

    def _conflict(self) -> Conflict:
        base, now, after = self._chain.base, self._now, self._chain.after
        change = difference(base, now)
        assert change is not None
        modes = self._modes()
        takes_either = self._may_be_proposed()
        return Conflict(
            path=self._chain.path,
            change=change,
            reason=_reason(change, now, after, modes),
            operations=tuple(operation.id for operation in self._chain.operations),
            ways=EITHER if takes_either else ONLY_DISK,
            lines=self._lines() if takes_either else None,
            modes=modes,
            seen=fingerprint(*(each.model_dump_json() for each in (base, now, after))),
        )

    def _may_be_proposed(self) -> bool:
        """Whether the plan can have its way by operations of its own kinds, without replacing one type by another."""
        match self._chain.base, self._now, self._chain.after:
            case Absent(), _, Absent():
                return False  # made and taken away again: the plan would delete what it never saw
            case Absent(), now, after:
                return now.type == after.type and not isinstance(now, SymlinkState)
            case base, Absent(), _:
                return not isinstance(base, DirectoryState)
            case base, now, _:
                return base.type == now.type

    def _lines(self) -> ThreeWay | None:
        base, now, after = self._chain.base, self._now, self._chain.after
        if not isinstance(after, FileState):
            return None
        read = self._contents.read
        before, disk = (read(each) if isinstance(each, FileState) else b"" for each in (base, now))
        return (three_way if self._is_file_throughout() else whole)(before, disk, read(after))

    def _modes(self) -> Modes | None:
        base, now, after = (_mode(each) for each in (self._chain.base, self._now, self._chain.after))
        if now is None or after is None or now == after or self._now.type != self._chain.after.type:
            return None
        if base is not None and merged_mode(base, now, after) is not None:
            return None
        return Modes(base, now, after)


def merged_mode(base: int, disk: int, proposed: int) -> int | None:
    """The permissions both sides agree on, or the changed ones where one side changed them."""
    if disk == proposed or base == proposed:
        return disk
    return proposed if base == disk else None


def _rewritten(operation: StagedOperation, now: NodeState, after: NodeState) -> StagedOperation | None:
    """The operation from `now` to `after`, of the kind that does it."""
    if now == operation.base and after == operation.after:
        return operation
    if operation.to is not None and not isinstance(now, Absent):
        return operation.model_copy(update={"base": now, "after": now})
    if now == after:
        return None
    where = {"path": operation.to or operation.path, "to": None, "base": now, "after": after}
    return operation.model_copy(update={**where, "kind": kind_of_change(now, after)})


def _mode(state: NodeState) -> int | None:
    return state.mode if isinstance(state, FileState | DirectoryState) else None


def _reason(change: Difference, now: NodeState, after: NodeState, modes: Modes | None) -> str:
    match change:
        case Difference.DELETED:
            return "was deleted on disk, and the plan goes on with it"
        case Difference.CREATED:
            return f"was made on disk as well, as {NOUNS[now.type]}"
        case Difference.TYPE:
            return f"has become {NOUNS[now.type]} on disk"
        case _ if isinstance(after, Absent):
            return "was changed on disk, and the plan deletes it"
        case Difference.MODE if modes is not None:
            return "was given other permissions on disk, and others by the plan"
        case _:
            return "was changed on disk where the plan changes it"
