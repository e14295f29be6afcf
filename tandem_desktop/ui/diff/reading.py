"""How a person likes to read changes: chosen once in any diff, followed by all, kept for the next time."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from tandem_desktop.ui.diff.look import FEWEST, Whitespace
from tandem_desktop.ui.words import later

WHOLE_FILE = 1_000_000_000
"""So many lines around a change that no file has more."""
CONTEXTS = (
    (FEWEST, later("3 lines")),
    (10, later("10 lines")),
    (25, later("25 lines")),
    (WHOLE_FILE, later("the whole file")),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What holds for every diff."""

    splits: bool = True
    wraps: bool = False
    whitespace: str = Whitespace.CHANGED.name
    context: int = FEWEST
    """Unchanged lines around each change."""

    @classmethod
    def remembered(cls, kept: object) -> "Reading":
        """Whatever can be understood of what was kept; the usual for the rest."""
        usual = cls()
        if not isinstance(kept, Mapping):
            return usual
        fitting: dict[str, Any] = {
            name: kept[name] for name, value in asdict(usual).items() if type(kept.get(name)) is type(value)
        }
        found = replace(usual, **fitting)
        is_known = found.whitespace in Whitespace.__members__
        return found if is_known and found.context >= FEWEST else usual


class ReadingHabits(QObject):
    """One for a window; views learn from it and teach it."""

    changed = Signal(object)
    """The `Reading` that holds from now on."""

    def __init__(
        self, reading: Reading | None = None, keep: Callable[[dict[str, Any]], object] = lambda kept: None
    ) -> None:
        super().__init__()
        self.reading = reading or Reading()
        self._keep = keep

    def learn(self, reading: Reading) -> None:
        if reading != self.reading:
            self.reading = reading
            self._keep(asdict(reading))
            self.changed.emit(reading)
