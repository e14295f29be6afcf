"""What is new: what the changelog says of the versions since a window was last opened here."""

import re
from collections.abc import Iterator
from pathlib import Path

from tandem_desktop import __version__
from tandem_desktop.storage import atomic
from tandem_desktop.storage.resources import CHANGELOG, resource

LAST_VERSION = "last-version"
"""In the state folder: the version whose window was opened last."""
_UNRELEASED = "Unreleased"
_HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\].*$", re.MULTILINE)


def notes_since(changelog: str, version: str, since: str = "") -> str:
    """The words about `version` and, with `since`, about every version between the two; newest first.

    A version that is not out yet stands under *Unreleased*.
    """
    sections = dict(_sections(changelog))
    own = sections.get(version) or sections.get(_UNRELEASED, "")
    if not since:
        return own
    between = [each for each in sections if _order(since) < _order(each) < _order(version)]
    return "\n\n".join((own, *(f"## {each}\n\n{sections[each]}" for each in between if sections[each]))).strip()


def is_newer(version: str, than: str) -> bool:
    """Not known when `than` is no version at all."""
    return () < _order(than) < _order(version)


class UpdateNotes:
    """Knows which version was here before; says what is new exactly once."""

    def __init__(self, state: Path, version: str = __version__, changelog: str | None = None) -> None:
        self.version = version
        self._file = state / LAST_VERSION
        self._changelog = changelog
        self._since = ""

    @property
    def text(self) -> str:
        """What is new in this version, or since the one that was here before."""
        try:
            changelog = resource(CHANGELOG).read_text("utf-8") if self._changelog is None else self._changelog
        except OSError:
            return ""
        return notes_since(changelog, self.version, self._since)

    def has_come(self) -> bool:
        """Whether a newer version is opened for the first time; never the first time of all, never twice."""
        before = self._last()
        if before == self.version:
            return False
        try:
            atomic.make_directory(self._file.parent, mode=0o700)
            atomic.replace(self._file, self.version.encode(), mode=0o600)
        except OSError:  # it would be told again and again
            return False
        self._since = before if is_newer(self.version, before) else ""
        return bool(self._since and self.text)

    def _last(self) -> str:
        try:
            return self._file.read_text("utf-8", "replace").strip()
        except OSError:
            return ""


def _sections(changelog: str) -> Iterator[tuple[str, str]]:
    headings = list(_HEADING.finditer(changelog))
    ends = [*(each.start() for each in headings), len(changelog)][1:]
    for heading, end in zip(headings, ends, strict=True):
        yield heading["version"], changelog[heading.end() : end].strip()


def _order(version: str) -> tuple[int, ...]:
    """By its numbers; what follows them, such as `rc1`, does not count."""
    numbers = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, numbers[0].split("."))) if numbers else ()
