"""The operations with everything that is pinned around them: banners, the result, what needs attention, the filter."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.review.totals import by_folder
from tandem_desktop.ui.models.operation_row import OperationRow, Shown, Sorting
from tandem_desktop.ui.models.staged_operations_model import StagedOperationsModel
from tandem_desktop.ui.plan.attention_strip import AttentionStrip
from tandem_desktop.ui.plan.empty_plan import Emptiness, EmptyPlan
from tandem_desktop.ui.plan.filter_bar import FilterBar
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.plan_page_facts import BannerWords
from tandem_desktop.ui.plan.rehearsal_line import RehearsalLine
from tandem_desktop.ui.plan.result_line import ResultLine
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banner import Banner


class OperationsTab(QWidget):
    """Places the parts and lets them talk to each other."""

    banner_requested = Signal(str)
    folder_requested = Signal()
    """Another folder is to be worked on."""

    def __init__(
        self, theme: Theme, model: StagedOperationsModel, make_content: Callable[[OperationRow], OperationContent]
    ) -> None:
        super().__init__()
        self.setObjectName("operations-tab")
        self._theme = theme
        self._model = model
        self._banners: list[Banner] = []
        self._why = Emptiness.NO_PLAN
        self.result = ResultLine(theme)
        self.rehearsal = RehearsalLine(theme)
        self.attention = AttentionStrip(theme)
        self.filter = FilterBar(theme)
        self.list = OperationList(model, theme, make_content)
        self.empty = EmptyPlan(theme)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.list)
        self._stack.addWidget(self.empty)
        self._above = QVBoxLayout()
        Spacing(theme, self._above, (12, 8, 12, 0), 8)
        self._above.addWidget(self.result)
        self._above.addWidget(self.rehearsal)
        self._above.addWidget(self.attention)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, between=0)
        layout.addLayout(self._above)
        layout.addWidget(self.filter)
        layout.addWidget(self._stack, 1)
        self.attention.jump_requested.connect(self.jump)
        self.list.filter_requested.connect(self._ask_for_filter)
        self.filter.changed.connect(self._filter)
        self.filter.left.connect(self.list.setFocus)
        self.filter.next_requested.connect(self._to_the_list)
        self.empty.requested.connect(self._leave_empty)
        model.modelReset.connect(self._arrange)
        model.rowsInserted.connect(self._arrange)
        self._arrange()

    def say_why_empty(self, why: Emptiness) -> None:
        self._why = why
        self._arrange()

    def show_banners(self, banners: Iterable[BannerWords]) -> None:
        wanted = list(banners)
        while len(self._banners) > len(wanted):
            old = self._banners.pop()
            self._above.removeWidget(old)
            old.hide()
            old.deleteLater()
        while len(self._banners) < len(wanted):
            banner = Banner(self._theme, parent=self)
            banner.requested.connect(self.banner_requested)
            banner.setObjectName(f"plan-banner-{len(self._banners)}")
            self._above.insertWidget(len(self._banners), banner)
            self._banners.append(banner)
            banner.show()
        for banner, words in zip(self._banners, wanted, strict=True):
            banner.set_message(words.tone, words.text, words.actions)
        self._arrange()

    def jump(self, operation_id: OperationId) -> None:
        """To an operation, also when a filter hides it."""
        if self._model.row_of(operation_id) < 0:
            self.filter.leave()
        self.list.go_to(operation_id, open_it=True)
        self.list.setFocus()

    def _ask_for_filter(self) -> None:
        self.filter.show_folders(by_folder(self._model.views()))
        self.filter.ask()

    def _filter(self, text: str, which: Shown, sorting: Sorting) -> None:
        self._model.set_filter(text, which, sorting)
        found = self._model.rowCount()
        self.filter.field.set_count(f"{found:,} of {self._model.total:,}" if self.filter.is_used else "")

    def _leave_empty(self) -> None:
        if self.empty.why is Emptiness.NO_FILES:
            self.folder_requested.emit()
        else:
            self.filter.leave()

    def _to_the_list(self) -> None:
        if self._model.rowCount():
            self.list.setFocus()
            self.list.setCurrentIndex(self._model.index(0))

    def _arrange(self) -> None:
        if not self._model.rowCount():
            self.empty.show_why(Emptiness.NOTHING_FOUND if self._model.total else self._why)
        self._stack.setCurrentIndex(0 if self._model.rowCount() else 1)
        is_said_below = self._why is Emptiness.DRAFTING and not self._model.total
        for banner in self._banners:
            banner.setVisible(not is_said_below)
