"""Which rows of a list have to be painted again, so that one result among ten thousand does not paint a whole page."""

from tandem_desktop.ui.plan.row_geometry import RowPlaces


class TouchedRows:
    """Gathers until the list has worked out its places anew."""

    def __init__(self) -> None:
        self._rows: set[int] = set()
        self._all = False

    def note(self, first: int, last: int) -> None:
        if first == last:
            self._rows.add(first)
        else:
            self._all = True

    def note_all(self) -> None:
        self._all = True

    def take(self, before: RowPlaces, now: RowPlaces) -> set[int] | None:
        """The rows, with what came to the end of the list; nothing where all have to be painted."""
        rows, everything = self._rows, self._all or not now.continues(before)
        self._rows, self._all = set(), False
        return None if everything else rows | set(range(before.count, now.count))
