"""Diagnostics text for bug reports, and release notes."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tandem_desktop import __version__
from tandem_desktop.storage import atomic
from tandem_desktop.storage.logs import LogLine
from tandem_desktop.storage.paths import CHANGELOG, resource
from tandem_desktop.ui.about import AboutFacts

LAST_LINES = 500
_GONE = "[blacked out]"
_NAMES = r"[\w-]*(?:key|token|secret|password|passwd|credential|authorization|cookie)s?"
_NAMED = re.compile(rf"(?i)(\b{_NAMES}\b[\"']?\s*[:=]\s*)(?:bearer\s+)?(\"[^\"\n]*\"|'[^'\n]*'|\S+)")
_SHAPED = re.compile(
    r"(?i)\bbearer\s+\S+"
    r"|\b(?:sk|pk|rk|gh[pousr]|glpat|xox[abprs]|AKIA|AIza)[-_]?[A-Za-z0-9_-]{12,}"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
)
_SHORTEST = 8
"""A value of the environment that is shorter is a word like any other."""


def diagnostics(facts: AboutFacts, settings: str, lines: Iterable[LogLine]) -> str:
    """Not blacked out yet."""
    last = [*map(str, lines)][-LAST_LINES:]
    return "\n".join((facts.report(), "# Settings", settings.strip() or "(none)", "", "# Log", *last, ""))


def blacked_out(text: str, home: Path, environment: Mapping[str, str]) -> str:
    """Without keys, tokens and passwords, whether by their name, their shape or their value; the home is `~`."""
    is_secret = re.compile(rf"(?i)^{_NAMES}$")
    values = {value for name, value in environment.items() if is_secret.match(name) and len(value) >= _SHORTEST}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, _GONE)
    text = _SHAPED.sub(_GONE, _NAMED.sub(rf"\g<1>{_GONE}", text))
    return text.replace(str(home), "~")


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
