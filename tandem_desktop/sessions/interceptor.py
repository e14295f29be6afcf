"""Answers permission requests: shadow, plan, or ask the user."""

import asyncio
import contextlib
import logging
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from enum import StrEnum
from typing import ClassVar, NamedTuple

from tandem_desktop.acp_client.elicitation import tool_answers, tool_question
from tandem_desktop.domain.agent_protocol import (
    CardContent,
    PermissionAnswer,
    PermissionRequest,
    PermissionVerdict,
    ToolCall,
    ToolKind,
)
from tandem_desktop.domain.authorization import AuthContext, AuthorizationResult, SessionPermissions, ToolCategory
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import (
    TandemError,
    ToolDeniedError,
    UserAbortError,
)
from tandem_desktop.domain.ids import RequestId, SessionId, ToolCallId
from tandem_desktop.domain.operations import CommandCall, ExternalCall, OperationCall
from tandem_desktop.domain.paths import ROOT
from tandem_desktop.domain.questions import AgentQuestion, QuestionAction
from tandem_desktop.policy import messages
from tandem_desktop.policy.rules import AuthorizationPolicy, auth_context, is_guarded
from tandem_desktop.policy.tools import EXIT_PLAN_MODE, UNKNOWN_TOOL, tool_use
from tandem_desktop.sessions.pending import PendingAnswer
from tandem_desktop.sessions.questions import AgentQuestions
from tandem_desktop.settings import Settings
from tandem_desktop.staging.requests import Handling, InterceptedRequest, QueuedCommand
from tandem_desktop.staging.steps import checked_command


def command_call(call: ToolCall) -> CommandCall:
    """What would run, and where.

    Raises:
        StepRefusedError: it is no command a plan could carry, or one that would run outside the workspace.
    """
    return checked_command(call.command or "", call.cwd or ROOT)


def external_call(call: ToolCall) -> ExternalCall:
    """The call a plan carries for the agent; without arguments its title says what it acts on."""
    text = {name: value for name, value in call.arguments.items() if value is not None}
    target = ", ".join(call.paths[:_MOST_NAMED]) or ("" if text else call.title)
    return ExternalCall.of(call.tool or UNKNOWN_TOOL, text, target)


_MOST_NAMED = 8
_log = logging.getLogger(__name__)


class Decision(StrEnum):
    """What a person can say."""

    YES = "yes"
    SKIP = "skip"
    NO = "no"


class ConfirmationResponse(Frozen):
    """The person's decision, and instructions for the agent."""

    decision: Decision
    instructions: str = ""


class Confirmation(PendingAnswer[ConfirmationResponse]):
    """One pending question about a tool call."""

    CHOICES: ClassVar[dict[str, Decision]] = {"1": Decision.YES, "2": Decision.SKIP, "3": Decision.NO}
    """The key for each choice: [1] Yes [2] Skip [3] No."""

    def __init__(self, request: PermissionRequest, card: CardContent | None = None) -> None:
        super().__init__()
        self.request = request
        self.card = card

    def resolve(self, decision: Decision, instructions: str = "") -> bool:
        """Answer it; whether this answer was the first."""
        return self.settle(ConfirmationResponse(decision=decision, instructions=instructions))

    def press(self, key: str, instructions: str = "") -> bool:
        """Answer it with a key; any other key does nothing."""
        decision = self.CHOICES.get(key)
        return decision is not None and self.resolve(decision, instructions)


class PermissionInterceptor:
    """Answers the requests of one session, each exactly once, none waiting for another.

    In Plan mode the shadow is the gate: edits are allowed into it, and a command never runs in the workspace: it runs
    in the shadow, is queued or refused, as the settings say. What cannot be shown to stay in the shadow is queued as an
    external call. Otherwise a person is asked about whatever no rule decides.

    `queue` is awaited before a queued command is answered, so that the changes before it can be told from those after;
    it may answer the number of the operation the command became. `begin_command` is awaited before a command may run
    in the shadow, for the same reason.
    `ask` shows a question and returns at once; without it every question is refused. `decided` is called with each
    answer. `present` takes the text of a plan that the agent hands over by leaving a plan mode of its own. What a tool
    asks the person goes to `questions`, in any mode. With Plan mode off `draw` works out what a card
    shows of a change; what it allows to be written at once is noted with the request.
    Questions may be answered, and permissions changed, from any thread; all else happens on the event loop.
    """

    def __init__(
        self,
        session_id: SessionId,
        *,
        policy: AuthorizationPolicy,
        settings: Settings,
        queue: Callable[[QueuedCommand], Awaitable[int | None]],
        begin_command: Callable[[], Awaitable[None]] | None = None,
        ask: Callable[[Confirmation], None] | None = None,
        decided: Callable[[InterceptedRequest], None] | None = None,
        present: Callable[[str], None] = lambda text: None,
        permissions: SessionPermissions | None = None,
        questions: AgentQuestions | None = None,
        draw: Callable[[ToolCall], Awaitable[CardContent]] | None = None,
        shadowed: bool = True,
    ) -> None:
        self.session_id = session_id
        self.questions = questions or AgentQuestions(session_id, "")
        """The questions of the agent to the person; they end with the turn, as requests do."""
        self.message_id: str | None = None
        """The message of the conversation that goes on; noted with each request."""
        self._policy = policy
        self._settings = settings
        self._queue = queue
        self._begin_command = begin_command
        self._ask = ask
        self._decided = decided
        self._present = present
        self._draw = draw
        self._shadowed = shadowed
        self.set_permissions(
            permissions or SessionPermissions(yolo=settings.yolo, tool_ignore=settings.tool_ignore),
        )
        self._lock = threading.Lock()
        self._queueing = asyncio.Lock()
        self._waiting: dict[RequestId, Confirmation] = {}
        self._open: set[RequestId] = set()
        self._answered: set[tuple[RequestId, ToolCallId]] = set()
        self._granted: Counter[tuple[str, bool]] = Counter()
        """Commands that were allowed when the agent asked, and in which mode; their terminal may follow."""
        self._requests: list[InterceptedRequest] = []
        self._queued = 0
        self._approved_call: ApprovedCall | None = None
        self._terminals = 0
        self._turn_over: str | None = None

    @property
    def permissions(self) -> SessionPermissions:
        return self._permissions

    def set_permissions(self, permissions: SessionPermissions) -> None:
        """Applies from the next request on."""
        self._permissions = permissions
        # A command that is queued is held whether there is a shadow or not.
        queues = self._settings.commands_while_planning != "run"
        self._contexts = _Contexts(
            commands=auth_context(self._settings, permissions, shadowed=self._shadowed or queues),
            others=auth_context(self._settings, permissions, shadowed=self._shadowed),
        )

    @property
    def requests(self) -> tuple[InterceptedRequest, ...]:
        """Every request that was answered, in the order of the answers."""
        with self._lock:
            return tuple(self._requests)

    @property
    def waiting(self) -> tuple[Confirmation, ...]:
        """The questions that are open."""
        with self._lock:
            return tuple(self._waiting.values())

    async def decide(self, request: PermissionRequest) -> PermissionAnswer:
        """Answer a request an agent made."""
        return await self._answer(_Asked(request, self._contexts, self.message_id))

    def turned_away(self, request: PermissionRequest, reason: str) -> None:
        """Record a request that the connection cancelled without a decision."""
        name = (request.id, request.call.id)
        if name not in self._answered:
            self._answered.add(name)
            asked = _Asked(request, self._contexts, self.message_id)
            self._note(asked, _Outcome(Handling.CANCELLED, messages.turn_over(reason)))

    async def decide_command(
        self, session_id: SessionId, call: CommandCall, request_id: RequestId | None = None
    ) -> PermissionAnswer:
        """Answer for a command handed to a terminal, by the same rules; one just allowed is not asked about again."""
        grant = (call.command, self._permissions.plan_mode)
        if self._granted[grant] > 0:
            self._granted[grant] -= 1
            return PermissionAnswer(verdict=PermissionVerdict.ALLOW, reason="It was allowed when the agent asked.")
        self._terminals += 1
        name = request_id or RequestId(f"terminal-{self._terminals}")
        tool_call = ToolCall(
            id=ToolCallId(name), tool="bash", title=call.command, kind=ToolKind.EXECUTE, command=call.command
        )
        request = PermissionRequest(id=name, session_id=session_id, call=tool_call, options=())
        return await self._answer(_Asked(request, self._contexts, self.message_id, call))

    def resolve(self, request_id: RequestId, decision: Decision, instructions: str = "") -> bool:
        """Answer an open question from any thread; False when there is none, or not any more."""
        with self._lock:
            confirmation = self._waiting.get(request_id)
        return confirmation is not None and confirmation.resolve(decision, instructions)

    def answer_all(self, reason: str) -> int:
        """Answer every open question with "cancelled"; how many there were. For a cancel, a crash, an end."""
        self._granted.clear()
        withdrawn = self.questions.withdraw_all(reason)
        return withdrawn + sum(confirmation.withdraw(reason) for confirmation in self.waiting)

    @contextlib.contextmanager
    def allowing(self, call: ExternalCall) -> Iterator["ApprovedCall"]:
        """Allow one approved external call, once, with exactly its arguments."""
        approved = self._approved_call = ApprovedCall(call)
        try:
            yield approved
        finally:
            self._approved_call = None

    def is_approved(self, call: ToolCall) -> bool:
        """Whether `call` is the approved external call that is being made."""
        return self._approved_call is not None and self._approved_call.tool_call_id == call.id

    def end_turn(self, reason: str) -> int:
        """Answer what is open, and whatever still comes before the next turn, with "cancelled"."""
        self._turn_over = reason
        open_before = self.answer_all(reason)
        self.questions.end_turn(reason)
        return open_before

    def begin_turn(self) -> None:
        self._turn_over = None
        self.questions.begin_turn()

    async def _answer(self, asked: "_Asked") -> PermissionAnswer:
        request = asked.request
        name = (request.id, request.call.id)
        if request.id in self._open or name in self._answered:
            # Answered before, or being answered.
            return PermissionAnswer(verdict=PermissionVerdict.CANCELLED, reason=messages.answered_twice(request.id))
        self._open.add(request.id)
        _log.debug("permission requested: session %s, request %s, tool %s", self.session_id, request.id, asked.use.name)
        outcome = _NO_LONGER_WAITED_FOR
        try:
            outcome = await self._outcome(asked)
        finally:
            self._open.discard(request.id)
            self._answered.add(name)
            self._note(asked, outcome)
        return PermissionAnswer(outcome.verdict, outcome.reason, outcome.answers)

    async def _outcome(self, asked: "_Asked") -> "_Outcome":
        if self._turn_over is not None:
            return _Outcome(Handling.CANCELLED, messages.turn_over(self._turn_over))
        planning = asked.context.plan_mode
        if self._approved_call is not None and self._approved_call.take(asked.request.call):
            return _Outcome(Handling.CONFIRMED, "The person approved this call.")
        try:
            ruling = self._policy.require(asked.use, asked.context)
            question = tool_question(asked.request.call)
            if question is not None:
                return await self._answers_to(question)
            if not planning and self._draw is not None and asked.changes_files:
                asked.card = await self._draw(asked.request.call)
            if ruling.result is AuthorizationResult.CONFIRM:
                if planning and ruling.is_silent:
                    return await self._queue_call(asked, external_call(asked.request.call))
                confirmed = await self._confirmed(asked)
                if not planning or confirmed.handling is not Handling.CONFIRMED:
                    return confirmed
            if planning and asked.use.category is ToolCategory.EXECUTE:
                return await self._command_while_planning(asked)
            if planning and asked.use.name == EXIT_PLAN_MODE:
                self._present(_plan_text(asked.request.call))
        except (ToolDeniedError, UserAbortError) as refusal:
            return _Outcome(Handling.REFUSED, refusal.message)
        held = planning and asked.use.category is ToolCategory.WRITE
        return _Outcome(Handling.HELD if held else Handling.PASSED, ruling.reason)

    async def _answers_to(self, question: AgentQuestion) -> "_Outcome":
        """What the person answers to a tool that asks.

        A question without an answer is allowed too, with words that say so: some agents end their turn at a refusal.
        """
        answer = await self.questions.put(question)
        if answer.action is QuestionAction.CANCEL:
            return _Outcome(Handling.CANCELLED, messages.turn_over(answer.reason))
        is_answered = answer.action is QuestionAction.ACCEPT
        reason = "The person answered." if is_answered else answer.reason or "The person declined to answer."
        handling = Handling.CONFIRMED if is_answered else Handling.PASSED
        return _Outcome(handling, reason, answers=tool_answers(question, answer))

    async def _command_while_planning(self, asked: "_Asked") -> "_Outcome":
        setting = self._settings.commands_while_planning
        if setting == "deny":
            return _Outcome(Handling.REFUSED, messages.command_denied())
        if setting == "run" and not is_guarded(asked.use, asked.context):
            if self._begin_command is not None:
                await self._begin_command()
            return _Outcome(Handling.RAN, "It runs in the shadow.")
        try:
            return await self._queue_call(asked, asked.command or command_call(asked.request.call))
        except TandemError as error:
            return _Outcome(Handling.REFUSED, f"The command was not run, and could not be queued. {error.message}")

    async def _queue_call(self, asked: "_Asked", call: OperationCall) -> "_Outcome":
        """Make it an operation of the plan."""
        try:
            async with self._queueing:
                number = self._queued + 1
                operation = await self._queue(asked.queued(number, call))
                self._queued = number
        except TandemError as error:
            return _Outcome(Handling.REFUSED, f"{call.text} was not run, and could not be queued. {error.message}")
        told = messages.call_queued if isinstance(call, ExternalCall) else messages.command_queued
        return _Outcome(Handling.QUEUED, told(operation), operation or number)

    async def _confirmed(self, asked: "_Asked") -> "_Outcome":
        """What the person says.

        Raises:
            UserAbortError: the person said no.
            ToolDeniedError: no `ask` callback is set.
        """
        if self._ask is None:
            raise ToolDeniedError(messages.no_person_to_ask())
        confirmation = Confirmation(asked.request, asked.card)
        with self._lock:
            self._waiting[asked.request.id] = confirmation
        try:
            self._ask(confirmation)
            response = await confirmation.response()
        finally:
            confirmation.withdraw("the agent no longer waits")
            with self._lock:
                self._waiting.pop(asked.request.id, None)
        if response is None:
            return _Outcome(Handling.CANCELLED, messages.turn_over(confirmation.withdrawn_because))
        if response.decision is Decision.YES:
            return _Outcome(Handling.CONFIRMED, "The person allowed it.")
        told = messages.cancelled_before_running(asked.use.tool, response.instructions)
        if response.decision is Decision.NO:
            raise UserAbortError(told)
        return _Outcome(Handling.SKIPPED, told)

    def _note(self, asked: "_Asked", outcome: "_Outcome") -> None:
        call, use, planning = asked.request.call, asked.use, asked.context.plan_mode
        if outcome.verdict is PermissionVerdict.ALLOW and use.command is not None and asked.command is None:
            self._granted[use.command, planning] += 1
        in_plan = outcome.handling in (Handling.HELD, Handling.QUEUED) or self.is_approved(call)
        guarded = is_guarded(use, asked.context) and not in_plan
        only_logged = self._settings.guarded_tools_only_logged and guarded
        request = InterceptedRequest(
            request_id=asked.request.id,
            session_id=asked.request.session_id,
            tool=call.tool or UNKNOWN_TOOL,
            args=call.arguments,
            message_id=asked.message_id,
            tool_call_id=call.id,
            title=call.title,
            category=use.category,
            paths=use.paths,
            diffs=call.diffs,
            drawn=asked.card.allows if asked.card is not None else (),
            plan_mode=planning,
            verdict=outcome.verdict,
            reason=outcome.reason,
            handling=outcome.handling,
            queued_as=outcome.queued_as,
            warning=f"The guard would have blocked {use.tool}." if only_logged else "",
            guard_blocked=guarded and not only_logged and outcome.handling is Handling.REFUSED,
        )
        _log.info(
            "permission answered: session %s, request %s, tool %s (%s), %s, %s",
            *(self.session_id, asked.request.id, use.name, use.category, outcome.verdict, outcome.handling),
        )
        with self._lock:
            self._requests.append(request)
        if self._decided is not None:
            self._decided(request)


class ApprovedCall:
    """An external call the person approved. The first request for exactly this call takes it."""

    def __init__(self, call: ExternalCall) -> None:
        self._call = call
        self.tool_call_id: ToolCallId | None = None
        """The tool call that took it."""

    @property
    def is_taken(self) -> bool:
        return self.tool_call_id is not None

    def take(self, call: ToolCall) -> bool:
        """Whether `call` is the approved one, and the first."""
        wanted = external_call(call)
        if self.is_taken or (wanted.tool, wanted.arguments) != (self._call.tool, self._call.arguments):
            return False
        if wanted.arguments == "{}" and wanted.target != self._call.target:
            return False
        self.tool_call_id = call.id
        return True


def _plan_text(call: ToolCall) -> str:
    """The plan that an agent hands over when it leaves its own plan mode."""
    given = call.arguments.get("plan")
    return given if isinstance(given, str) else ""


class _Outcome(NamedTuple):
    handling: Handling
    reason: str
    queued_as: int | None = None
    answers: dict[str, str] | None = None

    @property
    def verdict(self) -> PermissionVerdict:
        return self.handling.verdict


_NO_LONGER_WAITED_FOR = _Outcome(Handling.CANCELLED, messages.turn_over("the agent no longer waits"))


class _Contexts(NamedTuple):
    """The authorization contexts for the current permissions."""

    commands: AuthContext
    others: AuthContext


class _Asked:
    """A request with the context of the moment it came in."""

    __slots__ = ("card", "command", "context", "message_id", "request", "use")

    def __init__(
        self,
        request: PermissionRequest,
        contexts: _Contexts,
        message_id: str | None,
        command: CommandCall | None = None,
    ) -> None:
        self.request = request
        self.message_id = message_id
        self.command = command
        self.card: CardContent | None = None
        self.use = tool_use(request.call)
        self.context = contexts.commands if self.use.category is ToolCategory.EXECUTE else contexts.others

    @property
    def changes_files(self) -> bool:
        return bool(self.request.call.diffs) or self.use.category is ToolCategory.WRITE

    def queued(self, number: int, call: OperationCall) -> QueuedCommand:
        asked = self.request.call
        return QueuedCommand(
            number=number,
            call=call,
            request_id=self.request.id,
            tool_call_id=asked.id,
            message_id=self.message_id,
            tool=self.use.name,
            description=asked.title,
        )
