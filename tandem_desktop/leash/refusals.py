"""Counts what was refused, by the proxy and by the closed network."""

import asyncio
import contextlib
import ipaddress
import os
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

from tandem_desktop.domain.network import DNS_PORT, AllowedHost, RefusedHost, plain_host

MOST_HOSTS = 200
"""Further ones are counted together."""
OTHERS = "(others)"
_LONGEST_NAME = 253
_AT_ONCE = 64
_PAUSE_S = 0.02
_TCP, _UDP, _ICMP, _ICMP6 = 6, 17, 1, 58
_RESET_OF_A_REQUEST = 0x14
_OUTGOING = 4
_SEEN_BYTES = 2048


class RefusalLog:
    """Hosts and ports that were refused, each with how often. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, int], int] = {}

    def add(self, host: str, port: int) -> None:
        with self._lock:
            key = (plain_host(host)[:_LONGEST_NAME] or "?", port)
            if key not in self._counts and len(self._counts) >= MOST_HOSTS:
                key = (OTHERS, 0)
            self._counts[key] = self._counts.get(key, 0) + 1

    def hosts(self) -> tuple[RefusedHost, ...]:
        """What was refused, most often first."""
        with self._lock:
            found = sorted(self._counts.items(), key=lambda each: (-each[1], each[0]))
        return tuple(RefusedHost(host=host, port=port, count=count) for (host, port), count in found)

    def forget(self, rule: AllowedHost) -> None:
        """What the person has allowed since is no refusal any more."""
        with self._lock:
            for host, port in list(self._counts):
                if rule.matches(host, port) or (port == DNS_PORT and rule.host == host):
                    del self._counts[host, port]

    def begin_turn(self) -> None:
        """What was refused before belongs to an earlier turn."""
        with self._lock:
            self._counts.clear()


class RefusalWatch:
    """Reads the answers with which the closed network refuses, and notes what was wanted."""

    def __init__(self, packets: socket.socket, log: RefusalLog) -> None:
        self._packets = packets
        self._log = log
        self._packets.setblocking(False)
        self._loop = asyncio.get_running_loop()
        self._resting: asyncio.TimerHandle | None = None
        self._loop.add_reader(packets.fileno(), self._read)

    def close(self) -> None:
        if self._resting is not None:
            self._resting.cancel()
        self._loop.remove_reader(self._packets.fileno())
        self.read_rest()
        self._packets.close()

    def read_rest(self) -> None:
        """Note what waits, as far as it can be read at once."""
        for _ in range(_AT_ONCE):
            if not self._read_some():
                return

    def _read(self) -> None:
        if self._read_some():
            # A flood of refusals must not keep the loop from everything else.
            self._loop.remove_reader(self._packets.fileno())
            self._resting = self._loop.call_later(_PAUSE_S, self._go_on)

    def _go_on(self) -> None:
        self._resting = None
        self._loop.add_reader(self._packets.fileno(), self._read)

    def _read_some(self) -> bool:
        """Whether there may be more."""
        for _ in range(_AT_ONCE):
            try:
                packet, address = self._packets.recvfrom(_SEEN_BYTES)
            except OSError:
                return False
            if address[2] != _OUTGOING:  # each is seen as it goes and as it comes
                for host, port in refused_in(packet):
                    if not _is_loopback(host) or _person_listens_on(port):
                        self._log.add(host, port)
        return True


def refused_in(packet: bytes) -> Iterator[tuple[str, int]]:
    """The host and port that this answer refuses; of a question for a name, the name."""
    with contextlib.suppress(struct.error, ValueError, IndexError):
        protocol, source, _, rest = _opened(packet)
        if protocol == _TCP:
            port, _, sequence, _, _, flags = struct.unpack_from("!HHIIBB", rest)
            if flags & _RESET_OF_A_REQUEST == _RESET_OF_A_REQUEST and sequence == 0:
                yield source, port
        elif (protocol, *rest[:2]) in ((_ICMP, 3, 3), (_ICMP6, 1, 4)):
            inner, _, target, wanted = _opened(rest[8:])
            port = struct.unpack_from("!H", wanted, 2)[0]
            if inner == _UDP:
                name = _name_asked_for(wanted[8:]) if port == DNS_PORT else ""
                yield name or target, port


def _opened(packet: bytes) -> tuple[int, str, str, bytes]:
    """Protocol, source, target and content of a packet."""
    if packet[0] >> 4 == 4:
        source, target = packet[12:16], packet[16:20]
        return packet[9], _text(source), _text(target), packet[(packet[0] & 15) * 4 :]
    return packet[6], _text(packet[8:24]), _text(packet[24:40]), packet[40:]


def _text(address: bytes) -> str:
    return str(ipaddress.ip_address(address))


def _name_asked_for(question: bytes) -> str:
    labels, place = [], 12
    while length := question[place]:
        if length > 63:
            return ""
        labels.append(question[place + 1 : place + 1 + length].decode("ascii"))
        place += 1 + length
    return ".".join(labels)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _person_listens_on(port: int) -> bool:
    """Whether a program of this machine would have answered; else the agent only looked for a server of its own."""
    wanted = f":{port:04X}"
    for name, listening in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        with contextlib.suppress(OSError):
            for line in Path("/proc", str(os.getpid()), "net", name).read_text().splitlines()[1:]:
                words = line.split()
                if words[1].endswith(wanted) and words[3] == listening:
                    return True
    return False
