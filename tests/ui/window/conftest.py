"""A window over a small real workspace, with a person in front of it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.support.agent_scripts import Steps
from tests.support.agents_on_path import put_on_path, searched
from tests.ui.window.driver import Person


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "greeter"
    folder.mkdir()
    (folder / "app.py").write_text('def greet(name):\n    return "Hello " + name\n')
    (folder / "README.md").write_text("# Hello\n\nSay Hello.\n")
    return folder


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is searched for agents before any other; settings are apart from those of this machine."""
    folder = tmp_path / "programs"
    monkeypatch.setenv("PATH", searched(folder))
    monkeypatch.setenv("TANDEM_CONFIG_DIR", str(tmp_path / "config"))
    return folder


REPLACE = "Replace Hello with Goodbye."


@pytest.fixture
def quick_agent(workspace: Path, programs: Path, tmp_path: Path) -> None:
    """An agent for tests of what comes after planning: from the standard library alone, so it starts in no time.

    Asked to `REPLACE`, it writes each file that says Hello.
    """
    steps = Steps(workspace)
    files = sorted(path for path in workspace.rglob("*") if path.is_file())
    texts = {str(path.relative_to(workspace)): path.read_text() for path in files}
    edits = [steps.write(path, text.replace("Hello", "Goodbye")) for path, text in texts.items() if "Hello" in text]
    put_on_path(programs, "opencode", {"by_words": {REPLACE: [*edits, steps.say("Done.")]}})
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "settings.toml").write_text('agent = "opencode"\n')


@pytest.fixture
def open_window(qtbot: QtBot, workspace: Path, tmp_path: Path, programs: Path) -> Iterator[Callable[..., Person]]:
    """Opens a window when called, perhaps with another agent than the built-in one."""
    opened: list[Person] = []

    def open_one(agent: str = "") -> Person:
        if agent:
            (tmp_path / "config").mkdir(exist_ok=True)
            (tmp_path / "config" / "settings.toml").write_text(f'agent = "{agent}"\n')
        opened.append(Person(qtbot, workspace, tmp_path / "window.ini"))
        return opened[-1]

    yield open_one
    for person in opened:
        if person.window.controller is not None:
            person.leave()


@pytest.fixture
def window(open_window: Callable[..., Person]) -> Person:
    return open_window()
