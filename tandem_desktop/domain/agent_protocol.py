"""Agents, sessions, tool calls, permission requests and chat entries, without a wire format."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, NamedTuple

from tandem_desktop.domain.base import NOTHING_ELSE, Field, Frozen
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import PlanId, RequestId, RunId, SessionId, ToolCallId
from tandem_desktop.domain.operations import PathChange, StagedOperation
from tandem_desktop.domain.questions import AgentQuestion


class WritesBy(StrEnum):
    """Who carries out an agent's file changes."""

    ITSELF = "itself"
    CLIENT = "client"


def agent_and_model(agent: str, model: str) -> str:
    """Who planned or follows up, as a plan's record keeps it."""
    return f"{agent}:{model}" if model else agent


NO_MODEL, MODEL_FAILED = -32050, -32051
"""How the built-in agent refuses a message: it has no model, or its model cannot be reached or refused."""


class AgentProfile(Frozen):
    """How to start an agent and interpret it; data, never code."""

    name: str
    title: str
    command: tuple[str, ...]
    """Its command; the program is searched on PATH."""
    version_command: tuple[str, ...] = ()
    asking_mode: str | None = None
    """The mode in which it asks before it acts; set after every new session. Without one it stays in its own."""
    free_mode: str | None = None
    """The mode in which it neither asks nor confines itself; set in Plan mode where Tandem confines it and its commands
    run in the shadow."""
    key_login: str | None = None
    """The login it is asked to use when it opens no session without one, and a key is in its environment."""
    login_method: str | None = None
    """The login it is asked to use right after the greeting, where offered; its key comes from the environment."""
    writes_by: WritesBy = WritesBy.ITSELF
    env: tuple[str, ...] = ()
    """Names let through from the person's environment; what ends in `_URL` or `_HOST` is an address it may reach."""
    hosts: tuple[str, ...] = ()
    """Hosts it needs in order to work: its model's, its log-in's."""
    set_env: dict[str, str] = Field(default_factory=dict)
    credentials: tuple[str, ...] = ()
    """Files of the real home, relative to it, copied into the private one when newer."""
    instruction_files: tuple[str, ...] = ("AGENTS.md",)
    """Project instruction files it reads by itself; the others are passed on with the first prompt."""
    plan_agent_file: str | None = None
    """Where in its private home the agent looks for the description of its mode `plan`, if it knows such a thing."""
    model_file: str | None = None
    """The JSON file there that names its model."""
    model_env: dict[str, str] = Field(default_factory=dict)
    """Variables that choose its model, `{model}` standing for the name; none where it cannot be chosen so."""
    own_tools: tuple[str, ...] = ()
    """The names of its own tools, where they are known; it is told which of them Plan mode leaves it."""
    works_through_client: bool = True
    """Whether it is offered to read, write and run commands through Tandem; otherwise it does so itself."""
    titles_name_tools: bool = False
    """Whether the title of a call begins with the name of its tool and a colon, which it tells nowhere else."""
    told_at_once: bool = True
    """Whether it is told the outcome of a run in a turn of its own; otherwise with the person's next message."""
    planning_tools: bool = True
    """Whether it takes MCP servers with a new session."""
    start_timeout_s: Annotated[float, Field(gt=0)] = 60.0
    needs: str = ""
    """What a person has to do before it works: install, log in, set a key."""
    install: str = ""
    known: str = ""
    """What was measured, and what was not."""

    def choosing(self, model: str) -> dict[str, str]:
        """The variables that choose this model; none for the model it chooses itself.

        Raises:
            BadInputError: its model cannot be chosen from outside.
        """
        if model and not self.model_env:
            raise BadInputError(
                f"The model of {self.title} cannot be chosen from here.",
                next="Leave the model out, and choose it in the agent's own configuration.",
            )
        return {name: value.replace("{model}", model) for name, value in self.model_env.items()} if model else {}

    def model_in(self, environment: Mapping[str, str]) -> str:
        """The model its environment chooses; empty where the agent chooses by itself, or the model is not readable."""
        names = (name for name, value in self.model_env.items() if value == "{model}")
        return next((environment[name] for name in names if environment.get(name)), "")


class ToolKind(StrEnum):
    """What a tool call is about, in the agent's own words."""

    READ = "read"
    EDIT = "edit"
    DELETE = "delete"
    MOVE = "move"
    SEARCH = "search"
    EXECUTE = "execute"
    THINK = "think"
    FETCH = "fetch"
    SWITCH_MODE = "switch_mode"
    OTHER = "other"


class ToolCallStatus(StrEnum):
    """How far a tool call is."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"


_SHORT_ARGUMENT = 1000


@dataclass(frozen=True, slots=True)
class ProposedDiff:
    """What an agent says it will change; shown beside the real change, never taken for it.

    This and what else is made for each request of an agent are dataclasses: they come by the thousand, from values
    that were looked at already, and are read with care only where they come back from a file.
    """

    __pydantic_config__ = NOTHING_ELSE

    path: str
    old_text: str | None
    new_text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Everything known so far about one use of a tool, merged from all messages with its id."""

    __pydantic_config__ = NOTHING_ELSE

    id: ToolCallId
    tool: str = ""
    """The tool's name, if known: `edit`, `bash`, `present_plan`."""
    title: str = ""
    kind: ToolKind = ToolKind.OTHER
    status: ToolCallStatus = ToolCallStatus.PENDING
    arguments: dict[str, Any] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    """Relative to the workspace where inside it; as the agent wrote them otherwise."""
    diffs: tuple[ProposedDiff, ...] = ()
    command: str | None = None
    cwd: str | None = None
    output: str = ""
    exit_code: int | None = None
    """Of a command that has ended, if it was told."""
    asked: bool = False
    """Whether the agent asked for permission for this call."""

    @property
    def weight(self) -> int:
        """Characters of what may be long in it."""
        texts = (value for value in self.arguments.values() if isinstance(value, str))
        diffs = sum(len(diff.new_text) + len(diff.old_text or "") for diff in self.diffs)
        return len(self.output) + sum(map(len, texts)) + diffs

    def shortened(self) -> "ToolCall":
        """The call without its output, its diffs and the rest of long arguments."""
        cut = {
            name: value[:_SHORT_ARGUMENT] if isinstance(value, str) else value for name, value in self.arguments.items()
        }
        return replace(self, output="", diffs=(), arguments=cut)


class WaitReason(StrEnum):
    """Why what a card allows is not written at once, but waits as a plan."""

    FLAGGED = "flagged"
    """A change carries a hazard flag, which is acknowledged in the plan."""
    MANY = "many"
    """More paths than a card shows."""
    LARGE = "large"
    """More text than a card shows."""
    STALE = "stale"
    """The agent starts from another text than the one on disk."""
    NOT_A_FILE = "not-a-file"
    """There is a link, a folder or something else at the path."""
    OUTSIDE = "outside"
    """The path is outside the workspace, or Tandem never writes it."""
    UNKNOWN = "unknown"
    """The agent does not say what it will write."""


class CardLine(NamedTuple):
    """A line of a diff: `+`, `-`, a blank, `@` for the header of a hunk, or a backslash where a newline is missing."""

    sign: str
    text: str
    """Hidden characters are tokens."""


class CardChange(Frozen):
    """A change as a card draws it: from what is on disk to what the agent announced."""

    operation: StagedOperation
    lines: tuple[CardLine, ...] = ()
    flags: tuple[str, ...] = ()
    why: dict[str, str] = Field(default_factory=dict)
    """A sentence for each flag."""


class CardContent(Frozen):
    """What a card says about files: made by Tandem from the disk, never from what the agent says of it."""

    changes: tuple[CardChange, ...] = ()
    paths: tuple[str, ...] = ()
    """Paths that are named and not drawn."""
    waits: tuple[WaitReason, ...] = ()
    """Why what is allowed waits as a plan; nothing where it is written at once."""

    @property
    def allows(self) -> tuple[PathChange, ...]:
        """What may be written at once; nothing where all of it waits."""
        return () if self.waits else tuple(change for each in self.changes for change in each.operation.changes())


class OptionKind(StrEnum):
    """What choosing an option means; its name and id mean nothing."""

    ALLOW_ONCE = "allow_once"
    ALLOW_ALWAYS = "allow_always"
    REJECT_ONCE = "reject_once"
    REJECT_ALWAYS = "reject_always"


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """An agent asks before it acts."""

    __pydantic_config__ = NOTHING_ELSE

    id: RequestId
    session_id: SessionId
    call: ToolCall
    options: tuple[OptionKind, ...]
    """The kinds on offer; which option answers is chosen by kind where the wire is spoken."""


class PermissionVerdict(StrEnum):
    """The answer to a request."""

    ALLOW = "allow"
    REJECT = "reject"
    CANCELLED = "cancelled"


class PermissionAnswer(NamedTuple):
    """One answer to one request, and why."""

    verdict: PermissionVerdict
    reason: str = ""
    answers: dict[str, str] | None = None
    """The person's answers, where the tool asks questions; sent beside the verdict."""


class AgentFacts(Frozen):
    """What an agent said about itself when it was greeted."""

    name: str = ""
    version: str = ""
    protocol: int = 1
    login_methods: tuple[str, ...] = ()
    sees_pictures: bool = False
    hears_recordings: bool = False
    takes_files: bool = False
    """Whether a message may carry files."""
    can_resume: bool = False
    """Whether it goes on with an earlier conversation (`session/resume`)."""
    can_load: bool = False
    """Whether it loads an earlier conversation and repeats it (`session/load`)."""

    def refuses(self, attachment: "Attachment") -> str:
        """What the agent cannot do with it; empty where it takes it."""
        if attachment.uri:
            return "" if self.takes_files else "takes no files in a message"
        if attachment.mime_type.startswith("audio/"):
            return "" if self.hears_recordings else "cannot hear recordings"
        return "" if self.sees_pictures else "cannot see pictures"


class Attachment(Frozen):
    """A picture, a recording or another file that goes with a message."""

    mime_type: str
    data: bytes
    uri: str = ""
    """What a file is called where it comes from; empty for a picture and a recording."""


class AgentSession(Frozen):
    """A conversation the agent has opened."""

    id: SessionId
    modes: tuple[str, ...] = ()
    mode: str | None = None
    model: str = ""
    """The model it uses, as far as it says so or was told to; empty if unknown."""
    options: "tuple[AgentOption, ...]" = ()
    resumed: bool = False
    """Whether it is an earlier conversation that goes on."""


class PlanningServer(Frozen):
    """How the agent starts the server of the planning tools."""

    name: str
    command: tuple[str, ...]
    env: dict[str, str] = Field(default_factory=dict)


class AgentSaid(Frozen):
    """A piece of the agent's answer, or of its thinking."""

    type: Literal["said"] = "said"
    text: str
    thought: bool = False


class ToolCallChanged(Frozen):
    """A tool call is new or changed; carries its complete state."""

    type: Literal["tool_call"] = "tool_call"
    call: ToolCall


class Todo(Frozen):
    """One line of the agent's own list."""

    content: str
    status: str = "pending"
    priority: str = "medium"


class TodosChanged(Frozen):
    """The agent's own task list."""

    type: Literal["todos"] = "todos"
    todos: tuple[Todo, ...]


class OfferedCommand(Frozen):
    """A slash command of the agent."""

    name: str
    description: str = ""
    hint: str = ""


class CommandsOffered(Frozen):
    """The slash commands the agent understands."""

    type: Literal["commands"] = "commands"
    commands: tuple[OfferedCommand, ...]


class ModeChanged(Frozen):
    """The agent works in another mode now."""

    type: Literal["mode"] = "mode"
    mode: str


class OptionValue(Frozen):
    """One choice of an option."""

    value: str
    name: str


class AgentOption(Frozen):
    """Something of a session that the person may choose, such as the model; never the mode, which Tandem sets."""

    id: str
    name: str
    current: str
    values: tuple[OptionValue, ...]
    is_switch: bool = False
    """Whether it is on or off."""

    @property
    def shown(self) -> str:
        """The name of what is chosen."""
        return next((each.name for each in self.values if each.value == self.current), self.current)


class OptionsOffered(Frozen):
    """What can be chosen in the session, with what is chosen now."""

    type: Literal["options"] = "options"
    options: tuple[AgentOption, ...]


class UsageReported(Frozen):
    """Context usage, and the cost if the agent reports it."""

    type: Literal["usage"] = "usage"
    used: int = 0
    size: int = 0
    cost: float | None = None
    currency: str = ""


class SessionNamed(Frozen):
    """The agent's own title for its conversation."""

    type: Literal["named"] = "named"
    title: str


AgentUpdate = Annotated[
    AgentSaid
    | ToolCallChanged
    | TodosChanged
    | CommandsOffered
    | ModeChanged
    | OptionsOffered
    | UsageReported
    | SessionNamed,
    Field(discriminator="type"),
]


class StopReason(StrEnum):
    """Why a turn ended."""

    END_TURN = "end_turn"
    MAX_TOKENS = "max_tokens"
    MAX_TURN_REQUESTS = "max_turn_requests"
    REFUSAL = "refusal"
    CANCELLED = "cancelled"


class TerminalOutput(Frozen):
    """What a terminal shows, and how its command ended, if it did."""

    text: str = ""
    truncated: bool = False
    exit_code: int | None = None


class EntryKind(StrEnum):
    """The kind of a chat entry."""

    PERSON = "person"
    AGENT = "agent"
    THOUGHT = "thought"
    TOOL = "tool"
    PLAN = "plan"
    """A revision that waits, or waited, for a decision."""
    QUESTION = "question"
    """A permission card: Plan mode is off and the agent asks."""
    ELICITATION = "elicitation"
    """A question of the agent to the person."""
    NOTE = "note"
    """An event outside the conversation: a run, an undo, a change of mode."""
    REFLECTION = "reflection"
    """A reflection on a run, and the adjustments it proposes."""
    REPORT = "report"
    """The window's own answer to a command, in Markdown."""
    PROBLEM = "problem"


class ChatEntry(Frozen):
    """One entry. A later value with the same number replaces it."""

    number: int
    kind: EntryKind
    at: datetime
    text: str = ""
    call: ToolCall | None = None
    request: PermissionRequest | None = None
    card: CardContent | None = None
    """What the card of the request says about files."""
    question: AgentQuestion | None = None
    answer: str = ""
    """The answer to a question; empty while it is open."""
    plan_id: PlanId | None = None
    revision: int = 0
    run_id: RunId | None = None
    """The run a note is about."""
    details: tuple[str, ...] = ()
    """Further lines, such as the last lines of an agent's stderr."""
    problem_kind: str = ""
    """The kind of the error a problem is about."""
    set_aside: bool = False
    """The person went back to before this entry: kept, but no longer part of the conversation."""
