"""Whatever an agent tries, in whatever way and from whichever process, nothing outside its shadow changes."""

import json
import os
from typing import Any

import pytest

from tandem_desktop.shadow import factory
from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support.agent_runs import AgentPlace
from tests.support.agents.hostile_agent import BEHIND, DONE, WAYS
from tests.support.tree_walker import walk

WHOS = ("self", "child", "grandchild", BEHIND)
ANSWERED = WHOS[:3]
"""Those who can say what came of it; whoever stays behind is ended in the middle."""

LINKS = ("through_link_outside", "through_folder_link")
"""The link is staged, to be seen; what was to be written through it was refused."""
REFUSED = (
    *("upwards", "device", "bind", "remount", "join_parent", "kill_outside", "state_folder", "approval_key"),
    *("own_plans", "person_keys", "person_start_file", "system", "kernel"),
)
WARNED = {
    "pipe": "t/{who}/pipe/pipe cannot be staged",
    "socket": "t/{who}/socket/socket cannot be staged",
    "git_hook": "hooks/{who}-git_hook created",
    "git_settings": "config changed",
}
WITHOUT_EFFECT = ("touch", "attribute", "trace_first", "kill_first", "planning_socket")
"""Done or refused, it leaves nothing that could be approved."""
LEFT_TO_THE_KERNEL = ("nameless",)
"""Some kernels do it, then it is staged; others refuse."""
STAGED = tuple(way for way in WAYS if way not in (*LINKS, *REFUSED, *WARNED, *WITHOUT_EFFECT, *LEFT_TO_THE_KERNEL))

NOT_IN_A_COPY = ("remove_folder",)
"""A copy holds what git knows of, and git knows of no empty folders."""


@pytest.fixture
def furnished(place: AgentPlace) -> AgentPlace:
    """For every process and way a folder of its own, with content of its own."""
    if missing := bubblewrap_missing():
        pytest.skip(f"nothing holds an agent back here: {missing}")
    for who in WHOS:
        for way in WAYS:
            base = f"t/{who}/{way}"
            for name in ("file", "other", "folder/inner"):
                place.put(f"{base}/{name}", f"{name} of {who}, {way}\n")
            (place.root / base / "empty").mkdir()
    place.use_git()
    return place


def set_loose(place: AgentPlace, *, asks: bool, lingers: bool) -> dict[str, Any]:
    """One run in which everybody tries everything; its answer, with what came of each attempt as `attempts`."""
    job = {"ways": WAYS, "whos": WHOS, "asks": asks, "lingers": lingers}
    job |= {"outside": str(place.outside), "state": str(place.state), "person": str(place.person)}
    words = place.agent("hostile_agent", job)
    plan = place.plan(*words, "--env", f"HOSTILE_OUTSIDE_PID={os.getpid()}")
    return {**plan, "attempts": json.loads(plan["said"])}


def staged_in(plan: dict[str, Any], folder: str) -> list[str]:
    return [each["path"] for each in plan["operations"] if (each["path"] or "").startswith(f"{folder}/")]


@pytest.mark.parametrize("kind", ["overlay", "copy"])
@pytest.mark.parametrize(("asks", "lingers"), [(True, False), (False, True)], ids=["asking", "unasked"])
def test_nothing_a_hostile_agent_does_reaches_the_disk_and_all_of_it_is_accounted_for(
    furnished: AgentPlace, monkeypatch: pytest.MonkeyPatch, kind: str, asks: bool, lingers: bool
) -> None:
    if kind == "copy":
        monkeypatch.setattr(factory, "_why_no_overlay", lambda workspace: "a copy was wanted")
    doable = tuple(way for way in STAGED if kind == "overlay" or way not in NOT_IN_A_COPY)
    before = furnished.sight()
    plan = set_loose(furnished, asks=asks, lingers=lingers)
    furnished.assert_nothing_left()
    assert furnished.sight() == before

    warnings = "\n".join(plan["warnings"])
    shown = furnished.tandem.answer("show", plan["plan_id"])["plan"]
    assert shown["confinement"].startswith(f"confined by bubblewrap to a{'n' * (kind == 'overlay')} {kind}")
    assert staged_in(plan, f"t/{BEHIND}/{WAYS[0]}"), "whoever stays behind has begun"
    for who in ANSWERED:
        outcome, staged = plan["attempts"][who], {way: staged_in(plan, f"t/{who}/{way}") for way in WAYS}
        assert {way: outcome[way] for way in doable} == dict.fromkeys(doable, DONE)
        assert [way for way in doable if not staged[way]] == []
        assert [way for way in (*REFUSED, *LINKS) if outcome[way] == DONE] == []
        assert [way for way in (*REFUSED, *WITHOUT_EFFECT, *WARNED) if staged[way]] == []
        assert [way for way in ("kill_first", "trace_first") if "AssertionError" in outcome[way]] == []
        assert outcome["planning_socket"] == DONE
        assert [staged[way] for way in LINKS] == [[f"t/{who}/{way}/link"] for way in LINKS]
        assert [way for way, words in WARNED.items() if words.format(who=who) not in warnings] == []
        assert [bool(staged[way]) for way in LEFT_TO_THE_KERNEL] == [outcome[way] == DONE for way in LEFT_TO_THE_KERNEL]


def test_what_a_hostile_agent_did_can_be_approved_and_taken_back_without_touching_anything_else(
    furnished: AgentPlace,
) -> None:
    tree, before = walk(furnished.root), furnished.sight()
    plan = set_loose(furnished, asks=False, lingers=False)
    run = furnished.approve_and_apply(plan)
    after = furnished.sight()
    elsewhere = {path for path in before if "/t/" not in path}
    assert {path: after[path] for path in elsewhere} == {path: before[path] for path in elsewhere}
    furnished.tandem.answer("undo", run)
    assert walk(furnished.root) == tree
