"""Finds out whether a repository still has the objects an undo needs, and which kept ones it could be given."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tandem_desktop.domain.errors import GitError
from tandem_desktop.domain.git_files import GIT
from tandem_desktop.domain.operations import FileState
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.atomic import remove_tree
from tandem_desktop.storage.objects import ObjectStore

if TYPE_CHECKING:
    from tandem_desktop.processes.git import GitAnswer


@dataclass(frozen=True, slots=True)
class MissingObjects:
    """What a repository lacks of what was asked for."""

    tips: frozenset[str]
    """Commits, or tags, of which something is missing."""
    objects: frozenset[str]
    needs_kept: bool = False
    """Whether this is so only when the kept object files are put back."""


class GitObjects:
    """Asks git about one repository; `kept` are files of objects whose bytes are stored, by path."""

    def __init__(self, root: Path, repository: str, kept: Mapping[str, FileState], store: ObjectStore) -> None:
        self._root = root
        self._repository = repository
        self.kept = kept
        self._store = store

    def missing(self, tips: Collection[str], objects: Collection[str]) -> MissingObjects:
        """Which tips have not all that they lead to, and which single objects are not there.

        Raises:
            GitError: git cannot be asked.
        """
        found = self._missing(tips, objects, None)
        if not (found.tips or found.objects) or not self.kept:
            return found
        with self._laid_out() as folder:
            better = self._missing(tips, objects, folder)
        helps = len(better.tips) + len(better.objects) < len(found.tips) + len(found.objects)
        return MissingObjects(better.tips, better.objects, needs_kept=True) if helps else found

    def refs_with(self, commit: str) -> list[tuple[str, bool]]:
        """References from which `commit` can be reached, each with whether it is exactly there."""
        wanted = "--format=%(refname) %(objectname) %(*objectname)"
        asked = self._ask("for-each-ref", wanted, f"--contains={commit}")
        lines = (line.split(" ") for line in asked.output.decode("utf-8", "replace").splitlines())
        return [(words[0], commit in words[1:]) for words in lines] if asked.succeeded else []

    def is_in(self, commit: str, other: str) -> bool:
        """Whether `other` is the commit, or came after it."""
        return self._ask("merge-base", "--is-ancestor", commit, other).succeeded

    def _missing(self, tips: Collection[str], objects: Collection[str], folder: Path | None) -> MissingObjects:
        absent = self._absent({*tips, *objects}, folder)
        rest = sorted(set(tips) - absent)
        broken = set() if self._are_whole(rest, folder) else {tip for tip in rest if not self._are_whole([tip], folder)}
        return MissingObjects(frozenset((set(tips) & absent) | broken), frozenset(set(objects) & absent))

    def _absent(self, names: Collection[str], folder: Path | None) -> set[str]:
        if not names:
            return set()
        data = "".join(f"{name}\n" for name in sorted(names)).encode()
        asked = self._ask("cat-file", "--batch-check=%(objectname)", data=data, folder=folder)
        if not asked.succeeded:
            raise GitError(
                f"git cannot read the repository at {self._place}: {asked.problem or 'it did not say why'}",
                path=str(self._place),
                next="Look at it with: git fsck",
            )
        lines = asked.output.decode("ascii", "replace").splitlines()
        return {words[0] for words in (line.split(" ") for line in lines) if words[-1] == "missing"}

    def _are_whole(self, tips: list[str], folder: Path | None) -> bool:
        """What other references lead to is taken to be whole; where one of those is broken all is walked."""
        if not tips:
            return True
        walk = ("rev-list", "--objects", "--quiet", "--missing=allow-promisor", *tips)
        return self._ask(*walk, "--not", "--all", folder=folder).succeeded or self._ask(*walk, folder=folder).succeeded

    def _ask(self, *arguments: str, data: bytes = b"", folder: Path | None = None) -> GitAnswer:
        from tandem_desktop.processes.git import run_git

        return run_git(arguments, self._root, git_directory=self._place, data=data, alternates=folder)

    @property
    def _place(self) -> Path:
        return self._root / self._repository

    @contextmanager
    def _laid_out(self) -> Iterator[Path]:
        """Write the kept objects to a temporary folder that git can read; it is removed at the end of the block."""
        import tempfile

        folder = Path(tempfile.mkdtemp(prefix="tandem-objects-"))
        try:
            above = f"{self._repository}/objects/" if self._repository else "objects/"
            for path, state in self.kept.items():
                if not path.startswith(above):
                    continue
                place = folder / path.removeprefix(above)
                atomic.make_directory(place.parent, mode=0o700)
                fd = syscalls.create(str(place))
                try:
                    syscalls.write(fd, self._store.read(state.sha256))
                finally:
                    os.close(fd)
            yield folder
        finally:
            remove_tree(folder)


def outside_git_directory(root: Path) -> Path | None:
    """The git directory of a worktree or submodule, where it lies outside of the workspace.

    A commit made in such a workspace changes that folder, which no layer covers. The repository of a folder above is
    another matter: from inside a layer git does not find it.
    """
    mark = root / GIT
    try:
        if mark.is_symlink():
            place = mark.resolve()
        elif mark.is_file():
            text = mark.read_text("utf-8", "surrogateescape")
            if not text.startswith("gitdir:"):
                return None
            place = (root / text.removeprefix("gitdir:").strip()).resolve()
        else:
            return None
    except (OSError, ValueError):
        return None
    return None if place.is_relative_to(root.resolve()) else place
