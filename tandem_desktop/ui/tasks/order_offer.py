"""A better order of the operations, offered with its reasons; taking it is the person's own reordering."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.staging.text import visible
from tandem_desktop.tasks.suggested_order import SuggestedOrder
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banner import Banner
from tandem_desktop.ui.words import some_of, tr

_USE, _NOT_NOW = "use", "not-now"
_NAMED = 8


class OrderOffer(QWidget):
    """Hidden while there is nothing to suggest, and for an order the person did not want."""

    accepted = Signal(object)
    """Every `OperationId`, in the new order."""
    answered = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("order-offer")
        self._suggested: SuggestedOrder | None = None
        self._unwanted: tuple[OperationId, ...] = ()
        self.banner = Banner(theme, parent=self)
        self.banner.requested.connect(self._answer)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, (12, 0, 12, 4))
        layout.addWidget(self.banner)
        self.hide()

    def show_order(self, suggested: SuggestedOrder | None) -> None:
        self._suggested = suggested
        self.setVisible(suggested is not None and suggested.order != self._unwanted)
        if suggested is not None:
            actions = ((_USE, tr("Use this order")), (_NOT_NOW, tr("Not now")))
            self.banner.set_message("info", words(suggested), actions)

    def show_advice(self, suggested: SuggestedOrder, present: tuple[OperationId, ...]) -> None:
        """What an agent said; it may be that the order is good as it is."""
        self._unwanted = ()
        self.show_order(suggested)
        if suggested.order == present:
            reasons = visible(" ".join(suggested.reasons))
            said = tr("{agent} finds the order good as it is: {reasons}", agent=visible(suggested.by), reasons=reasons)
            self.banner.set_message("info", said, ((_NOT_NOW, tr("Done")),))

    def _answer(self, action: str) -> None:
        if self._suggested is None:
            return
        order = self._suggested.order
        if action == _NOT_NOW:
            self._unwanted = order
        self.hide()
        self.answered.emit()
        if action == _USE:
            self.accepted.emit(order)


def words(suggested: SuggestedOrder) -> str:
    """`Suggested order: s1, s3, s2. The 2 operations of “Tests” stay together.`, and who suggests it, if an agent."""
    names, reasons = some_of(suggested.order, _NAMED), visible(" ".join(suggested.reasons))
    if suggested.by:
        agent = visible(suggested.by)
        return tr("{agent} suggests the order {names}: {reasons}", agent=agent, names=names, reasons=reasons)
    return tr("Suggested order: {names}. {reasons}", names=names, reasons=reasons)
