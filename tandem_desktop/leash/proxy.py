"""An HTTP proxy that connects to allowed hosts only.

Names are resolved here, once for each connection, and the connection goes to the address that was checked: a name that
means something else a moment later changes nothing.
"""

import asyncio
import base64
import ipaddress
import logging
import os
import socket
import ssl
import urllib.request
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

from tandem_desktop.domain.network import AllowedHost, is_address, plain_host
from tandem_desktop.leash.refusals import RefusalLog
from tandem_desktop.leash.relay import RelayEnd

MOST_CONNECTIONS = 128
"""At the same time, for one agent; further ones are refused in words."""
_HEAD_S = 30.0
_CONNECT_S = 20.0
_HOP_BY_HOP = frozenset((b"connection", b"proxy-connection", b"proxy-authorization", b"keep-alive", b"te"))
_REASONS = {400: "Bad Request", 403: "Forbidden", 431: "Request Header Fields Too Large"}
_REASONS |= {502: "Bad Gateway", 503: "Service Unavailable"}
_log = logging.getLogger(__name__)

Resolve = Callable[[str, int], Awaitable[list[str]]]
Admits = Callable[[tuple[str, int], int], bool]
"""Whether a client with this host and port may use the proxy on this port."""


async def system_resolver(host: str, port: int) -> list[str]:
    """Every address of a name, as this machine knows it.

    Raises:
        OSError: there is none.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


@dataclass(frozen=True, slots=True)
class UpstreamProxies:
    """The person's own proxies, by the kind of address; a password goes to them alone."""

    proxies: dict[str, str]

    @classmethod
    def of_environment(cls) -> "UpstreamProxies":
        return cls(urllib.request.getproxies_environment())

    def for_host(self, scheme: str, host: str) -> SplitResult | None:
        """The proxy that leads to a host; None where the way is direct."""
        address = self.proxies.get(scheme) or self.proxies.get("all")
        bypass = urllib.request.proxy_bypass_environment  # type: ignore[attr-defined]  # typeshed leaves it out
        if not address or _is_this_machine(host) or bypass(host, self.proxies):
            return None
        return urlsplit(address if "://" in address else f"http://{address}")


class LeashProxy:
    """Serves one agent. Lives on the engine's loop; `allow` may be called from any thread."""

    def __init__(
        self,
        hosts: Iterable[AllowedHost],
        refusals: RefusalLog,
        *,
        resolve: Resolve = system_resolver,
        upstream: UpstreamProxies | None = None,
        most: int = MOST_CONNECTIONS,
        admits: Admits = lambda peer, port: True,
    ) -> None:
        self.hosts = tuple(hosts)
        self._refusals = refusals
        self._resolve = resolve
        self._upstream = upstream or UpstreamProxies({})
        self._most = most
        self._admits = admits
        self._servers: list[asyncio.Server] = []
        self._open: set[asyncio.Task[None]] = set()

    def allow(self, host: AllowedHost) -> None:
        if host not in self.hosts:
            self.hosts = (*self.hosts, host)

    async def serve(self, listener: socket.socket) -> None:
        """Answer requests for any host."""
        await self._serve(listener, self._answer)

    async def serve_host(self, listener: socket.socket, host: AllowedHost) -> None:
        """Lead every connection to one host: for clients that ask no proxy about their own machine."""

        async def lead(client: RelayEnd) -> None:
            assert host.port is not None
            client.join(await self._connected(host.host, host.port, "http"))

        await self._serve(listener, lead)

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _serve(self, listener: socket.socket, answer: Callable[[RelayEnd], Awaitable[None]]) -> None:
        listener.setblocking(False)
        loop = asyncio.get_running_loop()
        try:
            self._servers.append(await loop.create_server(lambda: _Client(self, answer), sock=listener))
        except BaseException:
            listener.close()  # cancelled: no server has it
            raise

    def take(self, client: RelayEnd, answer: Callable[[RelayEnd], Awaitable[None]]) -> None:
        """Answer a connection, unless there are too many."""
        peer, own = (client.transport.get_extra_info(name) for name in ("peername", "sockname"))
        if len(self._open) >= self._most:
            _say(client, 503, f"More than {self._most} connections are open; this one was refused.")
            return
        if peer is None or own is None or not self._admits(peer[:2], own[1]):  # None: it was reset already
            client.close()
            return
        task = asyncio.get_running_loop().create_task(self._answered(client, answer), name="leash")
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _answered(self, client: RelayEnd, answer: Callable[[RelayEnd], Awaitable[None]]) -> None:
        """Until the connection has ended, so that it counts as open."""
        try:
            await answer(client)
            await client.ended
        except _RefusalError as refusal:
            _say(client, refusal.status, refusal.words)
        except (OSError, TimeoutError):
            client.close()  # one of the two ends hung up
        finally:
            if not client.transport.is_closing():
                client.close()

    async def _answer(self, client: RelayEnd) -> None:
        try:
            head = await asyncio.wait_for(client.head(), _HEAD_S)
        except ValueError:
            raise _RefusalError(431, "The request is too long.") from None
        method, _, rest = head.partition(b"\r\n")[0].partition(b" ")
        target = rest.rpartition(b" ")[0].decode("latin-1")
        if method == b"CONNECT":
            host, port = _host_and_port(f"//{target}", None)
            other = await self._connected(host, port, "https")
            client.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        elif target.lower().startswith(("http://", "ws://")):
            host, port = _host_and_port(target, 80)
            other = await self._requested(head, method, target, host, port)
        else:
            raise _RefusalError(400, "This is the proxy of a leashed agent; it takes requests for http:// and CONNECT.")
        client.join(other)

    async def _requested(self, head: bytes, method: bytes, target: str, host: str, port: int) -> RelayEnd:
        """A plain request, handed on with this host in it and for one answer only."""
        proxy = self._upstream.for_host("http", host)
        if proxy is None:
            other = await self._connected(host, port, "http")
            other.write(_direct_head(head, method, target))
            return other
        self._check(host, port)
        other = await _opened_proxy(proxy)
        other.write(_direct_head(head, method, target, through=_authorization(proxy)))
        return other

    async def _connected(self, host: str, port: int, scheme: str) -> RelayEnd:
        """A connection to a host that is allowed, by itself or through the person's proxy."""
        rule = self._check(host, port)
        proxy = self._upstream.for_host(scheme, host)
        if proxy is not None:
            return await _tunnelled(proxy, host, port)
        addresses = [host] if is_address(host) else await self._resolved(host, port)
        permitted = [each for each in addresses if rule.permits(ipaddress.ip_address(each))]
        if not permitted:
            raise self._refused(host, port, "it leads to an address inside a private network or on this machine")
        failure = ""
        for address in permitted:
            try:
                return await _opened(address, port)
            except (OSError, TimeoutError) as error:
                number = getattr(error, "errno", None)
                failure = os.strerror(number) if number else "no answer"
        raise _RefusalError(502, f"{host}:{port} cannot be reached: {failure}.")

    async def _resolved(self, host: str, port: int) -> list[str]:
        try:
            found = await asyncio.wait_for(self._resolve(host, port), _CONNECT_S)
        except (OSError, TimeoutError, UnicodeError) as error:
            raise _RefusalError(502, f"The name {host} is not known.") from error
        return [each.partition("%")[0] for each in found]

    def _check(self, host: str, port: int) -> AllowedHost:
        for rule in self.hosts:
            if rule.matches(host, port) and (not is_address(host) or rule.permits(ipaddress.ip_address(host))):
                return rule
        raise self._refused(host, port, "it is not among the hosts this agent may reach")

    def _refused(self, host: str, port: int, why: str) -> "_RefusalError":
        self._refusals.add(host, port)
        _log.info("leash: refused %s:%d", host, port)
        return _RefusalError(
            403,
            f"{host}:{port} was refused by Tandem: {why}. The person sees this on the plan and can allow it there.",
        )


class _Client(RelayEnd):
    """A connection from inside."""

    def __init__(self, proxy: LeashProxy, answer: Callable[[RelayEnd], Awaitable[None]]) -> None:
        super().__init__()
        self._proxy = proxy
        self._answer = answer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._proxy.take(self, self._answer)


class _RefusalError(Exception):
    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.words = words


def _host_and_port(target: str, usual: int | None) -> tuple[str, int]:
    try:
        parts = urlsplit(target)
        host, port = plain_host(parts.hostname or ""), parts.port or usual
    except ValueError:
        host, port = "", None
    if not host or not port:
        raise _RefusalError(400, "The request names no host and port.")
    return host, port


def _direct_head(head: bytes, method: bytes, target: str, through: bytes | None = None) -> bytes:
    """The head of a request as the server, or with `through` another proxy, is to see it."""
    parts = urlsplit(target)
    lines = [line for line in head.split(b"\r\n")[1:] if line]
    upgrades = any(line.lower().startswith(b"upgrade:") for line in lines)
    kept = [line for line in lines if line.partition(b":")[0].strip().lower() not in (*_HOP_BY_HOP, b"host")]
    place = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    first = target if through is not None else place
    host = parts.netloc.rpartition("@")[2]
    added = [f"Host: {host}".encode("latin-1"), b"Connection: Upgrade" if upgrades else b"Connection: close"]
    words = [method + b" " + first.encode("latin-1") + b" HTTP/1.1", *added, *([through] if through else []), *kept]
    return b"\r\n".join(words) + b"\r\n\r\n"


async def _opened(host: str, port: int, secure: ssl.SSLContext | None = None) -> RelayEnd:
    connecting = asyncio.get_running_loop().create_connection(RelayEnd, host, port, ssl=secure)
    return (await asyncio.wait_for(connecting, _CONNECT_S))[1]


async def _opened_proxy(proxy: SplitResult) -> RelayEnd:
    if proxy.scheme not in ("http", "https") or not proxy.hostname:
        raise _RefusalError(
            502, f"The proxy of your environment is of the kind {proxy.scheme}, which cannot be used here."
        )
    secure = ssl.create_default_context() if proxy.scheme == "https" else None
    port = proxy.port or (443 if secure else 80)
    try:
        return await _opened(proxy.hostname, port, secure)
    except (OSError, TimeoutError) as error:
        raise _RefusalError(502, f"The proxy {proxy.hostname}:{port} of your environment cannot be reached.") from error


async def _tunnelled(proxy: SplitResult, host: str, port: int) -> RelayEnd:
    other = await _opened_proxy(proxy)
    name = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    words = [f"CONNECT {name} HTTP/1.1".encode(), f"Host: {name}".encode(), _authorization(proxy)]
    other.write(b"\r\n".join(word for word in words if word) + b"\r\n\r\n")
    try:
        answer = await asyncio.wait_for(other.head(), _CONNECT_S)
    except (ValueError, TimeoutError, OSError) as error:
        other.close()
        raise _RefusalError(502, f"The proxy {proxy.hostname} of your environment gave no answer.") from error
    if answer.split(b" ", 2)[1:2] != [b"200"]:
        other.close()
        raise _RefusalError(502, f"The proxy {proxy.hostname} of your environment refused {name}.")
    return other


def _authorization(proxy: SplitResult) -> bytes:
    if proxy.username is None:
        return b""
    words = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return b"Proxy-Authorization: Basic " + base64.b64encode(words.encode())


def _say(client: RelayEnd, status: int, words: str) -> None:
    """Answer in words and hang up."""
    body = f"{words}\n".encode()
    head = f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: text/plain; charset=utf-8\r\n"
    head += f"X-Tandem-Leash: refused\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    client.write(head.encode() + body)
    client.close()


def _is_this_machine(host: str) -> bool:
    return host == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)
