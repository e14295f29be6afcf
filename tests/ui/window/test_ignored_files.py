"""Ignored files that the agent left are counted in the window, and a tick makes a folder of them part of the plan."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tandem_desktop.domain.plan_states import PlanStatus
from tests.support.agents_on_path import put_on_path
from tests.ui.window.driver import Person

BUILD = "echo more >> README.md; mkdir -p dist node_modules; echo 1 > dist/a.js; echo 2 > node_modules/b.js"


@pytest.fixture
def person(open_window: Callable[..., Person], workspace: Path, programs: Path) -> Person:
    """Somebody whose agent has changed one file and built."""
    (workspace / ".gitignore").write_text("dist/\nnode_modules/\n")
    subprocess.run(["git", "init", "-q"], cwd=workspace, check=True)
    put_on_path(programs, "opencode", {"turns": [[{"do": "shell", "script": BUILD}]]})
    found = open_window("opencode")
    found.ask("Build it.")
    found.wait(lambda: found.status is PlanStatus.PROPOSED)
    return found


def test_a_tick_takes_a_folder_into_the_plan_as_a_revision_of_the_person(person: Person, workspace: Path) -> None:
    row = person.place.panel.operations.ignored
    assert person.operations == ["README.md"]
    assert row.words.text() == "2 ignored files in dist/ and 1 other folder are not part of the plan."
    row.menu().actions()[0].trigger()
    person.wait(lambda: person.revision == 2)
    assert person.operations == ["README.md", "dist/a.js"]
    assert row.words.text() == "1 ignored file in node_modules/ is not part of the plan."
    assert not (workspace / "dist").exists()
