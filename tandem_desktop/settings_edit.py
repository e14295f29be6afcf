"""Writes single settings to the user's settings file."""

from pathlib import Path
from typing import Any

import tomlkit
from pydantic import ValidationError
from tomlkit.exceptions import TOMLKitError

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.settings import Settings
from tandem_desktop.settings_io import load_settings
from tandem_desktop.storage import atomic
from tandem_desktop.storage.errors import writing


def save_setting(config: Path, field: str, value: Any) -> Settings:
    """The settings with one field changed; a value that is its default is taken out of the file.

    Comments, order and everything the file says beside this field stay.

    Raises:
        BadInputError: the file cannot be understood, or the value does not fit the field; nothing was written.
        StorageError: the file cannot be written.
    """
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
    if getattr(changed, field) == Settings.model_fields[field].get_default():
        document.pop(field, None)
    else:
        document[field] = changed.model_dump(mode="json")[field]
    with writing(config):
        config.parent.mkdir(parents=True, exist_ok=True)
        atomic.replace(config.resolve(), tomlkit.dumps(document).encode())
    return changed
