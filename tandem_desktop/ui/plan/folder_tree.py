"""The folders of a big plan as a tree, with how much of each there is to read."""

from collections import Counter
from collections.abc import Collection, Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QTreeWidget, QTreeWidgetItem, QWidget

from tandem_desktop.diff.text import visible_name
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.review.ranking import Rank
from tandem_desktop.services.pages import PlanFocus
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.theme.theme import Theme

FEWEST_OPERATIONS = 24
"""A plan with fewer is read as a list."""
_FEWEST_FOLDERS = 3
_WIDTH = 220


class FolderTree(QTreeWidget):
    """A folder with the operations in it and below; choosing one lists them, choosing the first lists all."""

    chosen = Signal(str)
    """A path that ends with a slash; empty for all folders."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("folder-tree")
        self.setAccessibleName(tr("Folders of the plan"))
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setFixedWidth(theme.px(_WIDTH))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._counts: dict[str, tuple[int, int]] = {}
        self.itemClicked.connect(lambda item: self._tell(item))
        self.itemActivated.connect(lambda item: self._tell(item))
        self.hide()

    def show_views(self, views: Collection[OperationView], focus: PlanFocus | None) -> None:
        """The folders of these operations; hidden where there are few."""
        counts = _counted(views, focus)
        is_big = len(views) >= FEWEST_OPERATIONS and len(counts) > _FEWEST_FOLDERS
        self.setVisible(is_big)
        if not is_big or counts == self._counts:
            return
        self._counts = counts
        self.clear()
        made: dict[str, QTreeWidgetItem] = {}
        for folder in sorted(counts):
            name = folder.rstrip("/").rpartition("/")[2]
            words = visible_name(f"{name}/") if folder else tr("All folders")
            item = QTreeWidgetItem([f"{words}  {_told(*counts[folder])}"])
            item.setData(0, Qt.ItemDataRole.UserRole, folder)
            item.setToolTip(0, visible_name(folder))
            above = made.get(_parent(folder)) if folder else None
            self.addTopLevelItem(item) if above is None or not _parent(folder) else above.addChild(item)
            item.setExpanded(folder.count("/") < 2)
            made[folder] = item

    def _tell(self, item: QTreeWidgetItem) -> None:
        self.chosen.emit(str(item.data(0, Qt.ItemDataRole.UserRole)))


def _counted(views: Iterable[OperationView], focus: PlanFocus | None) -> dict[str, tuple[int, int]]:
    """For each folder how many operations are in it and below, and how many of them are to be read."""
    every: Counter[str] = Counter()
    read: Counter[str] = Counter()
    ranks = focus.ranks if focus is not None else dict[OperationId, Rank]()
    for view in views:
        path = view.operation.to or view.operation.path
        if path is None:
            continue
        matters = ranks.get(view.operation.id, Rank.BEHAVIOUR) < Rank.MECHANICAL
        folder = path.rpartition("/")[0]
        parts = folder.split("/") if folder else []
        for depth in range(len(parts) + 1):
            name = "".join(f"{part}/" for part in parts[:depth])
            every[name] += 1
            read[name] += matters
    return {folder: (every[folder], read[folder]) for folder in every}


def _parent(folder: str) -> str:
    return folder.rstrip("/").rpartition("/")[0] + "/" if "/" in folder.rstrip("/") else ""


def _told(every: int, read: int) -> str:
    return f"{every:,}" if every == read else tr("{read} of {every} to read", read=f"{read:,}", every=f"{every:,}")
