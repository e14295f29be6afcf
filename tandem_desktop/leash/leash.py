"""Keeps an agent and everything it starts on a network from which only allowed hosts are reached."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from tandem_desktop.domain.network import AllowedHost, NetworkMode, NetworkReport
from tandem_desktop.leash.loopback import LoopbackNetwork
from tandem_desktop.leash.namespace import NetworkNamespace
from tandem_desktop.leash.proxy import LeashProxy, Resolve, UpstreamProxies, system_resolver
from tandem_desktop.leash.refusals import RefusalLog, RefusalWatch
from tandem_desktop.processes.threads import done_in_thread, made_in_thread

_LOOPBACK, _LOOPBACK_6 = "127.0.0.1", "::1"
_BYPASS = "localhost,127.0.0.1,::1"
_log = logging.getLogger(__name__)


class Leash:
    """Of one agent, from before it starts until it has ended."""

    def __init__(
        self, network: NetworkNamespace | LoopbackNetwork, proxy: LeashProxy, refusals: RefusalLog, port: int
    ) -> None:
        self._network = network
        self._proxy = proxy
        self._refusals = refusals
        self._port = port
        self._loop = asyncio.get_running_loop()
        packets = network.packets if isinstance(network, NetworkNamespace) else None
        self._watch = RefusalWatch(packets, refusals) if packets is not None else None

    @classmethod
    async def open(
        cls,
        hosts: Iterable[AllowedHost],
        before: Sequence[str],
        *,
        joins_user: bool,
        addresses: Path | None = None,
        resolve: Resolve = system_resolver,
        upstream: UpstreamProxies | None = None,
    ) -> "Leash":
        """A leash that leads to `hosts`; `before` and `joins_user` as a `NetworkNamespace` has them.

        With `addresses`, a folder for the lists of a `LoopbackNetwork`, there is no namespace.

        Raises:
            ShadowError: this system gives no network of its own.
        """
        network: NetworkNamespace | LoopbackNetwork
        if addresses is not None:
            network = await asyncio.to_thread(LoopbackNetwork, addresses)
        else:
            network = await made_in_thread(
                partial(NetworkNamespace, before, joins_user=joins_user), NetworkNamespace.end
            )
        refusals = RefusalLog()
        proxy = LeashProxy(
            (),
            refusals,
            resolve=resolve,
            upstream=UpstreamProxies.of_environment() if upstream is None else upstream,
            admits=network.admits if isinstance(network, LoopbackNetwork) else lambda peer, port: True,
        )
        leash: Leash | None = None
        try:
            listen = network.listen if isinstance(network, LoopbackNetwork) else partial(network.listen, _LOOPBACK, 0)
            listener, port = await made_in_thread(listen, _close_listener)
            await proxy.serve(listener)
            leash = cls(network, proxy, refusals, port)
            for host in hosts:
                await leash.allow(host)
        except BaseException:
            if leash is not None:
                await leash.close()
            else:
                await proxy.close()
                if isinstance(network, NetworkNamespace):
                    network.end()
            raise
        where = f"network of pid {network.pid}" if isinstance(network, NetworkNamespace) else "on loopback"
        _log.info("leash: %d hosts allowed, %s", len(proxy.hosts), where)
        return leash

    @property
    def joining(self) -> tuple[str, ...]:
        """Options of nsenter that lead into its network; none where there is no namespace."""
        return self._network.joining if isinstance(self._network, NetworkNamespace) else ()

    @property
    def addresses(self) -> Path | None:
        """The folder with the lists of a network that is no namespace."""
        return self._network.folder if isinstance(self._network, LoopbackNetwork) else None

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
        if isinstance(self._network, LoopbackNetwork):
            for host, port in await asyncio.to_thread(self._network.refused):
                self._refusals.add(host, port)

    async def close(self) -> None:
        """End every connection, and the network with it."""
        if self._watch is not None:
            self._watch.close()
        try:
            await self._proxy.close()
        finally:
            if isinstance(self._network, NetworkNamespace):
                await done_in_thread(self._network.end)

    async def _lead_to(self, host: AllowedHost) -> None:
        """Clients ask no proxy about their own machine, so the port itself leads to the host."""
        assert host.port is not None
        if isinstance(self._network, LoopbackNetwork):
            await asyncio.to_thread(self._network.allow, host)
            return
        for address in (_LOOPBACK, _LOOPBACK_6):
            with contextlib.suppress(OSError):  # the agent has a server of its own there, or there is no IPv6
                listener, _ = await made_in_thread(partial(self._network.listen, address, host.port), _close_listener)
                await self._proxy.serve_host(listener, host)


def _close_listener(made: tuple[socket.socket, int]) -> None:
    made[0].close()
