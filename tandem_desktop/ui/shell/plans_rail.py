"""The plans of the workspace, at hand all day: what needs the person stands first."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStackedLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from tandem_desktop.domain.ids import PlanId
from tandem_desktop.ui.models.plans_model import PlansModel, RailRow
from tandem_desktop.ui.theme.stylesheet import set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button
from tandem_desktop.ui.widgets.painting import paint_ground
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.widgets.search_field import SearchField

_WIDTH = 216
_HEADING, _ROW, _PADDING, _DOT, _INDENT = 36, 52, 8, 8, 24


class PlansRail(QWidget):
    """A list with headings, a search above it and a way to a new plan below."""

    plan_chosen = Signal(str)
    new_requested = Signal()

    def __init__(self, theme: Theme, model: PlansModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model
        self.setObjectName("plans-rail")
        set_role(self, "rail")
        self.search = SearchField(theme, "Search plans", parent=self)
        self.search.setObjectName("plans-search")
        self.list = QListView(self)
        self.list.setObjectName("plans-list")
        self.list.setAccessibleName("Plans")
        self.list.setProperty("role", "rail-list")
        self.list.setModel(model)
        self.list.setItemDelegate(_RailDelegate(theme, self.list))
        self.list.setMouseTracking(True)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        words = "No plans yet. Ask an agent for a change, and its plan appears here."
        self._empty = plain_label(words, "muted", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        holder = QWidget(self)
        self._pages = QStackedLayout(holder)
        self._pages.addWidget(self.list)
        self._pages.addWidget(self._empty)
        self.new_button = Button(theme, "New plan", "Ctrl+N", "plus", parent=self)
        self.new_button.setObjectName("new-plan")
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.search)
        self._column.addWidget(holder, 1)
        self._column.addWidget(self.new_button)
        self.search.textChanged.connect(model.set_filter)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self.new_button.clicked.connect(self.new_requested)
        model.modelReset.connect(self._model_changed)
        theme.changed.connect(self._restyle)
        self._chosen: PlanId | None = None
        self._restyle()
        self._model_changed()

    def show_chosen(self, plan_id: PlanId | None) -> None:
        """Mark the plan that is on screen."""
        self._chosen = plan_id
        row = None if plan_id is None else self._model.row_of(plan_id)
        if row is None:
            self.list.clearSelection()
            return
        self.list.setCurrentIndex(self._model.index(row))

    def _choose(self, index: QModelIndex) -> None:
        row: RailRow | None = index.data(PlansModel.RowRole)
        if row is not None and row.plan is not None:
            self.plan_chosen.emit(row.plan.plan_id)

    def _model_changed(self) -> None:
        self._pages.setCurrentIndex(0 if self._model.rowCount() or self.search.text() else 1)
        if self._chosen is not None:
            self.show_chosen(self._chosen)

    def _restyle(self) -> None:
        px = self._theme.px
        self.setMinimumWidth(px(160))
        self._column.setContentsMargins(px(8), px(8), px(8), px(8))
        self._column.setSpacing(px(8))
        self._empty.setContentsMargins(px(8), px(8), px(8), 0)
        self.list.doItemsLayout()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(_WIDTH), self._theme.px(400))


class _RailDelegate(QStyledItemDelegate):
    """A heading in small type, or a plan: a mark, its title, and where it stands."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        row: RailRow = index.data(PlansModel.RowRole)
        return QSize(0, self._theme.px(_HEADING if row.plan is None else _ROW))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row: RailRow = index.data(PlansModel.RowRole)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area: QRect = option.rect
        if row.plan is None:
            self._heading(painter, area, row)
        else:
            self._plan(painter, area, row, option.state)
        painter.restore()

    def _heading(self, painter: QPainter, area: QRect, row: RailRow) -> None:
        px = self._theme.px
        painter.setFont(self._theme.ui_font(-2, bold=True))
        painter.setPen(self._theme.color("muted"))
        words = area.adjusted(px(_PADDING), px(8), -px(_PADDING), 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, row.title)

    def _plan(self, painter: QPainter, area: QRect, row: RailRow, state: QStyle.StateFlag) -> None:
        theme, px = self._theme, self._theme.px
        ground = QRectF(area.adjusted(0, px(1), 0, -px(1)))
        if state & QStyle.StateFlag.State_Selected:
            paint_ground(painter, theme, ground, theme.color("raised"), theme.color("line"))
        elif state & QStyle.StateFlag.State_MouseOver:
            paint_ground(painter, theme, ground, theme.color("hover"), None)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(row.dot))
        painter.drawEllipse(area.left() + px(_PADDING), area.top() + px(14), px(_DOT), px(_DOT))
        words = area.adjusted(px(_INDENT), px(8), -px(_PADDING), -px(6))
        for text, font, token, top in (
            (row.title, theme.ui_font(), "text", 0),
            (row.subtitle, theme.ui_font(-2), "muted", 20),
        ):
            painter.setFont(font)
            painter.setPen(theme.color(token))
            line = words.adjusted(0, px(top), 0, 0)
            shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, line.width())
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, shown)
