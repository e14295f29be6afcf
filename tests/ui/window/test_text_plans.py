"""A plan of text alone: approving it hands it back to its agent, and nothing runs."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tandem_desktop.domain.ids import new_plan_id
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus
from tests.support.agent_scripts import Steps
from tests.support.agents_on_path import put_on_path
from tests.support.tree_walker import walk
from tests.ui.window.driver import Person


def a_text_plan(window: Person) -> PlanVersion:
    engine = window.place.background.engine
    return engine.proposals.stage(
        PlanVersion(
            id="text",
            plan_id=new_plan_id(),
            session_id=window.place.session_id,
            title="Add a flag",
            content="# Add a flag\n\nWrite the flag into flag.txt.\n",
            created_at=engine.clock(),
        )
    )


def prompts(window: Person) -> list[str]:
    record = window.place.background.engine.locations.sessions / window.place.session_id / "transcript.jsonl"
    frames = [json.loads(json.loads(line)["msg"]) for line in record.read_text().splitlines()]
    return [frame["params"]["prompt"][0]["text"] for frame in frames if frame.get("method") == "session/prompt"]


@pytest.mark.req("S1-06", "S1-28")
def test_an_approved_text_plan_goes_back_to_its_agent_and_its_changes_come_as_a_revision_to_review(
    open_window: Callable[..., Person], programs: Path, workspace: Path
) -> None:
    steps = Steps(workspace)
    turn = [steps.ask_to_write("w", "flag.txt", "on\n"), steps.write("flag.txt", "on\n"), steps.ended("w")]
    put_on_path(programs, "opencode", {"turns": [turn]})
    window = open_window("opencode")
    before = walk(workspace)
    version = a_text_plan(window)
    window.place.open_plan(version.plan_id)
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.click("plan-action-approve")
    window.wait(lambda: window.sees("approval-implement"))
    assert window.place.panel.sheets.approval.said.text().startswith("This plan is text: nothing is written now.")
    window.click("approval-implement")
    window.wait(lambda: window.revision == 2 and not window.place.turns.is_any)
    assert (window.status, window.operations) == (PlanStatus.PROPOSED, ["flag.txt"])
    assert window.place.background.engine.runs.runs() == ()
    assert {path: node for path, node in walk(workspace).items() if not path.startswith(".tandem")} == before
    (prompt,) = prompts(window)
    assert "The person approved this plan, which has no operations yet: Add a flag" in prompt
    assert "Write the flag into flag.txt." in prompt
    assert "Plan mode is off" not in prompt


@pytest.mark.req("S1-25")
def test_the_first_prompt_names_the_planning_tools_the_agent_is_given_and_no_others(
    open_window: Callable[..., Person], programs: Path, workspace: Path
) -> None:
    put_on_path(programs, "opencode", {"turns": [[Steps(workspace).say("heard")]]})
    window = open_window("opencode")
    window.ask("add a flag")
    (prompt,) = prompts(window)
    given = "all that read and search, present_plan, plan_propose, plan_list, plan_get, task_update"
    assert f"AVAILABLE tools: {given}.\n" in prompt
    for tool in ("react", "web_fetch", "research_codebase", "todo_write", "submit_perspective", "submit_reflection"):
        assert tool not in prompt
