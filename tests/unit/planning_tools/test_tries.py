"""An agent that cannot get it right is told how often it may still try, and then to stop."""

import pytest

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.planning_tools.tools import RetryBudget

WRONG = BadInputError("`title` is missing.", next="Correct it.")


@pytest.mark.req("S1-22")
@pytest.mark.parametrize("limit", [1, 2, 3, 5])
def test_every_failure_says_how_many_tries_are_left_and_the_last_one_is_final(limit: int) -> None:
    tries = RetryBudget(limit)
    for left in range(limit - 1, 0, -1):
        tries.refuse_when_used_up("present_plan")
        assert f"`title` is missing. {left} tr" in tries.failed("present_plan", WRONG).message
    last = tries.failed("present_plan", WRONG)
    assert f"the last of {limit} tries" in last.message
    assert "tell the person" in last.next
    with pytest.raises(BadInputError, match="takes no more calls"):
        tries.refuse_when_used_up("present_plan")


def test_each_tool_is_counted_for_itself() -> None:
    tries = RetryBudget(1)
    tries.failed("present_plan", WRONG)
    tries.refuse_when_used_up("plan_propose")


def test_a_call_that_fits_gives_all_tries_back() -> None:
    tries = RetryBudget(2)
    tries.failed("present_plan", WRONG)
    tries.succeeded("present_plan")
    assert "1 try is left" in tries.failed("present_plan", WRONG).message


def test_a_new_turn_gives_all_tries_back() -> None:
    tries = RetryBudget(1)
    tries.failed("present_plan", WRONG)
    tries.start_again()
    tries.refuse_when_used_up("present_plan")


def test_where_turns_are_not_seen_the_count_begins_anew_after_the_last_refusal() -> None:
    tries = RetryBudget(2, sees_turns=False)
    tries.failed("plan_propose", WRONG)
    assert "the last of 2 tries" in tries.failed("plan_propose", WRONG).message
    tries.refuse_when_used_up("plan_propose")
    assert "1 try is left" in tries.failed("plan_propose", WRONG).message
