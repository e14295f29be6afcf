"""Reads the bundled prompt files."""

from collections.abc import Callable
from pathlib import Path

from tandem_desktop.storage.paths import resource


class PromptFiles:
    """Reads `prompts/NAME`, each at most once."""

    def __init__(self, find: Callable[[str], Path] = resource) -> None:
        self._find = find
        self._known: dict[str, str] = {}

    def text(self, name: str) -> str:
        if name not in self._known:
            try:
                self._known[name] = self._find(f"prompts/{name}").read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError):
                self._known[name] = ""
        return self._known[name]
