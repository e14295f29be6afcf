"""The network of a leashed agent that has no namespace: this machine's own loopback, and a list of addresses.

What the agent may connect to is in a file, which the supervisor of its system calls reads at each connection; what it
refused is in another. The proxy listens where every user of this machine could reach it, so it asks who connects.
"""

import contextlib
import ipaddress
import os
import socket
from pathlib import Path

from tandem_desktop.domain.network import ALLOWED_FILE, REFUSED_FILE, AllowedHost, is_address
from tandem_desktop.storage import atomic

_LOOPBACK, _LOOPBACK_6 = "127.0.0.1", "::1"


class LoopbackNetwork:
    """Belongs to one leash. Blocks: not for the loop."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._allowed: list[str] = []
        self._read_bytes = 0
        atomic.make_directory(folder, mode=0o700)
        atomic.replace(folder / REFUSED_FILE, b"", mode=0o600, durable=False)
        self._save()

    def listen(self) -> tuple[socket.socket, int]:
        """A socket for the proxy, which the agent may connect to, and its port."""
        listener = socket.create_server((_LOOPBACK, 0))
        port = int(listener.getsockname()[1])
        self._allow(_LOOPBACK, port)
        return listener, port

    def allow(self, host: AllowedHost) -> None:
        """Let the agent connect to a service on this machine."""
        assert host.port is not None
        for address in (host.host,) if is_address(host.host) else (_LOOPBACK, _LOOPBACK_6):
            self._allow(address, host.port)

    def refused(self) -> list[tuple[str, int]]:
        """What was refused since the last time this was asked."""
        with contextlib.suppress(OSError), (self.folder / REFUSED_FILE).open("rb") as file:
            file.seek(self._read_bytes)
            lines = file.read().splitlines(keepends=True)
            whole = [line for line in lines if line.endswith(b"\n")]
            self._read_bytes += sum(map(len, whole))
            words = [line.decode("ascii", "replace").split() for line in whole]
            return [(host, int(port)) for host, port in words]
        return []

    def admits(self, peer: tuple[str, int], port: int) -> bool:
        """Whether a connection to the proxy comes from a process of this user."""
        owners = set(_owners(peer[1], port))
        return owners == {os.getuid()}

    def _allow(self, host: str, port: int) -> None:
        self._allowed.append(f"{ipaddress.ip_address(host)} {port}")
        self._save()

    def _save(self) -> None:
        text = "".join(f"{line}\n" for line in self._allowed)
        atomic.replace(self.folder / ALLOWED_FILE, text.encode(), mode=0o600, durable=False)


def _owners(port: int, other: int) -> list[int]:
    """The users of the sockets that connect from one port of this machine to another."""
    found = []
    for name in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path("/proc/self/net", name).read_text(encoding="ascii").splitlines()[1:]:
                words = line.split()
                if words[1].endswith(f":{port:04X}") and words[2].endswith(f":{other:04X}"):
                    found.append(int(words[7]))
    return found
