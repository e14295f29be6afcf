"""The routes of the HTTP API and access control."""

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tandem_desktop.api import openapi, schema
from tandem_desktop.api.approvals import Approvals
from tandem_desktop.api.checks import CheckRequests
from tandem_desktop.api.events import Follower, as_ndjson, as_sse, lines
from tandem_desktop.api.orchestrations import Orchestrations
from tandem_desktop.api.plans import Planning, PlanQueries
from tandem_desktop.api.schema import (
    EVERYWHERE,
    AdjustmentRequest,
    AnswerRequest,
    ApiModel,
    ApprovalRequest,
    ChecksRequest,
    OrchestrationRequest,
    PlanRequest,
    RequestRefusedError,
    StopChecksRequest,
    refusal,
)
from tandem_desktop.domain.errors import BadInputError, TandemError
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.domain.strict_json import ambiguity
from tandem_desktop.services.engine import Engine
from tandem_desktop.sessions.external_calls import AgentCalls
from tandem_desktop.storage.errors import as_refusal

_log = logging.getLogger(__name__)
_NAMES = ("127.0.0.1", "localhost", "[::1]")


Address = tuple[str, int] | None


class Closable(Protocol):
    """A connection, as far as it is closed here."""

    def abort(self) -> None: ...


class Visitors:
    """The connections that are open. Those without the token make room for each other, never for those with it."""

    def __init__(self, most_strangers: int, most_known: int) -> None:
        self._most_strangers = most_strangers
        self._most_known = most_known
        self._strangers: dict[Address, Closable] = {}
        self._known: set[Address] = set()

    def arrive(self, address: Address, connection: Closable) -> None:
        """A connection is a stranger's until a request on it has shown the token; too many close the oldest."""
        self._strangers[address] = connection
        if len(self._strangers) > self._most_strangers:
            oldest = next(iter(self._strangers))
            self._strangers.pop(oldest).abort()

    def welcome(self, address: Address) -> bool:
        """A request has shown the token; whether there is room for its connection."""
        if address in self._known:
            return True
        if len(self._known) >= self._most_known:
            return False
        self._strangers.pop(address, None)
        self._known.add(address)
        return True

    def leave(self, address: Address) -> None:
        self._strangers.pop(address, None)
        self._known.discard(address)


class RequestGuard:
    """Check where a request comes from and whether it has the token; turn whatever goes wrong behind into an answer.

    A page in a browser can make it send requests here: it cannot know the token, and its Origin and, after a trick
    with names (DNS rebinding), its Host give it away.
    """

    def __init__(self, behind: ASGIApp, token: str, port: int, visitors: Visitors) -> None:
        self._behind = behind
        self._visitors = visitors
        self._token = token.encode()
        self._hosts = frozenset(f"{name}:{port}" for name in _NAMES)
        self._origins = frozenset(f"http://{host}" for host in self._hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        status: int | None = None
        begun = time.monotonic()

        async def send_on(message: Message) -> None:
            nonlocal status
            if status is None:
                status = message.get("status", 0)
            await send(message)

        try:
            self._check(scope)
            await self._behind(scope, receive, send_on)
        except Exception as error:  # every failure becomes an error response
            if status is None:
                await refusal(as_refusal(error))(scope, receive, send_on)
        finally:
            took = 1000 * (time.monotonic() - begun)
            _log.debug("http %s %s: status %s, %.0f ms", scope["method"], scope["path"][:120], status, took)

    def _check(self, scope: Scope) -> None:
        hosts, origins, given = (_values(scope, name) for name in (b"host", b"origin", b"authorization"))
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise RequestRefusedError(403, "This is not a name of this server.", next="Use the address it printed.")
        if any(origin.lower() not in self._origins for origin in origins):
            raise RequestRefusedError(403, "A page from elsewhere may not ask.", next="Ask from a program instead.")
        if len(given) != 1 or not self._is_token(given[0]):
            raise RequestRefusedError(
                401,
                "The token is missing or is another one.",
                next="Send the header Authorization: Bearer TOKEN, with the token that tandem serve printed.",
                headers={"WWW-Authenticate": "Bearer"},
            )
        if not self._visitors.welcome(scope.get("client")):
            raise RequestRefusedError(503, "Too many connections are open.", next="Close some of them, then ask again.")

    def _is_token(self, header: str) -> bool:
        scheme, _, token = header.partition(" ")
        is_same = secrets.compare_digest(token.strip().encode("utf-8", "replace"), self._token)
        return scheme.lower() == "bearer" and is_same


def _values(scope: Scope, wanted: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in scope["headers"] if name == wanted]


MOST_BYTES = 128 * 1024
"""Of a request's body."""
BODY_S = 5.0
MOST_LISTENERS = 16
MOST_VISITORS = 64

NDJSON = "application/x-ndjson"
SSE = "text/event-stream"
_Answer = TypeVar("_Answer", bound=ApiModel)
_Asked = TypeVar("_Asked", bound=ApiModel)
Handler = Callable[[Request], Awaitable[Response]]


class Api:
    """All of it, as one ASGI application, for one workspace and one token."""

    def __init__(
        self, engine: Engine, token: str, port: int, visitors: Visitors | None = None, *, body_s: float = BODY_S
    ) -> None:
        self.visitors = visitors or Visitors(MOST_VISITORS, MOST_VISITORS)
        self._engine = engine
        engine.calls.attach(AgentCalls(engine).make)
        self._reading = PlanQueries(engine)
        self._orchestrations = Orchestrations(engine, self._reading)
        self._approvals = Approvals(engine, self._reading, self._orchestrations.is_about)
        self._planning = Planning(engine, self._reading)
        self._checks = CheckRequests(engine)
        self._listeners: set[Follower] = set()
        self._body_s = body_s
        read: dict[str, Handler] = {
            schema.PLAN: self._reads(lambda asked: self._reading.plan(asked.path_params["sessionId"])),
            schema.REVISIONS: self._reads(lambda asked: self._reading.revisions(asked.path_params["sessionId"])),
            schema.REVISION: self._reads(
                lambda asked: self._reading.revision(asked.path_params["sessionId"], asked.path_params["revision"])
            ),
            schema.TASKS: self._reads(lambda asked: self._reading.tasks(asked.path_params["sessionId"])),
            schema.HISTORY: self._reads(lambda asked: self._reading.history(asked.path_params["sessionId"])),
            schema.QUESTIONS: self._questions,
            schema.PLANS: self._reads(lambda asked: self._reading.plans()),
            schema.RUNS: self._reads(lambda asked: self._reading.runs()),
            schema.RUN: self._reads(lambda asked: self._reading.run(asked.path_params["runId"])),
            schema.EVENTS: self._events,
            schema.DESCRIPTION: self._description,
            schema.CHECKS: self._reads(lambda asked: self._checks.offered()),
            schema.EVIDENCE: self._reads(lambda asked: self._checks.evidence(asked.path_params["planId"])),
        }
        posted: dict[str, Handler] = {
            schema.PLANNING: self._plan,
            schema.APPROVAL: self._approval,
            schema.ANSWER: self._answer,
            schema.ORCHESTRATIONS: self._orchestrate,
            schema.ADJUSTMENTS: self._adjust,
            schema.CHECKS: self._check,
            schema.STOP_CHECKS: self._stop_checks,
        }
        routes = [_route(path, read.get(path), posted.get(path)) for path in {**read, **posted}]
        self._guarded: ASGIApp = RequestGuard(
            Starlette(routes=routes, exception_handlers={HTTPException: _no_such_thing, TandemError: _refused}),
            token,
            port,
            self.visitors,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._guarded(scope, receive, send)

    def hang_up(self) -> None:
        """End every stream of events; on the event loop."""
        for follower in tuple(self._listeners):
            follower.close()

    async def stop(self) -> None:
        """End planning agents and stop runs; waits for the operation under way."""
        await self._planning.stop()
        await self._orchestrations.stop()
        await self._checks.stop()
        await asyncio.to_thread(self._approvals.stop)

    async def _plan(self, request: Request) -> Response:
        asked = read_request(PlanRequest, await _body(request, self._body_s))
        found = await self._planning.plan(asked)
        return StreamingResponse(as_ndjson(found), media_type=NDJSON, headers=EVERYWHERE)

    async def _approval(self, request: Request) -> Response:
        asked = read_request(ApprovalRequest, await _body(request, self._body_s))
        found = await self._approvals.decide(asked)
        return StreamingResponse(as_ndjson(found), media_type=NDJSON, headers=EVERYWHERE)

    async def _answer(self, request: Request) -> Response:
        asked = read_request(AnswerRequest, await _body(request, self._body_s))
        return JSONResponse(self._planning.answer(asked).as_json(), headers=EVERYWHERE)

    async def _questions(self, request: Request) -> Response:
        found = self._planning.questions(SessionId(request.path_params["sessionId"]))
        return JSONResponse(found.as_json(), headers=EVERYWHERE)

    async def _orchestrate(self, request: Request) -> Response:
        asked = read_request(OrchestrationRequest, await _body(request, self._body_s))
        found = await self._orchestrations.begin(asked)
        return StreamingResponse(as_ndjson(found), media_type=NDJSON, headers=EVERYWHERE)

    async def _adjust(self, request: Request) -> Response:
        asked = read_request(AdjustmentRequest, await _body(request, self._body_s))
        found = await asyncio.to_thread(self._orchestrations.adjust, asked)
        return JSONResponse(found.as_json(), headers=EVERYWHERE)

    async def _check(self, request: Request) -> Response:
        asked = read_request(ChecksRequest, await _body(request, self._body_s))
        found = await self._checks.begin(asked)
        return StreamingResponse(as_ndjson(found), media_type=NDJSON, headers=EVERYWHERE)

    async def _stop_checks(self, request: Request) -> Response:
        asked = read_request(StopChecksRequest, await _body(request, self._body_s))
        return JSONResponse(self._checks.stop_run(asked).as_json(), headers=EVERYWHERE)

    async def _events(self, request: Request) -> Response:
        if len(self._listeners) >= MOST_LISTENERS:
            raise RequestRefusedError(429, "Enough programs listen already.", next="Close one of the streams first.")
        is_sse = SSE in request.headers.get("accept", "")
        follower = Follower(self._engine.events)
        self._listeners.add(follower)
        content = as_sse(lines(follower)) if is_sse else as_ndjson(lines(follower))
        return _Listening(
            content, media_type=SSE if is_sse else NDJSON, headers=EVERYWHERE, at_end=lambda: self._left(follower)
        )

    def _left(self, follower: Follower) -> None:
        follower.close()
        self._listeners.discard(follower)

    async def _description(self, request: Request) -> Response:
        return JSONResponse(openapi.description(), headers=EVERYWHERE)

    def _reads(self, read: Callable[[Request], _Answer]) -> Handler:
        async def answer(request: Request) -> Response:
            found = await asyncio.to_thread(read, request)
            return JSONResponse(found.as_json(), headers=EVERYWHERE)

        return answer


def _route(path: str, read: Handler | None, posted: Handler | None) -> Route:
    """Answers the methods that are described, and no HEAD beside them: a stream of events has none."""
    by_method = {method: handler for method, handler in (("GET", read), ("POST", posted)) if handler is not None}

    async def answer(request: Request) -> Response:
        return await by_method[request.method](request)

    found = Route(path, answer)
    found.methods = set(by_method)
    return found


class _Listening(StreamingResponse):
    """A stream that releases its resources however it ends."""

    def __init__(self, content: AsyncIterator[bytes], *, at_end: Callable[[], None], **fields: Any) -> None:
        super().__init__(content, **fields)
        self._at_end = at_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._at_end()


async def _body(request: Request, seconds: float) -> bytes:
    """The body of a request, if it is JSON, small enough, and there in time."""
    too_much = RequestRefusedError(413, f"The request has more than {MOST_BYTES} bytes.", next="Shorten the words.")
    if int(request.headers.get("content-length", "0")) > MOST_BYTES:
        raise too_much
    parts: list[bytes] = []
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                parts.append(part)
                if sum(map(len, parts)) > MOST_BYTES:
                    raise too_much
    except TimeoutError:
        raise RequestRefusedError(408, "The request did not come to its end in time.", next="Send it again.") from None
    # Judged after it was read: a connection closed on unread bytes is reset, and the client may lose the answer.
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestRefusedError(415, "The body is not JSON.", next="Send it with Content-Type: application/json")
    return b"".join(parts)


def read_request(shape: type[_Asked], body: bytes) -> _Asked:
    """The request in a body.

    Raises:
        BadInputError: it is another shape, or could be read in two ways.
    """
    try:
        asked = shape.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadInputError(
            f"{where}: {first['msg']}." if where else f"{first['msg']}.",
            next="See how it is called: GET /openapi.json",
        ) from None
    if (unclear := ambiguity(body)) is not None:
        raise BadInputError(f"The request is refused: {unclear}.", next="Keep one of the two.")
    return asked


async def _no_such_thing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = "There is nothing at this address." if error.status_code == 404 else "This is not done at this address."
    headers = dict(error.headers or {})
    return refusal(
        RequestRefusedError(error.status_code, words, next="See what there is: GET /openapi.json", headers=headers)
    )


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, TandemError)
    return refusal(error)
