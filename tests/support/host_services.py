"""Services of this machine that no agent may reach, and whether one did."""

import contextlib
import secrets
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any


class HostServices:
    """Sockets of every kind that listen; nothing is answered."""

    def __init__(self, folder: Path, held: ExitStack) -> None:
        kinds = {"file": socket.SOCK_STREAM, "datagrams": socket.SOCK_DGRAM, "abstract": socket.SOCK_STREAM}
        self._sockets = {name: held.enter_context(socket.socket(socket.AF_UNIX, kind)) for name, kind in kinds.items()}
        kinds = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM}
        self._sockets |= {name: held.enter_context(socket.socket(socket.AF_INET, kind)) for name, kind in kinds.items()}
        self.addresses: dict[str, Any] = {name: str(folder / f"{name}.socket") for name in ("file", "datagrams")}
        self.addresses["abstract"] = f"tandem-test-{secrets.token_hex(8)}"
        for name in ("file", "datagrams"):
            self._sockets[name].bind(self.addresses[name])
            Path(self.addresses[name]).chmod(0o777)
        self._sockets["abstract"].bind(f"\0{self.addresses['abstract']}")
        for name in ("tcp", "udp"):
            self._sockets[name].bind(("127.0.0.1", 0))
            self.addresses[name] = self._sockets[name].getsockname()[1]
        for each in self._sockets.values():
            each.setblocking(False)
            if each.type == socket.SOCK_STREAM:
                each.listen()

    def reached(self) -> list[str]:
        """Those to which something came."""
        found = []
        for name, each in self._sockets.items():
            with contextlib.suppress(BlockingIOError):
                if each.type == socket.SOCK_STREAM:
                    each.accept()[0].close()
                else:
                    each.recv(1)
                found.append(name)
        return found


@contextmanager
def host_services(folder: Path) -> Iterator[HostServices]:
    with ExitStack() as held:
        yield HostServices(folder, held)
