"""Banners, empty states and cards."""

from collections.abc import Collection

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.theme.style import set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import Button, IconButton, LinkButton, PrimaryButton
from tandem_desktop.ui.widgets.decision_guard import DecisionGuard
from tandem_desktop.ui.widgets.labels import IconLabel, announce, plain_label

_TONES = {
    "risk": ("warning", "risk"),
    "error": ("error", "removed_ink"),
    "info": ("info", "link"),
    "ok": ("check", "added_ink"),
    "quiet": ("", "link"),
}
"""The icon of each tone, and its ink. What is quiet is a line of plain words without a ground."""


_GRAVITY = ("error", "risk", "ok", "info", "quiet")
_LEAST_WORDS = 330
"""The width below which the actions stand under the message."""


class Banner(QFrame):
    """A message with a tone and actions as (key, label) pairs; emits `requested` with the key."""

    requested = Signal(str)
    more_requested = Signal()
    """Show or hide the messages behind this one."""
    changed = Signal()
    keyboard_left = Signal()
    """The action that had the keyboard is gone."""
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
        self._offered: tuple[object, ...] = ()
        self._guard = DecisionGuard(self)
        self._close = IconButton(theme, "cross", tr("Dismiss"), size=24, parent=self)
        self._close.setVisible(dismissable)
        self._close.clicked.connect(self.dismissed)
        self._more = LinkButton(theme, "", parent=self)
        self._more.setObjectName("banner-more")
        self._more.clicked.connect(self.more_requested)
        self._more.hide()
        self._row = QHBoxLayout()
        for widget in (self._icon, self._words, self._more, self._close):
            self._row.addWidget(widget)
        self._row.setStretch(1, 1)
        self._below = QHBoxLayout()
        self._below.addStretch(1)
        self._column = QVBoxLayout(self)
        self._column.addLayout(self._row)
        self._column.addLayout(self._below)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.set_message(tone, text, actions)

    @property
    def text(self) -> str:
        return self._words.text()

    @property
    def gravity(self) -> int:
        """The lower, the graver."""
        return _GRAVITY.index(self._tone)

    def count_more(self, count: int, *, are_shown: bool = False) -> None:
        """Say how many messages are behind this one; zero for none."""
        self._more.setVisible(count > 0)
        self._more.setText(tr("Show one") if are_shown else tr_n("{n} more", "{n} more", count))
        self._fit()

    _tone = "info"

    def set_message(
        self, tone: str, text: str, actions: tuple[tuple[str, str], ...] = (), *, decides: Collection[str] = ()
    ) -> None:
        """Set the message; it is announced to screen readers if the banner is visible.

        Actions whose keys are in `decides` give leave for something: they wait as on a card, and anew when the
        message is another one.
        """
        if decides and text != self._words.text():
            self._guard.hold()
        icon_name, ink = _TONES[tone]
        set_role(self, f"banner-{tone}")
        self._icon.setVisible(bool(icon_name))
        if icon_name:
            self._icon.set_icon(icon_name, ink)
        set_role(self._words, {"risk": "risk", "error": "removed", "ok": "added", "quiet": "muted"}.get(tone, ""))
        self._words.setText(text)
        self.setAccessibleName(text)
        if self._offered != (actions, ink, decides):
            self._offered = (actions, ink, decides)
            self._set_actions(actions, ink, decides)
        is_another, self._tone = tone != self._tone, tone
        self._fit()
        if is_another:
            self.changed.emit()
        if self.isVisible() and text:
            announce(self, text, urgent=tone == "error")

    def add_before_actions(self, widget: QWidget) -> None:
        """Add a permanent widget beside the message."""
        self._row.insertWidget(self._row.indexOf(self._words) + 1, widget)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _set_actions(self, actions: tuple[tuple[str, str], ...], ink: str, decides: Collection[str]) -> None:
        had_keyboard = any(link.hasFocus() for link in self._links)
        for link in self._links:
            self._guard.forget(link)
            self._row.removeWidget(link)
            self._below.removeWidget(link)
            link.hide()
            link.deleteLater()
        self._links = []
        for key, words in actions:
            link = LinkButton(self._theme, words, ink, self)
            link.setObjectName(f"banner-{key}")
            link.clicked.connect(lambda _checked=False, asked=key: self.requested.emit(asked))
            self._row.insertWidget(self._row.indexOf(self._more), link)
            link.show()
            self._links.append(link)
            if key in decides:
                self._guard.decides(link)
        if had_keyboard:
            self.keyboard_left.emit()

    def _restyle(self) -> None:
        px = self._theme.px
        for layout in (self._column, self._row, self._below):
            layout.setSpacing(px(8))
        self._column.setSpacing(px(4))
        self._fit()

    def _fit(self) -> None:
        """Put the actions where they leave room for the message, and fix the height to that of the text."""
        margins = (0, 2, 0, 2) if self._tone == "quiet" else (12, 8, 8, 8)
        self._column.setContentsMargins(*map(self._theme.px, margins))
        taken = sum(link.sizeHint().width() + self._theme.px(8) for link in self._links)
        words = self._words.fontMetrics().horizontalAdvance(self._words.text())
        is_narrow = bool(self._links) and self.width() - taken < min(words, self._theme.px(_LEAST_WORDS))
        for link in self._links:
            is_below = self._below.indexOf(link) >= 0
            if is_narrow and not is_below:
                self._row.removeWidget(link)
                self._below.addWidget(link)
            elif is_below and not is_narrow:
                self._below.removeWidget(link)
                self._row.insertWidget(self._row.indexOf(self._more), link)
        self._column.activate()
        wraps = self._column.hasHeightForWidth()
        height = self._column.totalHeightForWidth(self.width()) if wraps else self._column.sizeHint().height()
        self.setFixedHeight(height)


class BannerStack(QWidget):
    """Shows the gravest of its banners; the others are counted on it and open below by a click.

    A banner takes part while it is not hidden.
    """

    rearranged = Signal(int)
    """By how much the height has changed."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._holders: list[tuple[QWidget, Banner]] = []
        self._is_open = False
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme.px(4))
        self.hide()

    def put(self, banner: Banner, at: int) -> None:
        """Add a banner; of equally grave ones the first counts."""
        holder = QWidget(self)
        inside = QVBoxLayout(holder)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(banner)
        self._holders.insert(at, (holder, banner))
        self._column.insertWidget(at, holder)
        banner.installEventFilter(self)
        banner.changed.connect(self.rearrange)
        banner.more_requested.connect(self._toggle)
        self.rearrange()

    def take(self, banner: Banner) -> None:
        """Remove a banner for good."""
        for holder, known in tuple(self._holders):
            if known is banner:
                self._holders.remove((holder, known))
                banner.removeEventFilter(self)
                banner.hide()
                self._column.removeWidget(holder)
                holder.hide()
                holder.deleteLater()
        self.rearrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self.rearrange()
        return super().eventFilter(watched, event)

    def rearrange(self) -> None:
        before = self.height() if self.isVisible() else 0
        wanted = [banner for _, banner in self._holders if not banner.isHidden()]
        gravest = min(wanted, key=lambda each: each.gravity, default=None)
        self._is_open = self._is_open and len(wanted) > 1
        for holder, banner in self._holders:
            banner.count_more(len(wanted) - 1 if banner is gravest else 0, are_shown=self._is_open)
            holder.setVisible(banner in wanted and (self._is_open or banner is gravest))
        self.setVisible(bool(wanted))
        after = self._column.sizeHint().height() if wanted else 0
        if after != before:
            self.rearranged.emit(after - before)

    def _toggle(self) -> None:
        self._is_open = not self._is_open
        self.rearrange()


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
