"""The hosts of an agent come from its profile, its model's address and its person, and can be allowed while it runs."""

import shlex
import sys
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tandem_desktop.acp_client.profiles import custom_profile
from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import new_session_id
from tandem_desktop.sessions.manager import AgentSessions
from tandem_desktop.settings import Settings
from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support.sidecars import AGENTS

pytestmark = pytest.mark.skipif(bool(bubblewrap_missing()), reason="nothing can be confined here")


def an_agent(**fields: object) -> AgentProfile:
    command = [sys.executable, "-S", "-E", str(AGENTS / "scripted_agent.py"), "{}"]
    return custom_profile(shlex.join(command)).model_copy(update=fields)


@asynccontextmanager
async def opened(folder: Path, settings: Settings) -> AsyncIterator[AgentSessions]:
    (folder / "ws").mkdir()
    (folder / "home").mkdir()
    engine = build_engine(folder / "ws", state=folder / "state")
    sessions = AgentSessions(engine, settings, engine.clock, person_home=folder / "home")
    try:
        yield sessions
    finally:
        await sessions.close()
        engine.close()


async def test_hosts_come_from_profile_environment_configuration_and_settings(tmp_path: Path) -> None:
    config = tmp_path / "home/.config/agent.json"
    settings = Settings(network_hosts={"all": ("all.example",), "custom": ("mine.example:8443",), "x": ("no.example",)})
    async with opened(tmp_path, settings) as sessions:
        config.parent.mkdir(parents=True)
        config.write_text('{"$schema": "https://schema.example/x", "options": {"baseURL": "http://127.0.0.1:4010/v1"}}')
        profile = an_agent(hosts=("api.example",), credentials=(".config/agent.json",), env=("A_BASE_URL", "A_KEY"))
        environment = {"A_BASE_URL": "https://model.example/v1", "A_KEY": "https://key.example"}
        session = await sessions.open(profile, extra_environment=environment)
        assert session.network.report().allowed == (
            "api.example",
            "model.example:443",
            "127.0.0.1:4010",
            "all.example",
            "mine.example:8443",
        )


@pytest.mark.parametrize("name", ["base_url", "openai_base_url"])
async def test_the_address_of_a_model_is_found_under_each_name_codex_has_for_it(tmp_path: Path, name: str) -> None:
    config = tmp_path / "home/.config/agent.toml"
    async with opened(tmp_path, Settings()) as sessions:
        config.parent.mkdir(parents=True)
        config.write_text(f'{name} = "http://127.0.0.1:4010/v1"\n')
        session = await sessions.open(an_agent(credentials=(".config/agent.toml",)))
        assert session.network.report().allowed == ("127.0.0.1:4010",)


async def test_what_the_agent_leaves_in_its_home_allows_it_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path, Settings()) as sessions:
        profile = an_agent(credentials=(".config/agent.json",))
        first = await sessions.open(profile)
        homes = list((tmp_path / "state/agents").glob("*/home"))
        await first.close()
        planted = homes[0] / ".config/agent.json"
        planted.parent.mkdir()
        planted.write_text('{"baseURL": "https://evil.example"}')
        assert (await sessions.open(profile)).network.report().allowed == ()


async def test_a_host_allowed_once_is_reached_by_the_agent_that_runs_and_by_the_next_of_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TANDEM_CONFIG_DIR", str(tmp_path / "config"))
    async with opened(tmp_path, Settings()) as sessions:
        session = await sessions.open(an_agent(), session_id=(own := new_session_id()), new=True)
        await sessions.allow_hosts(own, ("docs.example", "127.0.0.1:4010"))
        assert session.network.report().allowed == ("docs.example", "127.0.0.1:4010")
        await sessions.slot(own).leave()
        again = await sessions.open(an_agent(), session_id=own)
        assert again.network.report().allowed == ("docs.example", "127.0.0.1:4010")
        other = await sessions.open(an_agent())
        assert other.network.report().allowed == ()
    assert not (tmp_path / "config").exists()


async def test_a_host_allowed_for_an_agent_is_kept_in_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TANDEM_CONFIG_DIR", str(tmp_path / "config"))
    async with opened(tmp_path, Settings()) as sessions:
        session = await sessions.open(an_agent())
        await sessions.allow_hosts(session.id, ("docs.example",), "custom")
        assert session.network.report().allowed == ("docs.example",)
        assert (await sessions.open(an_agent())).network.report().allowed == ("docs.example",)
        with pytest.raises(BadInputError, match="names no host"):
            await sessions.allow_hosts(session.id, ("no host",), "custom")
    kept = tomllib.loads((tmp_path / "config/settings.toml").read_text())
    assert kept == {"network_hosts": {"custom": ["docs.example"]}}
