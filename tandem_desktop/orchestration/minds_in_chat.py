"""How the minds that look at a task appear in the conversation: a chip each, that moves while they are at work."""

import secrets

from tandem_desktop.domain.agents import ToolCall, ToolCallStatus, ToolKind
from tandem_desktop.domain.ids import SessionId, ToolCallId
from tandem_desktop.domain.perspectives import Perspective, Voice
from tandem_desktop.events.events import TandemEvent
from tandem_desktop.events.perspective_events import (
    PerspectiveCompleted,
    PerspectiveFailed,
    PerspectiveMoved,
    PerspectiveStarted,
    PlanningStarted,
    SynthesisEnded,
    SynthesisStarted,
)
from tandem_desktop.perspectives.wording import as_text

MIND = "perspective"
SYNTHESIS = "synthesis"
_SIDES = {Voice.CHAPO: "the strategy", Voice.KODA: "the code", Voice.DEVO: "operations"}


class MindsInChat:
    """Each time somebody is asked they have chips of their own, also after a restart."""

    def __init__(self) -> None:
        self._names: dict[SessionId, str] = {}

    def call(self, event: TandemEvent) -> tuple[SessionId, ToolCall] | None:
        """The chip an event is about, as it stands now; None for all other events."""
        match event:
            case PlanningStarted():
                self._names[event.session_id] = secrets.token_hex(4)
            case PerspectiveStarted():
                return self._mind(event.session_id, event.agent, ToolCallStatus.IN_PROGRESS)
            case PerspectiveMoved():
                return self._mind(event.session_id, event.agent, ToolCallStatus.IN_PROGRESS, event.doing)
            case PerspectiveCompleted():
                words, text = _in_short(event.perspective), as_text(event.perspective)
                return self._mind(event.session_id, event.agent, ToolCallStatus.COMPLETED, words, text)
            case PerspectiveFailed():
                failed = ToolCallStatus.FAILED
                return self._mind(event.session_id, event.agent, failed, event.reason, event.reason)
            case SynthesisStarted():
                return self._synthesis(event.session_id, ToolCallStatus.IN_PROGRESS, "what they said")
            case SynthesisEnded(problem=""):
                done = f"{len(event.tasks)} tasks" if len(event.tasks) != 1 else "1 task"
                return self._synthesis(event.session_id, ToolCallStatus.COMPLETED, done, "\n".join(event.tasks))
            case SynthesisEnded():
                return self._synthesis(event.session_id, ToolCallStatus.FAILED, "what they said", event.problem)
        return None

    def _mind(
        self, session_id: SessionId, voice: Voice, status: ToolCallStatus, words: str = "", output: str = ""
    ) -> tuple[SessionId, ToolCall]:
        title = f"{voice.value.upper()} on {_SIDES[voice]}" + (f": {words}" if words else "")
        return session_id, self._chip(session_id, MIND, voice.value, title, status, output)

    def _synthesis(
        self, session_id: SessionId, status: ToolCallStatus, title: str, output: str = ""
    ) -> tuple[SessionId, ToolCall]:
        return session_id, self._chip(session_id, SYNTHESIS, SYNTHESIS, title, status, output)

    def _chip(
        self, session_id: SessionId, tool: str, name: str, title: str, status: ToolCallStatus, output: str
    ) -> ToolCall:
        time = self._names.get(session_id, "")
        return ToolCall(
            id=ToolCallId(f"{tool}-{name}-{time}"),
            tool=tool,
            title=title,
            kind=ToolKind.THINK,
            status=status,
            output=output,
        )


def _in_short(found: Perspective) -> str:
    count = len(found.concerns)
    concerns = "no concerns" if not count else "1 concern" if count == 1 else f"{count} concerns"
    return f"{concerns}, {found.estimated_effort.value} effort"
