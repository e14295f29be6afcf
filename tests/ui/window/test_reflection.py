"""After a failed run: the agent says what to change, the person accepts some of it, and a new revision waits."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox

from tandem_desktop.domain.plan import Origin
from tandem_desktop.domain.plan_states import PlanStatus
from tests.support.agents_on_path import put_on_path
from tests.support.command_line import bash, write
from tests.ui.window.driver import Person

MEND = {
    "assessment": "NEEDS_ADJUSTMENT",
    "reasoning": "The check looks for the wrong file.",
    "adjustments": [
        {"action": "MODIFY", "step_id": "s2", "reason": "Right name", "tool_input": {"command": "test -f new.txt"}},
        {"action": "SKIP", "step_id": "s1", "reason": "Not needed"},
    ],
}


def a_failed_run(person: Person) -> None:
    """A plan whose second step fails is approved and run, by clicks."""
    plan = {"title": "New file", "steps": [write("new.txt", "new\n"), bash("test -f old.txt")]}
    person.place.background.engine.proposals.propose(json.dumps(plan).encode())
    person.wait(lambda: bool(person.place.plans.plans))
    person.press(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    approve(person)
    person.wait(lambda: person.status is PlanStatus.FAILED)


def approve(person: Person) -> None:
    person.click("plan-action-approve")
    person.wait(lambda: person.sees("approval-back"))
    for box in [each for each in person.window.findChildren(QCheckBox) if each.isVisible()]:
        person.click(box.objectName())
    person.wait(lambda: person.sees("approval-implement"))
    person.click("approval-implement")


def an_agent(programs: Path, *turns: list[dict[str, Any]]) -> None:
    put_on_path(programs, "opencode", {"turns": list(turns)})


@pytest.mark.req("S4-20", "S4-23")
def test_what_is_accepted_after_a_failed_run_becomes_a_revision_that_is_approved_anew(
    open_window: Callable[..., Person], programs: Path, workspace: Path
) -> None:
    an_agent(programs, [{"do": "say", "text": json.dumps(MEND)}])
    person = open_window("opencode")
    a_failed_run(person)
    person.wait(lambda: person.sees("segmented-adjustment-1"))
    assert "test -f new.txt" in person.find("adjustment-1-input").text()  # type: ignore[attr-defined] # a label
    person.click("segmented-adjustment-2-accepted")
    person.wait(lambda: person.sees("reflection-again"))
    person.go_to("reflection")
    person.press(Qt.Key.Key_2)  # rejected after all
    person.press(Qt.Key.Key_1)
    person.wait(lambda: "1 of 2 accepted" in person.find("reflection-after").text())  # type: ignore[attr-defined] # a label
    person.wait(lambda: person.sees("reflection-make"))
    person.press(Qt.Key.Key_Return)
    person.wait(lambda: person.revision == 2 and person.status is PlanStatus.PROPOSED)
    page = person.place.panel.page
    assert page is not None
    assert page.version.origin is Origin.ADJUSTMENT
    assert not (workspace / "new.txt").exists()
    person.wait(lambda: not person.sees("reflection-make"))
    approve(person)
    person.wait(lambda: person.status is PlanStatus.COMPLETED)
    assert (workspace / "new.txt").read_text() == "new\n"


@pytest.mark.req("S4-25")
def test_reflection_that_is_off_is_asked_for_by_a_command_and_stopped_by_escape(
    open_window: Callable[..., Person], programs: Path, tmp_path: Path
) -> None:
    an_agent(programs, [{"do": "await_cancel"}])
    person = open_window("opencode")
    (tmp_path / "config" / "settings.toml").write_text('agent = "opencode"\nreflection = "off"\n')
    person.leave()
    person = open_window()
    a_failed_run(person)
    assert person.place.background.engine.settings.reflection == "off"
    person.ask("/reflect")
    person.wait(lambda: "what went wrong" in person.find("chat-status").text())  # type: ignore[attr-defined] # a label
    person.press(Qt.Key.Key_Escape)
    person.wait(lambda: not person.sees("chat-status"))
    run_id = person.place.background.engine.runs.runs()[0].record.run_id
    assert person.place.background.engine.reflections.of_run(run_id) is None
    assert person.status is PlanStatus.FAILED
