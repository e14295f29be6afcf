"""Slash commands the window answers itself."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tandem_desktop.domain.agent_protocol import EntryKind
from tandem_desktop.domain.plan_states import PlanStatus
from tests.ui.window.driver import Person


def command(window: Person, words: str) -> None:
    window.click("composer-text")
    window.type(words)
    window.press(Qt.Key.Key_Escape)
    window.press(Qt.Key.Key_Return)


def reports(window: Person) -> list[str]:
    entries = window.place.background.chat.entries(window.place.session_id)
    return [entry.text for entry in entries if entry.kind is EntryKind.REPORT]


@pytest.mark.req("S0-29", "S1-01", "S3-44")
def test_plan_mode_is_on_at_first_and_plan_turns_it_off_and_on_and_says_so(window: Person) -> None:
    assert window.place.plan_mode
    command(window, "/plan")
    window.wait(lambda: not window.place.plan_mode)
    assert "Plan mode is off" in window.window.toast.text
    command(window, "/plan")
    window.wait(lambda: window.place.plan_mode)
    assert "Plan mode is on" in window.window.toast.text


@pytest.mark.setting("mode")
def test_a_workspace_first_opens_in_the_mode_of_the_settings_and_then_in_the_one_last_chosen(
    open_window: Callable[..., Person], tmp_path: Path
) -> None:
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "settings.toml").write_text('mode = "immediate"\n')
    first = open_window()
    assert not first.place.plan_mode
    first.click("segmented-mode-plan")
    first.leave()
    assert open_window().place.plan_mode


@pytest.mark.req("S3-36")
def test_plans_lists_the_plans_and_how_many_wait(window: Person) -> None:
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    command(window, "/plans")
    window.wait(lambda: len(reports(window)) == 1)
    assert "**1 plan**, 1 waits for you." in reports(window)[0]
    window.wait(lambda: window.sees("report"))


def test_figures_count_what_was_proposed_applied_and_undone(window: Person) -> None:
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.click("plan-action-approve")
    window.wait(lambda: window.sees("approval-implement"))
    window.click("approval-notes")
    window.type("mind the tests")
    window.press(Qt.Key.Key_Return)
    assert window.status is PlanStatus.PROPOSED
    window.click("approval-implement")
    window.wait(lambda: window.status is PlanStatus.COMPLETED and window.sees("note-undo"))
    (plan,) = window.place.plans.plans
    assert window.place.background.engine.plans.meta(plan.plan_id).approval_notes == "mind the tests"
    command(window, "/plan-stats")
    window.wait(lambda: len(reports(window)) == 1)
    rows = dict(line.strip("| ").split(" | ") for line in reports(window)[0].splitlines()[2:])
    assert re.fullmatch(r"[0-9]+\.[0-9] s", rows.pop("Ten operations take"))
    assert rows == {
        "Plans": "1 (1 completed)",
        "Completion": "100% (1 of 1 ended plans)",
        "Proposals per plan": "1.0",
        "Operations done": "100% (2 of 2 tried)",
        "Runs": "1, 0 undone",
    }


@pytest.mark.req("S3-52")
def test_simulation_lists_what_would_be_done_and_what_no_longer_applies(window: Person) -> None:
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    (window.workspace / "app.py").unlink()
    command(window, "/plan-simulate")
    window.wait(lambda: len(reports(window)) == 1)
    report = reports(window)[0]
    assert "1 would not apply" in report
    assert "edit README.md" in report
    assert "Nothing was run" in report
    assert not (window.workspace / "app.py").exists()


def test_commands_of_the_window_and_recipes_are_offered_after_a_slash(window: Person) -> None:
    window.click("composer-text")
    window.type("/plan-")
    popup = window.place.chat.composer.popup
    assert popup.isVisible()
    offered = [popup._model.index(row).data() for row in range(popup._model.rowCount())]
    assert {"/plan-stats", "/plan-simulate [plan]"} <= set(offered)


def test_a_plan_is_kept_as_a_template_and_makes_another_plan_with_another_name(window: Person) -> None:
    window.ask("/new-from-template python-module orders")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.command("Save as template")
    window.type("module what=orders")
    window.press(Qt.Key.Key_Return)
    window.wait(lambda: any("Kept as **module**" in text for text in reports(window)))
    first = window.operations
    window.command("New plan from a template")
    window.type("module what=customers")
    window.press(Qt.Key.Key_Return)
    window.wait(lambda: window.operations == [path.replace("orders", "customers") for path in first])
    assert window.status is PlanStatus.PROPOSED
