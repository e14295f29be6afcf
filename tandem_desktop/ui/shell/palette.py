"""The command palette and its actions."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QVBoxLayout, QWidget

from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.models.keys import PaletteItem, PaletteModel
from tandem_desktop.ui.theme.style import paint_ground, set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.inputs import SearchField
from tandem_desktop.ui.widgets.labels import plain_label

_WIDTH, _HEIGHT, _TOP, _ROW = 560, 400, 72, 36
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}


class CommandPalette(QFrame):
    """An overlay with a search field. Enter runs the selected action, Escape closes."""

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self._window = window
        self._before: QWidget | None = None
        self.setObjectName("command-palette")
        set_role(self, "card")
        self._model = PaletteModel()
        self.search = SearchField(theme, tr("Search commands and plans"), parent=self)
        self.search.setObjectName("palette-search")
        self.list = QListView(self)
        self.list.setObjectName("palette-list")
        self.list.setAccessibleName(tr("Commands"))
        self.list.setModel(self._model)
        self.list.setItemDelegate(_PaletteDelegate(theme, self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.px(8), theme.px(8), theme.px(8), theme.px(8))
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        self.nothing = plain_label(tr("No command or plan matches."), "muted")
        self.nothing.setObjectName("palette-nothing")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self.nothing, 1)
        self.search.textChanged.connect(self._search)
        self.search.installEventFilter(self)
        self.list.clicked.connect(self._do)
        self.hide()

    def open(self, items: Iterable[PaletteItem], focus: QWidget | None) -> None:
        """Show the items; the focus returns when it closes."""
        self._before = focus
        self._model.set_items(items)
        self.search.clear()
        px = self._theme.px
        width = min(px(_WIDTH), self._window.width() - px(32))
        height = min(px(_HEIGHT), self._window.height() - px(_TOP))
        self.setGeometry((self._window.width() - width) // 2, px(_TOP) // 2, width, height)
        self._mark(0)
        self.show()
        self.raise_()
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def leave(self) -> None:
        self.hide()
        if self._before is not None:
            self._before.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self._key(event):
            return True
        if event.type() == QEvent.Type.FocusOut and self.isVisible() and not self.underMouse():
            self.hide()
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        if key in _STEPS:
            self._mark(self.list.currentIndex().row() + _STEPS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._do(self.list.currentIndex())
        elif key == Qt.Key.Key_Escape:
            self.leave()
        else:
            return False
        return True

    def _search(self, text: str) -> None:
        self._model.search(text)
        self._mark(0)

    def _mark(self, row: int) -> None:
        count = self._model.rowCount()
        self.nothing.setVisible(not count)
        self.list.setVisible(bool(count))
        if count:
            self.list.setCurrentIndex(self._model.index(max(0, min(row, count - 1))))

    def _do(self, index: QModelIndex) -> None:
        item: PaletteItem | None = index.data(PaletteModel.ItemRole)
        if item is not None:
            self.leave()
            item.do()


class _PaletteDelegate(QStyledItemDelegate):
    """Title at the left; group and key at the right."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, self._theme.px(_ROW))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        item: PaletteItem = index.data(PaletteModel.ItemRole)
        theme, px = self._theme, self._theme.px
        area = QRectF(option.rect)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            paint_ground(painter, theme, area, theme.color("selection"), None)
        words = area.adjusted(px(12), 0, -px(12), 0)
        painter.setFont(theme.ui_font())
        painter.setPen(theme.color("text"))
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, item.title)
        painter.setFont(theme.ui_font(-1))
        painter.setPen(theme.color("muted"))
        right = "   ".join(filter(None, (item.group, item.keys)))
        painter.drawText(words, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, right)
        painter.restore()


@dataclass(frozen=True, slots=True)
class WindowAction:
    """One action of the window."""

    name: str
    title: str
    group: str
    keys: tuple[str, ...]
    do: Callable[[], None]
    is_enabled: Callable[[], bool] = lambda: True


class WindowActions:
    """The actions of one window, bound to their keys."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._actions: dict[str, WindowAction] = {}
        self._shortcuts: dict[str, QAction] = {}
        self._usual: dict[str, tuple[str, ...]] = {}

    def __iter__(self) -> Iterator[WindowAction]:
        return iter(self._actions.values())

    def add(self, actions: Iterable[WindowAction]) -> None:
        for action in actions:
            self._actions[action.name] = action
            shortcut = QAction(action.title, self._window)
            shortcut.setObjectName(f"action-{action.name}")
            shortcut.setShortcuts([QKeySequence(keys) for keys in action.keys])
            shortcut.triggered.connect(lambda checked=False, name=action.name: self.do(name))
            self._window.addAction(shortcut)
            self._shortcuts[action.name], self._usual[action.name] = shortcut, action.keys

    def rebind(self, keys: Mapping[str, str]) -> tuple[str, ...]:
        """Set the keys of actions, the default for all others; returns unknown names."""
        for name, usual in self._usual.items():
            chosen = (keys[name],) if name in keys else usual
            self._actions[name] = replace(self._actions[name], keys=chosen)
            self._shortcuts[name].setShortcuts([QKeySequence(each) for each in chosen])
        return tuple(name for name in keys if name not in self._usual)

    def do(self, name: str) -> None:
        """Run an action if it is enabled."""
        action = self._actions[name]
        if action.is_enabled():
            action.do()


def shown_keys(action: WindowAction) -> str:
    """The first key of an action in the system's notation."""
    return QKeySequence(action.keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if action.keys else ""
