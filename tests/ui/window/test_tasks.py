"""A plan with four tasks in the real window: seen, run, followed live, a failed branch skipped, counted at the end."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from tandem_desktop.domain.agent_protocol import EntryKind
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.ui.graph.view import CardItem
from tests.ui.window.driver import Person

TASKS = [
    {"id": "1", "subject": "Create types", "agent": "koda", "priority": "high"},
    {"id": "2", "subject": "Implement service", "agent": "koda", "blocked_by": ["1"]},
    {"id": "3", "subject": "Add tests", "agent": "koda", "blocked_by": ["1"]},
    {"id": "4", "subject": "Update docs", "agent": "devo", "blocked_by": ["2", "3"]},
]


def write(path: str, task: str) -> dict[str, object]:
    return {"description": path, "tool": "write", "args": {"path": path, "content": f"{path}\n"}, "task": task}


def on_the_graph(person: Person) -> dict[str, str]:
    items = person.place.panel.graph.view.scene().items()
    return {item.card.title: item.card.detail for item in items if isinstance(item, CardItem)}


@pytest.mark.req("S0-44", "S0-87", "S2-25", "S2-27", "S2-30")
def test_four_tasks_are_shown_run_and_followed_and_the_failed_branch_is_skipped_and_counted(
    window: Person, workspace: Path
) -> None:
    go = workspace.parent / "go"
    wait = {"command": f"while [ ! -e {go} ]; do sleep 0.05; done; exit 3"}
    steps = [write("types.py", "1"), {"description": "serve", "tool": "bash", "args": wait, "task": "2"}]
    steps += [write("test_types.py", "3"), write("docs.md", "4")]
    engine, panel = window.place.background.engine, window.place.panel
    version = engine.proposals.propose(json.dumps({"title": "Service", "tasks": TASKS, "steps": steps}).encode())
    window.place.open_plan(version.plan_id)
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    window.click("plan-action-view_tasks")
    assert panel.tabs.current == "tasks"
    assert panel.tasks.words == "4 tasks · 4 waiting"

    window.click("plan-action-approve")
    window.wait(lambda: window.sees("approval-back"))
    window.click("acknowledge-s2")
    policy = window.find("approval-policy")
    assert isinstance(policy, QComboBox)
    policy.setFocus()
    window.press(Qt.Key.Key_End)
    window.click("approval-implement")
    window.wait(lambda: "1 in progress · 1 completed" in panel.tasks.words)
    window.command("View the graph")
    assert on_the_graph(window) == {
        "Create types": "KODA · completed",
        "Implement service": "KODA · in progress",
        "Add tests": "KODA · waiting",
        "Update docs": "DEVO · waiting",
    }

    go.touch()
    window.wait(lambda: window.status is PlanStatus.FAILED)
    window.wait(lambda: panel.tasks.words.endswith("(2/4 tasks succeeded)"))
    assert panel.tasks.words.startswith("4 tasks · 2 completed · 1 failed · 1 skipped")
    window.wait(lambda: on_the_graph(window)["Update docs"] == "DEVO · skipped")
    assert on_the_graph(window)["Implement service"] == "KODA · failed: The command ended with exit code 3."
    assert panel.graph.failure.title.text() == "Implement service failed"
    notes = [
        entry.text
        for entry in window.place.background.chat.entries(window.place.session_id)
        if entry.kind is EntryKind.NOTE
    ]
    assert notes == ["2 of 4 operations done (2/4 tasks succeeded)"]
    assert (workspace / "test_types.py").exists()
    assert not (workspace / "docs.md").exists()

    panel.graph.view.setFocus()
    window.press(Qt.Key.Key_Right)
    window.press(Qt.Key.Key_Return)
    assert panel.tabs.current == "operations"
