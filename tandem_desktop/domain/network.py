"""Which hosts an agent may reach, and what was refused."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated
from urllib.parse import urlsplit

from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.patterns import lazy_pattern

USUAL_PORTS = (443, 80)
DNS_PORT = 53
ALLOWED_FILE, REFUSED_FILE = "allowed", "refused"
"""Of a leash without a namespace: addresses of this machine that may be connected to, and addresses that were refused.
Each line is a host, a space and a port."""
_NAME = lazy_pattern(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
_LOCALHOST = "localhost"
_EMBEDDED = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48"))
"""Addresses that stand for one of IPv4 in their last bytes."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class NetworkMode(StrEnum):
    """What of the network an agent and all it starts can reach."""

    LEASHED = "leashed"
    """The hosts that are allowed, through a proxy of Tandem's."""
    OPEN = "open"
    OFF = "off"

    @property
    def words(self) -> str:
        """As it is said of an agent: "and the network is …"."""
        return _MODE_WORDS[self]


_MODE_WORDS = {
    NetworkMode.LEASHED: "the network is leashed to allowed hosts",
    NetworkMode.OPEN: "the network is open",
    NetworkMode.OFF: "there is no network",
}


class RefusedHost(Frozen):
    """A place something in the sandbox wanted to reach, and how often."""

    host: str
    port: Annotated[int, Field(ge=0, le=65535)]
    count: Annotated[int, Field(ge=1)] = 1

    @property
    def address(self) -> str:
        """As it is allowed: `example.org:8443`, without a usual port; a name that was only asked for, likewise."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        is_usual = self.port in (*USUAL_PORTS, DNS_PORT) and not is_address(self.host)
        return host if is_usual else f"{host}:{self.port}"


class NetworkReport(Frozen):
    """What an agent could reach while it planned, and what it could not."""

    mode: NetworkMode
    allowed: tuple[str, ...] = ()
    refused: tuple[RefusedHost, ...] = ()


@dataclass(frozen=True, slots=True)
class AllowedHost:
    """A name, `*.` and a name, or an address; with a port only that one, without one the usual ports."""

    host: str
    port: int | None = None

    @classmethod
    def parse(cls, text: str) -> "AllowedHost":
        """Understand `api.example.org`, `*.example.org`, `example.org:8443`, `[::1]:4010` or an address of a server.

        Raises:
            BadInputError: it names no host.
        """
        words = text.strip()
        try:
            parts = urlsplit(words if "://" in words else f"//{words}")
            host, port = parts.hostname or "", parts.port
        except ValueError:
            host, port = "", None
        if "://" in words and port is None:
            port = 80 if words.lower().startswith(("http:", "ws:")) else 443
        host = plain_host(host)
        if not is_address(host) and not _NAME.fullmatch(host.removeprefix("*.")):
            raise BadInputError(
                f"{text!r} names no host.",
                next="Write a host as in: api.example.org, *.example.org, example.org:8443, 127.0.0.1:4010",
            )
        return cls(host, port)

    @property
    def is_loopback(self) -> bool:
        """Whether it is a service on this machine, reached by an exact port."""
        return self.port is not None and (self.host == _LOCALHOST or _is_loopback(self.host))

    def matches(self, host: str, port: int) -> bool:
        if port != self.port and (self.port is not None or port not in USUAL_PORTS):
            return False
        return host.endswith(self.host[1:]) if self.host.startswith("*.") else host == self.host

    def permits(self, address: Address) -> bool:
        """Whether this host may have this address: a name never leads into a private network by itself.

        An address is permitted as it was written, `localhost` leads to this machine, and a name with a port of its
        own, such as a model's in a company, may be a private one; no name leads to this machine or its neighbours.
        """
        if str(address) == self.host:
            return True
        inner = _inner(address)
        if inner.is_loopback:
            return self.host == _LOCALHOST and self.port is not None
        if inner.is_multicast or inner.is_link_local or inner.is_unspecified or inner.is_reserved:
            return False
        is_metadata = isinstance(inner, ipaddress.IPv6Address) and inner in _METADATA
        return inner.is_global or (self.port is not None and not is_metadata)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"


_METADATA = ipaddress.ip_network("fd00:ec2::/32")


def allowed_hosts(texts: Iterable[str]) -> tuple[AllowedHost, ...]:
    """Every host that can be understood; what cannot is left out."""
    found: dict[AllowedHost, None] = {}
    for text in texts:
        try:
            found[AllowedHost.parse(text)] = None
        except BadInputError:
            continue
    return tuple(found)


def plain_host(host: str) -> str:
    """A host as it is compared: small letters, no dot at the end, addresses in their shortest form."""
    host = host.strip().rstrip(".").lower().strip("[]")
    if is_address(host):
        return str(ipaddress.ip_address(host))
    try:
        return host.encode("idna").decode() if not host.isascii() else host
    except UnicodeError:
        return ""


def is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    return is_address(host) and ipaddress.ip_address(host).is_loopback


def _inner(address: Address) -> Address:
    """The address of IPv4 that one of IPv6 stands for."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address.sixtofour is not None:
            return address.sixtofour
        if any(address in network for network in _EMBEDDED):
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address
