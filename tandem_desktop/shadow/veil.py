"""A read-only view of the whole machine through overlays, in which no socket of the host can be connected to.

The kernel finds a listening socket by its inode. Through an overlay a socket file has another inode, so a connection is
refused, wherever the file lies and whenever it was made. A layer of whiteouts hides files by their names, also those
that are replaced or made later.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.shadow.places import secret_system_files

VEIL = "veil"
"""The folder of a shadow on which the view is mounted."""
NOT_VEILED = "not-veiled"
"""The file that is there when it could not be."""
_WITHOUT_FILES = frozenset(
    (
        *(
            "autofs",
            "binfmt_misc",
            "bpf",
            "cgroup",
            "cgroup2",
            "configfs",
            "debugfs",
        ),
        *(
            "devpts",
            "devtmpfs",
            "efivarfs",
            "fusectl",
            "hugetlbfs",
            "mqueue",
            "nsfs",
        ),
        *(
            "proc",
            "pstore",
            "rpc_pipefs",
            "securityfs",
            "selinuxfs",
            "sysfs",
            "tracefs",
        ),
    )
)
_LEFT_OUT = ("/proc", "/sys", "/dev", "/run")
_OF_CONTAINERS = ("/var/lib/docker/", "/var/lib/containers/", "/var/lib/containerd/", "/var/lib/kubelet/")
_MOST_PIECES = 400
_OCTAL = lazy_pattern(r"\\([0-7]{3})")

SCRIPT = """\
veil() {
    "$mount" -t tmpfs -o size=16m,mode=0755 tandem veils && mkdir veils/empty veils/mask || return 1
    while [ "$1" != -- ]; do
        hide "${1%/*}" "${1##*/}"
        shift
    done
    shift
    [ "$1" = whole ] || "$mount" -t tmpfs -o size=16m,mode=0755 tandem veil || return 1
    number=0
    while [ "$1" != -- ]; do
        kind=$1 place=$2
        shift 2
        case $kind in
        whole) layered "$place" veils/mask "" || return 1 ;;
        layer) [ -d "veil$place" ] || mkdir "veil$place"; layered "$place" veils/empty "$place" 2>/dev/null ;;
        folder) mkdir "veil$place" ;;
        file) [ -e "veil$place" ] || : > "veil$place"; "$mount" --bind "$place" "veil$place" 2>/dev/null ;;
        link) ln -s "$1" "veil$place"; shift ;;
        esac
    done
    [ -e veil/usr/bin ]
}
layered() {
    number=$((number + 1))
    mkdir veils/$number && "$mount" --rbind "$1" veils/$number &&
        "$mount" -t overlay tandem -o ro,userxattr,lowerdir=$2:veils/$number "veil$3"
}
hide() {
    [ -d "/$1" ] && mkdir -p "veils/mask/$1" && mknod "veils/mask/$1/$2" c 0 0
}
"""
"""Functions of the holder's shell: hidden names without the first slash, `--`, pieces, `--`."""


@dataclass(frozen=True, slots=True)
class VeilPlan:
    """What the holder of a shadow is told."""

    hidden: tuple[str, ...]
    pieces: tuple[tuple[str, ...], ...]

    def words(self) -> tuple[str, ...]:
        return (*self.hidden, "--", *(word for piece in self.pieces for word in piece), "--")


def veil_plan() -> VeilPlan:
    """What is hidden by name, and of what the view is made.

    Root sees the whole of `/` through one layer, and each further file system through another. An ordinary user may put
    no layer over a folder in which something is mounted, because that would show what lies behind; so each folder that
    has no mounts in it gets a layer.
    """
    try:
        text = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        text = ""
    if os.geteuid() != 0:
        mounts = [place for place, _ in _mounts(text)]
        return VeilPlan((), tuple(islice(_pieces("", mounts), _MOST_PIECES)))
    # Only root can read these files; another user needs nothing hidden, and would be seen as the owner of /etc.
    hidden = tuple(str(place).removeprefix("/") for place in secret_system_files())
    further = [(_kind(place), place) for place in dict.fromkeys(_mount_points(text))]
    return VeilPlan(hidden, (("whole", "/"), *further[:_MOST_PIECES]))


def _kind(place: str) -> str:
    return "layer" if Path(place).is_dir() else "file"


def _pieces(folder: str, mounts: list[str]) -> Iterator[tuple[str, ...]]:
    """Everything in a folder that has mounts in it, itself or further down."""
    try:
        names = sorted(os.listdir(folder or "/"))
    except OSError:
        return
    for name in names:
        place = f"{folder}/{name}"
        try:
            mode = os.lstat(place).st_mode
            if stat.S_ISLNK(mode):
                yield ("link", place, str(Path(place).readlink()))
            elif stat.S_ISREG(mode):
                yield ("file", place)
        except OSError:
            continue
        if not stat.S_ISDIR(mode):
            continue
        if place in _LEFT_OUT or not _can_be_shown(place):
            yield ("folder", place)
        elif any(each.startswith(f"{place}/") for each in mounts):
            yield ("folder", place)
            yield from _pieces(place, mounts)
        else:
            yield ("layer", place)


def _mount_points(text: str) -> Iterator[str]:
    """Where files lie on another file system than that of `/`, outer ones first as the kernel tells them."""
    for place, kind in _mounts(text):
        inside = f"{place}/"
        if place == "/" or kind in _WITHOUT_FILES:
            continue
        if inside.startswith(tuple(f"{each}/" for each in _LEFT_OUT)) or inside.startswith(_OF_CONTAINERS):
            continue
        if _can_be_shown(place):
            yield place


def _mounts(text: str) -> Iterator[tuple[str, str]]:
    """Every mount point, and the kind of file system there."""
    for line in text.splitlines():
        first, _, last = line.partition(" - ")
        place = _OCTAL.sub(lambda found: chr(int(found.group(1), 8)), first.split()[4])
        yield place, last.split(" ", 1)[0]


def _can_be_shown(place: str) -> bool:
    try:
        mode = os.stat(place).st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) or (stat.S_ISDIR(mode) and os.access(place, os.R_OK | os.X_OK))
