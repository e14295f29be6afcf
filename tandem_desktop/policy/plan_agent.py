"""OpenCode's own plan agent: its configuration file, and which agent a prompt is for."""

import json

from tandem_desktop.policy.prompt_files import PromptFiles

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
