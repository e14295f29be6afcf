"""Give a plan a name of one's own."""

from collections.abc import Callable

from PySide6.QtWidgets import QLineEdit, QWidget

from tandem_desktop.ui.plan.sheet import Sheet
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import later, tr, tr_marked

_WORDS = later(
    "Only the list calls it so, on this machine. The plan keeps its own title; an empty name brings that back."
)
_LONGEST = 120


class NameSheet(Sheet):
    """One field; Enter takes it."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "name-sheet", tr("Rename"), wide=460)
        self._named: Callable[[str], None] = lambda name: None
        self.body.addWidget(plain_label(tr_marked(_WORDS), "muted", wrap=True))
        self.field = QLineEdit()
        self.field.setObjectName("name-field")
        self.field.setAccessibleName(tr("Name in the list of plans"))
        self.field.setMaxLength(_LONGEST)
        self.field.returnPressed.connect(self._take)
        self.body.addWidget(self.field)
        back = QuietButton(theme, tr("Back"), "Esc")
        back.setObjectName("name-back")
        back.clicked.connect(self.leave)
        take = PrimaryButton(theme, tr("Rename"))
        take.setObjectName("name-take")
        take.clicked.connect(self._take)
        self.add_buttons(back, take)

    def ask(self, name: str, named: Callable[[str], None]) -> None:
        self._named = named
        self.field.setText(name)
        self.field.selectAll()
        self.open(self.field)

    def _take(self) -> None:
        self.shut()
        self._named(" ".join(self.field.text().split()))
