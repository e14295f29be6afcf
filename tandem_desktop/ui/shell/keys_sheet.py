"""The page of keys: every key of the window, found by typing what it does."""

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from tandem_desktop.ui.keys import native, with_keys
from tandem_desktop.ui.models.keys_model import KeyRow, KeysModel
from tandem_desktop.ui.plan.sheet import Sheet
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import QuietButton
from tandem_desktop.ui.widgets.painting import paint_ground
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.widgets.search_field import SearchField
from tandem_desktop.ui.words import tr, tr_marked

_WIDE, _TALL, _ROW, _HEADING, _CAP = 640, 460, 30, 38, 20


class KeysSheet(Sheet):
    """Made from the table the keys are bound from, so it cannot be wrong about them."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "keys-sheet", tr("Keys"), wide=_WIDE)
        self._model = KeysModel()
        self.search = SearchField(theme, tr("Search keys"))
        self.search.setObjectName("keys-search")
        self.list = QListView()
        self.list.setObjectName("keys-list")
        self.list.setAccessibleName(tr("Keys"))
        self.list.setProperty("role", "rail-list")
        self.list.setModel(self._model)
        self.list.setItemDelegate(_KeyDelegate(theme, self.list))
        self.list.setSelectionMode(QListView.SelectionMode.NoSelection)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self._letters = plain_label("", "small", wrap=True)
        self.body.addWidget(self.search)
        self.body.addWidget(self.list, 1)
        self.body.addWidget(self._letters)
        close = QuietButton(theme, tr("Close"), "Esc")
        close.setObjectName("keys-close")
        close.clicked.connect(self.leave)
        self.add_buttons(close)
        self.search.textChanged.connect(self._search)
        self.search.left.connect(self._left_search)

    def show_keys(self, *, letters: bool, changes: Mapping[str, str]) -> None:
        """`letters` says whether single letters do anything now; `changes` are the person's own keys."""
        self._model.set_lines(with_keys(changes))
        self.search.clear()
        self._letters.setText(
            tr("Single letters work only while the operations or a diff have the keyboard; the settings change that.")
            if letters
            else tr("Single letters are turned off; the settings change that.")
        )
        self.open(self.search)

    def fit(self) -> None:
        """The list gives way where the window is low, also while it is open."""
        room = self.height() - self._theme.px(280)
        self.list.setFixedHeight(max(self._theme.px(120), min(self._theme.px(_TALL), room)))
        super().fit()

    def _search(self, text: str) -> None:
        self._model.search(text)
        self.search.set_count(tr("{found} found", found=self._model.found) if text else "")

    def _left_search(self) -> None:
        """Down goes into the list; Escape in an empty field closes the page."""
        self.leave() if not self.search.text() else self.list.setFocus()


class _KeyDelegate(QStyledItemDelegate):
    """What it does at the left, its keys as caps at the right."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        row: KeyRow = index.data(KeysModel.RowRole)
        return QSize(0, self._theme.px(_HEADING if row.line is None else _ROW))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row: KeyRow = index.data(KeysModel.RowRole)
        theme, px = self._theme, self._theme.px
        area: QRect = option.rect
        painter.save()
        left = Qt.AlignmentFlag.AlignLeft
        if row.line is None:
            painter.setFont(theme.ui_font(-2, bold=True))
            painter.setPen(theme.color("muted"))
            painter.drawText(area.adjusted(0, 0, 0, -px(4)), left | Qt.AlignmentFlag.AlignBottom, tr_marked(row.group))
        else:
            painter.setFont(theme.ui_font())
            painter.setPen(theme.color("text"))
            painter.drawText(area, left | Qt.AlignmentFlag.AlignVCenter, tr_marked(row.line.title))
            self._caps(painter, area.adjusted(0, 0, -px(8), 0), row.line.keys)
        painter.restore()

    def _caps(self, painter: QPainter, area: QRect, keys: tuple[str, ...]) -> None:
        theme, px = self._theme, self._theme.px
        font = theme.ui_font(-2)
        right = area.right()
        for key in reversed(keys):
            words = native(key)
            width = max(px(_CAP), QFontMetrics(font).horizontalAdvance(words) + px(12))
            cap = QRectF(right - width, area.center().y() - px(_CAP) / 2 + 1, width, px(_CAP))
            if key != "…":
                paint_ground(painter, theme, cap, theme.color("raised"), theme.color("line"), radius=5)
            painter.setFont(font)
            painter.setPen(theme.color("text" if key != "…" else "muted"))
            painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, words)
            right -= width + px(4)
