"""A shadow made by an overlay mount in its own namespace.

Processes inside see and change the workspace under its own path; changes go to an upper folder, and the disk stays as
it is. Opening it takes the same time for any number of files.
"""

import contextlib
import os
import select
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tandem_desktop.domain.errors import OutsideWorkspaceError, ShadowError
from tandem_desktop.domain.operations import ABSENT, Absent, DirectoryState, NodeState
from tandem_desktop.domain.paths import ROOT
from tandem_desktop.processes.child import find_program
from tandem_desktop.shadow import veil
from tandem_desktop.shadow.overlay_changes import UpperLayer, written_in
from tandem_desktop.shadow.sandbox import Sandbox, bubblewrap_missing, confinement, write_filter
from tandem_desktop.shadow.tree import Tree
from tandem_desktop.shadow.workspace import UNSEEN, ObservedPath, ShadowWorkspace
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.atomic import remove_tree
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.paths import TANDEM_DIRECTORY
from tandem_desktop.storage.workspace import Workspace

_SCRIPT = """\
mount=$5
"$mount" -t overlay tandem -o "$1,volatile" "$2" 2>/dev/null ||
    "$mount" -t overlay tandem -o "$1" "$2" 2>/dev/null || exit
"$mount" -t proc proc /proc 2>/dev/null
: > "$4"
cd "$2/$3" || exit
shift 5
"$@"
exit $?
"""
"""Volatile where the kernel can: the layers are read and removed when the command has ended, and unmounting any other
overlay waits until the whole disk is synced.

The command is a child of this shell, not the first process of its namespace: signals do not end that one, not even
its own, so that a script with `kill $$` would go on.
"""
_DROPPED = ("sys_admin", "sys_module", "sys_rawio", "dac_read_search", "mknod")
"""What would let root's command go round the overlay: mounts, the raw disk, and files opened by their handle."""
_CAPTURE_TOOLS = ("unshare", "mount", "sh", "setpriv")
_SPECIAL = set(',:\\"')


@dataclass(frozen=True, slots=True)
class Overlay:
    """Paths of the layers of one overlay."""

    lower: Path
    folder: Path

    @property
    def upper(self) -> Path:
        return self.folder / "upper"

    def open(self) -> None:
        """Make empty layers."""
        remove_tree(self.folder)
        make_layers(self.lower, self.folder, ("upper", "work"))
        hide_tandem(self.upper)

    @property
    def was_mounted(self) -> bool:
        """True if the last command was started inside."""
        return self._mounted.exists()

    def discard(self) -> None:
        remove_tree(self.folder)

    def argv(self, command: Sequence[str], cwd: str = ".") -> list[str]:
        """Arguments that run `command` inside; its whole process tree ends with it."""
        options = f"lowerdir={self.lower},upperdir={self.upper},workdir={self.folder / 'work'}"
        inside = [_tool("sh", self.lower), "-c", _SCRIPT, "tandem"]
        where = [str(self.lower), cwd, str(self._mounted), _tool("mount", self.lower)]
        spaces = [
            _tool("unshare", self.lower),
            "--mount",
            "--propagation",
            "private",
            "--pid",
            "--fork",
            "--kill-child",
        ]
        plain = [_tool("setpriv", self.lower), "--ambient-caps=-all", "--inh-caps=-all"]
        if _is_root():
            dropped = ",".join(f"-{each}" for each in _DROPPED)
            return [*spaces, *inside, options, *where, *plain, f"--bounding-set={dropped}", *command]
        own = ["--user", "--map-current-user", "--keep-caps"]
        return [*spaces, *own, *inside, f"{options},userxattr", *where, *plain, *command]

    @property
    def _mounted(self) -> Path:
        return self.folder / "mounted"


def make_layers(lower: Path, folder: Path, names: Iterable[str]) -> None:
    """Empty folders for the layers of an overlay; `upper` is among them."""
    for name in names:
        atomic.make_directory(folder / name, mode=0o700)
    fd = os.open(folder / "upper", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # The root of the merged tree takes its mode from the upper layer.
        syscalls.chmod(fd, lower.stat().st_mode & 0o7777)
    finally:
        os.close(fd)


def hide_tandem(upper: Path) -> None:
    """Hide Tandem's own folder from commands such as formatters or searches over all files.

    A command sees the same tree rehearsed or run. Kernels that allow this only to root show the folder.
    """
    with contextlib.suppress(PermissionError):
        syscalls.whiteout(str(upper / TANDEM_DIRECTORY))


def can_overlay(lower: Path, shadows: Path) -> bool:
    """True if this system can mount an overlay of `lower`; determined by mounting one."""
    if _SPECIAL & set(f"{lower}{shadows}") or any(find_program(tool) is None for tool in _CAPTURE_TOOLS):
        return False
    try:
        atomic.make_directory(shadows, mode=0o700)
        overlay = Overlay(lower, Path(tempfile.mkdtemp(prefix="probe-", dir=shadows)))
        try:
            overlay.open()
            tried = subprocess.run(overlay.argv(["true"]), capture_output=True, timeout=20, check=False)
            mounted = overlay.was_mounted
        finally:
            overlay.discard()
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0 and mounted


_HOLDER_SCRIPT = (
    f"""\
{veil.SCRIPT}\
cd "$1" || exit 1
workspace=$2
mount=$3
fleeting=$4
shift 4
veil "$@" 2>/dev/null || : > {veil.NOT_VEILED}
while [ "$1" != -- ]; do shift; done
shift
while [ "$1" != -- ]; do shift; done
shift
"""
    + """\
overlay() {
    "$mount" -t overlay tandem -o "lowerdir=lower,upperdir=upper,workdir=work,userxattr$1" merged
}
layer() {
    "$mount" --rbind "$1" lower && { { [ "$fleeting" ] && overlay ,volatile 2>/dev/null; } || overlay; }
}
[ ! "$workspace" ] || layer "$workspace" || exit 1
[ $# = 0 ] || "$mount" -t tmpfs -o size=1g,mode=0700 tandem outside || exit 1
number=0
for place; do
    mkdir outside/$number && cd outside/$number && mkdir lower upper work merged || exit 1
    chmod "$(stat -c %a "$place")" upper && layer "$place" 2>/dev/null || : > not-layered
    cd ../..
    number=$((number + 1))
done
echo ready
read -r _
"""
)
"""Layers are named relative to their folder, so that no character in a path is parsed as an option.

Places outside the workspace have their layers in memory: an upper layer may not be inside its lower one, and the state
folder may be on the same disk. A temporary shadow is volatile: unmounting any other overlay waits until the whole disk
of its upper layer is synced.
"""
VEIL_FOLDERS = (veil.VEIL, "veils")
_PATIENCE_S = 30.0
_TOOLS = ("unshare", "nsenter", "mount", "sh")


class Holder:
    """A process that mounts the overlay at start and holds it until its pipe is closed, so it ends with its starter."""

    def __init__(self, workspace: Path | None, folder: Path, outside: tuple[Path, ...] | None = None) -> None:
        """With `outside`, writes are discarded, and these places get layers besides the workspace.

        Without a workspace only the veil is held.
        """
        self._folder = folder
        self._outside = outside or ()
        self._origin = workspace or folder
        spaces = ["--mount", "--propagation", "private"]
        if not _is_root():
            spaces = ["--user", "--map-root-user", *spaces]
        script = [
            _tool("sh", self._origin),
            "-c",
            _HOLDER_SCRIPT,
            "tandem-shadow",
            str(folder),
            str(workspace or ""),
            _tool("mount", self._origin),
        ]
        script += ["" if outside is None else "fleeting", *veil.veil_plan().words(), *map(str, self._outside)]
        self._process = subprocess.Popen(
            [_tool("unshare", self._origin), *spaces, *script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            start_new_session=True,
        )
        try:
            self._wait_until_ready(workspace or folder)
        except BaseException:
            self.end()
            raise

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def merged(self) -> Path:
        """Path of the merged tree, seen from outside."""
        return self._seen_from_outside(self._folder / "merged")

    @property
    def view(self) -> Path:
        """All of this machine as it is to be shown, as named where the shadow is mounted."""
        return Path("/") if (self._folder / veil.NOT_VEILED).exists() else self._folder / veil.VEIL

    def layered(self) -> tuple[tuple[Path, Path, Path], ...]:
        """Each outside place with layers: its path, what to show instead, and its upper layer."""
        found = []
        for number, place in enumerate(self._outside):
            layers = self._folder / "outside" / str(number)
            if not (self._seen_from_outside(layers) / "not-layered").exists():
                found.append((place, layers / "merged", self._seen_from_outside(layers / "upper")))
        return tuple(found)

    def joining(self, network: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Argument prefix that runs a command where the shadow is mounted; `network` are arguments for nsenter."""
        spaces = [f"--mount=/proc/{self.pid}/ns/mnt", *network]
        if not _is_root():
            spaces = [f"--user=/proc/{self.pid}/ns/user", *spaces, "--preserve-credentials"]
        return (_tool("nsenter", self._origin), *spaces, "--")

    def end(self) -> None:
        process = self._process
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        try:
            process.wait(2.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _seen_from_outside(self, place: Path) -> Path:
        return Path(f"/proc/{self.pid}/root{place}")

    def _wait_until_ready(self, workspace: Path) -> None:
        output, errors = self._process.stdout, self._process.stderr
        assert output is not None
        assert errors is not None
        ready, _, _ = select.select([output], [], [], _PATIENCE_S)
        if ready and output.readline() == b"ready\n":
            return
        self._process.kill()
        lines = errors.read().decode("utf-8", "replace").strip().splitlines()
        raise ShadowError(
            f"No overlay of {workspace} can be mounted: {lines[0] if lines else 'no answer'}.",
            path=str(workspace),
            next="See what is missing with: tandem doctor",
        )


def held_veil(folder: Path) -> Holder | None:
    """A holder of nothing but a veil, for a shadow that is a copy; None where this machine cannot mount one."""
    if missing_tools() or bubblewrap_missing():
        return None
    for name in VEIL_FOLDERS:
        atomic.make_directory(folder / name, mode=0o700)
    _forget_veil(folder)
    try:
        holder = Holder(None, folder)
    except ShadowError:
        return None
    if holder.view == Path("/"):
        holder.end()
        return None
    return holder


def _forget_veil(folder: Path) -> None:
    """What an earlier holder noted says nothing about the next one."""
    with suppress(FileNotFoundError):
        syscalls.unlink(str(folder / veil.NOT_VEILED))


def missing_tools() -> tuple[str, ...]:
    """Required programs that are missing on this machine."""
    return tuple(tool for tool in _TOOLS if find_program(tool) is None)


@cache
def _tool(name: str, outside: Path) -> str:
    found = find_program(name, outside=outside)
    if found is None:
        raise ShadowError(f"The program {name} is missing.", next="Install util-linux, then see: tandem doctor")
    return found


def _is_root() -> bool:
    return os.geteuid() == 0


_LAYERS = ("upper", "work", "lower", "merged", "outside", *VEIL_FOLDERS)


class OverlayShadow(ShadowWorkspace):
    """Mounted on a private folder by a holder process, never on the workspace itself.

    A mount on the workspace would vanish when that folder is removed and recreated, and the next command would change
    the real one. A private mount point keeps the tree it was opened for.
    """

    def __init__(
        self,
        workspace: Workspace,
        folder: Path,
        objects: ObjectStore,
        masked: tuple[Path, ...],
        person_home: Path,
        outside: tuple[Path, ...] | None = None,
    ) -> None:
        with ExitStack() as undo:
            _forget_veil(folder)
            make_layers(workspace.path, folder, _LAYERS)
            if outside is not None:
                hide_tandem(folder / "upper")
            super().__init__(workspace, folder, objects)
            undo.callback(self._disk.close)
            self._holder = Holder(workspace.path, folder, outside)
            undo.callback(self._holder.end)
            self._tree = Tree(os.open(self._holder.merged, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
            undo.callback(self._tree.close)
            info = os.fstat(self._tree.root_fd)
            self._sandbox = Sandbox(
                workspace=workspace.path,
                source=folder / "merged",
                expected=f"{info.st_dev}:{info.st_ino}",
                masked=(*masked, folder),
                person_home=person_home,
                filter=write_filter(folder / "filter"),
                view=self._holder.view,
            )
            self.confinement = confinement("overlay")
            self._closing = undo.pop_all()

    @property
    def place(self) -> Path:
        return self._holder.merged

    def written_outside(self) -> dict[Path, tuple[int, ...]]:
        return {
            place / path: signature
            for place, _, upper in self._holder.layered()
            for path, signature in written_in(upper)
        }

    def _joining(self, network: tuple[str, ...] = ()) -> tuple[str, ...]:
        if not self._holder.is_alive:
            raise ShadowError(
                f"The shadow of {self.workspace} is gone; nothing was started.",
                path=str(self.workspace),
                next="Open it again.",
            )
        return self._holder.joining(network)

    def _stand_ins(self) -> Iterable[tuple[Path, Path]]:
        return ((place, shown) for place, shown, _ in self._holder.layered())

    def _sightings(self) -> Iterator[ObservedPath]:
        layer = UpperLayer(self._folder / "upper", self._tree, self._disk, self._bases, self._refuse, self._fold)
        yield from layer.read()
        self._bases.cover(frozenset(layer.covering))

    def _base_of(self, sighting: ObservedPath) -> tuple[NodeState, bytes | None]:
        if sighting.fresh:
            return ABSENT, None
        path = sighting.path
        try:
            state, data = self._disk.load(path)
        except OutsideWorkspaceError as error:
            if error.path == path:
                raise
            state, data = ABSENT, None
        # Read the time after the bytes, so that a change in between shows.
        if isinstance(state, Absent):
            changed = sighting.copied and self._folder_changed_at(path) >= self._bases.turn_ns
        else:
            changed = not isinstance(state, DirectoryState) and self._disk.changed_at(path) >= self._bases.turn_ns
        return (UNSEEN, None) if changed else (state, data)

    def _folder_changed_at(self, path: str) -> int:
        """The change time of the innermost existing folder of `path` on disk."""
        while path:
            path = path.rpartition("/")[0]
            if moment := self._disk.changed_at(path or ROOT):
                return moment
        return 0
