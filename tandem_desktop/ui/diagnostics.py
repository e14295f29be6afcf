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
"""Shorter environment values are not redacted: they may be ordinary words."""


def diagnostics(facts: AboutFacts, settings: str, lines: Iterable[LogLine]) -> str:
    """The report before redaction."""
    last = [*map(str, lines)][-LAST_LINES:]
    return "\n".join((facts.report(), "# Settings", settings.strip() or "(none)", "", "# Log", *last, ""))


def blacked_out(text: str, home: Path, environment: Mapping[str, str]) -> str:
    """Redact secrets by name, by shape and by value, and shorten the home folder to `~`."""
    is_secret = re.compile(rf"(?i)^{_NAMES}$")
    values = {value for name, value in environment.items() if is_secret.match(name) and len(value) >= _SHORTEST}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, _GONE)
    text = _SHAPED.sub(_GONE, _NAMED.sub(rf"\g<1>{_GONE}", text))
    return text.replace(str(home), "~")


LAST_VERSION = "last-version"
"""File in the state folder: the version that was opened last."""
_UNRELEASED = "Unreleased"
_HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\].*$", re.MULTILINE)


def notes_since(changelog: str, version: str, since: str = "") -> str:
    """The notes of `version` and, with `since`, of every version after `since`; newest first.

    An unreleased version is found under *Unreleased*.
    """
    sections = dict(_sections(changelog))
    own = sections.get(version) or sections.get(_UNRELEASED, "")
    if not since:
        return own
    between = [each for each in sections if _order(since) < _order(each) < _order(version)]
    return "\n\n".join((own, *(f"## {each}\n\n{sections[each]}" for each in between if sections[each]))).strip()


def is_newer(version: str, than: str) -> bool:
    """False if `than` is not a version."""
    return () < _order(than) < _order(version)


class UpdateNotes:
    """Shows the release notes once after each update."""

    def __init__(self, state: Path, version: str = __version__, changelog: str | None = None) -> None:
        self.version = version
        self._file = state / LAST_VERSION
        self._changelog = changelog
        self._since = ""

    @property
    def text(self) -> str:
        """The notes of this version, or of all since the previous one."""
        try:
            changelog = resource(CHANGELOG).read_text("utf-8") if self._changelog is None else self._changelog
        except OSError:
            return ""
        return notes_since(changelog, self.version, self._since)

    def has_come(self) -> bool:
        """Whether this is the first start after an update; False on the very first start."""
        before = self._last()
        if before == self.version:
            return False
        try:
            atomic.make_directory(self._file.parent, mode=0o700)
            atomic.replace(self._file, self.version.encode(), mode=0o600)
        except OSError:  # otherwise the notes would be shown at each start
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
    """The numbers of a version as a sort key; a suffix such as `rc1` is ignored."""
    numbers = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, numbers[0].split("."))) if numbers else ()
