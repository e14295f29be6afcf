"""Agent profiles and installed agents."""

import hashlib
import json
import os
import shlex
import shutil
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic_core import ValidationError

from tandem_desktop.acp_client.own_agents import own_profiles, unreadable_profiles
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.processes.child import missing_interpreter, run_child, scrubbed_environment
from tandem_desktop.processes.own_program import own_command
from tandem_desktop.storage.paths import resource

BUILT_IN = "built-in"
CUSTOM = "custom"
_VERSION_LIMIT_S = 10.0
_KEY = lazy_pattern(r"_(?:KEY|TOKEN)$")
_VERSION = lazy_pattern(rb"\d+(?:\.\d+)+[\w.+-]*")


@dataclass(frozen=True, slots=True)
class FoundAgent:
    """An agent as it is here: where its command is, and which version, as far as it tells."""

    profile: AgentProfile
    path: Path | None
    version: str | None = None
    has_access: bool = True
    """Whether a file of its log-in or a key is there; neither is read. What has no log-in needs none."""
    lacks: str = ""
    """What runs its program and is not here, such as `node`; empty where nothing is missing."""

    @property
    def can_start(self) -> bool:
        return self.path is not None and not self.lacks

    @property
    def command(self) -> tuple[str, ...]:
        """What to start: the command found, with the profile's words behind it."""
        if self.profile.name == BUILT_IN:
            return own_command("agent")
        return (str(self.path), *self.profile.command[1:]) if self.path else self.profile.command


@cache
def bundled_profiles() -> tuple[AgentProfile, ...]:
    """The profiles that come with Tandem."""
    return tuple(_load(path) for path in sorted(resource("agents").glob("*.toml")))


def load_profiles() -> tuple[AgentProfile, ...]:
    """Every profile, bundled or added by the person: the built-in agent first, the others by title."""
    bundled = bundled_profiles()
    names = {profile.name for profile in bundled}
    profiles = [*bundled, *(profile for profile in own_profiles() if profile.name not in names)]
    return tuple(sorted(profiles, key=lambda profile: (profile.name != BUILT_IN, profile.title.lower())))


def profile_named(name: str) -> AgentProfile:
    """The profile of this name.

    Raises:
        BadInputError: there is none, or it cannot be used.
    """
    for profile in load_profiles():
        if profile.name == name:
            return profile
    for error in unreadable_profiles():
        if error.path is not None and Path(error.path).stem == name:
            raise error
    names = ", ".join(profile.name for profile in load_profiles())
    raise BadInputError(f"No agent is called {name}.", next=f"Choose one of {names}, or give a command of your own.")


def title_of(name: str) -> str:
    """The title of an agent; its name if there is no such profile any more."""
    titles = {CUSTOM: "Custom agent"} | {profile.name: profile.title for profile in load_profiles()}
    return titles.get(name, name)


def custom_profile(command_line: str, env: tuple[str, ...] = ()) -> AgentProfile:
    """A profile for any command that speaks the protocol; `env` names what it may see of the environment.

    Raises:
        BadInputError: the command line is empty or its quotes do not match.
    """
    try:
        words = tuple(shlex.split(command_line))
    except ValueError as problem:
        raise BadInputError(f"The agent's command cannot be read: {problem}.", next="Check its quotes.") from problem
    if not words:
        raise BadInputError("The agent's command is empty.", next="Give a command that speaks ACP on standard input.")
    return AgentProfile(
        name=CUSTOM,
        title=Path(words[0]).name,
        command=words,
        env=env,
        known="Nothing is known of it: it is started in the mode it chooses itself.",
    )


def home_name(profile: AgentProfile) -> str:
    """What the agent's private home is called; every command of a person's own has a home for itself."""
    if profile.name != CUSTOM:
        return profile.name
    return f"{CUSTOM}-{hashlib.sha256(json.dumps(profile.command).encode()).hexdigest()[:16]}"


def find_agent(
    profile: AgentProfile, environment: Mapping[str, str] | None = None, *, ask_version: bool = True
) -> FoundAgent:
    """Look for the agent's command on PATH and ask for its version, within a time limit. Blocks: not for the loop."""
    if profile.name == BUILT_IN:
        from tandem_desktop import __version__

        return FoundAgent(profile, Path(sys.executable), __version__)
    around = os.environ if environment is None else environment
    found = _which(profile.command[0], around)
    if found is None:
        return FoundAgent(profile, None)
    lacks = missing_interpreter((str(found), *profile.command[1:]), around.get("PATH", os.defpath))
    version = _version(profile, found, environment) if ask_version and not lacks else None
    return FoundAgent(profile, found, version, has_access(profile, around, Path.home()), lacks)


def has_access(profile: AgentProfile, environment: Mapping[str, str], home: Path) -> bool:
    """Whether the agent has anything of a log-in or a key; only it knows whether that still holds."""
    if not profile.credentials:
        return True
    has_key = any(environment.get(name) for name in keys(profile))
    return has_key or any((home / each).is_file() for each in profile.credentials)


def keys(profile: AgentProfile) -> tuple[str, ...]:
    """The variables of the agent that hold a key."""
    return tuple(name for name in profile.env if _KEY.search(name))


def _load(path: Path) -> AgentProfile:
    try:
        profile = AgentProfile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (ValidationError, tomllib.TOMLDecodeError) as problem:
        raise BadInputError(f"The agent profile {path} cannot be read: {problem}", path=str(path)) from problem
    return profile


def _which(command: str, environment: Mapping[str, str]) -> Path | None:
    # Only absolute folders: what lies in the current one, perhaps a workspace, is not an installed agent.
    folders = [name for name in environment.get("PATH", os.defpath).split(os.pathsep) if name.startswith("/")]
    found = shutil.which(command, path=os.pathsep.join(folders)) if "/" not in command else shutil.which(command)
    return Path(os.path.abspath(found)) if found else None


def _version(profile: AgentProfile, found: Path, environment: Mapping[str, str] | None) -> str | None:
    if not profile.version_command:
        return None
    path = {} if environment is None else {"PATH": environment.get("PATH", os.defpath)}
    outcome = run_child(
        (str(found), *profile.version_command[1:]),
        cwd=Path("/"),
        environment=scrubbed_environment(path),
        timeout_s=_VERSION_LIMIT_S,
        should_abort=lambda: False,
        on_output=lambda chunk: None,
    )
    version = _VERSION.search(outcome.output) if outcome.exit_code == 0 else None
    return version.group().decode() if version else None
