"""All a stranger needs to understand a fault, in one text: versions, settings and the last of the log, blacked out."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from tandem_desktop.storage.logbook import LogLine
from tandem_desktop.ui.about_facts import AboutFacts

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
