"""Banners, empty states and cards."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.theme.style import set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import Button, IconButton, LinkButton, PrimaryButton
from tandem_desktop.ui.widgets.labels import IconLabel, announce, plain_label

_TONES = {
    "risk": ("warning", "risk"),
    "error": ("error", "removed_ink"),
    "info": ("info", "link"),
    "ok": ("check", "added_ink"),
}


class Banner(QFrame):
    """A message with a tone and actions as (key, label) pairs; emits `requested` with the key."""

    requested = Signal(str)
    dismissed = Signal()

    def __init__(
        self,
        theme: Theme,
        tone: str = "info",
        text: str = "",
        actions: tuple[tuple[str, str], ...] = (),
        *,
        dismissable: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("banner")
        self._icon = IconLabel(theme, "info", "link", parent=self)
        self._words = plain_label(wrap=True, parent=self)
        self._words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._links: list[LinkButton] = []
        self._close = IconButton(theme, "cross", tr("Dismiss"), size=24, parent=self)
        self._close.setVisible(dismissable)
        self._close.clicked.connect(self.dismissed)
        self._row = QHBoxLayout(self)
        for widget in (self._icon, self._words, self._close):
            self._row.addWidget(widget)
        self._row.setStretch(1, 1)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.set_message(tone, text, actions)

    @property
    def text(self) -> str:
        return self._words.text()

    def set_message(self, tone: str, text: str, actions: tuple[tuple[str, str], ...] = ()) -> None:
        """Set the message; it is announced to screen readers if the banner is visible."""
        icon_name, ink = _TONES[tone]
        set_role(self, f"banner-{tone}")
        self._icon.set_icon(icon_name, ink)
        set_role(self._words, {"risk": "risk", "error": "removed", "ok": "added"}.get(tone, ""))
        self._words.setText(text)
        self.setAccessibleName(text)
        self._set_actions(actions, ink)
        self._fit()
        if self.isVisible() and text:
            announce(self, text, urgent=tone == "error")

    def add_before_actions(self, widget: QWidget) -> None:
        """Add a permanent widget beside the message."""
        self._row.insertWidget(self._row.indexOf(self._words) + 1, widget)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _set_actions(self, actions: tuple[tuple[str, str], ...], ink: str) -> None:
        for link in self._links:
            self._row.removeWidget(link)
            link.hide()
            link.deleteLater()
        self._links = []
        for key, words in actions:
            link = LinkButton(self._theme, words, ink, self)
            link.setObjectName(f"banner-{key}")
            link.clicked.connect(lambda _checked=False, asked=key: self.requested.emit(asked))
            self._row.insertWidget(self._row.count() - 1, link)
            link.show()
            self._links.append(link)

    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(12), px(8), px(8), px(8))
        self._row.setSpacing(px(8))
        self._fit()

    def _fit(self) -> None:
        """Fix the height to that of the text at this width."""
        self._row.activate()
        wraps = self._row.hasHeightForWidth()
        self.setFixedHeight(self._row.totalHeightForWidth(self.width()) if wraps else self._row.sizeHint().height())


_CENTER = Qt.AlignmentFlag.AlignHCenter


class EmptyState(QWidget):
    """Icon, title, text and at most one action."""

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
        """Set the label's height: layouts ignore heightForWidth of centred widgets."""
        for label in (self._title, self._words):
            label.setMinimumHeight(max(0, label.heightForWidth(self._theme.px(360))))

    def _restyle(self) -> None:
        px = self._theme.px
        self._column.setContentsMargins(px(24), px(24), px(24), px(24))
        self._column.setSpacing(px(8))
        for label in (self._title, self._words):
            label.setFixedWidth(px(360))
        self._fit()


class Card(QFrame):
    """A framed box. Add widgets to `body`; `tone` is plain, raised, risk or selected."""

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
