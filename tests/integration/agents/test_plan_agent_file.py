"""OpenCode finds a planner that asks in its private home, and nothing of it in the person's own places."""

import json

import frontmatter
import pytest

from tests.support.agent_runs import AgentPlace
from tests.support.agents_on_path import put_on_path, searched


@pytest.mark.req("S0-76", "S0-77")
def test_opencode_is_given_its_plan_agent_with_the_model_the_person_chose(
    place: AgentPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = place.person / ".config" / "opencode" / "opencode.json"
    config.parent.mkdir(parents=True)
    config.write_text(json.dumps({"model": "anthropic/claude-sonnet-4-5"}))
    put_on_path(place.base / "programs", "opencode", {"turns": [[{"do": "say", "text": "hello"}]]})
    monkeypatch.setenv("PATH", searched(place.base / "programs"))
    assert place.run("--agent", "opencode").data["said"] == "hello"
    made = place.state / "agents" / "opencode" / "home" / ".config" / "opencode" / "agents" / "plan.md"
    found = frontmatter.loads(made.read_text())
    assert found["mode"] == "primary"
    assert found["model"] == "anthropic/claude-sonnet-4-5"
    assert found["permission"] == {"edit": "ask", "bash": "ask"}
    assert "PLAN_CREATED" in found.content
    assert [path.name for path in config.parent.iterdir()] == ["opencode.json"]
    assert not (place.root / ".opencode").exists()
