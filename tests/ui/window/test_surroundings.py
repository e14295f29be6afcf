"""What stands around the panes: words about what has just happened, the branch, how texts are written."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QWidget

from tandem_desktop.domain.plan_states import PlanStatus
from tests.support.agents_on_path import put_on_path
from tests.ui.window.driver import Person


def place_of(window: Person, name: str) -> QRect:
    widget = window.find(name)
    return QRect(widget.mapTo(window.window, QPoint(0, 0)), widget.size())


def words_of(window: Person, name: str) -> str:
    widget = window.find(name)
    assert isinstance(widget, QLabel)
    return widget.text()


def a_finished_undo(window: Person, workspace: Path) -> None:
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.click("plan-action-approve")
    window.wait(lambda: window.sees("approval-implement"))
    window.click("approval-implement")
    window.wait(lambda: window.status is PlanStatus.COMPLETED)
    window.wait(lambda: window.sees("note-undo"))
    window.click("note-undo")
    window.wait(lambda: window.sees("undo-confirm"))
    window.click("undo-confirm")
    window.wait(lambda: "Undone" in window.window.toast.text)
    assert "Hello" in (workspace / "README.md").read_text()


def test_words_about_what_happened_cover_neither_the_composer_nor_a_button(window: Person, workspace: Path) -> None:
    a_finished_undo(window, workspace)
    names = ("composer", "plan-action-buttons", "plan-footer", "top-bar", "plans-rail", "status-line")
    window.wait(lambda: not any(place_of(window, "toast").intersects(place_of(window, name)) for name in names))
    window.go_to("toast-dismiss")
    window.press(Qt.Key.Key_Escape)
    assert not window.sees("toast")


def test_conversation_offers_to_bring_an_undone_run_back_and_no_longer_to_undo_it(
    window: Person, workspace: Path
) -> None:
    a_finished_undo(window, workspace)
    window.wait(lambda: ways_back(window) == ["Redo"])
    window.click("note-undo")
    window.wait(lambda: "Goodbye" in (workspace / "README.md").read_text())
    window.wait(lambda: "Undo" in ways_back(window))


def ways_back(window: Person) -> list[str]:
    found = window.window.findChildren(QWidget, "note-undo")
    return [each.accessibleName() for each in found if each.isVisible()]


def test_current_operation_tells_how_its_text_is_written(window: Person, workspace: Path) -> None:
    (workspace / "notes.txt").write_bytes(b"Hello\r\nthere\r\n")
    window.ask("/replace Hello Goodbye --in notes.txt")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.place.panel.operations.list.setFocus()
    window.press(Qt.Key.Key_Down)
    window.wait(lambda: words_of(window, "status-encoding") == "UTF-8 · CRLF")


def test_agent_whose_interpreter_is_gone_is_neither_offered_nor_called_ready(
    programs: Path, open_window: Callable[..., Person]
) -> None:
    put_on_path(programs, "opencode", {}, first_line="#!/usr/bin/env no-such-node")
    person = open_window()
    person.click("agent-button")
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    offered = {action.text(): action.isEnabled() for action in menu.actions()}
    menu.close()
    assert offered["OpenCode — no-such-node, which runs it, was not found"] is False
    assert offered["Built-in agent"] is True
    person.place.agents.choose("opencode")  # as a window does that was closed with it
    assert words_of(person, "status-agent") == "OpenCode cannot start: no-such-node was not found"


def test_agent_of_the_settings_that_is_not_installed_is_named_and_another_can_be_chosen(
    open_window: Callable[..., Person],
) -> None:
    window = open_window("goose")
    window.wait(lambda: "Goose is not installed here" in window.window.toast.text)
    window.click("toast-action")
    menu = window.window.top.findChild(QMenu, "agent-menu")
    assert menu is not None
    assert "Built-in agent" in [action.text() for action in menu.actions() if action.isEnabled()]
    menu.close()
