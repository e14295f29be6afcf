"""The shadow workspace: detects changes and starts processes in it."""

import hashlib
import json
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem_desktop.domain.base import ValueType
from tandem_desktop.domain.errors import OutsideWorkspaceError, ShadowError, StorageError
from tandem_desktop.domain.network import NetworkMode
from tandem_desktop.domain.operations import (
    Absent,
    DirectoryState,
    FileState,
    NodeState,
    PathChange,
    SymlinkState,
)
from tandem_desktop.domain.paths import MAX_PATH_BYTES, ROOT, ancestors, check_path, shown, unfit_target
from tandem_desktop.domain.plan import IgnoredFiles
from tandem_desktop.processes.child import Launch, find_program
from tandem_desktop.shadow.by_products import ByProducts, count, names_inside
from tandem_desktop.shadow.disk_snapshot import DiskSnapshot
from tandem_desktop.shadow.landlock import LandlockSandbox
from tandem_desktop.shadow.sandbox import Confinement, Sandbox, private_home
from tandem_desktop.shadow.tree import Tree
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.atomic import remove_tree
from tandem_desktop.storage.clock import next_tick
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.paths import TANDEM_DIRECTORY
from tandem_desktop.storage.workspace import Workspace

UNSEEN_BYTES = b"[What the agent saw here is not known: it was changed on disk before anybody looked.]\n"
UNSEEN = FileState(sha256=hashlib.sha256(UNSEEN_BYTES).hexdigest(), size=len(UNSEEN_BYTES), mode=0o644)
"""The base of a path that changed on disk before it was captured: it equals no state, so it never matches."""

_FORMAT = 1
_STATE: ValueType[NodeState] = ValueType(NodeState)


class Bases:
    """The record of captured bases, of the start time of the turn, and of folders whose covered content is known."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._states: dict[str, NodeState] = {}
        self._dirty = False
        self.covers: frozenset[str] = frozenset()
        self.folded: frozenset[str] = frozenset()
        """Ignored paths that the last scan left out of the changes."""
        self.turn_ns = 0
        if path.exists():
            self._read(json.loads(path.read_bytes()))
        else:
            self.begin()

    def __contains__(self, path: str) -> bool:
        return path in self._states

    def __getitem__(self, path: str) -> NodeState:
        return self._states[path]

    def paths(self) -> tuple[str, ...]:
        """Every path with a base, parents before what is in them."""
        return tuple(sorted(self._states, key=lambda path: path.split("/")))

    def put(self, path: str, state: NodeState) -> None:
        if self._states.get(path) != state:
            self._states[path] = state
            self._dirty = True

    def cover(self, folders: frozenset[str]) -> None:
        if folders != self.covers:
            self.covers = folders
            self._dirty = True

    def fold(self, paths: frozenset[str]) -> None:
        if paths != self.folded:
            self.folded = paths
            self._dirty = True

    def keep_only(self, paths: set[str]) -> None:
        """Forget paths that are no longer among the changes."""
        gone = [path for path in self._states if path not in paths]
        for path in gone:
            del self._states[path]
            self._dirty = True

    def begin(self) -> None:
        """Record the time: the agent may not have seen later changes on disk."""
        self.turn_ns = next_tick()
        self._dirty = True

    def save(self) -> None:
        """Save durably if changed."""
        if not self._dirty:
            return
        record = {
            "format": _FORMAT,
            "turn_ns": self.turn_ns,
            "covers": sorted(self.covers),
            "folded": sorted(self.folded),
            "bases": {path: state.model_dump(mode="json") for path, state in self._states.items()},
        }
        atomic.replace(self._path, json.dumps(record).encode(), mode=0o600)
        self._dirty = False

    def _read(self, record: dict[str, Any]) -> None:
        self.turn_ns = record["turn_ns"]
        self.covers = frozenset(record["covers"])
        self.folded = frozenset(record.get("folded", ()))
        self._states = {path: _STATE.validate_python(state) for path, state in record["bases"].items()}


@dataclass(frozen=True, slots=True)
class ShadowChange:
    """One path the agent changed: what it saw there and what it left.

    `drifted` says that the disk no longer has what the agent saw. If what it saw is unknown, because the disk changed
    before it was captured, `before` is `UNSEEN`.
    """

    path: str
    before: NodeState
    after: NodeState
    drifted: bool


@dataclass(frozen=True, slots=True)
class ObservedPath:
    """A path that may differ from the disk."""

    path: str
    copied: bool = False
    """It began as a copy of something on disk."""
    newcomer: bool = False
    """It appeared on disk where the agent had already put something else, so the agent never saw it."""
    fresh: bool = False
    """The agent made it where it had already removed everything, so it saw nothing there."""
    folded: bool = False
    """Ignored and new: it stays in the shadow and is no change."""


class ShadowWorkspace(ABC):
    """The workspace as one agent sees and changes it; the disk is only read.

    Paths are relative to the workspace. `state`, `read` and `children` make it a `SourceTree`. May be called from any
    thread; a call waits for the one before it.
    """

    confinement: Confinement
    _sandbox: Sandbox | LandlockSandbox
    _disk: Workspace

    @property
    def workspace(self) -> Path:
        """The workspace it is the shadow of."""
        return self._disk.path

    @property
    @abstractmethod
    def place(self) -> Path:
        """The path of the tree, seen from outside."""

    @property
    def seen_at(self) -> Path:
        """The path at which the agent sees the tree: the workspace's own where a namespace can show it there."""
        return self.workspace if self.confinement.is_in_place else self.place

    @property
    def addresses(self) -> Path | None:
        """The folder for the lists of a leash; None where a network namespace is to be had."""
        return self._folder / "leash" if isinstance(self._sandbox, LandlockSandbox) else None

    def launch(
        self,
        argv: Iterable[str],
        *,
        home: Path,
        environment: Mapping[str, str],
        cwd: str = ROOT,
        sockets: tuple[Path, ...] = (),
        network: bool = True,
        network_joining: tuple[str, ...] = (),
        addresses: Path | None = None,
        readable: tuple[Path, ...] = (),
        files: tuple[Path, ...] = (),
        needed: tuple[Path, ...] = (),
    ) -> Launch:
        """How to start `argv` in the shadow: in the sandbox if there is one, else unconfined in the copy.

        Without `network` it has none; `network_joining` are arguments for nsenter that lead it into one, `addresses`
        are the files of a leash where there is none to enter.
        `home` is its private home, the only other place it can write; `sockets` stay visible in hidden places, and so
        do the programs that are `readable`, with what belongs to them, and single `files`. If it cannot see what is
        `needed` it reports that and does not start. It ends with the thread that starts it, so that must be a
        long-lived one.

        Raises:
            ShadowError: the shadow is not there, or the workspace is another folder than it was.
        """
        argv, cwd = tuple(argv), self._checked_cwd(cwd)
        program = Path(argv[0]).name if argv else ""
        private = private_home(home, environment)
        if not self.confinement.confined:
            return Launch(argv, private.environment, self.place / cwd, program)
        shown = (
            *self._sandbox.programs.of_files(readable),
            *self._sandbox.programs.exactly(files),
            *self._sandbox.programs.of_search_path(environment.get("PATH", "")),
        )
        if isinstance(self._sandbox, LandlockSandbox):
            mode = NetworkMode.OPEN if addresses is None else NetworkMode.LEASHED
            inside = self._sandbox.argv(
                argv,
                home=private.path,
                cwd=self.place / cwd,
                sockets=sockets,
                network=mode if network else NetworkMode.OFF,
                addresses=addresses,
                readable=(*shown, *self._sandbox.programs.exactly(readable)),
                needed=needed,
            )
            return Launch(inside, private.environment, Path("/"), program, confined=True)
        joining = self._joining(network_joining)
        self._make_room_for_mask()
        inside = self._sandbox.argv(
            argv,
            home=private.path,
            cwd=self.workspace / cwd,
            sockets=sockets,
            network=network,
            readable=shown,
            needed=needed,
        )
        return Launch((*joining, *inside), private.environment, Path("/"), program, confined=True, ends_as_one=True)

    def rehearse(
        self, argv: Iterable[str], *, environment: Mapping[str, str], cwd: str, network: bool, report: Path
    ) -> Launch:
        """How to start a command of a plan in the shadow, as a run would, with exactly this environment.

        It can write the shadow, the file `report`, and discarded places; writes to outside places that have layers go
        there and can be listed.

        Raises:
            ShadowError: there is no shadow, or nothing that could hold the command back.
        """
        cwd = self._checked_cwd(cwd)
        if not isinstance(self._sandbox, Sandbox) or not self.confinement.confined:
            raise ShadowError(
                f"No command can be rehearsed here: the agent is {self.confinement.held}.",
                path=str(self.workspace),
                next="See what is missing with: tandem doctor",
            )
        inside = self._sandbox.rehearsal_argv(
            argv,
            cwd=self.workspace / cwd,
            network=network,
            report=report,
            stand_ins=self._stand_ins(),
            readable=self._sandbox.programs.of_search_path(environment.get("PATH", "")),
        )
        return Launch((*self._joining(), *inside), dict(environment), Path("/"))

    def written_outside(self) -> dict[Path, tuple[int, ...]]:
        """Places outside the workspace that rehearsed commands wrote, as far as known; none was really changed."""
        return {}

    def _checked_cwd(self, cwd: str) -> str:
        """The folder to start in; checks that the workspace is the same folder."""
        self._disk.check_identity()
        return cwd if cwd == ROOT else check_path(cwd)

    def user_namespace(self) -> tuple[tuple[str, ...], bool]:
        """The argument prefix that leads to where the shadow is held, and whether its network needs its own users."""
        before = self._joining()
        return before, not before and os.geteuid() != 0

    def _joining(self, network: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The argument prefix that leads to where the shadow is mounted.

        Raises:
            ShadowError: it is gone.
        """
        if not network:
            return ()
        nsenter = find_program("nsenter", outside=self.workspace)
        if nsenter is None:
            raise ShadowError("The program nsenter is missing.", next="Install util-linux, then see: tandem doctor")
        return (nsenter, *network, "--")

    def _stand_ins(self) -> Iterable[tuple[Path, Path]]:
        return ()

    def __init__(self, workspace: Workspace, folder: Path, objects: ObjectStore) -> None:
        self._folder = folder
        self._objects = objects
        self._lock = threading.RLock()
        self._closing = ExitStack()
        self._release = ExitStack()
        self._disk = Workspace(workspace.path)
        if self._disk.identity != workspace.identity:
            self._disk.close()
            workspace.check_identity()
        self._bases = _bases(folder)
        self._tree: Tree
        self._refused: dict[str, str] = {}
        self._at_begin: DiskSnapshot | None = None
        self._git: tuple[str, ...] = ()
        self._by_products: ByProducts | None = None

    def close(self) -> None:
        """Close the shadow; the agent's changes stay and are there when it is opened again."""
        with self._lock:
            self._closing.close()
            self._release.close()

    def discard(self) -> None:
        """Close it and delete all of it."""
        with self._lock:
            self._closing.close()
            remove_tree(self._folder)
            self._release.close()

    def when_closed(self, release: Callable[[], None]) -> None:
        """Call `release` when the shadow is closed."""
        self._release.callback(release)

    def state(self, path: str) -> NodeState:
        return self._tree.load(check_path(path), keep=False)[0]

    def read(self, path: str) -> bytes:
        """The bytes of a file as the agent sees it."""
        state, data = self._tree.load(check_path(path), keep=True)
        if data is None:
            raise StorageError(
                f"{shown(path)} is not a file ({state.type}).", path=path, next="Name a file that is there."
            )
        return data

    def read_text(self, path: str) -> str:
        """The text of a file as the agent sees it.

        Raises:
            FileNotFoundError: there is nothing at the path.
        """
        if isinstance(self.state(check_path(path)), Absent):
            raise FileNotFoundError(path)
        return self.read(path).decode("utf-8", "replace")

    def children(self, path: str = ROOT) -> tuple[str, ...]:
        return self._tree.children(path if path in ("", ROOT) else check_path(path))

    def write(self, path: str, data: bytes) -> None:
        """Write a file in the shadow, keeping the mode of one that is there and making parents.

        Raises:
            OutsideWorkspaceError: the path is refused, or a link or a folder is there.
        """
        path = check_path(path)
        with self._lock, _changing(path):
            self._note(ObservedPath(each) for each in (*ancestors(path), path))
            self._tree.write(path, data)

    def put(self, path: str, state: NodeState, data: bytes | None = None) -> None:
        """Bring a path to a state, as if the agent had done it; `data` are the bytes of a file."""
        path = check_path(path)
        with self._lock, _changing(path):
            self._note(ObservedPath(each) for each in (*ancestors(path), path))
            self._tree.make(path, state, data)

    def remove(self, path: str) -> None:
        """Remove a file, a link or a whole folder from the shadow; a missing path is ignored."""
        path = check_path(path)
        with self._lock, _changing(path):
            self._note([ObservedPath(path)])
            self._tree.remove(path)

    def fold_by_products(self, is_never_folded: Callable[[str], bool]) -> None:
        """From now on leave new files out of the changes that git ignores by the rules of the real workspace."""
        with self._lock:
            self._by_products = ByProducts(self.workspace, self._folder, is_never_folded)

    @property
    def included(self) -> tuple[str, ...]:
        """Globs of ignored files that are part of the changes all the same."""
        return self._by_products.included if self._by_products is not None else ()

    def include(self, globs: Iterable[str]) -> None:
        """Make ignored files that fit these globs part of the changes, and no others."""
        with self._lock:
            if self._by_products is not None:
                self._by_products.include(globs)

    def keep(self, paths: Iterable[str]) -> None:
        """Make these paths part of the changes, ignored or not: a person was shown each of them."""
        with self._lock:
            if self._by_products is not None:
                self._by_products.keep(paths)

    def ignored(self) -> IgnoredFiles | None:
        """What the last look left out of the changes, counted; no file is opened."""
        with self._lock:
            return None if self._by_products is None else count(self._tree.root_fd, self._by_products.folded)

    @property
    def folding_warning(self) -> str:
        """Why the last look left nothing out, or less than it might."""
        return self._by_products.warning if self._by_products is not None else ""

    def begin_turn(self) -> None:
        """Record the current changes, and the time from which the agent may not have seen changes on disk."""
        with self._lock:
            if self._by_products is not None:
                self._by_products.begin_turn()
            found = self.note_bases()
            self._bases.keep_only({sighting.path for sighting in found if not sighting.newcomer})
            self._bases.begin()
            self._bases.save()
            if not self.confinement.confined:
                self._at_begin = DiskSnapshot.of(self._disk.path)

    def changed_on_disk(self) -> tuple[str, ...] | None:
        """Paths of the real workspace that changed since the turn began, where nothing held the agent back.

        None where it was held back, or no turn has begun: then nothing was looked at.
        """
        with self._lock:
            return None if self._at_begin is None else self._at_begin.changed()

    def note_bases(self) -> tuple[ObservedPath, ...]:
        """Capture the disk's state of every path the agent touched since the last scan.

        Call it soon after a change: if the person changes the path on disk before, its base is unknown.
        """
        with self._lock:
            self._disk.forget_directories()
            found = self._looked()
            self._note(sighting for sighting in found if not sighting.newcomer)
            return found

    def _looked(self) -> tuple[ObservedPath, ...]:
        self._refused = {}
        by_products = self._by_products
        if by_products is None:
            return tuple(self._found())
        by_products.begin_look()
        try:
            found = tuple(self._found())
        finally:
            is_void = by_products.end_look()
        if is_void:
            return self._looked()
        self._bases.fold(frozenset(by_products.folded))
        return found

    def changes(self) -> tuple[ShadowChange, ...]:
        """Everything the agent changed, by content, parents before what is in them.

        Created, modified, deleted files and links, changes of mode, and folders that were created, removed or whose
        mode changed: a folder made only to hold a new file is a creation as well. A path that is on disk as the agent
        has it is no change. Moves are a deletion and a creation. The bytes of both sides are in the object store.
        New files that are ignored are left out, and so are new folders with nothing else in them.
        """
        with self._lock:
            drifted = {
                above for sighting in self.note_bases() if sighting.newcomer for above in ancestors(sighting.path)
            }
            found: list[ShadowChange] = []
            self._objects.put_all(self._compared(found, drifted))
            return tuple(self._without_hollow(found))

    def differences(self, budget_bytes: int) -> tuple[PathChange, ...]:
        """Every path that differs from the disk, including `.git`, sorted; the bytes of both sides are stored.

        For a shadow that is discarded: no base is recorded. Paths that cannot be part of a change, or exceed the
        budget, are in `refused`.
        """
        with self._lock:
            self._disk.forget_directories()
            self._refused = {}
            found: list[PathChange] = []
            self._objects.put_all(self._differing(found, budget_bytes))
            return tuple(found)

    def let(self, changes: Iterable[PathChange]) -> None:
        """Apply stored changes to the shadow in order; no base is recorded."""
        with self._lock:
            for change in changes:
                after = change.after
                with _changing(change.path):
                    data = self._objects.read(after.sha256) if isinstance(after, FileState) else None
                    self._tree.make(change.path, after, data)

    @property
    def refused(self) -> tuple[tuple[str, str], ...]:
        """Changed paths that cannot be staged, each with the reason, as of the last scan."""
        return tuple(sorted(self._refused.items()))

    def _refuse(self, path: str, reason: str) -> None:
        """Note a path that cannot be staged; a name that is not UTF-8 is written out."""
        self._refused[shown(path, MAX_PATH_BYTES)] = shown(reason, MAX_PATH_BYTES)

    def git_sides(self) -> tuple[tuple[PathChange, ...], dict[str, bytes]]:
        """What the agent changed under `.git`, never staged, and the bytes of both sides by digest."""
        found: list[PathChange] = []
        contents: dict[str, bytes] = {}
        with self._lock:
            for path in self._git:
                before, old = self._disk.peek(path)
                after = self._tree.peek_loosely(path)
                if before is None or after is None:
                    continue
                found.append(PathChange(path=path, before=before, after=after))
                new = self._tree.peek(path, keep=True)[1] if isinstance(after, FileState) else None
                for state, data in ((before, old), (after, new)):
                    if isinstance(state, FileState) and data is not None:
                        contents[state.sha256] = data
        return tuple(found), contents

    @property
    def disk(self) -> Workspace:
        """The workspace on disk; it is only read."""
        return self._disk

    def refresh(self) -> None:
        """Show the agent concurrent changes on disk, except where the agent itself changed something that counts."""
        with self._lock:
            self._give_way()
            found = self.note_bases()
            for path in self._bases.paths():
                self._catch_up(path)
            for sighting in sorted(found, key=lambda each: each.path.split("/")):
                if sighting.newcomer and self._has_folder_for(sighting.path):
                    self._follow_disk(sighting.path)
            self._bases.save()

    def settle(self, paths: Iterable[str]) -> None:
        """Reset each path to the disk's state, which becomes its base: after a run, an undo or a drop."""
        with self._lock:
            self._disk.forget_directories()
            wanted = sorted({check_path(path) for path in paths}, key=lambda path: path.split("/"))
            gone = [path for path in wanted if isinstance(self._disk.peek(path, keep=False)[0], Absent)]
            for path in reversed(gone):
                self._follow_disk(path)
            for path in wanted:
                if path not in gone:
                    self._follow_disk(path)
            self._bases.save()

    @abstractmethod
    def _sightings(self) -> Iterator[ObservedPath]:
        """Every path that may differ from the disk, without Tandem's own folder."""

    @abstractmethod
    def _base_of(self, sighting: ObservedPath) -> tuple[NodeState, bytes | None]:
        """The base of a path seen for the first time; `UNSEEN` if it is unknown."""

    def _followed(self, path: str, changed_ns: int) -> None:  # noqa: B027 - nothing to do by default
        """Called when `path` has been made equal to disk, where it had last changed at `changed_ns`."""

    def _make_room_for_mask(self) -> None:
        """Hide Tandem's own folder before it exists: it may be created at any time and would show through."""
        if isinstance(self._tree.peek_loosely(TANDEM_DIRECTORY), Absent):
            syscalls.mkdir(TANDEM_DIRECTORY, self._tree.root_fd)

    def _found(self) -> Iterator[ObservedPath]:
        """The observed paths that can be staged; the others are recorded as refused."""
        git: list[str] = []
        skipped = ""
        for sighting in self._sightings():
            path = sighting.path
            if skipped and path.startswith(skipped):
                continue
            if ".git" in path.split("/"):
                if self._differs(path):
                    git.append(path)
                continue
            try:
                check_path(path)
            except OutsideWorkspaceError as refusal:
                self._refuse(path, refusal.message)
                skipped = f"{path}/"
                continue
            yield sighting
        self._git = tuple(sorted(git))

    def _note(self, sightings: Iterable[ObservedPath]) -> None:
        noted: list[tuple[str, NodeState]] = []

        def contents() -> Iterator[bytes]:
            for sighting in sightings:
                if sighting.path in self._bases:
                    continue
                try:
                    base, data = self._base_of(sighting)
                except (OutsideWorkspaceError, StorageError) as refusal:
                    self._refuse(sighting.path, refusal.message)
                    continue
                noted.append((sighting.path, base))
                if base == UNSEEN:
                    yield UNSEEN_BYTES
                elif data is not None:
                    yield data

        self._objects.put_all(contents())
        for path, base in noted:
            self._bases.put(path, base)
        self._bases.save()

    def _without_hollow(self, found: list[ShadowChange]) -> list[ShadowChange]:
        """The changes without new folders that were made for ignored files alone."""
        folded = {above for path in self._bases.folded for above in ancestors(path)}
        if not folded:
            return found
        filled: set[str] = set()
        kept: list[ShadowChange] = []
        for change in reversed(found):
            is_new_folder = isinstance(change.before, Absent) and isinstance(change.after, DirectoryState)
            if is_new_folder and change.path in folded and change.path not in filled:
                continue
            filled.update(ancestors(change.path))
            kept.append(change)
        return kept[::-1]

    def _fold(self, entries: Iterable[tuple[str, bool]]) -> Container[str]:
        """Of the entries of one folder, each with whether it is a folder, those that are no changes."""
        if self._by_products is None:
            return ()
        return self._by_products.fold(entries, self._is_new, lambda path: names_inside(self._tree.root_fd, path))

    def _is_new(self, path: str) -> bool:
        """Whether the disk has nothing there, and had nothing when the agent came by."""
        known = path in self._bases and not isinstance(self._bases[path], Absent)
        return not known and self._disk.times(path) is None

    def _compared(self, found: list[ShadowChange], drifted: set[str]) -> Iterator[bytes]:
        for path in self._bases.paths():
            if self._by_products is not None and self._by_products.covers(path):
                continue
            before = self._bases[path]
            try:
                after, data = self._tree.peek(path, keep=True)
            except (OutsideWorkspaceError, StorageError) as refusal:
                self._refuse(path, refusal.message)
                continue
            if after == before:
                continue
            disk = self._disk.peek(path, keep=False)[0]
            if after == disk:
                continue
            if isinstance(after, SymlinkState) and (unfit := unfit_target(after.target)):
                self._refuse(path, f"the target {shown(after.target)!r} of the link {unfit}.")
                continue
            found.append(ShadowChange(path, before, after, before == UNSEEN or disk != before or path in drifted))
            if data is not None:
                yield data

    def _differing(self, found: list[PathChange], budget_bytes: int) -> Iterator[bytes]:
        for path in sorted({sighting.path for sighting in self._sightings()}):
            try:
                after, new = self._tree.peek(path, keep=True)
                before, old = self._disk.peek(path)
            except (OutsideWorkspaceError, StorageError) as refusal:
                self._refuse(path, refusal.message)
                continue
            if before is None:
                self._refuse(path, f"{path} is on disk as something that is no file, link or folder.")
            elif before != after:
                budget_bytes -= len(new or b"")
                if budget_bytes < 0:
                    self._refuse(path, "more was changed than can be kept.")
                    return
                found.append(PathChange(path=path, before=before, after=after))
                yield from (data for data in (old, new) if data is not None)

    def _differs(self, path: str) -> bool:
        after = self._tree.peek_loosely(path)
        return after is None or after != self._disk.peek(path, keep=False)[0]

    def _catch_up(self, path: str) -> None:
        after = self._tree.peek_loosely(path)
        disk = self._disk.peek(path, keep=False)[0]
        if disk is None or after is None:
            return
        if after in (disk, self._bases[path]):
            self._follow_disk(path)

    def _give_way(self) -> None:
        """Where the person has made something since that was ignored and only in the shadow, the disk counts."""
        self._disk.forget_directories()
        for folded in sorted(self._bases.folded):
            if self._disk.times(folded) is not None:
                inside = sorted(names_inside(self._tree.root_fd, folded))
                for path in (folded, *inside):
                    if self._disk.times(path) is not None:
                        self._follow_disk(path)

    def _has_folder_for(self, path: str) -> bool:
        folder = path.rpartition("/")[0]
        return not folder or isinstance(self._tree.peek_loosely(folder), DirectoryState)

    def _follow_disk(self, path: str) -> None:
        changed_ns = self._disk.changed_at(path)
        state, data = self._disk.peek(path)
        if state is None:
            return
        with _changing(path):
            self._tree.make(path, state, data)
        if data is not None:
            self._objects.put(data)
        self._bases.put(path, state)
        self._followed(path, changed_ns)


def _bases(folder: Path) -> Bases:
    try:
        return Bases(folder / "bases.json")
    except (ValueError, KeyError, TypeError) as error:
        raise ShadowError(
            f"The record of what the agent saw, {folder / 'bases.json'}, is damaged.",
            path=str(folder / "bases.json"),
            next="Discard this shadow and let the agent begin again.",
        ) from error


class _changing:  # noqa: N801 - read as a word: with _changing(path)
    """Convert an OSError inside the shadow to a Tandem error."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            raise StorageError(
                f"{shown(self._path)} cannot be changed in the shadow: {error.strerror or error}.",
                path=self._path,
                next="Check free space and permissions of the state folder, then try again.",
            ) from error
