"""Bundled data by name: prompts, agents, hazards, icons and themes, installed or in a checkout."""

import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def resource(name: str) -> Path:
    """The path of one bundled file, such as `hazards.toml`.

    Raises:
        FileNotFoundError: nothing of this name is bundled.
    """
    for folder in _folders():
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(f"no bundled resource is called {name}")


def _folders() -> tuple[Path, ...]:
    frozen = getattr(sys, "_MEIPASS", None)
    bundled = (Path(frozen) / "resources",) if frozen else ()
    return (*bundled, _PACKAGE / "_resources", _PACKAGE.parent / "resources")
