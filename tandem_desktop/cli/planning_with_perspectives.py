"""run --perspectives: several minds look at a task before it is planned; what they say is shown with the plan."""

from collections.abc import Mapping
from typing import Any

from tandem_desktop.cli.call import Call
from tandem_desktop.cli.failures import UsageError
from tandem_desktop.cli.lines import Line, Span, Tone
from tandem_desktop.domain.agents import AgentProfile
from tandem_desktop.domain.ids import SessionId, new_session_id
from tandem_desktop.domain.perspectives import ChapoPerspective, Perspective, Perspectives, Voice
from tandem_desktop.domain.qualification import Qualification
from tandem_desktop.events.events import TandemEvent
from tandem_desktop.events.perspective_events import (
    PerspectiveCompleted,
    PerspectiveFailed,
    PerspectiveMoved,
    PerspectiveStarted,
    SynthesisEnded,
    SynthesisStarted,
    TaskDelegated,
)
from tandem_desktop.orchestration.agent_sessions import AgentSessions
from tandem_desktop.orchestration.minds import Minds
from tandem_desktop.orchestration.perspective_planning import PerspectivePlanning
from tandem_desktop.orchestration.session_seat import SessionSlot
from tandem_desktop.settings.settings import MindChoice


def are_wanted(call: Call, qualification: Qualification) -> bool:
    """As the call says; else as the settings say, for a task that should be planned."""
    chosen: bool | None = call.arguments.perspectives
    return call.engine.settings.perspectives and qualification.plan_required if chosen is None else chosen


def first_look(call: Call, qualification: Qualification) -> Line:
    """Whether planning is advised and why, and how to have it otherwise."""
    if are_wanted(call, qualification):
        otherwise = "Three minds look at it first; --no-perspectives leaves them out."
    else:
        otherwise = "With --perspectives three minds look at it first." if qualification.plan_required else ""
    return (Span("First look: ", Tone.QUIET), f"{qualification.words} {otherwise}".strip())


def minds_for(call: Call, profile: AgentProfile, environment: Mapping[str, str]) -> Minds:
    """Raises UsageError, BadInputError: a voice that nobody has, or an agent that nobody knows."""
    minds = Minds({**call.engine.settings.minds, **_voices(call)}, profile, environment=environment)
    for voice in Voice:
        minds.of(voice.value)  # said at once, not after the first has spoken
    return minds


def lead(call: Call, sessions: AgentSessions, minds: Minds) -> tuple[SessionId, SessionSlot, PerspectivePlanning]:
    """Everything one task needs."""
    chosen = call.arguments.session
    if chosen is not None:
        sessions.facts(SessionId(chosen))
    session_id = SessionId(chosen) if chosen is not None else new_session_id()
    slot = sessions.slot(session_id)
    return session_id, slot, PerspectivePlanning(call.engine, sessions.advisor(minds), minds, slot.take)


def lines_about(found: Perspectives) -> list[Line]:
    """Each voice in a line, and who is missing."""
    lines: list[Line] = [
        (Span(f"{each.agent.value.upper():<6}", Tone.STRONG), f" {_in_short(each)}") for each in found.voices
    ]
    lines += [(Span("! ", Tone.WARNING), f"Without {lost.part.upper()}: {lost.reason}") for lost in found.missing]
    return lines


def progress_line(event: TandemEvent) -> Line | None:
    """What is said on stderr while the minds are at work."""
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


def _in_short(found: Perspective) -> str:
    risk = f", {found.risk_assessment.value} risk" if isinstance(found, ChapoPerspective) else ""
    read = f"; read {len(found.files_read)} files" if found.files_read else "; read no file"
    return f"{found.estimated_effort.value} effort{risk}, {len(found.concerns)} concerns{read}. {found.analysis}"


def _voices(call: Call) -> dict[str, MindChoice]:
    found = {}
    for word in call.arguments.voice:
        role, given, choice = word.partition("=")
        if role not in {voice.value for voice in Voice} or not given:
            names = ", ".join(voice.value for voice in Voice)
            raise UsageError(f"--voice {word} names none of {names}.", next="Write --voice koda=AGENT[:MODEL].")
        agent, _, model = choice.partition(":")
        found[role] = MindChoice(agent=agent, model=model)
    return found
