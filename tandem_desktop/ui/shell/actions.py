"""Everything the window can do, by name and key: one list for menus, the palette and the page of keys."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget


@dataclass(frozen=True, slots=True)
class WindowAction:
    """One thing a person can ask for."""

    name: str
    title: str
    group: str
    keys: tuple[str, ...]
    do: Callable[[], None]
    is_enabled: Callable[[], bool] = lambda: True


class WindowActions:
    """The actions of one window, bound to their keys."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._actions: dict[str, WindowAction] = {}

    def __iter__(self) -> Iterator[WindowAction]:
        return iter(self._actions.values())

    def add(self, actions: Iterable[WindowAction]) -> None:
        for action in actions:
            self._actions[action.name] = action
            shortcut = QAction(action.title, self._window)
            shortcut.setObjectName(f"action-{action.name}")
            shortcut.setShortcuts([QKeySequence(keys) for keys in action.keys])
            shortcut.triggered.connect(lambda checked=False, name=action.name: self.do(name))
            self._window.addAction(shortcut)

    def do(self, name: str) -> None:
        """Carry an action out, if it is possible now."""
        action = self._actions[name]
        if action.is_enabled():
            action.do()


def shown_keys(action: WindowAction) -> str:
    """The first key of an action, as this system writes it."""
    return QKeySequence(action.keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if action.keys else ""
