"""The choices by what they are about, in the order a person looks for them."""

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Appearance", ("theme", "code_font", "code_size", "ligatures")),
    ("Agents", ("agent", "models", "max_message_bytes", "present_plan_retries")),
    (
        "What agents may do",
        (
            "commands_while_planning",
            "rehearse_with_network",
            "guarded_tools",
            "guarded_tools_only_logged",
            "tool_ignore",
            "yolo",
            "rules",
        ),
    ),
    (
        "Minds",
        (
            "perspectives",
            "minds",
            "advice_minutes",
            "reflection",
            "reflection_after_success",
            "max_reflection_cycles",
            "max_generated_steps",
        ),
    ),
    (
        "Plans and runs",
        (
            "approval_hours",
            "on_failure",
            "executor_timeout_minutes",
            "command_budget_bytes",
            "stale_after_days",
            "retention_days",
            "plan_md",
        ),
    ),
    ("The window", ("editor", "single_letter_keys", "keys", "notifications")),
)

AT_ONCE = frozenset({"theme", "code_font", "code_size", "ligatures", "single_letter_keys", "keys", "notifications"})
"""What holds from the moment it is chosen; the rest holds when the workspace is opened the next time."""

TITLES = {
    "agent": "First agent",
    "max_message_bytes": "Longest message",
    "present_plan_retries": "Tries to hand in a plan",
    "rehearse_with_network": "Network in rehearsals",
    "guarded_tools_only_logged": "Only log guarded tools",
    "tool_ignore": "Tools that need no confirmation",
    "yolo": "Never ask",
    "rules": "Lasting answers",
    "minds": "Who speaks for a role",
    "advice_minutes": "Time for advice",
    "max_reflection_cycles": "Adjustments after failures",
    "max_generated_steps": "Longest generated plan",
    "approval_hours": "Approvals last",
    "on_failure": "When an operation fails",
    "executor_timeout_minutes": "A run counts as stalled after",
    "command_budget_bytes": "Room for a command",
    "stale_after_days": "Plans expire after",
    "retention_days": "Ended plans are kept for",
    "plan_md": "Add PLAN.md",
    "code_font": "Face of code",
    "code_size": "Size of code",
}


def title_of(name: str) -> str:
    """What a setting is called on the page."""
    return TITLES.get(name, name.replace("_", " ").capitalize())
