"""Compose what an agent is told before its first task: sections, then the template, then the placeholders."""

import platform
import re
from collections.abc import Callable, Mapping
from datetime import date

from tandem_desktop.policy.prompt_files import PromptFiles
from tandem_desktop.policy.tool_catalog import EXECUTE_TOOLS, PLANNING_TOOLS, READ_ONLY_TOOLS, WRITE_TOOLS
from tandem_desktop.settings.settings import CommandsWhilePlanning

TEMPLATE = "system.md"
PLAN_MODE = "plan_mode.md"

_SECTION = re.compile(r"\{\{SECTION:([a-z_]+)\}\}")
_PLACEHOLDER = re.compile(r"\{\{([A-Z_]+)\}\}")
_GAP = re.compile(r"\n{3,}")


class PromptComposer:
    """Fills the bundled template for one session. What fills a placeholder is never searched for placeholders again."""

    def __init__(
        self,
        *,
        cwd: str,
        today: Callable[[], date],
        commands: CommandsWhilePlanning = "stage",
        disabled_tools: tuple[str, ...] = (),
        files: PromptFiles | None = None,
        system: str | None = None,
    ) -> None:
        self._files = files or PromptFiles()
        self._plan_mode = False
        self._providers: dict[str, Callable[[], str]] = {
            "CWD": lambda: cwd,
            "OS": lambda: platform.system() if system is None else system,
            "DATE": lambda: today().isoformat(),
            "PLAN_MODE": lambda: self.plan_mode_text() if self._plan_mode else "",
        }
        off = () if commands == "rehearse" else EXECUTE_TOOLS
        self._plan_mode_words = {
            "DISABLED_TOOLS": ", ".join((*off, *disabled_tools)) or "none",
            "WRITE_TOOLS": ", ".join(WRITE_TOOLS),
            "AVAILABLE_TOOLS": ", ".join((*READ_ONLY_TOOLS, *PLANNING_TOOLS)),
            "COMMANDS": self._files.text(f"commands_{commands}.md"),
        }

    def register(self, name: str, provider: Callable[[], str]) -> None:
        """Let `{{name}}` stand for what `provider` answers at the time."""
        self._providers[name] = provider

    def compose(self, *, plan_mode: bool) -> str:
        """The whole text; `{{PLAN_MODE}}` is the planning instructions, or nothing when Plan mode is off."""
        self._plan_mode = plan_mode
        template = self._files.text(TEMPLATE)
        composed = _SECTION.sub(lambda found: self._files.text(f"sections/{found[1]}.md"), template)
        words = {name: provide() for name, provide in self._providers.items()}
        return _GAP.sub("\n\n", _filled(composed, words)).strip()

    def plan_mode_text(self) -> str:
        """What is said, by itself, when Plan mode is turned on in the middle of a conversation."""
        return _filled(self._files.text(PLAN_MODE), self._plan_mode_words)


def _filled(text: str, words: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: words.get(found[1], found[0]), text)
