"""Keeps an agent and everything it starts on a network of its own, from which only allowed hosts are reached."""

import asyncio
import contextlib
import logging
from collections.abc import Iterable, Sequence

from tandem_desktop.domain.network import AllowedHost, NetworkMode, NetworkReport
from tandem_desktop.leash.namespace import NetworkNamespace
from tandem_desktop.leash.proxy import LeashProxy, Resolve, UpstreamProxies, system_resolver
from tandem_desktop.leash.refusals import RefusalLog, RefusalWatch

_LOOPBACK, _LOOPBACK_6 = "127.0.0.1", "::1"
_BYPASS = "localhost,127.0.0.1,::1"
_log = logging.getLogger(__name__)


class Leash:
    """Of one agent, from before it starts until it has ended."""

    def __init__(self, namespace: NetworkNamespace, proxy: LeashProxy, refusals: RefusalLog, port: int) -> None:
        self._namespace = namespace
        self._proxy = proxy
        self._refusals = refusals
        self._port = port
        self._loop = asyncio.get_running_loop()
        packets = namespace.packets
        self._watch = RefusalWatch(packets, refusals) if packets is not None else None

    @classmethod
    async def open(
        cls,
        hosts: Iterable[AllowedHost],
        before: Sequence[str],
        *,
        joins_user: bool,
        resolve: Resolve = system_resolver,
        upstream: UpstreamProxies | None = None,
    ) -> "Leash":
        """A leash that leads to `hosts`; `before` and `joins_user` as a `NetworkNamespace` has them.

        Raises:
            ShadowError: this system gives no network of its own.
        """
        namespace = await asyncio.to_thread(NetworkNamespace, before, joins_user=joins_user)
        refusals = RefusalLog()
        proxy = LeashProxy(
            (), refusals, resolve=resolve, upstream=UpstreamProxies.of_environment() if upstream is None else upstream
        )
        leash: Leash | None = None
        try:
            listener, port = await asyncio.to_thread(namespace.listen, _LOOPBACK, 0)
            await proxy.serve(listener)
            leash = cls(namespace, proxy, refusals, port)
            for host in hosts:
                await leash.allow(host)
        except BaseException:
            if leash is not None:
                await leash.close()
            else:
                await proxy.close()
                namespace.end()
            raise
        _log.info("leash: %d hosts allowed, network of pid %d", len(proxy.hosts), namespace.pid)
        return leash

    @property
    def joining(self) -> tuple[str, ...]:
        """Options of nsenter that lead into its network."""
        return self._namespace.joining

    @property
    def environment(self) -> dict[str, str]:
        """Variables that lead programs to the proxy."""
        address = f"http://{_LOOPBACK}:{self._port}"
        names = ("http_proxy", "https_proxy", "all_proxy", "ws_proxy", "wss_proxy", "ftp_proxy")
        found = {name: address for each in names for name in (each, each.upper())}
        found |= {"no_proxy": _BYPASS, "NO_PROXY": _BYPASS}
        found |= {"NODE_USE_ENV_PROXY": "1", "GLOBAL_AGENT_HTTP_PROXY": address, "ELECTRON_GET_USE_PROXY": "1"}
        return found | {"YARN_HTTP_PROXY": address, "YARN_HTTPS_PROXY": address}

    async def allow(self, host: AllowedHost) -> None:
        """Let the agent reach one more host from now on."""
        if host in self._proxy.hosts:
            return
        self._proxy.allow(host)
        self._refusals.forget(host)
        if host.is_loopback:
            await self._lead_to(host)

    def report(self) -> NetworkReport:
        """What is allowed, and what was refused since the turn began. May be called from any thread."""
        return NetworkReport(
            mode=NetworkMode.LEASHED,
            allowed=tuple(str(host) for host in self._proxy.hosts),
            refused=self._refusals.hosts(),
        )

    def begin_turn(self) -> None:
        self._refusals.begin_turn()

    async def settle(self) -> None:
        """Note every refusal there has been."""
        if self._watch is not None:
            self._watch.read_rest()

    async def close(self) -> None:
        """End every connection, and the network with it."""
        if self._watch is not None:
            self._watch.close()
        await self._proxy.close()
        await asyncio.to_thread(self._namespace.end)

    async def _lead_to(self, host: AllowedHost) -> None:
        """Clients ask no proxy about their own machine, so the port itself leads to the host."""
        assert host.port is not None
        for address in (_LOOPBACK, _LOOPBACK_6):
            with contextlib.suppress(OSError):  # the agent has a server of its own there, or there is no IPv6
                listener, _ = await asyncio.to_thread(self._namespace.listen, address, host.port)
                await self._proxy.serve_host(listener, host)
