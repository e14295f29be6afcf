"""`tandem stats` and `tandem rate`: figures counted from what is stored, each beside its aim."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import CommandLine, a_workspace, bash, edit, write


@pytest.fixture
def tandem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(a_workspace(tmp_path), capsys)


def metric(tandem: CommandLine, name: str) -> dict[str, Any]:
    return next(each for each in tandem.answer("stats")["metrics"] if each["name"] == name)


def a_step(tool: str) -> dict[str, Any]:
    return {"description": "?", "tool": tool, "args": {}}


def test_without_plans_there_is_nothing_to_count(tandem: CommandLine) -> None:
    assert all(each["value"] is None and each["met"] is None for each in tandem.answer("stats")["metrics"])
    assert "nothing to count" in tandem("stats").out


@pytest.mark.req("S0-79")
def test_completion_counts_plans_carried_out_of_those_that_ended(tandem: CommandLine) -> None:
    for number in range(4):
        tandem.apply(write(f"{number}.txt", "x"))
    assert metric(tandem, "completion_rate") == {
        "name": "completion_rate",
        "value": 1.0,
        "aim": "above",
        "target": 0.8,
        "met": True,
    }
    tandem.answer("cancel", tandem.propose(write("a", "x"))["plan_id"])
    tandem.propose(write("b", "x"))  # waits, and is not counted
    found = metric(tandem, "completion_rate")
    assert (found["value"], found["met"]) == (0.8, False)


@pytest.mark.req("S0-80")
def test_a_persons_own_revisions_are_not_counted(tandem: CommandLine) -> None:
    plan_id = tandem.propose(write("a", "x"), write("b", "x"), write("c", "x"))["plan_id"]
    tandem.answer("drop", plan_id, "s1")
    tandem.answer("drop", plan_id, "s2")
    tandem.answer("restore", plan_id, "1")
    found = metric(tandem, "revisions_per_plan")
    assert (found["value"], found["target"], found["met"]) == (1.0, 2.0, True)


@pytest.mark.req("S0-81")
def test_operations_that_failed_lower_the_success_rate(tandem: CommandLine) -> None:
    tandem.apply(*(write(f"{number}.txt", "x") for number in range(9)))
    plan_id = tandem.propose(bash("exit 3"))["plan_id"]
    tandem.approve(plan_id)
    assert tandem("apply", plan_id).code == 4
    found = metric(tandem, "operation_success_rate")
    assert (found["value"], found["target"], found["met"]) == (0.9, 0.95, False)


@pytest.mark.req("S0-82")
def test_the_mean_of_the_last_ratings_is_the_satisfaction(tandem: CommandLine) -> None:
    first, second = (tandem.propose(write(name, "x"))["plan_id"] for name in ("a", "b"))
    tandem.answer("rate", first, "1")
    assert tandem.answer("rate", first, "5") == {"plan_id": first, "rating": 5}
    tandem.answer("rate", second, "4")
    found = metric(tandem, "satisfaction")
    assert (found["value"], found["target"], found["met"]) == (4.5, 4.5, False)
    assert tandem.answer("show", first)["plan"]["rating"] == 5
    assert tandem.answer("stats")["rated"] == 2


@pytest.mark.parametrize("rating", ["0", "6", "x", "-1"])
def test_what_is_no_rating_is_refused(tandem: CommandLine, rating: str) -> None:
    plan_id = tandem.propose(write("a", "x"))["plan_id"]
    assert tandem("rate", plan_id, rating).code == 2
    assert tandem.answer("show", plan_id)["plan"]["rating"] is None


def test_a_rating_changes_nothing_about_a_waiting_approval(tandem: CommandLine) -> None:
    plan_id = tandem.propose(write("a", "x"))["plan_id"]
    tandem.approve(plan_id)
    tandem.answer("rate", plan_id, "3")
    assert tandem.answer("apply", plan_id)["status"] == "completed"


@pytest.mark.req("S0-83")
def test_ten_operations_are_timed_from_the_runs(tandem: CommandLine) -> None:
    tandem.apply(*(write(f"{number}.txt", "x") for number in range(10)))
    found = metric(tandem, "seconds_for_ten_operations")
    assert found["target"] == 30.0
    assert found["met"] is True


@pytest.mark.req("S3-48")
def test_tools_that_were_wanted_and_are_not_there_are_counted(tandem: CommandLine) -> None:
    for tool in ("deploy", "deploy", "rm"):
        assert tandem("propose", tandem.write_plan(a_step(tool))).code == 2
    plan_id = tandem.propose(bash("no-such-program --now"), edit("notes.txt", "two", "TWO"))["plan_id"]
    tandem.approve(plan_id)
    assert tandem("apply", plan_id).code == 4
    assert tandem.answer("stats")["tool_gaps"] == [
        {"tool": "deploy", "count": 2},
        {"tool": "rm", "count": 1},
        {"tool": "no-such-program", "count": 1},
    ]
    assert "Tools that were wanted and are not there" in tandem("stats").out


def test_the_gaps_of_one_workspace_are_not_those_of_another(
    tandem: CommandLine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tandem("propose", tandem.write_plan(a_step("deploy")))
    other = CommandLine(a_workspace(tmp_path / "other"), capsys)
    assert other.answer("stats")["tool_gaps"] == []
