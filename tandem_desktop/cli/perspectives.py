"""The --perspectives option of the run command."""

from collections.abc import Mapping
from typing import Any

from tandem_desktop.advisors.perspective_planning import PerspectivePlanning
from tandem_desktop.cli.console import Line, Span, Tone, UsageError
from tandem_desktop.cli.main import CommandContext
from tandem_desktop.domain.advice import Qualification
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.events import (
    PerspectiveCompleted,
    PerspectiveFailed,
    PerspectiveMoved,
    PerspectiveStarted,
    SynthesisEnded,
    SynthesisStarted,
    TandemEvent,
    TaskDelegated,
)
from tandem_desktop.domain.ids import SessionId, new_session_id
from tandem_desktop.domain.perspectives import Perspectives, Role
from tandem_desktop.sessions.advisors import Advisors
from tandem_desktop.sessions.manager import AgentSessions, SessionSlot
from tandem_desktop.settings import AdvisorChoice


def are_wanted(call: CommandContext, qualification: Qualification) -> bool:
    """As the call says; else as the settings say, for a task that should be planned."""
    chosen: bool | None = call.arguments.perspectives
    return call.engine.settings.perspectives and qualification.plan_required if chosen is None else chosen


def first_look(call: CommandContext, qualification: Qualification) -> Line:
    """Whether planning is advised and why, and how to have it otherwise."""
    if are_wanted(call, qualification):
        otherwise = "Three advisors look at it first; --no-perspectives leaves them out."
    else:
        otherwise = "With --perspectives three advisors look at it first." if qualification.plan_required else ""
    return (Span("First look: ", Tone.QUIET), f"{qualification.summary} {otherwise}".strip())


def advisors_for(call: CommandContext, profile: AgentProfile, environment: Mapping[str, str]) -> Advisors:
    """Raises UsageError, BadInputError: a voice that nobody has, or an agent that nobody knows."""
    advisors = Advisors({**call.engine.settings.advisors, **_voices(call)}, profile, environment=environment)
    for voice in Role:
        advisors.of(voice.value)  # said at once, not after the first has spoken
    return advisors


def lead(
    call: CommandContext, sessions: AgentSessions, advisors: Advisors
) -> tuple[SessionId, SessionSlot, PerspectivePlanning]:
    """Everything one task needs."""
    chosen = call.arguments.session
    if chosen is not None:
        sessions.facts(SessionId(chosen))
    session_id = SessionId(chosen) if chosen is not None else new_session_id()
    slot = sessions.slot(session_id)
    return session_id, slot, PerspectivePlanning(call.engine, sessions.advisor(advisors), advisors, slot.take)


def progress_line(event: TandemEvent) -> Line | None:
    """What is said on stderr while the advisors are at work."""
    match event:
        case PerspectiveStarted():
            return (Span(f"  {event.agent.value.upper()}", Tone.STRONG), " looks at it")
        case PerspectiveMoved():
            return (Span(f"  {event.agent.value.upper()}: ", Tone.QUIET), event.doing)
        case PerspectiveCompleted():
            return (Span(f"  {event.agent.value.upper()}: ", Tone.STRONG), event.perspective.analysis)
        case PerspectiveFailed():
            return (Span(f"  {event.agent.value.upper()} could not be heard: ", Tone.WARNING), event.reason)
        case SynthesisStarted():
            return "  Putting it together"
        case SynthesisEnded(problem=""):
            return f"  {len(event.tasks)} tasks: {'; '.join(event.tasks)}"
        case SynthesisEnded():
            return (Span("  No tasks: ", Tone.WARNING), event.problem)
        case TaskDelegated():
            return (Span(f"  {event.task_id} ", Tone.STRONG), f"{event.subject} ({event.agent.upper()})")
    return None


def as_data(found: Perspectives | None) -> dict[str, Any]:
    return {"perspectives": found.model_dump(mode="json")} if found is not None else {}


def _voices(call: CommandContext) -> dict[str, AdvisorChoice]:
    found = {}
    for word in call.arguments.voice:
        role, given, choice = word.partition("=")
        if role not in {voice.value for voice in Role} or not given:
            names = ", ".join(voice.value for voice in Role)
            raise UsageError(f"--voice {word} names none of {names}.", next="Write --voice koda=AGENT[:MODEL].")
        agent, _, model = choice.partition(":")
        found[role] = AdvisorChoice(agent=agent, model=model)
    return found
