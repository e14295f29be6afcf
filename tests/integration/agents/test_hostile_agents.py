"""Whatever an agent tries, in whatever way and from whichever process, nothing outside its shadow changes."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tandem_desktop
from tandem_desktop.shadow import factory, sandbox
from tandem_desktop.shadow.landlock import landlock_missing
from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support import without_namespaces
from tests.support.agent_runs import AgentPlace
from tests.support.agents import hostile_agent
from tests.support.agents.hostile_agent import BEHIND, DONE, WAYS
from tests.support.command_line import ChildCommandLine
from tests.support.host_services import HostServices, host_services
from tests.support.tree_walker import walk

WHOS = ("self", "child", "grandchild", BEHIND)
ANSWERED = WHOS[:3]
"""Those who can say what came of it; whoever stays behind is ended in the middle."""

LINKS = ("through_link_outside", "through_folder_link")
"""The link is staged, to be seen; what was to be written through it was refused."""
TURNING = "chmod_by_link"
REFUSED = (
    *("upwards", "device", "bind", "remount", "join_parent", "kill_outside", "state_folder", "approval_key"),
    *("person_keys", "person_start_file", "system", "kernel", "chmod_outside", "chmod_folder_outside"),
    *("chmod_by_descriptor", "chmod_by_magic_link", "chown_outside", "touch_outside", "attribute_outside"),
    *("truncate_outside", "truncate_by_reading", "unlink_outside", "link_in", "rename_in", "rename_out"),
    *("make_folder_outside", "pipe_outside", "socket_outside", "root_of_outside", "folder_of_outside"),
    *("memory_of_outside", "surroundings_of_outside", "trace_outside", "limit_outside", "thread_outside"),
    *("person_secret", "system_secret", "keyring", "named_socket", "named_datagram", "abstract_socket"),
    *("loopback_port", "loopback_port_6", "fast_open", "port_by_shell", "raw"),
)
WARNED = {
    "pipe": "t/{who}/pipe/pipe cannot be staged",
    "socket": "t/{who}/socket/socket cannot be staged",
    "git_hook": "hooks/{who}-git_hook created",
    "git_settings": "config changed",
}
WITHOUT_EFFECT = (
    *("touch", "attribute", "trace_first", "kill_first", "planning_socket", "own_plans", "uring", "datagram"),
    *("own_server", "owner_of_signals"),
)
"""Done or refused, it leaves nothing that could be approved."""
LEFT_TO_THE_KERNEL = ("nameless",)
"""Some kernels do it, then it is staged; others refuse."""
STAGED = tuple(
    way for way in WAYS if way not in (*LINKS, TURNING, *REFUSED, *WARNED, *WITHOUT_EFFECT, *LEFT_TO_THE_KERNEL)
)

NOT_IN_A_COPY = ("remove_folder",)
"""A copy holds what git knows of, and git knows of no empty folders."""
NOT_BY_LANDLOCK = ("root_of_first", "own_namespace")
"""Without a namespace the first process is the machine's own, and no other namespace is given."""
IN_A_NAMESPACE = ("own_plans",)
"""What a namespace refuses and Landlock leaves without effect."""
BY_LANDLOCK = ("uring", "datagram")
"""The other way round: with a network of its own they lead nowhere."""
ORDINARY_USER = 65534


def furnish(place: AgentPlace, whos: tuple[str, ...] = WHOS) -> AgentPlace:
    """For every process and way a folder of its own, with content of its own."""
    for who in whos:
        for way in WAYS:
            base = f"t/{who}/{way}"
            for name in ("file", "other", "folder/inner"):
                place.put(f"{base}/{name}", f"{name} of {who}, {way}\n")
            (place.root / base / "empty").mkdir()
    place.use_git()
    return place


@pytest.fixture
def furnished(place: AgentPlace) -> AgentPlace:
    if missing := bubblewrap_missing():
        pytest.skip(f"no namespace holds an agent back here: {missing}")
    return furnish(place)


@pytest.fixture
def of_ordinary_user(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[AgentPlace]:
    """The same for a user who is not root, in folders that are this user's own."""
    if missing := landlock_missing():
        pytest.skip(missing)
    if os.geteuid() != 0:
        pytest.skip("the other tests already run as an ordinary user")
    python = "/usr/bin/python3"
    libraries = [entry for entry in sys.path if entry.endswith("site-packages")]
    paths = os.pathsep.join([str(Path(tandem_desktop.__file__).parents[1]), *libraries])
    own = {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.defpath}
    become = ("setpriv", f"--reuid={ORDINARY_USER}", f"--regid={ORDINARY_USER}", "--clear-groups")
    able = subprocess.run([*become, python, "-c", "import pydantic"], env=own, capture_output=True, check=False)
    if able.returncode:
        pytest.skip("an ordinary user finds no Python with Tandem's libraries here")
    base = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        monkeypatch.setenv("TANDEM_STATE_DIR", str(base / "state"))
        (base / "state").mkdir()
        place = AgentPlace(base, capsys, monkeypatch)
        place.python = python
        words = (*become, python, without_namespaces.__file__, python, "-m", "tandem_desktop")
        place.tandem = ChildCommandLine(place.root, capsys, words, **own)
        yield place
        place.assert_nothing_left()
    finally:
        shutil.rmtree(base)


def give_to_ordinary_user(base: Path) -> None:
    for folder, names, files in os.walk(base):
        for name in (".", *names, *files):
            os.chown(Path(folder, name), ORDINARY_USER, ORDINARY_USER, follow_symlinks=False)


@pytest.fixture
def services(tmp_path: Path) -> Iterator[HostServices]:
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))  # a name of a socket is short
    try:
        folder.chmod(0o755)
        with host_services(folder) as found:
            yield found
            assert found.reached() == []
    finally:
        shutil.rmtree(folder)


def set_loose(
    place: AgentPlace,
    services: HostServices,
    *,
    asks: bool,
    lingers: bool,
    ways: tuple[str, ...] = WAYS,
    whos: tuple[str, ...] = WHOS,
) -> dict[str, Any]:
    """One run in which everybody tries everything; its answer, with what came of each attempt as `attempts`."""
    job = {"ways": ways, "whos": whos, "asks": asks, "lingers": lingers, "services": services.addresses}
    job |= {"outside": str(place.outside), "state": str(place.state), "person": str(place.person)}
    words = place.agent("hostile_agent", job)
    plan = place.plan(*words, "--env", f"HOSTILE_OUTSIDE_PID={os.getpid()}")
    return {**plan, "attempts": json.loads(plan["said"])}


def staged_in(plan: dict[str, Any], folder: str) -> list[str]:
    return [each["path"] for each in plan["operations"] if (each["path"] or "").startswith(f"{folder}/")]


def assert_all_accounted_for(plan: dict[str, Any], doable: tuple[str, ...], refused: tuple[str, ...]) -> None:
    """Every attempt inside the shadow is staged or named in a warning, and every other one failed."""
    warnings = "\n".join(plan["warnings"])
    assert staged_in(plan, f"t/{BEHIND}/{WAYS[0]}"), "whoever stays behind has begun"
    for who, outcome in plan["attempts"].items():
        staged = {way: staged_in(plan, f"t/{who}/{way}") for way in WAYS}
        assert {way: outcome[way] for way in doable} == dict.fromkeys(doable, DONE)
        assert [way for way in doable if not staged[way]] == []
        assert [way for way in (*refused, *LINKS, TURNING) if outcome[way] == DONE] == []
        assert [way for way in (*refused, *WITHOUT_EFFECT, *WARNED) if staged[way]] == []
        assert (outcome["planning_socket"], outcome["own_server"]) == (DONE, DONE)
        assert [staged[way] for way in LINKS] == [[f"t/{who}/{way}/link"] for way in LINKS]
        assert staged[TURNING] == [f"t/{who}/{TURNING}/turning"]
        assert [way for way, words in WARNED.items() if words.format(who=who) not in warnings] == []
        assert [bool(staged[way]) for way in LEFT_TO_THE_KERNEL] == [outcome[way] == DONE for way in LEFT_TO_THE_KERNEL]


@pytest.mark.parametrize("kind", ["overlay", "copy"])
@pytest.mark.parametrize(("asks", "lingers"), [(True, False), (False, True)], ids=["asking", "unasked"])
def test_nothing_a_hostile_agent_does_reaches_the_disk_and_all_of_it_is_accounted_for(
    furnished: AgentPlace, services: HostServices, monkeypatch: pytest.MonkeyPatch, kind: str, asks: bool, lingers: bool
) -> None:
    if kind == "copy":
        monkeypatch.setattr(factory, "_why_no_overlay", lambda workspace: "a copy was wanted")
    before = furnished.sight()
    plan = set_loose(furnished, services, asks=asks, lingers=lingers)
    furnished.assert_nothing_left()
    assert furnished.sight() == before
    shown = furnished.tandem.answer("show", plan["plan_id"])["plan"]
    assert shown["confinement"].startswith(f"confined by bubblewrap to a{'n' * (kind == 'overlay')} {kind}")
    assert set(plan["attempts"]) == set(ANSWERED)
    doable = tuple(way for way in STAGED if kind == "overlay" or way not in NOT_IN_A_COPY)
    assert_all_accounted_for(plan, doable, (*REFUSED, *IN_A_NAMESPACE))
    for outcome in plan["attempts"].values():
        assert [way for way in ("kill_first", "trace_first") if "AssertionError" in outcome[way]] == []


@pytest.mark.parametrize("user", ["root", pytest.param("ordinary", marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(
    ("asks", "lingers", "whos"),
    [
        pytest.param(False, True, ("self", BEHIND), id="few"),
        pytest.param(False, True, WHOS, id="unasked", marks=pytest.mark.exhaustive),
        pytest.param(True, False, WHOS, id="asking", marks=pytest.mark.exhaustive),
    ],
)
def test_without_namespaces_landlock_holds_a_hostile_agent_of_root_and_of_an_ordinary_user(
    request: pytest.FixtureRequest, services: HostServices, user: str, asks: bool, lingers: bool, whos: tuple[str, ...]
) -> None:
    place = request.getfixturevalue("without_namespace" if user == "root" else "of_ordinary_user")
    furnish(place, whos)
    if user == "ordinary":
        shutil.copyfile(hostile_agent.__file__, place.base / "hostile_agent.py")
        give_to_ordinary_user(place.base)
    before = place.sight()
    plan = set_loose(place, services, asks=asks, lingers=lingers, whos=whos)
    place.assert_nothing_left()
    assert place.sight() == before
    assert plan["confined"]
    assert set(plan["attempts"]) == set(whos) - {BEHIND}
    shown = place.tandem.answer("show", plan["plan_id"])["plan"]
    assert shown["confinement"].startswith("confined by Landlock ABI")
    assert shown["confinement"].endswith("the network is leashed to allowed hosts")
    doable = tuple(way for way in STAGED if way not in (*NOT_IN_A_COPY, *NOT_BY_LANDLOCK))
    assert_all_accounted_for(plan, doable, (*REFUSED, *NOT_BY_LANDLOCK, *BY_LANDLOCK))
    refused = {f"{each['host']}:{each['port']}" for each in shown["network"]["refused"]}
    assert f"127.0.0.1:{services.addresses['tcp']}" in refused


def test_where_neither_can_be_had_the_plan_is_complete_and_says_that_nothing_held_the_agent(
    place: AgentPlace, services: HostServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "bubblewrap_missing", lambda: "bubblewrap is missing")
    monkeypatch.setattr(factory, "bubblewrap_missing", lambda: "bubblewrap is missing")
    monkeypatch.setattr(sandbox, "landlock_missing", lambda: "this kernel has no Landlock")
    ways = tuple(way for way in STAGED if way not in (*NOT_IN_A_COPY, *NOT_BY_LANDLOCK, "inherited"))
    furnish(place, ANSWERED[:1])
    before = place.sight()
    plan = set_loose(place, services, asks=False, lingers=False, ways=ways, whos=ANSWERED[:1])
    assert place.sight() == before
    assert not plan["confined"]
    said = "not confined: bubblewrap is missing; this kernel has no Landlock"
    assert f"The agent was {said}." in plan["warnings"]
    assert place.tandem.answer("show", plan["plan_id"])["plan"]["confinement"] == said
    assert plan["attempts"] == {ANSWERED[0]: dict.fromkeys(ways, DONE)}
    assert [way for way in ways if not staged_in(plan, f"t/{ANSWERED[0]}/{way}")] == []


def test_what_a_hostile_agent_did_can_be_approved_and_taken_back_without_touching_anything_else(
    furnished: AgentPlace, services: HostServices
) -> None:
    tree, before = walk(furnished.root), furnished.sight()
    plan = set_loose(furnished, services, asks=False, lingers=False)
    run = furnished.approve_and_apply(plan)
    after = furnished.sight()
    elsewhere = {path for path in before if "/t/" not in path}
    assert {path: after[path] for path in elsewhere} == {path: before[path] for path in elsewhere}
    furnished.tandem.answer("undo", run)
    assert walk(furnished.root) == tree
