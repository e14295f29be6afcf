"""Agents a person adds: one TOML file for each, in the form of the bundled profiles."""

import json
import logging
import re
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic_core import ValidationError

from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.errors import BadInputError, TandemError
from tandem_desktop.domain.paths import shown
from tandem_desktop.domain.strict_json import ambiguity
from tandem_desktop.settings_io import MAX_BYTES, config_directory, read_small_file
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.errors import writing

FOLDER = "agents"
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_BETWEEN = re.compile(r"[^a-z0-9]+")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HOME_VARIABLES = frozenset(("HOME", "PATH", "LD_PRELOAD", "LD_LIBRARY_PATH"))
"""What the sandbox decides; no profile of a person sets these."""
_RUNNERS = {"npx": ("npx", "--yes"), "uvx": ("uvx",)}
_INSTALLS = {"npx": "npm install -g {}", "uvx": "uv tool install {}"}
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Registered:
    """What an entry of a registry file became: a profile, or the reason why there is none."""

    name: str
    profile: AgentProfile | None = None
    reason: str = ""


def own_agents_folder() -> Path:
    return config_directory() / FOLDER


def own_profiles() -> tuple[AgentProfile, ...]:
    """The profiles a person added. One that cannot be read is left out, logged, and named by `tandem doctor`."""
    found = []
    for path in _files():
        try:
            found.append(read_own_profile(path))
        except TandemError as error:
            _log.warning("agent left out: %s", error.message)
    return tuple(found)


def unreadable_profiles() -> tuple[TandemError, ...]:
    """Why profiles of a person are left out."""
    errors: list[TandemError] = []
    for path in _files():
        try:
            read_own_profile(path)
        except TandemError as error:
            errors.append(error)
    return tuple(errors)


def read_own_profile(path: Path) -> AgentProfile:
    """One profile.

    Raises:
        BadInputError: it is not a profile, or asks for more than a profile may.
    """
    text = read_small_file(path, follow_links=True)
    if text is None:
        raise BadInputError(f"There is no agent profile {path}.", path=str(path), next="See: tandem agents")
    try:
        profile = AgentProfile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise _refused(path, f"it is not valid TOML: {error}") from None
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise _refused(path, f"`{shown(place)}`: {problem['msg'][0].lower()}{problem['msg'][1:]}") from None
    if reason := _misfit(profile, path.stem):
        raise _refused(path, reason)
    return profile


def add_profile(profile: AgentProfile, taken: Collection[str], *, replace: bool = False) -> Path:
    """Keep a profile; the file it is in now.

    Raises:
        BadInputError: the name is not allowed or taken, or the profile asks for more than one may.
        StorageError: the file cannot be written.
    """
    if profile.name in taken:
        raise BadInputError(
            f"An agent called {profile.name} comes with Tandem.", next="Give yours another name.", path=profile.name
        )
    path = own_agents_folder() / f"{profile.name}.toml"
    if reason := _misfit(profile, profile.name):
        raise BadInputError(f"The agent {shown(profile.name)} was not added: {reason}.", next="Correct that.")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if replace:
            atomic.replace(path, _as_toml(profile))
        else:
            try:
                atomic.create(path, _as_toml(profile))
            except FileExistsError:
                raise BadInputError(
                    f"You have an agent called {profile.name} already.",
                    path=str(path),
                    next=f"Edit that file, or: tandem agents remove {profile.name}",
                ) from None
    return path


def remove_profile(name: str) -> Path:
    """Forget a profile; its private home with its log-in stays.

    Raises:
        BadInputError: there is none of this name.
    """
    path = own_agents_folder() / f"{name}.toml"
    if not _NAME.fullmatch(name) or not path.is_file():
        raise BadInputError(f"You have added no agent called {shown(name)}.", next="See: tandem agents")
    with writing(path):
        syscalls.unlink(str(path))
    return path


def name_from_title(title: str) -> str:
    """`my-agent` of *My agent*; empty where no letter or digit is left."""
    return _BETWEEN.sub("-", title.lower()).strip("-")[:40].strip("-")


def profile_of_command(
    name: str, words: Sequence[str], *, title: str = "", env: Sequence[str] = (), credentials: Sequence[str] = ()
) -> AgentProfile:
    """A profile for a command that speaks the protocol."""
    return AgentProfile(
        name=name,
        title=title or name,
        command=tuple(words),
        env=tuple(env),
        credentials=tuple(credentials),
        needs=f"Log in with {words[0]} in a terminal, where it needs a log-in." if credentials else "",
        known="Added by you. It is started in the mode it chooses itself.",
    )


def read_registry(data: bytes, where: str) -> tuple[Registered, ...]:
    """The entries of a registry of agents in the JSON of the Agent Client Protocol.

    Raises:
        BadInputError: it is no such file.
    """
    if unclear := ambiguity(data):
        raise BadInputError(f"{where} cannot be read: {unclear}.", path=where, next="Give a registry file, in JSON.")
    listed = json.loads(data)
    entries = listed.get("agents") if isinstance(listed, dict) else None
    if isinstance(listed, dict) and entries is None and "distribution" in listed:
        entries = [listed]
    if not isinstance(entries, list):
        raise BadInputError(
            f"{where} lists no agents.", path=where, next="Give the registry.json, or the agent.json, of a registry."
        )
    return tuple(_registered(entry) for entry in entries)


def _registered(entry: Any) -> Registered:
    name = entry.get("id") if isinstance(entry, dict) else None
    if not isinstance(name, str):
        return Registered("?", reason="it has no id")
    distribution = entry.get("distribution")
    for runner, command in _RUNNERS.items():
        package = distribution.get(runner) if isinstance(distribution, dict) else None
        if isinstance(package, dict) and isinstance(package.get("package"), str):
            return _packaged(name, entry, runner, (*command, package["package"], *_texts(package.get("args"))), package)
    return Registered(name, reason="it is given as an archive only; install it, then add its command")


def _packaged(
    name: str, entry: dict[str, Any], runner: str, command: tuple[str, ...], package: dict[str, Any]
) -> Registered:
    given = package.get("env")
    variables = {str(key): value for key, value in given.items()} if isinstance(given, dict) else {}
    title = entry.get("name")
    try:
        profile = AgentProfile(
            name=name,
            title=title if isinstance(title, str) and title else name,
            command=command,
            env=tuple(key for key, value in variables.items() if not value),
            set_env={key: str(value) for key, value in variables.items() if value},
            needs="Its package is fetched at the first start, which needs the setting package_registries.",
            install=_INSTALLS[runner].format(package["package"]),
            known="From a registry of agents. It is started in the mode it chooses itself.",
        )
    except ValidationError as error:
        return Registered(name, reason=error.errors(include_url=False)[0]["msg"])
    reason = _misfit(profile, name)
    return Registered(name, None if reason else profile, reason)


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(str(value) for value in values) if isinstance(values, list) else ()


def _misfit(profile: AgentProfile, name: str) -> str:
    """What a profile of a person may not be."""
    if not _NAME.fullmatch(profile.name) or profile.name == "custom" or profile.name.startswith("custom-"):
        return f"`{shown(profile.name)}` is no name; use lower-case letters, digits and hyphens"
    if profile.name != name:
        return f"it is called `{shown(profile.name)}`, and its file is not"
    if not profile.command or not all(profile.command):
        return "it names no command"
    if not all(text.isprintable() for text in (profile.title, *profile.command)):
        return "its title or command has a character that cannot be seen"
    for file in profile.credentials:
        place = PurePosixPath(file)
        if not file or place.is_absolute() or ".." in place.parts or "\0" in file:
            return f"`credentials` names files below your home, and `{shown(file)}` is none"
    for variable in (*profile.env, *profile.set_env):
        if not _VARIABLE.fullmatch(variable) or variable in _HOME_VARIABLES:
            return f"`{shown(variable)}` is no variable that an agent may be given"
    return ""


def _files() -> list[Path]:
    folder = own_agents_folder()
    return sorted(folder.glob("*.toml")) if folder.is_dir() else []


def _refused(path: Path, reason: str) -> BadInputError:
    return BadInputError(
        f"The agent profile {path} cannot be used: {reason}.", path=str(path), next="Correct the file, or remove it."
    )


def _as_toml(profile: AgentProfile) -> bytes:
    import tomlkit  # only needed to save, and slow to load

    document = tomlkit.document()
    for field, value in profile.model_dump(mode="json", exclude_defaults=True).items():
        document[field] = value
    data = tomlkit.dumps(document).encode()
    if len(data) > MAX_BYTES:
        raise BadInputError(f"The agent {profile.name} has {len(data):,} bytes.", next=f"At most {MAX_BYTES:,} fit.")
    return data
