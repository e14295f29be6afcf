"""What is dangerous comes first in the window, and equal hazards are acknowledged with one tick."""

import base64
import json

import pytest
from PySide6.QtWidgets import QLabel

from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.ui.models.operation_filter import Sorting
from tandem_desktop.ui.plan.approval_sheet import Acknowledgement
from tests.ui.window.driver import Person

pytestmark = pytest.mark.usefixtures("quick_agent")

IMAGE = base64.b64encode(b"\x89PNG\0\0").decode()


def a_step(number: int, path: str, **content: str) -> dict[str, object]:
    args = {"path": path, **(content or {"content": "text\n"})}
    return {"id": f"s{number}", "description": "new", "tool": "write", "args": args}


@pytest.fixture
def reviewing(window: Person) -> Person:
    """A person before a plan whose gravest operations come last."""
    paths = ["src/app.py", "a.png", "b.png", "c.png", "AGENTS.md", ".github/workflows/a.yml", "server.key"]
    steps = [
        a_step(number, path, **({"content_base64": IMAGE} if path.endswith("png") else {}))
        for number, path in enumerate([*paths, ".github/workflows/b.yml", ".envrc"], 1)
    ]
    version = window.place.background.engine.proposals.propose(json.dumps({"title": "Mixed", "steps": steps}).encode())
    window.place.open_plan(version.plan_id)
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    return window


def cards(person: Person) -> list[Acknowledgement]:
    found = [each for each in person.find("approval-cards").findChildren(Acknowledgement) if each.isVisible()]
    return sorted(found, key=lambda card: card.y())


def listed(person: Person) -> list[str]:
    """The rows on screen, in their order."""
    model = person.place.panel.model
    return [str(model.data(model.index(row))) for row in range(model.rowCount())]


ORDER = [["s9"], ["s6", "s8"], ["s5"], ["s7"], ["s2", "s3", "s4"]]
"""What runs code, what instructs agents, what is secret, and what merely cannot be read."""


def test_the_sheet_asks_for_the_gravest_first_and_once_for_equal_hazards(reviewing: Person) -> None:
    reviewing.click("plan-action-approve")
    reviewing.wait(lambda: reviewing.find("approval-sheet").isVisible())
    shown = [[view.operation.id for view in card.group.views] for card in cards(reviewing)]
    assert shown == ORDER
    ci = cards(reviewing)[1]
    said = [label.text() for label in ci.findChildren(QLabel)]
    assert said == [
        "Continuous integration · 2 files",
        "GitHub runs this on its events.",
        "create .github/workflows/a.yml",
        "create .github/workflows/b.yml",
    ]
    for first in ("s9", "s6", "s5", "s7"):
        reviewing.click(f"acknowledge-{first}")
    assert not reviewing.sees("approval-implement")
    reviewing.click("acknowledge-s2")
    assert set(reviewing.place.panel.sheets.approval.acknowledged) >= {"s2:binary", "s3:binary", "s4:binary"}
    bar = reviewing.find("approval-scroll").verticalScrollBar()  # type: ignore[attr-defined]
    bar.setValue(bar.maximum())
    reviewing.click("approval-implement")
    reviewing.wait(lambda: reviewing.status is PlanStatus.COMPLETED)


def test_the_strip_and_the_flagged_list_come_in_the_same_order(reviewing: Person) -> None:
    strip = reviewing.place.panel.operations.attention
    named = [chip.objectName() for chip in strip.chips.children() if chip.objectName().startswith("attention-")]
    assert named == [f"attention-{group[0]}" for group in ORDER]
    assert strip.words.text() == "Needs attention (8)"
    panel = reviewing.place.panel
    reviewing.click("filter-flagged")
    assert listed(reviewing) == [
        "create .envrc",
        "create .github/workflows/a.yml",
        "create .github/workflows/b.yml",
        "create AGENTS.md",
        "create server.key",
        "create a.png",
        "create b.png",
        "create c.png",
    ]
    reviewing.click("filter-flagged")
    assert listed(reviewing)[0] == "create src/app.py", "the plan's own order, in which it runs"
    panel.operations.filter.order.setCurrentIndex(panel.operations.filter.order.findData(Sorting.RISK))
    assert listed(reviewing)[0] == "create .envrc"
    assert listed(reviewing)[-1] == "create src/app.py"


def test_a_link_in_a_group_leads_to_its_own_file(reviewing: Person) -> None:
    reviewing.click("plan-action-approve")
    reviewing.wait(lambda: reviewing.find("approval-sheet").isVisible())
    reviewing.click("show-s8")
    rows = reviewing.place.panel.operations.list
    reviewing.wait(lambda: rows.currentIndex().row() == 7)
