"""Which panes of the window are shown: plans, conversation, plan."""

from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtWidgets import QApplication, QWidget

from tandem_desktop.ui.theme.theme import Theme

CHAT_WIDTH = 440
_RAIL_FROM = 1080
"""In a narrower window the plan list is hidden until it is asked for."""
_SHOWN, _HIDDEN = "shown", "hidden"


class PaneLayout(QObject):
    """Shows and hides the plan list and the conversation; remembered. The plan is always shown."""

    changed = Signal()

    def __init__(self, theme: Theme, settings: QSettings, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._settings, self._window = theme, settings, parent
        self._panes: tuple[QWidget, QWidget, QWidget] | None = None
        self._rail = str(settings.value("panes/rail", ""))
        """`shown` or `hidden` by choice; otherwise by the width of the window."""
        self._has_chat = str(settings.value("panes/chat", _SHOWN)) != _HIDDEN
        self.is_review = str(settings.value("panes/review", "")) == _SHOWN
        """Whether the plan has the whole window."""

    def enter(self, rail: QWidget, chat: QWidget, plan: QWidget) -> None:
        """The panes of a workspace; `plan` takes the keyboard from a pane that is hidden."""
        self._panes = (rail, chat, plan)
        self.fit()

    def leave(self) -> None:
        self._panes = None

    @property
    def shows_rail(self) -> bool:
        is_wide = self._window.width() >= self._theme.px(_RAIL_FROM)
        return not self.is_review and (self._rail == _SHOWN or (is_wide and self._rail != _HIDDEN))

    @property
    def shows_chat(self) -> bool:
        return not self.is_review and self._has_chat

    def toggle_rail(self) -> None:
        wanted = not self.shows_rail
        self.is_review = False
        self._rail = ""
        if self.shows_rail is not wanted:
            self._rail = _SHOWN if wanted else _HIDDEN
        self._keep()

    def toggle_chat(self) -> None:
        self._has_chat = not self.shows_chat
        self.is_review = False
        self._keep()

    def toggle_review(self) -> None:
        """Give the plan the whole window, or bring back what was shown before."""
        self.is_review = not self.is_review
        self._keep()
        if self.is_review and self._panes is not None:
            self._panes[2].setFocus()

    def show_chat(self) -> None:
        """Something is to be read or written in the conversation."""
        if not self.shows_chat:
            self.toggle_chat()

    def fit(self) -> None:
        """Show the panes there is room for."""
        if self._panes is None:
            return
        rail, chat, plan = self._panes
        room = self._window.width() - (self._theme.px(216) if self.shows_rail else 0)
        chat.setMinimumWidth(min(self._theme.px(CHAT_WIDTH), room * 9 // 20))
        for pane, is_shown in ((rail, self.shows_rail), (chat, self.shows_chat)):
            focused = QApplication.focusWidget()
            if not is_shown and focused is not None and pane.isAncestorOf(focused):
                plan.setFocus()
            pane.setVisible(is_shown)
        self.changed.emit()

    def _keep(self) -> None:
        self._settings.setValue("panes/rail", self._rail)
        self._settings.setValue("panes/chat", _SHOWN if self._has_chat else _HIDDEN)
        self._settings.setValue("panes/review", _SHOWN if self.is_review else "")
        self.fit()
