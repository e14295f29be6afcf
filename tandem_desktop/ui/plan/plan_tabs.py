"""The tabs of the panel; other parts of the window add theirs beside the three that are always there."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.icon_button import IconButton
from tandem_desktop.ui.words import tr

_GIVEN = 10
"""By how much the gap after each tab can be smaller."""
ORDER = ("operations", "tasks", "graph", "plan-text", "perspectives", "runs")


class PlanTabs(QWidget):
    """Words with a line under the one that is open, in the order of `ORDER`."""

    changed = Signal(str)
    filter_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._keys: list[str] = []
        self._words: dict[str, str] = {}
        self.bar = _TabBar()
        self.bar.setObjectName("plan-tabs")
        self.bar.setAccessibleName(tr("Parts of the plan"))
        self.bar.setDrawBase(False)
        self.bar.setExpanding(False)
        self.stack = QStackedWidget()
        self.filter = IconButton(theme, "search", tr("Filter operations"), key="Ctrl+F")
        self.filter.clicked.connect(self.filter_requested)
        row = QHBoxLayout()
        Spacing(theme, row, (18, 0, 12, 0), 8)
        row.addWidget(self.bar, 1)  # as wide as there is room, before it scrolls
        row.addWidget(self.filter)
        line = QFrame()
        line.setProperty("role", "separator")
        line.setFixedHeight(1)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, between=0)
        layout.addLayout(row)
        layout.addWidget(line)
        layout.addWidget(self.stack, 1)
        self.bar.currentChanged.connect(self._show)

    def add(self, key: str, words: str, widget: QWidget) -> None:
        place = sum(ORDER.index(each) < ORDER.index(key) for each in self._keys)
        self._keys.insert(place, key)
        self._words[key] = words
        self.stack.insertWidget(place, widget)
        self.bar.insertTab(place, words)
        self._show(self.bar.currentIndex())

    def count(self, key: str, number: int) -> None:
        """Such as `Tasks 3`; none is not counted."""
        words = self._words[key]
        self.bar.setTabText(self._keys.index(key), f"{words} {number:,}" if number else words)
        self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def show_tab(self, key: str) -> None:
        if key in self._keys:
            self.bar.setCurrentIndex(self._keys.index(key))

    @property
    def current(self) -> str:
        return self._keys[self.bar.currentIndex()]

    def _make_room(self) -> None:
        """Where the tabs would scroll, they stand closer together first."""
        is_dense = self.bar.property("dense") is True
        given = self._theme.px(_GIVEN) * len(self._keys) if is_dense else 0
        dense = self.bar.sizeHint().width() + given > self.bar.width()
        if dense != is_dense:
            self.bar.setProperty("dense", dense)
            self.bar.style().polish(self.bar)
            self.bar.updateGeometry()

    def _show(self, index: int) -> None:
        if 0 <= index < len(self._keys):
            self.stack.setCurrentIndex(index)
            self.filter.setVisible(self._keys[index] == "operations")
            self.changed.emit(self._keys[index])


class _TabBar(QTabBar):
    """Arrows go from tab to tab; Home and End to the first and the last."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Home:
            self.setCurrentIndex(0)
        elif event.key() == Qt.Key.Key_End:
            self.setCurrentIndex(self.count() - 1)
        else:
            super().keyPressEvent(event)
