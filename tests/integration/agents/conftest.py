"""A place for an agent to work in, checked afterwards for anything it left running."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.shadow.landlock import landlock_missing
from tests.support import without_namespaces
from tests.support.agent_runs import AgentPlace
from tests.support.command_line import ChildCommandLine


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[AgentPlace]:
    found = AgentPlace(tmp_path, capsys, monkeypatch)
    yield found
    found.assert_nothing_left()


@pytest.fixture
def without_namespace(place: AgentPlace, capsys: pytest.CaptureFixture[str]) -> AgentPlace:
    """The kernel refuses every namespace to Tandem and all it starts."""
    if missing := landlock_missing():
        pytest.skip(missing)
    forbidding = (sys.executable, without_namespaces.__file__)
    place.tandem = ChildCommandLine(place.root, capsys, (*forbidding, sys.executable, "-m", "tandem_desktop"))
    return place


@pytest.fixture(params=["namespace", pytest.param("Landlock", marks=pytest.mark.exhaustive)])
def held_place(request: pytest.FixtureRequest, place: AgentPlace) -> AgentPlace:
    """A place whose agents a namespace holds, or Landlock."""
    if request.param == "Landlock":
        request.getfixturevalue("without_namespace")
    return place
