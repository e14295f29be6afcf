"""What is on screen and must come back: per workspace, in the state folder; geometry is Qt's own business."""

import json
from pathlib import Path
from typing import Any

from tandem_desktop.domain.approval import WorkspaceIdentity
from tandem_desktop.storage import atomic

_FORMAT = 1


class WindowState:
    """A small record that is replaced whole; one that cannot be read is an empty one."""

    def __init__(self, folder: Path, workspace: WorkspaceIdentity) -> None:
        self._path = folder / f"{workspace.key}.json"
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
            atomic.make_directory(self._path.parent, mode=0o700)
            atomic.replace(self._path, json.dumps({"format": _FORMAT, **changed}).encode(), mode=0o600)
        except OSError:
            return  # a screen that does not come back is no reason to stop

    def _load(self) -> dict[str, Any]:
        try:
            found = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        if not isinstance(found, dict) or found.pop("format", None) != _FORMAT:
            return {}
        return found
