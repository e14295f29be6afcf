"""A plain question before something is given up."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from tandem_desktop.ui.plan.sheet import Sheet
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import DangerButton, QuietButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import tr


class ConfirmSheet(Sheet):
    """Says what will happen; the way back has the focus."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "confirm-sheet", tr("Are you sure?"), wide=460)
        self._confirmed: Callable[[], None] = lambda: None
        self.said = plain_label("", "muted", wrap=True)
        self.body.addWidget(self.said)
        self.back = QuietButton(theme, tr("Keep the plan"))
        self.back.setObjectName("confirm-back")
        self.back.clicked.connect(self.leave)
        self.sure = DangerButton(theme, tr("Yes"))
        self.sure.setObjectName("confirm-sure")
        self.sure.clicked.connect(self._confirm)
        self.add_buttons(self.back, self.sure)

    def ask(self, title: str, words: str, sure: str, confirmed: Callable[[], None]) -> None:
        self.title.setText(title)
        self.said.setText(words)
        self.sure.setText(sure)
        self._confirmed = confirmed
        self.open(self.back)
        self.decides(self.sure, True)

    def _confirm(self) -> None:
        self.shut()
        self._confirmed()
