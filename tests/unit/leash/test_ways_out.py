"""Nothing in the sandbox reaches a host that is not allowed, whichever way it tries, and what it tried is listed."""

import asyncio
import json
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tandem_desktop.domain.network import AllowedHost, NetworkReport
from tandem_desktop.leash.leash import Leash
from tandem_desktop.leash.proxy import UpstreamProxies
from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support.agents import network_ways
from tests.support.outside_network import UDP, WEB, OutsideNetwork, outside_network, serve_socket
from tests.support.shadows import ShadowPlace
from tests.support.sidecars import AGENTS

ALLOWED = f"allowed.test:{WEB}"
UNLISTED = {"a raw socket", "a socket", "a packet", "an abstract", "a desktop", "udp to everybody", "udp to a group"}


@pytest.fixture
def outside() -> Iterator[OutsideNetwork]:
    if missing := bubblewrap_missing():
        pytest.skip(missing)
    with outside_network() as found:
        yield found


def job_of(place: ShadowPlace, outside: OutsideNetwork) -> dict[str, object]:
    return {
        "mark": outside.mark,
        "quiet": outside.quiet.strip(),
        "outside": outside.outside,
        "outside6": outside.outside6,
        "machine": outside.machine,
        "person": outside.person,
        "person6": outside.person6,
        "person_udp": outside.person_udp,
        "web": WEB,
        "udp": UDP,
        "allowed": ALLOWED,
        "abstract": outside.abstract,
        "socket": str(place.person / "agent.sock"),
        "socket_outside": str(place.base / "s"),
    }


async def tried(place: ShadowPlace, outside: OutsideNetwork, script: str) -> tuple[str, NetworkReport]:
    asked: list[str] = []

    async def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        known = {"loopback.test": "127.0.0.1", "metadata.test": "169.254.169.254"}
        if host == "rebinding.test":
            return [outside.outside if asked.count(host) == 1 else "127.0.0.1"]
        return [known.get(host, outside.outside)]

    names = (ALLOWED, f"loopback.test:{outside.person}", f"rebinding.test:{outside.person}", f"metadata.test:{WEB}")
    before, joins_user = place.shadow.user_namespace()
    hosts = [AllowedHost.parse(name) for name in names]
    leash = await Leash.open(hosts, before, joins_user=joins_user, resolve=resolve, upstream=UpstreamProxies({}))
    try:
        environment = {"PATH": os.environ["PATH"], **leash.environment}
        said = await asyncio.to_thread(
            lambda: place.start(script, environment=environment, network_joining=leash.joining).stdout
        )
        await leash.settle()
        return said, leash.report()
    finally:
        await leash.close()


async def test_of_more_than_sixty_ways_out_none_leads_anywhere_and_each_is_listed(
    overlay: ShadowPlace, outside: OutsideNetwork
) -> None:
    place = overlay
    with ExitStack() as stack:
        for path in (place.person / "agent.sock", place.base / "s"):
            serve_socket(stack, outside, path)
        job = job_of(place, outside)
        _assert_targets_answer(job)
        program = place.base / "network_ways.py"
        program.write_text((AGENTS / "network_ways.py").read_text())
        place.open()
        said, report = await tried(place, outside, f"/usr/bin/python3 {program} '{json.dumps(job)}'")
    answers = json.loads(said)
    assert len(answers) >= 60
    assert {way: answer for way, answer in answers.items() if outside.mark in answer} == {}
    refused = {(each.host, each.port) for each in report.refused}
    out, web, person = outside.outside, WEB, outside.person
    assert {
        *((out, port) for port in (web, 80, 443, 22, 53, UDP)),
        (outside.outside6, web),
        ("127.0.0.1", person),
        ("127.9.9.9", person),
        ("::1", outside.person6),
        ("127.0.0.1", outside.person_udp),
        (outside.machine, person),
        ("stolen-data.test", 53),
        ("stolen-data.example", 53),
        ("third-stolen.example", 53),
        ("169.254.169.254", 80),
        ("fd00:ec2::254", 80),
        ("metadata.test", web),
        ("other.test", web),
        ("allowed.test", 80),
        ("allowed.test", 22),
        ("loopback.test", person),
        ("rebinding.test", person),
        ("2130706433", person),
        ("127.1", person),
        ("::ffff:7f00:1", person),
        ("evil-allowed.test", web),
        ("x.allowed.test", web),
    } - refused == set()


async def test_an_allowed_host_is_reached_and_nothing_is_listed(overlay: ShadowPlace, outside: OutsideNetwork) -> None:
    overlay.open()
    url = f"http://{ALLOWED}/"
    script = f"curl -sS {url}; curl -sS -p {url}; wget -qO- {url}; curl -sS {url} --next {url}"
    said, report = await tried(overlay, outside, script)
    assert said.count(outside.mark) == 5
    assert report.refused == ()
    assert ALLOWED in report.allowed


async def test_without_the_leash_the_same_program_reaches_its_targets(
    overlay: ShadowPlace, outside: OutsideNetwork
) -> None:
    """The targets are real: what is refused with the leash works without it."""
    overlay.open()
    said = await asyncio.to_thread(
        overlay.agent,
        f"curl -sS http://{outside.outside}:{WEB}/ http://127.0.0.1:{outside.person}/",
        environment={"PATH": os.environ["PATH"]},
    )
    assert said.count(outside.mark) == 2


async def test_a_process_that_outlives_its_agent_is_ended_with_the_sandbox(
    overlay: ShadowPlace, outside: OutsideNetwork
) -> None:
    overlay.open()
    home = overlay.state / "agents/one/home"
    script = (
        f"setsid sh -c 'while :; do echo $$ > $HOME/pid; curl -sS -m1 http://other.test:{WEB}/; done' "
        ">/dev/null 2>&1 & while [ ! -e $HOME/pid ]; do sleep 0.01; done"
    )
    await tried(overlay, outside, script)
    assert (home / "pid").exists()
    names = (Path("/proc", name, "environ") for name in os.listdir("/proc") if name.isdigit())
    assert not [each for each in names if str(home) in _read(each)]


def _assert_targets_answer(job: dict[str, object]) -> None:
    network_ways.JOB.update(job)
    out, mark = str(job["outside"]), str(job["mark"])
    assert mark in network_ways.tcp(out, WEB)
    assert mark in network_ways.tcp(str(job["outside6"]), WEB, family=socket.AF_INET6)
    assert mark in network_ways.tcp("127.0.0.1", int(str(job["person"])))
    assert mark in network_ways.udp(out, UDP)
    assert mark in network_ways.unix(str(job["socket"]))
    assert mark in network_ways.unix("\0" + str(job["abstract"]))


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
