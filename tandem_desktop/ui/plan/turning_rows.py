"""The sign that something is under way turns in the rows where it is, and only those are painted for it."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from tandem_desktop.ui.models.staged_operations_model import StagedOperationsModel

_TURN_MS = 40
_MOST = 200


class TurningRows(QObject):
    """Knows which rows turn, and how far; `paint` is asked to paint one of them again."""

    def __init__(self, paint: Callable[[int], None], parent: QObject) -> None:
        super().__init__(parent)
        self._paint = paint
        self._rows: tuple[int, ...] = ()
        self.degrees = 0
        self._timer = QTimer(self, interval=_TURN_MS)
        self._timer.timeout.connect(self._turn_on)

    def follow(self, model: StagedOperationsModel, *, still: bool) -> None:
        """What is under way now; nothing turns where things should keep still."""
        self._rows = tuple(row for row in model.exceptional()[:_MOST] if model.row(row).is_under_way)
        if not self._rows or still:
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()

    def _turn_on(self) -> None:
        self.degrees = (self.degrees + 12) % 360
        for row in self._rows:
            self._paint(row)
