"""The list of conversations and their plans, and its menu."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QMenu,
    QStackedLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from tandem_desktop.diff.text import visible_line
from tandem_desktop.domain.ids import PlanId, SessionId
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.models.plans import PlansModel, RailRow
from tandem_desktop.ui.plan.sheets import ConfirmSheet
from tandem_desktop.ui.plan_text import UNDO
from tandem_desktop.ui.shell.sheets import NameSheet
from tandem_desktop.ui.state import WindowState
from tandem_desktop.ui.theme.style import paint_ground, set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import Button
from tandem_desktop.ui.widgets.inputs import SearchField
from tandem_desktop.ui.widgets.labels import plain_label

_HEADING, _PADDING, _DOT, _INDENT, _ABOVE, _BETWEEN = 36, 8, 8, 24, 8, 2
_STEP = 16
_MOST_LINES = 2


class RailDelegate(QStyledItemDelegate):
    """Draws conversations; titles and details take up to two lines, the tool tip has the full text."""

    def __init__(self, theme: Theme, view: QListView) -> None:
        super().__init__(view)
        self._theme = theme
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        row: RailRow = index.data(PlansModel.RowRole)
        px = self._theme.px
        if row.is_heading:
            return QSize(0, px(_HEADING))
        room = self._view.viewport().width() - px(_INDENT + self._below(row)) - px(_PADDING)
        height = sum(QFontMetrics(font).height() * len(lines) for lines, font, _ in self._texts(row, room))
        return QSize(0, height + px(2 * _ABOVE + _BETWEEN))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row: RailRow = index.data(PlansModel.RowRole)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area: QRect = option.rect
        if row.is_heading:
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
            edge = "focus" if self._view.hasFocus() else "line"
            paint_ground(painter, theme, ground, theme.color("raised"), theme.color(edge))
        elif state & QStyle.StateFlag.State_MouseOver:
            paint_ground(painter, theme, ground, theme.color("hover"), None)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(row.dot))
        first = QFontMetrics(theme.ui_font()).height()
        below = px(self._below(row))
        dot = QPointF(area.left() + below + px(_PADDING) + px(_DOT) / 2, area.top() + px(_ABOVE) + first / 2)
        painter.drawEllipse(dot, px(_DOT) / 2, px(_DOT) / 2)
        left, top = area.left() + below + px(_INDENT), area.top() + px(_ABOVE)
        room = area.width() - below - px(_INDENT) - px(_PADDING)
        for lines, font, token in self._texts(row, room):
            painter.setFont(font)
            painter.setPen(theme.color(token))
            for line in lines:
                height = QFontMetrics(font).height()
                painter.drawText(QRect(left, top, room, height), Qt.AlignmentFlag.AlignVCenter, line)
                top += height
            top += px(_BETWEEN)

    def _below(self, row: RailRow) -> int:
        return _STEP if row.is_below else 0

    def _texts(self, row: RailRow, room: int) -> tuple[tuple[list[str], QFont, str], ...]:
        title, words = self._theme.ui_font(), self._theme.ui_font(-2)
        return (
            (_wrapped(row.title, title, room), title, "text"),
            (_wrapped(row.subtitle, words, room), words, "muted"),
        )


def _wrapped(text: str, font: QFont, room: int) -> list[str]:
    """The text in at most two lines; the second is elided."""
    text = " ".join(text.split())
    layout = QTextLayout(text, font)
    layout.setTextOption(_ANYWHERE)
    layout.beginLayout()
    starts: list[int] = []
    while len(starts) < _MOST_LINES and (line := layout.createLine()).isValid():
        line.setLineWidth(max(room, 1))
        starts.append(line.textStart())
    layout.endLayout()
    if not starts:
        return [""]
    *whole, last = [text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return [*whole, QFontMetrics(font).elidedText(last, Qt.TextElideMode.ElideRight, room)]


_ANYWHERE = QTextOption()
_ANYWHERE.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)


_WIDTH = 216


class PlansRail(QWidget):
    """The list of conversations with a search field and a button for a new one."""

    plan_chosen = Signal(str)
    conversation_chosen = Signal(str)
    """Id of a conversation without a plan."""
    way_back_requested = Signal(str)
    """Id of the run to undo or redo."""
    new_requested = Signal()
    stop_requested = Signal(str)
    """Id of the conversation whose agent is to stop."""
    rename_requested = Signal(str, str)
    """Id of a plan or conversation, and its current name."""
    archive_requested = Signal(str, bool)
    """Id of a plan or conversation, and whether to hide it or bring it back."""
    delete_requested = Signal(str, str)
    """Id of a conversation without a plan, and its name."""

    def __init__(self, theme: Theme, model: PlansModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model
        self.setObjectName("plans-rail")
        set_role(self, "rail")
        self.search = SearchField(theme, tr("Search conversations"), parent=self)
        self.search.setObjectName("plans-search")
        self.list = QListView(self)
        self.list.setObjectName("plans-list")
        self.list.setAccessibleName(tr("Conversations"))
        self.list.setProperty("role", "rail-list")
        self.list.setModel(model)
        self.list.setItemDelegate(RailDelegate(theme, self.list))
        self.list.setMouseTracking(True)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._empty = plain_label("", "muted", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        holder = QWidget(self)
        self._pages = QStackedLayout(holder)
        self._pages.addWidget(self.list)
        self._pages.addWidget(self._empty)
        self.new_button = Button(theme, tr("New plan"), "Ctrl+N", "plus", parent=self)
        self.new_button.setObjectName("new-plan")
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.search)
        self._column.addWidget(holder, 1)
        self._column.addWidget(self.new_button)
        self.search.textChanged.connect(model.set_filter)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self.list.customContextMenuRequested.connect(self._offer)
        self.list.installEventFilter(self)
        self.search.left.connect(self._enter)
        self.search.next_requested.connect(self._open_first)
        self.new_button.clicked.connect(self.new_requested)
        model.modelReset.connect(self._model_changed)
        theme.changed.connect(self._restyle)
        self._chosen: tuple[str, str] = ("", "")
        self._restyle()
        self._model_changed()

    def show_chosen(self, plan_id: PlanId | None, session_id: str = "") -> None:
        """Select the shown plan, or the conversation."""
        self._chosen = (plan_id or session_id, session_id)
        row = self._model.row_of(*self._chosen)
        if row is None:
            self.list.clearSelection()
            self.list.setCurrentIndex(QModelIndex())
            return
        self.list.setCurrentIndex(self._model.index(row))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Delete archives or deletes the current conversation, F2 renames it."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            row: RailRow | None = self.list.currentIndex().data(PlansModel.RowRole)
            if row is not None and event.key() == Qt.Key.Key_F2:
                self.rename_requested.emit(row.key, row.name)
                return True
            if row is not None and event.key() == Qt.Key.Key_Delete:
                self._remove(row)
                return True
        return super().eventFilter(watched, event)

    def _remove(self, row: RailRow) -> None:
        if row.may_be_archived and not row.is_archived:
            self.archive_requested.emit(row.key, True)
        elif row.is_archived and row.plan is None:
            self.delete_requested.emit(row.key, row.name)

    def _choose(self, index: QModelIndex) -> None:
        row: RailRow | None = index.data(PlansModel.RowRole)
        if row is not None and not row.is_heading:
            self._open(row)

    def _open(self, row: RailRow) -> None:
        (self.plan_chosen if row.plan is not None else self.conversation_chosen).emit(row.key)

    def _enter(self) -> None:
        """Move from the search field to the first conversation."""
        self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if not self.list.currentIndex().isValid():
            self.list.setCurrentIndex(self._model.index(1))

    def _open_first(self) -> None:
        """Open the first match."""
        self._enter()
        self._choose(self.list.currentIndex())

    def _offer(self, place: QPoint) -> None:
        """Show the context menu of a conversation; of the current one if opened by keyboard."""
        index = self.list.indexAt(place)
        index = index if index.isValid() else self.list.currentIndex()
        row: RailRow | None = index.data(PlansModel.RowRole)
        if row is None or row.is_heading:
            return
        plan, run = row.plan, row.run
        menu = QMenu(self)
        menu.setObjectName("plan-menu")
        self._entry(menu, tr("Open"), lambda: self._open(row))
        if row.is_at_work:
            self._entry(menu, tr("Stop the agent"), lambda: self.stop_requested.emit(row.session_id))
        if run is not None and run.way_back:
            words = f"{run.way_back}…" if run.way_back == UNDO else run.way_back
            self._entry(menu, words, lambda: self.way_back_requested.emit(run.run_id))
        menu.addSeparator()
        self._entry(menu, tr("Rename…"), lambda: self.rename_requested.emit(row.key, row.name))
        if row.is_archived or row.may_be_archived:
            words = tr("Unarchive") if row.is_archived else tr("Archive")
            self._entry(menu, words, lambda: self.archive_requested.emit(row.key, not row.is_archived))
        if plan is None and not row.is_at_work:
            self._entry(menu, tr("Delete…"), lambda: self.delete_requested.emit(row.key, row.name))
        if plan is not None:
            menu.addSeparator()
            self._entry(menu, tr("Copy plan id"), lambda: QGuiApplication.clipboard().setText(plan.plan_id))
            self._entry(menu, tr("Copy digest"), lambda: QGuiApplication.clipboard().setText(plan.digest))
        menu.popup(self.list.viewport().mapToGlobal(self.list.visualRect(index).bottomLeft()))

    def _entry(self, menu: QMenu, words: str, do: Callable[[], object]) -> None:
        action = QAction(words, menu)
        action.triggered.connect(do)
        menu.addAction(action)

    def _model_changed(self) -> None:
        self._pages.setCurrentIndex(0 if self._model.rowCount() or self.search.text() else 1)
        self._empty.setText(
            tr("No conversations yet. Ask an agent for a change; it appears here with its plan.")
            if self._model.is_loaded
            else tr("Loading…")
        )
        if any(self._chosen):
            self.show_chosen(PlanId(self._chosen[0]), self._chosen[1])

    def _restyle(self) -> None:
        px = self._theme.px
        self.setMinimumWidth(px(160))
        self._column.setContentsMargins(px(8), px(8), px(8), px(8))
        self._column.setSpacing(px(8))
        self._empty.setContentsMargins(px(8), px(8), px(8), 0)
        self.list.doItemsLayout()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(_WIDTH), self._theme.px(400))


_NAMES, _ARCHIVED = "names", "put_away"


class PlanListMenu(QObject):
    """Renames and archives in this window's state only; what is stored does not change, unless it is deleted."""

    def __init__(
        self,
        theme: Theme,
        state: WindowState,
        model: PlansModel,
        rail: PlansRail,
        delete: Callable[[SessionId], None] = lambda session_id: None,
    ) -> None:
        super().__init__(rail)
        self._theme, self._state, self._model, self._rail = theme, state, model, rail
        self._delete = delete
        self._sheet: NameSheet | None = None
        self._question: ConfirmSheet | None = None
        rail.rename_requested.connect(self._rename)
        rail.archive_requested.connect(self._archive)
        rail.delete_requested.connect(self._ask_to_delete)
        self._tell()

    def _rename(self, key: str, name: str) -> None:
        if self._sheet is None:
            self._sheet = NameSheet(self._rail.window(), self._theme)
        self._sheet.ask(name, lambda chosen: self._keep(_NAMES, key, chosen))

    def _archive(self, key: str, archive: bool) -> None:
        self._keep(_ARCHIVED, key, archive)

    def _ask_to_delete(self, key: str, name: str) -> None:
        if self._question is None:
            self._question = ConfirmSheet(self._rail.window(), self._theme)
            self._question.back.setText(tr("Keep it"))
        words = tr("“{name}” and what the agent said are deleted for good. No file changes.", name=visible_line(name))
        delete = partial(self._delete, SessionId(key))
        self._question.ask(tr("Delete this conversation?"), words, tr("Delete"), delete)

    def _keep(self, table: str, key: str, value: object) -> None:
        self._state.put_of(table, key, value)
        self._tell()

    def _tell(self) -> None:
        names, away = (self._state.get(table) for table in (_NAMES, _ARCHIVED))
        self._model.set_own(
            {str(key): str(name) for key, name in names.items()} if isinstance(names, dict) else {},
            frozenset(map(str, away)) if isinstance(away, dict) else frozenset(),
        )
