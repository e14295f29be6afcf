"""Agents whose model no script can play here: they start, are greeted and open a session, confined, and no more."""

from typing import Any

import pytest

from tests.support import npm_agents
from tests.support.agent_runs import AgentPlace
from tests.support.scripted_model import ScriptedModel

pytestmark = pytest.mark.agents


def opened(place: AgentPlace, agent: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The answer of a run that is stopped because no model answers; nothing has changed outside the shadow."""
    with ScriptedModel() as model:
        npm_agents.require(agent, place, model, monkeypatch)
        before = place.sight()
        said = place.run("--agent", agent, "--timeout", "30")
    place.assert_nothing_left()
    assert place.sight() == before
    assert said.data["confined"]
    return said.data


def test_gemini_opens_a_session_in_the_mode_in_which_it_asks(
    place: AgentPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = opened(place, "gemini", monkeypatch)
    assert data["error"]["kind"] == "agent_timeout"
    answers = place.messages(data["session_id"])
    modes = {mode["id"] for mode in answers[1]["result"]["modes"]["availableModes"]}
    assert {"default", "autoEdit", "yolo", "plan"} <= modes
    assert answers[1]["result"]["modes"]["currentModeId"] == "default"


def test_codex_says_that_it_wants_a_login(place: AgentPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    data = opened(place, "codex", monkeypatch)
    assert data["error"]["kind"] == "agent_login"
    assert "API Key" in data["error"]["message"]
    assert "codex login" in data["error"]["next"]
