"""What is on screen and must come back: per workspace, in the state folder; geometry is Qt's own business."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tandem_desktop.domain.approval import WorkspaceIdentity
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.storage import atomic
from tandem_desktop.storage.locks import held_or_busy

_FORMAT = 1
_MOST_SEATS = 64
_MOST_KEPT = 200


class WindowState:
    """A small record that is replaced whole; one that cannot be read is an empty one.

    Every window on a workspace has a seat of its own and finds again what the last window on that seat had, so two of
    them never write over each other.
    """

    def __init__(self, folder: Path, workspace: WorkspaceIdentity) -> None:
        self._held = ExitStack()
        self._path = self._take_seat(folder, workspace.key)
        self._values = self._load()

    def get(self, name: str, default: Any = None) -> Any:
        return self._values.get(name, default)

    def put(self, **values: Any) -> None:
        """Remember; nothing is written when nothing has changed."""
        changed = {**self._values, **values}
        if changed == self._values:
            return
        self._values = changed
        try:
            atomic.replace(self._path, json.dumps({"format": _FORMAT, **changed}).encode(), mode=0o600)
        except OSError:
            return  # a screen that does not come back is no reason to stop

    def of(self, name: str, key: str, default: Any = None) -> Any:
        """One value of a table, such as what was viewed of a plan."""
        table = self._values.get(name)
        return table.get(key, default) if isinstance(table, dict) else default

    def put_of(self, name: str, key: str, value: Any) -> None:
        """Remember one value of a table; an empty one is forgotten, and so are the oldest of very many."""
        table = self._values.get(name)
        kept = {known: each for known, each in table.items() if known != key} if isinstance(table, dict) else {}
        if value:
            kept[key] = value
        self.put(**{name: dict(list(kept.items())[-_MOST_KEPT:])})

    def close(self) -> None:
        """Leave the seat to the next window."""
        self._held.close()

    def _take_seat(self, folder: Path, key: str) -> Path:
        for number in range(1, _MOST_SEATS):
            name = key if number == 1 else f"{key}-{number}"
            try:
                atomic.make_directory(folder, mode=0o700)
                if self._held.enter_context(held_or_busy(folder / f"{name}.lock")):
                    break
            except (OSError, TandemError):
                break
        return folder / f"{name}.json"

    def _load(self) -> dict[str, Any]:
        try:
            found = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        if not isinstance(found, dict) or found.pop("format", None) != _FORMAT:
            return {}
        return found
