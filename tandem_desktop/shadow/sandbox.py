"""The bubblewrap sandbox: what is in it, what is covered, and what is not allowed."""

import contextlib
import os
import socket
import stat
import struct
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

from tandem_desktop.domain.errors import ShadowError
from tandem_desktop.domain.network import NetworkMode
from tandem_desktop.processes.child import find_program
from tandem_desktop.shadow.landlock import landlock_missing
from tandem_desktop.shadow.landlock_launcher import abi_version
from tandem_desktop.shadow.places import (
    COMMON_TEMPORARY,
    ShownPrograms,
    covered_in_rehearsals,
    covered_places,
    listening_sockets,
    secret_places,
    temporary_files,
)
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.paths import TANDEM_DIRECTORY

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
_KEYS = ("/proc/keys", "/proc/key-users")
_ORDINARY_ID = 1000
"""Uid for an agent started by root: some agents refuse to work as root, and inside all of root's files belong to it."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """The confinement of an agent, described for the person."""

    kind: Literal["overlay", "copy"]
    confined: bool
    held: str
    """All of it but the network."""
    by: Literal["bubblewrap", "Landlock", ""] = ""
    network: NetworkMode = NetworkMode.LEASHED

    @property
    def is_in_place(self) -> bool:
        """Whether the shadow is seen at the workspace's own path; only a namespace can show it there."""
        return self.by == "bubblewrap"

    @property
    def description(self) -> str:
        return f"{self.held}, and {self.network.words}" if self.confined else self.held

    def with_network(self, mode: NetworkMode) -> "Confinement":
        return replace(self, network=mode)


def confinement(kind: Literal["overlay", "copy"], why_not_overlay: str = "") -> Confinement:
    """The confinement of a shadow of one kind on this machine: by bubblewrap, else of a copy by Landlock."""
    because = f" ({why_not_overlay})" if why_not_overlay else ""
    if missing := bubblewrap_missing():
        if unusable := landlock_missing():
            return Confinement(kind, confined=False, held=f"not confined: {missing}; {unusable}")
        held = (
            f"confined by Landlock ABI {abi_version()} and seccomp to a copy{because} of the workspace and a private "
            "home; everything else is read-only, your home and the usual secret places cannot be read"
        )
        return Confinement("copy", confined=True, held=held, by="Landlock")
    what = "an overlay" if kind == "overlay" else f"a copy{because}"
    held = (
        f"confined by bubblewrap to {what} of the workspace and a private home; everything else is read-only, "
        "your home and the usual secret places are hidden"
    )
    return Confinement(kind, confined=True, held=held, by="bubblewrap")


@cache
def bubblewrap_missing() -> str:
    """Why bubblewrap does not work, with what to do about it; empty if it works. Determined by running it once."""
    bubblewrap = find_program("bwrap")
    if bubblewrap is None:
        return "bubblewrap is missing; install the package bubblewrap"
    reading, writing = socket.socketpair()
    with reading, writing:
        writing.sendall(call_filter())
        writing.close()
        return _tried_bubblewrap(bubblewrap, reading.fileno())


def _tried_bubblewrap(bubblewrap: str, filtered: int) -> str:
    trial = [bubblewrap, *_identity(), "--ro-bind", "/", "/", "--proc", "/proc", "--unshare-pid"]
    trial += ["--seccomp", str(filtered), "true"]
    try:
        tried = subprocess.run(trial, capture_output=True, timeout=20, check=False, cwd="/", pass_fds=(filtered,))
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not work here ({error}); see what forbids it with: tandem doctor"
    if tried.returncode:
        lines = tried.stderr.decode("utf-8", "replace").strip().splitlines()
        return f"bubblewrap does not work here ({lines[0] if lines else 'no reason given'}); see: tandem doctor"
    return ""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The sandbox of one shadow: its tree at the workspace's path, the rest read-only, homes and secrets hidden."""

    workspace: Path
    source: Path
    """The tree to mount, as seen where the command is started."""
    expected: str
    """Device and inode of that tree; anything else in its place is refused."""
    masked: tuple[Path, ...]
    person_home: Path
    filter: Path
    """The program that tells the kernel which calls it refuses, as `write_filter` left it."""
    view: Path = Path("/")
    """All of this machine as it is shown; a veil of it where there can be one, through which no socket is reached."""

    @property
    def programs(self) -> ShownPrograms:
        return ShownPrograms(covered_places(self.person_home), self.person_home)

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
        covers = covered_places(self.person_home)
        words, closed = self._places(covers, self._shown(home, readable))
        words += ["--tmpfs", str(self.workspace / TANDEM_DIRECTORY)]
        words += ["--bind", str(home), str(home)]
        for place in sockets:
            words += ["--ro-bind", str(place), str(place)]
        words += _closed((*closed, self.workspace / TANDEM_DIRECTORY))
        return (*self._beginning(_identity(), network=network), *words, *self._checked(command, cwd, needed))

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
        shown: dict[Path, tuple[str, ...]] = {place: ("--bind", str(tree), str(place)) for place, tree in stand_ins}
        covers = tuple(place for place in covered_in_rehearsals() if place not in shown)
        if not shown:
            shown = self._shown(report, readable)
        words, closed = self._places(covers, shown)
        words += ["--bind", str(report), str(report)]
        words += _closed(closed)
        return (*self._beginning(_same_identity(), network=network), *words, *self._checked(command, cwd))

    def _shown(self, home: Path, readable: tuple[Path, ...]) -> dict[Path, tuple[str, ...]]:
        """What is shown of covered places, read-only; of the temporary files also the branches that lead further."""
        branches = {
            COMMON_TEMPORARY / place.relative_to(COMMON_TEMPORARY).parts[0]
            for place in (self.workspace, home)
            if COMMON_TEMPORARY in place.parents
        }
        found = ({*readable, *self.programs.of_system()} | branches) - {self.workspace, home}
        return {place: ("--ro-bind", self._seen(place), str(place)) for place in found}

    def _places(self, covers: tuple[Path, ...], shown: Mapping[Path, tuple[str, ...]]) -> tuple[list[str], list[Path]]:
        """The words that cover, show and mask places and put the workspace among them; what is to be closed at the end.

        Outer places come before inner ones, so each is in the state of the innermost that names it.
        """
        covers = tuple(place for place in covers if not place.is_relative_to(self.workspace))
        layers = {place: words for place, words in shown.items() if not place.is_relative_to(self.workspace)}
        layers |= {place: ("--tmpfs", str(place)) for place in covers if not _is_covered(place, covers, layers)}
        masks = [mask for mask in self._masks() if not _is_covered(mask, covers, shown)]
        inner = [mask for mask in masks if mask.is_relative_to(self.workspace)]
        layers |= {mask: _cover(mask) for mask in masks if mask not in inner}
        words = [word for place in sorted(layers, key=lambda each: each.parts) for word in layers[place]]
        words += ["--bind", str(self.source), str(self.workspace)]
        words += [word for mask in inner for word in _cover(mask)]
        left_open = temporary_files(covers)
        return words, [*masks, *(place for place in covers if place in layers and place not in left_open)]

    def _seen(self, place: Path) -> str:
        return str(self.view / place.relative_to("/"))

    def _beginning(self, identity: tuple[str, ...], *, network: bool) -> Iterator[str]:
        """Everything read-only, own processes, no keys of the kernel, and no network unless it is allowed."""
        yield from (
            _tool("sh", self.workspace),
            "-c",
            _WITH_FILTER,
            str(self.filter),
            _tool("bwrap", self.workspace),
            "--seccomp",
            _FILTER_FD,
        )
        yield from (*identity, "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc")
        if not network:
            yield "--unshare-net"
        yield from ("--ro-bind", str(self.view), "/")
        if self.view != Path("/"):
            yield from ("--ro-bind", "/sys", "/sys")
        yield from ("--dev", "/dev", "--proc", "/proc", *_kernel(self.filter.with_name(_NOTHING)))

    def _checked(self, command: Iterable[str], cwd: Path, needed: tuple[Path, ...] = ()) -> tuple[str, ...]:
        check = [
            _tool("sh", self.workspace),
            "-c",
            _CHECK,
            "tandem",
            str(self.workspace),
            self.expected,
            _tool("stat", self.workspace),
        ]
        return ("--chdir", str(cwd), "--", *check, str(len(needed)), *map(str, needed), *command)

    def _masks(self) -> list[Path]:
        """Places hidden by their own name: outermost first, none inside another. A veil hides those of the system."""
        bare = self.view == Path("/")
        secret = secret_places(self.person_home, with_system=bare)
        found: list[Path] = []
        for place in sorted({*self._resolved(), *secret, *(listening_sockets() if bare else ())}):
            if place == self.workspace or any(place.is_relative_to(above) for above in found):
                continue
            found.append(place)
        return found

    def _resolved(self) -> Iterator[Path]:
        for place in self.masked:
            if place.exists():
                yield place.resolve()


def _is_covered(place: Path, covers: tuple[Path, ...], shown: Iterable[Path]) -> bool:
    """Whether the innermost folder around `place` that is covered or shown is a covered one."""
    above = set(place.parents)
    covering = max((len(each.parts) for each in covers if each in above), default=0)
    showing = max((len(each.parts) for each in shown if each in above), default=0)
    return covering > showing


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


def _closed(masks: Iterable[Path]) -> Iterator[str]:
    for mask in masks:
        if mask.is_dir() or mask.name == TANDEM_DIRECTORY:
            yield from ("--remount-ro", str(mask))


def _kernel(nothing: Path) -> Iterator[str]:
    """Kernel settings, read-only: a process started by root is root to the kernel under any uid."""
    for place in _KERNEL_SETTINGS:
        if Path(place).exists():
            yield from ("--ro-bind", place, place)
    for place in _KEYS:
        if Path(place).exists():
            yield from ("--ro-bind", str(nothing), place)


_NOTHING = "nothing"
_FILTER_FD = "9"
_WITH_FILTER = f'exec {_FILTER_FD}<"$0" && exec "$@"'
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 38
"""The call goes through, or is answered as if this kernel did not know it."""
_LOAD, _IS, _IS_AT_LEAST, _ANSWER = 0x20, 0x15, 0x35, 0x06
_NUMBER_AT, _MACHINE_AT = 0, 4
_KEY_CALLS: Mapping[int, tuple[int, ...]] = {
    0xC000003E: (248, 249, 250),  # x86_64
    0x40000003: (286, 287, 288),  # i386
    0xC00000B7: (217, 218, 219),  # aarch64
    0x40000028: (309, 310, 311),  # arm
    0xC00000F3: (217, 218, 219),  # riscv64
}
"""add_key, request_key and keyctl, by the machine's number: through them the person's keyrings could be read."""
_X32 = 0x40000000
"""Calls of the x32 kind begin here; they would go round the numbers above."""


def write_filter(path: Path) -> Path:
    """Write the calls that nothing in a sandbox may make, for bubblewrap to read; beside it lies an empty file."""
    atomic.replace(path.with_name(_NOTHING), b"", mode=0o400, durable=False)
    atomic.replace(path, call_filter(), mode=0o600, durable=False)
    return path


def call_filter() -> bytes:
    """A classic BPF program that refuses the calls of the kernel's keyrings."""
    program: list[tuple[int, int, int, int]] = []
    for machine, calls in _KEY_CALLS.items():
        checks = [(_IS, call) for call in calls] + [(_IS_AT_LEAST, _X32)]
        block = [(_LOAD, 0, 0, _NUMBER_AT)]
        block += [(code, len(checks) - index, 0, value) for index, (code, value) in enumerate(checks)]
        block += [(_ANSWER, 0, 0, _ALLOW), (_ANSWER, 0, 0, _REFUSE)]
        program += [(_LOAD, 0, 0, _MACHINE_AT), (_IS, 0, len(block), machine), *block]
    program.append((_ANSWER, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *step) for step in program)


def _tool(name: str, outside: Path) -> str:
    """The absolute path of the program, because the search path inside is the agent's."""
    found = find_program(name, outside=outside)
    if found is None:
        raise ShadowError(f"The program {name} is missing.", next="Install it, then see: tandem doctor")
    return found


def _cover(place: Path) -> tuple[str, ...]:
    if place.is_dir():
        return ("--tmpfs", str(place))
    return ("--ro-bind", "/dev/null", str(place))


_TEMPORARY = "tmp"
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
    """Create `home` with a folder for temporary files, and point `environment` at both.

    Raises:
        ShadowError: the agent left something else in the place of that folder.
    """
    atomic.make_directory(home, mode=0o700)
    real = home.resolve()
    fd = os.open(real, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(FileExistsError):
            syscalls.mkdir(_TEMPORARY, fd, 0o700)
        if not stat.S_ISDIR(os.stat(_TEMPORARY, dir_fd=fd, follow_symlinks=False).st_mode):
            place = real / _TEMPORARY
            raise ShadowError(
                f"{place}, the agent's folder for temporary files, is no folder.",
                path=str(place),
                next=f"The agent made it. Remove it, then try again: rm {place}",
            )
    finally:
        os.close(fd)
    places = {"HOME": str(real), "TMPDIR": str(real / _TEMPORARY)}
    return PrivateHome(real, {**environment, **places})
