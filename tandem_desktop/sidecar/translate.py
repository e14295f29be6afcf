"""From the wire to the domain and back. Names and ids an agent chooses mean nothing here; kinds do."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tandem_desktop.domain.agents import (
    AgentFacts,
    AgentSaid,
    AgentUpdate,
    CommandsOffered,
    ModeChanged,
    OfferedCommand,
    OptionKind,
    Todo,
    TodosChanged,
    ToolCallChanged,
    UsageReported,
    Verdict,
)
from tandem_desktop.sidecar.tool_calls import ToolCalls

if TYPE_CHECKING:
    from tandem_desktop.sidecar.protocol import InitializeResponse, NewSessionResponse, SessionConfigOptionSelect

_WANTED = {Verdict.ALLOW: OptionKind.ALLOW_ONCE, Verdict.REJECT: OptionKind.REJECT_ONCE}
"""Never for always: a person answers for one call."""
_KINDS = {kind.value: kind for kind in OptionKind}

CANCELLED: dict[str, Any] = {"outcome": {"outcome": "cancelled"}}


class Offer(NamedTuple):
    """One option of a permission request."""

    kind: OptionKind
    id: str


@dataclass(frozen=True, slots=True)
class Modes:
    """The modes a session can be in, and by which call they are set."""

    available: tuple[str, ...] = ()
    current: str | None = None
    option: str | None = None
    """The configuration option that holds the mode; None where there is a call of its own."""


def offers(options: Any) -> tuple[Offer, ...]:
    """The options that can be understood; others cannot be chosen."""
    found = []
    for option in options if isinstance(options, list) else ():
        if isinstance(option, dict):
            said, number = option.get("kind"), option.get("optionId")
            if isinstance(said, str) and said in _KINDS and isinstance(number, str):
                found.append(Offer(_KINDS[said], number))
    return tuple(found)


def answer(verdict: Verdict, offered: tuple[Offer, ...]) -> dict[str, Any]:
    """The outcome for a verdict: by kind, and cancelled when that kind is not on offer or not to be told apart."""
    wanted = _WANTED.get(verdict)
    wanted_ids = [number for kind, number in offered if kind is wanted]
    if not wanted_ids or any(number == wanted_ids[0] for kind, number in offered if kind is not wanted):
        return CANCELLED
    return {"outcome": {"outcome": "selected", "optionId": wanted_ids[0]}}


def facts(response: "InitializeResponse") -> AgentFacts:
    info = response.agent_info
    return AgentFacts(
        name=(info.title or info.name) if info else "",
        version=info.version if info else "",
        protocol=response.protocol_version,
        login_methods=tuple(f"{method.id}: {method.name}" for method in response.auth_methods or ()),
        sees_pictures=_sees_pictures(response),
    )


def _sees_pictures(response: "InitializeResponse") -> bool:
    able = response.agent_capabilities
    return bool(able and able.prompt_capabilities and able.prompt_capabilities.image)


def modes(response: "NewSessionResponse") -> Modes:
    """Where an agent lists its modes: in their own place, or among the options."""
    if response.modes is not None and response.modes.available_modes:
        return Modes(
            tuple(mode.id for mode in response.modes.available_modes),
            response.modes.current_mode_id,
        )
    for option in response.config_options or ():
        if option.type == "select" and "mode" in (option.category, option.id):
            return Modes(_values(option), option.current_value, option.id)
    return Modes()


def model_of(response: "NewSessionResponse", result: Any) -> str:
    """Where an agent names its model: among the options, or, older ones, in a place the library no longer knows."""
    for option in response.config_options or ():
        if option.type == "select" and "model" in (option.category, option.id):
            return str(option.current_value)
    models = result.get("models") if isinstance(result, dict) else None
    named = models.get("currentModelId") if isinstance(models, dict) else None
    return named if isinstance(named, str) else ""


def heard(name: str, update: Any, calls: ToolCalls) -> AgentUpdate | None:
    """A session update for the engine; None for what it has no use for."""
    match name:
        case "tool_call" | "tool_call_update":
            return ToolCallChanged(call=calls.told(update))
        case "agent_message_chunk" | "agent_thought_chunk":
            text = getattr(update.content, "text", "")
            return (
                AgentSaid(text=text, thought=name == "agent_thought_chunk") if isinstance(text, str) and text else None
            )
        case "plan":
            return TodosChanged(
                todos=tuple(
                    Todo(content=entry.content, status=entry.status, priority=entry.priority) for entry in update
                )
            )
        case "available_commands_update":
            return CommandsOffered(
                commands=tuple(
                    OfferedCommand(
                        name=command.name,
                        description=command.description,
                        hint=command.input.root.hint if command.input else "",
                    )
                    for command in update.available_commands
                )
            )
        case "current_mode_update":
            return ModeChanged(mode=update.current_mode_id)
        case "config_option_update":
            return _mode_of(update.config_options)
        case "usage_update":
            return UsageReported(
                used=update.used,
                size=update.size,
                cost=update.cost.amount if update.cost else None,
                currency=update.cost.currency if update.cost else "",
            )
    return None


def _mode_of(options: Any) -> ModeChanged | None:
    for option in options or ():
        if option.type == "select" and "mode" in (option.category, option.id):
            return ModeChanged(mode=option.current_value)
    return None


def _values(option: "SessionConfigOptionSelect") -> tuple[str, ...]:
    found: list[str] = []
    for entry in option.options:
        inner = getattr(entry, "options", None)
        found.extend(value.value for value in (inner if inner is not None else (entry,)))
    return tuple(found)
