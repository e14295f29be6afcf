"""Tells what changes below `.git` mean: branches, tags, commits, the index, instead of files."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tandem_desktop.domain.errors import GitError
from tandem_desktop.domain.git_files import (
    GIT,
    GitPart,
    GitPath,
    appended_log,
    commit_parents,
    git_path,
    hash_bytes,
    index_entries,
    is_object_id,
    joined,
    loose_object,
    packed_refs,
    ref_value,
    short,
    title_of_ref,
)
from tandem_desktop.domain.operations import Absent, DirectoryState, FileState, NodeState, PathChange, SymlinkState
from tandem_desktop.storage.workspace import Workspace

NetChanges = Mapping[str, tuple[NodeState, NodeState]]
Read = Callable[[NodeState], bytes | None]
"""The bytes of a file by its state; None for anything else."""
Disk = Callable[[str], bytes | None]
"""The bytes of a file as it is now."""

_UNDER_WAY = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "BISECT_LOG": "bisect",
}
_UNKNOWN = "?"
"""The value of a reference that can no longer be told."""


@dataclass(frozen=True, slots=True)
class GitEffect:
    """What was done to one repository, in lines for people."""

    repository: str
    """The folder whose repository it is, relative to the workspace; `.` for the workspace itself."""
    lines: tuple[str, ...]
    paths: tuple[str, ...]
    """The files below its git directory that are told by `lines`."""


@dataclass(frozen=True, slots=True)
class RefChange:
    """A reference with another value."""

    name: str
    old: str | None
    new: str | None

    @property
    def is_known(self) -> bool:
        return _UNKNOWN not in (self.old, self.new)


def git_effects(
    changes: Iterable[PathChange], read: Read, workspace: Workspace, seen: Mapping[str, NodeState] | None = None
) -> tuple[GitEffect, ...]:
    """What the changes of paths mean for each repository among them; paths of no repository are left out.

    `seen` are files of git beside them as they were then, where that was noted.
    """
    net = {change.path: (change.before, change.after) for change in changes}
    found = repository_changes(net, read, lambda path: workspace.peek(path)[1], workspace.is_directory)
    for each in found:
        each.seen = seen or {}
    return tuple(each.effect(workspace.path) for each in found)


def without_git(changes: Iterable[PathChange], effects: Iterable[GitEffect]) -> tuple[PathChange, ...]:
    """The changes that are not told by the effects."""
    told = paths_of(effects)
    return tuple(change for change in changes if change.path not in told)


def paths_of(effects: Iterable[GitEffect]) -> frozenset[str]:
    return frozenset(path for effect in effects for path in effect.paths)


def agent_sentences(
    changes: Iterable[PathChange], contents: Mapping[str, bytes], workspace: Workspace
) -> tuple[str, ...]:
    """What an agent did to repositories in its shadow, where it stays; `contents` are bytes by digest."""

    def read(state: NodeState) -> bytes | None:
        return contents.get(state.sha256) if isinstance(state, FileState) else None

    net = {change.path: (change.before, change.after) for change in changes}
    found = repository_changes(net, read, lambda path: workspace.peek(path)[1], workspace.is_directory)
    told = {path for each in found for path in each.paths}
    said = [sentence for each in found for sentence in each.sentences(workspace.path)]
    return (*said, *(f"The agent changed {path}, which is never staged." for path in net if path not in told))


def repository_changes(
    net: NetChanges, read: Read, disk: Disk, is_directory: Callable[[str], bool]
) -> list["RepositoryChanges"]:
    """The changes of each git directory, in the order of their paths."""
    known: dict[str, bool] = {}

    def is_repository(folder: str) -> bool:
        if folder not in known:
            head, objects = joined(folder, "HEAD"), joined(folder, "objects")
            known[folder] = (head in net or disk(head) is not None) and (objects in net or is_directory(objects))
        return known[folder]

    found: dict[str, RepositoryChanges] = {}
    for path in sorted(net):
        place = git_path(path, is_repository)
        if place is None or (not place.name and not _is_folder_change(net[path])):
            continue  # a `.git` that is a file says where the repository is, and is a file like others
        repository = found.setdefault(place.repository, RepositoryChanges(place.repository, read, disk))
        repository.add(path, place, net[path])
    return list(found.values())


def _is_folder_change(sides: tuple[NodeState, NodeState]) -> bool:
    return any(isinstance(state, DirectoryState) for state in sides)


class RepositoryChanges:
    """What happened between two moments to one git directory, read by value.

    `seen` are files that did not change between them, as far as that was noted.
    """

    def __init__(self, repository: str, read: Read, disk: Disk) -> None:
        self.repository = repository
        self.paths: dict[str, GitPath] = {}
        self.sides: dict[str, tuple[NodeState, NodeState]] = {}
        self.seen: Mapping[str, NodeState] = {}
        self._read = read
        self._disk = disk

    def add(self, path: str, place: GitPath, sides: tuple[NodeState, NodeState]) -> None:
        self.paths[path] = place
        self.sides[path] = sides

    @property
    def packed_path(self) -> str:
        return joined(self.repository, "packed-refs")

    @property
    def was_created(self) -> bool:
        return self._appeared(0)

    @property
    def was_removed(self) -> bool:
        return self._appeared(1)

    @property
    def head(self) -> str | None:
        """What HEAD said at both moments, where it did not change and was noted."""
        found = self.noted("HEAD")
        return None if found is None else self._value(found)

    def noted(self, name: str) -> NodeState | None:
        return self.seen.get(joined(self.repository, name))

    def values(self, path: str) -> tuple[str | None, str | None]:
        """What a file that holds one value said before and after."""
        before, after = self.sides[path]
        return self._value(before), self._value(after)

    @cached_property
    def refs(self) -> tuple[RefChange, ...]:
        """References, loose or packed, that have another value than before; HEAD is not among them."""
        before, after = self._packed_sides()
        changes = []
        loose = {path: place for path, place in self.paths.items() if self._is_ref(path, place)}
        for path, place in loose.items():
            old, new = self.values(path)
            if not place.area:
                old = old if old is not None else self._packed_before(place.name, new, before)
                new = new if new is not None else self._packed_after(place.name, old, after)
            if old != new:
                changes.append(RefChange(joined(place.area, place.name), old, new))
        if before is not None and after is not None:
            told = {place.name for place in loose.values() if not place.area}
            changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
            changes += [change for name in changed - told if (change := self._packed_change(name, before, after))]
        return tuple(sorted(changes, key=lambda change: change.name))

    def effect(self, root: Path) -> GitEffect:
        return GitEffect(self.folder, tuple(self._lines(root)), tuple(self.paths))

    def sentences(self, root: Path) -> Iterable[str]:
        """What the agent did to the repository in its shadow: one sentence for commits, one for other changes.

        Clean-up and files that mean nothing to git, such as the note OpenCode leaves there, are not worth a sentence.
        """
        where = "" if self.folder == "." else f" of {self.folder}"
        counted: dict[str, str] = {}
        for change in self.refs:
            commits = self.commits(change.old, change.new, root) if change.new is not None else None
            if change.name.startswith("refs/heads/") and commits is not None and commits[0]:
                name = f"{change.name.removeprefix('refs/heads/')}{where}"
                counted[self._ref_line(change, root)] = f"{plural(commits[0], 'commit')} on {name}"
        if counted:
            made = ", ".join(counted.values())
            yield f"The agent made {made} in its shadow; commits are not part of the plan, its file changes are."
        quiet = (*counted, *self._housekeeping())
        others = [line for line in self._lines(root) if line not in quiet]
        others = [line for line in others if not (counted and line.startswith("index"))]
        if others:
            told = "; ".join(others)
            yield f"The agent changed the repository{where} in its shadow, which is not part of the plan: {told}."

    @property
    def folder(self) -> str:
        """The folder whose repository it is."""
        above, _, last = self.repository.rpartition("/")
        return (above or ".") if last == GIT else (self.repository or ".")

    def commits(self, old: str | None, new: str | None, root: Path) -> tuple[int, int] | None:
        """How many commits were added and removed between `old` and `new`; None if that cannot be found out."""
        if not is_object_id(new) and not is_object_id(old):
            return None
        assert old is not None or new is not None
        counted = self._counted_here(old, new)
        if counted is not None:
            return counted, 0
        if old is None or new is None:
            return None
        from tandem_desktop.processes.git import run_git

        try:
            asked = run_git(
                ("rev-list", "--count", "--left-right", f"{old}...{new}", "--"),
                root,
                git_directory=root / self.repository,
            )
        except (GitError, OSError):
            return None
        numbers = asked.output.split()
        return (int(numbers[1]), int(numbers[0])) if asked.succeeded and len(numbers) == 2 else None

    def _lines(self, root: Path) -> Iterable[str]:
        if self.was_created or self.was_removed:
            yield f"repository {'created' if self.was_created else 'removed'}"
        if self.was_removed:
            return
        for path, place in self.paths.items():
            if place.part is GitPart.HEAD and not place.area and not self.was_created:
                old, new = self.values(path)
                if old != new:
                    yield f"HEAD: {short(old)} → {short(new)}"
        yield from (self._ref_line(change, root) for change in self.refs)
        yield from self._worktree_lines()
        yield from self._index_lines()
        yield from self._state_lines()
        yield from self._text_lines()
        if not self._says_something:
            yield from self._housekeeping()

    @property
    def _says_something(self) -> bool:
        told = (GitPart.HEAD, GitPart.TEXT, GitPart.FOLDER)
        return bool(self.refs) or any(place.part in told for place in self.paths.values()) or bool(self._index_counts())

    def _ref_line(self, change: RefChange, root: Path) -> str:
        title = title_of_ref(change.name)
        if not change.is_known:
            return f"{title} set to {short(change.new)}" if change.old == _UNKNOWN else f"{title} changed"
        if change.old is None:
            return f"{title} created at {short(change.new)}"
        if change.new is None:
            return f"{title} deleted, it was at {short(change.old)}"
        return f"{title}: {short(change.old)} → {short(change.new)}{self._count_text(change, root)}"

    def _count_text(self, change: RefChange, root: Path) -> str:
        counted = self.commits(change.old, change.new, root)
        if counted is None or not any(counted):
            return ""
        added, gone = counted
        if not gone:
            return f", {plural(added, 'commit')}"
        return f", {plural(added, 'commit')} instead of {gone}" if added else f", {plural(gone, 'commit')} taken off"

    def _worktree_lines(self) -> Iterable[str]:
        for path, place in self.paths.items():
            before, after = self.sides[path]
            if place.area and not place.name:
                name = place.area.removeprefix("worktrees/")
                if isinstance(before, Absent) or isinstance(after, Absent):
                    yield f"worktree {name} {'added' if isinstance(before, Absent) else 'removed'}"

    def _index_lines(self) -> Iterable[str]:
        word = "updated" if self.refs else "staged"
        for area, (changed, removed) in self._index_counts().items():
            where = f" of {area}" if area else ""
            told = [f"{plural(changed, 'file')} {word}"] if changed else []
            told += [f"{plural(removed, 'file')} removed"] if removed else []
            yield f"index{where}: {', '.join(told)}"

    def _index_counts(self) -> dict[str, tuple[int, int]]:
        found = {}
        size = self.object_id_bytes
        for path, place in self.paths.items():
            if place.part is GitPart.INDEX:
                sides = [self._read(state) for state in self.sides[path]]
                before, after = (index_entries(each, size) if each is not None else {} for each in sides)
                if before is not None and after is not None and before != after:
                    changed = {name for name, entry in after.items() if before.get(name) != entry}
                    found[place.area] = len({name for name, _ in changed}), len(before.keys() - after.keys())
        return found

    @cached_property
    def object_id_bytes(self) -> int:
        path = joined(self.repository, "config")
        states = self.sides.get(path)
        return hash_bytes(self._disk(path) if states is None else self._read(states[1]) or self._read(states[0]))

    def _state_lines(self) -> Iterable[str]:
        for path, place in self.paths.items():
            word = _UNDER_WAY.get(place.name)
            before, after = self.sides[path]
            if word and isinstance(before, Absent):
                yield f"a {word} is under way"
            elif word and isinstance(after, Absent):
                yield f"the {word} that was under way is over"

    def _text_lines(self) -> Iterable[str]:
        if self.was_created:
            return
        for path, place in self.paths.items():
            sides = self.sides[path]
            if place.part is GitPart.TEXT and any(isinstance(each, FileState | SymlinkState) for each in sides):
                word = "created" if isinstance(sides[0], Absent) else "changed"
                yield f"{joined(place.area, place.name)} {'deleted' if isinstance(sides[1], Absent) else word}"

    def _housekeeping(self) -> Iterable[str]:
        files = [
            self.sides[path]
            for path, place in self.paths.items()
            if place.part is GitPart.OBJECT and not _is_folder_change(self.sides[path])
        ]
        added = sum(isinstance(before, Absent) for before, _ in files)
        removed = sum(isinstance(after, Absent) for _, after in files)
        told = [f"{plural(added, 'file')} of objects added"] if added else []
        told += [f"{plural(removed, 'file')} of objects removed"] if removed else []
        if self.packed_path in self.sides:
            told.append("references packed")
        if told:
            yield f"clean-up: {', '.join(told)}"
            return
        notes = [path for path, place in self.paths.items() if place.part in (GitPart.STATE, GitPart.REFTABLE)]
        if notes:
            yield f"{plural(len(notes), 'file')} of git's own changed"

    def _appeared(self, side: int) -> bool:
        folder = self.sides.get(self.repository)
        head = self.sides.get(joined(self.repository, "HEAD"))
        if folder is not None:
            return isinstance(folder[side], Absent)
        return not self.repository and head is not None and isinstance(head[side], Absent)

    def _is_ref(self, path: str, place: GitPath) -> bool:
        return place.part is GitPart.REF and any(
            isinstance(state, FileState | SymlinkState) for state in self.sides[path]
        )

    def _value(self, state: NodeState) -> str | None:
        if isinstance(state, SymlinkState):
            return f"ref: {state.target}"
        return ref_value(self._read(state)) if isinstance(state, FileState) else None

    def _packed_sides(self) -> tuple[dict[str, str] | None, dict[str, str] | None]:
        sides = self.sides.get(self.packed_path)
        if sides is not None:
            return packed_refs(self._read(sides[0])), packed_refs(self._read(sides[1]))
        noted = self.noted("packed-refs")
        if noted is not None:
            same = packed_refs(self._read(noted))
            return same, same
        return None, None

    def _packed_change(self, name: str, before: dict[str, str], after: dict[str, str]) -> RefChange | None:
        """A packed line that changed while its loose file did not: where there was one, that is the value."""
        noted = self.noted(name)
        if noted is None:
            is_covered = self._disk(joined(self.repository, name)) is not None
            return RefChange(name, _UNKNOWN if is_covered else before.get(name), after.get(name))
        covered = isinstance(noted, FileState | SymlinkState)
        return None if covered else RefChange(name, before.get(name), after.get(name))

    def _packed_before(self, name: str, new: str | None, packed: dict[str, str] | None) -> str | None:
        """The value that had no loose file before: packed, or none at all."""
        if packed is not None:
            return packed.get(name)
        sides = self.sides.get(joined(self.repository, "logs", name))
        if sides is not None:
            lines = appended_log(self._read(sides[0]), self._read(sides[1]))
            if lines:
                return lines[0][0] if is_object_id(lines[0][0]) else None
        now = packed_refs(self._disk(self.packed_path)).get(name)
        return _UNKNOWN if now is not None and now == new else now

    def _packed_after(self, name: str, old: str | None, packed: dict[str, str] | None) -> str | None:
        """The value that has no loose file afterwards: packed, or none at all."""
        if packed is not None:
            return packed.get(name)
        now = packed_refs(self._disk(self.packed_path)).get(name)
        return now if now in (None, old) else _UNKNOWN

    def _counted_here(self, old: str | None, new: str | None) -> int | None:
        """Count added commits among the changed files, which git may not know; None if they do not reach `old`."""
        left, seen = [new], set()
        while left:
            commit = left.pop()
            if commit is None or commit == old or commit in seen:
                continue
            parents = self._commits.get(commit)
            if parents is None:
                if commit == new:
                    return None
                continue
            seen.add(commit)
            left += parents
        # Where the old one was not met on the way it is no ancestor, or the way leads through commits of before.
        reached = old is None or any(old in self._commits[each] for each in seen)
        return len(seen) if reached else None

    @cached_property
    def _commits(self) -> dict[str, tuple[str, ...]]:
        found = {}
        for path, place in self.paths.items():
            name = loose_object(place.name)
            if name is not None and isinstance(self.sides[path][0], Absent):
                data = self._read(self.sides[path][1])
                parents = commit_parents(data) if data is not None else None
                if parents is not None:
                    found[name] = parents
        return found


def plural(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
