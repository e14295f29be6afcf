"""What a person does while an agent works: switch the mode, answer its cards, read its meter, queue a message."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from tandem_desktop.domain.events import TurnEnded
from tandem_desktop.domain.plan_states import PlanStatus
from tests.support.agent_scripts import Step, Steps
from tests.support.agents_on_path import put_on_path
from tests.support.tree_walker import walk
from tests.ui.window.driver import Person

Open = Callable[..., Person]


@pytest.fixture
def steps(workspace: Path) -> Steps:
    return Steps(workspace)


def asks_and_writes(steps: Steps, name: str) -> list[Step]:
    asks = steps.ask_to_write(f"call-{name}", name, "text\n")
    return [asks, {**steps.write(name, "text\n")}, steps.ended(f"call-{name}")]


def update(**facts: Any) -> Step:
    return {"do": "update", "update": facts}


def start(open_window: Open, programs: Path, *turns: list[Step]) -> Person:
    put_on_path(programs, "opencode", {"turns": list(turns)})
    return open_window("opencode")


def send(window: Person, words: str) -> None:
    window.click("composer-text")
    window.type(f"{words} ")
    window.click("composer-send") if not window.place.turns.is_any else window.press(Qt.Key.Key_Return)


def said(window: Person) -> list[str]:
    return [entry.text for entry in window.place.background.chat.entries(window.place.session_id)]


def test_agent_that_is_only_starting_is_stopped_and_the_message_stays_in_sight(
    open_window: Open, programs: Path, steps: Steps
) -> None:
    window = start(open_window, programs, [steps.say("heard"), {"do": "await_cancel"}])
    send(window, "Do something")
    window.press(Qt.Key.Key_Escape)
    window.wait(lambda: not window.place.turns.is_any)
    assert said(window)[0] == "Do something"
    assert "Stopped." in said(window)


def test_plan_mode_switched_on_holds_for_the_turn_under_way(
    open_window: Open, programs: Path, workspace: Path, steps: Steps
) -> None:
    window = start(open_window, programs, [*asks_and_writes(steps, "one.txt"), *asks_and_writes(steps, "two.txt")])
    before = walk(workspace)
    window.click("segmented-mode-immediate")
    send(window, "Two files")
    window.wait(lambda: window.sees("permission-allow"))
    window.click("segmented-mode-plan")
    window.wait(lambda: window.place.plan_mode)
    window.click("permission-allow")
    window.wait(lambda: window.status is PlanStatus.PROPOSED and not window.place.turns.is_any)
    assert sorted(window.operations) == ["one.txt", "two.txt"]
    assert walk(workspace) == before


def test_plan_mode_switched_off_makes_the_turn_under_way_ask(
    open_window: Open, programs: Path, workspace: Path, steps: Steps
) -> None:
    first = steps.ask_to_run("call-run", "true")
    window = start(open_window, programs, [first, *asks_and_writes(steps, "two.txt")])
    send(window, "A file")
    window.click("segmented-mode-immediate")
    window.wait(lambda: window.sees("permission-allow"))
    assert not (workspace / "two.txt").exists()


@pytest.mark.parametrize(("key", "arrives"), [(Qt.Key.Key_1, True), (Qt.Key.Key_2, False)])
def test_card_is_answered_by_its_digit(
    open_window: Open, programs: Path, workspace: Path, steps: Steps, key: Qt.Key, arrives: bool
) -> None:
    asks, writes, ended = asks_and_writes(steps, "one.txt")
    only = f"[ -e {workspace}/never ] || true"
    turn = [asks, writes, ended] if arrives else [asks, {"do": "shell", "script": only}]
    window = start(open_window, programs, turn)
    window.click("segmented-mode-immediate")
    send(window, "A file")
    window.wait(lambda: window.sees("permission-allow"))
    window.go_to("permission-question")
    window.press(key)
    window.wait(lambda: not window.place.turns.is_any)
    window.wait(lambda: (workspace / "one.txt").exists() is arrives)


def test_denial_by_digit_takes_a_reason_to_the_agent(
    open_window: Open, programs: Path, workspace: Path, steps: Steps
) -> None:
    window = start(open_window, programs, [asks_and_writes(steps, "one.txt")[0]])
    window.click("segmented-mode-immediate")
    send(window, "A file")
    window.wait(lambda: window.sees("permission-allow"))
    window.go_to("permission-question")
    window.press(Qt.Key.Key_3)
    window.wait(lambda: "permission-reason" in window.focus().objectName())
    window.type("Not there")
    window.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    window.wait(lambda: not window.place.turns.is_any)
    answers = [e for e in window.place.background.chat.entries(window.place.session_id) if e.request is not None]
    assert "Not there" in answers[0].details[0]
    assert not (workspace / "one.txt").exists()


def test_meter_shows_what_the_agent_says_of_tokens_and_cost_and_its_commands_are_offered(
    open_window: Open, programs: Path
) -> None:
    usage = update(sessionUpdate="usage_update", used=12_400, size=200_000, cost={"amount": 0.31, "currency": "USD"})
    offered = [{"name": "compact", "description": "Make room"}]
    commands = update(sessionUpdate="available_commands_update", availableCommands=offered)
    window = start(open_window, programs, [usage, commands])
    send(window, "Hello")
    meter = window.window.findChild(QLabel, "composer-usage")
    assert meter is not None
    window.wait(lambda: meter.text() == "12.4k tokens · $0.31")
    window.wait(lambda: not window.place.turns.is_any)
    window.click("composer-text")
    window.type("/comp")
    assert window.place.chat.composer.popup.isVisible()


def test_message_sent_while_the_agent_works_waits_can_be_seen_and_taken_out(
    open_window: Open, programs: Path, steps: Steps
) -> None:
    window = start(open_window, programs, [steps.say("first"), {"do": "await_cancel"}], [steps.say("second")])
    send(window, "First")
    window.wait(lambda: "first" in said(window))
    send(window, "Next")
    send(window, "And then")
    assert window.place.chat.queue == ("Next", "And then")
    window.wait(lambda: window.sees("queue-remove-1"))
    window.click("queue-remove-1")
    window.press(Qt.Key.Key_Escape)
    window.wait(lambda: not window.place.turns.is_any)
    assert window.place.chat.queue == ("Next",)
    window.wait(lambda: window.sees("queue-send-now-0"))
    window.click("queue-send-now-0")
    window.wait(lambda: "second" in said(window))
    assert window.place.chat.queue == ()


def test_slow_agent_is_said_to_be_starting_until_it_is_heard(open_window: Open, programs: Path, steps: Steps) -> None:
    put_on_path(programs, "opencode", {"turns": [[steps.say("heard"), {"do": "await_cancel"}], [steps.say("again")]]})
    window = open_window("opencode")
    status = window.find("status-agent")
    send(window, "Do something")
    assert "is starting; slow agents take 5 to 20 seconds" in status.property("text")
    assert "is starting" in window.find("chat-status").property("text")
    window.wait(lambda: "heard" in said(window) and "is working" in status.property("text"))
    assert "is working" in window.find("chat-status").property("text")


def test_what_to_do_about_an_agent_that_ended_is_in_sight_and_its_last_words_are_apart(
    open_window: Open, programs: Path, steps: Steps
) -> None:
    refusal = {"code": -32000, "message": "Authentication required"}
    put_on_path(programs, "opencode", {"errors": {"session/new": refusal}})
    window = open_window("opencode")
    send(window, "Do something")
    window.wait(lambda: window.sees("problem-next"))
    assert window.find("problem-next").property("text").startswith("Log in with: opencode auth login")
    assert not window.sees("problem-fold")


def test_end_of_a_turn_that_is_told_late_does_not_end_the_one_begun_since(
    open_window: Open, programs: Path, steps: Steps
) -> None:
    window = start(open_window, programs, [steps.say("first")], [steps.say("second"), {"do": "await_cancel"}])
    send(window, "First")
    window.wait(lambda: "first" in said(window) and not window.place.turns.is_any)
    send(window, "Second")
    send(window, "Third")
    window.place.background.events.publish(TurnEnded(session_id=window.place.session_id))
    window.wait(lambda: "second" in said(window))
    assert window.place.chat.queue == ("Third",)
    assert window.place.turns.is_any
