"""The list that opens over the composer after / or @."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.words import tr

Index = QModelIndex | QPersistentModelIndex
_MOST_ROWS = 8


@dataclass(frozen=True, slots=True)
class Offer:
    """One line of the list, and what is typed when it is chosen."""

    insert: str
    words: str
    about: str = ""
    group: str = ""


class OffersModel(QAbstractListModel):
    """The offers, best first."""

    OfferRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offers: tuple[Offer, ...] = ()

    def set_offers(self, offers: Sequence[Offer]) -> None:
        self.beginResetModel()
        self._offers = tuple(offers)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own spelling of "the root"
        return 0 if parent.isValid() else len(self._offers)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        offer = self._offers[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return offer.words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{offer.words}, {offer.about}" if offer.about else offer.words
        return offer if role == self.OfferRole else None


class CompletionPopup(QFrame):
    """Floats above the composer without taking the focus; the composer hands it the keys that are its own."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("completion-popup")
        self.setProperty("role", "toast")
        self._model = OffersModel(self)
        self._list = QListView(self)
        self._list.setObjectName("completion-list")
        self._list.setAccessibleName(tr("Suggestions"))
        self._list.setModel(self._model)
        self._list.setItemDelegate(_OfferDelegate(theme, self))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._list.setMouseTracking(True)
        self._list.clicked.connect(lambda index: self.chosen.emit(index.data(OffersModel.OfferRole)))
        self._list.viewport().setAutoFillBackground(False)
        self.hide()

    @property
    def offers(self) -> tuple[Offer, ...]:
        return self._model._offers

    def offer(self, offers: Sequence[Offer], over: QRect) -> None:
        """Show the list above the rectangle `over`, in its parent's coordinates; nothing to offer hides it."""
        self._model.set_offers(offers)
        if not offers:
            self.hide()
            return
        self._list.setCurrentIndex(self._model.index(0))
        edge, row = self._theme.px(4), self._theme.px(32)
        height = min(len(offers), _MOST_ROWS) * row + 2 * edge
        height = min(height, max(over.top() - self._theme.px(8), row + 2 * edge))
        self.setGeometry(over.left(), over.top() - height - self._theme.px(4), over.width(), height)
        self._list.setGeometry(edge, edge, over.width() - 2 * edge, height - 2 * edge)
        self.show()
        self.raise_()

    def take(self, key: int) -> bool:
        """Use a key that moves or chooses; whether it was one."""
        if self.isHidden():
            return False
        count, now = self._model.rowCount(), self._list.currentIndex().row()
        if key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            step = 1 if key == Qt.Key.Key_Down else -1
            self._list.setCurrentIndex(self._model.index((now + step) % count))
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab):
            self.chosen.emit(self._model.index(now).data(OffersModel.OfferRole))
            return True
        if key == Qt.Key.Key_Escape:
            self.hide()
            return True
        return False


class _OfferDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self._theme.px(120), self._theme.px(32))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme: Theme = self._theme
        offer: Offer = index.data(OffersModel.OfferRole)
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            chosen = state & QStyle.StateFlag.State_Selected
            painter.setBrush(theme.color("selection" if chosen else "hover"))
            painter.drawRoundedRect(rect, theme.px(6), theme.px(6))
        inside = rect.adjusted(theme.px(10), 0, -theme.px(10), 0)
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        small = theme.ui_font(-1)
        group_width = QFontMetrics(small).horizontalAdvance(offer.group) + theme.px(12) if offer.group else 0
        metrics = QFontMetrics(theme.code_font())
        room = inside.width() - group_width
        words = metrics.elidedText(offer.words, Qt.TextElideMode.ElideMiddle, room)
        painter.setFont(theme.code_font())
        painter.setPen(theme.color("text"))
        painter.drawText(inside, left, words)
        painter.setFont(small)
        painter.setPen(theme.color("muted"))
        taken = metrics.horizontalAdvance(words) + theme.px(12)
        about = QFontMetrics(small).elidedText(offer.about, Qt.TextElideMode.ElideRight, max(room - taken, 0))
        painter.drawText(inside.adjusted(taken, 0, 0, 0), left, about)
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, offer.group)
        painter.restore()
