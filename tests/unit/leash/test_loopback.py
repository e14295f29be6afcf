"""A leash without a namespace: its lists, and who may use its proxy."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tandem_desktop.domain.network import ALLOWED_FILE, REFUSED_FILE, AllowedHost
from tandem_desktop.leash.leash import Leash
from tandem_desktop.leash.proxy import UpstreamProxies

_ASK = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as one:
    one.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
    print(one.recv(100)[:12].decode())
"""


async def opened(folder: Path, *hosts: str) -> Leash:
    rules = [AllowedHost.parse(host) for host in hosts]
    return await Leash.open(rules, (), joins_user=False, addresses=folder, upstream=UpstreamProxies({}))


def proxy_port(leash: Leash) -> str:
    return leash.environment["http_proxy"].rpartition(":")[2]


async def test_the_list_names_the_proxy_and_each_allowed_service_of_this_machine(tmp_path: Path) -> None:
    leash = await opened(tmp_path / "leash", "api.example.org", "127.0.0.1:4010")
    await leash.allow(AllowedHost.parse("localhost:4011"))
    allowed = (tmp_path / "leash" / ALLOWED_FILE).read_text().splitlines()
    assert allowed == [f"127.0.0.1 {proxy_port(leash)}", "127.0.0.1 4010", "127.0.0.1 4011", "::1 4011"]
    assert (leash.joining, leash.addresses) == ((), tmp_path / "leash")
    await leash.close()


async def test_what_the_supervisor_refused_is_reported_once(tmp_path: Path) -> None:
    leash = await opened(tmp_path / "leash")
    with (tmp_path / "leash" / REFUSED_FILE).open("a") as file:
        file.write("192.0.2.1 443\n192.0.2.1 443\n192.0.")
    for _ in range(2):
        await leash.settle()
        assert [(each.host, each.port, each.count) for each in leash.report().refused] == [("192.0.2.1", 443, 2)]
    await leash.close()


async def test_the_proxy_answers_processes_of_this_user_and_of_no_other(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    leash = await opened(tmp_path / "leash")
    become = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3")
    said = []
    for words in ((sys.executable,), become):
        asking = await asyncio.create_subprocess_exec(
            *words, "-I", "-c", _ASK, proxy_port(leash), cwd="/", stdout=asyncio.subprocess.PIPE
        )
        said.append((await asking.communicate())[0].decode().strip())
    await leash.close()
    assert said == ["HTTP/1.1 400", ""]


async def test_a_leash_that_is_cancelled_at_any_moment_leaves_no_socket_open(tmp_path: Path) -> None:
    def sockets() -> set[str]:
        links = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))
        return {str(link.readlink()) for link in links if link.is_socket()}

    await (await opened(tmp_path / "first")).close()
    before, is_open = sockets(), False
    for number in range(80):
        opening = asyncio.ensure_future(opened(tmp_path / f"leash-{number}", "127.0.0.1:4010"))
        for _ in range(round(1.2**number)):
            await asyncio.sleep(0)
        is_open = opening.done()
        opening.cancel()
        (ended,) = await asyncio.gather(opening, return_exceptions=True)
        if isinstance(ended, Leash):
            await ended.close()
        assert sockets() == before
        if is_open:
            break
    assert is_open
