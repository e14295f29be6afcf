"""A window over a small real workspace, with a person in front of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.ui.window.driver import Person


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "greeter"
    folder.mkdir()
    (folder / "app.py").write_text('def greet(name):\n    return "Hello " + name\n')
    (folder / "README.md").write_text("# Hello\n\nSay Hello.\n")
    return folder


@pytest.fixture
def window(qtbot: QtBot, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Person]:
    monkeypatch.setenv("TANDEM_CONFIG_DIR", str(tmp_path / "config"))
    found = Person(qtbot, workspace, tmp_path / "window.ini")
    yield found
    found.leave()
