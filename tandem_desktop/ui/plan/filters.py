"""What is listed of the operations: chips with counts, a search, a folder, an order."""

from collections import Counter
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QApplication, QComboBox, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from tandem_desktop.diff.text import visible_name
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.models.operation_filter import (
    FILTER_LABELS,
    SORTING_WORDS,
    Listing,
    OperationFilter,
    Sorting,
)
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import IconButton
from tandem_desktop.ui.widgets.chips import Chip, FlowRow
from tandem_desktop.ui.widgets.inputs import SearchField
from tandem_desktop.ui.widgets.labels import plain_tooltip

FEWEST_OPERATIONS = 6
"""A plan with fewer has no chips, unless some are in use."""


class OperationFilters(QWidget):
    """Chips that list what they name, each with its count; the search below them comes with Ctrl+F."""

    changed = Signal(object)
    """A `Listing`."""
    left = Signal()
    space_requested = Signal()
    """Show changes of white space again."""
    next_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._counts: Counter[OperationFilter] = Counter()
        self._total = 0
        self._compared: int | None = None
        self._chips: dict[OperationFilter, Chip] = {}
        self.listing = Listing()
        self.setAccessibleName(tr("What is listed"))
        self.more = Chip(theme, tr("More"))
        self.more.setObjectName("filter-more")
        self.more.setCheckable(True)
        self.more.clicked.connect(self._show_hidden)
        self.chips = FlowRow(theme, self.more)
        self.chips.setObjectName("filter-chips")
        self.folder = Chip(theme, "", "folder", removable=True, code=True)
        self.folder.setObjectName("filter-folder")
        self.folder.clicked.connect(lambda: self.look_under(""))
        self.folder.removed.connect(lambda: self.look_under(""))
        self.space = Chip(theme, tr("White space ignored"), "warning", removable=True)
        self.space.setObjectName("filter-space")
        self.space.setToolTip(plain_tooltip(tr("Changes of white space alone are folded, and do not count as seen.")))
        self.space.clicked.connect(self.space_requested)
        self.space.removed.connect(self.space_requested)
        self.all = Chip(theme, tr("Show all"), "cross")
        self.all.setObjectName("filter-all")
        self.all.clicked.connect(self.leave)
        self._above = QWidget()
        above = QHBoxLayout(self._above)
        Spacing(theme, above, (18, 4, 18, 6), 6)
        self._ignores_space = False
        for chip in (self.all, self.space, self.folder):
            chip.hide()
            above.addWidget(chip)
        above.addWidget(self.chips, 1)
        self.search = self._search_row(theme)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, between=0)
        layout.addWidget(self._above)
        layout.addWidget(self.search)
        self._follow()

    def _search_row(self, theme: Theme) -> QWidget:
        made = QWidget()
        made.setObjectName("operation-filter")
        self.field = SearchField(theme, tr("Filter by path, command or words"))
        self.field.setObjectName("operation-filter-text")
        self.lines = Chip(theme, tr("In changed lines"))
        self.lines.setObjectName("operation-filter-lines")
        self.lines.setCheckable(True)
        self.order = QComboBox()
        for sorting, words in SORTING_WORDS.items():
            self.order.addItem(words, sorting)
        self.order.setObjectName("operation-filter-order")
        self.order.setAccessibleName(tr("Order"))
        close = IconButton(theme, "cross", tr("Close the filter"), key="Esc")
        close.setObjectName("operation-filter-close")
        row = QHBoxLayout(made)
        Spacing(theme, row, (18, 2, 18, 6), 8)
        row.addWidget(self.field, 1)
        for each in (self.lines, self.order, close):
            row.addWidget(each)
        self.field.textChanged.connect(lambda text: self._take(replace(self.listing, text=text)))
        self.lines.toggled.connect(lambda on: self._take(replace(self.listing, in_lines=on)))
        self.order.currentIndexChanged.connect(
            lambda: self._take(replace(self.listing, sorting=Sorting(self.order.currentData())))
        )
        self.field.left.connect(self.left)
        self.field.next_requested.connect(self.next_requested)
        close.clicked.connect(self.leave)
        made.hide()
        return made

    def ask(self) -> None:
        """Open the search and go to it."""
        self.search.show()
        self.field.setFocus()
        self.field.selectAll()

    def leave(self) -> None:
        """List everything again, in the order of the plan."""
        focus = QApplication.focusWidget()
        had_keyboard = focus is not None and self.isAncestorOf(focus)
        self.set_listing(Listing())
        self.search.hide()
        if had_keyboard:  # a plan that arrives clears the filter, and must not take the keyboard
            self.left.emit()

    def set_listing(self, listing: Listing) -> None:
        for each in (self.field, self.lines, self.order):
            each.blockSignals(True)
        self.field.setText(listing.text)
        self.lines.setChecked(listing.in_lines)
        self.order.setCurrentIndex(self.order.findData(listing.sorting))
        for each in (self.field, self.lines, self.order):
            each.blockSignals(False)
        self.field.set_count("")
        self._take(listing)

    def toggle(self, which: OperationFilter) -> None:
        self._take(self.listing.toggled(which))

    def look_under(self, folder: str) -> None:
        """List what is in a folder and below; everywhere for an empty one."""
        self._take(replace(self.listing, folder=folder))

    def show_counts(self, counts: Counter[OperationFilter], total: int) -> None:
        """How many operations there are of each kind; chips that divide nothing are not shown."""
        if (counts, total) != (self._counts, self._total):
            self._counts, self._total = counts, total
            self._follow()

    def show_found(self, found: int, total: int) -> None:
        self.field.set_count(f"{found:,} of {total:,}" if not self.listing.is_usual else "")

    def show_compared(self, earlier: int | None) -> None:
        """The revision that what changed is told against; None for when the person looked."""
        if earlier != self._compared:
            self._compared = earlier
            self._follow()

    def show_ignored_space(self, ignores: bool) -> None:
        """Whether the diffs leave changes of white space folded."""
        self._ignores_space = ignores
        self._follow()

    def _take(self, listing: Listing) -> None:
        if listing != self.listing:
            self.listing = listing
            self._follow()
            self.changed.emit(listing)

    def _follow(self) -> None:
        """Show what is in use; a chip stays where it is while it is clicked."""
        only, wanted = self.listing.only, [each for each in OperationFilter if self._divides(each)]
        if wanted != list(self._chips):
            self._chips = {which: self._chip(which) for which in wanted}
            self.chips.set_widgets(list(self._chips.values()))
        for which, chip in self._chips.items():
            chip.set_words(self._words(which))
            chip.setChecked(which in only)
        self.chips.arrange()
        folder = self.listing.folder
        self.folder.set_words(visible_name(folder))
        self.folder.setVisible(bool(folder))
        self.all.setVisible(bool(only or folder))
        self.space.setVisible(self._ignores_space)
        is_in_use = bool(only or folder) or self._ignores_space
        self._above.setVisible(is_in_use or (len(wanted) > 1 and self._total >= FEWEST_OPERATIONS))
        self.more.setChecked(any(which in only for which, chip in self._chips.items() if chip.isHidden()))

    def _divides(self, which: OperationFilter) -> bool:
        count = self._counts[which]
        is_part = 0 < count < self._total or (count > 0 and which is OperationFilter.NOT_VIEWED)
        return is_part or which in self.listing.only

    def _words(self, which: OperationFilter) -> str:
        words = FILTER_LABELS[which]
        if which is OperationFilter.CHANGED and self._compared is not None:
            words = tr("Changed since r{number}", number=self._compared)
        return f"{words} {self._counts[which]:,}"

    def _chip(self, which: OperationFilter) -> Chip:
        chip = Chip(self._theme, self._words(which))
        chip.setObjectName(f"filter-{which.name.lower().replace('_', '-')}")
        chip.setCheckable(True)
        chip.clicked.connect(lambda: self.toggle(which))
        return chip

    def _show_hidden(self) -> None:
        menu = QMenu(self)
        menu.setObjectName("filter-menu")
        for which, chip in self._chips.items():
            if chip.isHidden():
                action = menu.addAction(self._words(which))
                action.triggered.connect(partial(self.toggle, which))
                action.setCheckable(True)
                action.setChecked(which in self.listing.only)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.more.mapToGlobal(QPoint(0, self.more.height())))
        self._follow()
