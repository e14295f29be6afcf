"""The usual places of keys, passwords and control sockets, which no agent may look into."""

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tandem_desktop.storage.resources import resource


def secret_places(home: Path) -> tuple[Path, ...]:
    """Those that exist, with the person's home at `home`; links are named by what they lead to."""
    inside, outside = _patterns()
    found = (*_existing(home, inside), *_existing(Path("/"), tuple(name.removeprefix("/") for name in outside)))
    return tuple(dict.fromkeys(found))


@cache
def _patterns() -> tuple[tuple[str, ...], tuple[str, ...]]:
    data = tomllib.loads(resource("secret_places.toml").read_text(encoding="utf-8"))
    return tuple(data["home"]), tuple(data["system"])


def _existing(base: Path, patterns: tuple[str, ...]) -> Iterator[Path]:
    for pattern in patterns:
        for place in base.glob(pattern) if "*" in pattern else (base / pattern,):
            try:
                yield place.resolve(strict=True)
            except (OSError, RuntimeError):
                continue
