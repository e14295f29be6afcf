"""Agents without a login: each says that it wants one, and how; for Codex a key in the environment is one."""

import pytest

from tests.support import npm_agents
from tests.support.agent_runs import AgentPlace, kinds_and_paths
from tests.support.scripted_model import ScriptedModel

pytestmark = pytest.mark.agents


@pytest.mark.parametrize(
    ("agent", "offers", "how"),
    [
        ("codex", "API Key", "codex login"),
        ("droid", "Factory API Key", "FACTORY_API_KEY"),
        ("auggie", "auggie login", "auggie login"),
        ("qoder", "qodercli login", "qodercli login"),
    ],
)
def test_an_agent_without_its_login_says_how_to_log_in_and_changes_nothing(
    agent: str, offers: str, how: str, place: AgentPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm_agents.require_installed(agent)
    monkeypatch.setenv("PATH", npm_agents.search_path(agent))
    before = place.sight()
    data = place.run("--agent", agent).data
    place.assert_nothing_left()
    assert place.sight() == before
    assert (data["confined"], data["error"]["kind"]) == (True, "agent_login")
    assert offers in data["error"]["message"]
    assert how in data["error"]["next"]


def test_codex_logs_in_with_the_key_in_the_environment(place: AgentPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    npm_agents.require_installed("codex")
    monkeypatch.setenv("PATH", npm_agents.search_path("codex"))
    monkeypatch.setenv("OPENAI_API_KEY", "the-key")
    with ScriptedModel() as model:
        settings = place.person / ".codex" / "config.toml"
        settings.parent.mkdir()
        settings.write_text(f'model = "gpt-5.5"\nopenai_base_url = "{model.openai_url}"\n')
        plan = place.plan("--agent", "codex", task=f"Mend it. [[scenario:edit]] [[cwd:{place.root}]]")
    assert kinds_and_paths(plan) == [("modify", "app.py")]
    assert {each.headers.get("authorization") for each in model.requests} == {"Bearer the-key"}
