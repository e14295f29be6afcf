"""A person has the agent told how plans are made here, in the middle of a conversation."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.agent_scripts import Steps
from tests.support.agents_on_path import put_on_path
from tests.ui.window.driver import Person


def prompts(window: Person) -> list[str]:
    record = window.place.background.engine.locations.sessions / window.place.session_id / "transcript.jsonl"
    frames = [json.loads(json.loads(line)["msg"]) for line in record.read_text().splitlines()]
    return [frame["params"]["prompt"][0]["text"] for frame in frames if frame.get("method") == "session/prompt"]


@pytest.mark.req("S0-58")
def test_planning_bundle_goes_to_the_agent_with_the_next_message(
    open_window: Callable[..., Person], programs: Path, workspace: Path
) -> None:
    put_on_path(programs, "opencode", {"turns": [[Steps(workspace).say("heard")]]})
    window = open_window("opencode")
    window.ask("add a flag")
    window.command("planning instructions")
    window.ask("and another")
    first, second = prompts(window)
    for part in ("A plan has this shape:", '"steps"', "An example:"):
        assert part in second
        assert part not in first
