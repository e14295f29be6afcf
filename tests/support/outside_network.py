"""A host outside, in a network namespace that the test makes, and services of the person on this machine."""

import contextlib
import ctypes
import os
import secrets
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

WEB, UDP = 8080, 9999
_CLONE_NEWNET = 0x40000000


@dataclass
class OutsideNetwork:
    """Every target, and the mark with which each of them answers."""

    machine: str
    outside: str
    outside6: str
    mark: str = field(default_factory=lambda: f"REACHED-{secrets.token_hex(8)}")
    quiet: str = "an allowed host answers\n"
    reached: list[str] = field(default_factory=list)
    """What was asked of any target, besides the allowed one."""
    person: int = 0
    person6: int = 0
    person_udp: int = 0
    abstract: str = field(default_factory=lambda: f"tandem-test-{secrets.token_hex(6)}")

    def answer(self, one: socket.socket) -> None:
        with contextlib.suppress(OSError), one:
            one.settimeout(10)
            asked = one.recv(4096).decode("latin-1")
            path = asked.split(" ")[1] if asked.startswith(("GET", "POST", "HEAD")) else "/"
            if path.startswith("/to?"):
                head, body = f"302 Found\r\nLocation: {path[4:]}", "elsewhere\n"
            elif path == "/quiet":
                head, body = "200 OK", self.quiet
            else:
                head, body = "200 OK", f"{self.mark}\n"
            one.sendall(f"HTTP/1.1 {head}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())


@contextlib.contextmanager
def outside_network() -> Iterator[OutsideNetwork]:
    """Skips where this is not allowed to make one."""
    ip = shutil.which("ip")
    if ip is None or os.geteuid() != 0:
        pytest.skip("a network namespace to reach for needs root and the program ip")
    number = secrets.randbelow(16000)
    base = f"198.18.{number // 64}.{number % 64 * 4}".rpartition(".")
    first, last = base[0], int(base[2])
    name = f"tandem-{os.getpid()}-{number}"
    found = OutsideNetwork(f"{first}.{last + 1}", f"{first}.{last + 2}", f"fd77:{number:x}::2")
    with ExitStack() as stack:
        _ip(ip, "netns", "add", name)
        stack.callback(_ip, ip, "netns", "del", name)
        link = f"tt{number}"
        _ip(ip, "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name)
        stack.callback(subprocess.run, [ip, "link", "del", link], capture_output=True, check=False)
        for words in (
            ("addr", "add", f"{found.machine}/30", "dev", link),
            ("addr", "add", f"fd77:{number:x}::1/64", "dev", link, "nodad"),
            ("link", "set", link, "up"),
            ("-n", name, "addr", "add", f"{found.outside}/30", "dev", "eth0"),
            ("-n", name, "addr", "add", f"{found.outside6}/64", "dev", "eth0", "nodad"),
            ("-n", name, "link", "set", "eth0", "up"),
            ("-n", name, "link", "set", "lo", "up"),
        ):
            _ip(ip, *words)
        _serve(stack, found, _sockets_inside(name, found))
        _serve(stack, found, _sockets_of_person(found))
        yield found


def serve_socket(stack: ExitStack, found: OutsideNetwork, path: Path) -> None:
    """A socket of the person in a folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(str(path))
    server.listen()
    _serve(stack, found, [server])


def _sockets_inside(name: str, found: OutsideNetwork) -> list[socket.socket]:
    """Opened by a thread that has gone there; they stay there."""
    made: list[socket.socket] = []

    def open_all() -> None:
        with open(f"/run/netns/{name}") as file:
            assert ctypes.CDLL(None, use_errno=True).setns(file.fileno(), _CLONE_NEWNET) == 0
        for port in (WEB, 80, 443, 22, 53):
            made.append(_listening(socket.AF_INET, found.outside, port))
        made.append(_listening(socket.AF_INET6, found.outside6, WEB))
        for family, host in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
            for port in (UDP, 53):
                made.append(_datagrams(family, host, port))

    thread = threading.Thread(target=open_all)
    thread.start()
    thread.join()
    return made


def _sockets_of_person(found: OutsideNetwork) -> list[socket.socket]:
    on_all = _listening(socket.AF_INET, "0.0.0.0", 0)
    on_six = _listening(socket.AF_INET6, "::1", 0)
    datagrams = _datagrams(socket.AF_INET, "127.0.0.1", 0)
    found.person, found.person6 = on_all.getsockname()[1], on_six.getsockname()[1]
    found.person_udp = datagrams.getsockname()[1]
    made = [on_all, on_six, datagrams]
    for suffix in (found.abstract, f"/tmp/.X11-unix/X{found.abstract}"):
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.bind(f"\0{suffix}")
        server.listen()
        made.append(server)
    abstract = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    abstract.bind(f"\0{found.abstract}-d")
    return [*made, abstract]


def _listening(family: int, host: str, port: int) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind((host, port))
    made.listen(256)
    return made


def _datagrams(family: int, host: str, port: int) -> socket.socket:
    made = socket.socket(family, socket.SOCK_DGRAM)
    if family == socket.AF_INET6:
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    made.bind((host, port))
    return made


def _serve(stack: ExitStack, found: OutsideNetwork, servers: list[socket.socket]) -> None:
    for server in servers:
        stack.callback(server.close)
        is_stream = server.type == socket.SOCK_STREAM
        threading.Thread(target=_streams if is_stream else _messages, args=(server, found), daemon=True).start()


def _streams(server: socket.socket, found: OutsideNetwork) -> None:
    with contextlib.suppress(OSError):
        while True:
            one, _ = server.accept()
            threading.Thread(target=found.answer, args=(one,), daemon=True).start()


def _messages(server: socket.socket, found: OutsideNetwork) -> None:
    with contextlib.suppress(OSError):
        while True:
            _, sender = server.recvfrom(4096)
            with contextlib.suppress(OSError):
                server.sendto(found.mark.encode(), sender)


def _ip(ip: str, *words: str) -> None:
    subprocess.run([ip, *words], check=True, capture_output=True)
