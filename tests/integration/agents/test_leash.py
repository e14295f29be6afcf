"""An agent reaches what its person allowed, and the plan says what it was refused."""

import base64
import contextlib
import json
import logging
import shlex
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support.agent_runs import AgentPlace

pytestmark = pytest.mark.skipif(bool(bubblewrap_missing()), reason="nothing can be confined here")
MARK = "the server answered"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.heard: list[tuple[str, str]] = []
        self.authorizations: list[str] = []

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    """Answers every request, and as a proxy says that a tunnel is there and answers through it."""

    def do_GET(self) -> None:
        self._note()
        self._say()

    def do_CONNECT(self) -> None:
        self._note()
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        self.rfile.readline()
        self._say()

    def _note(self) -> None:
        assert isinstance(self.server, _Server)
        self.server.heard.append((self.command, self.path))
        self.server.authorizations.append(self.headers.get("Proxy-Authorization", ""))

    def _say(self) -> None:
        self.wfile.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(MARK)}\r\n\r\n{MARK}".encode())
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        pass


@pytest.fixture
def server() -> Iterator[_Server]:
    with _Server() as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield found
        found.shutdown()


def fetch(*urls: str, then: str = "") -> list[dict[str, Any]]:
    """What an agent does that fetches something; what came of it is in `out.txt`."""
    words = "; ".join(f"curl -sS -m 10 {shlex.quote(url)}" for url in urls)
    return [{"do": "shell", "script": f"{{ {words or 'true'}; {then or 'true'}; }} > out.txt 2>&1"}]


def outcome(place: AgentPlace, plan: dict[str, Any]) -> str:
    return place.shadow_tree(plan["session_id"])["out.txt"].decode()


def shown(place: AgentPlace, plan: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = place.tandem.answer("show", plan["plan_id"])["plan"]
    return found


@pytest.mark.setting("network")
def test_what_is_not_allowed_is_refused_and_listed_on_the_plan(held_place: AgentPlace, server: _Server) -> None:
    urls = (f"http://{server.address}/", "http://not-allowed.example/", "https://also-not.example:8443/")
    plan = held_place.plan(*held_place.scripted(fetch(*urls)))
    assert MARK not in outcome(held_place, plan)
    assert "was refused by Tandem" in outcome(held_place, plan)
    network = shown(held_place, plan)["network"]
    refused = {(each["host"], each["port"], each["count"]) for each in network["refused"]}
    port = server.server_address[1]
    assert refused == {("127.0.0.1", port, 1), ("not-allowed.example", 80, 1), ("also-not.example", 8443, 1)}
    assert (network["mode"], server.heard) == ("leashed", [])
    text = held_place.tandem("show", plan["plan_id"]).out
    assert "Network refused: not-allowed.example port 80" in text
    assert "the network is leashed to allowed hosts" in text


@pytest.mark.setting("network")
def test_with_an_open_network_everything_is_reached_and_the_plan_says_so(
    held_place: AgentPlace, server: _Server
) -> None:
    held_place.choose(network="open")
    plan = held_place.plan(*held_place.scripted(fetch(f"http://{server.address}/")))
    assert MARK in outcome(held_place, plan)
    found = shown(held_place, plan)
    assert found["network"] == {"mode": "open", "allowed": [], "refused": []}
    assert found["confinement"].endswith("and the network is open")


@pytest.mark.setting("network")
def test_without_a_network_nothing_is_reached(held_place: AgentPlace, server: _Server) -> None:
    held_place.choose(network="off")
    plan = held_place.plan(*held_place.scripted(fetch(f"http://{server.address}/")))
    assert MARK not in outcome(held_place, plan)
    assert shown(held_place, plan)["confinement"].endswith("and there is no network")


def test_the_address_of_a_model_in_the_environment_is_reached_and_no_other_port(
    held_place: AgentPlace, server: _Server
) -> None:
    with _Server() as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        steps = fetch(f"http://{server.address}/v1", f"http://{other.address}/")
        plan = held_place.plan(*held_place.scripted(steps), "--env", f"MODEL_BASE_URL=http://{server.address}/v1")
        other.shutdown()
    assert outcome(held_place, plan).count(MARK) == 1
    assert (server.heard, other.heard) == ([("GET", "/v1")], [])
    assert server.address in shown(held_place, plan)["network"]["allowed"]


def test_a_model_on_a_socket_is_reached(held_place: AgentPlace) -> None:
    address = held_place.person / "model.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(address))
        listening.listen()

        def answer() -> None:
            with contextlib.suppress(OSError):
                one, _ = listening.accept()
                one.recv(4096)
                one.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(MARK)}\r\n\r\n{MARK}".encode())
                one.close()

        threading.Thread(target=answer, daemon=True).start()
        steps = fetch(then=f"curl -sS --unix-socket {address} http://model/")
        plan = held_place.plan(*held_place.scripted(steps), "--env", f"MODEL_HOST=unix://{address}")
    assert MARK in outcome(held_place, plan)


@pytest.mark.setting("network_hosts")
def test_hosts_in_the_settings_are_allowed_for_their_agent_alone(place: AgentPlace, server: _Server) -> None:
    lines = f'[network_hosts]\ncustom = ["{server.address}"]\nopencode = ["other.example"]\n'
    (place.settings / "settings.toml").write_text(lines)
    plan = place.plan(*place.scripted(fetch(f"http://{server.address}/", "http://other.example/")))
    assert outcome(place, plan).count(MARK) == 1
    network = shown(place, plan)["network"]
    assert network["allowed"] == [server.address]
    assert [each["host"] for each in network["refused"]] == ["other.example"]


@pytest.mark.setting("package_registries")
def test_package_registries_are_allowed_as_a_group(place: AgentPlace) -> None:
    steps = fetch()
    assert shown(place, place.plan(*place.scripted(steps)))["network"]["allowed"] == []
    place.choose(package_registries=True)
    allowed = shown(place, place.plan(*place.scripted([*steps, *steps])))["network"]["allowed"]
    assert {"pypi.org", "registry.npmjs.org", "index.crates.io", "deb.debian.org"} <= set(allowed)


def test_a_host_can_be_allowed_for_one_call(held_place: AgentPlace, server: _Server) -> None:
    steps = fetch(f"http://{server.address}/")
    plan = held_place.plan(*held_place.scripted(steps), "--allow-host", server.address)
    assert (MARK in outcome(held_place, plan), shown(held_place, plan)["network"]["refused"]) == (True, [])
    said = held_place.run(*held_place.scripted(steps), "--allow-host", "no host at all")
    assert (said.code, "names no host" in said.data["error"]["message"]) == (2, True)


def test_the_persons_own_proxy_is_used_and_its_password_is_in_no_log(
    place: AgentPlace, server: _Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, f"http://me:s3cr3t%40@{server.address}")
    place.choose(network="leashed")
    hosts = ("--allow-host", "model.example", "--allow-host", "secure.example:443")
    steps = fetch(
        "http://model.example/plain", "http://refused.example/", then="env; curl -sSp http://secure.example:443/"
    )
    plan = place.plan(*place.scripted(steps), *hosts)
    text = outcome(place, plan)
    assert text.count(MARK) == 2
    assert server.heard == [("GET", "http://model.example/plain"), ("CONNECT", "secure.example:443")]
    assert set(server.authorizations) == {f"Basic {base64.b64encode(b'me:s3cr3t@').decode()}"}
    assert "s3cr3t" not in text + caplog.text + json.dumps(shown(place, plan))
    assert [each["host"] for each in shown(place, plan)["network"]["refused"]] == ["refused.example"]


FLOOD = """
import os, resource, selectors, socket, time
port = int(os.environ["http_proxy"].rpartition(":")[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
kept, refused = [], 0
for number in range({number}):
    one = socket.socket()
    one.settimeout(30)
    try:
        one.connect(("127.0.0.1", port))
    except OSError:
        continue
    kept.append(one)
    if len(kept) > 900:
        kept.pop(0).close()
waiting, end = selectors.DefaultSelector(), time.monotonic() + 60
for one in kept:  # the first ones have run out of time by now where the machine is busy
    waiting.register(one, selectors.EVENT_READ)
while not refused and waiting.get_map() and time.monotonic() < end:
    for key, _ in waiting.select(1):
        waiting.unregister(key.fileobj)
        try:
            refused += b"503" in key.fileobj.recv(400)
        except OSError:
            pass
for one in kept:
    one.close()
print("refused in words:", refused > 0)
"""


@pytest.mark.parametrize("number", [1_000, pytest.param(10_000, marks=pytest.mark.exhaustive)])
def test_thousands_of_connections_are_bounded_refused_in_words_and_hang_nothing(
    held_place: AgentPlace, server: _Server, number: int
) -> None:
    place = held_place
    place.put("flood.py", FLOOD.replace("{number}", str(number)))
    steps = fetch(then=f"/usr/bin/python3 flood.py; curl -sS -m 20 http://{server.address}/")
    plan = place.plan(*place.scripted(steps), "--allow-host", server.address)
    assert outcome(place, plan) == f"refused in words: True\n{MARK}"


def test_a_rehearsal_has_no_network_whatever_the_agent_has(place: AgentPlace, server: _Server) -> None:
    place.choose(network="open")
    plan = place.tandem.propose(
        {"tool": "bash", "args": {"command": f"curl -sS -m5 http://{server.address}/"}, "description": "Fetch."}
    )
    place.tandem("rehearse", plan["plan_id"], "--json")
    assert server.heard == []
