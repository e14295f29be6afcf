"""A request that had better be planned is held with the reason, and the person overrules it or not."""

import pytest
from PySide6.QtCore import Qt

from tests.ui.window.driver import Person

FAR = "refactor the auth system and deploy to staging"


def said(person: Person) -> list[str]:
    """What has gone to the agent."""
    entries = person.place.background.chat.entries(person.place.session_id)
    return [entry.text for entry in entries if entry.kind == "person"]


def write(person: Person, text: str) -> None:
    person.click("composer-text")
    person.type(text)
    person.press(Qt.Key.Key_Escape)
    person.press(Qt.Key.Key_Return)


@pytest.mark.req("S2-01", "S2-02")
def test_far_reaching_request_waits_until_the_person_plans_it_first(window: Person) -> None:
    window.click("segmented-mode-immediate")
    write(window, FAR)
    window.wait(lambda: window.sees("first-look"))
    assert "it touches code and operations" in window.find("first-look").accessibleName()
    assert said(window) == []
    window.click("banner-plan-first")
    window.wait(lambda: said(window) == [FAR])
    assert window.place.plan_mode
    assert not window.sees("first-look")


@pytest.mark.req("S2-02")
def test_person_overrules_the_advice(window: Person) -> None:
    window.click("segmented-mode-immediate")
    write(window, FAR)
    window.wait(lambda: window.sees("first-look"))
    window.click("banner-at-once")
    window.wait(lambda: said(window) == [FAR])
    assert not window.place.plan_mode


def test_sending_again_is_deciding_too(window: Person) -> None:
    window.click("segmented-mode-immediate")
    write(window, FAR)
    window.wait(lambda: window.sees("first-look"))
    window.press(Qt.Key.Key_Return)
    window.wait(lambda: said(window) == [FAR])
    assert not window.place.plan_mode


def test_simple_request_goes_at_once(window: Person) -> None:
    write(window, "add a flag")
    window.wait(lambda: said(window) == ["add a flag"])
    assert not window.sees("first-look")
