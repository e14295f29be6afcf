"""What an agent is told before its first task, and when the mode changes."""

from collections.abc import Callable
from datetime import date

from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.planning_tools.definitions import offered_while_planning
from tandem_desktop.policy.prompts import PromptComposer
from tandem_desktop.policy.tools import planning_bundle, tool_inventory
from tandem_desktop.settings import Settings
from tandem_desktop.shadow.workspace import ShadowWorkspace

INSTRUCTION_FILES = ("AGENTS.md", "CLAUDE.md")
_LONGEST = 64 * 1024


def opening_prompt(
    profile: AgentProfile,
    shadow: ShadowWorkspace,
    settings: Settings,
    *,
    cwd: str,
    today: Callable[[], date],
    plan_mode: bool,
) -> str:
    """What is said before the first task."""
    composer = _composer(profile, settings, cwd, today)
    parts = [composer.compose(plan_mode=plan_mode)]
    if plan_mode and profile.planning_tools:
        parts.append(planning_bundle().instructions)
    if plan_mode:
        parts.append(tool_inventory(settings.guarded_tools))
    parts += [_instructions(name, shadow) for name in INSTRUCTION_FILES if name not in profile.instruction_files]
    return "\n\n".join(part for part in parts if part)


def mode_prompt(profile: AgentProfile, settings: Settings, *, cwd: str, plan_mode: bool) -> str:
    """What is said when Plan mode is turned on or off in the middle of a conversation."""
    if not plan_mode:
        return "Plan mode is off. The person is asked about each change and command, and sees it before it happens."
    return _composer(profile, settings, cwd, date.today).plan_mode_text()


def _composer(profile: AgentProfile, settings: Settings, cwd: str, today: Callable[[], date]) -> PromptComposer:
    return PromptComposer(
        cwd=cwd,
        today=today,
        commands=settings.commands_while_planning,
        disabled_tools=settings.guarded_tools,
        own_tools=profile.own_tools,
        planning_tools=offered_while_planning() if profile.planning_tools else (),
    )


def _instructions(name: str, shadow: ShadowWorkspace) -> str:
    """A project file of instructions that this agent would not read by itself."""
    try:
        text = shadow.read(name)[:_LONGEST].decode("utf-8", "replace").strip()
    except TandemError:
        return ""
    return f"The project's own instructions, from {name}:\n\n{text}" if text else ""
