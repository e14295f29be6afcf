"""OpenCode's own plan agent: its configuration file, and which agent a prompt is for."""

import json

from tandem_desktop.policy.prompt_files import PromptFiles

PLAN_AGENT = "plan"
PLAN_AGENT_FILE = ".opencode/agents/plan.md"
TEMPERATURE = 0.1


def chosen_agent(explicit: str | None, *, plan_mode: bool) -> str | None:
    """The agent for a prompt: one that was named wins; else `plan` in Plan mode; else none."""
    return explicit or (PLAN_AGENT if plan_mode else None)


def opencode_plan_agent(model: str, files: PromptFiles | None = None) -> str:
    """The text of `.opencode/agents/plan.md`: front matter that makes OpenCode ask, and the role of a planner.

    It is written into the agent's private home or into the shadow, never into the person's workspace.
    """
    body = (files or PromptFiles()).text("plan_agent.md")
    return (
        "---\n"
        "mode: primary\n"
        f"model: {json.dumps(model)}\n"
        f"temperature: {TEMPERATURE}\n"
        "permission:\n"
        "  edit: ask\n"
        "  bash: ask\n"
        "---\n\n"
        f"{body}\n"
    )
