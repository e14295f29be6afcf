"""Paths of the state folder, the workspace folder and the bundled resources."""

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.domain.errors import BadInputError, OutsideWorkspaceError, StorageError
from tandem_desktop.domain.paths import shown
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.errors import writing

STATE_DIR_VARIABLE = "TANDEM_STATE_DIR"
TANDEM_DIRECTORY = ".tandem"


def is_in_repository(folder: Path) -> bool:
    """Whether git would look for a repository here; git is not asked."""
    return any(os.path.lexists(each / ".git") for each in (folder, *folder.parents))


def opened_workspace(root: Path) -> tuple[Path, int]:
    """The real path of a workspace, and its descriptor.

    Raises:
        BadInputError: it is no folder, or cannot be opened.
    """
    try:
        path = root.resolve(strict=True)
        return path, os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise BadInputError(
            f"The workspace {root} cannot be opened: {error.strerror}.",
            path=str(root),
            next="Name an existing folder with -C DIR.",
        ) from error


def workspace_path(root: Path) -> Path:
    """The real path of a workspace that can be opened; refused as `opened_workspace` refuses it."""
    path, fd = opened_workspace(root)
    os.close(fd)
    return path


@dataclass(frozen=True, slots=True)
class Locations:
    """The folders Tandem writes."""

    workspace: Path
    state: Path

    @property
    def tandem(self) -> Path:
        return self.workspace / TANDEM_DIRECTORY

    @property
    def plans(self) -> Path:
        return self.tandem / "plans"

    @property
    def runs(self) -> Path:
        return self.tandem / "runs"

    @property
    def artifacts(self) -> Path:
        return self.tandem / "artifacts"

    @property
    def archive(self) -> Path:
        return self.tandem / "archive"

    @property
    def scratch_dirs(self) -> Path:
        return self.tandem / "tmp"

    @property
    def objects(self) -> Path:
        return self.state / "objects"

    @property
    def journals(self) -> Path:
        return self.state / "journal"

    @property
    def approvals(self) -> Path:
        return self.state / "approvals"

    @property
    def audit(self) -> Path:
        return self.state / "audit.jsonl"

    @property
    def shadows(self) -> Path:
        return self.state / "shadows"

    @property
    def sessions(self) -> Path:
        return self.state / "sessions"

    @property
    def tool_gaps(self) -> Path:
        return self.state / "tool-gaps"

    @property
    def templates(self) -> Path:
        return self.state / "templates"

    @property
    def sockets(self) -> Path:
        return self.state / "sockets"

    @property
    def checks(self) -> Path:
        return self.state / "checks"

    @property
    def proofs(self) -> Path:
        return self.state / "proofs"

    @property
    def accepted_checks(self) -> Path:
        return self.checks / "accepted.json"

    def rehearsal(self, session_id: str) -> Path:
        """The record of the last rehearsal of a session's plan."""
        return self.sessions / session_id / "rehearsal.json"

    @property
    def steady_time(self) -> Path:
        return self.state / "steady-time.json"

    def agent_home(self, name: str) -> Path:
        """The private, persistent home of one agent."""
        return self.state / "agents" / name / "home"

    @property
    def locks(self) -> Path:
        return self.state / "locks"

    def check(self) -> None:
        """Check that Tandem writes only to its own folders.

        Raises:
            OutsideWorkspaceError: `.tandem` or a folder in it is a link or a file, or the state lies in the workspace.
        """
        for folder in (self.tandem, self.plans, self.runs, self.artifacts, self.archive, self.scratch_dirs):
            with contextlib.suppress(FileNotFoundError):
                if not stat.S_ISDIR(folder.lstat().st_mode):
                    what = "a symbolic link" if folder.is_symlink() else "not a folder"
                    raise OutsideWorkspaceError(
                        f"{folder} is {what}; Tandem keeps its plans in a real folder there.",
                        path=str(folder),
                        next="Move it away, then try again.",
                    )
        if self.state.resolve().is_relative_to(self.workspace):
            raise OutsideWorkspaceError(
                f"The state folder {self.state} lies inside the workspace, where an agent could reach it.",
                path=str(self.state),
                next="Choose a folder outside the workspace with TANDEM_STATE_DIR.",
            )

    def prepare_workspace(self) -> None:
        """Create `.tandem` with a .gitignore that excludes it from commits.

        Raises:
            StorageError: the workspace is gone, or nothing can be written in it.
        """
        if not self.workspace.is_dir():
            raise StorageError(
                f"The folder {shown(str(self.workspace), 400)} is gone.",
                path=str(self.workspace),
                next="Put it back, then try again; or open another folder.",
            )
        self.check()
        if (self.tandem / ".gitignore").exists():
            return
        with writing(self.tandem):
            if self.is_read_only:
                raise OSError(errno.EROFS, f"{self.workspace} is read-only, so no plan can be kept in it")
            atomic.make_directory(self.tandem)
            with contextlib.suppress(FileExistsError):
                atomic.create(self.tandem / ".gitignore", b"*\n")

    @property
    def is_read_only(self) -> bool:
        """True if the workspace is read-only, as far as that can be told without writing."""
        return bool(os.statvfs(self.workspace).f_flag & os.ST_RDONLY) or not os.access(self.workspace, os.W_OK)

    @property
    def is_empty(self) -> bool:
        """True if the workspace contains only a repository and Tandem's own folder."""
        try:
            with os.scandir(self.workspace) as entries:
                return all(entry.name in (".git", TANDEM_DIRECTORY) for entry in entries)
        except OSError:  # an unreadable folder may not be empty
            return False

    def prepare_state(self) -> None:
        """Create the state folder, readable only by its owner."""
        for folder in (self.state, self.objects, self.journals, self.approvals, self.locks):
            if not folder.is_dir():
                atomic.make_directory(folder, mode=0o700)
        if self.state.stat().st_mode & 0o077:
            fd = os.open(self.state, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                syscalls.chmod(fd, 0o700)
            finally:
                os.close(fd)


def default_state_directory() -> Path:
    """`TANDEM_STATE_DIR`, or the platform's place for state."""
    if chosen := os.environ.get(STATE_DIR_VARIABLE):
        return Path(chosen).absolute()
    return platform_state_directory()


def platform_state_directory() -> Path:
    """The platform's place for state, in use or not."""
    if (found := xdg_directory("XDG_STATE_HOME", ".local/state")) is not None:
        return found
    import platformdirs

    return Path(platformdirs.user_state_dir("tandem-desktop", appauthor=False))


def xdg_directory(variable: str, usual: str) -> Path | None:
    """Our folder in one of the XDG base directories, as `platformdirs` finds it, which is slow to load.

    None where there are none, or where the home folder is not plainly given.
    """
    chosen, home = Path(os.environ.get(variable, "")), Path(os.environ.get("HOME", ""))
    for place in (chosen, home / usual):
        if sys.platform == "linux" and place.is_absolute():
            return place / "tandem-desktop"
    return None


CHANGELOG = "CHANGELOG.md"
_PACKAGE = Path(__file__).resolve().parent.parent


def resource(name: str) -> Path:
    """The path of one bundled file, such as `hazards.toml`.

    Raises:
        FileNotFoundError: nothing of this name is bundled.
    """
    for path in (*(folder / name for folder in _folders()), *_beside(name)):
        if path.exists():
            return path
    raise FileNotFoundError(f"no bundled resource is called {name}")


def _folders() -> tuple[Path, ...]:
    frozen = getattr(sys, "_MEIPASS", None)
    bundled = (Path(frozen) / "resources",) if frozen else ()
    return (*bundled, _PACKAGE / "_resources", _PACKAGE.parent / "resources")


def _beside(name: str) -> tuple[Path, ...]:
    """The changelog is at the top of a checkout; only the wheel has it among the resources."""
    return (_PACKAGE.parent / name,) if name == CHANGELOG else ()


class PromptFiles:
    """Reads `prompts/NAME`, each at most once."""

    def __init__(self, find: Callable[[str], Path] = resource) -> None:
        self._find = find
        self._known: dict[str, str] = {}

    def text(self, name: str) -> str:
        if name not in self._known:
            try:
                self._known[name] = self._find(f"prompts/{name}").read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError):
                self._known[name] = ""
        return self._known[name]
