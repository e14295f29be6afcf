"""A question of an agent is a card in the chat; the person answers with mouse or keys, and the agent reads it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices

from tests.support.agents_on_path import put_on_path
from tests.ui.window.driver import Person

FORM = {
    "properties": {
        "way": {
            "type": "string",
            "title": "Way",
            "oneOf": [{"const": "left", "title": "Left"}, {"const": "right", "title": "Right"}],
        },
        "parts": {"type": "array", "title": "Parts", "items": {"type": "string", "enum": ["a", "b", "c"]}},
        "name": {"type": "string", "title": "Name", "minLength": 3},
        "size": {"type": "number", "title": "Size", "maximum": 5},
    },
    "required": ["name"],
}
ASKS = {"do": "request", "id": "q1", "method": "elicitation/create"}
Open = Callable[..., Person]


class Browser(QObject):
    """Takes the pages that the desktop is asked to open."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open_page(self, url: QUrl) -> None:
        self.opened.append(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))


def asking(**params: Any) -> dict[str, Any]:
    return {**ASKS, "params": {"mode": "form", "message": "Which\u202e way?", "requestedSchema": FORM, **params}}


def asked(open_window: Open, programs: Path, step: dict[str, Any]) -> Person:
    """A window whose agent asks, and waits."""
    put_on_path(programs, "opencode", {"turns": [[step]]})
    window = open_window("opencode")
    window.type_into_composer("go")
    window.wait(lambda: window.sees("question-form"))
    return window


def answered(window: Person) -> Any:
    """What the agent was answered."""
    window.wait(lambda: not window.place.turns.is_any)
    record = window.place.background.engine.locations.sessions / window.place.session_id / "transcript.jsonl"
    messages = [json.loads(line)["msg"] for line in record.read_text().splitlines()]
    read = [json.loads(each) for each in messages if each.startswith("{")]
    return next(each["result"] for each in read if each.get("id") == "q1" and "method" not in each)


def test_a_question_is_answered_by_mouse_and_is_settled_after_a_restart(open_window: Open, programs: Path) -> None:
    window = asked(open_window, programs, asking())
    assert window.focus().objectName() == "composer-text"  # a card takes no focus
    assert window.find("question-words").toPlainText() == "“Which⟨U+202E⟩ way?”"  # type: ignore[attr-defined]
    assert "OpenCode" in window.find("question-form").accessibleName()
    window.click("question-choice-way-1")
    window.click("question-choice-parts-0")
    window.click("question-choice-parts-2")
    window.click("question-input-name")
    window.type("ab")
    assert not window.sees("question-answer"), "the end of the form was not on screen yet"
    window.press(Qt.Key.Key_PageDown)
    window.click("question-answer")
    assert window.find("question-complaint").text() == "Name has 2 characters; at least 3 are needed."  # type: ignore[attr-defined]
    window.type("c")
    window.click("question-input-size")
    window.type("2.5")
    window.click("question-answer")
    content = {"way": "right", "parts": ["a", "c"], "name": "abc", "size": 2.5}
    assert answered(window) == {"action": "accept", "content": content}
    window.wait(lambda: window.sees("question-ended"))
    said = window.find("question-ended").accessibleName()
    assert said == "You answered: Which⟨U+202E⟩ way?. Way: Right. Parts: a, c. Name: abc. Size: 2.5"
    window.leave()
    again = open_window("opencode")
    again.wait(lambda: again.sees("question-ended"))
    assert again.find("question-ended").accessibleName() == said


def test_a_question_is_answered_by_keys_alone(open_window: Open, programs: Path) -> None:
    window = asked(open_window, programs, asking())
    back = Qt.KeyboardModifier.ShiftModifier
    window.wait(lambda: window.sees("question-decline"))
    window.press(Qt.Key.Key_Tab, back)
    assert window.focus().objectName() == "question-decline"
    while window.focus().objectName() != "transcript":
        window.press(Qt.Key.Key_Tab, back)
    window.press(Qt.Key.Key_Tab)
    while window.focus().objectName().startswith("message-"):  # shown while the pointer is over the message
        window.press(Qt.Key.Key_Tab)
    assert window.focus().objectName() == "question-choice-way-1"  # where the group was left
    window.press(Qt.Key.Key_Space)
    window.press(Qt.Key.Key_Up)
    window.tab_to("question-choice-parts-0")
    window.press(Qt.Key.Key_Space)
    window.tab_to("question-input-name")
    window.type("keys")
    window.press(Qt.Key.Key_Return)  # too early: the end of the form was not on screen yet
    window.press(Qt.Key.Key_PageDown)
    window.wait(lambda: window.sees("question-answer"))
    window.press(Qt.Key.Key_Return)
    content = {"way": "left", "parts": ["a"], "name": "keys"}
    assert answered(window) == {"action": "accept", "content": content}


def test_a_question_is_declined_by_its_button_and_withdrawn_when_the_person_stops_the_agent(
    open_window: Open, programs: Path
) -> None:
    window = asked(open_window, programs, asking())
    window.click("question-decline")
    assert answered(window) == {"action": "decline"}
    window.wait(lambda: window.sees("question-ended"))
    assert window.find("question-ended").accessibleName().startswith("Declined: ")
    window.click("composer-text")
    window.type_into_composer("again")
    window.wait(lambda: window.sees("question-form"))
    window.place.turns.stop()
    window.wait(lambda: not window.sees("question-form"))
    window.wait(lambda: not window.place.turns.is_any)


def test_an_address_is_shown_whole_and_opened_by_a_click_alone(open_window: Open, programs: Path) -> None:
    address = "https://login.example.org/in?state=1&x=%20"
    window = asked(open_window, programs, asking(mode="url", url=address, elicitationId="e1"))
    browser = Browser()
    QDesktopServices.setUrlHandler("https", browser, "open_page")
    assert window.find("question-url").toPlainText() == address  # type: ignore[attr-defined]
    assert window.find("question-host").text() == "login.example.org"  # type: ignore[attr-defined]
    assert browser.opened == []
    window.click("question-answer")
    assert answered(window) == {"action": "accept"}
    assert browser.opened == [address]
    QDesktopServices.unsetUrlHandler("https")


def test_a_person_is_notified_of_a_question_without_its_words(open_window: Open, programs: Path) -> None:
    put_on_path(programs, "opencode", {"turns": [[asking(message="The secret is marigold")]]})
    window = open_window("opencode")
    told: list[tuple[str, str, str]] = []
    window.place.attention_wanted.connect(lambda *words: told.append(words))
    window.type_into_composer("go")
    window.wait(lambda: window.sees("question-form"))
    assert [title for title, _, _ in told] == ["The agent asks you a question"]
    assert "marigold" not in str(told)
    window.click("question-decline")
    answered(window)
