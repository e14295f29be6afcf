"""A model is added in the window: asked for, tried, kept, and used by the next message."""

import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QMenu, QPushButton

from tandem_desktop.domain.plan_states import PlanStatus
from tests.support.agent_scripts import Steps
from tests.support.agents_on_path import put_on_path
from tests.support.scripted_model import ScriptedModel
from tests.ui.window.driver import Person

KEY = "sk-typed-in-the-window"


@pytest.fixture
def served() -> Iterator[ScriptedModel]:
    with ScriptedModel() as model:
        yield model


def say(person: Person, text: str) -> None:
    person.click("composer-text")
    person.type(text)
    person.press(Qt.Key.Key_Escape)
    person.press(Qt.Key.Key_Return)
    person.wait(lambda: not person.place.turns.is_any)


def said(person: Person) -> str:
    label = person.find("model-said")
    assert isinstance(label, QLabel)
    return label.text()


@pytest.mark.setting("model_address")
def test_without_a_model_one_button_leads_to_one_that_makes_a_plan(
    open_window: Callable[..., Person], served: ScriptedModel, workspace: Path, tmp_path: Path
) -> None:
    person = open_window()
    say(person, f"Do it. [[scenario:write]] [[cwd:{workspace}]]")
    person.click("problem-model")
    provider = person.find("model-provider")
    assert isinstance(provider, QComboBox)
    provider.setFocus()
    person.press(Qt.Key.Key_End)
    provider.activated.emit(provider.currentIndex())  # a popup would be opened by the mouse only
    person.click("model-address")
    person.type("http://127.0.0.1:9/v1")
    person.click("model-fetch")
    person.wait(lambda: "No connection to http://127.0.0.1:9/v1: Connection refused." in said(person))
    person.find("model-address").clear()  # type: ignore[attr-defined]  # a line
    person.click("model-address")
    person.type(served.openai_url)
    person.click("model-key")
    person.type(KEY)
    person.click("model-fetch")
    names = person.find("model-name")
    assert isinstance(names, QComboBox)
    person.wait(lambda: names.currentText() == "scripted-1")
    person.click("model-test")
    person.wait(lambda: said(person).startswith("It works: “"))
    person.click("model-use")  # and the message goes out again
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    assert person.operations == ["hello.py"]
    assert served.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    kept = tmp_path / "config" / "model-keys.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert KEY not in (tmp_path / "config" / "settings.toml").read_text()


MODELS = {
    "id": "model",
    "name": "Model",
    "category": "model",
    "type": "select",
    "currentValue": "small",
    "options": [{"value": "small", "name": "Small 1"}, {"value": "large", "name": "Large 2"}],
}


@pytest.mark.parametrize(
    ("session", "sent"),
    [
        ({"configOptions": [MODELS]}, "session/set_config_option"),
        (
            {
                "models": {
                    "currentModelId": "small",
                    "availableModels": [
                        {"modelId": "small", "name": "Small 1"},
                        {"modelId": "large", "name": "Large 2"},
                    ],
                }
            },
            "session/set_model",
        ),
    ],
)
def test_model_of_an_agent_is_chosen_beside_the_message_from_what_the_agent_offers(
    open_window: Callable[..., Person], programs: Path, workspace: Path, session: dict[str, object], sent: str
) -> None:
    put_on_path(programs, "opencode", {"turns": [[Steps(workspace).say("Hello.")]], "session": session})
    person = open_window("opencode")
    say(person, "Hello")
    picker = person.find("composer-model")
    assert isinstance(picker, QPushButton)
    assert picker.text() == "Small 1"
    person.click("composer-model")
    menu = person.find("option-menu")
    assert isinstance(menu, QMenu)
    menu.setActiveAction(menu.actions()[-1])
    QTest.keyClick(menu, Qt.Key.Key_Return)
    person.wait(lambda: picker.text() == "Large 2")
    place = person.place
    transcript = place.background.engine.locations.sessions / place.session_id / "transcript.jsonl"
    assert sent in transcript.read_text()


def test_examples_of_the_empty_chat_are_those_of_the_chosen_agent(
    open_window: Callable[..., Person], programs: Path, workspace: Path
) -> None:
    put_on_path(programs, "opencode", {"turns": [[Steps(workspace).say("Hello.")]]})
    person = open_window("opencode")
    person.click("example-1")
    assert not person.place.chat.composer.text.startswith("/")


def test_login_that_the_agent_offers_is_chosen_on_the_card_and_the_message_goes_out_again(
    open_window: Callable[..., Person], programs: Path, workspace: Path
) -> None:
    ways = {"authMethods": [{"id": "key", "name": "By key"}]}
    script = {"turns": [[Steps(workspace).say("Hello.")]], "initialize": ways, "wants_login": True}
    put_on_path(programs, "opencode", script)
    person = open_window("opencode")
    say(person, "Are you there?")
    person.click("problem-login")
    menu = person.find("login-menu")
    assert isinstance(menu, QMenu)
    menu.setActiveAction(menu.actions()[0])
    QTest.keyClick(menu, Qt.Key.Key_Return)
    person.wait(lambda: any(row.last.text == "Hello." for row in person.place.chat.model.rows))


def test_request_for_changes_waits_for_a_model_and_leaves_the_plan_as_it_is(
    open_window: Callable[..., Person], served: ScriptedModel, tmp_path: Path
) -> None:
    person = open_window()
    person.ask("/replace Hello Goodbye")
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    person.click("plan-action-request_revision")
    person.type("Leave the greeting alone.")
    person.click("rework-send")
    person.wait(lambda: person.sees("model-back"))
    person.click("model-back")
    page = person.place.panel.page
    assert page is not None
    assert (page.meta.status, page.version.revision) == (PlanStatus.PROPOSED, 1)
    person.click("plan-action-request_revision")
    assert person.find("rework-feedback").toPlainText() == "Leave the greeting alone."  # type: ignore[attr-defined]
    assert not served.requests
