"""What of a plan is proved to be mechanical: format, comments, moves, renames."""

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path, PurePosixPath

from tandem_desktop import __version__
from tandem_desktop.diff.hunk_classes import (
    ChangeClass,
    ChangedLines,
    ProvedChange,
    changed_lines,
    is_within,
    left_of,
)
from tandem_desktop.diff.moves import MovableFile, moves
from tandem_desktop.diff.parser_pool import NO_ANSWER, ParserPool, ProofJob
from tandem_desktop.diff.renames import renames
from tandem_desktop.diff.syntax import GRAMMARS
from tandem_desktop.diff.text import split_lines
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import FileState, NodeState, StagedOperation
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.storage import atomic, syscalls

MOST_SECONDS = 20.0
"""What is not proved by then stays unmarked."""
MANY = 50
"""Edited files that are proved ahead; fewer are proved within the time a page takes."""
_TAKEN_BYTES = 4 * 1024 * 1024
"""So much is proved ahead at a time, so that it can be ended."""
_MOST_STORED = 40
_FORMAT = 1
_REMEMBERED = 20_000
_MOST_BYTES = 64 * 1024 * 1024
"""Of both sides of all files among which moves are looked for."""
_log = logging.getLogger(__name__)
Proved = Mapping[OperationId, tuple[ProvedChange, ...]]
Contents = Callable[[StagedOperation], tuple[bytes, bytes]]
"""The bytes before and after an operation."""


Mentions = Callable[[frozenset[bytes], frozenset[str]], frozenset[bytes]]
"""Which of these words stand in files of the workspace other than those of these paths."""


_Found = Mapping[ChangedLines, ChangeClass]
_Pair = tuple[str, str, str]
"""The kind of file and the digests before and after."""


class ProofStore:
    """What was proved of the files of large plans, each by itself; in the state folder, the newest of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, operations: Iterable[StagedOperation]) -> dict[_Pair, _Found]:
        """What is known of the files of a plan."""
        try:
            told = json.loads(self._path(operations).read_bytes())
            return {
                (suffix, before, after): {
                    ChangedLines(hunk, (a, b), (c, d)): ChangeClass(kind) for hunk, a, b, c, d, kind in lines
                }
                for suffix, before, after, lines in told
            }
        except (OSError, ValueError, TypeError):
            return {}

    def save(self, operations: Iterable[StagedOperation], proofs: Mapping[_Pair, _Found]) -> None:
        """Keep what is known of the files of a plan."""
        told = [
            [*pair, [[each.hunk, *each.old, *each.new, kind.value] for each, kind in found.items()]]
            for pair, found in proofs.items()
        ]
        with suppress(OSError):
            atomic.make_directory(self.folder, mode=0o700)
            atomic.replace(self._path(operations), json.dumps(told).encode(), mode=0o600, durable=False)
            with os.scandir(self.folder) as entries:
                stored = sorted((entry.stat().st_mtime_ns, entry.path) for entry in entries)
            for _, path in stored[:-_MOST_STORED]:
                syscalls.unlink(path)

    def _path(self, operations: Iterable[StagedOperation]) -> Path:
        pairs = sorted({_pair(each) for each in operations if isinstance(each.after, FileState)})
        return self.folder / f"{sha256(json.dumps([*_prover(), pairs]).encode()).hexdigest()}.json"


@lru_cache(maxsize=1)
def _prover() -> tuple[str, ...]:
    """Which rules and parsers prove: others may tell otherwise."""
    from importlib import metadata  # slow to load

    names = ["tree-sitter", *sorted({grammar.module.replace("_", "-") for grammar in GRAMMARS.values()})]
    found = [str(_FORMAT), __version__]
    for name in names:
        with suppress(metadata.PackageNotFoundError):
            found.append(f"{name} {metadata.version(name)}")
    return tuple(found)


class ChangeProver:
    """Proves changes of plans, each pair of contents once."""

    def __init__(
        self,
        contents: Contents,
        parsers: ParserPool | None = None,
        most_seconds: float = MOST_SECONDS,
        mentions: Mentions | None = None,
        store: ProofStore | None = None,
    ) -> None:
        self._contents = contents
        self._mentions = mentions
        self._parsers = parsers or ParserPool()
        self._most_seconds = most_seconds
        self._known: dict[_Key, _Found] = {}
        self._proving = threading.Lock()
        self._store = store
        self._stored: dict[_Pair, _Found] = {}
        self._ahead: _ProofsAhead | None = None

    def beside(self, operations: Sequence[StagedOperation], views: Iterable[OperationView]) -> Iterator[OperationView]:
        """The same views of these operations; what can be told of each file alone is proved while they are made.

        Nothing of a plan that has few files. It is known when they are proved, and kept for other processes.
        """
        edited = sum(isinstance(each.base, FileState) and isinstance(each.after, FileState) for each in operations)
        if edited < MANY:
            yield from views
            return
        if self._store is not None:
            self._stored = self._store.load(operations)
        ahead = self._ahead = _ProofsAhead(self, self._parsers, operations, time.monotonic() + self._most_seconds)
        try:
            for view in views:
                ahead.add(view)
                yield view
        finally:
            ahead.no_more()

    def settle(self, most_seconds: float) -> None:
        """Wait for what is proved ahead, at most so long; what is left is not."""
        if self._ahead is not None:
            self._ahead.end(most_seconds)

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

    def proved_alone(self, views: Iterable[OperationView], until: float) -> dict[_Pair, _Found]:
        """What can be told of each file alone; without those that were not reached by `until`."""
        files = [*self._files(views)]
        self._prove_alone(files, until)
        found = {_pair_of(file): self._known.get(file.key, NO_ANSWER) for file in files}
        return {pair: proved for pair, proved in found.items() if proved is not NO_ANSWER}

    def keep(self, operations: Sequence[StagedOperation], proofs: Mapping[_Pair, _Found]) -> None:
        """Keep what was proved of a plan for other processes, unless all of it was kept before."""
        if self._store is not None and proofs.keys() - self._stored.keys():
            self._store.save(operations, proofs)

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
                yield _ChangedFile(operation.id, path, digests, *self._contents(operation), changes, changes)

    def _prove_alone(self, files: "Sequence[_ChangedFile]", until: float) -> None:
        """Format and comments, which can be told from one file alone."""
        with self._proving:  # who asks for the same meanwhile waits for the answer
            self._prove_unknown(files, until)

    def _prove_unknown(self, files: "Sequence[_ChangedFile]", until: float) -> None:
        if len(self._known) > _REMEMBERED:
            self._known.clear()
        jobs: dict[_Key, ProofJob] = {}
        for file in files:
            if file.key in self._known or file.key in jobs:
                continue
            stored = self._stored.get(_pair_of(file)) if file.is_whole else None
            if stored is not None and is_within(file.changes, stored):
                self._known[file.key] = stored
            else:
                jobs[file.key] = ProofJob(file.path, file.before, file.after, file.changes, file.renames)
        asked = {key: job for key, job in jobs.items() if job.is_worth_parsing}
        self._known.update({key: {} for key in jobs.keys() - asked.keys()})
        found = zip(asked, self._parsers.prove([*asked.values()], until), strict=True)
        self._known.update((key, proved) for key, proved in found if proved is not None)


@dataclass(frozen=True, slots=True)
class _ChangedFile:
    operation: OperationId
    path: str
    digests: tuple[str, str]
    before: bytes
    after: bytes
    every: tuple[ChangedLines, ...]
    changes: tuple[ChangedLines, ...]
    """Those that are looked at: all, or what is left of them."""
    renames: tuple[tuple[bytes, bytes], ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether all of its changes are looked at, each by itself."""
        return self.changes == self.every and not self.renames

    @property
    def key(self) -> "_Key":
        return PurePosixPath(self.path).suffix, *self.digests, self.changes, self.renames


class _ProofsAhead:
    """Proves files one after the other while their views are made, in a thread of its own."""

    def __init__(
        self, prover: ChangeProver, parsers: ParserPool, operations: Sequence[StagedOperation], until: float
    ) -> None:
        self._prover = prover
        self._parsers = parsers
        self._operations = operations
        self._until = until
        self._changed = threading.Condition()
        self._waiting: list[OperationView] = []
        self._is_complete = self._is_ended = False
        self._thread = threading.Thread(target=self._prove, name="proofs ahead", daemon=True)
        self._thread.start()

    def add(self, view: OperationView) -> None:
        if is_provable(view):
            with self._changed:
                self._waiting.append(view)
                self._changed.notify()

    def no_more(self) -> None:
        with self._changed:
            self._is_complete = True
            self._changed.notify()

    def end(self, most_seconds: float) -> None:
        """Wait so long, then for what is being proved, and for no more."""
        self._thread.join(most_seconds)
        with self._changed:
            self._is_ended = True
            self._changed.notify()
        self._thread.join()

    def _prove(self) -> None:
        found: dict[_Pair, _Found] = {}
        try:
            with self._parsers:
                while views := self._taken():
                    found |= self._prover.proved_alone(views, self._until)
            self._prover.keep(self._operations, found)
        except (TandemError, OSError) as error:
            _log.info("nothing more is proved ahead: %s", error)

    def _taken(self) -> list[OperationView]:
        """The next views, as soon as there are some; none when there will be no more."""
        with self._changed:
            while not (self._waiting or self._is_complete or self._is_ended):
                self._changed.wait()
            if self._is_ended:
                return []
            size = count = 0
            for view in self._waiting:
                size += sum(
                    each.size for each in (view.operation.base, view.operation.after) if isinstance(each, FileState)
                )
                count += 1
                if size >= _TAKEN_BYTES:
                    break
            taken, self._waiting = self._waiting[:count], self._waiting[count:]
            return taken


def _pair(operation: StagedOperation) -> _Pair:
    path = operation.to or operation.path or ""
    return PurePosixPath(path).suffix, _digest(operation.base), _digest(operation.after)


def _pair_of(file: _ChangedFile) -> _Pair:
    return PurePosixPath(file.path).suffix, *file.digests


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
