"""What an agent reads about each tool, from one file per tool: words can be improved without touching code."""

from collections.abc import Callable
from pathlib import Path

from tandem_desktop.storage.resources import resource

MOST_BYTES = 32 * 1024


class ToolPrompts:
    """Read `prompts/tools/NAME_prompt.xml` once each. A file that is missing or unreadable is no reason to stop."""

    def __init__(self, find: Callable[[str], Path] = resource) -> None:
        self._find = find
        self._known: dict[str, str] = {}

    def text(self, name: str, otherwise: str = "") -> str:
        """The prompt of one tool, or `otherwise`."""
        if name not in self._known:
            self._known[name] = self._read(name)
        return self._known[name] or otherwise

    def _read(self, name: str) -> str:
        try:
            with self._find(f"prompts/tools/{name}_prompt.xml").open("rb") as file:
                return file.read(MOST_BYTES).decode().strip()
        except (OSError, UnicodeDecodeError):
            return ""
