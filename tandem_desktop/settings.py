"""All settings and their groups."""

from typing import Annotated, Literal

from tandem_desktop.domain.authorization import PermissionRule
from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.network import NetworkMode
from tandem_desktop.domain.plan_states import GATEWAY_STALE_AFTER_DAYS, STALE_AFTER_DAYS
from tandem_desktop.domain.runs import FailurePolicy

_DAY = 24
_GIB = 1024**3
_MIB = 1024**2

CommandsWhilePlanning = Literal["run", "stage", "deny"]
StartMode = Literal["plan", "immediate"]
ReflectionWhen = Literal["after_failure", "unless_simple", "off"]
ReflectionAfterSuccess = Literal["orchestrate", "always", "off"]
ThemeChoice = Literal["system", "dark", "light", "high-contrast", "colour-blind-dark", "colour-blind-light"]


class AdvisorChoice(Frozen):
    """The agent and model of a role."""

    agent: str = ""
    """The name of an agent; empty for the one of the session."""
    model: str = ""
    """A model in the agent's own spelling; empty for the one it chooses itself."""


class Settings(Frozen):
    """Every choice, with its default. The explanations here are the ones in `docs/settings.md`."""

    agent: str = Field(default="", description="The agent a new session starts with; empty for the built-in one.")
    models: dict[str, str] = Field(
        default={},
        description=(
            "The model of an agent, by the agent's name and in its own spelling, as in "
            '`models.opencode = "anthropic/claude-sonnet-4-5"`; without it the agent chooses.'
        ),
    )
    model_address: str = Field(
        default="",
        description="Where the model of the built-in agent is served; empty for the usual address of its provider.",
    )
    agent_command: str = Field(
        default="",
        description=(
            "A command of your own that speaks the Agent Client Protocol, such as `my-agent --acp`; it is offered "
            "beside the agents Tandem knows."
        ),
    )
    editor: str = Field(
        default="",
        description=(
            "The command that opens a file from a diff, such as `code -g {path}:{line}`; empty for an editor that is "
            "found."
        ),
    )
    mode: StartMode = Field(
        default="plan",
        description=(
            "The mode in which a workspace is first opened: `plan` (an agent works in a shadow, and you decide once, "
            "at the end) or `immediate` (you are asked about each change). The window remembers what you switch to."
        ),
    )
    commands_while_planning: CommandsWhilePlanning = Field(
        default="run",
        description=(
            "What happens to a command an agent wants to run while it plans: `run` runs it in the shadow and lists it "
            "on the plan (an agent that is not confined has it staged instead), `stage` refuses it and puts it into "
            "the plan, `deny` refuses it."
        ),
    )
    network: NetworkMode = Field(
        default=NetworkMode.LEASHED,
        description=(
            "What of the network a confined agent and all it starts can reach: `leashed` (the hosts its profile names, "
            "the address of its model and what you allow), `open` (everything) or `off`."
        ),
    )
    network_hosts: dict[str, tuple[str, ...]] = Field(
        default={},
        description=(
            "Further hosts an agent may reach, by the agent's name, or `all`, as in "
            '`network_hosts.opencode = ["docs.example.org", "*.example.net", "127.0.0.1:4010"]`.'
        ),
    )
    package_registries: bool = Field(
        default=False,
        description=(
            "Whether every agent may reach the usual package registries (PyPI, npm, crates.io, Debian and others); "
            "off, because what can fetch a package can also tell a server something."
        ),
    )
    rehearse_with_network: bool = Field(
        default=False, description="Whether a command Tandem rehearses may use the network."
    )
    checks_when_a_plan_arrives: bool = Field(
        default=True,
        description=(
            "Whether the window runs the checks of the workspace by itself for each plan; only a list you have "
            "accepted is run."
        ),
    )
    approval_hours: Annotated[int, Field(ge=1, le=30 * _DAY)] = Field(
        default=_DAY, description="How many hours an approval can be used."
    )
    executor_timeout_minutes: Annotated[int, Field(ge=1, le=_DAY * 60)] = Field(
        default=30, description="After how many minutes a run that was cut off counts as stalled."
    )
    stale_after_days: Annotated[int, Field(ge=1, le=3650)] = Field(
        default=STALE_AFTER_DAYS, description="After how many days without a decision a proposed plan expires."
    )
    gateway_stale_after_days: Annotated[int, Field(ge=1, le=3650)] = Field(
        default=GATEWAY_STALE_AFTER_DAYS,
        description="The same for plans made through `tandem serve`; never later than `stale_after_days`.",
    )
    retention_days: Annotated[int, Field(ge=1, le=36500)] = Field(
        default=365, description="How many days a plan that has come to its end is kept, and its runs can be undone."
    )
    on_failure: FailurePolicy = Field(
        default=FailurePolicy.ROLLBACK,
        description="What a run does when an operation fails: `rollback`, `stop` or `continue`.",
    )
    guarded_tools: tuple[str, ...] = Field(
        default=(), description="Exact names of tools that may only be used through a plan, such as `gmail_send`."
    )
    guarded_tools_only_logged: bool = Field(
        default=False, description="Do not block guarded tools; only log what would have been blocked."
    )
    tool_ignore: tuple[str, ...] = Field(
        default=(),
        description="Tools that need no confirmation while Plan mode is off. What is flagged still waits as a plan.",
    )
    yolo: bool = Field(
        default=False,
        description="Ask for no confirmation at all while Plan mode is off. What is flagged still waits as a plan.",
    )
    rules: tuple[PermissionRule, ...] = Field(
        default=(),
        description=(
            "Lasting answers, each with `answer` (`allow`, `ask` or `deny`) and patterns for `tool`, `path` and "
            "`command`. A denial is final, also in Plan mode."
        ),
    )
    command_budget_bytes: Annotated[int, Field(ge=_MIB, le=1024 * _GIB)] = Field(
        default=_GIB, description="How much a captured command may write before it is failed."
    )
    max_message_bytes: Annotated[int, Field(ge=64 * 1024, le=_GIB)] = Field(
        default=16 * _MIB, description="The longest message taken from an agent."
    )
    plan_md: bool = Field(
        default=False, description="Add `PLAN.md`, the text of the plan, to the plan as an operation of its own."
    )
    co_author: str = Field(
        default="",
        description=(
            "Who is named in `Co-authored-by` of a commit of a plan that an agent made, as in "
            '`co_author = "{agent} <agents@example.org>"`; empty for nobody.'
        ),
    )
    perspectives: bool = Field(
        default=False,
        description=(
            "Whether CHAPO, KODA and DEVO look at a task before it is planned, where the first look at it says that "
            "it should be planned."
        ),
    )
    advisors: dict[str, AdvisorChoice] = Field(
        default={},
        description=(
            "Who speaks for `chapo`, `koda`, `devo` and other roles, each with `agent` and `model`, as in "
            '`advisors.koda = { agent = "opencode", model = "anthropic/claude-sonnet-4-5" }`; without it the agent of '
            "the session does."
        ),
    )
    cost_limit: Annotated[float, Field(ge=0, le=100_000)] = Field(
        default=0.0,
        description=(
            "What an agent may cost after one message of yours, in the currency it reports; then it is stopped, and "
            "your next message lets it go on. 0 sets no limit, and an agent that reports no cost is not stopped."
        ),
    )
    idle_agents: Annotated[int, Field(ge=0, le=100)] = Field(
        default=1,
        description=(
            "How many agents the window keeps running while they have nothing to do. Others are ended when their turn "
            "is over, and resumed with your next message."
        ),
    )
    idle_agent_minutes: Annotated[int, Field(ge=1, le=_DAY * 60)] = Field(
        default=30, description="After how many minutes without a turn an agent is ended, until your next message."
    )
    advice_minutes: Annotated[int, Field(ge=1, le=_DAY * 60)] = Field(
        default=10, description="After how many minutes an agent that was asked for advice is ended."
    )
    reflection: ReflectionWhen = Field(
        default="after_failure",
        description=(
            "When an agent is asked what to change about a plan whose run failed: `after_failure`, `unless_simple` "
            "(not for plans of one or two operations), or `off` (only when you ask for it)."
        ),
    )
    reflection_after_success: ReflectionAfterSuccess = Field(
        default="orchestrate",
        description=(
            "Whether an agent also looks back at a run that completed: `orchestrate` (only in `tandem orchestrate`), "
            "`always` (in the window too), or `off`. With `reflection` off it is off."
        ),
    )
    max_reflection_cycles: Annotated[int, Field(ge=0, le=20)] = Field(
        default=3, description="How often a plan may be adjusted after a failed run before it is left to you."
    )
    max_generated_steps: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=200, description="How many steps a plan that an agent generates or adjusts may have."
    )
    present_plan_retries: Annotated[int, Field(ge=0, le=20)] = Field(
        default=3, description="How often an agent may hand in a plan that cannot be read before it is told to stop."
    )
    theme: ThemeChoice = Field(
        default="system",
        description="The colours of the window; `system` follows the desktop: dark, light or high contrast.",
    )
    code_font: str = Field(
        default="", description="The face of code and diffs, by its name; empty for the one that comes with Tandem."
    )
    code_size: Annotated[int, Field(ge=8, le=32)] = Field(
        default=12, description="The size of code and diffs, in pixels; zoom comes on top."
    )
    ligatures: bool = Field(
        default=False,
        description="Whether code is drawn with ligatures, which make one sign of several characters, such as `!=`.",
    )
    keys: dict[str, str] = Field(
        default={},
        description=(
            "Other keys for what the window can do, by the names in `docs/keys.md`, as in "
            '`keys.implement = "Ctrl+Alt+I"`.'
        ),
    )
    single_letter_keys: bool = Field(
        default=True,
        description="Whether single letters such as j, n or x do anything while a list or a diff has the keyboard.",
    )
    notifications: bool = Field(
        default=True,
        description="Whether the desktop is told when a decision is needed and the window is not in front.",
    )


GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Appearance", ("theme", "code_font", "code_size", "ligatures")),
    (
        "Agents",
        (
            "agent",
            "models",
            "model_address",
            "agent_command",
            "cost_limit",
            "idle_agents",
            "idle_agent_minutes",
            "max_message_bytes",
            "present_plan_retries",
        ),
    ),
    (
        "What agents may do",
        (
            "mode",
            "commands_while_planning",
            "network",
            "network_hosts",
            "package_registries",
            "rehearse_with_network",
            "guarded_tools",
            "guarded_tools_only_logged",
            "tool_ignore",
            "yolo",
            "rules",
        ),
    ),
    (
        "Advisors",
        (
            "perspectives",
            "advisors",
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
            "checks_when_a_plan_arrives",
            "on_failure",
            "executor_timeout_minutes",
            "command_budget_bytes",
            "stale_after_days",
            "gateway_stale_after_days",
            "retention_days",
            "plan_md",
            "co_author",
        ),
    ),
    ("The window", ("editor", "single_letter_keys", "keys", "notifications")),
)

AT_ONCE = frozenset(
    {
        "theme",
        "code_font",
        "code_size",
        "ligatures",
        "single_letter_keys",
        "keys",
        "notifications",
        "models",
        "model_address",
    }
)
"""What holds from the moment it is chosen; the rest holds when the workspace is opened the next time."""

TITLES = {
    "agent": "Default agent",
    "models": "Models of agents",
    "model_address": "Address of the model",
    "agent_command": "A command of your own",
    "mode": "First mode",
    "cost_limit": "Cost of one message at most",
    "idle_agents": "Idle agents that are kept",
    "idle_agent_minutes": "Minutes an idle agent is kept",
    "max_message_bytes": "Longest message",
    "present_plan_retries": "Plan retries",
    "network": "Network of agents",
    "network_hosts": "Further hosts",
    "rehearse_with_network": "Network in rehearsals",
    "guarded_tools_only_logged": "Only log guarded tools",
    "tool_ignore": "Tools that need no confirmation",
    "yolo": "Never ask",
    "rules": "Lasting answers",
    "advisors": "Who speaks for a role",
    "advice_minutes": "Time for advice",
    "max_reflection_cycles": "Adjustments after failures",
    "max_generated_steps": "Longest generated plan",
    "approval_hours": "Approvals last",
    "on_failure": "When an operation fails",
    "executor_timeout_minutes": "A run counts as stalled after",
    "command_budget_bytes": "Room for a command",
    "stale_after_days": "Plans expire after",
    "gateway_stale_after_days": "Plans of a gateway expire after",
    "retention_days": "Ended plans are kept for",
    "plan_md": "Add PLAN.md",
    "co_author": "Co-author of commits",
    "code_font": "Code font",
    "code_size": "Code size",
}


def title_of(name: str) -> str:
    """What a setting is called on the page."""
    return TITLES.get(name, name.replace("_", " ").capitalize())
