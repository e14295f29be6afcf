"""Three advisors look at a task: their progress is shown, and the plan has what they said and their tasks."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tandem_desktop.domain.agent_protocol import EntryKind
from tandem_desktop.domain.perspectives import Role
from tandem_desktop.domain.plan_states import PlanStatus
from tests.support.agent_scripts import Steps
from tests.support.agents_on_path import put_on_path
from tests.support.perspective_scripts import CHAPO, PLAN, acp_agent
from tests.ui.window.driver import Person


def chips(window: Person) -> list[str]:
    entries = window.place.background.chat.entries(window.place.session_id)
    return [entry.call.id.rpartition("-")[0] for entry in entries if entry.call is not None]


@pytest.mark.req("S2-03", "S2-28")
def test_three_advisors_look_at_a_task_from_the_composer_and_the_plan_shows_what_they_said(
    open_window: Callable[..., Person], programs: Path, workspace: Path
) -> None:
    put_on_path(programs, "opencode", acp_agent(Steps(workspace).write("session.py", "class Session: ...\n")))
    window = open_window("opencode")
    window.ask("/perspectives Refactor the auth system")
    window.wait(lambda: window.operations == ["session.py"])
    panel = window.place.panel
    assert window.place.plan_mode
    assert panel.tabs.current == "perspectives"
    assert panel.page is not None
    assert [each.agent for each in panel.page.version.perspectives.voices] == list(Role)
    assert panel.perspectives.cards[Role.CHAPO].accessibleDescription() == CHAPO["analysis"]
    assert chips(window) == ["perspective-chapo", "perspective-koda", "perspective-devo", "synthesis-synthesis"]
    entries = window.place.background.chat.entries(window.place.session_id)
    assert entries[0].text == "Refactor the auth system"
    assert any(entry.kind is EntryKind.NOTE and entry.text.startswith("t1 Update auth types") for entry in entries)


@pytest.mark.req("S2-01", "S2-02", "S2-03")
def test_with_the_setting_on_a_task_that_should_be_planned_is_looked_at_first_and_each_transcript_can_be_read(
    open_window: Callable[..., Person], programs: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    monkeypatch.setattr("tandem_desktop.ui.turn_controller.open_in_editor", lambda path, *_: opened.append(path) or "")
    put_on_path(programs, "opencode", acp_agent(Steps(workspace).write("session.py", "class Session: ...\n")))
    window = open_window("opencode")
    window.press(Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    window.wait(lambda: window.sees("settings-search"))
    window.type("perspectives")
    window.click("setting-perspectives")
    window.click("settings-reopen")
    window.wait(
        lambda: window.place.background.engine.settings.perspectives and window.place.agents.profile is not None
    )

    window.click("segmented-mode-immediate")
    window.type_into_composer("refactor the auth system and deploy to staging")
    window.wait(lambda: window.sees("first-look"))
    assert "it touches code and operations" in window.find("first-look").accessibleName()
    window.click("banner-plan-first")
    window.wait(lambda: window.operations == ["session.py"])
    assert chips(window)[:3] == ["perspective-chapo", "perspective-koda", "perspective-devo"]
    window.click("transcript-koda")
    assert [path.name for path in opened] == ["koda.jsonl"]
    assert "You are KODA" in opened[0].read_text()


@pytest.mark.req("S2-34", "S2-35")
def test_a_request_goes_from_the_first_look_over_three_advisors_and_the_approval_to_its_last_task(
    open_window: Callable[..., Person], programs: Path, workspace: Path
) -> None:
    steps = Steps(workspace)
    script = acp_agent(
        steps.write("session.py", "class Session: ...\n"),
        synthesis=[{"do": "say", "text": json.dumps(PLAN)}],
    )
    script["by_words"]["Your task now: t2"] = [steps.write("staging.md", "restart: true\n")]
    put_on_path(programs, "opencode", script)
    window = open_window("opencode")
    panel = window.place.panel
    window.click("segmented-mode-immediate")
    window.type_into_composer("refactor the auth system and deploy to staging")
    window.wait(lambda: window.sees("first-look"))
    assert "Guessed from its words." in window.find("first-look").accessibleName()
    window.place.chat.composer.set_text("")
    window.ask("/perspectives refactor the auth system and deploy to staging")
    window.wait(lambda: window.operations == ["session.py", "staging.md"])
    assert panel.page is not None
    assert panel.page.version.perspectives.qualification.endswith("Qualified by CHAPO (opencode).")
    window.click("plan-action-view_tasks")
    assert panel.tasks.words == "2 tasks · 2 waiting"
    window.click("plan-action-approve")
    window.wait(lambda: window.sees("approval-implement"))
    window.click("approval-implement")
    window.wait(lambda: window.status is PlanStatus.COMPLETED)
    window.wait(lambda: panel.tasks.words.endswith("(2/2 tasks succeeded)"))
    assert (workspace / "staging.md").read_text() == "restart: true\n"
    entries = window.place.background.chat.entries(window.place.session_id)
    assert any("(2/2 tasks succeeded)" in entry.text for entry in entries if entry.kind is EntryKind.NOTE)


def test_stopped_while_koda_looks_there_is_no_plan_and_the_next_message_is_taken(
    open_window: Callable[..., Person], programs: Path, workspace: Path
) -> None:
    steps = Steps(workspace)
    waits = [steps.say("Reading."), {"do": "await_cancel"}, {"do": "never"}]
    put_on_path(programs, "opencode", acp_agent(steps.write("session.py", "x\n"), koda=waits))
    window = open_window("opencode")
    window.type_into_composer("/perspectives Refactor the auth system")
    window.wait(lambda: "perspective-koda" in chips(window))
    window.place.turns.stop()
    window.wait(lambda: not window.place.turns.is_any)
    assert window.place.background.engine.plans.list().plans == ()
    window.ask("Your task now: t1")
    window.wait(lambda: window.operations == ["session.py"])


def test_the_palette_and_the_empty_tab_lead_to_the_composer(window: Person) -> None:
    window.command("second opinions")
    assert window.place.chat.composer.text == "/perspectives "
    window.place.chat.composer.set_text("tidy up")
    window.place.panel.perspectives.ask_requested.emit()
    assert window.place.chat.composer.text == "/perspectives tidy up"
