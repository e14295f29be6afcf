"""A sentence across a pane about something that needs a look, with what can be done about it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from tandem_desktop.ui.theme.stylesheet import set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.announce import announce
from tandem_desktop.ui.widgets.icon_button import IconButton
from tandem_desktop.ui.widgets.icon_label import IconLabel
from tandem_desktop.ui.widgets.link_button import LinkButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import tr

_TONES = {
    "risk": ("warning", "risk"),
    "error": ("error", "removed_ink"),
    "info": ("info", "link"),
    "ok": ("check", "added_ink"),
}


class Banner(QFrame):
    """Tone, words, and actions as (key, words) pairs; an action is only asked for, never done here."""

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

    @property
    def words_label(self) -> QLabel:
        return self._words

    def set_message(self, tone: str, text: str, actions: tuple[tuple[str, str], ...] = ()) -> None:
        """Say something else; a listener is told when the banner is in sight."""
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
        """Something that stays beside the words, whatever they say."""
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
        """As high as its words are at this width; no layout may stretch or cut it."""
        self._row.activate()
        wraps = self._row.hasHeightForWidth()
        self.setFixedHeight(self._row.totalHeightForWidth(self.width()) if wraps else self._row.sizeHint().height())
