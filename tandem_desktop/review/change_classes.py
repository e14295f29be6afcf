"""What of a plan is proved to be mechanical: format, comments, moves, renames."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from tandem_desktop.diff.hunk_classes import ChangeClass, ChangedLines, ProvedChange, changed_lines, left_of
from tandem_desktop.diff.hunks import Hunk
from tandem_desktop.diff.moves import MovableFile, moves
from tandem_desktop.diff.parser_pool import ParserPool, ProofJob
from tandem_desktop.diff.renames import renames
from tandem_desktop.diff.text import split_lines
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


Mentions = Callable[[frozenset[bytes], frozenset[str]], frozenset[bytes]]
"""Which of these words stand in files of the workspace other than those of these paths."""


class ChangeProver:
    """Proves changes of plans, each pair of contents once."""

    def __init__(
        self,
        contents: Contents,
        parsers: ParserPool | None = None,
        most_seconds: float = MOST_SECONDS,
        mentions: Mentions | None = None,
    ) -> None:
        self._contents = contents
        self._mentions = mentions
        self._parsers = parsers or ParserPool()
        self._most_seconds = most_seconds
        self._known: dict[_Key, Mapping[ChangedLines, ChangeClass]] = {}
        self._proving = threading.Lock()

    def prove(self, views: Iterable[OperationView]) -> Proved:
        """The proved changes of each operation; nothing for what is flagged, generated or has to be opened."""
        begun = time.monotonic()
        until = begun + self._most_seconds
        files = [*self._files(views)]
        with self._parsers, ThreadPoolExecutor(1) as pool:
            # Most files have no moves and no renames: they are proved while those are looked for.
            early = pool.submit(self._prove_alone, files, until)
            together = [MovableFile(file.path, file.before, file.after, file.changes) for file in files]
            renamed = self._renamed(together, until)
            found = {file.operation: moved for file, moved in zip(files, self._moved(together, until), strict=True)}
            left = [
                replace(
                    file,
                    changes=tuple(left_of(file.changes, _lines(found[file.operation]))),
                    renames=tuple(
                        (old, new) for old, new in renamed.items() if old in file.before or new in file.after
                    ),
                )
                for file in files
            ]
            early.result()
            self._prove_alone(left, until)
        for file in left:
            alone = (_proved(file, *each) for each in self._known.get(file.key, {}).items())
            found[file.operation] = tuple(sorted((*found[file.operation], *alone), key=_place))
        _log.debug("proved changes of %d of %d files in %.3f s", len(found), len(files), time.monotonic() - begun)
        return {operation: proved for operation, proved in found.items() if proved}

    def prepare(self, views: Iterable[OperationView]) -> None:
        """Prove what can be told of each file alone; it is known when a plan with these operations is proved."""
        until = time.monotonic() + self._most_seconds
        with self._parsers:
            self._prove_alone([*self._files(views)], until)

    def _moved(self, files: "Sequence[MovableFile]", until: float) -> "list[tuple[ProvedChange, ...]]":
        """What of each file moved, which can be told from all of them together."""
        if sum(len(file.before) + len(file.after) for file in files) > _MOST_BYTES:
            return [() for _ in files]
        moved = moves(files, lambda asked: self._parsers.definitions(asked, until))
        return [moved.get(number, ()) for number in range(len(files))]

    def _renamed(self, files: "Sequence[MovableFile]", until: float) -> Mapping[bytes, bytes]:
        """Names that have another one in all of the plan, and in no other file."""
        if sum(len(file.before) + len(file.after) for file in files) > _MOST_BYTES:
            return {}
        paths = frozenset(file.path for file in files)
        return renames(
            files,
            lambda asked: self._parsers.roles(asked, until),
            lambda words: self._mentions(words, paths) if self._mentions is not None else words,
        )

    def _files(self, views: Iterable[OperationView]) -> "Iterator[_ChangedFile]":
        for view in views:
            if is_provable(view):
                operation = view.operation
                path = operation.to or operation.path or ""
                digests = _digest(operation.base), _digest(operation.after)
                changes = tuple(changed_lines(view.hunks))
                yield _ChangedFile(operation.id, path, digests, *self._contents(operation), view.hunks, changes)

    def _prove_alone(self, files: "Sequence[_ChangedFile]", until: float) -> None:
        """Format and comments, which can be told from one file alone."""
        with self._proving:  # who asks for the same meanwhile waits for the answer
            self._prove_unknown(files, until)

    def _prove_unknown(self, files: "Sequence[_ChangedFile]", until: float) -> None:
        if len(self._known) > _REMEMBERED:
            self._known.clear()
        jobs: dict[_Key, ProofJob] = {}
        for file in files:
            if file.key not in self._known and file.key not in jobs:
                jobs[file.key] = ProofJob(file.path, file.before, file.after, file.changes, file.renames)
        asked = {key: job for key, job in jobs.items() if job.is_worth_parsing}
        self._known.update({key: {} for key in jobs.keys() - asked.keys()})
        self._known.update(zip(asked, self._parsers.prove([*asked.values()], until), strict=True))


@dataclass(frozen=True, slots=True)
class _ChangedFile:
    operation: OperationId
    path: str
    digests: tuple[str, str]
    before: bytes
    after: bytes
    hunks: tuple[Hunk, ...]
    changes: tuple[ChangedLines, ...]
    renames: tuple[tuple[bytes, bytes], ...] = ()

    @property
    def key(self) -> "_Key":
        return PurePosixPath(self.path).suffix, *self.digests, self.changes, self.renames


_Key = tuple[str, str, str, tuple[ChangedLines, ...], tuple[tuple[bytes, bytes], ...]]
"""The kind of file, the digests before and after, the changes that are looked at, and the new names."""


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


def _proved(file: _ChangedFile, lines: ChangedLines, kind: ChangeClass) -> ProvedChange:
    if kind is not ChangeClass.RENAME:
        return ProvedChange(lines, kind)
    text = b"".join(split_lines(file.after)[slice(*lines.new)])
    names = (f"{old.decode()} → {new.decode()}" for old, new in file.renames if new in text)
    return ProvedChange(lines, kind, ", ".join(names))


def _lines(proved: Iterable[ProvedChange]) -> Iterator[ChangedLines]:
    return (each.lines for each in proved)


def _place(proved: ProvedChange) -> tuple[int, int]:
    return proved.lines.old[0], proved.lines.new[0]
