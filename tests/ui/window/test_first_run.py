"""The first page: who is here, what each needs, and the promise kept on a sample within a minute."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, QSettings, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.acp_client.profiles import load_profiles
from tandem_desktop.app.window import load_recipes, look_for_agents, open_background
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.sessions.launch import InstalledAgents
from tandem_desktop.ui.main_window import MainWindow
from tandem_desktop.ui.shell.welcome import AgentRow
from tandem_desktop.ui.theme.theme import Theme
from tests.ui.window.walker import Walker


@pytest.fixture
def first(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    programs = tmp_path / "programs"
    programs.mkdir()
    goose = programs / "goose"
    goose.write_text("#!/bin/sh\necho goose 1.34.0\n")
    goose.chmod(0o755)
    gemini = programs / "gemini"
    gemini.symlink_to(goose)
    qwen = programs / "qwen"
    qwen.write_text("#!/usr/bin/env no-such-node\n")
    qwen.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    (tmp_path / "home" / ".config" / "goose").mkdir(parents=True)
    (tmp_path / "home" / ".config" / "goose" / "config.yaml").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TANDEM_CONFIG_DIR", str(tmp_path / "config"))
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    settings.setValue("theme", "dark")
    window = MainWindow(
        Theme(), open_background, recipes=load_recipes, settings=settings, look_for_agents=look_for_agents
    )
    qtbot.addWidget(window)
    window.show()
    window.open_workspace(None)
    qtbot.waitUntil(lambda: window.findChild(QAbstractButton, "agent-goose") is not None)
    yield window
    window.close()
    window.leave()


def words(widget: QWidget) -> str:
    return " ".join(label.text() for label in widget.findChildren(QLabel))


def is_usable(window: MainWindow, name: str) -> bool:
    return any(each.isVisible() and each.isEnabled() for each in window.findChildren(QAbstractButton, name))


def click(window: MainWindow, name: str) -> None:
    button = next(each for each in window.findChildren(QAbstractButton, name) if each.isVisible())
    while button.height() == 0:  # rows that were just unfolded get their room a moment later
        QApplication.processEvents()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_every_agent_is_named_with_what_it_needs_and_found_ones_with_their_version(first: MainWindow) -> None:
    shown = words(first.welcome)
    assert "1.34.0" in shown
    assert shown.count("Ready · ") == 1
    assert shown.count("Not logged in, and no key was found · ") == 1
    assert "TANDEM_MODEL" not in shown
    missing = next(each for each in load_profiles() if each.name == "codex")
    assert missing.title not in shown
    click(first, "welcome-missing")
    shown = words(first.welcome)
    assert f"Install it with: {missing.install}" in shown
    for profile in load_profiles():
        assert profile.title in shown


def test_agent_whose_interpreter_is_gone_is_not_called_ready_and_says_what_to_install(first: MainWindow) -> None:
    row = next(each for each in first.findChildren(AgentRow) if each.button.objectName() == "agent-qwen")
    assert "cannot start no-such-node, which runs it, was not found. Install that, or install Qwen Code" in words(row)
    click(first, "agent-qwen")
    assert "qwen" in QGuiApplication.clipboard().text()
    assert first.controller is None


def test_command_that_installs_an_agent_is_copied(first: MainWindow) -> None:
    click(first, "welcome-missing")
    click(first, "agent-codex")
    assert "codex" in QGuiApplication.clipboard().text()
    assert first.toast.text.startswith("Copied: ")


def test_what_is_shown_first_stays_where_it_is_when_agents_are_found(first: MainWindow) -> None:
    shown = (first.welcome.folder, first.welcome.sample, first.welcome.built_in, first.welcome.command)
    before = [each.mapTo(first, QPoint()) for each in shown]
    here = look_for_agents()
    first.welcome.show_agents(InstalledAgents((), here.confinement))
    QCoreApplication.processEvents()
    assert [each.mapTo(first, QPoint()) for each in shown] == before


def test_patch_is_reviewed_in_the_folder_that_is_chosen_for_it(
    first: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "notes.txt").write_text("one\n")
    patch = "--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-one\n+two\n"
    (tmp_path / "fix.patch").write_text(patch)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "fix.patch"), ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path / "project"))
    click(first, "welcome-patch")
    place = first.controller
    assert place is not None
    qtbot.waitUntil(lambda: place.panel.page is not None)
    assert place.panel.page is not None
    assert [view.operation.path for view in place.panel.page.views] == ["notes.txt"]


def type_into(window: MainWindow, name: str, text: str) -> None:
    QTest.keyClicks(window.findChild(QLineEdit, name), text)


def is_offered(window: MainWindow, name: str) -> bool:
    """Whether the first page has a button of this agent; those of rows that were replaced are hidden."""
    return any(each.isVisible() for each in window.findChildren(QAbstractButton, f"agent-{name}"))


def test_agent_added_by_its_command_is_offered_at_once_until_it_is_removed(
    first: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    own = tmp_path / "programs" / "my-agent"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    click(first, "welcome-command")
    type_into(first, "own-agent-command", "my-agent --acp")
    type_into(first, "own-agent-title", "My agent")
    type_into(first, "own-agent-variables", "MY_AGENT_KEY, OTHER_KEY")
    click(first, "own-agent-add")
    qtbot.waitUntil(lambda: is_offered(first, "my-agent"))
    fields = [first.findChild(QLineEdit, f"own-agent-{name}") for name in ("command", "title", "variables", "files")]
    tops = [each.mapTo(first, QPoint()).y() for each in fields]
    assert all(above + fields[0].height() < below for above, below in pairwise(tops)), (
        "a row pushes no field over another"
    )
    added = next(each for each in load_profiles() if each.name == "my-agent")
    assert (added.title, added.command, added.env) == (
        "My agent",
        ("my-agent", "--acp"),
        ("MY_AGENT_KEY", "OTHER_KEY"),
    )
    type_into(first, "own-agent-command", "my-agent --acp")
    type_into(first, "own-agent-title", "My agent")
    click(first, "own-agent-add")
    said = first.findChild(QLabel, "own-agent-said")
    assert "already" in said.text()
    assert "tandem agents" not in said.text(), "a window gives no advice of the command line"
    click(first, "own-agent-remove-my-agent")
    qtbot.waitUntil(lambda: not is_offered(first, "my-agent"))
    assert "my-agent" not in {each.name for each in load_profiles()}


@pytest.mark.setting("agent_command")
def test_command_of_the_settings_is_offered_as_an_agent_until_it_is_removed(
    first: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    own = tmp_path / "programs" / "my-agent"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    (tmp_path / "config").mkdir()
    settings = tmp_path / "config" / "settings.toml"
    settings.write_text('agent_command = "my-agent --acp"\n')
    first.open_workspace(None)
    qtbot.waitUntil(lambda: is_offered(first, "custom"))
    click(first, "welcome-command")
    click(first, "own-agent-remove-custom")
    qtbot.waitUntil(lambda: not is_offered(first, "custom"))
    assert "my-agent" not in settings.read_text()


def test_what_needs_a_workspace_is_not_offered_before_there_is_one(first: MainWindow) -> None:
    assert not first.top.mode.isVisible()
    assert not first.top.agent.isVisible()


def test_sample_is_planned_applied_and_undone_by_five_actions(first: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text('agent = "goose"\n')  # recipes are the built-in agent's
    click(first, "welcome-sample")
    place = first.controller
    assert place is not None
    assert place.plan_mode
    root = place.background.engine.locations.workspace
    greeting = (root / "greeter" / "greeting.py").read_text()
    qtbot.waitUntil(lambda: place.panel.page is not None and not place.turns.is_any)
    assert place.panel.page is not None
    assert place.panel.page.meta.status is PlanStatus.PROPOSED
    assert (root / "greeter" / "greeting.py").read_text() == greeting
    plan_id, plans = place.panel.page.version.plan_id, place.background.engine.plans
    QTest.keyClick(place.chat.composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: is_usable(first, "approval-implement"))
    click(first, "approval-implement")
    qtbot.waitUntil(lambda: plans.meta(plan_id).status is PlanStatus.COMPLETED)
    assert (root / "greeter" / "greeting.py").read_text() != greeting
    first.actions_.do("undo")
    qtbot.waitUntil(lambda: is_usable(first, "undo-confirm"))
    click(first, "undo-confirm")
    qtbot.waitUntil(lambda: plans.meta(plan_id).status is PlanStatus.UNDONE)
    assert (root / "greeter" / "greeting.py").read_text() == greeting


def test_everything_on_the_first_page_can_be_named_and_read(first: MainWindow) -> None:
    look = Walker(first, "dark")
    look.look("first page")
    assert look.complaints() == set()
