"""What every helper of the window that carries out a person's wish tells of it."""

from PySide6.QtCore import QObject, Signal


class Wishes(QObject):
    """Hands wishes to the workroom and says what came of them; whoever shows plans and words listens."""

    changed = Signal()
    """Plans or runs are no longer what the panel shows."""
    said = Signal(str, str)
    """Words about what has just happened, and their tone."""
    failed = Signal(object)
    """A `TandemError`."""

    def report_to(self, above: "Wishes") -> None:
        """What is told here is told there."""
        self.changed.connect(above.changed)
        self.said.connect(above.said)
        self.failed.connect(above.failed)
