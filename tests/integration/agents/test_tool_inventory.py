"""The agent hears which tools there are before its first task."""

import pytest

from tests.support.agent_runs import AgentPlace, write_by_client


@pytest.mark.req("S3-22")
def test_a_planning_agent_is_told_what_its_plan_can_count_on(place: AgentPlace) -> None:
    plan = place.plan(*place.scripted([write_by_client(place.root / "a.txt", "a\n")]))
    first = place.prompts(plan["session_id"])[0]
    assert "Steps of a plan may use: read, write, edit, bash" in first
    assert "found on this machine: " in first
