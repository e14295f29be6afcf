"""What of a plan is proved to be mechanical: format, comments, moves."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tandem_desktop.diff.hunk_classes import ChangeClass, ChangedLines, ProvedChange, changed_lines, likely
from tandem_desktop.diff.moves import MovableFile, moves
from tandem_desktop.diff.parser_pool import ParserPool, ProofJob
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import FileState, NodeState, StagedOperation
from tandem_desktop.review.operation_view import OperationView

MOST_SECONDS = 20.0
"""What is not proved by then stays unmarked."""
_REMEMBERED = 20_000
_MOST_BYTES = 64 * 1024 * 1024
"""Of both sides of all files among which moves are looked for."""
_log = logging.getLogger(__name__)
Proved = Mapping[OperationId, tuple[ProvedChange, ...]]
Contents = Callable[[StagedOperation], tuple[bytes, bytes]]
"""The bytes before and after an operation."""


class ChangeProver:
    """Proves changes of plans, each pair of contents once."""

    def __init__(
        self, contents: Contents, parsers: ParserPool | None = None, most_seconds: float = MOST_SECONDS
    ) -> None:
        self._contents = contents
        self._parsers = parsers or ParserPool()
        self._most_seconds = most_seconds
        self._known: dict[_Key, Mapping[ChangedLines, ChangeClass]] = {}
        self._proving = threading.Lock()

    def prove(self, views: Iterable[OperationView]) -> Proved:
        """The proved changes of each operation; nothing for what is flagged, generated or has to be opened."""
        begun = time.monotonic()
        until = begun + self._most_seconds
        files = [*self._files(views)]
        with self._proving:  # who asks for the same meanwhile waits for the answer
            self._prove_alone(files, until)
        found: dict[OperationId, tuple[ProvedChange, ...]] = {}
        movable: list[tuple[OperationId, MovableFile]] = []
        for file in files:
            known = self._known.get(file.key, {})
            proved = tuple(ProvedChange(each, known[each]) for each in file.changes if each in known)
            if proved:
                found[file.operation] = proved
            left = tuple(each for each in file.changes if each not in known)
            if left:
                movable.append((file.operation, MovableFile(file.path, file.before, file.after, left)))
        if sum(len(file.before) + len(file.after) for _, file in movable) <= _MOST_BYTES and time.monotonic() < until:
            moved = moves([file for _, file in movable], lambda asked: self._parsers.definitions(asked, until))
            for number, each in moved.items():
                operation_id = movable[number][0]
                found[operation_id] = tuple(sorted((*found.get(operation_id, ()), *each), key=_place))
        _log.debug("proved changes of %d of %d files in %.3f s", len(found), len(files), time.monotonic() - begun)
        return found

    def _files(self, views: Iterable[OperationView]) -> "Iterator[_ChangedFile]":
        for view in views:
            if is_provable(view):
                operation = view.operation
                path = operation.to or operation.path or ""
                key = (path, _digest(operation.base), _digest(operation.after))
                changes = tuple(changed_lines(view.hunks))
                yield _ChangedFile(operation.id, path, key, *self._contents(operation), changes)

    def _prove_alone(self, files: "Sequence[_ChangedFile]", until: float) -> None:
        """Format and comments, which can be told from one file alone."""
        if len(self._known) > _REMEMBERED:
            self._known.clear()
        jobs: dict[_Key, ProofJob] = {}
        for file in files:
            if file.key not in self._known and file.key not in jobs:
                worth = likely(file.path, file.before, file.after, file.changes)
                jobs[file.key] = ProofJob(file.path, file.before, file.after, worth)
        asked = {key: job for key, job in jobs.items() if job.changes}
        self._known.update({key: {} for key in jobs.keys() - asked.keys()})
        self._known.update(zip(asked, self._parsers.prove([*asked.values()], until), strict=True))


@dataclass(frozen=True, slots=True)
class _ChangedFile:
    operation: OperationId
    path: str
    key: "_Key"
    before: bytes
    after: bytes
    changes: tuple[ChangedLines, ...]


_Key = tuple[str, str, str]
"""The path, and the digests before and after."""


def is_provable(view: OperationView) -> bool:
    """Whether anything of it may be marked at all."""
    is_file = isinstance(view.operation.base, FileState) or isinstance(view.operation.after, FileState)
    is_marked = view.flags or view.notes or view.generated or view.must_be_opened
    return bool(view.hunks) and is_file and not is_marked


def unproved_lines(view: OperationView, proved: Iterable[ProvedChange]) -> int:
    """Changed lines of which nothing is proved."""
    return view.added + view.removed - sum(each.lines.count for each in proved)


def _digest(state: NodeState) -> str:
    return state.sha256 if isinstance(state, FileState) else ""


def _place(proved: ProvedChange) -> tuple[int, int]:
    return proved.lines.old[0], proved.lines.new[0]
