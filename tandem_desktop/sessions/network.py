"""The network of one agent: which hosts it may reach, and the leash that holds it there."""

import contextlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tandem_desktop.acp_client.profiles import BUILT_IN
from tandem_desktop.builtin_agent.models import CHOICE, OLLAMA_ADDRESS
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.network import AllowedHost, NetworkMode, NetworkReport, allowed_hosts
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.leash.leash import Leash
from tandem_desktop.settings import Settings
from tandem_desktop.shadow.workspace import ShadowWorkspace
from tandem_desktop.storage.paths import resource

EVERY_AGENT = "all"
_ADDRESS = lazy_pattern(r"_(?:URL|HOST|ENDPOINT|API_BASE)$")
_UNIX = lazy_pattern(r"(?:http\+)?unix:(?://)?(?P<path>/.+)")
_SETTING = lazy_pattern(
    r"""["']?\b(?:(?:openai_)?base_?url|api_?base|endpoint|host|openai_host|anthropic_host|ollama_host)["']?\s*[:=]\s*["']?"""
    r"""(?P<address>https?://[^\s"',}]+)""",
    re.IGNORECASE,
)
_MOST_BYTES = 1024 * 1024


def allowing(settings: Settings, hosts: Iterable[str]) -> Settings:
    """The settings, with hosts that every agent may reach.

    Raises:
        BadInputError: one of them is no host.
    """
    named = tuple(str(AllowedHost.parse(each)) for each in hosts)
    allowed = {**settings.network_hosts, EVERY_AGENT: (*settings.network_hosts.get(EVERY_AGENT, ()), *named)}
    return settings.model_copy(update={"network_hosts": allowed}) if named else settings


@dataclass(slots=True)
class AgentNetwork:
    """What an agent gets of the network. Without a leash there is nothing to end."""

    mode: NetworkMode
    leash: Leash | None = None
    sockets: tuple[Path, ...] = ()
    """Sockets of a model that is reached by a file."""
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def joining(self) -> tuple[str, ...]:
        return self.leash.joining if self.leash is not None else ()

    @property
    def addresses(self) -> Path | None:
        return self.leash.addresses if self.leash is not None else None

    @property
    def is_on(self) -> bool:
        return self.mode is not NetworkMode.OFF

    def report(self) -> NetworkReport:
        return self.leash.report() if self.leash is not None else NetworkReport(mode=self.mode)

    def begin_turn(self) -> None:
        if self.leash is not None:
            self.leash.begin_turn()

    async def settle(self) -> None:
        if self.leash is not None:
            await self.leash.settle()

    async def allow(self, host: AllowedHost) -> None:
        """Let the agent that runs reach one more host."""
        if self.leash is not None:
            await self.leash.allow(host)

    async def close(self) -> None:
        if self.leash is not None:
            await self.leash.close()


async def open_network(
    profile: AgentProfile,
    settings: Settings,
    shadow: ShadowWorkspace,
    environment: Mapping[str, str],
    person_home: Path,
    once: Iterable[str] = (),
) -> AgentNetwork:
    """The network of an agent that is to be started with this environment; `once` are hosts allowed for its session.

    Raises:
        ShadowError: it is to be leashed, and this system gives no network of its own.
    """
    if not shadow.confinement.confined:
        return AgentNetwork(NetworkMode.OPEN)
    shadow.confinement = shadow.confinement.with_network(settings.network)
    if settings.network is not NetworkMode.LEASHED:
        return AgentNetwork(settings.network)
    addresses = tuple(_addresses(profile, environment, person_home))
    configured = (*settings.network_hosts.get(EVERY_AGENT, ()), *settings.network_hosts.get(profile.name, ()))
    registries = package_registries() if settings.package_registries else ()
    hosts = allowed_hosts((*profile.hosts, *addresses, *configured, *once, *registries))
    before, joins_user = shadow.user_namespace()
    leash = await Leash.open(hosts, before, joins_user=joins_user, addresses=shadow.addresses)
    return AgentNetwork(NetworkMode.LEASHED, leash, tuple(_sockets(addresses)), leash.environment)


def _addresses(profile: AgentProfile, environment: Mapping[str, str], person_home: Path) -> Iterator[str]:
    """Where its model is, as the person's own environment and configuration say; never as the agent's home says."""
    for name, value in environment.items():
        if value and _ADDRESS.search(name):
            yield value
    if profile.name == BUILT_IN and environment.get(CHOICE, "").startswith("ollama:"):
        yield OLLAMA_ADDRESS
    for name in profile.credentials:
        with contextlib.suppress(OSError):
            place = person_home / name
            if place.is_file() and place.stat().st_size <= _MOST_BYTES:
                text = place.read_text(encoding="utf-8", errors="replace")
                yield from (found["address"] for found in _SETTING.finditer(text))


def _sockets(addresses: Iterable[str]) -> Iterator[Path]:
    for address in addresses:
        found = _UNIX.fullmatch(address)
        if found and Path(found["path"]).is_socket():
            yield Path(found["path"])


@cache
def package_registries() -> tuple[str, ...]:
    """The hosts of the usual package registries."""
    return tuple(tomllib.loads(resource("package_registries.toml").read_text(encoding="utf-8"))["hosts"])
