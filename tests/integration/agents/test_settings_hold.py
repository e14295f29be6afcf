"""What a person wrote into the settings file is what an agent meets."""

from pathlib import Path

import pytest

from tests.support.agent_runs import AgentPlace


@pytest.mark.setting("max_message_bytes")
@pytest.mark.parametrize(("limit", "is_heard"), [(64 * 1024, False), (1024**2, True)])
def test_a_longer_message_than_the_setting_allows_is_not_taken(place: AgentPlace, limit: int, is_heard: bool) -> None:
    place.choose(max_message_bytes=limit)
    said = place.run(*place.scripted([{"do": "say", "text": "x" * 100_000}]))
    assert ("x" * 100_000 in said.out) is is_heard


@pytest.mark.setting("agent")
def test_the_first_agent_is_the_one_in_the_settings(place: AgentPlace) -> None:
    place.choose(agent="no-such-agent")
    said = place.run()
    assert said.code == 2
    assert "no-such-agent" in said.out + said.err


@pytest.mark.setting("models")
def test_the_model_of_an_agent_is_the_one_in_the_settings(place: AgentPlace) -> None:
    (place.settings / "settings.toml").write_text('models.built-in = "nobody:small"\n')
    said = place.run(task="Say hello.")
    assert said.code != 0
    assert "nobody:small" in said.out + said.err


@pytest.mark.setting("rehearse_with_network")
@pytest.mark.parametrize("allowed", [False, True])
def test_a_rehearsed_command_has_a_network_only_where_the_settings_allow_it(place: AgentPlace, allowed: bool) -> None:
    place.choose(rehearse_with_network=allowed)
    look = {"description": "Look", "tool": "bash", "args": {"command": "readlink /proc/self/ns/net"}}
    [command] = place.tandem.answer("rehearse", place.tandem.propose(look)["plan_id"])["commands"]
    assert (str(Path("/proc/self/ns/net").readlink()) in command["output"]) is allowed


@pytest.mark.setting("on_failure")
@pytest.mark.parametrize(("policy", "stays"), [("rollback", False), ("stop", True)])
def test_what_a_failed_run_leaves_is_what_the_settings_say(place: AgentPlace, policy: str, stays: bool) -> None:
    place.choose(on_failure=policy)
    write = {"description": "Write", "tool": "write", "args": {"path": "new.txt", "content": "new\n"}}
    fail = {"description": "Fail", "tool": "bash", "args": {"command": "exit 3"}}
    plan = place.tandem.propose(write, fail)
    place.tandem.approve(plan["plan_id"])
    assert place.tandem("apply", plan["plan_id"]).code != 0
    assert (place.root / "new.txt").exists() is stays
