"""Tandem as an agent for editors: the real agent works in a shadow, and a turn ends with a request about its plan."""

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_core import ValidationError

from tandem_desktop import __version__
from tandem_desktop.acp_agent.conversation import EditorConversation
from tandem_desktop.acp_agent.review_window import OpenWindow, open_window
from tandem_desktop.acp_agent.updates import Json
from tandem_desktop.acp_agent.wire import EditorWire, open_streams, schema
from tandem_desktop.acp_client.connection import (
    AUTH_REQUIRED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    NOT_FOUND,
    RefusedError,
)
from tandem_desktop.background import Background
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.errors import BadInputError, LoginNeededError
from tandem_desktop.domain.events import TandemEvent
from tandem_desktop.domain.ids import SESSION_ID, SessionId, new_session_id
from tandem_desktop.sessions.manager import profile_of
from tandem_desktop.sessions.record import SessionRecord
from tandem_desktop.storage.errors import as_refusal

OpenWorkspace = Callable[[Path, bool], Background]
"""Everything behind one workspace; the flag says whether the editor's person can be asked questions."""
_Model = TypeVar("_Model", bound=BaseModel)
_log = logging.getLogger(__name__)
_PAGE = 50
_LONGEST_TITLE = 200


class EditorAgent:
    """Answers one editor. Its sessions may be in several workspaces."""

    def __init__(
        self,
        profile: AgentProfile,
        open_workspace: OpenWorkspace,
        *,
        root: Path | None = None,
        window: OpenWindow = open_window,
    ) -> None:
        """`root` is the workspace of every session; without it each is where the editor says."""
        self.may_be_asked = False
        self.may_open_addresses = False
        self._profile = profile
        self._open_workspace = open_workspace
        self._root = root
        self._window = window
        self._wire: EditorWire | None = None
        self._loop = asyncio.get_running_loop()
        self._backgrounds: dict[Path, Background] = {}
        self._opening = asyncio.Lock()
        self._conversations: dict[SessionId, EditorConversation] = {}
        self._methods: Mapping[str, Callable[[Any], Any]] = {
            "initialize": self._initialize,
            "authenticate": self._authenticate,
            "session/new": self._new,
            "session/load": self._load,
            "session/resume": self._resume,
            "session/list": self._list,
            "session/close": self._close,
            "session/prompt": self._prompt,
            "session/set_config_option": self._choose,
        }

    def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> EditorWire:
        """Answer the editor at the other end of these streams."""
        self._wire = EditorWire(reader, writer, answer=self.answer, notice=self.notice)
        return self._wire

    async def answer(self, number: str, method: str, params: Any) -> Any:
        """The result of a request.

        Raises:
            RefusedError: there is none; every failure becomes one.
        """
        serve = self._methods.get(method)
        if serve is None:
            raise RefusedError(METHOD_NOT_FOUND, f"There is no method {method[:60]!r}.")
        try:
            return await serve(params)
        except RefusedError:
            raise
        except ValidationError as problem:
            places = [".".join(map(str, each["loc"])) for each in problem.errors()[:3]]
            raise RefusedError(INVALID_PARAMS, f"Not valid: {', '.join(places) or 'the parameters'}.") from None
        except ConnectionError:
            raise RefusedError(INTERNAL_ERROR, "The editor is gone.") from None
        except Exception as error:  # a request without an answer would be waited for
            refusal = as_refusal(error)
            code = AUTH_REQUIRED if isinstance(refusal, LoginNeededError) else INTERNAL_ERROR
            code = INVALID_PARAMS if isinstance(refusal, BadInputError) else code
            _log.info("request refused: %s, %s", method, refusal.kind)
            data = {"next": refusal.next, "details": "\n".join(getattr(refusal, "stderr", ()))}
            raise RefusedError(code, f"{refusal.message} {refusal.next}".strip(), data) from error

    def notice(self, method: str, params: Any) -> None:
        """The editor tells something; only the end of a turn means anything."""
        if method == "session/cancel" and isinstance(params, dict):
            session_id = params.get("sessionId")
            conversation = self._conversations.get(SessionId(session_id)) if isinstance(session_id, str) else None
            if conversation is not None:
                conversation.cancel()

    async def ask(self, method: str, params: Json) -> Any:
        assert self._wire is not None
        return await self._wire.ask(method, params)

    async def tell(self, session_id: str, update: Json) -> None:
        assert self._wire is not None
        await self._wire.tell(session_id, update)

    async def close(self) -> None:
        """End every agent. What they did stays in their shadows, and a plan that waits goes on waiting."""
        for conversation in self._conversations.values():
            await conversation.close()
        await asyncio.gather(*(asyncio.to_thread(each.close) for each in self._backgrounds.values()))

    async def _initialize(self, params: Any) -> Json:
        found = _read(schema.InitializeRequest, params)
        asking = found.client_capabilities.elicitation if found.client_capabilities is not None else None
        self.may_be_asked = asking is not None and asking.form is not None
        self.may_open_addresses = asking is not None and asking.url is not None
        return {
            "protocolVersion": 1,
            "agentCapabilities": {
                "loadSession": True,
                "promptCapabilities": {"image": True, "audio": True, "embeddedContext": True},
                "mcpCapabilities": {"http": False, "sse": False},
                "sessionCapabilities": {"list": {}, "resume": {}, "close": {}},
            },
            "agentInfo": {"name": "tandem", "title": f"{self._profile.title} in Tandem", "version": __version__},
            "authMethods": [],
        }

    async def _authenticate(self, params: Any) -> Json:
        _read(schema.AuthenticateRequest, params)
        raise RefusedError(INVALID_PARAMS, f"Log in with {self._profile.title} itself, in a terminal.")

    async def _new(self, params: Any) -> Json:
        found = _read(schema.NewSessionRequest, params)
        background = await self._background(found.cwd)
        conversation = self._conversation(new_session_id(), background, self._profile)
        try:
            await conversation.wait(background.conversations.prepare(conversation.id, self._profile))
        except BaseException:
            self._conversations.pop(conversation.id, None)
            raise
        self._soon(conversation)
        return {"sessionId": conversation.id, **_options(conversation)}

    async def _load(self, params: Any) -> Json:
        found = _read(schema.LoadSessionRequest, params)
        conversation = await self._known(found.session_id, found.cwd)
        conversation.begin()
        conversation.repeat()
        await conversation.flush()
        return _options(conversation)

    async def _resume(self, params: Any) -> Json:
        found = _read(schema.ResumeSessionRequest, params)
        conversation = await self._known(found.session_id, found.cwd)
        self._soon(conversation)
        return _options(conversation)

    async def _list(self, params: Any) -> Json:
        found = _read(schema.ListSessionsRequest, params if params is not None else {})
        if found.cwd is not None:
            await self._background(found.cwd)
        roots = [self._place(found.cwd)] if found.cwd is not None else list(self._backgrounds)
        listed: list[Json] = []
        for root in roots:
            for each in await asyncio.to_thread(self._backgrounds[root].stored.listing):
                title = " ".join(each.title.split())[:_LONGEST_TITLE]
                row = {"sessionId": each.session_id, "cwd": str(root), "title": title}
                listed.append({**row, "updatedAt": each.at.isoformat()})
        start = int(found.cursor) if found.cursor is not None and found.cursor.isdecimal() else 0
        following = {"nextCursor": str(start + _PAGE)} if len(listed) > start + _PAGE else {}
        return {"sessions": listed[start : start + _PAGE], **following}

    async def _close(self, params: Any) -> Json:
        found = _read(schema.CloseSessionRequest, params)
        conversation = self._conversations.pop(SessionId(found.session_id), None)
        if conversation is not None:
            await conversation.close()
            await conversation.wait(conversation.background.conversations.let_go(conversation.id))
        return {}

    async def _prompt(self, params: Any) -> Json:
        found = _read(schema.PromptRequest, params)
        reason = await self._session(found.session_id).prompt(found.prompt)
        return {"stopReason": reason.value}

    async def _choose(self, params: Any) -> Json:
        found = _read(schema.SetSessionConfigOptionSelectRequest, params)
        conversation = self._session(found.session_id)
        choosing = conversation.background.conversations.choose(conversation.id, found.config_id, found.value)
        await conversation.wait(choosing)
        return {"configOptions": conversation.options}

    def _session(self, session_id: str) -> EditorConversation:
        conversation = self._conversations.get(SessionId(session_id))
        if conversation is None:
            raise RefusedError(NOT_FOUND, "There is no such session here; load it first.")
        return conversation

    async def _known(self, session_id: str, cwd: str) -> EditorConversation:
        """A session of before, with the agent it had.

        Raises:
            RefusedError: there is none, or it is open and at work.
        """
        background = await self._background(cwd)
        open_here = self._conversations.get(SessionId(session_id))
        if open_here is not None:
            if open_here.is_busy:
                raise RefusedError(INVALID_PARAMS, "This session is still answering the last message.")
            return open_here
        engine = background.engine
        record = SessionRecord(engine.locations.sessions / session_id)
        if not SESSION_ID.fullmatch(session_id) or not await asyncio.to_thread(record.exists):
            raise RefusedError(NOT_FOUND, f"There is no session {session_id[:60]!r}.")
        facts = await asyncio.to_thread(record.load)
        if facts.workspace != str(engine.locations.workspace):
            raise RefusedError(NOT_FOUND, f"The session {session_id} belongs to {facts.workspace}.")
        if (open_here := self._conversations.get(SessionId(session_id))) is not None:
            return open_here  # it was loaded twice at once
        is_ours = (facts.agent, facts.command) == (self._profile.name, self._profile.command)
        profile = self._profile if is_ours else profile_of(facts)
        return self._conversation(SessionId(session_id), background, profile)

    def _conversation(self, session_id: SessionId, background: Background, profile: AgentProfile) -> EditorConversation:
        conversation = EditorConversation(session_id, background, profile, self, self._window)
        self._conversations[session_id] = conversation
        return conversation

    def _soon(self, conversation: EditorConversation) -> None:
        """Begin to tell once the answer to the request that goes on was sent: before it the session is not known."""
        self._loop.call_soon(conversation.begin)

    def _place(self, cwd: str) -> Path:
        return self._root if self._root is not None else Path(os.path.realpath(cwd))

    async def _background(self, cwd: str) -> Background:
        """What is behind the workspace of a session.

        Raises:
            RefusedError: it is no folder.
            TandemError: it cannot be worked in.
        """
        if not cwd.startswith("/") or "\0" in cwd or not await asyncio.to_thread(Path(cwd).is_dir):
            raise RefusedError(INVALID_PARAMS, "cwd must be the absolute path of a folder.")
        root = self._place(cwd)
        async with self._opening:
            if root not in self._backgrounds:
                background = await asyncio.to_thread(self._open_workspace, root, self.may_be_asked)
                background.events.subscribe(self._on_event)
                self._backgrounds[root] = background
        return self._backgrounds[root]

    def _on_event(self, event: TandemEvent) -> None:
        """Pass on what concerns a session; comes on any thread, in order."""
        session_id = getattr(event, "session_id", None)
        conversation = self._conversations.get(session_id) if session_id is not None else None
        if conversation is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(conversation.hear, event)


def _read(model: type[_Model], params: Any) -> _Model:
    return model.model_validate(params)


def _options(conversation: EditorConversation) -> Json:
    return {"configOptions": conversation.options} if conversation.options else {}


def serve(profile: AgentProfile, open_workspace: OpenWorkspace, wire: int, root: Path | None = None) -> None:
    """Answer an editor on standard input and the descriptor `wire` until it disconnects."""
    asyncio.run(_serve(profile, open_workspace, wire, root))


async def _serve(profile: AgentProfile, open_workspace: OpenWorkspace, wire: int, root: Path | None) -> None:
    agent = EditorAgent(profile, open_workspace, root=root)
    reader, writer = await open_streams(sys.stdin.buffer, wire)
    connection = agent.connect(reader, writer)
    serving = asyncio.create_task(connection.serve())
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, serving.cancel)
    try:
        with contextlib.suppress(asyncio.CancelledError):
            await serving
    finally:
        await agent.close()
        with contextlib.suppress(ConnectionError, OSError):
            await connection.close()
            writer.close()
