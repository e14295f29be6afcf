"""Version and component information."""

import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from PySide6.QtCore import qVersion

from tandem_desktop import __version__
from tandem_desktop.ui.i18n import later, tr

_FACES = (("Inter", "", "OFL-1.1"), ("JetBrains Mono", "", "OFL-1.1"))
_OWN = "tandem-desktop"
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
"""The distribution's name in a requirement: `pathspec` in `pathspec>=1.0`."""
_LONGEST_LICENCE = 60
"""A longer value is the text of the licence, not its name."""


@dataclass(frozen=True, slots=True)
class Component:
    """An installed dependency."""

    name: str
    version: str
    licence: str


@dataclass(frozen=True, slots=True)
class AboutFacts:
    """Version, components and folders. No secrets, but paths in the home folder."""

    versions: tuple[tuple[str, str], ...]
    places: tuple[tuple[str, Path], ...]
    parts: tuple[Component, ...]

    def report(self) -> str:
        """The facts as text for a bug report."""
        lines = [f"{name}: {value}" for name, value in (*self.versions, *self.places)]
        parts = ", ".join(f"{part.name} {part.version}".strip() for part in self.parts)
        return "\n".join((*lines, f"Parts: {parts}", ""))


def about_facts(places: tuple[tuple[str, Path], ...]) -> AboutFacts:
    """Collect the facts from the installed distributions."""
    versions = (
        ("Tandem Desktop", __version__),
        ("Qt", qVersion()),
        ("Python", platform.python_version()),
        (later("System"), platform.platform(terse=True)),
    )
    faces = (Component(*face) for face in _FACES)
    return AboutFacts(versions, places, (*faces, *sorted(_parts(), key=lambda part: part.name.casefold())))


def _parts() -> Iterator[Component]:
    """The installed dependencies; a frozen bundle may lack their metadata."""
    try:
        wanted = metadata.requires(_OWN) or []
    except metadata.PackageNotFoundError:
        return
    for name in dict.fromkeys(_name(each) for each in wanted if _is_shipped(each)):
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        yield Component(found.name, found.version, _licence(found))


def _name(requirement: str) -> str:
    found = _NAME.match(requirement)
    return found[0] if found else requirement


def _is_shipped(requirement: str) -> bool:
    extra = requirement.partition("extra ==")[2].strip(" '\"")
    return not extra or extra in ("gui", "agent", "api", "mcp")


def _licence(found: metadata.Distribution) -> str:
    said = found.metadata
    short = next((said[key] for key in ("License-Expression", "License") if key in said), "")
    if short and len(short) < _LONGEST_LICENCE:
        return short.strip()
    classifiers = said.get_all("Classifier") or ()
    named = [each.rpartition("::")[2].strip() for each in classifiers if each.startswith("License ::")]
    return ", ".join(named) or tr("see its own license files")
