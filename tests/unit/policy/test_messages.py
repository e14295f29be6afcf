"""What an agent is told about a plan is what became of it."""

import pytest

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.runs import OperationResult, ResultStatus, RunStatus
from tandem_desktop.policy import messages
from tandem_desktop.policy import messages as rejections
from tests.support.builders import a_command, a_move, a_write


def a_result(name: str, status: str, **fields: object) -> OperationResult:
    return OperationResult(id=OperationId(name), status=ResultStatus(status), **fields)  # type: ignore[arg-type]


@pytest.mark.req("S1-09")
def test_a_plan_that_is_sent_back_is_answered_with_denied_and_the_feedback() -> None:
    assert rejections.denied(" use tabs \n") == "denied: use tabs"
    told = messages.rework("use tabs")
    assert told.startswith("denied: use tabs\n")
    assert "still in Plan mode" in told


@pytest.mark.req("S1-21")
def test_a_refused_tool_is_named_as_cancelled_with_guidance_and_no_success_to_assume() -> None:
    told = rejections.cancelled_before_running("bash", "use make instead")
    assert "Tool 'bash' execution cancelled before running." in told
    assert "use make instead" in told
    assert "Do not assume the operation succeeded" in told
    assert "request updated guidance or offer alternatives" in told
    assert "no further guidance" in rejections.cancelled_before_running("bash", "  ")


@pytest.mark.req("S0-78")
def test_after_a_run_every_operation_is_told_as_it_ended() -> None:
    operations = (a_write("a.txt", id="s1"), a_command("make", id="s2"), a_move("b", "c", id="s3"))
    results = (
        a_result("s1", "completed"),
        a_result("s2", "failed", error="it ended with 2", exit_code=2, output="no rule\n"),
        a_result("s3", "skipped"),
    )
    by_person = messages.DecidedByUser(left_out=(a_write("d.txt", id="s4"),), changed=operations[:1])
    told = messages.after_run(
        operations, results, status=RunStatus.FAILED, rolled_back=False, by_person=by_person, notes="mind the tests"
    )
    for part in (
        "failed",
        "- s1 create a.txt: completed",
        "- s2 run `make`: failed (it ended with 2), exit code 2",
        "    no rule",
        "- s3 move b to c: skipped",
        "- s4 create d.txt: left out by the person",
        "- s1 create a.txt: changed by the person before it was approved",
        "The person's notes on it:\nmind the tests",
    ):
        assert part in told


@pytest.mark.req("S0-78")
def test_after_a_roll_back_nothing_is_called_completed() -> None:
    told = messages.after_run(
        (a_write("a.txt", id="s1"),), (a_result("s1", "completed"),), status=RunStatus.FAILED, rolled_back=True
    )
    assert "rolled back: the files are as before" in told
    assert "a.txt: rolled back" in told
    assert "completed" not in told


def test_every_status_of_a_run_has_its_words() -> None:
    told = {messages.after_run((), (), status=status, rolled_back=False) for status in RunStatus}
    assert len(told) == len(RunStatus)


def test_removing_and_cancelling_are_told() -> None:
    operation = a_write("a.txt", id="s1")
    assert "s1 create a.txt: left out by the person" in messages.plan_changed(messages.DecidedByUser((operation,)))
    assert "Nothing of it was applied" in messages.plan_cancelled()
    assert "a.txt" in messages.after_undo(("a.txt",), ("b.txt",))


def test_an_agent_that_stopped_is_told_the_numbers_of_its_operations() -> None:
    assert messages.go_on([3]) == "Your command was queued as operation 3, go on."
    assert messages.go_on([3, 5]) == "Your commands were queued as operations 3, 5, go on."
    assert "operation 3" in rejections.command_queued(3)
