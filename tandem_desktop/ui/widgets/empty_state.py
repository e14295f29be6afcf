"""What stands where nothing is yet: what this place is for, and the one thing to do next."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button, PrimaryButton
from tandem_desktop.ui.widgets.icon_label import IconLabel
from tandem_desktop.ui.widgets.plain_text import plain_label

_CENTER = Qt.AlignmentFlag.AlignHCenter


class EmptyState(QWidget):
    """Icon, title, words, at most one action."""

    requested = Signal()

    def __init__(
        self,
        theme: Theme,
        icon_name: str,
        title: str,
        words: str = "",
        action: str = "",
        *,
        hint: str = "",
        primary: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("empty-state")
        self._icon = IconLabel(theme, icon_name, "muted", 32, self)
        self._title = plain_label(title, "title", wrap=True, parent=self)
        self._words = plain_label(words, "muted", wrap=True, parent=self)
        self.button = (PrimaryButton if primary else Button)(theme, action, hint, parent=self)
        self.button.setObjectName("empty-state-action")
        self.button.clicked.connect(self.requested)
        self._column = QVBoxLayout(self)
        self._column.addStretch(2)
        self._column.addWidget(self._icon, 0, _CENTER)
        for label in (self._title, self._words):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self._column.addWidget(label, 0, _CENTER)
        self._column.addSpacing(4)
        self._column.addWidget(self.button, 0, _CENTER)
        self._column.addStretch(3)
        theme.changed.connect(self._restyle)
        self.set_words(icon_name, title, words, action)
        self._restyle()

    def set_words(self, icon_name: str, title: str, words: str = "", action: str = "") -> None:
        self._icon.set_icon(icon_name, "muted")
        self._title.setText(title)
        self._words.setText(words)
        self._words.setVisible(bool(words))
        self.button.setText(action)
        self.button.setVisible(bool(action))
        self.setAccessibleName(title)
        self.setAccessibleDescription(words)
        self._fit()

    def _fit(self) -> None:
        """A centred label is not asked for its height at its width, so it is told."""
        for label in (self._title, self._words):
            label.setMinimumHeight(max(0, label.heightForWidth(self._theme.px(360))))

    def _restyle(self) -> None:
        px = self._theme.px
        self._column.setContentsMargins(px(24), px(24), px(24), px(24))
        self._column.setSpacing(px(8))
        for label in (self._title, self._words):
            label.setFixedWidth(px(360))
        self._fit()
