"""`tandem template`: a plan is kept, filled in with other words, applied and taken back."""

from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, a_workspace, write


@pytest.mark.req("S0-90")
def test_a_plan_is_kept_and_another_made_of_it_in_another_workspace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = CommandLine(a_workspace(tmp_path / "here"), capsys)
    plan = here.propose(write("api/orders.py", "ORDERS = 'orders'\n"), title="Add orders")
    kept = here.answer("template", "save", plan["plan_id"], "endpoint", "what=orders", "big=ORDERS")
    assert kept["parameters"] == [{"name": "what", "example": "orders"}, {"name": "big", "example": "ORDERS"}]
    there = CommandLine(a_workspace(tmp_path / "there"), capsys)
    listed = there.answer("template", "list")
    assert [each["title"] for each in listed["templates"]] == ["Add {{what}}"]
    assert "replace" in {each["name"] for each in listed["recipes"]}
    made = there.answer("template", "use", "endpoint", "what=bills", "big=BILLS")
    there.approve(made["plan_id"])
    run = there.answer("apply", made["plan_id"])
    assert (there.workspace / "api/bills.py").read_text() == "BILLS = 'bills'\n"
    there.answer("undo", run["run_id"])
    assert not (there.workspace / "api").exists()
    there.answer("template", "remove", "endpoint")
    assert there.answer("template", "list")["templates"] == []


def test_a_call_that_cannot_be_filled_in_ends_with_two_and_says_how_it_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tandem = CommandLine(a_workspace(tmp_path), capsys)
    plan = tandem.propose(write("orders.txt", "x\n"))
    tandem.answer("template", "save", plan["plan_id"], "endpoint", "what=orders")
    for words in (("use", "endpoint"), ("use", "endpoint", "what"), ("use", "nothing"), ("remove", "nothing")):
        said = tandem("template", *words, "--json")
        assert said.code == 2
        assert said.data["error"]["next"]
