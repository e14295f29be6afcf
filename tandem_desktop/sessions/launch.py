"""Finds agents and prepares their launch."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.acp_client.profiles import BUILT_IN, FoundAgent, find_agent, load_profiles
from tandem_desktop.builtin_agent.models import CHOICE, KEY, chosen_model
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.errors import BadInputError, SidecarLaunchError
from tandem_desktop.policy.prompts import opencode_plan_agent
from tandem_desktop.processes.child import Launch, interpreters, missing_interpreter
from tandem_desktop.processes.own_program import own_files
from tandem_desktop.shadow.factory import describe_confinement
from tandem_desktop.shadow.sandbox import Confinement, agent_environment, folders_of
from tandem_desktop.shadow.workspace import ShadowWorkspace
from tandem_desktop.storage import atomic


def agent_launch(
    profile: AgentProfile,
    shadow: ShadowWorkspace,
    home: Path,
    *,
    person_home: Path,
    model: str = "",
    sockets: tuple[Path, ...] = (),
    extra_environment: Mapping[str, str] | None = None,
) -> Launch:
    """How the agent of a profile starts in a shadow.

    Raises:
        SidecarLaunchError: its program, or what runs that, is not on this machine.
        BadInputError: a model is named, and it cannot be chosen for this agent.
    """
    argv = program(profile)
    atomic.make_directory(home, mode=0o700)
    _copy_credentials(profile, person_home, home)
    _write_plan_agent(profile, home)
    extra = {**profile.choosing(model), **(extra_environment or {})}
    additions = {**profile.set_env, **_key_from_keyring(profile, {**os.environ, **extra}), **extra}
    environment = agent_environment(profile.env, additions)
    needed = (Path(argv[0]), *running(profile, argv, environment["PATH"]))
    readable = folders_of((*needed, *_named(argv), *own_files()))
    return shadow.launch(argv, home=home, environment=environment, sockets=sockets, readable=readable, needed=needed)


def program(profile: AgentProfile) -> tuple[str, ...]:
    """The command with its program found."""
    found = find_agent(profile, ask_version=False)
    if found.path is None:
        first = profile.command[0]
        raise SidecarLaunchError(
            f"{profile.title} is not installed: there is no program `{first}` on PATH.",
            next=profile.install or f"Install it so that `{first}` is found, then try again.",
        )
    return found.command


def running(profile: AgentProfile, argv: tuple[str, ...], search_path: str) -> tuple[Path, ...]:
    """The interpreters of the program; empty if it is not a script.

    Raises:
        SidecarLaunchError: an interpreter is not on this machine.
    """
    if missing := missing_interpreter(argv, search_path):
        raise SidecarLaunchError(
            f"{profile.title} cannot be started: {argv[0]} is run by `{missing}`, which was not found.",
            next=f"Install `{missing}` so that it is found, or install {profile.title} again.",
        )
    return tuple(each.path for each in interpreters(argv, search_path) if each.path is not None)


def _key_from_keyring(profile: AgentProfile, environment: Mapping[str, str]) -> dict[str, str]:
    """The key of the built-in agent's model: from inside the sandbox no keyring can be reached."""
    if profile.name != BUILT_IN or not environment.get(CHOICE):
        return {}
    try:
        choice = chosen_model(environment)
    except BadInputError:
        return {}  # the agent says itself what is missing
    return {KEY: choice.key} if choice is not None and choice.key else {}


def _copy_credentials(profile: AgentProfile, person_home: Path, home: Path) -> None:
    """The agent works with copies: what it does to them stays in its own home."""
    for name in profile.credentials:
        source, target = person_home / name, home / name
        if not source.is_file():
            continue
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        atomic.make_directory(target.parent, mode=0o700)
        atomic.replace(target, source.read_bytes(), mode=0o600)


def _write_plan_agent(profile: AgentProfile, home: Path) -> None:
    """Write the plan agent's file if the profile has one, with the configured model if it is known."""
    if profile.plan_agent_file is None:
        return
    model = _model_named_in(home / profile.model_file) if profile.model_file is not None else ""
    target = home / profile.plan_agent_file
    atomic.make_directory(target.parent, mode=0o700)
    atomic.replace(target, opencode_plan_agent(model).encode(), mode=0o600)


def _model_named_in(path: Path) -> str:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return ""
    model = found.get("model") if isinstance(found, dict) else None
    return model if isinstance(model, str) else ""


def _named(argv: tuple[str, ...]) -> tuple[Path, ...]:
    """What the program is told to run or to read."""
    return tuple(Path(word) for word in argv[1:] if word.startswith("/") and _is_there(word))


def _is_there(word: str) -> bool:
    try:
        return Path(word).exists()
    except (OSError, ValueError):  # no path at all, but a long sentence
        return False


@dataclass(frozen=True, slots=True)
class InstalledAgents:
    """Every known agent, found or not, and the confinement they would get."""

    agents: tuple[FoundAgent, ...]
    confinement: Confinement


def find_agents(shadows: Path, *, ask_versions: bool = False) -> InstalledAgents:
    """Look on PATH and try a shadow. Blocks: not for the loop, nor for the GUI thread.

    Raises:
        ShadowError, StorageError: there cannot be any shadow.
    """
    found = tuple(find_agent(profile, ask_version=ask_versions) for profile in load_profiles())
    return InstalledAgents(found, describe_confinement(shadows))
