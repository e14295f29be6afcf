"""What tests of orchestration share: an engine over an empty workspace in memory, and one that agents work in."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.services.engine import Engine
from tandem_desktop.sessions.manager import AgentSessions
from tandem_desktop.settings import Settings
from tests.support.agent_scripts import Steps


@pytest.fixture
def root(memory_path: Path) -> Path:
    folder = memory_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def engine(root: Path, memory_path: Path) -> Iterator[Engine]:
    made = build_engine(root, state=memory_path / "state")
    yield made
    made.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Where agents work: on a disk, as shadows are."""
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "a.txt").write_text("old\n")
    return folder


@pytest.fixture
def session_settings() -> Settings:
    return Settings()


@pytest.fixture
async def sessions(
    workspace: Path, engine: Engine, tmp_path: Path, session_settings: Settings
) -> AsyncIterator[AgentSessions]:
    """Of an `engine` over `workspace`."""
    (tmp_path / "home").mkdir()
    opened = AgentSessions(engine, session_settings, engine.clock, person_home=tmp_path / "home")
    yield opened
    await opened.close()


@pytest.fixture
def steps(workspace: Path) -> Steps:
    return Steps(workspace)
