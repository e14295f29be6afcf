"""Ask Chapo, then Koda and Devo together, each about the same task; whoever fails is missed, not waited for."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from tandem_desktop.domain.advice import Advice, Question
from tandem_desktop.domain.agent_ports import AdvisorPort
from tandem_desktop.domain.agents import AgentUpdate, ToolCallChanged, ToolCallStatus
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.domain.perspectives import (
    ChapoPerspective,
    ChapoSaid,
    DevoPerspective,
    DevoSaid,
    KodaPerspective,
    KodaSaid,
    Perspective,
    Perspectives,
    Said,
    Voice,
)
from tandem_desktop.domain.qualification import Qualification
from tandem_desktop.events.perspective_events import (
    PerspectiveCompleted,
    PerspectiveFailed,
    PerspectiveMoved,
    PerspectiveStarted,
    PlanningEvent,
)
from tandem_desktop.perspectives.wording import as_text
from tandem_desktop.policy.prompt_files import PromptFiles

TOOL = "submit_perspective"

_SHAPES: Mapping[Voice, tuple[type[Said], type[Perspective]]] = {
    Voice.CHAPO: (ChapoSaid, ChapoPerspective),
    Voice.KODA: (KodaSaid, KodaPerspective),
    Voice.DEVO: (DevoSaid, DevoPerspective),
}


@dataclass(frozen=True, slots=True)
class TaskToPlan:
    """What the voices are asked about."""

    session_id: SessionId
    task: str
    qualification: Qualification


class Gathering:
    """Collects perspectives. Nothing here writes, and no voice can: they may only look."""

    def __init__(
        self,
        advisor: AdvisorPort,
        tell: Callable[[PlanningEvent], None],
        clock: Callable[[], datetime],
        prompts: PromptFiles | None = None,
    ) -> None:
        self._advisor = advisor
        self._tell = tell
        self._clock = clock
        self._prompts = prompts or PromptFiles()

    async def gather(self, about: TaskToPlan) -> Perspectives:
        """CHAPO first, who qualifies the task for the others; then KODA and DEVO side by side."""
        asked = Perspectives(task=about.task, qualification=about.qualification.words)
        found = await self._heard(asked, about, Voice.CHAPO)
        if found.chapo is not None:
            qualification = found.chapo.qualified(about.qualification)
            about = replace(about, qualification=qualification)
            found = found.model_copy(update={"qualification": qualification.words})
        both = await asyncio.gather(*(self._ask(found, about, voice) for voice in (Voice.KODA, Voice.DEVO)))
        for voice, answer in zip((Voice.KODA, Voice.DEVO), both, strict=True):
            found = _taken(found, voice, answer)
        return found

    async def _heard(self, found: Perspectives, about: TaskToPlan, voice: Voice) -> Perspectives:
        return _taken(found, voice, await self._ask(found, about, voice))

    async def _ask(self, found: Perspectives, about: TaskToPlan, voice: Voice) -> "Perspective | TandemError":
        self._tell(PerspectiveStarted(session_id=about.session_id, agent=voice))
        said, _ = _SHAPES[voice]
        question = Question(
            role=voice.value,
            words=self._words(found, about, voice),
            tool=TOOL,
            result=said,
            heard=lambda update: self._follow(about.session_id, voice, update),
            session_id=about.session_id,
        )
        try:
            perspective = self._perspective(voice, await self._advisor.ask(question))
        except TandemError as error:
            self._tell(PerspectiveFailed(session_id=about.session_id, agent=voice, reason=error.message))
            return error
        self._tell(PerspectiveCompleted(session_id=about.session_id, agent=voice, perspective=perspective))
        return perspective

    def _perspective(self, voice: Voice, advice: Advice[Said]) -> Perspective:
        _, kept = _SHAPES[voice]
        return kept.model_validate(
            {
                **advice.result.model_dump(),
                "timestamp": self._clock(),
                "spoken_by": advice.agent,
                "model": advice.model,
                "files_read": advice.read,
                "denied": advice.denied,
                "thrown_away": advice.thrown_away,
            }
        )

    def _words(self, found: Perspectives, about: TaskToPlan, voice: Voice) -> str:
        known = "What its words show" if voice is Voice.CHAPO else "The task is qualified"
        parts = [
            self._prompts.text(f"perspectives/{voice.value}.md"),
            f"The task, in the person's words:\n\n{about.task}",
            f"{known}: {about.qualification.words}",
        ]
        if about.qualification.context:
            parts.append(f"It names: {', '.join(about.qualification.context)}.")
        parts += [f"What {each.agent.value.upper()} has said:\n\n{as_text(each)}" for each in found.voices]
        return "\n\n".join(part for part in parts if part)

    def _follow(self, session_id: SessionId, voice: Voice, update: AgentUpdate) -> None:
        if isinstance(update, ToolCallChanged) and update.call.status is not ToolCallStatus.PENDING:
            doing = update.call.title or update.call.tool or update.call.kind.value
            self._tell(PerspectiveMoved(session_id=session_id, agent=voice, doing=doing))


def _taken(found: Perspectives, voice: Voice, answer: "Perspective | TandemError") -> Perspectives:
    if isinstance(answer, TandemError):
        return found.without(voice.value, answer.message, answer.next)
    return found.with_voice(answer)
