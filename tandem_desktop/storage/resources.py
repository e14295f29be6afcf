"""Bundled data by name: prompts, agents, hazards, icons, themes and the changelog, installed or in a checkout."""

import sys
from pathlib import Path

CHANGELOG = "CHANGELOG.md"
_PACKAGE = Path(__file__).resolve().parent.parent


def resource(name: str) -> Path:
    """The path of one bundled file, such as `hazards.toml`.

    Raises:
        FileNotFoundError: nothing of this name is bundled.
    """
    for path in (*(folder / name for folder in _folders()), *_beside(name)):
        if path.exists():
            return path
    raise FileNotFoundError(f"no bundled resource is called {name}")


def _folders() -> tuple[Path, ...]:
    frozen = getattr(sys, "_MEIPASS", None)
    bundled = (Path(frozen) / "resources",) if frozen else ()
    return (*bundled, _PACKAGE / "_resources", _PACKAGE.parent / "resources")


def _beside(name: str) -> tuple[Path, ...]:
    """The changelog stands at the top of a checkout, where people look for it; only the wheel has it among the rest."""
    return (_PACKAGE.parent / name,) if name == CHANGELOG else ()
