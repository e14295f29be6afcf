"""The rehearsal result of one command."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.models.operations import Index, OperationRow, StagedOperationsModel
from tandem_desktop.ui.plan import rehearsal_text
from tandem_desktop.ui.plan.operation_content import CodeBox, ContentPart, OperationContent
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.rehearsal_text import Rehearsed
from tandem_desktop.ui.plan.row_geometry import GAP
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.chips import Segmented
from tandem_desktop.ui.widgets.labels import plain_label

_RUN, _RECORDED = "run", "recorded"


class RehearsedPart(ContentPart):
    """Hidden until there was a rehearsal. The effects are operations like any other, with their diffs."""

    record_requested = Signal()
    """Use the recorded effects instead of the command."""

    def __init__(self, theme: Theme, make_content: Callable[[OperationRow], OperationContent]) -> None:
        super().__init__()
        self.theme = theme
        self._make_content = make_content
        self._shown: tuple[Rehearsed, bool] | None = None
        self._effects: EffectList | None = None
        self.setObjectName("operation-rehearsed")
        self.setAccessibleName(tr("Rehearsal of the command"))
        self._title = plain_label("", "section")
        self.ended = plain_label("", "muted", wrap=True)
        self.ended.setObjectName("rehearsed-outcome")
        self.doubt = QFrame()
        self.doubt.setProperty("role", "banner-risk")
        self.doubts = plain_label("", "risk", wrap=True)
        self.doubts.setObjectName("rehearsed-doubts")
        inside = QVBoxLayout(self.doubt)
        inside.setContentsMargins(theme.px(10), theme.px(6), theme.px(10), theme.px(6))
        inside.addWidget(self.doubts)
        self.choice = Segmented(
            theme,
            ((_RUN, tr("Will really run")), (_RECORDED, tr("Apply the recorded effects"))),
            tr("When the plan is implemented"),
        )
        self.choice.chosen.connect(self._choose)
        self.why_not = plain_label("", "muted", wrap=True)
        self.why_not.setObjectName("rehearsed-why-not")
        self.output = CodeBox(theme, tr("Output in the rehearsal"))
        self.output.setObjectName("rehearsed-output")
        self.output.fitted.connect(self.height_changed)
        self._output_title = plain_label(tr("Output in the rehearsal"), "section")
        self._effects_title = plain_label(tr("File effects in the copy"), "section")
        choosing = QHBoxLayout()
        choosing.setSpacing(theme.px(12))
        choosing.addWidget(self.choice)
        choosing.addWidget(self.why_not, 1)
        choosing.addStretch()
        self._head = QWidget()
        inner = QVBoxLayout(self._head)
        inner.setContentsMargins(theme.px(14), theme.px(4), theme.px(14), theme.px(4))
        inner.setSpacing(theme.px(6))
        inner.addWidget(self._title)
        inner.addWidget(self.ended)
        inner.addWidget(self.doubt)
        inner.addLayout(choosing)
        for widget in (self._output_title, self.output, self._effects_title):
            inner.addWidget(widget)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addWidget(self._head)
        self.hide()

    def wanted_height(self, width: int, page: int) -> int:
        layout = self._head.layout()
        assert layout is not None
        height = max(layout.minimumSize().height(), layout.totalHeightForWidth(width))
        if self._effects is not None and self._effects.isVisibleTo(self):
            self._effects.setFixedHeight(self._effects.wanted_height)
            height += self._effects.wanted_height
        return int(height)

    def show_row(self, row: OperationRow, *, is_decidable: bool) -> None:
        found = row.rehearsed
        if found is None or row.running or not (found.output or found.is_settled):
            if not self.isHidden():
                self._shown = None
                self.hide()
                self.height_changed.emit()
            return
        if self._shown == (found, is_decidable):
            return
        self._shown = (found, is_decidable)
        self._show(found, is_decidable)
        self.show()
        self.height_changed.emit()

    def _show(self, found: Rehearsed, is_decidable: bool) -> None:
        ended = rehearsal_text.outcome(found) if not found.is_under_way else tr("It runs in the copy now.")
        stale = ""
        if found.is_stale:
            stale = tr("Of revision {revision}; the plan changed since. Rehearse it again.", revision=found.revision)
        self._title.setText(tr("Rehearsing in a copy") if found.is_under_way else tr("Rehearsed in a copy"))
        self.ended.setText(f"{stale} {ended}".lstrip())
        self.doubts.setText(rehearsal_text.previewable(found))
        self.doubt.setVisible(bool(found.doubts))
        self.output.setVisible(bool(found.output))
        self._output_title.setVisible(bool(found.output))
        self.output.show_text(found.output)
        may = is_decidable and found.is_settled and not found.is_stale
        self.choice.setVisible(may)
        self.choice.set_current(_RUN)
        self.choice.set_allowed(_RECORDED, not found.refusal)
        why_not = tr("The effects cannot take its place: {refusal}.", refusal=found.refusal)
        self.why_not.setText(why_not if may and found.refusal else "")
        self.why_not.setVisible(bool(self.why_not.text()))
        self._show_effects(found)

    def _show_effects(self, found: Rehearsed) -> None:
        self._effects_title.setVisible(bool(found.effects))
        self._effects_title.setText(
            tr_n(
                "File effects in the copy: {n} operation",
                "File effects in the copy: {n} operations",
                len(found.effects),
            )
        )
        if self._effects is None and found.effects:
            self._effects = EffectList(self.theme, self._make_content)
            self._effects.grown.connect(self.height_changed)
            self._layout.addWidget(self._effects)
        if self._effects is not None:
            self._effects.setVisible(bool(found.effects))
            if self._effects.operations().views() != found.effects:
                self._effects.operations().show(found.effects)

    def _choose(self, key: str) -> None:
        if key == _RECORDED:
            self.record_requested.emit()


class EffectList(OperationList):
    """The effects of one command: read-only, as high as its content."""

    grown = Signal()

    def __init__(self, theme: Theme, make_content: Callable[[OperationRow], OperationContent]) -> None:
        self.wanted_height = 0
        model = StagedOperationsModel()
        super().__init__(model, theme, make_content)
        model.setParent(self)
        self.setObjectName("effect-list")
        self.setAccessibleName(tr("File effects in the copy"))
        self.set_editable(False)

    def _update_layout(self, shift: int = 0) -> None:
        super()._update_layout(shift)
        if self.places.total != self.wanted_height:
            self.wanted_height = self.places.total
            self.grown.emit()

    @property
    def _around(self) -> OperationList | None:
        """The list that scrolls this one."""
        around: QWidget | None = self.parentWidget()
        while around is not None and not isinstance(around, OperationList):
            around = around.parentWidget()
        return around

    def page_height(self) -> int:
        around = self._around
        return around.page_height() if around is not None else super().page_height()

    def reading_area(self) -> tuple[int, int]:
        if (around := self._around) is None:
            return super().reading_area()
        first, last = around.reading_area()
        top = self.viewport().mapTo(around.viewport(), QPoint(0, 0)).y()
        return first - top, last - top

    def scroll_by(self, pixels: int) -> None:
        if (around := self._around) is not None:
            around.scroll_by(pixels)

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        if not self.hasFocus() or not index.isValid():
            return
        place, (first, last) = self.visualRect(index), self.reading_area()
        above, below = place.top() - first, place.bottom() + self.theme.px(GAP) - last
        if above < 0 or below > 0:
            self.scroll_by(above if above < 0 else min(above, below))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if not self.currentIndex().isValid() and self.model().rowCount():
            self.setCurrentIndex(self.model().index(0, 0))
        self.scrollTo(self.currentIndex())
