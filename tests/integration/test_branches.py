"""Alternatives by the command line: branch from any revision, compare two branches, apply one."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import CommandLine, a_workspace, bash, write


@pytest.fixture
def tandem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(a_workspace(tmp_path), capsys)


@pytest.fixture
def plan(tandem: CommandLine) -> dict[str, Any]:
    """A plan whose second revision leaves `b.txt` out."""
    found = tandem.propose(write("a.txt", "a\n"), write("b.txt", "b\n"))
    return tandem.answer("drop", found["plan_id"], "s2")


def paths(operations: list[dict[str, Any]]) -> list[str]:
    return [each["path"] for each in operations]


def status(tandem: CommandLine) -> dict[str, str]:
    return {each["plan_id"]: each["status"] for each in tandem.answer("list")["plans"]}


def test_a_branch_from_any_revision_is_a_plan_of_its_own_that_names_its_origin(
    tandem: CommandLine, plan: dict[str, Any]
) -> None:
    before = tandem.answer("show", plan["plan_id"])
    branch = tandem.answer("branch", plan["plan_id"], "1")
    assert paths(branch["operations"]) == ["a.txt", "b.txt"]
    assert branch["revision"] == 1
    for name in ("plan_id", "session_id", "digest"):
        assert branch[name] != plan[name]
    origin = {"plan_id": plan["plan_id"], "revision": 1}
    assert branch["branched_from"] == origin
    assert tandem.answer("show", branch["plan_id"])["plan"]["branched_from"] == origin
    listed = {each["plan_id"]: each["branched_from"] for each in tandem.answer("list")["plans"]}
    assert listed == {branch["plan_id"]: origin, plan["plan_id"]: None}
    assert tandem.answer("show", plan["plan_id"]) == before


def test_two_branches_are_compared_like_two_revisions(tandem: CommandLine, plan: dict[str, Any]) -> None:
    branch = tandem.answer("branch", plan["plan_id"], "1")
    found = tandem.answer("compare", plan["plan_id"], "2", branch["plan_id"], "1")
    assert (paths(found["added"]), found["removed"], found["changed"]) == (["b.txt"], [], [])
    back = tandem.answer("compare", branch["plan_id"], "r1", plan["plan_id"].removeprefix("PLAN-")[:6], "r2")
    assert paths(back["removed"]) == ["b.txt"]


def test_the_alternatives_that_wait_give_way_to_the_one_that_is_applied(
    tandem: CommandLine, plan: dict[str, Any]
) -> None:
    one, two = (tandem.answer("branch", plan["plan_id"]) for _ in range(2))
    other = tandem.propose(write("c.txt", "c\n"))
    tandem.approve(two["plan_id"])
    tandem.approve(one["plan_id"])
    assert status(tandem)[two["plan_id"]] == "approved", "a choice is made when it is applied"
    tandem.answer("apply", one["plan_id"])
    assert status(tandem) == {
        one["plan_id"]: "completed",
        two["plan_id"]: "superseded",
        plan["plan_id"]: "superseded",
        other["plan_id"]: "proposed",
    }
    refused = tandem("apply", two["plan_id"], "--json")
    assert refused.code == 3
    again = tandem.answer("branch", two["plan_id"])
    assert paths(again["operations"]) == ["a.txt"]


def test_alternatives_stay_when_the_run_of_one_fails(tandem: CommandLine) -> None:
    failing = tandem.propose(bash("false"))
    branch = tandem.answer("branch", failing["plan_id"])
    tandem.approve(branch["plan_id"])
    assert tandem("apply", branch["plan_id"]).code == 4
    assert status(tandem)[failing["plan_id"]] == "proposed"


def test_a_branch_brings_a_long_context_along(tandem: CommandLine) -> None:
    words = {"notes": "word " * 20_000}
    first = tandem.propose(write("a.txt", "a\n"), context=words)
    branch = tandem.answer("branch", first["plan_id"])
    [name] = tandem.answer("show", branch["plan_id"])["plan"]["context"]["artifacts"]
    assert name.startswith(branch["plan_id"])
    own, first_own = (
        (tandem.workspace / ".tandem" / "artifacts" / each["plan_id"] / "r001-context.json").read_bytes()
        for each in (branch, first)
    )
    assert own == first_own


def test_a_revision_that_is_not_there_cannot_be_branched(tandem: CommandLine, plan: dict[str, Any]) -> None:
    said = tandem("branch", plan["plan_id"], "7", "--json")
    assert (said.code, said.data["error"]["kind"]) == (2, "unknown_plan")
