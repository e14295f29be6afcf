"""A small process that owns the namespace in which a shadow is mounted; everything of an agent joins it."""

import os
import select
import shutil
import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path

from tandem_desktop.domain.errors import ShadowError

_SCRIPT = """\
cd "$1" || exit 1
mount=$3
fleeting=$4
overlay() {
    "$mount" -t overlay tandem -o "lowerdir=lower,upperdir=upper,workdir=work,userxattr$1" merged
}
layer() {
    "$mount" --rbind "$1" lower && { { [ "$fleeting" ] && overlay ,volatile 2>/dev/null; } || overlay; }
}
layer "$2" || exit 1
shift 4
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
"""The layers are named relative to their folder, so no letter in a path can be mistaken for an option.

Places outside the workspace have their layers in memory: their own disk may be the one the state lies on, and an
upper layer may not lie inside its lower one. A fleeting shadow is volatile: the end of any other overlay waits until
everything that anybody has written on the disk of its upper layer is there.
"""
_PATIENCE_S = 30.0
_TOOLS = ("unshare", "nsenter", "mount", "sh")


class Holder:
    """Mounts at birth, and holds until its pipe is closed: it cannot outlive whoever started it, however that ended."""

    def __init__(self, workspace: Path, folder: Path, outside: tuple[Path, ...] | None = None) -> None:
        """With `outside`, what is written is thrown away, and these places get layers besides the workspace."""
        self._folder = folder
        self._outside = outside or ()
        spaces = ["--mount", "--propagation", "private"]
        if not _is_root():
            spaces = ["--user", "--map-root-user", *spaces]
        script = [_tool("sh"), "-c", _SCRIPT, "tandem-shadow", str(folder), str(workspace), _tool("mount")]
        script += ["" if outside is None else "fleeting", *map(str, self._outside)]
        self._process = subprocess.Popen(
            [_tool("unshare"), *spaces, *script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            start_new_session=True,
        )
        try:
            self._wait_until_ready(workspace)
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
        """The agent's view, from outside."""
        return self._seen_from_outside(self._folder / "merged")

    def layered(self) -> tuple[tuple[Path, Path, Path], ...]:
        """Each place outside that got layers: itself, what to show in its stead, and its upper layer from here."""
        found = []
        for number, place in enumerate(self._outside):
            layers = self._folder / "outside" / str(number)
            if not (self._seen_from_outside(layers) / "not-layered").exists():
                found.append((place, layers / "merged", self._seen_from_outside(layers / "upper")))
        return tuple(found)

    def joining(self) -> tuple[str, ...]:
        """What to put before a command so that it runs where the shadow is mounted."""
        spaces = [f"--mount=/proc/{self.pid}/ns/mnt"]
        if not _is_root():
            spaces = [f"--user=/proc/{self.pid}/ns/user", *spaces, "--preserve-credentials"]
        return (_tool("nsenter"), *spaces, "--")

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
        words = errors.read().decode("utf-8", "replace").strip().splitlines()
        raise ShadowError(
            f"No overlay of {workspace} can be mounted: {words[0] if words else 'no answer'}.",
            path=str(workspace),
            next="See what is missing with: tandem doctor",
        )


def missing_tools() -> tuple[str, ...]:
    """What a holder needs and this machine does not have."""
    return tuple(tool for tool in _TOOLS if shutil.which(tool) is None)


@cache
def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise ShadowError(f"The program {name} is missing.", next="Install util-linux, then see: tandem doctor")
    return found


def _is_root() -> bool:
    return os.geteuid() == 0
