"""A place for an agent to work in, checked afterwards for anything it left running."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.agent_runs import AgentPlace


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[AgentPlace]:
    found = AgentPlace(tmp_path, capsys, monkeypatch)
    yield found
    found.assert_nothing_left()
