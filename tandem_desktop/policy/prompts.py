"""Composes the system prompt of an agent."""

import json
import platform
from collections.abc import Callable, Mapping
from datetime import date

from tandem_desktop.domain.authorization import ToolCategory
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.policy.tools import category_of
from tandem_desktop.settings import CommandsWhilePlanning
from tandem_desktop.storage.paths import PromptFiles

TEMPLATE = "system.md"
PLAN_MODE = "plan_mode.md"

_SECTION = lazy_pattern(r"\{\{SECTION:([a-z_]+)\}\}")
_PLACEHOLDER = lazy_pattern(r"\{\{([A-Z_]+)\}\}")
_GAP = lazy_pattern(r"\n{3,}")
_WITH_TOOLS = "Call `present_plan` with your detailed plan (Markdown), or `plan_propose` with its steps."
_WITHOUT_TOOLS = "End your turn with your detailed plan (Markdown)."
_STAGED_BY_TOOL = "give it to `plan_propose` as a `bash` step, and it runs when the person has approved it."
_STAGED_BY_PERSON = "name it in your plan, and the person decides."


class PromptComposer:
    """Fills the bundled template for one session.

    It names only tools the agent has: `own_tools`, if known, and the `planning_tools` it was given. Inserted text is
    not searched for placeholders.
    """

    def __init__(
        self,
        *,
        cwd: str,
        today: Callable[[], date],
        commands: CommandsWhilePlanning = "run",
        disabled_tools: tuple[str, ...] = (),
        own_tools: tuple[str, ...] = (),
        planning_tools: tuple[str, ...] = (),
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
        off = () if commands == "run" else _named(own_tools, (ToolCategory.EXECUTE,), "all that run commands")
        reading = _named(own_tools, (ToolCategory.READ, ToolCategory.PLANNING), "all that read and search")
        writing = _named(own_tools, (ToolCategory.WRITE,), "all that change files")
        self._plan_mode_words = {
            "DISABLED_TOOLS": ", ".join((*off, *disabled_tools)) or "none",
            "WRITE_TOOLS": ", ".join(writing),
            "AVAILABLE_TOOLS": ", ".join((*reading, *planning_tools)),
            "COMMANDS": _filled(
                self._files.text(f"commands_{commands}.md"),
                {"REAL_COMMANDS": _STAGED_BY_TOOL if planning_tools else _STAGED_BY_PERSON},
            ),
            "HAND_IN": _WITH_TOOLS if planning_tools else _WITHOUT_TOOLS,
        }

    def register(self, name: str, provider: Callable[[], str]) -> None:
        """Register `provider` for the placeholder `{{name}}`; called on each use."""
        self._providers[name] = provider

    def compose(self, *, plan_mode: bool) -> str:
        """The whole prompt; `{{PLAN_MODE}}` is the planning instructions, or empty when Plan mode is off."""
        self._plan_mode = plan_mode
        template = self._files.text(TEMPLATE)
        composed = _SECTION.sub(lambda found: self._files.text(f"sections/{found[1]}.md"), template)
        values = {name: provide() for name, provide in self._providers.items()}
        return _GAP.sub("\n\n", _filled(composed, values)).strip()

    def plan_mode_text(self) -> str:
        """The message when Plan mode is turned on during a conversation."""
        return _filled(self._files.text(PLAN_MODE), self._plan_mode_words)


def _named(tools: tuple[str, ...], categories: tuple[ToolCategory, ...], otherwise: str) -> tuple[str, ...]:
    """The names of the tools of these categories; a description if the agent's tools are not known."""
    return tuple(tool for tool in tools if category_of(tool) in categories) if tools else (otherwise,)


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)


PLAN_AGENT = "plan"
TEMPERATURE = 0.1


def chosen_agent(explicit: str | None, *, plan_mode: bool) -> str | None:
    """The agent for a prompt: one that was named wins; else `plan` in Plan mode; else none."""
    return explicit or (PLAN_AGENT if plan_mode else None)


def opencode_plan_agent(model: str, files: PromptFiles | None = None) -> str:
    """The text of OpenCode's `agents/plan.md`: front matter that makes it ask, and the role of a planner.

    It is written into the agent's private home, never into the person's workspace. Without a model it keeps its own.
    """
    body = (files or PromptFiles()).text("plan_agent.md")
    named = f"model: {json.dumps(model)}\n" if model else ""
    return (
        f"---\nmode: primary\n{named}temperature: {TEMPERATURE}\npermission:\n  edit: ask\n  bash: ask\n---\n\n{body}\n"
    )
