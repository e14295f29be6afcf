"""The list at the left: every conversation with what goes on in it, several at once, with and without a plan."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.ui.models.plans import RailRow
from tandem_desktop.ui.plan.operations_tab import Emptiness
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tests.support.agent_scripts import Steps
from tests.support.agents_on_path import put_on_path
from tests.ui.window.conftest import REPLACE
from tests.ui.window.driver import Person

Open = Callable[..., Person]
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def steps(workspace: Path) -> Steps:
    return Steps(workspace)


def listed(window: Person) -> dict[str, str]:
    """What the list says of each conversation, by its title."""
    return {row.title: row.subtitle for row in window.place.plans.entries}


def row_of(window: Person, title: str) -> RailRow:
    return next(row for row in window.place.plans.entries if row.title == title)


def click(window: Person, title: str, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
    view = window.window.rail.list
    row = window.place.plans.row_of(row_of(window, title).key)
    assert row is not None
    spot = view.visualRect(window.place.plans.index(row)).center()
    QTest.mouseClick(view.viewport(), button, pos=spot)


def choose(window: Person, title: str, words: str) -> None:
    """Choose an entry of the menu of a conversation."""
    click(window, title)
    window.go_to("plans-list")
    view = window.window.rail.list
    view.customContextMenuRequested.emit(view.visualRect(view.currentIndex()).center())
    menu = window.window.rail.findChildren(QMenu, "plan-menu")[-1]
    next(action for action in menu.actions() if action.text() == words).trigger()
    menu.close()


def send(window: Person, words: str) -> None:
    window.click("composer-text")
    window.type(words)
    window.press(Qt.Key.Key_Return)


def transcript(window: Person) -> list[str]:
    return [row.last.text for row in window.place.chat.model.rows]


def test_two_conversations_run_at_once_and_each_is_watched_answered_and_stopped_from_the_list(
    open_window: Open, programs: Path, workspace: Path, steps: Steps
) -> None:
    asks = [steps.ask_to_write("call", "one.txt", "text\n"), steps.write("one.txt", "text\n"), steps.ended("call")]
    writes = [steps.write("two.txt", "text\n"), steps.ended("call")]
    holds = [steps.say("On it."), *writes, {"do": "await_cancel"}]
    put_on_path(programs, "opencode", {"by_words": {"Write one": asks, "Write two": holds}})
    window = open_window("opencode")
    window.click("segmented-mode-immediate")
    send(window, "Write one")
    window.wait(lambda: listed(window).get("Write one") == "waiting for your answer")
    window.press(Qt.Key.Key_N, CONTROL)
    window.click("segmented-mode-plan")
    send(window, "Write two")
    window.wait(lambda: listed(window).get("Write two") == "drafting…")
    window.wait(lambda: "two.txt" in window.drafted)
    click(window, "Write one")
    window.wait(lambda: window.sees("permission-allow"))
    assert transcript(window)[0] == "Write one"
    click(window, "Write two")
    window.wait(lambda: transcript(window)[:2] == ["Write two", "On it."])
    window.wait(lambda: window.drafted == ["two.txt"])
    click(window, "Write one")
    window.wait(lambda: window.sees("permission-allow"))
    window.click("permission-allow")
    window.wait(lambda: (workspace / "one.txt").exists())
    window.wait(lambda: "completed" in listed(window).get("Edit one.txt", listed(window).get("Write one.txt", "")))
    choose(window, "Write two", "Stop the agent")
    window.wait(lambda: not window.place.turns.is_any)
    assert not (workspace / "two.txt").exists()


def test_conversation_without_a_plan_is_reached_again_after_a_new_one_and_after_a_restart_until_it_is_deleted(
    open_window: Open, programs: Path, steps: Steps
) -> None:
    dies = [{"do": "stderr", "text": "out of memory"}, {"do": "exit", "code": 3}]
    put_on_path(programs, "opencode", {"by_words": {"What is": [steps.say("A greeter.")], "Die": dies}})
    window = open_window("opencode")
    window.ask("What is this?")
    window.press(Qt.Key.Key_N, CONTROL)
    window.ask("Die now")
    window.press(Qt.Key.Key_N, CONTROL)
    window.wait(lambda: set(listed(window)) == {"What is this?", "Die now"})
    window.wait(lambda: listed(window)["Die now"].startswith("failed"))
    click(window, "What is this?")
    window.wait(lambda: transcript(window) == ["What is this?", "A greeter."])
    window.leave()
    again = open_window("opencode")
    again.window.resize(1440, 900)  # the screen of the tests is smaller, too small for the list
    again.wait(lambda: set(listed(again)) == {"What is this?", "Die now"})
    click(again, "Die now")
    again.wait(lambda: transcript(again)[:1] == ["Die now"])
    folder = again.place.background.engine.locations.sessions / again.place.session_id
    choose(again, "Die now", "Delete…")
    again.wait(lambda: again.sees("confirm-sure"))
    again.click("confirm-sure")
    again.wait(lambda: set(listed(again)) == {"What is this?"})
    assert not folder.exists()
    assert transcript(again) == []


def test_folder_in_which_a_plan_waits_opens_with_that_plan_and_never_says_that_there_is_none(
    open_window: Open, programs: Path, quick_agent: None
) -> None:
    window = open_window()
    window.ask(REPLACE)
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.press(Qt.Key.Key_N, CONTROL)
    window.leave()
    said: list[str] = []

    def note(panel: ExecutionPlanPanel, why: Emptiness = Emptiness.NO_PLAN, about: str = "") -> None:
        said.extend([why] if panel.isVisible() else [])  # not while it is built
        show_nothing(panel, why, about)

    show_nothing = ExecutionPlanPanel.show_nothing
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ExecutionPlanPanel, "show_nothing", note)
        again = open_window()
        again.wait(lambda: again.status is PlanStatus.PROPOSED)
    assert set(said) == {Emptiness.LOADING}
    assert transcript(again)[0] == REPLACE
