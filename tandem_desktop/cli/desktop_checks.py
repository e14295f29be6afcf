"""Checks of what the window and the agents need: system libraries, a display, settings, agents, and keys of models."""

import ctypes.util
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tandem_desktop.cli.findings import Finding, Level
from tandem_desktop.cli.machine_checks import way_to_confinement
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.settings.load import SETTINGS_FILE, WORKSPACE_FILE, config_directory, load_settings

if TYPE_CHECKING:
    from tandem_desktop.sidecar.profiles import FoundAgent

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
            "pip install tandem-desktop[gui]",
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


def agents(shadows: Path) -> Iterator[Finding]:
    """Which agents are here, with a log-in or a key or without, and how all of them would be held back."""
    from tandem_desktop.orchestration.agents_here import find_agents

    try:
        here = find_agents(shadows)
    except TandemError as error:
        yield Finding("agents", Level.ERROR, error.message, error.next)
        return
    yield from map(_agent, here.agents)
    level = Level.OK if here.confinement.confined else Level.WARNING
    following = "" if here.confinement.confined else way_to_confinement()
    yield Finding("confinement", level, f"Agents are {here.confinement.words}.", following)


def model(environment: Mapping[str, str] = os.environ) -> Finding:
    """Whether the built-in agent has a model; its key is looked for and never shown."""
    from tandem_desktop.agent.models import CHOICE, chosen_model

    try:
        chosen = chosen_model(environment)
    except TandemError as error:
        return Finding("model", Level.ERROR, error.message, error.next)
    if chosen is None:
        words = "The built-in agent has no model; its recipes work without one."
        return Finding("model", Level.INFO, words, f"For a model set {CHOICE}, as in docs/agents.md.")
    return Finding("model", Level.OK, f"The built-in agent speaks with {chosen.provider}:{chosen.name}.")


def _agent(found: "FoundAgent") -> Finding:
    from tandem_desktop.orchestration.agent_launch import running

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
