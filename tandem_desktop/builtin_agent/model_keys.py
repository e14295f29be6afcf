"""The keys of models: in the person's keyring, or in a file only they can read where there is none."""

import json
from pathlib import Path

from tandem_desktop.settings_io import config_directory, read_small_file
from tandem_desktop.storage import atomic
from tandem_desktop.storage.errors import writing

KEYRING_SERVICE = "tandem-desktop"
KEYS_FILE = "model-keys.json"


def key_name(provider: str, address: str | None) -> str:
    """What the key of a provider is called; each address of a server has its own."""
    return f"{provider} {address}" if address else provider


def read_key(service: str, name: str) -> str | None:
    """The person's key; None where there is none."""
    import keyring
    from keyring.errors import KeyringError

    try:
        found = keyring.get_password(service, name)
    except KeyringError:
        found = None
    return found or _in_file().get(name)


def save_key(name: str, key: str) -> Path | None:
    """Keep a key, an empty one to forget it; returns the file it is in, None for the keyring.

    Raises:
        StorageError: the file cannot be written.
    """
    import keyring
    from keyring.errors import KeyringError, PasswordDeleteError

    kept = _in_file()
    try:
        if key:
            keyring.set_password(KEYRING_SERVICE, name, key)
        else:
            keyring.delete_password(KEYRING_SERVICE, name)
    except PasswordDeleteError:
        pass  # there was none
    except KeyringError:
        _write({**kept, name: key})
        return keys_file() if key else None
    if name in kept:
        _write({**kept, name: ""})
    return None


def has_keyring() -> bool:
    """Whether there is a keyring on this machine; what is in it is not looked at."""
    import keyring
    from keyring.backends.fail import Keyring as NoKeyring

    return not isinstance(keyring.get_keyring(), NoKeyring)


def keys_file() -> Path:
    return config_directory() / KEYS_FILE


def _write(keys: dict[str, str]) -> None:
    file = keys_file()
    with writing(file):
        atomic.make_directory(file.parent)
        data = json.dumps({name: key for name, key in keys.items() if key}, indent=2)
        atomic.replace(file, data.encode(), mode=0o600)


def _in_file() -> dict[str, str]:
    text = read_small_file(keys_file(), follow_links=True)
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return {name: key for name, key in found.items() if isinstance(key, str)} if isinstance(found, dict) else {}
