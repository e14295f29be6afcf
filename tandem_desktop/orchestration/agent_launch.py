"""Everything an agent needs to start in its shadow: its program, its private home, its environment."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from tandem_desktop.agent.models import CHOICE, KEY, chosen_model
from tandem_desktop.domain.agents import AgentProfile
from tandem_desktop.domain.errors import BadInputError, SidecarLaunchError
from tandem_desktop.policy.plan_agent import opencode_plan_agent
from tandem_desktop.processes.launch import Launch
from tandem_desktop.shadow.agent_environment import agent_environment
from tandem_desktop.shadow.shadow_workspace import ShadowWorkspace
from tandem_desktop.sidecar.profiles import BUILT_IN, find_agent
from tandem_desktop.storage import atomic

_TEMPORARY = Path("/tmp")
_MOST_LINKS = 40


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
        SidecarLaunchError: its program is not on this machine.
        BadInputError: a model is named, and it cannot be chosen for this agent.
    """
    argv = program(profile)
    atomic.make_directory(home, mode=0o700)
    _copy_credentials(profile, person_home, home)
    _write_plan_agent(profile, home)
    extra = {**profile.choosing(model), **(extra_environment or {})}
    additions = {**profile.set_env, **_key_from_keyring(profile, {**os.environ, **extra}), **extra}
    environment = agent_environment(profile.env, additions)
    readable = _hidden_folders(argv, (shadow.workspace, home))
    return shadow.launch(argv, home=home, environment=environment, sockets=sockets, readable=readable)


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
    """Describe a planner to an agent that knows such a thing, with the model it works with where that is known."""
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


def _way(place: Path) -> Iterator[Path]:
    """A path, and every place its links lead through."""
    for _ in range(_MOST_LINKS):
        yield place
        if not place.is_symlink():
            break
        place = place.parent / place.readlink()
    yield place.resolve()


def _hidden_folders(argv: tuple[str, ...], shown: tuple[Path, ...]) -> tuple[Path, ...]:
    """Where the program, and what it is told to run, lie among the temporary files, which a sandbox hides.

    A folder that holds one of those that are `shown` is seen anyway; shown again, it would cover them.
    """
    named = [Path(word) for word in argv if word.startswith(f"{_TEMPORARY}/") and Path(word).exists()]
    places = [step for place in (Path(argv[0]), *named) for step in _way(place)]
    inside = (place.relative_to(_TEMPORARY) for place in places if place.is_relative_to(_TEMPORARY))
    folders = {_TEMPORARY / place.parts[0] for place in inside if place.parts}
    return tuple(sorted(each for each in folders if not any(place.is_relative_to(each) for place in shown)))
