"""Finds agents and prepares their launch."""

import contextlib
import json
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem_desktop.acp_client.own_agents import add_profile
from tandem_desktop.acp_client.profiles import (
    BUILT_IN,
    FoundAgent,
    bundled_profiles,
    custom_profile,
    find_agent,
    load_profiles,
    profile_named,
)
from tandem_desktop.builtin_agent.model_keys import KEYRING_SERVICE, key_name, read_key
from tandem_desktop.builtin_agent.model_probe import ASK, LIST
from tandem_desktop.builtin_agent.models import ADDRESS, CHOICE, KEY, chosen_model
from tandem_desktop.diff.text import visible_sentence
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.errors import BadInputError, SidecarLaunchError
from tandem_desktop.domain.network import NetworkMode
from tandem_desktop.domain.paths import shown
from tandem_desktop.processes.child import Launch, interpreters, missing_interpreter, run_child
from tandem_desktop.processes.own_program import own_command, own_files
from tandem_desktop.sessions.agent_home import furnish_home
from tandem_desktop.sessions.network import AgentNetwork
from tandem_desktop.settings import Settings
from tandem_desktop.shadow.factory import describe_confinement
from tandem_desktop.shadow.sandbox import Confinement, agent_environment
from tandem_desktop.shadow.workspace import ShadowWorkspace

_log = logging.getLogger(__name__)
_MODEL_LIMIT_S = 60.0
_NO_FILES = frozenset({"PATH", "HOME", "TMPDIR", "SHELL"})


def agent_launch(
    profile: AgentProfile,
    shadow: ShadowWorkspace,
    home: Path,
    *,
    person_home: Path,
    environment: Mapping[str, str],
    network: AgentNetwork,
    sockets: tuple[Path, ...] = (),
) -> Launch:
    """How the agent of a profile starts in a shadow, with an environment as `launch_environment` gives it.

    Raises:
        SidecarLaunchError: its program, or what runs that, is not on this machine.
    """
    argv = program(profile)
    furnish_home(profile, person_home, home)
    needed = (Path(argv[0]), *running(profile, argv, environment["PATH"]))
    readable = (*needed, *_named(argv), *own_files())
    return shadow.launch(
        argv,
        home=home,
        environment={**environment, **network.environment},
        sockets=(*sockets, *network.sockets),
        network=network.is_on,
        network_joining=network.joining,
        addresses=network.addresses,
        readable=readable,
        files=_named_by_variables(environment),
        needed=needed,
    )


def launch_environment(
    profile: AgentProfile, settings: Settings | None = None, extra_environment: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What an agent gets of the person's environment, with what its profile, the settings and the person add.

    Raises:
        BadInputError: a model is named, and it cannot be chosen for this agent.
    """
    model = settings.models.get(profile.name, "") if settings is not None else ""
    chosen = profile.choosing(model)
    if settings is not None and model and profile.name == BUILT_IN:
        chosen |= _place_of_model(model, settings.model_address)
    extra = {**chosen, **(extra_environment or {})}
    additions = {**profile.set_env, **_key_from_keyring(profile, {**os.environ, **extra}), **extra}
    return agent_environment(profile.env, additions)


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


def _place_of_model(model: str, address: str) -> dict[str, str]:
    """Address and key of a model that the settings name: they go before those of another one in the environment."""
    key = read_key(KEYRING_SERVICE, key_name(model.partition(":")[0], address))
    return {ADDRESS: address, **({KEY: key} if key else {})}


def _key_from_keyring(profile: AgentProfile, environment: Mapping[str, str]) -> dict[str, str]:
    """The key of the built-in agent's model: from inside the sandbox no keyring can be reached."""
    if profile.name != BUILT_IN or not environment.get(CHOICE):
        return {}
    try:
        choice = chosen_model(environment)
    except BadInputError:
        return {}  # the agent says itself what is missing
    return {KEY: choice.key} if choice is not None and choice.key else {}


def _named(argv: tuple[str, ...]) -> tuple[Path, ...]:
    """What the program is told to run or to read."""
    return tuple(Path(word) for word in argv[1:] if word.startswith("/") and _is_there(word))


def _named_by_variables(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Files that a variable of the agent names: its configuration, certificates it trusts its model by."""
    values = {value for name, value in environment.items() if name not in _NO_FILES and value.startswith("/")}
    return tuple(Path(value) for value in sorted(values) if _is_file(value))


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        return False


def _is_there(word: str) -> bool:
    try:
        return Path(word).exists()
    except (OSError, ValueError):  # no path at all, but a long sentence
        return False


def keep_agent(profile: AgentProfile) -> Path:
    """Add an agent of the person; the file it is in now.

    Raises:
        BadInputError: its name is taken, its title passes for another, or it asks for more than one may.
        StorageError: the file cannot be written.
    """
    if (told := visible_sentence(profile.title)) != profile.title:
        raise BadInputError(
            f"The agent {shown(profile.name)} was not added: its title {told} has a letter that passes for another.",
            next="Give it another title.",
        )
    return add_profile(profile, frozenset(each.name for each in bundled_profiles()))


@dataclass(frozen=True, slots=True)
class InstalledAgents:
    """Every known agent, found or not, and the confinement they would get."""

    agents: tuple[FoundAgent, ...]
    confinement: Confinement


def find_agents(
    shadows: Path, command: str = "", *, network: NetworkMode = NetworkMode.LEASHED, ask_versions: bool = False
) -> InstalledAgents:
    """Look on PATH and try a shadow; `command` is the person's own agent. Blocks: not for the loop or the GUI thread.

    `network` is what the settings say.

    Raises:
        BadInputError: the command cannot be read.
        ShadowError, StorageError: there cannot be any shadow.
    """
    profiles = (*load_profiles(), *((custom_profile(command),) if command else ()))
    found = tuple(find_agent(profile, ask_version=ask_versions) for profile in profiles)
    return InstalledAgents(found, describe_confinement(shadows).with_network(network))


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a provider or a model answered, or why it did not."""

    models: tuple[str, ...] = ()
    answer: str = ""
    seconds: float = 0.0
    problem: str = ""
    next: str = ""


def list_models(kind: str, address: str, key: str) -> ModelAnswer:
    """The models a provider has. Blocks: not for the loop or the GUI thread."""
    return _asked(LIST, f"{kind}:any", address, key)


def try_model(model: str, address: str, key: str) -> ModelAnswer:
    """Ask a model for one word, as the built-in agent asks it. Blocks likewise."""
    return _asked(ASK, model, address, key)


def _asked(what: str, model: str, address: str, key: str) -> ModelAnswer:
    """A process of the built-in agent asks; without a key it uses the one that is kept."""
    names = profile_named(BUILT_IN).env
    own = {CHOICE: model, ADDRESS: address}
    own |= {KEY: key} if key else _place_of_model(model, address)
    outcome = run_child(
        own_command("agent", what),
        cwd=Path("/"),
        environment=agent_environment(names, own),
        timeout_s=_MODEL_LIMIT_S,
        should_abort=lambda: False,
        on_output=lambda chunk: None,
        on_error=lambda chunk: None,
    )
    for line in reversed(outcome.output.decode("utf-8", "replace").splitlines()):
        with contextlib.suppress(ValueError, TypeError):
            found = json.loads(line)
            _log.info("model asked: %s at %s: %s", model, address or "its usual address", _in_short(found))
            return ModelAnswer(**{**found, "models": tuple(found.get("models", ()))})
    _log.warning("model asked: %s ended with exit code %d and no answer", model, outcome.exit_code)
    return ModelAnswer(problem="The process that asks the model ended without an answer.", next="The log says more.")


def _in_short(found: dict[str, Any]) -> str:
    return str(found.get("problem") or found.get("seconds") or f"{len(found.get('models', ()))} models")
