"""The bubblewrap sandbox, hidden secrets and temporary files."""

import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from tandem_desktop.domain.errors import ShadowError
from tandem_desktop.storage import atomic
from tandem_desktop.storage.paths import TANDEM_DIRECTORY, resource


def secret_places(home: Path) -> tuple[Path, ...]:
    """The secret places that exist, with the person's home at `home`; links are resolved."""
    inside, outside = _patterns()
    found = (*_existing(home, inside), *_existing(Path("/"), tuple(name.removeprefix("/") for name in outside)))
    return tuple(dict.fromkeys(found))


@cache
def _patterns() -> tuple[tuple[str, ...], tuple[str, ...]]:
    data = tomllib.loads(resource("secret_places.toml").read_text(encoding="utf-8"))
    return tuple(data["home"]), tuple(data["system"])


def _existing(base: Path, patterns: tuple[str, ...]) -> Iterator[Path]:
    for pattern in patterns:
        for place in base.glob(pattern) if "*" in pattern else (base / pattern,):
            try:
                yield place.resolve(strict=True)
            except (OSError, RuntimeError):
                continue


COMMON_TEMPORARY = Path("/tmp")
_MOST_LINKS = 40
_PARTS = ("bin", "lib", "lib64", "libexec", "share", "pyvenv.cfg")
"""What the programs of a folder `bin` need beside it; other entries there may be the user's files."""


def folders_of(files: Iterable[Path]) -> tuple[Path, ...]:
    """The outermost folders in which the files lie, and every place their links lead through."""
    inside = (step for file in files for step in _way(file) if _is_hidden(step))
    return tuple(sorted({COMMON_TEMPORARY / step.relative_to(COMMON_TEMPORARY).parts[0] for step in inside}))


def searched_for_programs(search_path: str) -> tuple[Path, ...]:
    """The folders in which programs are searched, with what these need; nothing else of a person's files."""
    folders = {Path(os.path.normpath(each)) for each in search_path.split(os.pathsep) if each.startswith("/")}
    parts = (part for folder in folders if _is_hidden(folder) for part in _parts(folder))
    return tuple(sorted(part for part in parts if part.exists()))


def _is_hidden(place: Path) -> bool:
    return COMMON_TEMPORARY in place.parents


def _parts(folder: Path) -> Iterator[Path]:
    if folder.name != "bin" or not _is_hidden(folder.parent):
        yield folder
        return
    for name in _PARTS:
        yield folder.parent / name


def _way(place: Path) -> Iterator[Path]:
    """A path, and every place its links lead through."""
    for _ in range(_MOST_LINKS):
        yield place
        if not place.is_symlink():
            break
        place = place.parent / place.readlink()
    yield place.resolve()


REFUSED = 97
"""The exit code of a start that was refused because the shadow was not in its place."""
UNSEEN = 98
"""The exit code of a start that was refused because what is to run cannot be seen from inside."""
SAYS = "tandem: "
"""Prefix of the message of a refused start."""
_CHECK = """\
if [ "$("$3" -c %d:%i -- "$1")" != "$2" ]; then
    echo "tandem: the shadow is not mounted at $1; the command was not started." >&2
    exit 97
fi
left=$4
shift 4
while [ "$left" -gt 0 ]; do
    if ! [ -e "$1" ]; then
        echo "tandem: $1 is needed to start, and it cannot be seen in the sandbox." >&2
        exit 98
    fi
    left=$((left - 1))
    shift
done
exec "$@"
"""
_KERNEL_SETTINGS = (
    "/proc/sys",
    "/proc/sysrq-trigger",
    "/proc/fs",
    "/proc/scsi",
    "/proc/acpi",
    "/proc/mtrr",
    "/proc/driver",
    "/proc/asound",
    "/proc/pressure",
)
_ORDINARY_ID = 1000
"""Uid for an agent started by root: some agents refuse to work as root, and inside all of root's files belong to it."""


OPEN_NETWORK = "the network is open"


@dataclass(frozen=True, slots=True)
class Confinement:
    """The confinement of an agent, described for the person."""

    kind: Literal["overlay", "copy"]
    confined: bool
    description: str


def confinement(kind: Literal["overlay", "copy"], why_not_overlay: str = "") -> Confinement:
    """The confinement of a shadow of one kind on this machine."""
    because = f" ({why_not_overlay})" if why_not_overlay else ""
    missing = bubblewrap_missing()
    if missing:
        return Confinement(kind, confined=False, description=f"not confined: {missing}")
    what = "an overlay" if kind == "overlay" else f"a copy{because}"
    description = (
        f"confined by bubblewrap to {what} of the workspace and a private home; everything else is read-only, "
        f"the usual secret places are hidden, and {OPEN_NETWORK}"
    )
    return Confinement(kind, confined=True, description=description)


@cache
def bubblewrap_missing() -> str:
    """Why bubblewrap does not work, with what to do about it; empty if it works. Determined by running it once."""
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        return "bubblewrap is missing; install the package bubblewrap"
    trial = [bubblewrap, *_identity(), "--ro-bind", "/", "/", "--proc", "/proc", "--unshare-pid", "true"]
    try:
        tried = subprocess.run(trial, capture_output=True, timeout=20, check=False, cwd="/")
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not work here ({error}); see what forbids it with: tandem doctor"
    if tried.returncode:
        lines = tried.stderr.decode("utf-8", "replace").strip().splitlines()
        return f"bubblewrap does not work here ({lines[0] if lines else 'no reason given'}); see: tandem doctor"
    return ""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The sandbox of one shadow: its tree at the workspace's own path, the rest read-only, secrets hidden."""

    workspace: Path
    source: Path
    """The tree to mount, as seen where the command is started."""
    expected: str
    """Device and inode of that tree; anything else in its place is refused."""
    masked: tuple[Path, ...]
    person_home: Path

    def argv(
        self,
        command: Iterable[str],
        *,
        home: Path,
        cwd: Path,
        sockets: tuple[Path, ...] = (),
        network: bool = True,
        readable: tuple[Path, ...] = (),
        needed: tuple[Path, ...] = (),
    ) -> tuple[str, ...]:
        """Arguments that run `command` inside.

        It is refused unless the right tree is mounted and `needed` is visible.
        """
        masks = self._masks()
        arguments = [*_beginning(_identity(), network=network), *self._temporary(home, readable)]
        arguments += self._workspace_and_masks(masks)
        arguments += ["--tmpfs", str(self.workspace / TANDEM_DIRECTORY)]
        arguments += ["--bind", str(home), str(home)]
        for place in sockets:
            arguments += ["--ro-bind", str(place), str(place)]
        arguments += _closed((*masks, self.workspace / TANDEM_DIRECTORY))
        return (*arguments, *self._checked(command, cwd, needed))

    def rehearsal_argv(
        self,
        command: Iterable[str],
        *,
        cwd: Path,
        network: bool,
        report: Path,
        stand_ins: Iterable[tuple[Path, Path]] = (),
        readable: tuple[Path, ...] = (),
    ) -> tuple[str, ...]:
        """Arguments that run `command` as a run would.

        As the person, in the person's home, with Tandem's own folder hidden.

        `stand_ins` are places outside the workspace, each with the tree shown instead; without any, only the temporary
        files in `readable` are visible, and the rest is read-only. `report` is a file it may write.
        """
        masks = self._masks()
        arguments = [*_beginning(_same_identity(), network=network)]
        shown = tuple(stand_ins)
        for place, tree in shown:
            arguments += ["--bind", str(tree), str(place)]
        if not shown:
            arguments += self._temporary(report, readable)
        arguments += self._workspace_and_masks(masks)
        arguments += ["--bind", str(report), str(report)]
        arguments += _closed(masks)
        return (*arguments, *self._checked(command, cwd))

    def _workspace_and_masks(self, masks: list[Path]) -> Iterator[str]:
        inner = [mask for mask in masks if mask.is_relative_to(self.workspace)]
        for mask in masks:
            if mask not in inner:
                yield from _cover(mask)
        yield from ("--bind", str(self.source), str(self.workspace))
        for mask in inner:
            yield from _cover(mask)

    def _checked(self, command: Iterable[str], cwd: Path, needed: tuple[Path, ...] = ()) -> tuple[str, ...]:
        check = [_tool("sh"), "-c", _CHECK, "tandem", str(self.workspace), self.expected, _tool("stat")]
        return ("--chdir", str(cwd), "--", *check, str(len(needed)), *map(str, needed), *command)

    def _masks(self) -> list[Path]:
        """Hidden places, outermost first, none inside another."""
        found: list[Path] = []
        for place in sorted({*self._resolved(), *secret_places(self.person_home)}):
            if place == self.workspace or any(place.is_relative_to(above) for above in found):
                continue
            found.append(place)
        return found

    def _resolved(self) -> Iterator[Path]:
        for place in self.masked:
            if place.exists():
                yield place.resolve()

    def _temporary(self, home: Path, readable: tuple[Path, ...]) -> Iterator[str]:
        """An empty folder for temporary files; of the real one only the needed branches are visible."""
        if not COMMON_TEMPORARY.is_dir():
            return
        yield from ("--tmpfs", str(COMMON_TEMPORARY))
        branches = {
            COMMON_TEMPORARY / place.relative_to(COMMON_TEMPORARY).parts[0]
            for place in (self.workspace, home)
            if COMMON_TEMPORARY in place.parents
        }
        shown = {place for place in readable if COMMON_TEMPORARY in place.parents}
        for branch in sorted((branches | shown) - {self.workspace, home}):
            yield from ("--ro-bind", str(branch), str(branch))


def _identity() -> tuple[str, ...]:
    """The user of the agent inside: the person, or an ordinary user instead of root; never with root's rights."""
    ids = (_ORDINARY_ID, _ORDINARY_ID) if os.geteuid() == 0 else (os.getuid(), os.getgid())
    return ("--unshare-user", "--uid", str(ids[0]), "--gid", str(ids[1]), "--cap-drop", "ALL")


def _same_identity() -> tuple[str, ...]:
    """The user of a rehearsed command.

    The one who would run it; root keeps the rights to read and write its own files.
    """
    ids = ("--unshare-user", "--uid", str(os.getuid()), "--gid", str(os.getgid()), "--cap-drop", "ALL")
    if os.geteuid() == 0:
        return (*ids, "--cap-add", "CAP_DAC_OVERRIDE", "--cap-add", "CAP_FOWNER")
    return ids


def _beginning(identity: tuple[str, ...], *, network: bool) -> Iterator[str]:
    """Everything read-only, own processes, and no network unless it is allowed."""
    yield from (_tool("bwrap"), *identity, "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc")
    if not network:
        yield "--unshare-net"
    yield from ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *_kernel())


def _closed(masks: Iterable[Path]) -> Iterator[str]:
    for mask in masks:
        if mask.is_dir() or mask.name == TANDEM_DIRECTORY:
            yield from ("--remount-ro", str(mask))


def _kernel() -> Iterator[str]:
    """Kernel settings, read-only: a process started by root is root to the kernel under any uid."""
    for place in _KERNEL_SETTINGS:
        if Path(place).exists():
            yield from ("--ro-bind", place, place)


def _tool(name: str) -> str:
    """The absolute path of the program, because the search path inside is the agent's."""
    found = shutil.which(name)
    if found is None:
        raise ShadowError(f"The program {name} is missing.", next="Install it, then see: tandem doctor")
    return found


def _cover(place: Path) -> tuple[str, ...]:
    if place.is_dir():
        return ("--tmpfs", str(place))
    return ("--ro-bind", "/dev/null", str(place))


_PASSED_THROUGH = (
    "PATH",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LOGNAME",
    "SHELL",
    "TZ",
    "USER",
    # some networks reach the agent's model only through these
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
)
_NEVER = frozenset({"LD_LIBRARY_PATH", "LD_PRELOAD", "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "PYTHONHOME"})
"""Set by a packaged Tandem for itself; a child that inherits them loads the wrong libraries."""


def agent_environment(
    names: Iterable[str] = (), additions: Mapping[str, str] | None = None, source: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Safe variables, those the profile names, then those it sets; `source` is the person's environment."""
    person = os.environ if source is None else source
    allowed = (*_PASSED_THROUGH, *(name for name in names if name not in _NEVER))
    environment = {name: person[name] for name in allowed if name in person}
    environment.setdefault("PATH", os.defpath)
    environment.setdefault("LANG", "C.UTF-8")
    return {"TERM": "dumb", **environment, **(additions or {})}


@dataclass(frozen=True, slots=True)
class PrivateHome:
    """A private home and the environment that points to it."""

    path: Path
    environment: dict[str, str]


def private_home(home: Path, environment: Mapping[str, str]) -> PrivateHome:
    """Create `home` with a folder for temporary files, and point `environment` at both."""
    temporary = home / "tmp"
    atomic.make_directory(temporary, mode=0o700)
    real = home.resolve()
    places = {"HOME": str(real), "TMPDIR": str(real / "tmp")}
    return PrivateHome(real, {**environment, **places})
