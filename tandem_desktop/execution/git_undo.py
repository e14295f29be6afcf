"""Takes changes of a git repository back by value, so that no commit is lost and no reference left dangling.

Objects are named by their content: what a run added stays, since other references may need it by now.
References are compared by value, loose or packed, and put back only where they still say what the run left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tandem_desktop.domain.errors import GitError
from tandem_desktop.domain.git_files import (
    GENERATED,
    GitPart,
    GitPath,
    git_path,
    holds_objects,
    index_entries,
    index_objects,
    is_object_id,
    joined,
    log_values,
    packed_refs,
    ref_value,
    short,
    title_of_ref,
    uses_reftable,
    without_refs,
)
from tandem_desktop.domain.operations import (
    ABSENT,
    Absent,
    DirectoryState,
    FileState,
    NodeState,
    PathChange,
    SymlinkState,
)
from tandem_desktop.execution.git_objects import GitObjects
from tandem_desktop.execution.steps import may_be_ref
from tandem_desktop.staging.git_effects import GitEffect, RefChange, RepositoryChanges, repository_changes
from tandem_desktop.storage.objects import ObjectStore

NetChanges = Mapping[str, tuple[NodeState, NodeState]]
_NEW_REF_MODE = 0o644
_NAMED = 3
_STASH = "refs/stash"


class GitTree(Protocol):
    """The tree an undo would meet."""

    def peek(self, path: str) -> tuple[NodeState | None, bytes | None]: ...

    def children(self, path: str) -> tuple[str, ...]: ...

    def is_directory(self, path: str) -> bool: ...


@dataclass(slots=True)
class GitUndoPlan:
    """What goes back in the repositories of a workspace."""

    changes: list[PathChange] = field(default_factory=list)
    contents: list[bytes] = field(default_factory=list)
    conflicts: list[tuple[str, str]] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    plain: set[str] = field(default_factory=set)
    """Paths in a git directory to which the rules of files apply."""
    folders: set[str] = field(default_factory=set)
    """Of those, folders of a repository that is used: they go only where they are empty."""
    as_left: set[str] = field(default_factory=set)
    """Of those, paths of a repository that the run made or removed and that is as the run left it."""
    notes: list[str] = field(default_factory=list)


def files_beside(net: NetChanges, tree: GitTree, objects: ObjectStore) -> dict[str, tuple[NodeState, bytes | None]]:
    """The unchanged files that are needed to read the changed references, with their current state and content.

    HEAD, `packed-refs`, and the loose file of each reference whose packed line changes: it overrides that line.
    """
    known: dict[str, bool] = {}

    def is_repository(folder: str) -> bool:
        if folder not in known:
            known[folder] = tree.is_directory(joined(folder, "objects")) and tree.is_directory(joined(folder, "refs"))
        return known[folder]

    found: dict[str, tuple[NodeState, bytes | None]] = {}
    for path, sides in net.items():
        place = git_path(path, is_repository) if may_be_ref(path) else None
        if place is None or place.part not in (GitPart.REF, GitPart.HEAD, GitPart.PACKED):
            continue
        names = ["HEAD", "packed-refs"]
        if place.part is GitPart.PACKED:
            before, after = (packed_refs(objects.read_state(state)) for state in sides)
            names += [name for name in {*before, *after} if before.get(name) != after.get(name)]
        for name in names:
            beside = joined(place.repository, name)
            if beside not in net and beside not in found:
                state, data = tree.peek(beside)
                if isinstance(state, FileState | Absent):
                    found[beside] = state, data
    return found


def added_objects(net: NetChanges, tree: GitTree) -> set[str]:
    """Files and folders of objects that came to repositories which were there before."""
    found = repository_changes(net, lambda state: None, lambda path: tree.peek(path)[1], tree.is_directory)
    return {
        path
        for repository in found
        if not repository.was_created
        for path, place in repository.paths.items()
        if place.part is GitPart.OBJECT and isinstance(repository.sides[path][0], Absent)
    }


class GitUndo:
    """Works out the git part of undoing one run, or of several in turn."""

    def __init__(self, root: Path, objects: ObjectStore) -> None:
        self._root = root
        self._objects = objects
        self._stored: dict[str, dict[str, FileState]] = {}
        """Files of objects whose bytes are kept, by repository and path."""
        self._moved: dict[str, set[str]] = {}
        """References that go back, by repository."""

    def know(self, net: NetChanges, tree: GitTree) -> None:
        """Remember the object files a run came by: they can be put where they are missing."""
        for repository in self._repositories(net, tree):
            stored = self._stored.setdefault(repository.repository, {})
            for path, place in repository.paths.items():
                if place.part is GitPart.OBJECT and holds_objects(place.name):
                    found = [state for state in repository.sides[path] if isinstance(state, FileState)]
                    stored.update((path, state) for state in found[:1])

    def paths(self, net: NetChanges, tree: GitTree) -> set[str]:
        """Those of the changed paths that lie in a repository."""
        return {path for repository in self._repositories(net, tree) for path in repository.paths}

    def work_out(self, net: NetChanges, seen: Mapping[str, NodeState], tree: GitTree) -> GitUndoPlan:
        """Plan the changes that reverse `net` in each repository; `seen` has the files that `net` did not change."""
        self.know(net, tree)
        plan = GitUndoPlan()
        for repository in self._repositories(net, tree):
            repository.seen = seen
            part = _RepositoryUndo(repository, tree, self._objects, self._asking(repository.repository))
            part.work_out()
            plan.plain |= part.plain
            (plan.as_left if part.is_whole else plan.folders).update(part.plain)
            plan.conflicts += part.conflicts
            if part.conflicts:
                continue
            plan.changes += part.changes.values()
            plan.contents += part.contents
            plan.merged += part.merged
            self._tell(part, plan, tree)
        return plan

    def _tell(self, part: _RepositoryUndo, plan: GitUndoPlan, tree: GitTree) -> None:
        moved = self._moved.setdefault(part.repository.repository, set())
        first = [change for change in part.undone_refs if change.name not in moved]
        moved |= {change.name for change in part.undone_refs}
        plan.notes += part.notes
        plan.notes += _still_needed(part, first, frozenset(moved), tree)

    def effects(self, changes: Iterable[PathChange], contents: Iterable[bytes], tree: GitTree) -> tuple[GitEffect, ...]:
        """What the changes of an undo mean for repositories; `contents` are bytes that are not stored yet."""
        known = {FileState.of(data, 0).sha256: data for data in contents}

        def read(state: NodeState) -> bytes | None:
            if not isinstance(state, FileState):
                return None
            data = known.get(state.sha256)
            return self._objects.read(state.sha256) if data is None else data

        net = {change.path: (change.before, change.after) for change in changes}
        found = repository_changes(net, read, lambda path: tree.peek(path)[1], tree.is_directory)
        return tuple(each.effect(self._root) for each in found)

    def _asking(self, repository: str) -> GitObjects:
        stored = self._stored.setdefault(repository, {})
        return GitObjects(self._root, repository, stored, self._objects)

    def _repositories(self, net: NetChanges, tree: GitTree) -> list[RepositoryChanges]:
        def read(state: NodeState) -> bytes | None:
            return self._objects.read(state.sha256) if isinstance(state, FileState) else None

        return repository_changes(net, read, lambda path: tree.peek(path)[1], tree.is_directory)


class _RepositoryUndo:
    """One git directory: what the run made of it, what it is now, and what has to change."""

    def __init__(self, repository: RepositoryChanges, tree: GitTree, objects: ObjectStore, asking: GitObjects) -> None:
        self.repository = repository
        self.asking = asking
        self.changes: dict[str, PathChange] = {}
        self.contents: list[bytes] = []
        self.conflicts: list[tuple[str, str]] = []
        self.merged: list[str] = []
        self.notes: list[str] = []
        self.plain: set[str] = set()
        self.is_whole = False
        """Whether the repository comes or goes as a whole."""
        self.undone_refs: list[RefChange] = []
        """References that go back, as the run had changed them."""
        self.kept_logs: list[str] = []
        self._tree = tree
        self._objects = objects
        self._tips: dict[str, str] = {}
        """Objects that must be whole, each with what is said when it is not."""
        self._wanted: dict[str, set[str]] = {}
        """Objects that must be there for a file to come back, by its path."""

    def work_out(self) -> None:
        repository = self.repository
        self.plain = {path for path, place in repository.paths.items() if self._is_folder(path, place)}
        if repository.was_created or (repository.was_removed and not self._tree.is_directory(repository.repository)):
            if self._is_as_left():
                self.plain, self.is_whole = set(repository.paths), True
            elif repository.was_created:
                self._refuse(repository.repository, "the repository was made by this run and has been used since")
            else:
                self._refuse(repository.repository, "the repository was removed by this run and is back by now")
            return
        self._refuse_if_locked()
        self._put_back_refs()
        for path, place in repository.paths.items():
            if path not in self.plain:
                self._put_back_file(path, place)
        if not self.conflicts:
            self._check_objects()

    def _is_folder(self, path: str, place: GitPath) -> bool:
        """A folder of the git directory, which comes and goes like any; those of objects stay."""
        is_folder = all(isinstance(state, DirectoryState | Absent) for state in self.repository.sides[path])
        return is_folder and place.part is not GitPart.OBJECT

    def _is_as_left(self) -> bool:
        """Whether nothing came to a repository, or changed in it, since the run."""
        for path, (_, after) in self.repository.sides.items():
            disk, data = self._tree.peek(path)
            if disk != after and not self._is_refreshed(path, data, after):
                return False
        if self.repository.was_removed:
            return True
        known = self.repository.sides.keys()
        return all(path in known for path in _below(self._tree, self.repository.repository))

    def _refuse_if_locked(self) -> None:
        for path, place in self.repository.paths.items():
            if place.part not in (GitPart.OBJECT, GitPart.FOLDER) and self._state(f"{path}.lock") != ABSENT:
                self._refuse(f"{path}.lock", "git is at work there, or was cut off and left its lock behind")
                return

    def _put_back_refs(self) -> None:
        config = self._tree.peek(joined(self.repository.repository, "config"))[1]
        if uses_reftable(config):
            self._put_back_tables()
            return
        files = [path for path, place in self.repository.paths.items() if self._holds_refs(path, place)]
        for change in self.repository.refs:
            self._compare(change)
        if self.conflicts:
            return
        self._refuse_if_checked_out()
        if self._is_packed_as_left() and all(self._state(path) == self.repository.sides[path][1] for path in files):
            for path in files:
                self._restore(path)
        else:
            self._put_back_values()
        for change in self.undone_refs:
            if is_object_id(change.old):
                assert change.old is not None
                title = title_of_ref(change.name)
                self._tips[change.old] = (
                    f"{title} cannot go back to {short(change.old)}: not all of that is in the repository any more"
                )

    def _holds_refs(self, path: str, place: GitPath) -> bool:
        return path not in self.plain and place.part in (GitPart.REF, GitPart.PACKED)

    def _is_packed_as_left(self) -> bool:
        """Whether `packed-refs`, which a loose file covers, is the one of the run."""
        path, noted = self.repository.packed_path, self.repository.noted("packed-refs")
        return path in self.repository.sides or (noted is not None and self._state(path) == noted)

    def _refuse_if_checked_out(self) -> None:
        """A branch is not moved or deleted under a person who has checked it out since the run."""
        root = self.repository.repository
        head = joined(root, "HEAD")
        sides = self.repository.sides.get(head)
        left = self.repository.values(head)[1] if sides is not None else self.repository.head
        now = ref_value(self._tree.peek(head)[1])
        folder = joined(root, "worktrees")
        trees = self._tree.children(folder) if self._tree.is_directory(folder) else ()
        elsewhere = {ref_value(self._tree.peek(joined(folder, name, "HEAD"))[1]): name for name in trees}
        for change in self.undone_refs:
            link, title = f"ref: {change.name}", title_of_ref(change.name)
            if now == link and left not in (link, None):
                self._refuse(joined(root, change.name), f"{title} has been checked out since the run")
            elif change.old is None and link in elsewhere and joined(folder, elsewhere[link]) not in self.plain:
                self._refuse(joined(root, change.name), f"{title} is checked out in the worktree {elsewhere[link]}")

    def _put_back_tables(self) -> None:
        """References in reftable files are not read: they go back only where all of them are as the run left them."""
        tables = [path for path, place in self.repository.paths.items() if place.part is GitPart.REFTABLE]
        if all(self._state(path) == self.repository.sides[path][1] for path in tables):
            for path in tables:
                self._restore(path)
        else:
            where = joined(self.repository.repository, "reftable")
            self._refuse(where, "its references are kept as reftable, which Tandem does not read, and have moved on")

    def _compare(self, change: RefChange) -> None:
        path = joined(self.repository.repository, change.name)
        title = title_of_ref(change.name)
        now = self._now(change.name)
        if not change.is_known:
            self._refuse(path, f"{title}: what it was before the run is no longer known, as its file was packed since")
        elif now == change.old:
            return
        elif now != change.new:
            self._refuse(path, _moved_on(title, change.new, now))
        elif change.name == _STASH and self._has_moved_on(joined(self.repository.repository, "logs", _STASH)):
            self._refuse(path, "the stash has changed since")
        else:
            self.undone_refs.append(change)

    def _put_back_values(self) -> None:
        """Restore references as loose files. Remove from `packed-refs` only references that did not exist before."""
        packed_path = self.repository.packed_path
        _, packed_data = self._tree.peek(packed_path)
        packed = packed_refs(packed_data)
        gone = [change.name for change in self.undone_refs if change.old is None and change.name in packed]
        for name in gone:
            del packed[name]
        if gone:
            self._write(packed_path, without_refs(packed_data or b"", gone))
        for change in self.undone_refs:
            self._put_back_value(change, packed)
        self._refuse_names_in_the_way(packed)

    def _put_back_value(self, change: RefChange, packed: Mapping[str, str]) -> None:
        path = joined(self.repository.repository, change.name)
        before = self.repository.sides.get(path, (ABSENT, ABSENT))[0]
        disk = self._state(path)
        is_loose = isinstance(disk, FileState | SymlinkState)
        if change.old is None or packed.get(change.name) == change.old:
            if is_loose:
                self._change(path, before if isinstance(before, DirectoryState) else ABSENT)
        elif isinstance(before, FileState | SymlinkState):
            self._make_room(path)
            self._change(path, before)
        else:
            self._make_room(path)
            self._write(path, f"{change.old}\n".encode())

    def _make_room(self, path: str) -> None:
        """Take away folders without files, which git leaves behind where a branch had its name from."""
        if not self._tree.is_directory(path):
            return
        below = _below(self._tree, path)
        left = [each for each in below if not self._tree.is_directory(each) and each not in self.changes]
        if left:
            prefix = f"{self.repository.repository}/" if self.repository.repository else ""
            self._refuse(path, f"{title_of_ref(left[0].removeprefix(prefix))} is in the way of its name")
            return
        for each in below:
            if self._tree.is_directory(each):
                self._change(each, ABSENT)

    def _refuse_names_in_the_way(self, packed: Mapping[str, str]) -> None:
        """A branch `a` and a branch `a/b` cannot both be."""
        coming = {change.name: change for change in self.undone_refs if change.old is not None and change.new is None}
        if not coming:
            return
        root = self.repository.repository
        leaving = {change.name for change in self.undone_refs if change.old is None}
        prefix = f"{root}/" if root else ""
        loose = {path.removeprefix(prefix) for path in _below(self._tree, joined(root, "refs")) if self._is_file(path)}
        staying = ({*loose, *packed} | coming.keys()) - leaving
        for name in coming:
            other = next((each for each in staying if each.startswith(f"{name}/") or name.startswith(f"{each}/")), None)
            if other is not None:
                why = f"{title_of_ref(name)} cannot come back: {title_of_ref(other)} is in the way"
                self._refuse(joined(root, name), why)

    def _put_back_file(self, path: str, place: GitPath) -> None:
        part = place.part
        if part is GitPart.HEAD:
            self._put_back_head(path, place)
        elif part is GitPart.INDEX:
            self._put_back_index(path, place)
        elif part is GitPart.LOG:
            self._put_back_or_keep(path, f"the log of {place.name.removeprefix('logs/')}", log_ids)
        elif part is GitPart.TEXT:
            self._put_back_text(path)
        elif part in (GitPart.STATE, GitPart.FOLDER):
            self._put_back_or_keep(path, joined(place.area, place.name), head_ids)

    def _put_back_head(self, path: str, place: GitPath) -> None:
        old, new = self.repository.values(path)
        disk, data = self._tree.peek(path)
        now = f"ref: {disk.target}" if isinstance(disk, SymlinkState) else ref_value(data)
        if old in (now, new):
            return
        title = f"HEAD of the worktree {place.area.removeprefix('worktrees/')}" if place.area else "HEAD"
        if now != new:
            self._refuse(path, _moved_on(title, new, now))
            return
        target = old.removeprefix("ref: ") if old is not None and old.startswith("ref: ") else None
        if target is not None and not self._will_be_there(target) and self._is_there(new):
            self._refuse(path, f"{title} cannot go back to {short(old)}: that branch is gone")
            return
        self._restore(path)
        if is_object_id(old):
            assert old is not None
            self._tips[old] = f"{title} cannot go back to {short(old)}: not all of that is in the repository any more"

    def _will_be_there(self, name: str) -> bool:
        return self._now(name) is not None or any(change.name == name for change in self.undone_refs)

    def _is_there(self, value: str | None) -> bool:
        """Whether HEAD leads to a commit with this value; else its branch has none yet."""
        return value is not None and (is_object_id(value) or self._now(value.removeprefix("ref: ")) is not None)

    def _put_back_index(self, path: str, place: GitPath) -> None:
        before, after = self.repository.sides[path]
        disk, data = self._tree.peek(path)
        if disk == before or self._is_refreshed(path, data, before):
            return
        if disk != after and not self._is_refreshed(path, data, after):
            self._refuse(path, "files have been staged since the run, or others are checked out")
            return
        self._change(path, before)
        if isinstance(before, FileState):
            data = self._objects.read(before.sha256)
            self._wanted[path] = index_objects(data, self.repository.object_id_bytes)

    def _is_refreshed(self, path: str, data: bytes | None, state: NodeState) -> bool:
        """An index that git has rewritten by looking at it counts as untouched."""
        place = self.repository.paths[path]
        if place.part is not GitPart.INDEX or data is None or not isinstance(state, FileState):
            return False
        size = self.repository.object_id_bytes
        entries = index_entries(data, size)
        return entries is not None and entries == index_entries(self._objects.read(state.sha256), size)

    def _put_back_or_keep(self, path: str, title: str, ids: Callable[[bytes], set[str]]) -> None:
        before = self.repository.sides[path][0]
        if self._state(path) == before:
            return
        if self._has_moved_on(path):
            self.kept_logs.append(path)
            if self.repository.paths[path].name not in GENERATED:
                self.notes.append(f"{title} has moved on and stays as it is.")
            return
        self._restore(path)
        if isinstance(before, FileState):
            self._wanted[path] = ids(self._objects.read(before.sha256))

    def _has_moved_on(self, path: str) -> bool:
        sides = self.repository.sides.get(path)
        return sides is not None and self._state(path) not in sides

    def _put_back_text(self, path: str) -> None:
        before, after = self.repository.sides[path]
        disk, data = self._tree.peek(path)
        if disk == before:
            return
        if disk == after:
            self._restore(path)
            return
        are_files = isinstance(before, FileState) and isinstance(after, FileState) and isinstance(disk, FileState)
        together = self._merged(before, data or b"", after) if are_files else None
        if together is None or not isinstance(disk, FileState):
            self._refuse(path, f"{path} was changed since, where the run had changed it")
            return
        self._change(path, FileState.of(together, disk.mode), together)
        self.merged.append(path)

    def _merged(self, before: NodeState, data: bytes, after: NodeState) -> bytes | None:
        assert isinstance(before, FileState)
        assert isinstance(after, FileState)
        from tandem_desktop.diff.three_way import merge

        return merge(self._objects.read(after.sha256), data, self._objects.read(before.sha256))

    def _check_objects(self) -> None:
        """Nothing is set to a value that the repository could not follow."""
        wanted = {name for names in self._wanted.values() for name in names}
        if not (self._tips or wanted):
            return
        try:
            missing = self.asking.missing(self._tips, wanted)
        except GitError as error:
            self._refuse(self.repository.repository, f"whether the old commits are still there is not known: {error}")
            return
        for name in sorted(missing.tips):
            self._refuse(self.repository.repository, self._tips[name])
        for path, names in self._wanted.items():
            if not names & missing.objects:
                continue
            if self.repository.paths[path].part is GitPart.INDEX:
                self._refuse(path, "what was staged before the run is not in the repository any more")
            else:
                del self.changes[path]
                self.notes.append(f"{path} stays as it is: it would name commits that are gone.")
        if missing.needs_kept:
            self._put_back_objects()

    def _put_back_objects(self) -> None:
        for path, state in self.asking.kept.items():
            if self._state(path) == ABSENT:
                self._change(path, state)

    def _now(self, name: str) -> str | None:
        """The value of a reference now: of its loose file, else packed."""
        disk, data = self._tree.peek(joined(self.repository.repository, name))
        if isinstance(disk, SymlinkState):
            return f"ref: {disk.target}"
        if isinstance(disk, FileState):
            return ref_value(data)
        return packed_refs(self._tree.peek(self.repository.packed_path)[1]).get(name)

    def _is_file(self, path: str) -> bool:
        return isinstance(self._state(path), FileState | SymlinkState)

    def _state(self, path: str) -> NodeState | None:
        return self._tree.peek(path)[0]

    def _restore(self, path: str) -> None:
        self._change(path, self.repository.sides[path][0])

    def _write(self, path: str, data: bytes) -> None:
        disk = self._state(path)
        mode = disk.mode if isinstance(disk, FileState) else _NEW_REF_MODE
        self._change(path, FileState.of(data, mode), data)

    def _change(self, path: str, after: NodeState, *contents: bytes) -> None:
        disk, data = self._tree.peek(path)
        if disk is None:
            self._refuse(path, "replaced by something that is no file, link or folder")
        elif disk != after:
            self.changes[path] = PathChange(path=path, before=disk, after=after)
            self.contents += contents
            if data is not None:
                self.contents.append(data)

    def _refuse(self, path: str, reason: str) -> None:
        self.conflicts.append((path or ".", reason))


def log_ids(data: bytes) -> set[str]:
    """The objects a reflog names."""
    return {name for line in log_values(data) for name in line if is_object_id(name)}


def head_ids(data: bytes) -> set[str]:
    """The object a file like ORIG_HEAD names."""
    value = ref_value(data)
    return {value} if value is not None and is_object_id(value) else set()


def _moved_on(title: str, left: str | None, now: str | None) -> str:
    was = f"the run left {short(left)}" if left is not None else "the run had deleted it"
    return f"{title} has moved on: {was}, " + (f"it is now at {short(now)}" if now is not None else "it is gone")


def _below(tree: GitTree, folder: str) -> list[str]:
    """Every path below a folder, parents first."""
    found = []
    for name in tree.children(folder):
        path = joined(folder, name)
        found.append(path)
        if tree.is_directory(path):
            found += _below(tree, path)
    return found


def _still_needed(
    part: _RepositoryUndo, changes: Iterable[RefChange], moved: frozenset[str], tree: GitTree
) -> list[str]:
    """Which commits an undo takes off a branch are needed by something else, and stay for that."""
    notes: dict[str, None] = {}
    for change in changes:
        if not is_object_id(change.new):
            continue
        assert change.new is not None
        try:
            if is_object_id(change.old) and part.asking.is_in(change.new, change.old or ""):
                continue  # the branch keeps it
            holders = _holders(part, change, change.new, moved, tree)
        except GitError:
            continue
        if holders:
            more = f", and {len(holders) - _NAMED} more" if len(holders) > _NAMED else ""
            notes[f"commit {short(change.new)} stays: {', '.join(holders[:_NAMED])}{more}"] = None
    return list(notes)


def _holders(part: _RepositoryUndo, change: RefChange, commit: str, moved: frozenset[str], tree: GitTree) -> list[str]:
    found = [
        f"{title_of_ref(name)} {'points to it' if is_exact else 'contains it'}"
        for name, is_exact in part.asking.refs_with(commit)
        if name not in moved
    ]
    root = part.repository.repository
    for name in tree.children(joined(root, "worktrees")) if tree.is_directory(joined(root, "worktrees")) else ():
        head = ref_value(tree.peek(joined(root, "worktrees", name, "HEAD"))[1])
        if head == f"ref: {change.name}":
            found.append(f"the worktree {name} has {title_of_ref(change.name)} checked out, and its files stay")
        elif is_object_id(head) and head is not None and part.asking.is_in(commit, head):
            found.append(f"the worktree {name} is at it")
    for path in part.kept_logs:
        if part.repository.paths[path].part is GitPart.LOG and commit in log_ids(tree.peek(path)[1] or b""):
            found.append(f"the log of {part.repository.paths[path].name.removeprefix('logs/')} names it")
    return found
