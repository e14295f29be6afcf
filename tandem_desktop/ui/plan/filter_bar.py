"""Look for operations by path, command or words, and choose which are listed and in which order."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QWidget

from tandem_desktop.review.totals import Totals
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.models.operation_row import SHOWN_WORDS, SORTING_WORDS, Shown, Sorting
from tandem_desktop.ui.models.operation_search import IN_FOLDER
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.icon_button import IconButton
from tandem_desktop.ui.widgets.search_field import SearchField
from tandem_desktop.ui.words import tr, tr_n


class FilterBar(QWidget):
    """Hidden until it is asked for; leaving it lists everything again."""

    changed = Signal(str, object, object)
    """Text, which operations, which order."""
    left = Signal()
    next_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("operation-filter")
        self.field = SearchField(theme, tr("Filter by path, command or words"))
        self.field.setObjectName("operation-filter-text")
        self.which = self._choices(SHOWN_WORDS, "operation-filter-which", tr("Which operations"))
        self.order = self._choices(SORTING_WORDS, "operation-filter-order", tr("Order"))
        self.folders = self._choices({}, "operation-filter-folder", tr("Folder, with what changes in it"))
        # A long path must not push anything out of a narrow window; the list itself is as wide as its words.
        self.folders.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.folders.setMinimumWidth(theme.px(40))
        self.folders.view().setMinimumWidth(theme.px(280))
        self.folders.hide()
        close = IconButton(theme, "cross", tr("Close the filter"), key="Esc")
        row = QHBoxLayout(self)
        Spacing(theme, row, (12, 8, 12, 0), 8)
        row.addWidget(self.field, 3)
        row.addWidget(self.folders, 2)
        for each in (self.which, self.order, close):
            row.addWidget(each)
        self.field.textChanged.connect(self._tell)
        self.which.currentIndexChanged.connect(self._tell)
        self.order.currentIndexChanged.connect(self._tell)
        self.folders.activated.connect(self._choose_folder)
        self.field.left.connect(self.left)
        self.field.next_requested.connect(self.next_requested)
        close.clicked.connect(self.leave)
        self.hide()

    def ask(self) -> None:
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def leave(self) -> None:
        """Everything in plan order again."""
        self.field.clear()
        self.folders.setCurrentIndex(0)
        self.which.setCurrentIndex(0)
        self.order.setCurrentIndex(0)
        self.hide()

    def show_folders(self, folders: Sequence[tuple[str, Totals]]) -> None:
        """Each with its sums; one alone is no choice."""
        lines = [(tr("All folders"), ""), *((_summed(folder, totals), folder) for folder, totals in folders)]
        if [self.folders.itemText(at) for at in range(self.folders.count())] == [words for words, _ in lines]:
            return
        self.folders.clear()
        for words, folder in lines:
            self.folders.addItem(words, folder)
        self.folders.setVisible(len(folders) > 1)

    def _choose_folder(self, at: int) -> None:
        folder = str(self.folders.itemData(at))
        self.field.setText(f"{IN_FOLDER}{folder}" if folder else "")

    @property
    def is_used(self) -> bool:
        return bool(self.field.text() or self.which.currentIndex() or self.order.currentIndex())

    def _choices(self, words: Mapping[Any, str], name: str, accessible: str) -> QComboBox:
        box = QComboBox()
        for each, shown in words.items():
            box.addItem(shown, each)
        box.setObjectName(name)
        box.setAccessibleName(accessible)
        return box

    def _tell(self) -> None:
        which, order = Shown(self.which.currentData()), Sorting(self.order.currentData())
        self.changed.emit(self.field.text(), which, order)


def _summed(folder: str, totals: Totals) -> str:
    """`app/routes/ · 3 files +40 −12`."""
    lines = [f"+{totals.added:,}" if totals.added else "", f"−{totals.removed:,}" if totals.removed else ""]
    files = tr_n("{n} file", "{n} files", totals.files)
    return " ".join(filter(None, (f"{visible(folder)} · {files}", *lines)))
