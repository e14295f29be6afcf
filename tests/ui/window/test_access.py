"""Every part of the window can be named, reached and read: in every pane, sheet and state, theme and width."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox

from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import ResultStatus
from tandem_desktop.ui.window_frame import SMALLEST
from tests.support.agent_scripts import Steps
from tests.support.agents_on_path import put_on_path
from tests.support.command_line import CommandLine, bash, edit, write
from tests.ui.window.driver import Person
from tests.ui.window.walker import Walker

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
NARROW = (900, SMALLEST[0])
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def tandem(workspace: Path, programs: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(workspace, capsys)


def walker(person: Person) -> Walker:
    return Walker(person.window, person.theme.name)


@contextmanager
def sheet(person: Person, ask: Callable[[], None], shown: str) -> Iterator[None]:
    ask()
    person.wait(lambda: person.sees(shown))
    yield
    for _ in range(2):  # a field that holds words is emptied first
        if person.sees(shown):
            person.press(Qt.Key.Key_Escape)
    person.wait(lambda: not person.sees(shown))


def sheets(person: Person) -> tuple[tuple[str, Callable[[], None], str], ...]:
    """What lies over the window while a plan is reviewed: its name, how one gets there, and what is there then."""

    def edit_file() -> None:
        person.place.panel.operations.list.setFocus()
        person.press(Qt.Key.Key_Home)
        person.press(Qt.Key.Key_E)

    return (
        ("approval", lambda: person.press(Qt.Key.Key_I, CONTROL | SHIFT), "approval-back"),
        ("rework", lambda: person.press(Qt.Key.Key_R, CONTROL | SHIFT), "rework-back"),
        ("cancel", lambda: person.command("cancel the plan"), "confirm-back"),
        ("edit", edit_file, "edit-sheet"),
        ("palette", lambda: person.press(Qt.Key.Key_P, CONTROL | SHIFT), "palette-search"),
        ("keys", lambda: person.press(Qt.Key.Key_F1), "keys-search"),
        ("log", lambda: person.command("show the log"), "log-search"),
        ("about", lambda: person.command("about tandem"), "about-close"),
        ("what is new", lambda: person.command("what is new"), "news-close"),
        ("settings", lambda: person.command("settings"), "settings-close"),
        ("going back", lambda: person.command("go back to your last"), "back-sheet"),
    )


def tabs(person: Person) -> Iterator[str]:
    bar = person.place.panel.tabs.bar
    for number in [at for at in range(bar.count()) if bar.isTabVisible(at)]:
        bar.setFocus()
        person.press(Qt.Key.Key_Right if number else Qt.Key.Key_Home)
        assert bar.currentIndex() == number
        yield f"tab {bar.tabText(number)}"
    bar.setFocus()
    person.press(Qt.Key.Key_Home)


def test_everything_can_be_named_reached_and_read_while_a_plan_is_reviewed(window: Person) -> None:
    look = walker(window)
    look.look("no plan yet")
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    look.look("review")
    look.squeeze("review", *NARROW)
    for tab in tabs(window):
        look.look(tab)
    for name, ask, shown in sheets(window):
        with sheet(window, ask, shown):
            look.look(name)
            look.squeeze(name, *NARROW)
            if name != "palette":  # one field and its list, which the arrows walk
                # Where files are written Tab writes one; the way back leads on all the same.
                look.tab_through(name, window, backwards=name == "edit")
    window.press(Qt.Key.Key_F, CONTROL)
    look.look("filter")
    window.click("composer-text")
    window.type("/")
    look.look("completion")
    assert look.complaints() == set()


def test_everything_can_be_named_reached_and_read_from_two_revisions_to_a_run_and_its_undo(
    tandem: CommandLine, open_window: Callable[..., Person], workspace: Path, tmp_path: Path
) -> None:
    waits = f"echo waiting; while [ ! -e {tmp_path}/gate ]; do sleep 0.05; done"
    greet = edit("app.py", "Hello", "Goodbye", rationale="Say it the other way")
    plan = tandem.propose(greet, bash(waits), write("a.txt", "a\n"), write("b.txt", "b\n"))
    tandem.answer("drop", plan["plan_id"], "s4")
    person = open_window()
    person.wait(lambda: bool(person.place.plans.plans))
    person.press(Qt.Key.Key_1, CONTROL)
    person.wait(lambda: person.sees("plan-compare"))
    look = walker(person)
    person.click("plan-compare")
    person.wait(lambda: person.sees("banner-compare"))
    look.look("compared")
    with sheet(person, lambda: person.click("banner-compare"), "compare-back"):
        look.look("comparison")
        look.squeeze("comparison", *NARROW)
        look.tab_through("comparison", person)
    before = (workspace / "app.py").read_text()
    (workspace / "app.py").write_text(before.replace("Hello", "Hi"))
    person.wait(lambda: person.sees("banner-rebase"))
    look.look("drifted")
    look.squeeze("drifted", *NARROW)
    with sheet(person, lambda: person.click("banner-rebase"), "merge-take-disk"):
        look.look("merge")
        look.squeeze("merge", *NARROW)
        look.tab_through("merge", person, backwards=True)
    (workspace / "app.py").write_text(before)
    person.wait(lambda: person.sees("plan-action-approve"))
    person.click("plan-action-approve")
    person.wait(lambda: person.sees("approval-back"))
    look.look("approval of what is flagged")
    look.squeeze("approval of what is flagged", *NARROW)
    for box in [each for each in person.window.findChildren(QCheckBox) if each.isVisible()]:
        person.click(box.objectName())
    person.wait(lambda: person.sees("approval-implement"))
    person.click("approval-implement")
    person.wait(lambda: ResultStatus.RUNNING in person.progress)
    for tab in tabs(person):
        look.look(f"running, {tab}")
    look.squeeze("running", *NARROW)
    person.click("plan-pause")
    (tmp_path / "gate").touch()
    person.wait(lambda: person.find("plan-pause").property("text") == "Go on")
    look.look("paused")
    person.click("plan-pause")
    person.wait(lambda: person.status is PlanStatus.COMPLETED)
    for tab in tabs(person):
        look.look(f"finished, {tab}")
    look.squeeze("finished", *NARROW)
    with sheet(person, lambda: person.press(Qt.Key.Key_U, CONTROL | ALT), "undo-confirm"):
        look.look("undo preview")
        look.squeeze("undo preview", *NARROW)
        look.tab_through("undo preview", person)
    assert look.complaints() == set()


def test_everything_can_be_named_reached_and_read_when_a_run_was_interrupted(
    tandem: CommandLine, open_window: Callable[..., Person], workspace: Path
) -> None:
    plan = tandem.propose(write("one.txt", "1\n"), bash("true"), write("two.txt", "2\n"))
    tandem.approve(plan["plan_id"])
    call = ["-C", str(workspace), "apply", plan["plan_id"]]
    code = f"from tests.support.command_line import killed_while_writing as k; k('two.txt', {call!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
    person = open_window()
    look = walker(person)
    with sheet(person, lambda: None, "interrupted-rollback"):
        look.look("greeting")
        look.squeeze("greeting", *NARROW)
        look.tab_through("greeting", person)
    look.look("interrupted")
    assert look.complaints() == set()


def test_everything_can_be_named_reached_and_read_while_an_agent_asks_works_and_breaks_down(
    open_window: Callable[..., Person], programs: Path, workspace: Path
) -> None:
    steps = Steps(workspace)
    asks = [steps.say("# A thought\n\n```python\nx = 1\n```\n"), steps.ask_to_write("call-1", "one.txt", "1\n")]
    breaks = [steps.say("Well."), {"do": "stderr", "text": "out of memory\n"}, {"do": "exit", "code": 3}]
    put_on_path(programs, "opencode", {"turns": [asks, [steps.say("first"), {"do": "await_cancel"}], breaks]})
    person = open_window("opencode")
    look = walker(person)

    def say(words: str) -> None:
        person.click("composer-text")
        person.type(f"{words} ")
        person.press(Qt.Key.Key_Return)

    person.click("segmented-mode-immediate")
    say("A file")
    person.wait(lambda: person.sees("permission-allow"))
    look.look("permission")
    look.squeeze("permission", *NARROW)
    person.click("permission-skip")
    person.wait(lambda: not person.place.turns.is_any)
    say("Go on")
    person.wait(lambda: person.place.turns.is_any)
    say("And then break down")
    person.wait(lambda: person.sees("queue-send-now-0"))
    look.look("queue")
    look.squeeze("queue", *NARROW)
    person.click("queue-send-now-0")
    person.wait(lambda: person.sees("problem-restart"))
    look.look("broken down")
    look.squeeze("broken down", *NARROW)
    assert look.complaints() == set()
    person.click("problem-restart")
    person.wait(lambda: person.place.turns.is_any)
    person.wait(lambda: [row.last.text for row in person.place.chat.model.rows].count("And then break down") == 2)
