"""Builds and stores the chat log of each session from events."""

import json
import os
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from pydantic_core import ValidationError

from tandem_desktop.domain.agent_protocol import (
    AgentSaid,
    ChatEntry,
    EntryKind,
    PermissionVerdict,
    StopReason,
    ToolCall,
    ToolCallChanged,
    ToolCallStatus,
    ToolKind,
)
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import (
    AgentProgramChanged,
    AgentUpdated,
    ChatGrew,
    OrchestrationEnded,
    OrchestrationMoved,
    OrchestrationStarted,
    PermissionAnswered,
    PermissionAsked,
    PerspectiveCompleted,
    PerspectiveFailed,
    PerspectiveMoved,
    PerspectiveStarted,
    PlanningStarted,
    PlanProposed,
    PlanRejected,
    QuestionAnswered,
    QuestionAsked,
    QuestionCompleted,
    ReflectionCompleted,
    RunFinished,
    SynthesisEnded,
    SynthesisStarted,
    TandemEvent,
    TaskDelegated,
    TurnEnded,
    TurnStarted,
)
from tandem_desktop.domain.ids import PlanId, RequestId, RunId, SessionId, ToolCallId
from tandem_desktop.domain.perspectives import Perspective, Role, as_text
from tandem_desktop.domain.questions import COMPLETED, QuestionAction
from tandem_desktop.domain.reflection import OrchestrationStage
from tandem_desktop.execution.undo import RewindPlan, UndoneRun
from tandem_desktop.services.runs import PlanRuns
from tandem_desktop.storage import atomic, syscalls

PERSPECTIVE_TOOL = "perspective"
SYNTHESIS = "synthesis"
_SIDES = {Role.CHAPO: "the strategy", Role.KODA: "the code", Role.DEVO: "operations"}


class AdvisorChips:
    """Each question has its own chips, also after a restart."""

    def __init__(self) -> None:
        self._names: dict[SessionId, str] = {}

    def call(self, event: TandemEvent) -> tuple[SessionId, ToolCall] | None:
        """The current chip of an event; None for events without one."""
        match event:
            case PlanningStarted():
                self._names[event.session_id] = secrets.token_hex(4)
            case PerspectiveStarted():
                return self._advisor(event.session_id, event.agent, ToolCallStatus.IN_PROGRESS)
            case PerspectiveMoved():
                return self._advisor(event.session_id, event.agent, ToolCallStatus.IN_PROGRESS, event.doing)
            case PerspectiveCompleted():
                summary, text = _in_short(event.perspective), as_text(event.perspective)
                return self._advisor(event.session_id, event.agent, ToolCallStatus.COMPLETED, summary, text)
            case PerspectiveFailed():
                failed = ToolCallStatus.FAILED
                return self._advisor(event.session_id, event.agent, failed, event.reason, event.reason)
            case SynthesisStarted():
                return self._synthesis(event.session_id, ToolCallStatus.IN_PROGRESS, "what they said")
            case SynthesisEnded(problem=""):
                done = f"{len(event.tasks)} tasks" if len(event.tasks) != 1 else "1 task"
                return self._synthesis(event.session_id, ToolCallStatus.COMPLETED, done, "\n".join(event.tasks))
            case SynthesisEnded():
                return self._synthesis(event.session_id, ToolCallStatus.FAILED, "what they said", event.problem)
        return None

    def _advisor(
        self, session_id: SessionId, voice: Role, status: ToolCallStatus, summary: str = "", output: str = ""
    ) -> tuple[SessionId, ToolCall]:
        title = f"{voice.value.upper()} on {_SIDES[voice]}" + (f": {summary}" if summary else "")
        return session_id, self._chip(session_id, PERSPECTIVE_TOOL, voice.value, title, status, output)

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


_STAGES = {
    OrchestrationStage.GENERATING: "Orchestration: a plan is being made.",
    OrchestrationStage.AWAITING_APPROVAL: "Orchestration: the plan waits for your approval.",
    OrchestrationStage.EXECUTING: "Orchestration: the plan is being executed.",
    OrchestrationStage.REFLECTING: "Orchestration: an agent is asked what to change.",
    OrchestrationStage.AWAITING_ADJUSTMENTS: "Orchestration: the adjustments wait for your decision.",
}

CHAT = "chat.jsonl"
STOPPED = "Stopped."
LEFT_OUT = "left_out"
"""The problem kind of what an agent left that no plan carries."""
_MOST_LEFT_OUT = 12
_MOST_GROWN = 64 * 1024
"""Characters after which a message goes on in a new entry: each piece of it is told with all that came before."""


class ChatLog:
    """Subscribes to all events and publishes `ChatGrew` for each new or changed entry. Thread-safe."""

    def __init__(
        self,
        sessions: Path,
        events: EventStream,
        clock: Callable[[], datetime],
        session_of: Callable[[PlanId], SessionId | None],
    ) -> None:
        self._sessions = sessions
        self._events = events
        self._clock = clock
        self._session_of = session_of
        self._lock = threading.Lock()
        self._chats: dict[SessionId, dict[int, ChatEntry]] = {}
        self._growing: dict[SessionId, int] = {}
        self._advisors = AdvisorChips()
        self._unsubscribe = events.subscribe(self._on_event)

    def entries(self, session_id: SessionId) -> tuple[ChatEntry, ...]:
        """The conversation so far."""
        with self._lock:
            return tuple(self._chat(session_id).values())

    def note(self, session_id: SessionId, text: str, kind: EntryKind = EntryKind.NOTE) -> None:
        """Add a line of our own."""
        self._add(session_id, kind, text=text)

    def set_aside(self, session_id: SessionId, after: int) -> int:
        """Mark every entry later than number `after` as set aside; how many were marked. Nothing is deleted."""
        with self._lock:
            self._finish(session_id)
            chat = self._chat(session_id)
            later = [entry for entry in chat.values() if entry.number > after and not entry.set_aside]
            marked = [entry.model_copy(update={"set_aside": True}) for entry in later]
            for entry in marked:
                self._put(session_id, entry)
        for entry in marked:
            self._events.publish(ChatGrew(session_id=session_id, entry=entry))
        return len(marked)

    def forget(self, session_id: SessionId) -> None:
        """The conversation was deleted."""
        with self._lock:
            self._growing.pop(session_id, None)
            self._chats.pop(session_id, None)

    def close(self) -> None:
        self._unsubscribe()
        with self._lock:
            for session_id in list(self._growing):
                self._finish(session_id)

    def _on_event(self, event: TandemEvent) -> None:
        match event:
            case TurnStarted():
                if event.text:
                    self._add(event.session_id, EntryKind.PERSON, text=event.text)
            case AgentUpdated(update=AgentSaid() as said):
                self._grow(event.session_id, EntryKind.THOUGHT if said.thought else EntryKind.AGENT, said.text)
            case AgentUpdated(update=ToolCallChanged() as changed):
                self._tool(event.session_id, changed.call)
            case PermissionAsked():
                text, request = event.request.call.title, event.request
                self._add(event.session_id, EntryKind.QUESTION, text=text, request=request, card=event.card)
            case PermissionAnswered():
                self._answered(event)
            case QuestionAsked(question=question):
                self._add(event.session_id, EntryKind.ELICITATION, text=question.summary, question=question)
            case QuestionAnswered():
                self._question_ended(event.session_id, event.question_id, event.action.value, event.answers)
            case QuestionCompleted():
                self._question_ended(event.session_id, event.question_id, COMPLETED)
            case OrchestrationStarted() if event.session_id is not None:
                self._add(event.session_id, EntryKind.PERSON, text=event.task)
            case OrchestrationMoved() if event.session_id is not None:
                self._add(event.session_id, EntryKind.NOTE, text=_STAGES[event.stage])
            case OrchestrationEnded() if event.session_id is not None:
                outcome = event.outcome.value.replace("_", " ")
                text = f"Orchestration ended: {outcome}. {event.problem}".strip()
                self._add(event.session_id, EntryKind.NOTE, text=text)
            case PlanRejected(said=str(said)) if said:
                session_id = self._session_of(event.plan_id)
                if session_id is not None:
                    self._add(session_id, EntryKind.PERSON, text=said)
            case PlanProposed():
                session_id = self._session_of(event.plan_id)
                if session_id is not None:
                    self._add(session_id, EntryKind.PLAN, among=True, plan_id=event.plan_id, revision=event.revision)
            case RunFinished():
                session_id = self._session_of(event.plan_id)
                if session_id is not None:
                    facts = {"text": event.summary, "plan_id": event.plan_id, "run_id": event.run_id}
                    self._add(session_id, EntryKind.NOTE, among=True, **facts)
            case ReflectionCompleted():
                session_id = self._session_of(event.plan_id)
                if session_id is not None:
                    facts = {"plan_id": event.plan_id, "run_id": event.run_id}
                    self._add(session_id, EntryKind.REFLECTION, text=event.assessment.value, **facts)
            case AgentProgramChanged():
                self._add(event.session_id, EntryKind.PROBLEM, text=event.text, problem_kind=event.type)
            case TurnEnded():
                self._turn_ended(event)
            case TaskDelegated():
                text = f"{event.task_id} {event.subject}: {event.agent.upper()}, {event.spoken_by}"
                self._add(event.session_id, EntryKind.NOTE, text=text)
            case _:
                if (chip := self._advisors.call(event)) is not None:
                    self._tool(*chip)

    def _turn_ended(self, event: TurnEnded) -> None:
        with self._lock:
            self._finish(event.session_id)
        if event.problem and event.stop_reason is not StopReason.CANCELLED:
            self._add(
                event.session_id,
                EntryKind.PROBLEM,
                text=event.problem,
                details=event.details,
                problem_kind=event.problem_kind,
            )
        elif event.stop_reason is StopReason.CANCELLED:
            self._add(event.session_id, EntryKind.NOTE, text=STOPPED)
        if event.left_out:
            rest = len(event.left_out) - _MOST_LEFT_OUT
            lines = [*event.left_out[:_MOST_LEFT_OUT], *([f"… and {rest:,} more"] if rest > 0 else [])]
            self._add(event.session_id, EntryKind.PROBLEM, text="\n".join(lines), problem_kind=LEFT_OUT)

    def _add(self, session_id: SessionId, kind: EntryKind, *, among: object = False, **facts: object) -> None:
        """Add an entry; `among` the words of an agent it does not end the message that is being told."""
        with self._lock:
            if not among:
                self._finish(session_id)
            entry = ChatEntry.model_validate(
                {"number": len(self._chat(session_id)) + 1, "kind": kind, "at": self._clock(), **facts}
            )
            self._put(session_id, entry)
        self._events.publish(ChatGrew(session_id=session_id, entry=entry))

    def _grow(self, session_id: SessionId, kind: EntryKind, text: str) -> None:
        with self._lock:
            chat = self._chat(session_id)
            growing = chat.get(self._growing.get(session_id, 0))
            if growing is not None and growing.kind is kind and len(growing.text) < _MOST_GROWN:
                entry = growing.model_copy(update={"text": growing.text + text})
            else:
                self._finish(session_id)
                entry = ChatEntry(number=len(chat) + 1, kind=kind, at=self._clock(), text=text)
                self._growing[session_id] = entry.number
            chat[entry.number] = entry
        self._events.publish(ChatGrew(session_id=session_id, entry=entry))

    def _tool(self, session_id: SessionId, call: ToolCall) -> None:
        with self._lock:
            chat = self._chat(session_id)
            known = next((e for e in reversed(chat.values()) if e.call is not None and e.call.id == call.id), None)
            is_allowed = any(_allows(each, call) for each in reversed(chat.values()))
            facts = {"call": call, "answer": PermissionVerdict.ALLOW.value if is_allowed else ""}
            if known is None:
                self._finish(session_id)
                entry = ChatEntry(number=len(chat) + 1, kind=EntryKind.TOOL, at=self._clock()).model_copy(update=facts)
            else:
                entry = known.model_copy(update=facts)
            self._put(session_id, entry)
        self._events.publish(ChatGrew(session_id=session_id, entry=entry))

    def _answered(self, event: PermissionAnswered) -> None:
        with self._lock:
            chat = self._chat(event.session_id)
            # An agent numbers its requests anew at each start: the latest of that number is the one that was open.
            asked = (e for e in reversed(chat.values()) if e.request and e.request.id == event.request_id)
            waiting = next(asked, None)
            if waiting is None or waiting.answer:
                return
            entry = waiting.model_copy(update={"answer": event.verdict.value, "details": (event.reason,)})
            self._put(event.session_id, entry)
        self._events.publish(ChatGrew(session_id=event.session_id, entry=entry))

    def _question_ended(
        self, session_id: SessionId, question_id: RequestId, answer: str, details: tuple[str, ...] = ()
    ) -> None:
        with self._lock:
            chat = self._chat(session_id)
            asked = next((e for e in reversed(chat.values()) if e.question and e.question.id == question_id), None)
            if asked is None:
                return
            entry = asked.model_copy(update={"answer": answer, "details": details})
            self._put(session_id, entry)
        self._events.publish(ChatGrew(session_id=session_id, entry=entry))

    def _chat(self, session_id: SessionId) -> dict[int, ChatEntry]:
        if session_id not in self._chats:
            self._chats[session_id] = self._load(session_id)
        return self._chats[session_id]

    def _put(self, session_id: SessionId, entry: ChatEntry) -> None:
        self._chat(session_id)[entry.number] = entry
        self._save(session_id, entry)

    def _finish(self, session_id: SessionId) -> None:
        """Write an entry once it is complete."""
        number = self._growing.pop(session_id, None)
        if number is not None:
            self._save(session_id, self._chats[session_id][number])

    def _save(self, session_id: SessionId, entry: ChatEntry) -> None:
        folder = self._sessions / session_id
        try:
            atomic.make_directory(folder, mode=0o700)
            fd = syscalls.open_appending(str(folder / CHAT))
            try:
                syscalls.write(fd, (entry.model_dump_json() + "\n").encode("utf-8", "surrogatepass"))
            finally:
                os.close(fd)
        except OSError:
            return  # the conversation goes on without its record; plans and runs are kept elsewhere

    def _load(self, session_id: SessionId) -> dict[int, ChatEntry]:
        try:
            lines = (self._sessions / session_id / CHAT).read_bytes().splitlines()
        except OSError:
            return {}
        chat: dict[int, ChatEntry] = {}
        for line in lines:
            try:
                entry = ChatEntry.model_validate_json(line)
            except (ValidationError, json.JSONDecodeError):
                continue  # a line cut short by a crash
            chat[entry.number] = entry
        return {number: _withdrawn(chat[number]) for number in sorted(chat)}


def _allows(entry: ChatEntry, call: ToolCall) -> bool:
    """Whether an entry is a card by which the person allowed this call, with Plan mode off."""
    is_about = entry.request is not None and entry.request.call.id == call.id
    return is_about and entry.card is not None and entry.answer == PermissionVerdict.ALLOW.value


def _withdrawn(entry: ChatEntry) -> ChatEntry:
    """A stored entry; what was asked when the process ended waits no longer."""
    ends = {EntryKind.ELICITATION: QuestionAction.CANCEL, EntryKind.QUESTION: PermissionVerdict.CANCELLED}
    if entry.answer or entry.kind not in ends:
        return entry
    return entry.model_copy(update={"answer": ends[entry.kind].value})


class Restoring(StrEnum):
    """What is restored."""

    FILES = "files"
    CHAT = "chat"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class PointPreview:
    """The preview of a restore; nothing is changed."""

    files: RewindPlan | None
    """The runs after the point that would be undone, of any session, and the effect."""
    entries: int
    """Entries of the conversation that would be set aside."""


@dataclass(frozen=True, slots=True)
class RestoredPoint:
    """The result of a restore."""

    run: UndoneRun | None
    entries: int


class RestorePoints:
    """Entries of a conversation are the points. Nothing is deleted: runs are undone, entries are set aside."""

    def __init__(self, runs: PlanRuns, chat: ChatLog) -> None:
        self._runs = runs
        self._chat = chat

    def preview(self, session_id: SessionId, entry: int) -> PointPreview:
        first = self._first_run_after(self._moment(session_id, entry))
        later = [each for each in self._chat.entries(session_id) if each.number > entry and not each.set_aside]
        return PointPreview(self._rewinding(first), len(later))

    def restore(self, session_id: SessionId, entry: int, what: Restoring) -> RestoredPoint:
        """Restore the state just after an entry; files first, so that a conflict leaves the chat unchanged.

        Raises:
            UndoConflictError: a later edit is in the way of the files; nothing was changed.
            BadInputError: there is no such entry.
        """
        self._moment(session_id, entry)
        files = self.preview(session_id, entry).files if what is not Restoring.CHAT else None
        run = self._runs.rewind(files.runs[-1]) if files is not None else None
        aside = self._chat.set_aside(session_id, entry) if what is not Restoring.FILES else 0
        return RestoredPoint(run, aside)

    def _moment(self, session_id: SessionId, entry: int) -> datetime:
        found = next((each for each in self._chat.entries(session_id) if each.number == entry), None)
        if found is None:
            raise BadInputError(f"The conversation has no entry {entry}.", next="Choose one that is shown.")
        return found.at

    def _first_run_after(self, moment: datetime) -> RunId | None:
        later = [each.record.run_id for each in self._runs.runs() if each.record.started_at > moment]
        return later[-1] if later else None

    def _rewinding(self, first: RunId | None) -> RewindPlan | None:
        """The preview of a rewind to before a run; None if all runs since are undone already."""
        try:
            return self._runs.preview_rewind(first) if first is not None else None
        except BadInputError:
            return None
