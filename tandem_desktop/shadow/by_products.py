"""Folds new files that git ignores out of the changes of a shadow."""

import json
import os
import re
import select
import stat
import subprocess
import tempfile
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from tandem_desktop.domain.paths import ancestors
from tandem_desktop.domain.plan import IgnoredFiles, IgnoredFolder
from tandem_desktop.processes.child import find_program, scrubbed_environment
from tandem_desktop.storage import atomic
from tandem_desktop.storage.paths import TANDEM_DIRECTORY, resource

_RECORD = "included.json"
_GIT = ".git"
_MOST_COUNTED = 200_000
"""Entries looked at to count what is folded; beyond that the count is a lower bound."""
_MOST_SEARCHED = 5_000
"""Entries of one ignored folder searched for files that are never folded."""
_MOST_FOLDERS = 100
"""Folders named one by one; more are counted together in those above them."""
_PATIENCE_S = 10.0
"""How long git may take in one turn."""
_MOST_RESTARTS = 50
_BATCH_BYTES = 16 * 1024
"""Less than fits into a pipe, so that git never waits for us while we wait for it."""
_ANSWER = 4
"""Fields of one answer: where the pattern is, its line, the pattern, the path."""
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Entry = tuple[str, bool]
"""A path and whether it is a folder."""


class IncludeGlobs:
    """What a person wants in the plan although git ignores it.

    `*` stands for anything but a slash, `**` for anything. A glob that ends in a plain name also stands for everything
    in a folder of that name.
    """

    def __init__(self, globs: Iterable[str] = ()) -> None:
        self.globs = tuple(dict.fromkeys(glob for each in globs if (glob := each.removeprefix("./").strip("/"))))
        self._whole = [re.compile(_translated(glob)) for glob in self.globs]
        self._folders = [re.compile(_translated(glob)) for glob in self.globs if _may_be_a_folder(glob)]
        self._beginnings = [
            re.compile(_translated("/".join(glob.split("/")[:length])))
            for glob in self.globs
            for length in range(1, glob.count("/") + 1)
        ]
        self._anywhere = any("**" in glob for glob in self.globs)

    def match(self, path: str) -> bool:
        """Whether the file, or a folder above it, is one of those."""
        return any(glob.fullmatch(path) for glob in self._whole) or any(map(self.match_folder, ancestors(path)))

    def match_folder(self, folder: str) -> bool:
        """Whether everything in the folder is meant."""
        return any(glob.fullmatch(folder) for glob in self._folders)

    def lead_into(self, folder: str) -> bool:
        """Whether something below the folder may be one of those."""
        return self._anywhere or any(glob.fullmatch(folder) for glob in self._beginnings)


def _may_be_a_folder(glob: str) -> bool:
    last = glob.rpartition("/")[2]
    return "**" in last or not set("*?") & set(last)


def _translated(glob: str) -> str:
    parts = re.split(r"(\*\*/?|\*|\?)", glob)
    meanings = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "(?s:" + "".join(meanings.get(part) or re.escape(part) for part in parts) + ")"


@dataclass(frozen=True, slots=True)
class UsualFolders:
    """Everything `by_products.toml` says."""

    folders: frozenset[str]
    always: frozenset[str]
    beside: dict[str, tuple[str, ...]]

    def has(self, name: str) -> bool:
        """Whether tools fill folders of this name, so that nothing in one is looked at."""
        return name in self.folders or name in self.beside


@lru_cache(maxsize=1)
def usual_folders() -> UsualFolders:
    """The folders that come with Tandem; they are never read from a workspace."""
    data = tomllib.loads(resource("by_products.toml").read_text("utf-8"))
    beside = {name: tuple(files) for name, files in data["beside"].items()}
    return UsualFolders(frozenset(data["folders"]), frozenset(data["always"]), beside)


class GitTooSlowError(Exception):
    """Git does not answer in time. Never leaves this module."""


class GitSilentError(Exception):
    """Git does not answer at all. Never leaves this module."""


class IgnoreQueries:
    """Asks one git process which paths it ignores by the ignore files as they are in the real workspace.

    The configuration is neutral: no hook and no file system monitor is started.
    """

    def __init__(self, workspace: Path) -> None:
        """Raises GitSilentError where there is no git."""
        program = find_program("git", outside=workspace)
        if program is None:
            raise GitSilentError("git is not installed")
        passed = {name: os.environ[name] for name in ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL") if name in os.environ}
        neutral = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [program, *neutral, "check-ignore", "-z", "--stdin", "--verbose", "--non-matching"],
            cwd=workspace,
            env=scrubbed_environment({**passed, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            bufsize=0,
            start_new_session=True,
        )

    def ask(self, entries: list[Entry], deadline: float) -> list[bool]:
        """Whether each is ignored as a whole; fewer answers than questions when git gave up at the next one.

        Raises:
            GitTooSlowError: the deadline has passed.
            GitSilentError: there is not even a first answer.
        """
        assert self._process.stdin is not None
        question = b"".join(os.fsencode(path) + (b"/\0" if is_folder else b"\0") for path, is_folder in entries)
        try:
            self._process.stdin.write(question)
        except BrokenPipeError:
            raise GitSilentError(self._reason()) from None
        fields: list[bytes] = []
        left = b""
        while len(fields) < _ANSWER * len(entries):
            part = self._read(deadline)
            if not part:
                break
            *whole, left = (left + part).split(b"\0")
            fields += whole
        answers = [fields[start : start + _ANSWER] for start in range(0, len(fields) - _ANSWER + 1, _ANSWER)]
        if not answers:
            raise GitSilentError(self._reason())
        return [_is_ignored(answer[2], *entry) for entry, answer in zip(entries, answers, strict=False)]

    def end(self) -> None:
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            if pipe is not None:
                pipe.close()
        self._process.wait()

    def _read(self, deadline: float) -> bytes:
        output = self._process.stdout
        assert output is not None
        ready, _, _ = select.select([output], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise GitTooSlowError
        return os.read(output.fileno(), 1 << 16)

    def _reason(self) -> str:
        self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read(4096).decode("utf-8", "replace").strip().splitlines()
        return lines[-1].removeprefix("fatal: ") if lines else "it ended without a word"


def _is_ignored(pattern: bytes, path: str, is_folder: bool) -> bool:
    """What the last matching pattern says of a path that need not be on disk.

    Of a folder that is not there, `*` does not say whether it is meant or what is in it, so that what is in it is asked
    about one by one.
    """
    if not pattern or pattern.startswith(b"!"):
        return False
    is_vague = is_folder and not pattern.rstrip(b"/").rpartition(b"/")[2].strip(b"*")
    return not is_vague or usual_folders().has(path.rpartition("/")[2])


@dataclass(slots=True)
class _Turn:
    """What was found out since the turn began."""

    ignored: dict[Entry, bool] = field(default_factory=dict)
    seconds: float = 0.0
    restarts: int = 0
    has_git: bool = True
    gave_up: bool = False


class ByProducts:
    """Decides for each new path of a shadow whether it is folded: ignored, new, and harmless in name.

    The rules are those of the real workspace; an ignore file that the agent writes counts once it has been applied.
    `is_never_folded` is asked for names that run code or instruct agents. Not safe from several threads by itself: the
    shadow calls it under its own lock.
    """

    def __init__(self, workspace: Path, folder: Path, is_never_folded: Callable[[str], bool]) -> None:
        self._workspace = workspace
        self._record = folder / _RECORD
        self._is_never_folded = is_never_folded
        self._turn = _Turn()
        self._queries: IgnoreQueries | None = None
        self._kept: set[str] = set()
        self._wanted = IncludeGlobs(_read_globs(self._record))
        self.folded: dict[str, bool] = {}
        """What the last look folded: each path, and whether it is a folder."""
        self.warning = ""
        """Why nothing, or less than might be, is folded."""

    @property
    def included(self) -> tuple[str, ...]:
        return self._wanted.globs

    def include(self, globs: Iterable[str]) -> None:
        """From now on fold nothing that fits one of these, and nothing else than before."""
        wanted = IncludeGlobs(globs)
        if wanted.globs == self._wanted.globs:
            return
        self._wanted = wanted
        atomic.replace(self._record, json.dumps(self._wanted.globs).encode(), mode=0o600)

    def keep(self, paths: Iterable[str]) -> None:
        """Do not fold these paths: a person was shown each of them and allowed it."""
        self._kept.update(paths)

    def begin_turn(self) -> None:
        """Ask again what is ignored."""
        self._turn, self.warning = _Turn(), ""

    def begin_look(self) -> None:
        self.folded = {}

    def end_look(self) -> bool:
        """End what was started; whether the look has to be taken again, because nothing may be folded in it."""
        self._end_queries()
        return self._turn.gave_up and bool(self.folded)

    def covers(self, path: str) -> bool:
        """Whether the path, or a folder above it, is folded."""
        return path in self.folded or any(above in self.folded for above in ancestors(path))

    def fold(
        self, entries: Iterable[Entry], is_new: Callable[[str], bool], list_inside: Callable[[str], Iterator[str]]
    ) -> Container[str]:
        """Of the entries of one folder, those that are folded from now on."""
        if self._turn.gave_up:
            return ()
        asked = [each for each in entries if _may_be_folded(each[0]) and is_new(each[0])]
        ignored = self._ignored(asked, is_new) if asked else set()
        found = [each for each in asked if each[0] in ignored and self._is_foldable(each, list_inside)]
        self.folded.update(found)
        return {path for path, _ in found}

    def _is_foldable(self, entry: Entry, list_inside: Callable[[str], Iterator[str]]) -> bool:
        path, is_folder = entry
        if not is_folder:
            return path not in self._kept and not self._wanted.match(path) and not self._is_never_folded(path)
        if self._wanted.match_folder(path) or any(map(self._wanted.match_folder, ancestors(path))):
            return False
        if self._wanted.lead_into(path) or any(each.startswith(f"{path}/") for each in self._kept):
            return False
        if usual_folders().has(path.rpartition("/")[2]):
            return True
        searched = (inside for inside, _ in zip(list_inside(path), range(_MOST_SEARCHED), strict=False))
        return not any(self._is_never_folded(inside) for inside in searched)

    def _ignored(self, entries: list[Entry], is_new: Callable[[str], bool]) -> set[str]:
        known = self._turn.ignored
        try:
            self._ask_git([each for each in entries if each not in known])
        except GitTooSlowError:
            self._turn.gave_up = True
            self._turn.ignored = {}
            self.warning = (
                f"Git did not say within {_PATIENCE_S:g} seconds what it ignores, so every new file is in the plan. "
                "Look at the ignore files of the workspace."
            )
            return set()
        return {each[0] for each in entries if known.get(each) or self._is_usual(*each, is_new)}

    def _is_usual(self, path: str, is_folder: bool, is_new: Callable[[str], bool]) -> bool:
        folders = (*ancestors(path), path) if is_folder else ancestors(path)
        if any(folder.rpartition("/")[2] in usual_folders().always for folder in folders):
            return True
        return not self._turn.has_git and any(self._has_usual_name(each, is_new) for each in folders)

    def _has_usual_name(self, folder: str, is_new: Callable[[str], bool]) -> bool:
        above, _, name = folder.rpartition("/")
        usual = usual_folders()
        makers = (f"{above}/{each}" if above else each for each in usual.beside.get(name, ()))
        return name in usual.folders or any(not is_new(maker) for maker in makers)

    def _ask_git(self, entries: list[Entry]) -> None:
        for batch in _batches(entries):
            while batch and self._turn.has_git:
                batch = batch[self._answered(batch) :]

    def _answered(self, batch: list[Entry]) -> int:
        """Ask about a batch; how many of it are known now. What git cannot be asked about is not ignored."""
        turn = self._turn
        began = time.monotonic()
        try:
            if self._queries is None:
                self._queries = IgnoreQueries(self._workspace)
            answers = self._queries.ask(batch, began + _PATIENCE_S - turn.seconds)
        except (GitSilentError, OSError) as failure:
            answers = []
            self._end_queries()
            if not turn.ignored and not turn.restarts and not _is_fine_so_far(failure):
                self._do_without_git(str(failure))
                return len(batch)
        finally:
            turn.seconds += time.monotonic() - began
        turn.ignored.update(zip(batch, answers, strict=False))
        if len(answers) == len(batch):
            return len(batch)
        self._end_queries()
        turn.restarts += 1
        if turn.restarts > _MOST_RESTARTS:
            raise GitTooSlowError
        turn.ignored[batch[len(answers)]] = False
        return len(answers) + 1

    def _do_without_git(self, reason: str) -> None:
        self._turn.has_git = False
        if any((folder / _GIT).exists() for folder in (self._workspace, *self._workspace.parents)):
            self.warning = (
                f"Git could not say what it ignores here ({reason}), so only the usual by-product folders are left out."
            )

    def _end_queries(self) -> None:
        if self._queries is not None:
            self._queries.end()
            self._queries = None


def _is_fine_so_far(failure: Exception) -> bool:
    """Whether git refused the path it was asked about, and not the whole workspace."""
    return "beyond a symbolic link" in str(failure) or "in submodule" in str(failure)


def _may_be_folded(path: str) -> bool:
    return path != TANDEM_DIRECTORY and _GIT not in path.split("/")


def _batches(entries: list[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        length = len(os.fsencode(entry[0])) + 2
        if batch and size + length > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += length
    if batch:
        yield batch


def _read_globs(record: Path) -> tuple[str, ...]:
    try:
        found = json.loads(record.read_bytes())
    except (OSError, ValueError):
        return ()
    return tuple(each for each in found if isinstance(each, str)) if isinstance(found, list) else ()


def names_inside(root_fd: int, folder: str) -> Iterator[str]:
    """Every path below a folder of an agent's tree, the folders first; no link is followed, no file is opened."""
    for path, _ in _below(root_fd, folder):
        yield path


def count(root_fd: int, folded: dict[str, bool]) -> IgnoredFiles | None:
    """Files and bytes below what was folded, by the folder they are in; None where there are none."""
    totals: dict[Place, list[int]] = defaultdict(lambda: [0, 0])
    left = _MOST_COUNTED
    for path, is_folder in sorted(folded.items()):
        above = path.rpartition("/")[0]
        place = (path, path) if is_folder else (above or ".", f"{above}/*" if above else "*")
        for _, info in _below(root_fd, path) if is_folder else _one(root_fd, path):
            if left == 0:
                break
            left -= 1
            if not stat.S_ISDIR(info.st_mode):
                totals[place][0] += 1
                totals[place][1] += info.st_size
    found = {place: total for place, total in totals.items() if total[0]}
    if not found:
        return None
    folders = tuple(
        IgnoredFolder(path=path, glob=glob, count=files, bytes=size)
        for (path, glob), (files, size) in _together(found).items()
    )
    return IgnoredFiles(
        count=sum(each.count for each in folders),
        bytes=sum(each.bytes for each in folders),
        folders=folders,
        is_at_least=left == 0,
    )


Place = tuple[str, str]
"""A folder, and the glob that fits what is counted in it."""


def _together(totals: dict[Place, list[int]]) -> dict[Place, list[int]]:
    """Not more than may be named: those that lie deepest are counted in the folders above them."""
    depth = max(path.count("/") for path, _ in totals) + 1
    while len(totals) > _MOST_FOLDERS and depth > 0:
        depth -= 1
        shorter: dict[Place, list[int]] = defaultdict(lambda: [0, 0])
        for (path, glob), (files, size) in totals.items():
            above = "/".join(path.split("/")[:depth])
            is_far = path == "." or path.count("/") < depth
            place = (path, glob) if is_far else (above or ".", f"{above}/**" if above else "**")
            shorter[place][0] += files
            shorter[place][1] += size
        totals = shorter
    return dict(sorted(totals.items()))


def _one(root_fd: int, path: str) -> Iterator[tuple[str, os.stat_result]]:
    folder, _, name = path.rpartition("/")
    try:
        fd = _open(root_fd, folder)
    except OSError:
        return
    try:
        yield path, os.stat(name, dir_fd=fd, follow_symlinks=False)
    except OSError:
        return
    finally:
        os.close(fd)


def _below(root_fd: int, folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """What lies below a folder, one folder after the other; what vanishes during it is left out."""
    waiting = [folder]
    while waiting:
        above = waiting.pop()
        try:
            fd = _open(root_fd, above)
        except OSError:
            continue
        try:
            with os.scandir(fd) as entries:
                for entry in entries:
                    path = f"{above}/{entry.name}"
                    try:
                        info = entry.stat(follow_symlinks=False)
                    except OSError:
                        continue
                    yield path, info
                    if stat.S_ISDIR(info.st_mode):
                        waiting.append(path)
        except OSError:
            continue
        finally:
            os.close(fd)


def _open(root_fd: int, folder: str) -> int:
    fd = os.dup(root_fd)
    for name in folder.split("/") if folder else ():
        try:
            below = os.open(name, _DIRECTORY, dir_fd=fd)
        finally:
            os.close(fd)
        fd = below
    return fd
