"""A rounded frame that holds what belongs together."""

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from tandem_desktop.ui.theme.stylesheet import set_role
from tandem_desktop.ui.theme.theme import Theme


class Card(QFrame):
    """Put widgets into `body`; `tone` is plain, raised, risk or selected."""

    def __init__(self, theme: Theme, tone: str = "plain", padding: int = 12, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._padding = padding
        self.body = QVBoxLayout(self)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.set_tone(tone)

    def set_tone(self, tone: str) -> None:
        set_role(self, "card" if tone == "plain" else f"card-{tone}")

    def _restyle(self) -> None:
        around = self._theme.px(self._padding)
        self.body.setContentsMargins(around, around, around, around)
        self.body.setSpacing(self._theme.px(4))
