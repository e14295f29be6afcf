"""The plans of the workspace, at hand all day: what needs the person stands first."""

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu, QStackedLayout, QVBoxLayout, QWidget

from tandem_desktop.domain.ids import PlanId
from tandem_desktop.ui.models.plans_model import PlanGroup, PlansModel, RailRow
from tandem_desktop.ui.run_facts import UNDO
from tandem_desktop.ui.shell.rail_delegate import RailDelegate
from tandem_desktop.ui.theme.stylesheet import set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.widgets.search_field import SearchField
from tandem_desktop.ui.words import tr

_WIDTH = 216


class PlansRail(QWidget):
    """A list with headings, a search above it and a way to a new plan below."""

    plan_chosen = Signal(str)
    way_back_requested = Signal(str)
    """The run to take back, or to bring back."""
    new_requested = Signal()
    rename_requested = Signal(str, str)
    """A plan and what it is called now."""
    put_away_requested = Signal(str, bool)
    """A plan, and whether it is put away or brought back."""

    def __init__(self, theme: Theme, model: PlansModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model
        self.setObjectName("plans-rail")
        set_role(self, "rail")
        self.search = SearchField(theme, tr("Search plans"), parent=self)
        self.search.setObjectName("plans-search")
        self.list = QListView(self)
        self.list.setObjectName("plans-list")
        self.list.setAccessibleName(tr("Plans"))
        self.list.setProperty("role", "rail-list")
        self.list.setModel(model)
        self.list.setItemDelegate(RailDelegate(theme, self.list))
        self.list.setMouseTracking(True)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        words = tr("No plans yet. Ask an agent for a change, and its plan appears here.")
        self._empty = plain_label(words, "muted", wrap=True)
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
        self.search.left.connect(self._enter)
        self.search.next_requested.connect(self._open_first)
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

    def _enter(self) -> None:
        """From the search into the list, to its first plan."""
        self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if not self.list.currentIndex().isValid():
            self.list.setCurrentIndex(self._model.index(1))

    def _open_first(self) -> None:
        """Enter in the search opens the best find."""
        self._enter()
        self._choose(self.list.currentIndex())

    def _offer(self, place: QPoint) -> None:
        """What can be done with a plan from here; by keyboard, with the current one."""
        index = self.list.indexAt(place)
        index = index if index.isValid() else self.list.currentIndex()
        row: RailRow | None = index.data(PlansModel.RowRole)
        if row is None or row.plan is None:
            return
        plan, run = row.plan, row.run
        menu = QMenu(self)
        menu.setObjectName("plan-menu")
        self._entry(menu, tr("Open"), lambda: self.plan_chosen.emit(plan.plan_id))
        if run is not None and run.way_back:
            words = f"{run.way_back}…" if run.way_back == UNDO else run.way_back
            self._entry(menu, words, lambda: self.way_back_requested.emit(run.run_id))
        menu.addSeparator()
        self._entry(menu, tr("Rename…"), lambda: self.rename_requested.emit(plan.plan_id, plan.title))
        away = self._model.is_put_away(plan)
        if away or row.group is PlanGroup.DONE:
            words = tr("Bring back into the list") if away else tr("Put away")
            self._entry(menu, words, lambda: self.put_away_requested.emit(plan.plan_id, not away))
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
