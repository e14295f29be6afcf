"""Authorization questions, rules and results for tool use."""

from enum import StrEnum
from typing import ClassVar, Literal, NamedTuple, Protocol

from tandem_desktop.domain.base import Frozen


class AuthorizationResult(StrEnum):
    """The three answers. A rule that has none abstains with None."""

    ALLOW = "allow"
    CONFIRM = "confirm"
    DENY = "deny"


class ToolCategory(StrEnum):
    """The category of a tool use."""

    READ = "read"
    WRITE = "write"
    EXECUTE = "execute"
    PLANNING = "planning"
    """Tandem's own planning tools, and an agent's list of what it means to do."""
    OUTSIDE = "outside"
    """Reaches other people or other machines; no shadow can hold it back, and nothing can take it back."""
    MODE = "mode"
    """Changes how the agent itself asks."""
    OTHER = "other"


class ToolUse(NamedTuple):
    """One use of a tool, as far as a rule has to know it."""

    tool: str
    """The agent's own name for it."""
    name: str
    """The same name in every agent: `edit`, `bash`."""
    category: ToolCategory
    paths: tuple[str, ...] = ()
    command: str | None = None
    disguised: bool = False
    """What it does is graver than its name says; no permission for the name holds for it."""
    external: bool = False
    """It cannot be shown to stay in the shadow: its effects may be outside the workspace."""

    @property
    def names(self) -> frozenset[str]:
        """Every name a person may mean it by, in lower case."""
        bare = self.tool.lower().rpartition("__")[2]
        return frozenset({self.tool.lower(), self.name.lower(), bare})


class PermissionRule(Frozen):
    """A permission rule of the person: uses that match every given pattern get this answer."""

    answer: Literal["allow", "ask", "deny"]
    tool: str = "*"
    """A name or a pattern such as `web*`; `read`, `write` and `execute` also mean every tool of that kind."""
    path: str | None = None
    """A pattern as in .gitignore, such as `secrets/**`."""
    command: str | None = None
    """A pattern for the command's text, such as `git push*`."""


class AuthContext(Frozen):
    """The context of a decision; fixed for one question."""

    yolo_mode: bool = False
    tool_ignore_list: tuple[str, ...] = ()
    """Tools a person does not want to be asked about."""
    plan_mode: bool = False
    shadowed: bool = False
    """True if the tool's effects happen in a shadow of the workspace, where they are held for review."""
    guarded_tools: tuple[str, ...] = ()
    """Exact names of tools that only a plan may use."""
    guard_blocks: bool = True
    """False: a guarded tool is only logged as one that would have been blocked."""
    plan_scope: tuple[str, ...] | None = None
    """The only tools available while a plan is worked on; None without a limit."""
    rules: tuple[PermissionRule, ...] = ()
    only_look: bool = False
    """The agent is an advisor: it may read and submit its answer, and nothing else."""


class SessionPermissions(Frozen):
    """What a person chose for one session; a change makes a new value and holds from the next request on."""

    plan_mode: bool = False
    tool_ignore: tuple[str, ...] = ()
    yolo: bool = False
    plan_scope: tuple[str, ...] | None = None
    only_look: bool = False


class AuthorizationRule(Protocol):
    """One rule. Lower priorities run first; None abstains."""

    priority: ClassVar[int]

    def evaluate(self, use: ToolUse, context: AuthContext) -> AuthorizationResult | None:
        """The rule's answer; None if it abstains."""

    def reason(self, use: ToolUse, context: AuthContext) -> str:
        """The reason, as a sentence for the agent; called only if the rule has answered."""
