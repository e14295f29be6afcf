"""A planner is told which tools there are before it plans with others."""

import pytest

from tandem_desktop.domain.operations import PLAN_TOOLS, OperationKind
from tandem_desktop.policy.tools import PROGRAMS, tool_inventory
from tandem_desktop.staging.steps import STEP_TYPES


@pytest.mark.req("S3-22")
def test_the_inventory_names_every_tool_of_a_plan_and_the_programs_that_are_here() -> None:
    told = tool_inventory(which=lambda name: f"/bin/{name}" if name in ("git", "bash") else None).splitlines()
    assert told[1].startswith(f"- Steps of a plan may use: {', '.join(PLAN_TOOLS)}.")
    assert told[2] == "- Programs for `bash`, found on this machine: bash, git."
    assert set(told[3].removeprefix("- Not found: ").rstrip(".").split(", ")) == set(PROGRAMS) - {"git", "bash"}


def test_guarded_tools_are_named_where_there_are_any() -> None:
    assert "gmail_send" in tool_inventory(("gmail_send",)).splitlines()[-1]
    assert "Only through a plan" not in tool_inventory()


def test_agents_are_told_of_the_tools_that_plan_json_takes_and_every_kind_comes_from_one() -> None:
    assert set(PLAN_TOOLS) == set(STEP_TYPES)
    assert {kind.spec.tool for kind in OperationKind} <= set(PLAN_TOOLS)
