"""The doctor command and its checks."""

import ctypes.util
import importlib.util
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from tandem_desktop.cli.console import Line, Span, Tone, sentence
from tandem_desktop.cli.main import CommandContext, CommandResult, count
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.network import NetworkMode
from tandem_desktop.processes.child import find_program
from tandem_desktop.services.engine import Engine
from tandem_desktop.settings_io import SETTINGS_FILE, WORKSPACE_FILE, config_directory, load_settings
from tandem_desktop.shadow.landlock import landlock_missing
from tandem_desktop.shadow.landlock_launcher import abi_version
from tandem_desktop.shadow.namespaces import namespace_limits
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.paths import TANDEM_DIRECTORY, Locations, default_state_directory

if TYPE_CHECKING:
    from tandem_desktop.acp_client.profiles import FoundAgent


class Level(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor."""

    name: str
    level: Level
    message: str
    next: str = ""

    def as_object(self) -> dict[str, str]:
        return {"name": self.name, "level": self.level.value, "message": self.message, "next": self.next}


OLDEST_PYTHON = (3, 11)
_ENOUGH_BYTES = 256 * 1024 * 1024
_LEAST_BYTES = 4 * 1024 * 1024
_INSTALL_BUBBLEWRAP = "sudo apt-get install -y bubblewrap"


def python() -> Finding:
    found = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info < OLDEST_PYTHON:
        return Finding("python", Level.ERROR, f"Python {found} is too old.", "Install Python 3.11 or newer.")
    return Finding("python", Level.OK, f"Python {found}.")


def git() -> Finding:
    found = find_program("git")
    if found is None:
        return Finding(
            "git",
            Level.WARNING,
            "git was not found; what a run did to a repository cannot be taken back.",
            "Install git.",
        )
    return Finding("git", Level.OK, f"git at {found}.")


def state_folder(state: Path) -> Iterator[Finding]:
    """Where approvals, journals and stored bytes lie; other users may not read or write it."""
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


def confinement(root: Path = Path("/")) -> Iterator[Finding]:
    """Only information: commands and agents can be held apart where the kernel helps."""
    overlay = "overlay" in _text(root / "proc/filesystems").split()
    yield Finding("overlay", Level.INFO, "Overlay file systems are " + ("available." if overlay else "not available."))
    limits = namespace_limits(root)
    yield Finding("namespaces", Level.INFO, limits.description, limits.remedy)
    found = find_program("bwrap")
    words = f"Found at {found}." if found else "Not found."
    yield Finding("bubblewrap", Level.INFO, words, "" if found else _INSTALL_BUBBLEWRAP)
    missing = landlock_missing()
    words = (
        f"{missing[0].upper()}{missing[1:]}." if missing else f"ABI {abi_version()}, for where no namespace can be had."
    )
    yield Finding("landlock", Level.INFO, words)


def way_to_confinement(root: Path = Path("/")) -> str:
    """What a person can do where agents cannot be confined."""
    if not find_program("bwrap"):
        return _INSTALL_BUBBLEWRAP
    if not namespace_limits(root).are_allowed:
        return "See namespaces above."
    return "See why in the words above; docs/security.md says what confinement needs."


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


LIBRARIES = {
    "EGL": "libegl1",
    "GL": "libgl1",
    "dbus-1": "libdbus-1-3",
    "fontconfig": "libfontconfig1",
    "xkbcommon": "libxkbcommon0",
    "xkbcommon-x11": "libxkbcommon-x11-0",
    "xcb-cursor": "libxcb-cursor0",
    "xcb-icccm": "libxcb-icccm4",
    "xcb-keysyms": "libxcb-keysyms1",
    "xcb-shape": "libxcb-shape0",
}
"""What Qt loads on Linux, and the Debian package each is in."""


def window(
    environment: Mapping[str, str] = os.environ,
    find_library: Callable[[str], str | None] = ctypes.util.find_library,
    find_module: Callable[[str], object] = importlib.util.find_spec,
) -> Iterator[Finding]:
    """Whether the window could open; the command line works without."""
    if find_module("PySide6") is None:
        yield Finding(
            "window",
            Level.WARNING,
            "PySide6 is not installed, so there is no window.",
            'pip install "tandem-desktop[gui]"',
        )
        return
    # A frozen program brings these along.
    missing = [] if getattr(sys, "frozen", False) else [each for each in LIBRARIES if find_library(each) is None]
    if sys.platform == "linux" and missing:
        words = f"System libraries are missing: {', '.join(f'lib{name}' for name in missing)}."
        packages = " ".join(LIBRARIES[name] for name in missing)
        yield Finding("window", Level.WARNING, words, f"sudo apt-get install -y {packages}")
    elif sys.platform == "linux" and not any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")):
        yield Finding("window", Level.INFO, "There is no display here; everything else works without one.")
    else:
        yield Finding("window", Level.OK, "The window can open.")


def settings(workspace: Path) -> Iterator[Finding]:
    """The person's file, and what the workspace asked for in vain."""
    config = config_directory() / SETTINGS_FILE
    try:
        loaded = load_settings(config, workspace / ".tandem" / WORKSPACE_FILE)
    except TandemError as error:
        yield Finding("settings", Level.ERROR, error.message, error.next)
        return
    for warning in loaded.warnings:
        yield Finding("settings", Level.WARNING, warning, "Remove it from the workspace's file.")
    words = f"{config}, readable." if config.exists() else f"The defaults hold; {config} would change them."
    yield Finding("settings", Level.OK, words)


def agents(shadows: Path, network: NetworkMode) -> Iterator[Finding]:
    """Which agents are here, with a log-in or a key or without, and how all of them would be held back."""
    from tandem_desktop.acp_client.own_agents import unreadable_profiles
    from tandem_desktop.sessions.launch import find_agents

    try:
        here = find_agents(shadows)
    except TandemError as error:
        yield Finding("agents", Level.ERROR, error.message, error.next)
        return
    yield from map(_agent, here.agents)
    for unreadable in unreadable_profiles():
        yield Finding("agents", Level.WARNING, unreadable.message, unreadable.next)
    yield from _servers()
    level = Level.OK if here.confinement.confined else Level.WARNING
    following = "" if here.confinement.confined else way_to_confinement()
    description = here.confinement.with_network(network).description
    yield Finding("confinement", level, f"Agents are {description}.", following)


def _servers() -> Iterator[Finding]:
    """The person's MCP servers that agents are offered, by name; none is started."""
    from tandem_desktop.planning_tools.person_servers import person_servers

    try:
        names = ", ".join(server.name for server in person_servers())
    except TandemError as error:
        yield Finding("servers", Level.ERROR, error.message, error.next)
        return
    if names:
        yield Finding("servers", Level.OK, f"Agents may ask for calls of your MCP servers: {names}.")


def model(environment: Mapping[str, str] = os.environ) -> Finding:
    """Whether the built-in agent has a model; its key is looked for and never shown."""
    from tandem_desktop.builtin_agent.models import CHOICE, chosen_model

    try:
        chosen = chosen_model(environment)
    except TandemError as error:
        return Finding("model", Level.ERROR, error.message, error.next)
    if chosen is None:
        words = "The built-in agent has no model; its recipes work without one."
        return Finding("model", Level.INFO, words, f"For a model set {CHOICE}, as in docs/agents.md.")
    return Finding("model", Level.OK, f"The built-in agent speaks with {chosen.provider}:{chosen.name}.")


def _agent(found: "FoundAgent") -> Finding:
    from tandem_desktop.sessions.launch import running

    profile = found.profile
    if found.path is None:
        return Finding("agents", Level.INFO, f"{profile.title} is not here.", profile.install)
    try:
        running(profile, found.command, os.environ.get("PATH", os.defpath))
    except TandemError as error:
        return Finding("agents", Level.WARNING, error.message, error.next)
    if found.has_access:
        return Finding("agents", Level.OK, f"{profile.title} is here.")
    words = f"{profile.title} is here; no log-in and no key for it was found."
    return Finding("agents", Level.INFO, words, profile.needs)


_TONES = {Level.OK: Tone.ADDED, Level.INFO: Tone.PLACE, Level.WARNING: Tone.WARNING, Level.ERROR: Tone.FAILED}


def doctor(call: CommandContext) -> CommandResult:
    found = list(_findings(call))
    errors = sum(finding.level is Level.ERROR for finding in found)
    data = {"ok": not errors, "checks": [finding.as_object() for finding in found]}
    lines: list[Line] = []
    for finding in found:
        lines.append(
            (Span(f"{finding.level.value:<8}", _TONES[finding.level]), f"{finding.name}: ", sentence(finding.message))
        )
        if finding.next:
            first, *block = finding.next.split("\n")
            lines.append(f"          mend it: {first}")
            lines += block  # not indented: it is to be pasted
    if errors:
        return CommandResult(
            data, lines, next=f"Mend {count(errors, 'error')}, then look again: tandem doctor", exit_code=1
        )
    return CommandResult(data, lines, next=call.command("list"))


def _findings(call: CommandContext) -> Iterator[Finding]:
    state = default_state_directory()
    yield python()
    yield git()
    yield from state_folder(state)
    yield workspace(call.workspace)
    try:
        engine = call.engine
    except TandemError as error:
        yield Finding("engine", Level.ERROR, error.message, error.next)
        return
    except OSError as error:
        yield Finding("engine", Level.ERROR, f"{error.filename}: {error.strerror}.", "Mend the state folder first.")
        return
    yield from _plans_folder(engine)
    yield _runs(engine)
    yield _audit(engine)
    yield swapping(engine.locations)
    yield from disk((engine.locations.workspace, engine.locations.state))
    yield from confinement()
    yield from settings(engine.locations.workspace)
    yield from window()
    yield from agents(engine.locations.shadows, engine.settings.network)
    yield model()


def _plans_folder(engine: Engine) -> Iterator[Finding]:
    """`.tandem` in the workspace, and the plans in it."""
    folder = engine.locations.tandem
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        yield Finding("plans", Level.ERROR, f"{folder} is not a folder of its own.", f"Move {folder} away.")
        return
    if not folder.exists():
        yield Finding("plans", Level.OK, f"There is no {TANDEM_DIRECTORY} yet; the first plan makes it.")
        return
    if not (folder / ".gitignore").is_file():
        following = f"echo '*' > {folder}/.gitignore"
        yield Finding("plans", Level.WARNING, f"{folder} has no .gitignore, so git may pick it up.", following)
    listing = engine.plans.list()
    for damaged in listing.damaged:
        yield Finding("plans", Level.ERROR, damaged.message, damaged.next)
    if not listing.damaged:
        yield Finding("plans", Level.OK, f"{count(len(listing.plans), 'plan')}, all readable.")


def _runs(engine: Engine) -> Finding:
    try:
        waiting = engine.runs.interrupted()
    except TandemError as error:
        return Finding("runs", Level.ERROR, error.message, error.next)
    if waiting:
        words = f"{waiting[0].run_id} was interrupted: {waiting[0].done} of {waiting[0].total} done."
        return Finding("runs", Level.ERROR, words, "tandem recover")
    return Finding("runs", Level.OK, f"{count(len(engine.runs.runs()), 'run')}, none interrupted.")


def _audit(engine: Engine) -> Finding:
    try:
        report = engine.audit_check.verify()
    except TandemError as error:
        return Finding("audit", Level.ERROR, error.message, error.next)
    if report.ok:
        return Finding("audit", Level.OK, f"{count(report.records, 'record')}, none changed and none missing.")
    words = f"The chain breaks at record {report.first_bad}." if report.first_bad else report.missing[0]
    return Finding("audit", Level.ERROR, words, f"Compare {engine.locations.audit} with a backup.")
