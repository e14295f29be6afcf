"""Scrolling of a diff view: by itself, or as a slice of a surface that scrolls."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt

from tandem_desktop.ui.diff.selection import line_of

if TYPE_CHECKING:
    from tandem_desktop.ui.diff.view import DiffView

Anchor = tuple[tuple[bool, int] | None, int, int]
"""The first visible line, its distance from the top, and where the view was."""


class DiffScroll:
    """Where one view is in its rows. As a slice it shows what the surface tells, and asks the surface to scroll."""

    def __init__(self, view: "DiffView") -> None:
        self._view = view
        self.page = 0
        """The height of the surface that shows slices of the view; 0 if the view scrolls by itself."""
        self._told_height = 0

    @property
    def page_height(self) -> int:
        """How much is on screen at once."""
        return self.page or self._view.viewport().height()

    def show_slice(self, area: QRect, top: int, page: int) -> None:
        """Show what begins at `top` in this area of a surface that scrolls, and is `page` pixels high."""
        view = self._view
        if not self.page:
            view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        is_new, self.page = page != self.page, page
        if area != view.geometry():
            view.setGeometry(area)
        if is_new:
            view.fit_ruler()
        self.fit()
        view.verticalScrollBar().setValue(top)

    def by(self, pixels: int) -> None:
        bar = self._view.verticalScrollBar()
        if self.page:
            self._view.scroll_requested.emit(pixels)
        else:
            bar.setValue(bar.value() + pixels)

    def to_share(self, share: float) -> None:
        """Go to a share of the whole height."""
        wanted = round(share * self._view.heights.total) - self.page_height // 2
        self.by(wanted - self._view.verticalScrollBar().value())

    def reveal(self, index: int, *, at_top: bool = False) -> None:
        """Bring a row on screen."""
        view, bar, height = self._view, self._view.verticalScrollBar(), self._view.viewport().height()
        view.measure(index, index)
        top = view.heights.top(index)
        bottom = top + view.heights.height(index)
        if self.page:
            self.tell_height(0)
            view.reveal_requested.emit(top, bottom, at_top)
        elif at_top and (top < bar.value() or bottom > bar.value() + height * 2 // 3):
            bar.setValue(top - view.display.panes.line * 2)
        elif top < bar.value():
            bar.setValue(top)
        elif bottom > bar.value() + height:
            bar.setValue(min(top, bottom - height))

    def fit(self) -> None:
        """Set the range of the vertical bar."""
        bar, line, height = (
            self._view.verticalScrollBar(),
            self._view.display.panes.line,
            self._view.viewport().height(),
        )
        bar.setRange(0, max(0, self._view.heights.total - height))
        bar.setPageStep(max(line, height - line))
        bar.setSingleStep(line)

    def fit_height(self) -> None:
        """The slice is higher or lower than before, and as wide."""
        if self._view.wraps:
            self.settle()
        self.fit()
        self._view.place_ruler()
        self.tell_height(0)

    def settle(self) -> None:
        """Measure wrapped lines that become visible; the first visible row keeps its place."""
        view, bar = self._view, self._view.verticalScrollBar()
        row = view.heights.row_at(bar.value())
        offset = bar.value() - view.heights.top(row)
        if view.measure(row, row):
            bar.blockSignals(True)
            bar.setRange(0, max(0, view.heights.total - view.viewport().height()))
            bar.setValue(view.heights.top(row) + offset)
            bar.blockSignals(False)
            self.tell_height(0)

    def anchor(self) -> Anchor:
        view, value = self._view, self._view.verticalScrollBar().value()
        index = view.heights.row_at(value)
        for place in range(index, min(index + 3, len(view.rows))):
            line = line_of(view.rows.row(place), None)
            if line is not None:
                return line, view.heights.top(place) - value, value
        return None, value, value

    def return_to(self, anchor: Anchor) -> None:
        """After another layout: the line that was the first visible one is where it was."""
        view, (line, offset, before) = self._view, anchor
        index = view.row_of(line) if line is not None else None
        wanted = before
        if index is not None:
            view.measure(index, index)
            view.fit_bars()
            wanted = view.heights.top(index) - offset
        if self.page:
            self.tell_height(0 if view.viewport().visibleRegion().isEmpty() else wanted - before)
        elif index is not None:
            view.verticalScrollBar().setValue(wanted)

    def note_height(self) -> None:
        """The surface learns the height of what is shown from now on by its layout."""
        self._told_height = self._view.full_height

    def tell_height(self, shift: int) -> None:
        height = self._view.full_height
        if self.page and (shift or height != self._told_height):
            self._told_height = height
            self._view.height_changed.emit(shift)
