"""Answers agent requests and translates protocol messages."""

import asyncio
import contextlib
import logging
import shlex
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tandem_desktop.acp_client.connection import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    NOT_FOUND,
    RefusedError,
)
from tandem_desktop.acp_client.elicitation import CANCELLED_QUESTION, question_answer, read_question
from tandem_desktop.acp_client.tool_calls import ToolCalls, WorkspacePaths, read_tool_call
from tandem_desktop.domain.agent_protocol import (
    AgentFacts,
    AgentOption,
    AgentSaid,
    AgentUpdate,
    CommandsOffered,
    ModeChanged,
    OfferedCommand,
    OptionKind,
    OptionsOffered,
    OptionValue,
    PermissionAnswer,
    PermissionRequest,
    PermissionVerdict,
    SessionNamed,
    TerminalOutput,
    Todo,
    TodosChanged,
    ToolCallChanged,
    UsageReported,
)
from tandem_desktop.domain.errors import OutsideWorkspaceError, TandemError
from tandem_desktop.domain.ids import RequestId, SessionId, TerminalId
from tandem_desktop.domain.operations import CommandCall
from tandem_desktop.domain.ports import AgentClient

if TYPE_CHECKING:
    from tandem_desktop.acp_client.protocol import InitializeResponse, NewSessionResponse, SessionConfigOptionSelect


class OpenRequest:
    """A permission request or a question that waits for its answer, in the task that will give it."""

    def __init__(self, request_id: str) -> None:
        self.id = request_id
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._settled = False

    def settle(self) -> None:
        """Answer the request as cancelled. Idempotent."""
        if not self._settled:
            self._settled = True
            self._task.cancel()

    def is_over(self) -> bool:
        """Whether a cancellation caught in the task only ends the request, and not the task; then it is taken back."""
        if self._settled:
            self._task.uncancel()
        return self._settled or not self._task.cancelling()


@dataclass(slots=True)
class AcpSession:
    """A session and its turn."""

    id: SessionId
    calls: ToolCalls
    mode: str | None = None
    turn: asyncio.Event | None = None
    """Set when the turn ends; None between turns."""
    cancelled: bool = False
    """The turn was cancelled: no more requests are passed on."""
    held: list[AgentUpdate] | None = None
    """Updates that came before the session id was known."""
    open: set[OpenRequest] = field(default_factory=set)
    terminals: dict[TerminalId, int | None] = field(default_factory=dict)
    """With the bytes of output the agent wants of each."""

    def settle(self) -> None:
        """Answer every open request as cancelled."""
        for request in tuple(self.open):
            request.settle()

    def begin_turn(self) -> None:
        self.turn = asyncio.Event()
        self.cancelled = False

    def end_turn(self) -> None:
        if self.turn is not None:
            self.turn.set()
        self.turn = None
        self.cancelled = False
        self.settle()


_WANTED = {PermissionVerdict.ALLOW: OptionKind.ALLOW_ONCE, PermissionVerdict.REJECT: OptionKind.REJECT_ONCE}
"""Never for always: a person answers for one call."""
_KINDS = {kind.value: kind for kind in OptionKind}

_NOT_HISTORY = frozenset({"available_commands_update", "current_mode_update", "config_option_update"})
CANCELLED: dict[str, Any] = {"outcome": {"outcome": "cancelled"}}


class PermissionOptions(NamedTuple):
    """One option of a permission request."""

    kind: OptionKind
    id: str


@dataclass(frozen=True, slots=True)
class AgentModes:
    """The modes a session can be in, and by which call they are set."""

    available: tuple[str, ...] = ()
    current: str | None = None
    option: str | None = None
    """The configuration option that holds the mode; None where there is a call of its own."""


def offers(options: Any) -> tuple[PermissionOptions, ...]:
    """The options that can be understood; others cannot be chosen."""
    found = []
    for option in options if isinstance(options, list) else ():
        if isinstance(option, dict):
            said, number = option.get("kind"), option.get("optionId")
            if isinstance(said, str) and said in _KINDS and isinstance(number, str):
                found.append(PermissionOptions(_KINDS[said], number))
    return tuple(found)


def answer(decided: PermissionAnswer, offered: tuple[PermissionOptions, ...]) -> dict[str, Any]:
    """The outcome for a verdict: by kind, and cancelled when that kind is not on offer or not to be told apart."""
    wanted = _WANTED.get(decided.verdict)
    wanted_ids = [number for kind, number in offered if kind is wanted]
    if not wanted_ids or any(number == wanted_ids[0] for kind, number in offered if kind is not wanted):
        return CANCELLED
    told = {} if decided.answers is None else {"answers": decided.answers}
    return {"outcome": {"outcome": "selected", "optionId": wanted_ids[0]}, **told}


def facts(response: "InitializeResponse") -> AgentFacts:
    info = response.agent_info
    return AgentFacts(
        name=(info.title or info.name) if info else "",
        version=info.version if info else "",
        protocol=response.protocol_version,
        login_methods=tuple(f"{method.id}: {method.name}" for method in response.auth_methods or ()),
        sees_pictures=_takes(response, "image"),
        hears_recordings=_takes(response, "audio"),
        takes_files=_takes(response, "embedded_context"),
        can_resume=_can_resume(response),
        can_load=bool(response.agent_capabilities and response.agent_capabilities.load_session),
    )


def _can_resume(response: "InitializeResponse") -> bool:
    offered = response.agent_capabilities
    sessions = offered.session_capabilities if offered else None
    return bool(sessions and sessions.resume is not None)


def _takes(response: "InitializeResponse", what: str) -> bool:
    able = response.agent_capabilities
    return bool(able and able.prompt_capabilities and getattr(able.prompt_capabilities, what))


def modes(response: "NewSessionResponse") -> AgentModes:
    """Where an agent lists its modes: in their own place, or among the options."""
    if response.modes is not None and response.modes.available_modes:
        return AgentModes(
            tuple(mode.id for mode in response.modes.available_modes),
            response.modes.current_mode_id,
        )
    for option in response.config_options or ():
        if option.type == "select" and "mode" in (option.category, option.id):
            return AgentModes(_values(option), option.current_value, option.id)
    return AgentModes()


def model_of(response: "NewSessionResponse", result: Any) -> str:
    """Where an agent names its model: among the options, or, older ones, in a place the library no longer knows."""
    for option in response.config_options or ():
        if option.type == "select" and "model" in (option.category, option.id):
            return str(option.current_value)
    models = result.get("models") if isinstance(result, dict) else None
    named = models.get("currentModelId") if isinstance(models, dict) else None
    return named if isinstance(named, str) else ""


OLD_MODELS = "session/set_model"
"""The id of the option that older agents have beside the options: their model, chosen by this call."""


ON, OFF = "on", "off"
_SWITCH = (OptionValue(value=ON, name="On"), OptionValue(value=OFF, name="Off"))


def options_of(config_options: Any, result: Any = None) -> tuple[AgentOption, ...]:
    """What the person may choose: every list but the mode, and every switch.

    The models of older agents are read from the answer.
    """
    found = []
    for option in config_options or ():
        if option.type == "boolean":
            chosen = ON if option.current_value else OFF
            found.append(AgentOption(id=option.id, name=option.name, current=chosen, values=_SWITCH, is_switch=True))
        if option.type == "select" and "mode" not in (option.category, option.id):
            entries = [each for entry in option.options for each in (getattr(entry, "options", None) or (entry,))]
            values = tuple(OptionValue(value=each.value, name=each.name or each.value) for each in entries)
            found.append(AgentOption(id=option.id, name=option.name, current=str(option.current_value), values=values))
    models = result.get("models") if isinstance(result, dict) else None
    if not found and isinstance(models, dict) and isinstance(models.get("availableModels"), list):
        rows = [
            row for row in models["availableModels"] if isinstance(row, dict) and isinstance(row.get("modelId"), str)
        ]
        values = tuple(OptionValue(value=row["modelId"], name=str(row.get("name") or row["modelId"])) for row in rows)
        current = str(models.get("currentModelId", ""))
        found.append(AgentOption(id=OLD_MODELS, name="Model", current=current, values=values))
    return tuple(each for each in found if len(each.values) > 1)


def agent_updates(name: str, update: Any, calls: ToolCalls) -> tuple[AgentUpdate, ...]:
    """A session update for the engine; nothing for what it has no use for."""
    if name == "config_option_update":
        mode, options = _mode_of(update.config_options), options_of(update.config_options)
        offered = (OptionsOffered(options=options),) if options or mode is None else ()
        return (*((mode,) if mode else ()), *offered)
    found = _agent_update(name, update, calls)
    return () if found is None else (found,)


def _agent_update(name: str, update: Any, calls: ToolCalls) -> AgentUpdate | None:
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
        case "session_info_update":
            return SessionNamed(title=update.title) if isinstance(update.title, str) and update.title.strip() else None
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


Parameters = dict[str, Any]
_MOST_HELD = 256
_PERMISSION = "session/request_permission"
_ELICITATION = "elicitation/create"
_Answer = TypeVar("_Answer")
_log = logging.getLogger(__name__)
_MOST_NAME = 60


class AgentRequests:
    """Passes the agent's requests and updates on to the client as domain values."""

    def __init__(
        self,
        client: AgentClient,
        paths: WorkspacePaths,
        *,
        read_update: Callable[[dict[str, Any]], Any],
    ) -> None:
        self._client = client
        self._paths = paths
        self._read_update = read_update
        self.conversations: dict[str, AcpSession] = {}
        self._early: dict[str, list[Parameters]] = {}
        self._beside: set[OpenRequest] = set()
        """Open questions that belong to no session."""
        self._withdrawn: dict[str, None] = {}
        """Requests that were taken back before they were looked at."""
        self._ignored: set[str] = set()
        """Sessions that are being loaded: their updates repeat what was said before."""
        self._words: list[AgentSaid] = []
        """Pieces of one message that arrived together; they are passed on as one."""
        self._words_of: AcpSession | None = None
        self._answers: dict[str, Callable[[AcpSession, Parameters], Awaitable[Any]]] = {
            "fs/read_text_file": self._read,
            "fs/write_text_file": self._write,
            "terminal/create": self._open_terminal,
            "terminal/output": self._terminal_output,
            "terminal/wait_for_exit": self._wait_for_terminal,
            "terminal/kill": self._kill_terminal,
            "terminal/release": self._release_terminal,
        }

    def opened(self, conversation: AcpSession) -> None:
        """A session is known from here on; what is said in it is kept until it is released."""
        conversation.held = []
        self.conversations[conversation.id] = conversation
        for params in self._early.pop(conversation.id, ()):
            self.notice("session/update", params)
        self._early.clear()

    def release(self, conversation: AcpSession) -> None:
        """The session id is known now: deliver the updates that came before."""
        held, conversation.held = conversation.held or [], None
        for update in held:
            self._client.on_update(conversation.id, update)

    def settle_all(self) -> None:
        for conversation in self.conversations.values():
            conversation.cancelled = True
            conversation.settle()
        for request in tuple(self._beside):
            request.settle()

    async def answer(self, request_id: str, method: str, params: Any) -> Any:
        """The result for one request.

        Raises:
            RefusedError: the request is answered with an error.
        """
        handler = partial(self._permission, request_id) if method == _PERMISSION else self._answers.get(method)
        if handler is None and method != _ELICITATION:
            raise RefusedError(METHOD_NOT_FOUND, f"{method} is not known here", {"method": method})
        if not isinstance(params, dict):
            raise RefusedError(INVALID_PARAMS, f"{method} needs parameters")
        if request_id in self._withdrawn and method in (_PERMISSION, _ELICITATION):
            del self._withdrawn[request_id]
            return CANCELLED if method == _PERMISSION else CANCELLED_QUESTION
        try:
            if handler is None:
                return await self._elicitation(request_id, params)
            return await handler(self._conversation(params), params)
        except RefusedError:
            raise
        except FileNotFoundError as problem:
            path = str(params.get("path", problem))
            raise RefusedError(NOT_FOUND, f"not found: {path}", {"uri": path}) from problem
        except OutsideWorkspaceError as problem:
            raise RefusedError(INVALID_PARAMS, str(problem), {"path": params.get("path")}) from problem
        except (TandemError, OSError, ValueError) as problem:
            raise RefusedError(INTERNAL_ERROR, str(problem) or type(problem).__name__) from problem
        except Exception as problem:
            _log.exception("%s could not be answered", method)
            raise RefusedError(INTERNAL_ERROR, f"{method} could not be answered") from problem

    @contextlib.contextmanager
    def ignoring_updates(self, session_id: SessionId) -> Iterator[None]:
        """Drop what an agent repeats of a conversation while it loads it."""
        self._ignored.add(session_id)
        try:
            yield
        finally:
            self._ignored.discard(session_id)

    def notice(self, method: str, params: Any) -> None:
        """A message that wants no answer; one that is not understood is passed over."""
        if not isinstance(params, dict):
            return
        if method != "session/update":
            self.pass_words_on()
        if method == "elicitation/complete" and isinstance(number := params.get("elicitationId"), str):
            self._client.question_completed(number)
        if method == "$/cancel_request":
            self._withdraw(str(params.get("requestId")))
        if method != "session/update":
            return
        update = params.get("update")
        session_id = params.get("sessionId")
        if not isinstance(update, dict) or not isinstance(session_id, str):
            return
        conversation = self.conversations.get(session_id)
        if session_id in self._ignored and update.get("sessionUpdate") not in _NOT_HISTORY:
            return
        if conversation is None:
            self._keep_early(session_id, params)
            return
        try:
            model = self._read_update(update)
            if model is None:
                _log.debug("update passed over: %s", str(update.get("sessionUpdate"))[:_MOST_NAME])
                return
            for said in agent_updates(str(update["sessionUpdate"]), model, conversation.calls):
                self._pass_on(conversation, said)
        except Exception:
            _log.exception("an update of the agent could not be taken in")

    def _withdraw(self, request_id: str) -> None:
        """The agent takes a request back, perhaps before its task has begun."""
        held = (self._beside, *(conversation.open for conversation in self.conversations.values()))
        found = [each for requests in held for each in requests if each.id == request_id]
        for request in found:
            request.settle()
        if not found:
            self._withdrawn[request_id] = None
            if len(self._withdrawn) > _MOST_HELD:
                del self._withdrawn[next(iter(self._withdrawn))]

    def pass_words_on(self) -> None:
        """Hand on what was said so far: something else comes, or nothing for the moment."""
        words, conversation = self._words, self._words_of
        if not words or conversation is None:
            return
        self._words, self._words_of = [], None
        said = words[0]
        if len(words) > 1:
            said = said.model_copy(update={"text": "".join(each.text for each in words)})
        try:
            self._deliver(conversation, said)
        except Exception:
            _log.exception("words of the agent could not be taken in")

    def _pass_on(self, conversation: AcpSession, update: AgentUpdate) -> None:
        """Hand an update on; words wait for others that are here already, so that a flood of pieces is a few events."""
        if not isinstance(update, AgentSaid):
            self.pass_words_on()
            self._deliver(conversation, update)
            return
        if self._words_of is not conversation or self._words[0].thought != update.thought:
            self.pass_words_on()
        self._words.append(update)
        self._words_of = conversation

    def _deliver(self, conversation: AcpSession, update: AgentUpdate) -> None:
        if isinstance(update, ModeChanged):
            if update.mode == conversation.mode:
                return
            conversation.mode = update.mode
        if conversation.held is None:
            self._client.on_update(conversation.id, update)
        elif len(conversation.held) < _MOST_HELD:
            conversation.held.append(update)

    def _keep_early(self, session_id: str, params: Parameters) -> None:
        # Agents announce their commands before the answer that names the session; a few such words are kept.
        if len(self._early) < 4 or session_id in self._early:
            kept = self._early.setdefault(session_id, [])
            if len(kept) < 16:
                kept.append(params)

    def _conversation(self, params: Parameters) -> AcpSession:
        session_id = params.get("sessionId")
        conversation = self.conversations.get(session_id) if isinstance(session_id, str) else None
        if conversation is None:
            raise RefusedError(INVALID_PARAMS, f"no session is called {session_id!r}", {"sessionId": session_id})
        return conversation

    async def _permission(self, request_id: str, conversation: AcpSession, params: Parameters) -> Any:
        update = read_tool_call(params.get("toolCall"))
        if update is None:
            raise RefusedError(INVALID_PARAMS, "the request does not say which tool call it is about")
        offered = offers(params.get("options"))
        call = conversation.calls.asked(update)
        request = PermissionRequest(
            id=RequestId(request_id),
            session_id=conversation.id,
            call=call,
            options=tuple([offer.kind for offer in offered]),
        )
        if conversation.turn is None or conversation.cancelled:
            reason = "the agent asked outside a turn" if conversation.turn is None else "the turn was told to end"
            self._client.turned_away(request, reason)
            return CANCELLED
        decided = await _unless_settled(conversation.open, request_id, self._client.decide(request))
        return CANCELLED if decided is None else answer(decided, offered)

    async def _elicitation(self, request_id: str, params: Parameters) -> Any:
        """A question in a turn, or beside a request of ours: while the agent is started, or opens a session."""
        conversation = None if params.get("sessionId") is None else self._conversation(params)
        question = read_question(params)
        if conversation is not None and (conversation.turn is None or conversation.cancelled):
            return CANCELLED_QUESTION
        waiting = self._beside if conversation is None else conversation.open
        answered = await _unless_settled(waiting, request_id, self._client.ask(question))
        return CANCELLED_QUESTION if answered is None else question_answer(answered)

    async def _read(self, conversation: AcpSession, params: Parameters) -> Any:
        text = await self._client.read_text(conversation.id, self._inside(params, "path"))
        line, limit = params.get("line"), params.get("limit")
        if isinstance(line, int) or isinstance(limit, int):
            first = max(line - 1, 0) if isinstance(line, int) else 0
            lines = text.splitlines(keepends=True)[first:]
            text = "".join(lines[: max(limit, 0)] if isinstance(limit, int) else lines)
        return {"content": text}

    async def _write(self, conversation: AcpSession, params: Parameters) -> Any:
        text = params.get("content")
        if not isinstance(text, str):
            raise RefusedError(INVALID_PARAMS, "the content must be text")
        await self._client.save_text(conversation.id, self._inside(params, "path"), text)
        return {}

    async def _open_terminal(self, conversation: AcpSession, params: Parameters) -> Any:
        call = CommandCall(
            command=_command_line(params.get("command"), params.get("args")),
            cwd=self._inside(params, "cwd") if params.get("cwd") else ".",
            env=_environment(params.get("env")),
        )
        terminal_id = await self._client.open_terminal(conversation.id, call)
        limit = params.get("outputByteLimit")
        conversation.terminals[terminal_id] = limit if isinstance(limit, int) and limit >= 0 else None
        return {"terminalId": terminal_id}

    async def _terminal_output(self, conversation: AcpSession, params: Parameters) -> Any:
        terminal_id = _terminal(conversation, params)
        output = await self._client.terminal_output(terminal_id)
        text = _last_bytes(output.text, conversation.terminals.get(terminal_id))
        ended = {} if output.exit_code is None else {"exitStatus": _exit_status(output)}
        return {"output": text, "truncated": output.truncated or text != output.text, **ended}

    async def _wait_for_terminal(self, conversation: AcpSession, params: Parameters) -> Any:
        return _exit_status(await self._client.wait_for_terminal(_terminal(conversation, params)))

    async def _kill_terminal(self, conversation: AcpSession, params: Parameters) -> Any:
        await self._client.kill_terminal(_terminal(conversation, params))
        return {}

    async def _release_terminal(self, conversation: AcpSession, params: Parameters) -> Any:
        terminal_id = _terminal(conversation, params)
        conversation.terminals.pop(terminal_id, None)
        await self._client.release_terminal(terminal_id)
        return {}

    def _inside(self, params: Parameters, key: str) -> str:
        path = params.get(key)
        if not isinstance(path, str):
            raise RefusedError(INVALID_PARAMS, f"{key} must be a path")
        inside = self._paths.inside(path)
        if inside is None:
            reason = f"{path!r} is outside the workspace {self._paths.workspace}"
            raise RefusedError(INVALID_PARAMS, reason, {"path": path})
        return inside


async def _unless_settled(waiting: set[OpenRequest], request_id: str, work: Awaitable[_Answer]) -> _Answer | None:
    """What the work leads to; None when the request is answered as cancelled first."""
    request = OpenRequest(request_id)
    waiting.add(request)
    try:
        return await work
    except asyncio.CancelledError:
        if request.is_over():
            return None
        raise
    finally:
        waiting.discard(request)


_SHELLS = ("sh", "/bin/sh")


def _command_line(command: Any, words: Any) -> str:
    """One line for a shell. Without further words the command is such a line already."""
    if not isinstance(command, str) or not command.strip():
        raise RefusedError(INVALID_PARAMS, "a terminal needs a command")
    if words is None:
        return command
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise RefusedError(INVALID_PARAMS, "args must be a list of strings")
    if command in _SHELLS and len(words) == 2 and words[0] in ("-c", "-lc"):
        return str(words[1])  # fast-agent: the line, which a shell of ours runs as well
    return shlex.join([command, *words]) if words else command


def _environment(entries: Any) -> tuple[tuple[str, str], ...]:
    return tuple(
        (entry["name"], entry["value"])
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and isinstance(entry.get("name"), str) and isinstance(entry.get("value"), str)
    )


def _terminal(conversation: AcpSession, params: Parameters) -> TerminalId:
    terminal_id = params.get("terminalId")
    if not isinstance(terminal_id, str) or terminal_id not in conversation.terminals:
        raise RefusedError(INVALID_PARAMS, f"no terminal of this session is called {terminal_id!r}")
    return TerminalId(terminal_id)


def _last_bytes(text: str, limit: int | None) -> str:
    """The end of a text, cut where a character begins."""
    data = text.encode()
    return text if limit is None or len(data) <= limit else data[len(data) - limit :].decode(errors="ignore")


def _exit_status(output: TerminalOutput) -> dict[str, Any]:
    if output.exit_code is not None and output.exit_code < 0:
        return {"exitCode": None, "signal": str(-output.exit_code)}
    return {"exitCode": output.exit_code}
