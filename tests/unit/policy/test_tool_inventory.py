"""A planner is told which tools there are before it plans with others."""

import pytest

from tandem_desktop.domain.plan import PLAN_TOOLS
from tandem_desktop.policy.tool_inventory import PROGRAMS, tool_inventory


@pytest.mark.req("S3-22")
def test_the_inventory_names_every_tool_of_a_plan_and_the_programs_that_are_here() -> None:
    told = tool_inventory(which=lambda name: f"/bin/{name}" if name in ("git", "bash") else None).splitlines()
    assert told[1].startswith(f"- Steps of a plan may use: {', '.join(PLAN_TOOLS)}.")
    assert told[2] == "- Programs for `bash`, found on this machine: bash, git."
    assert set(told[3].removeprefix("- Not found: ").rstrip(".").split(", ")) == set(PROGRAMS) - {"git", "bash"}


def test_guarded_tools_are_named_where_there_are_any() -> None:
    assert "gmail_send" in tool_inventory(("gmail_send",)).splitlines()[-1]
    assert "Only through a plan" not in tool_inventory()
