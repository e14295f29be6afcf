"""A request that had better be planned is held for a moment: the reason is said, and the person decides."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from tandem_desktop.policy.qualification import qualify
from tandem_desktop.ui.chat.chat_pane import ChatPane
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banner import Banner
from tandem_desktop.ui.words import later, tr_marked

_LONGEST_NAME = 200
_WAYS = (("plan-first", later("Plan it first")), ("at-once", later("Do it at once")))


class FirstLook(QObject):
    """Looks at what is sent while Plan mode is off; a recipe, which starts with a slash, says itself what it does."""

    cleared = Signal(str)
    """Words that may go to the agent."""
    plan_wanted = Signal()

    def __init__(self, theme: Theme, chat: ChatPane, workspace: Path, plan_mode: Callable[[], bool]) -> None:
        super().__init__(chat)
        self._workspace = workspace
        self._plan_mode = plan_mode
        self._chat = chat
        self._held = ""
        self._banner = Banner(theme, parent=chat)
        self._banner.setObjectName("first-look")
        self._banner.requested.connect(self._decided)
        self._banner.hide()
        chat.place_above_composer(self._banner)

    def consider(self, text: str) -> None:
        """Let the words pass, or hold them and say why they had better be planned."""
        found = qualify(text, self._is_here)
        if self._plan_mode() or text.lstrip().startswith("/") or not found.plan_required:
            self._let_go(text)
            return
        if self._held:  # sent again instead of answered: the person has decided
            self._let_go(text)
            return
        self._held = text
        self._banner.set_message("info", found.words, tuple((way, tr_marked(words)) for way, words in _WAYS))
        self._banner.show()
        self._chat.composer.set_text(text)

    def _decided(self, way: str) -> None:
        text = self._chat.composer.text or self._held
        self._chat.composer.set_text("")
        if way == "plan-first":
            self.plan_wanted.emit()
        self._let_go(text)

    def _let_go(self, text: str) -> None:
        self._held = ""
        self._banner.hide()
        self.cleared.emit(text)

    def _is_here(self, name: str) -> bool:
        if name.startswith(("/", "~")) or ".." in name or len(name) > _LONGEST_NAME:
            return False
        return (self._workspace / name).exists()
