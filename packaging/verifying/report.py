"""What was checked and how it ended: a row at once, and all of them as one short table at the end."""

import sys
import time
from collections.abc import Callable


class CheckError(Exception):
    """A promise of the package that does not hold; the message says which."""


class Report:
    """Rows in the order they came. A failed check does not stop the others."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, str, str]] = []
        self.is_good = True

    def row(self, what: str, found: str, *, is_good: bool = True) -> None:
        self._rows.append(("ok" if is_good else "FAILED", what, found))
        self.is_good = self.is_good and is_good
        sys.stderr.write(f"{self._rows[-1][0]:<7}{what}: {found}\n")

    def at_most(self, what: str, value: float, limit: float, unit: str) -> None:
        self.row(what, f"{value:.4g} {unit} (at most {limit:g})", is_good=value <= limit)

    def check(self, what: str, doing: Callable[[], str]) -> None:
        """Do it; what it answers is the finding, what it raises is the failure."""
        started = time.monotonic()
        try:
            self.row(what, f"{doing()}  [{time.monotonic() - started:.0f} s]")
        except Exception as error:  # whatever went wrong is a finding, and the rest is looked at too
            self.row(what, f"{type(error).__name__}: {error}", is_good=False)

    def table(self) -> str:
        width = max(len(what) for _, what, _ in self._rows)
        return "\n".join(f"{state:<7}{what:<{width}}  {found}" for state, what, found in self._rows)
