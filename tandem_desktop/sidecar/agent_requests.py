"""What an agent asks of us, answered: permission, files, terminals. One waiting answer holds up no other."""

import asyncio
import logging
import shlex
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from tandem_desktop.domain.agent_ports import AgentClient
from tandem_desktop.domain.agents import AgentUpdate, ModeChanged, PermissionRequest, TerminalOutput
from tandem_desktop.domain.errors import OutsideWorkspaceError, TandemError
from tandem_desktop.domain.ids import RequestId, TerminalId
from tandem_desktop.domain.operations import CommandCall
from tandem_desktop.sidecar.connection import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    NOT_FOUND,
    RefusedError,
)
from tandem_desktop.sidecar.conversation import Conversation, OpenRequest
from tandem_desktop.sidecar.tool_call_update import read_tool_call
from tandem_desktop.sidecar.translate import CANCELLED, answer, heard, offers
from tandem_desktop.sidecar.workspace_paths import WorkspacePaths

Parameters = dict[str, Any]
_MOST_HELD = 256
_PERMISSION = "session/request_permission"
_log = logging.getLogger(__name__)


class AgentRequests:
    """The agent's side of the conversation, passed on to the client in our own words."""

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
        self.conversations: dict[str, Conversation] = {}
        self._early: dict[str, list[Parameters]] = {}
        self._answers: dict[str, Callable[[Conversation, Parameters], Awaitable[Any]]] = {
            "fs/read_text_file": self._read,
            "fs/write_text_file": self._write,
            "terminal/create": self._open_terminal,
            "terminal/output": self._terminal_output,
            "terminal/wait_for_exit": self._wait_for_terminal,
            "terminal/kill": self._kill_terminal,
            "terminal/release": self._release_terminal,
        }

    def opened(self, conversation: Conversation) -> None:
        """A session is known from here on; what is said in it is kept until it is released."""
        conversation.held = []
        self.conversations[conversation.id] = conversation
        for params in self._early.pop(conversation.id, ()):
            self.notice("session/update", params)
        self._early.clear()

    def release(self, conversation: Conversation) -> None:
        """Whoever opened the session knows it now and can be told what was said in it."""
        held, conversation.held = conversation.held or [], None
        for update in held:
            self._client.heard(conversation.id, update)

    def settle_all(self) -> None:
        for conversation in self.conversations.values():
            conversation.cancelled = True
            conversation.settle()

    async def answer(self, request_id: str, method: str, params: Any) -> Any:
        """The result for one request.

        Raises:
            RefusedError: the request is answered with an error.
        """
        handler = partial(self._permission, request_id) if method == _PERMISSION else self._answers.get(method)
        if handler is None:
            raise RefusedError(METHOD_NOT_FOUND, f"{method} is not known here", {"method": method})
        if not isinstance(params, dict):
            raise RefusedError(INVALID_PARAMS, f"{method} needs parameters")
        conversation = self._conversation(params)
        try:
            return await handler(conversation, params)
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

    def notice(self, method: str, params: Any) -> None:
        """A message that wants no answer; one that is not understood is passed over."""
        if method != "session/update" or not isinstance(params, dict):
            return
        update = params.get("update")
        session_id = params.get("sessionId")
        if not isinstance(update, dict) or not isinstance(session_id, str):
            return
        conversation = self.conversations.get(session_id)
        if conversation is None:
            self._keep_early(session_id, params)
            return
        try:
            model = self._read_update(update)
            said = None if model is None else heard(str(update["sessionUpdate"]), model, conversation.calls)
            if said is not None:
                self._pass_on(conversation, said)
        except Exception:
            _log.exception("an update of the agent could not be taken in")

    def _pass_on(self, conversation: Conversation, update: AgentUpdate) -> None:
        if isinstance(update, ModeChanged):
            if update.mode == conversation.mode:
                return
            conversation.mode = update.mode
        if conversation.held is None:
            self._client.heard(conversation.id, update)
        elif len(conversation.held) < _MOST_HELD:
            conversation.held.append(update)

    def _keep_early(self, session_id: str, params: Parameters) -> None:
        # Agents announce their commands before the answer that names the session; a few such words are kept.
        if len(self._early) < 4 or session_id in self._early:
            kept = self._early.setdefault(session_id, [])
            if len(kept) < 16:
                kept.append(params)

    def _conversation(self, params: Parameters) -> Conversation:
        session_id = params.get("sessionId")
        conversation = self.conversations.get(session_id) if isinstance(session_id, str) else None
        if conversation is None:
            raise RefusedError(INVALID_PARAMS, f"no session is called {session_id!r}", {"sessionId": session_id})
        return conversation

    async def _permission(self, request_id: str, conversation: Conversation, params: Parameters) -> Any:
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
        waiting = OpenRequest()
        conversation.open.add(waiting)
        try:
            decided = await self._client.decide(request)
        except asyncio.CancelledError:
            if waiting.is_over():
                return CANCELLED
            raise
        finally:
            conversation.open.discard(waiting)
        return answer(decided.verdict, offered)

    async def _read(self, conversation: Conversation, params: Parameters) -> Any:
        text = await self._client.read_text(conversation.id, self._inside(params, "path"))
        line, limit = params.get("line"), params.get("limit")
        if isinstance(line, int) or isinstance(limit, int):
            first = max(line - 1, 0) if isinstance(line, int) else 0
            lines = text.splitlines(keepends=True)[first:]
            text = "".join(lines[: max(limit, 0)] if isinstance(limit, int) else lines)
        return {"content": text}

    async def _write(self, conversation: Conversation, params: Parameters) -> Any:
        text = params.get("content")
        if not isinstance(text, str):
            raise RefusedError(INVALID_PARAMS, "the content must be text")
        await self._client.save_text(conversation.id, self._inside(params, "path"), text)
        return {}

    async def _open_terminal(self, conversation: Conversation, params: Parameters) -> Any:
        call = CommandCall(
            command=_command_line(params.get("command"), params.get("args")),
            cwd=self._inside(params, "cwd") if params.get("cwd") else ".",
            env=_environment(params.get("env")),
        )
        terminal_id = await self._client.open_terminal(conversation.id, call)
        limit = params.get("outputByteLimit")
        conversation.terminals[terminal_id] = limit if isinstance(limit, int) and limit >= 0 else None
        return {"terminalId": terminal_id}

    async def _terminal_output(self, conversation: Conversation, params: Parameters) -> Any:
        terminal_id = _terminal(conversation, params)
        output = await self._client.terminal_output(terminal_id)
        text = _last_bytes(output.text, conversation.terminals.get(terminal_id))
        ended = {} if output.exit_code is None else {"exitStatus": _exit_status(output)}
        return {"output": text, "truncated": output.truncated or text != output.text, **ended}

    async def _wait_for_terminal(self, conversation: Conversation, params: Parameters) -> Any:
        return _exit_status(await self._client.wait_for_terminal(_terminal(conversation, params)))

    async def _kill_terminal(self, conversation: Conversation, params: Parameters) -> Any:
        await self._client.kill_terminal(_terminal(conversation, params))
        return {}

    async def _release_terminal(self, conversation: Conversation, params: Parameters) -> Any:
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


def _command_line(command: Any, words: Any) -> str:
    """One line for a shell. Without further words the command is such a line already."""
    if not isinstance(command, str) or not command.strip():
        raise RefusedError(INVALID_PARAMS, "a terminal needs a command")
    if words is None:
        return command
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise RefusedError(INVALID_PARAMS, "args must be a list of strings")
    return shlex.join([command, *words]) if words else command


def _environment(entries: Any) -> tuple[tuple[str, str], ...]:
    return tuple(
        (entry["name"], entry["value"])
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and isinstance(entry.get("name"), str) and isinstance(entry.get("value"), str)
    )


def _terminal(conversation: Conversation, params: Parameters) -> TerminalId:
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
