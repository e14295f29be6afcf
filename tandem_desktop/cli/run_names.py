"""From what a person types to one run."""

import re
from collections.abc import Iterable

from tandem_desktop.domain.errors import RunNotFoundError
from tandem_desktop.domain.paths import shown

_BEGINNING = re.compile(r"(?:RUN-)?([0-9a-f]{4,8})", re.IGNORECASE)


def resolve_run(text: str, runs: Iterable[str]) -> str:
    """The one run whose digits begin like this.

    Raises:
        RunNotFoundError: none or several do.
    """
    beginning = _BEGINNING.fullmatch(text.strip())
    found = [run for run in runs if beginning and run.startswith(f"RUN-{beginning[1].lower()}")]
    if len(found) == 1:
        return found[0]
    if found:
        raise RunNotFoundError(f"{shown(text)} fits {len(found)} runs.", next="Give more digits of the id.")
    raise RunNotFoundError(f"There is no run {shown(text)!r} in this workspace.", next="See them with: tandem runs")
