"""Loads user settings and the stricter workspace settings, and saves single settings."""

import errno
import json
import logging
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem_desktop.domain.errors import BadInputError, StorageError
from tandem_desktop.domain.paths import shown
from tandem_desktop.storage import atomic
from tandem_desktop.storage.errors import writing
from tandem_desktop.storage.paths import xdg_directory

if TYPE_CHECKING:
    from tandem_desktop.settings import Settings

_log = logging.getLogger(__name__)

CONFIG_DIR_VARIABLE = "TANDEM_CONFIG_DIR"
SETTINGS_FILE = "settings.toml"
WORKSPACE_FILE = "plans.json"
MAX_BYTES = 1024 * 1024

LOWERED: tuple[str, ...] = ("stale_after_days", "gateway_stale_after_days", "executor_timeout_minutes")
"""Numbers a workspace may make smaller."""
RAISED: tuple[str, ...] = ("retention_days",)
"""Numbers a workspace may make larger: a smaller one would shorten the time in which a run can be undone."""
_MOST = 36_500
RENAMED = {"minds": "advisors"}
"""Old names of settings, which a file may still use."""
RENAMED_VALUES = {("commands_while_planning", "rehearse"): "run"}
"""Old values of settings, likewise."""
GUARDED = "guardedTools"
"""Names a workspace may add to."""


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The effective settings, and warnings about workspace settings that were ignored."""

    settings: "Settings"
    warnings: tuple[str, ...] = ()


def config_directory() -> Path:
    """`TANDEM_CONFIG_DIR`, or the platform's place for configuration."""
    if chosen := os.environ.get(CONFIG_DIR_VARIABLE):
        return Path(chosen).absolute()
    if (found := xdg_directory("XDG_CONFIG_HOME", ".config")) is not None:
        return found
    import platformdirs

    return Path(platformdirs.user_config_dir("tandem-desktop", appauthor=False))


def has_settings(config: Path, workspace_file: Path) -> bool:
    """Whether there is a file to load; without one everything has its default, and nothing has to be checked."""
    return any(map(_is_there, (config, workspace_file)))


def _is_there(path: Path) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # loading it says why it cannot be read
    return True


def load_settings(config: Path, workspace_file: Path | None = None) -> LoadedSettings:
    """The settings in the TOML file `config`, tightened by the workspace's `.tandem/plans.json` where there is one.

    A file that does not exist changes nothing.

    Raises:
        BadInputError: a file cannot be understood; the sentence names the file, the line or field, and what to do.
    """
    settings = _from_toml(config)
    if _log.isEnabledFor(logging.DEBUG):
        _log.debug("settings loaded: %s, %s", config, ", ".join(sorted(settings.model_fields_set)) or "defaults")
    if workspace_file is None:
        return LoadedSettings(settings)
    loaded = _tightened(settings, workspace_file)
    if loaded.settings is not settings or loaded.warnings:
        _log.debug("settings tightened: %s, fields ignored %d", workspace_file, len(loaded.warnings))
    return loaded


def _from_toml(path: Path) -> "Settings":
    # Slow to load, and not needed where no settings are.
    import tomllib

    from pydantic_core import ValidationError

    from tandem_desktop.settings import Settings

    text = read_small_file(path, follow_links=True)
    if text is None:
        return Settings()
    try:
        return Settings.model_validate(_with_new_names(tomllib.loads(text)))
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(
            f"The settings file {path} is not valid TOML: {error}.", path=str(path), next="Correct that line."
        ) from None
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in problem["loc"])
        raise _bad_field(path, text, field, problem["type"] == "extra_forbidden", problem["msg"]) from None


def _with_new_names(fields: dict[str, Any]) -> dict[str, Any]:
    """An old name next to the new one stays and is refused as unknown."""
    named = {name if (new := RENAMED.get(name, name)) in fields else new: value for name, value in fields.items()}
    return named | {name: new for (name, old), new in RENAMED_VALUES.items() if named.get(name) == old}


def _bad_field(path: Path, text: str, field: str, unknown: bool, message: str) -> BadInputError:
    first = field.partition(".")[0]
    names = "|".join(re.escape(name) for name in (first, *(old for old, new in RENAMED.items() if new == first)))
    line = re.compile(rf"^\s*(?:\[+\s*)?[\"']?(?:{names})[\"']?\s*[=.\]]", re.MULTILINE).search(text)
    place = f", line {text.count(chr(10), 0, line.end()) + 1}" if line else ""
    if unknown:
        from tandem_desktop.settings import Settings

        known = ", ".join(Settings.model_fields)
        said, advice = f"the field `{shown(field)}` is not known", f"Remove it, or use one of: {known}."
    else:
        said, advice = f"`{shown(field)}`: {message[0].lower()}{message[1:]}", f"Correct `{shown(field)}`."
    return BadInputError(f"The settings file {path}{place}: {said}.", path=str(path), next=advice)


def _tightened(settings: "Settings", path: Path) -> LoadedSettings:
    text = read_small_file(path, follow_links=False)
    if text is None:
        return LoadedSettings(settings)
    fields = _workspace_fields(path, text)
    warnings: list[str] = []
    update: dict[str, Any] = {}
    for field, value in fields.items():
        if field == GUARDED:
            added = _names(path, value)
            update["guarded_tools"] = tuple(dict.fromkeys((*settings.guarded_tools, *added)))
        elif field in (*LOWERED, *RAISED):
            number, limit = _number(path, field, value), getattr(settings, field)
            if number <= limit if field in LOWERED else limit <= number <= _MOST:
                update[field] = number
            else:
                way = "lower it" if field in LOWERED else f"raise it, to {_MOST} at most"
                warnings.append(
                    f"{path}: `{field}` = {number} is ignored: a workspace may only {way}, and it is {limit}."
                )
        else:
            tighten = ", ".join((GUARDED, *LOWERED, *RAISED))
            warnings.append(f"{path}: `{shown(field)}` is ignored: a workspace may only tighten {tighten}.")
    return LoadedSettings(settings.model_copy(update=update), tuple(warnings))


def _workspace_fields(path: Path, text: str) -> dict[str, Any]:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        where = f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else "it cannot be read"
        raise BadInputError(
            f"{path} is not valid JSON, {where}.", path=str(path), next="Correct that line, or remove the file."
        ) from None
    if not isinstance(fields, dict):
        raise BadInputError(f"{path} must hold a JSON object.", path=str(path), next="Correct or remove the file.")
    return fields


def _names(path: Path, value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(name, str) and name for name in value):
        return tuple(value)
    raise BadInputError(
        f"{path}: `{GUARDED}` must be a list of tool names.", path=str(path), next=f"Correct `{GUARDED}`."
    )


def _number(path: Path, field: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    raise BadInputError(
        f"{path}: `{field}` must be a whole number from 1.", path=str(path), next=f"Correct `{field}`, or remove it."
    )


def read_small_file(path: Path, *, follow_links: bool) -> str | None:
    """The text of a small regular file, or None if there is none; does not block on a pipe."""
    flags = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0)
    try:
        fd = os.open(path, flags | (0 if follow_links else getattr(os, "O_NOFOLLOW", 0)))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        reason = "it is a link" if error.errno == errno.ELOOP else error.strerror
        raise StorageError(f"{path} cannot be read: {reason}.", path=str(path), next="Correct or remove it.") from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise BadInputError(f"{path} is not a file.", path=str(path), next="Move it away.")
    with open(fd, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise BadInputError(f"{path} has more than {MAX_BYTES:,} bytes.", path=str(path), next="Shorten it.")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInputError(
            f"{path}, line {line}: this is not UTF-8.", path=str(path), next="Save it as UTF-8."
        ) from None


def save_setting(config: Path, field: str, value: Any) -> "Settings":
    """Save one setting and return the new settings; a default value is removed from the file.

    Comments, order and other content of the file stay.

    Raises:
        BadInputError: the file cannot be understood, or the value does not fit the field; nothing was written.
        StorageError: the file cannot be written.
    """
    import tomlkit  # only needed to save, and slow to load
    from pydantic_core import ValidationError
    from tomlkit.exceptions import TOMLKitError

    from tandem_desktop.settings import Settings

    settings = load_settings(config).settings
    try:
        changed = Settings.model_validate({**settings.model_dump(), field: value})
    except ValidationError as error:
        reason = error.errors(include_url=False)[0]["msg"]
        raise BadInputError(f"{field}: {reason[0].lower()}{reason[1:]}.", next="Nothing was changed.") from None
    try:
        document = tomlkit.parse(config.read_text(encoding="utf-8") if config.is_file() else "")
    except TOMLKitError as error:
        raise BadInputError(f"{config}: {error}.", path=str(config), next="Correct the file by hand.") from None
    for old in (old for old, new in RENAMED.items() if new == field):
        document.pop(old, None)
    if getattr(changed, field) == Settings.model_fields[field].get_default():
        document.pop(field, None)
    else:
        document[field] = changed.model_dump(mode="json")[field]
    with writing(config):
        config.parent.mkdir(parents=True, exist_ok=True)
        atomic.replace(config.resolve(), tomlkit.dumps(document).encode())
    return changed
