"""The window asks the same table as the command line: what a plan's buttons allow is what the store would take."""

import json

import pytest

from tandem_desktop.domain.plan_states import PlanStatus
from tests.ui.window.driver import Person

pytestmark = pytest.mark.usefixtures("quick_agent")


def propose(window: Person, *steps: dict[str, object]) -> str:
    engine = window.place.background.engine
    described = [{"description": "step", **step} for step in steps]
    version = engine.proposals.propose(json.dumps({"title": "Try", "steps": described}).encode())
    window.place.open_plan(version.plan_id)
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    return version.plan_id


WRITE = {"id": "s1", "tool": "write", "args": {"path": "new.txt", "content": "new\n"}}
FAIL = {"id": "s2", "tool": "bash", "args": {"command": "exit 7"}}


@pytest.fixture
def failed(window: Person) -> Person:
    """A plan whose run failed and was rolled back is on screen."""
    propose(window, WRITE, FAIL)
    window.click("plan-action-approve")
    window.wait(lambda: window.find("approval-sheet").isVisible())
    window.click("acknowledge-s2")
    window.click("approval-implement")
    window.wait(lambda: window.status is PlanStatus.FAILED)
    return window


def enabled(person: Person) -> dict[str, bool]:
    return {name: person.sees(f"plan-action-{name}") for name in ("approve", "request_revision", "cancel")}


def test_of_a_plan_that_failed_the_command_can_be_dropped_and_the_rest_implemented(failed: Person) -> None:
    assert failed.find("plan-action-approve").text() == "Try again…"  # type: ignore[attr-defined]
    failed.click("plan-action-rest")
    failed.wait(lambda: failed.find("approval-sheet").isVisible())
    assert failed.revision == 2
    assert failed.operations == ["new.txt"]
    failed.click("approval-implement")
    failed.wait(lambda: failed.status is PlanStatus.COMPLETED)
    assert (failed.workspace / "new.txt").read_text() == "new\n"


@pytest.mark.req("S0-17", "S0-27")
def test_a_plan_that_failed_can_be_implemented_again(failed: Person) -> None:
    assert enabled(failed) == {"approve": True, "request_revision": True, "cancel": True}
    failed.click("plan-action-approve")
    failed.wait(lambda: failed.find("approval-sheet").isVisible())
    failed.click("acknowledge-s2")
    failed.click("approval-implement")
    engine = failed.place.background.engine
    failed.wait(lambda: len(engine.runs.runs()) == 2)
    failed.wait(lambda: failed.status is PlanStatus.FAILED)


def test_a_plan_that_failed_can_be_cancelled(failed: Person) -> None:
    failed.click("plan-action-cancel")
    failed.wait(lambda: failed.find("confirm-sure").isVisible())
    failed.click("confirm-sure")
    failed.wait(lambda: failed.status is PlanStatus.CANCELLED)
    assert enabled(failed) == {"approve": False, "request_revision": False, "cancel": False}


@pytest.mark.req("S1-29")
def test_a_rework_turns_the_switch_to_plan_mode_like_the_session(window: Person) -> None:
    window.place.set_plan_mode(False)
    propose(window, WRITE)
    window.click("plan-action-request_revision")
    window.wait(lambda: window.sees("rework-feedback"))
    window.click("rework-feedback")
    window.type("Call it other.txt")
    window.click("rework-send")
    window.wait(lambda: window.place.plan_mode)


def test_after_undo_badge_footer_rail_and_rows_say_undone(window: Person) -> None:
    plan_id = propose(window, WRITE)
    window.click("plan-action-approve")
    window.wait(lambda: window.find("approval-sheet").isVisible())
    window.click("approval-implement")
    window.wait(lambda: window.status is PlanStatus.COMPLETED)
    engine, panel = window.place.background.engine, window.place.panel
    (run,) = engine.runs.runs()
    engine.runs.undo(run.record.run_id)
    window.wait(lambda: window.status is PlanStatus.UNDONE)
    assert panel.header.badge.text() == "Undone"
    assert panel.model.results == ()
    assert enabled(window) == {"approve": True, "request_revision": True, "cancel": True}
    rail = window.place.plans
    window.wait(lambda: rail.data(rail.index(rail.row_of(plan_id)), rail.RowRole).subtitle.startswith("undone"))
