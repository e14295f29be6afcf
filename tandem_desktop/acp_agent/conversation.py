"""One conversation of an editor with an agent: its turns, and the request about a plan that ends one."""

import asyncio
import base64
import binascii
import contextlib
import logging
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from tandem_desktop.acp_agent.plan_commands import PLAN_COMMANDS, WAITING, PlanCommands
from tandem_desktop.acp_agent.plan_request import EditorAnswer, EditorRequest, code, escaped, plan_request
from tandem_desktop.acp_agent.questions import FEEDBACK, feedback_params, question_params, read_answer
from tandem_desktop.acp_agent.review_window import OpenWindow, is_decided, wait_for_decision
from tandem_desktop.acp_agent.updates import AgentUpdates, Json, commands_update, config_options, said
from tandem_desktop.acp_agent.wire import schema
from tandem_desktop.acp_client.connection import RefusedError
from tandem_desktop.background import Background
from tandem_desktop.diff.text import visible_name
from tandem_desktop.domain.agent_protocol import (
    AgentOption,
    AgentProfile,
    Attachment,
    CommandsOffered,
    OfferedCommand,
    OptionsOffered,
    StopReason,
)
from tandem_desktop.domain.errors import BadInputError, TandemError
from tandem_desktop.domain.events import (
    AgentProgramChanged,
    AgentUpdated,
    QuestionAnswered,
    QuestionAsked,
    TandemEvent,
)
from tandem_desktop.domain.ids import PlanId, RequestId, SessionId
from tandem_desktop.domain.plan import PlanMeta
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.questions import AgentQuestion, QuestionAction
from tandem_desktop.domain.runs import FailurePolicy
from tandem_desktop.review.viewed import coverage
from tandem_desktop.services.engine import Engine
from tandem_desktop.sessions.turn import Turn

_Result = TypeVar("_Result")
_log = logging.getLogger(__name__)

_GRACE_S = 3.0
"""How long a turn may take to end after the editor is gone."""
MOST_ASKED = 20
"""How often a person is asked about plans in one turn, as after changes; then the plan waits."""


class EditorClient(Protocol):
    """The editor, as far as a conversation needs it."""

    may_be_asked: bool
    """Whether it shows forms."""
    may_open_addresses: bool

    async def ask(self, method: str, params: Json) -> Any: ...

    async def tell(self, session_id: str, update: Json) -> None: ...


@dataclass(slots=True)
class EditorTurn:
    """What goes on between a prompt and its answer."""

    cancelled: asyncio.Event
    ended: asyncio.Event
    is_with_agent: bool = False
    """Whether the agent's words belong to this turn; what it says later is told to no one."""
    written: asyncio.Event | None = None
    """Set when the run that goes on has ended; None while none does."""


class EditorConversation:
    """Lives on the loop of the wire; the engine is called through `background`."""

    def __init__(
        self,
        session_id: SessionId,
        background: Background,
        profile: AgentProfile,
        client: EditorClient,
        open_window: OpenWindow,
    ) -> None:
        self.id = session_id
        self.background = background
        self.profile = profile
        self._client = client
        self._open_window = open_window
        self._turn: EditorTurn | None = None
        self._updates = AgentUpdates(str(background.engine.locations.workspace))
        self._commands: tuple[OfferedCommand, ...] = ()
        self._options: tuple[AgentOption, ...] = ()
        self._waiting_for_change: PlanId | None = None
        """The plan that the next message is to change."""
        self._numbers = 0
        self._questions: dict[RequestId, asyncio.Task[None]] = {}
        self._outgoing: asyncio.Queue[Json] = asyncio.Queue()
        self._sending: asyncio.Task[None] | None = None
        self._is_closed = False

    @property
    def engine(self) -> Engine:
        return self.background.engine

    @property
    def is_busy(self) -> bool:
        return self._turn is not None

    @property
    def options(self) -> list[Json]:
        """What can be chosen of the agent."""
        return config_options(self._options)

    def begin(self) -> None:
        """Send what there is to tell, from now on; called once the editor knows the session."""
        if self._sending is None and not self._is_closed:
            self._sending = asyncio.create_task(self._send_all())
            self._tell(commands_update((*PLAN_COMMANDS, *self._commands)))

    async def close(self) -> None:
        """End what goes on, but for a run, which is waited for; its work stays."""
        self._is_closed = True
        turn = self._turn
        if turn is not None and turn.written is not None:
            await turn.written.wait()
        self.cancel()
        if turn is not None:
            with contextlib.suppress(TimeoutError):  # an agent that does not stop is ended with its session
                await asyncio.wait_for(turn.ended.wait(), _GRACE_S)
        tasks = (*self._questions.values(), *([self._sending] if self._sending else []))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def cancel(self) -> None:
        """Stop the turn where it is; a plan that waits goes on waiting."""
        turn = self._turn
        if turn is None or turn.cancelled.is_set():
            return
        turn.cancelled.set()
        if turn.is_with_agent:
            self.background.conversations.stop(self.id)
        if turn.written is not None:
            self.background.stop_run()

    async def prompt(self, blocks: Sequence[Any]) -> StopReason:
        """One turn: the agent's, or a command of ours.

        Raises:
            RefusedError: the last message is not answered yet, or the message cannot be taken.
            TandemError: the agent failed.
        """
        if self._turn is not None:
            raise RefusedError(-32600, "This session is still answering the last message.")
        turn = self._turn = EditorTurn(asyncio.Event(), asyncio.Event())
        try:
            text, attachments = read_prompt(blocks)
            command = PlanCommands(self).find(text)
            if command is not None:
                await command
            else:
                await self._agent_turn(turn, text, attachments)
            return StopReason.CANCELLED if turn.cancelled.is_set() else StopReason.END_TURN
        finally:
            await self.flush()
            self._turn = None
            turn.ended.set()

    def say(self, text: str) -> None:
        """A line of our own."""
        self._tell(said(f"\n\n{text}\n\n"))

    def hear(self, event: TandemEvent) -> None:
        """Something happened in this session."""
        match event:
            case AgentUpdated(update=CommandsOffered(commands=commands)):
                self._commands = commands
                self._tell(commands_update((*PLAN_COMMANDS, *commands)))
            case AgentUpdated(update=OptionsOffered(options=options)):
                self._options = options
                self._tell({"sessionUpdate": "config_option_update", "configOptions": self.options})
            case AgentUpdated(update=update):
                if self._turn is not None and self._turn.is_with_agent and (found := self._updates.of(update)):
                    self._tell(found)
            case AgentProgramChanged(text=text):
                self.say(f"⚠ {text}")
            case QuestionAsked(question=question):
                self._questions[question.id] = asyncio.create_task(self._put(question))
            case QuestionAnswered(question_id=question_id):
                if (task := self._questions.pop(question_id, None)) is not None:
                    task.cancel()

    def repeat(self) -> None:
        """Tell the conversation so far again."""
        for entry in self.background.chat.entries(self.id):
            if (found := self._updates.of_entry(entry)) is not None:
                self._tell(found)

    async def wait(self, work: "Future[_Result]") -> _Result:
        """The result of work of the engine. The engine goes on where the wait is cancelled."""
        return await asyncio.shield(asyncio.wrap_future(work))

    async def flush(self) -> None:
        """Wait until everything told so far was sent."""
        if self._sending is None:
            return
        sent = asyncio.create_task(self._outgoing.join())
        await asyncio.wait({sent, self._sending}, return_when=asyncio.FIRST_COMPLETED)
        sent.cancel()

    async def ask_about(self, plan_id: PlanId) -> None:
        """Ask the person about a plan until it is decided, or left waiting."""
        turn = self._turn
        assert turn is not None
        for _ in range(MOST_ASKED):
            self._numbers += 1
            request = await self.wait(self.background.run(plan_request, self.engine, plan_id, self.id, self._numbers))
            self._tell({"sessionUpdate": "tool_call", **request.tool_call})
            await self.flush()
            answer = await self._answer_to(turn, request)
            next_plan = await self._follow(turn, request, answer)
            if next_plan is None:
                return
            plan_id = next_plan
        self.say(f"{plan_id} waits for your decision: `/plans {plan_id}`.")

    async def _agent_turn(self, turn: EditorTurn, text: str, attachments: tuple[Attachment, ...]) -> None:
        changing, self._waiting_for_change = self._waiting_for_change, None
        conversations = self.background.conversations
        if changing is not None and text.strip() and await self._is_open(changing):
            version = await self._talk(turn, conversations.rework(changing, text, self.profile))
        else:
            sent = conversations.send(self.id, text, self.profile, plan_mode=True, attachments=attachments)
            version = await self._talk(turn, sent)
        if version is not None:
            await self.ask_about(version)

    async def _talk(self, turn: EditorTurn, work: "Future[Turn]") -> PlanId | None:
        """Let the agent work; the plan to decide about, if there is one."""
        turn.is_with_agent = True
        try:
            ended = await self.wait(work)
        finally:
            turn.is_with_agent = False
        for sentence in (*ended.unanswered, *ended.left_out):
            self.say(f"⚠ {escaped(sentence)}")
        version = ended.version
        if ended.failure is not None and not turn.cancelled.is_set():
            if version is not None:
                self.say(f"What the agent had done is kept as {version.plan_id}, marked as unfinished.")
            raise ended.failure
        if version is None and ended.ignored is not None:
            self.say(ended.ignored.sentence())
        if version is None:
            return None
        if turn.cancelled.is_set():
            self.say(f"Stopped. What the agent had done is kept as {version.plan_id}; say how it goes on.")
            return None
        return version.plan_id

    async def _is_open(self, plan_id: PlanId) -> bool:
        meta = await self.wait(self.background.run(self.engine.plans.meta, plan_id))
        return meta.status in WAITING

    async def _answer_to(self, turn: EditorTurn, request: EditorRequest) -> EditorAnswer | None:
        """The person's answer to just this request; None for none, and for one that was not offered."""
        asking = asyncio.create_task(self._client.ask("session/request_permission", request.params(self.id)))
        cancelled = asyncio.create_task(turn.cancelled.wait())
        try:
            await asyncio.wait({asking, cancelled}, return_when=asyncio.FIRST_COMPLETED)
            if turn.cancelled.is_set() or not asking.done():
                return None
            response = schema.RequestPermissionResponse.model_validate(asking.result())
        except (RefusedError, ConnectionError, ValueError) as problem:
            _log.info("no answer about %s: %s", request.plan_id, type(problem).__name__)
            return None
        finally:
            asking.cancel()
            cancelled.cancel()
            await asyncio.gather(asking, cancelled, return_exceptions=True)
        chosen = getattr(response.outcome, "option_id", None)
        return next((each for each in request.answers if each.value == chosen), None)

    async def _follow(self, turn: EditorTurn, request: EditorRequest, answer: EditorAnswer | None) -> PlanId | None:
        """Do what was answered; the plan to ask about next, if there is one."""
        plan_id = request.plan_id
        match answer:
            case EditorAnswer.APPLY:
                await self._apply(turn, request)
            case EditorAnswer.CARRY_OUT:
                self._settle(request, "completed", "Approved.")
                await self.wait(self.background.run(approve, self.engine, request))
                return await self._talk(turn, self.background.conversations.carry_out(plan_id, "", self.profile))
            case EditorAnswer.REVIEW:
                return await self._review(turn, request)
            case EditorAnswer.CHANGE:
                return await self._change(turn, request)
            case EditorAnswer.DISCARD:
                await self.wait(self.background.cancel(plan_id))
                self._settle(request, "failed", "Discarded; nothing was written.")
            case None:
                self._settle(request, "failed", _waits(plan_id))
        return None

    async def _apply(self, turn: EditorTurn, request: EditorRequest) -> None:
        """Approve the digest that was sent, and run just that."""
        policy = FailurePolicy(self.engine.settings.on_failure)
        written = turn.written = asyncio.Event()
        try:
            await self.wait(self.background.run(approve, self.engine, request))
            ended = await self.wait(self.background.apply(request.plan_id, policy))
        except TandemError as error:
            self._settle(request, "failed", f"Not applied: {error.message} {error.next}")
            return
        finally:
            turn.written = None
            written.set()
        record = ended.record
        taken_back = " The files are as before." if record.rolled_back else ""
        how = f"Applied by {record.run_id}. Take it back: `/undo`." if ended.succeeded else f"Not applied.{taken_back}"
        self._settle(request, "completed" if ended.succeeded else "failed", f"{how} {record.summary}".strip())

    async def _review(self, turn: EditorTurn, request: EditorRequest) -> PlanId | None:
        """Open the window on the plan and follow what is decided there."""
        plan_id, root = request.plan_id, self.engine.locations.workspace
        await self.wait(self.background.conversations.let_go(self.id))  # the window may go on with the agent
        window = await asyncio.to_thread(self._open_window, root, plan_id)
        if window is None:
            self._settle(request, "failed", _at_a_terminal(root, plan_id))
            return None
        self.say(f"{plan_id} is open in Tandem.")
        waiting = asyncio.create_task(wait_for_decision(window, lambda: self.engine.meta(plan_id)))
        cancelled = asyncio.create_task(turn.cancelled.wait())
        try:
            await asyncio.wait({waiting, cancelled}, return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                self._settle(request, "failed", _waits(plan_id))
                return None
            meta = waiting.result()
        finally:
            waiting.cancel()
            cancelled.cancel()
        if is_decided(meta):
            self._settle(request, *_decided_there(meta))
            return None
        self._settle(request, "failed", "The window was closed without a decision.")
        return plan_id

    async def _change(self, turn: EditorTurn, request: EditorRequest) -> PlanId | None:
        """Send the plan back with the person's words; without a form their next message is taken."""
        plan_id = request.plan_id
        if not self._client.may_be_asked:
            self._waiting_for_change = plan_id
            self._settle(request, "failed", "Say what should be different: your next message revises the plan.")
            return None
        words = await self._feedback(turn)
        if not words:
            self._settle(request, "failed", _waits(plan_id))
            return None
        self._settle(request, "failed", "Sent back.")
        return await self._talk(turn, self.background.conversations.rework(plan_id, words, self.profile))

    async def _feedback(self, turn: EditorTurn) -> str:
        asking = asyncio.create_task(self._client.ask("elicitation/create", feedback_params(self.id)))
        cancelled = asyncio.create_task(turn.cancelled.wait())
        try:
            await asyncio.wait({asking, cancelled}, return_when=asyncio.FIRST_COMPLETED)
            action, values = read_answer(asking.result() if asking.done() else None)
        except (RefusedError, ConnectionError):
            return ""
        finally:
            asking.cancel()
            cancelled.cancel()
            await asyncio.gather(asking, cancelled, return_exceptions=True)
        words = values.get(FEEDBACK)
        return words.strip() if action is QuestionAction.ACCEPT and isinstance(words, str) else ""

    async def _put(self, question: AgentQuestion) -> None:
        """Put a question of the agent to the person, and hand the answer back; without an answer it is declined."""
        action = QuestionAction.DECLINE
        values: Json = {}
        if self._client.may_open_addresses if question.url else self._client.may_be_asked:
            with contextlib.suppress(RefusedError, ConnectionError):
                params = question_params(self.id, question)
                action, values = read_answer(await self._client.ask("elicitation/create", params))
        self._questions.pop(question.id, None)
        answer = self.background.conversations.answer_question
        try:
            answer(self.id, question.id, action, values)
        except BadInputError:
            answer(self.id, question.id, QuestionAction.DECLINE, {})

    def _settle(self, request: EditorRequest, status: str, text: str) -> None:
        """Say what became of a request, on its tool call and in words."""
        self._tell({"sessionUpdate": "tool_call_update", "toolCallId": request.tool_call_id, "status": status})
        self.say(text)

    def _tell(self, update: Json) -> None:
        self._outgoing.put_nowait(update)

    async def _send_all(self) -> None:
        while True:
            update = await self._outgoing.get()
            try:
                await self._client.tell(self.id, update)
            finally:
                self._outgoing.task_done()


def approve(engine: Engine, request: EditorRequest) -> None:
    """Approve exactly what the request showed.

    Raises:
        TandemError: it is not what the plan is now, or cannot be approved.
    """
    version = engine.plans.revision(request.plan_id)
    engine.decisions.approve(request.plan_id, request.digest, coverage=coverage(version, request.seen))


def _waits(plan_id: PlanId) -> str:
    return f"{plan_id} waits; nothing was written. See it again: `/plans {plan_id}`."


def _at_a_terminal(root: Path, plan_id: PlanId) -> str:
    tandem = f"tandem -C {visible_name(str(root))}"
    calls = (f"show {plan_id} --diff", f"approve {plan_id}", f"apply {plan_id}")
    look, allow, write = (code(f"{tandem} {call}") for call in calls)
    return f"There is no display for a window. Review it at a terminal: {look}, then {allow} and {write}."


def _decided_there(meta: PlanMeta) -> tuple[str, str]:
    """The status of the tool call, and what is said, once a plan was decided in the window."""
    if meta.status is PlanStatus.COMPLETED:
        return "completed", f"Applied in Tandem by {meta.execution_session}. Take it back: `/undo`."
    return "failed", f"In Tandem: {meta.status.label.lower()}. {meta.result_summary}".strip()


def read_prompt(blocks: Sequence[Any]) -> tuple[str, tuple[Attachment, ...]]:
    """The words and attachments of a prompt; a link is named, an embedded text is quoted.

    Raises:
        RefusedError: a part of it cannot be passed on.
    """
    texts: list[str] = []
    attachments: list[Attachment] = []
    for block in blocks:
        match block:
            case schema.TextContentBlock(text=text):
                texts.append(text)
            case schema.ResourceContentBlock(uri=uri):
                texts.append(f"[{uri}]")
            case schema.EmbeddedResourceContentBlock(resource=schema.TextResourceContents(uri=uri, text=text)):
                texts.append(f"[{uri}]\n{text}")
            case schema.EmbeddedResourceContentBlock(resource=schema.BlobResourceContents() as file):
                attachments.append(_attachment(file.mime_type or "", file.blob, file.uri or "file"))
            case (
                schema.ImageContentBlock(data=data, mime_type=kind)
                | schema.AudioContentBlock(data=data, mime_type=kind)
            ):
                attachments.append(_attachment(kind, data))
            case _:
                raise RefusedError(-32602, "Only text, pictures, audio, links and embedded files can be passed on.")
    words = "\n\n".join(text for text in texts if text.strip())
    if not words and not attachments:
        raise RefusedError(-32602, "The message is empty.")
    return words, tuple(attachments)


def _attachment(kind: str, data: str, uri: str = "") -> Attachment:
    try:
        return Attachment(mime_type=kind, data=base64.b64decode(data, validate=True), uri=uri)
    except (ValueError, binascii.Error):
        raise RefusedError(-32602, "An attachment is not Base64.") from None
