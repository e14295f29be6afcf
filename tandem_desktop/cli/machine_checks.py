"""Checks of the machine: Python, git, folders, the disk, and what it offers to confine agents later."""

import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tandem_desktop.cli.findings import Finding, Level
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.locations import Locations

OLDEST_PYTHON = (3, 11)
_ENOUGH_BYTES = 256 * 1024 * 1024
_LEAST_BYTES = 4 * 1024 * 1024
SWITCHES = Path("/proc/sys")
_NAMESPACES = {
    "user/max_user_namespaces": ("0", "user.max_user_namespaces=15000"),
    "kernel/unprivileged_userns_clone": ("0", "kernel.unprivileged_userns_clone=1"),
    "kernel/apparmor_restrict_unprivileged_userns": ("1", "kernel.apparmor_restrict_unprivileged_userns=0"),
}
"""Where a kernel keeps user namespaces from ordinary people: the value that does, and the setting that does not."""


def python() -> Finding:
    found = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info < OLDEST_PYTHON:
        return Finding("python", Level.ERROR, f"Python {found} is too old.", "Install Python 3.11 or newer.")
    return Finding("python", Level.OK, f"Python {found}.")


def git() -> Finding:
    found = shutil.which("git")
    if found is None:
        return Finding("git", Level.WARNING, "git was not found; large files are compared slowly.", "Install git.")
    return Finding("git", Level.OK, f"git at {found}.")


def state_folder(state: Path) -> Iterator[Finding]:
    """Where approvals, journals and stored bytes lie; nobody else may read or write it."""
    try:
        info = state.stat()
    except FileNotFoundError:
        yield Finding("state", Level.OK, f"{state} will be made with the first plan.")
        return
    except OSError as error:
        yield Finding("state", Level.ERROR, f"{state}: {error.strerror}.", "Name another with TANDEM_STATE_DIR.")
        return
    if not stat.S_ISDIR(info.st_mode):
        yield Finding("state", Level.ERROR, f"{state} is not a folder.", "Name another with TANDEM_STATE_DIR.")
        return
    mode = stat.S_IMODE(info.st_mode)
    if mode & 0o077:
        words = f"{state} is open to others (mode {mode:04o}): they could forge approvals."
        yield Finding("state", Level.ERROR, words, f"chmod 700 {state}")
    if info.st_uid != os.geteuid():
        yield Finding("state", Level.ERROR, f"{state} belongs to another user.", f"chown {os.geteuid()} {state}")
    if not os.access(state, os.W_OK | os.X_OK):
        yield Finding("state", Level.ERROR, f"{state} cannot be written.", f"chmod 700 {state}")
    elif not mode & 0o077 and info.st_uid == os.geteuid():
        yield Finding("state", Level.OK, f"{state}, private and writable.")


def workspace(folder: Path) -> Finding:
    if not folder.is_dir():
        return Finding("workspace", Level.ERROR, f"{folder} is not a folder.", "Name one with -C DIR.")
    read_only = os.statvfs(folder).f_flag & os.ST_RDONLY
    if read_only or not os.access(folder, os.W_OK | os.X_OK):
        words = f"{folder.absolute()} is read-only; plans can be looked at but not applied."
        return Finding("workspace", Level.ERROR, words, "Make it writable.")
    return Finding("workspace", Level.OK, f"{folder.absolute()}, writable.")


def swapping(locations: Locations) -> Finding:
    """Whether two names can be exchanged in one step on the disk of the workspace."""
    place = locations.tandem if locations.tandem.is_dir() else locations.state
    if place.stat().st_dev != locations.workspace.stat().st_dev:
        return Finding(
            "exchange", Level.INFO, "Not tried: there is no plan here yet, and the state is on another disk."
        )
    folder = place / f".doctor-{secrets.token_hex(4)}"
    try:
        atomic.make_directory(folder, mode=0o700)
        try:
            return _swapped(folder)
        finally:
            _remove(folder)
    except OSError as error:
        return Finding("exchange", Level.ERROR, f"{place} cannot be written: {error.strerror}.", "Make room there.")


def disk(folders: tuple[Path, ...]) -> Iterator[Finding]:
    for folder in folders:
        room = os.statvfs(folder)
        free = room.f_bavail * room.f_frsize
        words = f"{free // (1024 * 1024):,} MiB free at {folder}."
        if free < _LEAST_BYTES:
            yield Finding("disk", Level.ERROR, words, "Make room; a run would be refused.")
        elif free < _ENOUGH_BYTES:
            yield Finding("disk", Level.WARNING, words, "Make room before a large plan.")
        else:
            yield Finding("disk", Level.OK, words)


def confinement(switches: Path = SWITCHES) -> Iterator[Finding]:
    """Only information: commands and agents can be held apart where the kernel helps."""
    overlay = "overlay" in _text(Path("/proc/filesystems")).split()
    yield Finding("overlay", Level.INFO, "Overlay file systems are " + ("available." if overlay else "not available."))
    shut = _shut(switches)
    yield Finding(
        "namespaces",
        Level.INFO,
        "User namespaces are " + ("not allowed." if shut else "allowed."),
        f"sudo sysctl -w {' '.join(shut)}; in a file of /etc/sysctl.d it stays so." if shut else "",
    )
    found = shutil.which("bwrap")
    words = f"Found at {found}." if found else "Not found (package: bubblewrap)."
    yield Finding("bubblewrap", Level.INFO, words)


def way_to_confinement(switches: Path = SWITCHES) -> str:
    """What a person can do where agents cannot be confined."""
    steps = [] if shutil.which("bwrap") else ["sudo apt-get install -y bubblewrap"]
    steps += [f"sudo sysctl -w {each}" for each in _shut(switches)]
    return " && ".join(steps) or "See why in the words above; docs/security.md says what confinement needs."


def _shut(switches: Path) -> list[str]:
    """The settings of the kernel that would open user namespaces to everybody."""
    return [opened for name, (shut, opened) in _NAMESPACES.items() if _text(switches / name).strip() == shut]


def _swapped(folder: Path) -> Finding:
    atomic.create(folder / "one", b"1")
    atomic.create(folder / "other", b"2")
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        syscalls.exchange("one", "other", fd, fd)
    except OSError as error:
        words = (
            f"This disk cannot exchange two names in one step ({error.strerror}); each file is checked again instead."
        )
        return Finding(
            "exchange", Level.WARNING, words, "Nothing is wrong; a local disk would be quicker and stricter."
        )
    finally:
        os.close(fd)
    return Finding("exchange", Level.OK, "Two names can be exchanged in one step.")


def _remove(folder: Path) -> None:
    with suppress(OSError):
        for name in os.listdir(folder):
            syscalls.unlink(str(folder / name))
        syscalls.rmdir(str(folder))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
