"""Everything the window can do, by name and key: one list for menus, the palette and the page of keys."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

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
        self._shortcuts: dict[str, QAction] = {}
        self._usual: dict[str, tuple[str, ...]] = {}

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
            self._shortcuts[action.name], self._usual[action.name] = shortcut, action.keys

    def rebind(self, keys: Mapping[str, str]) -> tuple[str, ...]:
        """Give actions other keys, and all others their usual ones; answers with names that nobody has."""
        for name, usual in self._usual.items():
            chosen = (keys[name],) if name in keys else usual
            self._actions[name] = replace(self._actions[name], keys=chosen)
            self._shortcuts[name].setShortcuts([QKeySequence(each) for each in chosen])
        return tuple(name for name in keys if name not in self._usual)

    def do(self, name: str) -> None:
        """Carry an action out, if it is possible now."""
        action = self._actions[name]
        if action.is_enabled():
            action.do()


def shown_keys(action: WindowAction) -> str:
    """The first key of an action, as this system writes it."""
    return QKeySequence(action.keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if action.keys else ""
