"""The door: who may ask at all. Nothing behind it is reached without the token, from this machine, by name."""

import secrets

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tandem_desktop.api.refusals import RequestRefusedError, refusal
from tandem_desktop.storage.failures import as_refusal

_NAMES = ("127.0.0.1", "localhost", "[::1]")


class Guard:
    """Check where a request comes from and whether it has the token; turn whatever goes wrong behind into an answer.

    A page in a browser can make it send requests here: it cannot know the token, and its Origin and, after a trick
    with names (DNS rebinding), its Host give it away.
    """

    def __init__(self, behind: ASGIApp, token: str, port: int) -> None:
        self._behind = behind
        self._token = token.encode()
        self._hosts = frozenset(f"{name}:{port}" for name in _NAMES)
        self._origins = frozenset(f"http://{host}" for host in self._hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        is_begun = False

        async def send_on(message: Message) -> None:
            nonlocal is_begun
            is_begun = True
            await send(message)

        try:
            self._check(scope)
            await self._behind(scope, receive, send_on)
        except Exception as error:  # the last door: every failure leaves as an answer with a sentence
            if not is_begun:
                await refusal(as_refusal(error))(scope, receive, send)

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

    def _is_token(self, header: str) -> bool:
        scheme, _, token = header.partition(" ")
        is_same = secrets.compare_digest(token.strip().encode("utf-8", "replace"), self._token)
        return scheme.lower() == "bearer" and is_same


def _values(scope: Scope, wanted: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in scope["headers"] if name == wanted]
