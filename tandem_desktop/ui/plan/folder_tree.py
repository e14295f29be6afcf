"""The files of a plan as a tree, each folder with what is in it and below."""

import operator
from collections.abc import Iterable
from dataclasses import dataclass, field

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from tandem_desktop.diff.text import visible_name
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.review.operation_view import OperationView, line_counts
from tandem_desktop.review.ranking import Rank
from tandem_desktop.ui.i18n import counted_lines, tr, tr_n
from tandem_desktop.ui.keys import LETTERS
from tandem_desktop.ui.models.operations import StagedOperationsModel
from tandem_desktop.ui.theme.style import paint_icon
from tandem_desktop.ui.theme.theme import Theme

FEWEST_FILES = 12
"""A plan with fewer is read as a list."""
_WIDTH, _NARROWEST, _ROW, _INDENT = 248, 140, 24, 14
_NAME = 72
_PATH, _FACTS, _COUNTS = (Qt.ItemDataRole.UserRole + number for number in range(3))


@dataclass(slots=True)
class FolderFacts:
    """What is in a folder and below, or what one file is."""

    ids: list[OperationId] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    flagged: int = 0
    failing: int = 0
    viewed: int = 0
    dropped: int = 0
    mechanical: int = 0
    """How many need no reading: all of them is proved, or generated."""

    @property
    def counts(self) -> str:
        """All that is told of it, to compare."""
        parts = (self.added, self.removed, self.flagged, self.failing, self.viewed, self.dropped, self.mechanical)
        return " ".join(map(str, (len(self.ids), *parts)))

    @property
    def is_viewed(self) -> bool:
        return self.viewed == len(self.ids)

    @property
    def is_dropped(self) -> bool:
        return self.dropped == len(self.ids)

    def told(self) -> str:
        """All of it in words, for tool tips and screen readers."""
        parts = [
            tr_n("{n} file", "{n} files", len(self.ids)),
            counted_lines(self.added, self.removed),
            tr("{viewed} of {every} viewed", viewed=f"{self.viewed:,}", every=f"{len(self.ids):,}"),
            tr("{n} to read", n=f"{len(self.ids) - self.mechanical:,}") if self.mechanical else "",
            tr_n("{n} flagged", "{n} flagged", self.flagged) if self.flagged else "",
            tr_n("{n} new failure", "{n} new failures", self.failing) if self.failing else "",
            tr_n("{n} dropped", "{n} dropped", self.dropped) if self.dropped else "",
        ]
        return " · ".join(filter(None, parts))


class FolderTree(QTreeWidget):
    """Choosing a folder lists what is in it, choosing a file goes to it; `Space` and `x` are for all of a folder."""

    chosen = Signal(str)
    """A path that ends with a slash; empty for all folders."""
    file_chosen = Signal(object)
    """An operation id."""
    viewed_requested = Signal(object, bool)
    """Operation ids, and whether they were viewed."""
    drop_requested = Signal(object, bool)
    """Operation ids, and whether they are dropped or kept."""
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._views: tuple[OperationView, ...] = ()
        self._facts: dict[str, FolderFacts] = {}
        self._above: dict[OperationId, tuple[FolderFacts, ...]] = {}
        """For each operation the facts of its file and of the folders above it."""
        self._files: dict[str, list[str]] = {}
        """For each folder the names of its own files."""
        self._shown: dict[str, QTreeWidgetItem] = {}
        self._may_drop = False
        self.setObjectName("folder-tree")
        self.setAccessibleName(tr("Files of the plan"))
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setExpandsOnDoubleClick(False)
        self.setAnimated(False)
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_FolderDelegate(theme, self))
        self.itemClicked.connect(lambda item: self._choose(item))
        self.itemExpanded.connect(self._fill)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(_WIDTH), self._theme.px(200))

    def show_model(self, model: StagedOperationsModel, *, may_drop: bool = True) -> None:
        """The files of these operations; hidden where there are few."""
        self._may_drop = may_drop and not model.running
        views = model.listed_views()
        if len(views) != len(self._views) or any(map(operator.is_not, views, self._views)):
            self._views = views
            self._gather()
        self.setVisible(len(self._above) >= FEWEST_FILES)
        if self.isHidden():
            return
        self._count(model)
        for path, item in self._shown.items():
            self._tell(item, path)
        self.viewport().update()

    def _gather(self) -> None:
        """What stays the same while the views do: paths, lines and flags."""
        before, self._facts, self._above, self._files = set(self._facts), {}, {}, {}
        for view in self._views:
            path = view.operation.to or view.operation.path
            if path is None:
                continue
            folder, _, name = path.rpartition("/")
            above = [""]
            for part in folder.split("/") if folder else ():
                above.append(f"{above[-1]}{part}/")
            if path not in self._facts:
                self._files.setdefault(above[-1], []).append(name)
            added, removed = line_counts(view)
            facts = tuple(self._facts.setdefault(each, FolderFacts()) for each in (*above, path))
            self._above[view.operation.id] = facts
            for each in facts:
                each.ids.append(view.operation.id)
                each.added += added
                each.removed += removed
                each.flagged += bool(view.flags)
        if before != set(self._facts):
            self._build()

    def _count(self, model: StagedOperationsModel) -> None:
        ranks = model.focus.ranks if model.focus is not None else dict[OperationId, Rank]()
        mechanical = [each for each, rank in ranks.items() if rank >= Rank.MECHANICAL]
        counted = {"viewed": model.viewed, "dropped": model.dropped, "failing": model.failing()}
        for name, ids in {**counted, "mechanical": mechanical}.items():
            for facts in self._facts.values():
                setattr(facts, name, 0)
            for operation_id in ids:
                for facts in self._above.get(operation_id, ()):
                    setattr(facts, name, getattr(facts, name) + 1)

    def follow(self, folder: str) -> None:
        """The folder that is listed."""
        item = self._shown.get(folder)
        if item is not None and not self.hasFocus():
            self.setCurrentItem(item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item, facts = self.currentItem(), self._current()
        is_plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if item is None or facts is None or not is_plain:
            super().keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(item)
        elif event.key() == Qt.Key.Key_Escape:
            self.chosen.emit("")
            self.left.emit()
        elif event.key() == Qt.Key.Key_Space:
            self.viewed_requested.emit(tuple(facts.ids), not facts.is_viewed)
        elif event.key() == Qt.Key.Key_Delete or LETTERS.get(event.text()) == "drop":
            self._drop(facts)
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Disabled: letters are commands."""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse and (item := self.itemAt(event.pos())) is not None:
            self.setCurrentItem(item)
        menu = self.menu()
        if not menu.isEmpty():
            menu.popup(event.globalPos())

    def menu(self) -> QMenu:
        """What can be done with the current folder or file."""
        menu = QMenu(self)
        menu.setObjectName("folder-menu")
        menu.aboutToHide.connect(menu.deleteLater)
        item, facts = self.currentItem(), self._current()
        if item is None or facts is None:
            return menu
        is_folder = _is_folder(_path(item))
        words = tr("List only this folder") if is_folder else tr("Go to this file")
        menu.addAction(words + "\tEnter", lambda: self._choose(item))
        menu.addSeparator()
        words = tr("Not viewed") if facts.is_viewed else tr("Viewed")
        menu.addAction(words + "\tSpace", lambda: self.viewed_requested.emit(tuple(facts.ids), not facts.is_viewed))
        if self._may_drop:
            count = len(facts.ids)
            drop = tr_n("Drop {n} operation", "Drop {n} operations", count)
            keep = tr_n("Keep {n} operation", "Keep {n} operations", count)
            menu.addAction((keep if facts.is_dropped else drop) + "\tX", lambda: self._drop(facts))
        return menu

    def drawBranches(self, painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex) -> None:
        if not self.itemFromIndex(index).childCount() and not self._has_files(index):
            return
        side = self._theme.px(12)
        box = QRectF(rect.right() - (self.indentation() + side) / 2 + 1, rect.center().y() - side / 2 + 1, side, side)
        icon = "chevron-down" if self.isExpanded(index) else "chevron-right"
        paint_icon(painter, self._theme, icon, "muted", box)

    def _has_files(self, index: QModelIndex | QPersistentModelIndex) -> bool:
        return bool(self._files.get(str(index.data(_PATH))))

    def _drop(self, facts: FolderFacts) -> None:
        if self._may_drop:
            self.drop_requested.emit(tuple(facts.ids), not facts.is_dropped)

    def _current(self) -> FolderFacts | None:
        item = self.currentItem()
        return self._facts.get(_path(item)) if item is not None else None

    def _choose(self, item: QTreeWidgetItem) -> None:
        path = _path(item)
        if _is_folder(path):
            self.chosen.emit(path)
        elif (facts := self._facts.get(path)) is not None:
            self.file_chosen.emit(facts.ids[-1])

    def _build(self) -> None:
        """Make the folders; their files come when one is opened."""
        opened = {path for path, item in self._shown.items() if item.isExpanded()}
        current, is_first = self._current_path(), not self._shown
        self.clear()
        self._shown = {}
        for folder in sorted(path for path in self._facts if _is_folder(path)):
            above = self._shown.get(_parent(folder)) if folder else None
            self._shown[folder] = self._item(folder, above)
        for folder, item in tuple(self._shown.items()):
            if folder in opened or (is_first and folder.count("/") < 2):
                item.setExpanded(True)
        if current in self._shown:
            self.setCurrentItem(self._shown[current])

    def _item(self, path: str, above: QTreeWidgetItem | None) -> QTreeWidgetItem:
        item = QTreeWidgetItem()
        item.setData(0, _PATH, path)
        if path and _is_folder(path):
            item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
        if above is None or not _path(above):
            self.addTopLevelItem(item)
        else:
            above.addChild(item)
        self._tell(item, path)
        return item

    def _fill(self, item: QTreeWidgetItem) -> None:
        folder = _path(item)
        for name in sorted(self._files.get(folder, ())):
            path = folder + name
            if path not in self._shown:
                self._shown[path] = self._item(path, item)

    def _tell(self, item: QTreeWidgetItem, path: str) -> None:
        facts = self._facts.get(path)
        if facts is None:
            return
        name = path.rstrip("/").rpartition("/")[2] if path else ""
        words = visible_name(f"{name}/" if _is_folder(path) else name) if path else tr("All files")
        counts = facts.counts
        if item.data(0, _FACTS) is facts and item.data(0, _COUNTS) == counts:
            return
        told = facts.told()
        item.setData(0, _FACTS, facts)
        item.setData(0, _COUNTS, counts)
        item.setText(0, words)
        item.setToolTip(0, f"{visible_name(path)} · {told}")
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{words}, {told}")

    def _current_path(self) -> str | None:
        item = self.currentItem()
        return _path(item) if item is not None else None

    def _restyle(self) -> None:
        self.setIndentation(self._theme.px(_INDENT))
        self.setMinimumWidth(self._theme.px(_NARROWEST))
        self.viewport().update()


class _FolderDelegate(QStyledItemDelegate):
    """The name at the left; failures, flags, lines and how much was viewed at the right, as far as there is room."""

    def __init__(self, theme: Theme, parent: FolderTree) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, self._theme.px(_ROW))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme, rect, facts = self._theme, option.rect, index.data(_FACTS)
        if not isinstance(facts, FolderFacts):
            return
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.color("hover"))
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(theme.color("focus"))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        small = theme.code_font(-2)
        metrics, right = QFontMetrics(small), rect.right() - theme.px(8)
        painter.setFont(small)
        for piece in _pieces(facts):
            widths = [metrics.horizontalAdvance(text) + theme.px(6) for text, _ in piece]
            if right - sum(widths) + theme.px(6) - rect.left() < theme.px(_NAME):
                break
            for (text, token), width in zip(piece, widths, strict=True):
                painter.setPen(theme.color(token))
                painter.drawText(
                    QRect(right - width, rect.top(), width, rect.height()),
                    Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight,
                    text,
                )
                right -= width
        font = theme.ui_font(-1)
        font.setStrikeOut(facts.is_dropped)
        room = right - rect.left() - theme.px(4)
        words = QFontMetrics(font).elidedText(str(index.data()), Qt.TextElideMode.ElideMiddle, room)
        painter.setFont(font)
        painter.setPen(theme.color("muted" if facts.is_viewed or facts.is_dropped else "text"))
        painter.drawText(
            QRect(rect.left() + theme.px(2), rect.top(), room, rect.height()), Qt.AlignmentFlag.AlignVCenter, words
        )
        painter.restore()


def _pieces(facts: FolderFacts) -> Iterable[tuple[tuple[str, str], ...]]:
    """From the right, the most important first: what does not fit is in the tool tip. Both counts of lines, or none."""
    if facts.is_viewed:
        yield (("✓", "added_ink"),)
    elif len(facts.ids) > 1:
        yield ((f"{facts.viewed:,}/{len(facts.ids):,}", "muted"),)
    if facts.failing:
        yield ((f"✗{facts.failing:,}", "removed_ink"),)
    if facts.flagged:
        yield ((f"⚠{facts.flagged:,}", "risk"),)
    removed = ((f"−{facts.removed:,}", "removed_ink"),) if facts.removed else ()
    added = ((f"+{facts.added:,}", "added_ink"),) if facts.added else ()
    if removed or added:
        yield (*removed, *added)


def _path(item: QTreeWidgetItem) -> str:
    return str(item.data(0, _PATH))


def _is_folder(path: str) -> bool:
    return not path or path.endswith("/")


def _parent(folder: str) -> str:
    return folder.rstrip("/").rpartition("/")[0] + "/" if "/" in folder.rstrip("/") else ""
