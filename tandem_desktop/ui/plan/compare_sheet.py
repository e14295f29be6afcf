"""The sheet that compares two revisions."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QListWidget, QListWidgetItem, QWidget

from tandem_desktop.domain.ids import PlanId
from tandem_desktop.plans.index import PlanSummary
from tandem_desktop.review.compare import ComparedOperation, Comparison, Interdiff
from tandem_desktop.ui.diff.loader import DiffLoader
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.i18n import tr, tr_marked
from tandem_desktop.ui.plan import page_text
from tandem_desktop.ui.plan.row_diff import DiffSource
from tandem_desktop.ui.plan.sheets import Sheet, Spacing
from tandem_desktop.ui.theme.style import icon
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import QuietButton
from tandem_desktop.ui.widgets.labels import plain_label, plain_tooltip

_WIDE, _MARGIN, _LIST = 1240, 24, 300
_SIGNS = {
    "changed": ("file-edit", "link"),
    "new": ("file-create", "added_ink"),
    "gone": ("file-delete", "removed_ink"),
    "moved": ("drag", "muted"),
}


class CompareSheet(Sheet):
    """Requests a comparison for each chosen pair and shows it."""

    pair_chosen = Signal(int, int, str)
    """The earlier and the later revision, and the plan the earlier is of; answered by `show_found`."""
    restore_requested = Signal(int)
    """A revision to restore as the newest one."""

    def __init__(self, host: QWidget, theme: Theme, source: DiffSource) -> None:
        super().__init__(host, theme, "compare-sheet", tr("Compare revisions"), wide=_WIDE)
        self._between: dict[str, Interdiff] = {}
        self.earlier, self.later = QComboBox(), QComboBox()
        for box, name, words in (
            (self.earlier, "earlier", tr("Earlier revision")),
            (self.later, "later", tr("Later revision")),
        ):
            box.setObjectName(f"compare-{name}")
            box.setAccessibleName(words)
            box.activated.connect(self._choose)
        self.plan = QComboBox()
        self.plan.setObjectName("compare-plan")
        self.plan.setAccessibleName(tr("The plan of the earlier revision"))
        self.plan.activated.connect(self._choose_plan)
        self.said = plain_label("", "muted", wrap=True)
        top = QHBoxLayout()
        Spacing(theme, top, between=8)
        for widget in (plain_label(tr("From")), self.earlier, self.plan, plain_label(tr("to")), self.later):
            top.addWidget(widget)
        top.addWidget(self.said, 1)
        self.list = QListWidget()
        self.list.setObjectName("compare-operations")
        self.list.setAccessibleName(tr("What is different"))
        self.list.setFixedWidth(theme.px(_LIST))
        self.list.currentRowChanged.connect(self._show_row)
        self.words = plain_label("", "muted", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.diff = DiffView(theme)
        self.diff.setObjectName("compare-diff")
        self.diff.set_offers(())
        self._loader = DiffLoader(self.diff, source.commands, source.executor, self)
        main = QHBoxLayout()
        Spacing(theme, main, between=12)
        main.addWidget(self.list)
        main.addWidget(self.words, 1)
        main.addWidget(self.diff, 1)
        self.body.addLayout(top)
        self.body.addLayout(main, 1)
        self.restore = QuietButton(theme, tr("Restore"))
        self.restore.setObjectName("compare-restore")
        self.restore.clicked.connect(self._restore)
        self.back = QuietButton(theme, tr("Back to review"))
        self.back.setObjectName("compare-back")
        self.back.clicked.connect(self.leave)
        self.add_buttons(self.restore, self.back)

    def ask(
        self,
        plan: PlanSummary,
        earlier: tuple[PlanId, int],
        later: int,
        *,
        may_restore: bool,
        alternatives: Sequence[PlanSummary] = (),
    ) -> None:
        """Open on a revision of a plan, compared with one of it or of an alternative."""
        self._latest, self._may_restore = plan.revision, may_restore
        self._own = plan.plan_id
        self.plan.clear()
        self.plan.addItem(tr("of this plan"), plan)
        for other in alternatives:
            self.plan.addItem(tr("of the alternative {plan_id}", plan_id=other.plan_id), other)
        self.plan.setVisible(bool(alternatives))
        known = [each.plan_id for each in (plan, *alternatives)]
        self.plan.setCurrentIndex(known.index(earlier[0]) if earlier[0] in known else 0)
        _fill(self.earlier, self._other.revision, earlier[1])
        _fill(self.later, plan.revision, later)
        self.list.clear()
        self.said.clear()
        self.open(self.earlier)
        self._choose()

    _latest = 0
    _may_restore = False
    _own = PlanId("")

    @property
    def _other(self) -> PlanSummary:
        """The plan the earlier revision is of."""
        found: PlanSummary = self.plan.currentData()
        return found

    def show_found(self, comparison: Comparison, between: Sequence[Interdiff]) -> None:
        self._between = {each.operation.id: each for each in between}
        self.said.setText(page_text.comparison_counts(comparison))
        self.list.clear()
        for word, operation in _differences(comparison):
            name = page_text.compared_name(operation)
            item = QListWidgetItem(icon(self._theme, *_SIGNS[word]), f"{tr_marked(word)}  {name}")
            item.setData(Qt.ItemDataRole.UserRole, (word, operation))
            item.setToolTip(plain_tooltip(name))
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        if not self.list.count():
            self._tell(tr("No operation does anything else."))

    def fit(self) -> None:
        margin = self._theme.px(_MARGIN)
        width = min(self._theme.px(self._wide), self.width() - 2 * margin)
        self.card.setGeometry((self.width() - width) // 2, margin, width, self.height() - 2 * margin)

    def _choose(self, _index: int = 0) -> None:
        earlier, later = self.earlier.currentData(), self.later.currentData()
        self.restore.setText(tr("Bring r{earlier} back", earlier=earlier))
        self.restore.setVisible(self._may_restore and self._other.plan_id == self._own and earlier != self._latest)
        self.pair_chosen.emit(earlier, later, self._other.plan_id)

    def _choose_plan(self, _index: int) -> None:
        _fill(self.earlier, self._other.revision, self._other.revision)
        self._choose()

    def _restore(self) -> None:
        self.shut()
        self.restore_requested.emit(self.earlier.currentData())

    def _show_row(self, row: int) -> None:
        if row < 0:
            return
        word, operation = self.list.item(row).data(Qt.ItemDataRole.UserRole)
        earlier, later = f"r{self.earlier.currentData()}", f"r{self.later.currentData()}"
        if self._other.plan_id != self._own:
            earlier = tr("the alternative’s {earlier}", earlier=earlier)
        between = self._between.get(operation.id) if word == "changed" else None
        if between is not None and between.earlier != between.later:
            self.words.hide()
            self.diff.show()
            self._loader.show(operation.path or "", between.earlier, between.later, known_hunks=between.hunks)
        elif word == "changed":
            self._tell(
                tr(
                    "What it leaves is the same; its command, mode, base or order of waiting is another in {later}.",
                    later=later,
                )
            )
        elif word == "moved":
            self._tell(tr("It does the same in both, at another place in the order of {later}.", later=later))
        else:
            where = later if word == "new" else earlier
            if operation.kind.spec.is_run:
                self._tell(tr("This command is only in {where}.", where=where))
            else:
                self._tell(tr("This operation is only in {where}.", where=where))

    def _tell(self, words: str) -> None:
        self.diff.hide()
        self.words.setText(words)
        self.words.show()


def _fill(box: QComboBox, latest: int, chosen: int) -> None:
    box.clear()
    for number in range(latest, 0, -1):
        box.addItem(tr("r{number} · latest", number=number) if number == latest else f"r{number}", number)
    box.setCurrentIndex(box.findData(chosen))


def _differences(comparison: Comparison) -> Iterator[tuple[str, ComparedOperation]]:
    """One label per operation, the most important one."""
    told = {operation.id for operation in (*comparison.changed, *comparison.added)}
    yield from (("changed", operation) for operation in comparison.changed)
    yield from (("new", operation) for operation in comparison.added)
    yield from (("gone", operation) for operation in comparison.removed)
    yield from (("moved", operation) for operation in comparison.reordered if operation.id not in told)
