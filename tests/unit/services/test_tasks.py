"""The tasks of a plan that really runs: told while they move, and the same afterwards from what is stored."""

import json
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.events import TaskNews
from tandem_desktop.domain.ids import TaskId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.runs import FailurePolicy
from tandem_desktop.review.choices import Drop
from tandem_desktop.services.engine import Engine

TASKS = [
    {"id": "1", "subject": "Create types", "agent": "koda", "priority": "high"},
    {"id": "2", "subject": "Implement service", "agent": "koda", "blocked_by": ["1"]},
    {"id": "3", "subject": "Add tests", "agent": "koda", "blocked_by": ["1"]},
    {"id": "4", "subject": "Update docs", "agent": "devo", "blocked_by": ["2", "3"]},
]


def write(path: str, task: str) -> dict[str, Any]:
    return {"description": f"Write {path}", "tool": "write", "args": {"path": path, "content": "x\n"}, "task": task}


def run(command: str, task: str) -> dict[str, Any]:
    return {"description": "Run it", "tool": "bash", "args": {"command": command}, "task": task}


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    (tmp_path / "project").mkdir()
    return build_engine(tmp_path / "project", state=tmp_path / "state")


def approved(engine: Engine, *steps: dict[str, Any]) -> PlanVersion:
    version = engine.proposals.propose(json.dumps({"title": "t", "tasks": TASKS, "steps": steps}).encode())
    engine.decisions.approve(version.plan_id, version.approval_hash)
    return version


def told_by(engine: Engine) -> list[Any]:
    """Every event about tasks from now on."""
    told: list[Any] = []
    engine.events.subscribe(lambda event: told.append(event) if event.type.startswith("task") else None)
    return told


def words(event: Any) -> tuple[str, str]:
    return event.type, getattr(event, "task_id", "")


def standing(told: list[Any]) -> list[tuple[str, str]]:
    """Where each event says its task is."""
    named = {"task_started": "in_progress", "task_completed": "completed", "task_failed": "failed"}
    moved = [event for event in told if isinstance(event, TaskNews)]
    return [(event.task_id, named.get(event.type) or event.status.value) for event in moved]


@pytest.mark.req("S2-15")
def test_a_new_plan_tells_each_of_its_tasks_once_and_then_all_of_them_in_order(engine: Engine) -> None:
    told = told_by(engine)
    version = approved(engine, write("a", "1"), write("b", "4"))
    assert [event.type for event in told] == ["task_created"] * 4 + ["tasks_list"]
    assert [event.task.id for event in told[:4]] == ["1", "2", "3", "4"]
    assert told[0].task.blocks == ("2", "3")
    assert [task.id for task in told[4].tasks] == ["1", "2", "3", "4"]
    told.clear()
    engine.proposals.drop(version.plan_id, [Drop.parse("s2")])
    assert told == []


@pytest.mark.req("S2-15")
def test_every_change_of_a_task_in_a_run_is_told_by_exactly_one_event(engine: Engine) -> None:
    steps = (write("a", "1"), write("b", "1"), run("exit 3", "2"), write("c", "3"), write("d", "4"))
    version = approved(engine, *steps)
    told = told_by(engine)
    engine.runs.apply(version.plan_id, FailurePolicy.CONTINUE)
    assert [words(event) for event in told] == [
        ("task_started", "1"),
        ("task_update", "1"),
        ("task_completed", "1"),
        ("task_started", "2"),
        ("task_failed", "2"),
        ("task_update", "4"),
        ("task_started", "3"),
        ("task_completed", "3"),
        ("tasks_list", ""),
    ]
    halfway, skipped = told[1], told[5]
    assert (halfway.status.value, halfway.progress, halfway.active_form) == ("in_progress", 50, "Create types…")
    assert (skipped.status.value, skipped.note) == ("skipped", "It waits for '2', which was not completed.")
    assert (told[0].agent, told[2].result) == ("koda", "2 of 2 operations done.")
    assert told[4].error == "The command ended with exit code 3."
    assert [task.status.value for task in told[-1].tasks] == ["completed", "failed", "completed", "skipped"]


@pytest.mark.req("S2-30")
@pytest.mark.parametrize(
    ("second", "policy", "summary"),
    [
        ("true", FailurePolicy.ROLLBACK, "4 of 4 operations done (4/4 tasks succeeded)"),
        ("exit 3", FailurePolicy.CONTINUE, "2 of 4 operations done (2/4 tasks succeeded)"),
        (
            "exit 3",
            FailurePolicy.ROLLBACK,
            "0 of 4 operations done; rolled back, your files are as before (0/4 tasks succeeded)",
        ),
    ],
)
def test_the_end_of_a_run_is_told_with_the_count_of_its_tasks(
    engine: Engine, second: str, policy: FailurePolicy, summary: str
) -> None:
    version = approved(engine, write("a", "1"), run(second, "2"), write("c", "3"), write("d", "4"))
    assert engine.runs.apply(version.plan_id, policy).record.summary == summary


@pytest.mark.req("S2-27", "S2-24")
def test_tasks_are_told_as_they_begin_and_end_and_are_stored_as_completed(engine: Engine) -> None:
    version = approved(engine, write("a", "1"), write("b", "2"), write("c", "3"), write("d", "4"))
    told = told_by(engine)
    engine.runs.apply(version.plan_id)
    assert standing(told) == [(name, status) for status in ("in_progress", "completed") for name in "1234"]
    board = engine.boards.board(version)
    assert board.are_all_tasks_completed()
    assert board.get_task_progress().percent_complete == 100


@pytest.mark.req("S2-25", "S2-20")
def test_the_failure_of_a_task_skips_what_waits_for_it_while_others_go_on(engine: Engine) -> None:
    version = approved(engine, write("a", "1"), run("exit 3", "2"), write("c", "3"), write("d", "4"))
    told = told_by(engine)
    engine.runs.apply(version.plan_id, FailurePolicy.CONTINUE)
    moved = standing(told)
    assert moved.index(("4", "skipped")) > moved.index(("2", "failed"))
    assert dict(moved) == {"1": "completed", "2": "failed", "3": "completed", "4": "skipped"}
    board = engine.boards.board(version)
    assert [task.status.value for task in board.get_tasks()] == ["completed", "failed", "completed", "skipped"]
    progress = board.get_task_progress()
    assert (progress.total, progress.completed, progress.failed, progress.skipped) == (4, 2, 1, 1)
    assert not (engine.workspace.path / "d").exists()


def test_a_run_that_was_rolled_back_leaves_no_task_completed(engine: Engine) -> None:
    version = approved(engine, write("a", "1"), run("exit 3", "2"))
    told = told_by(engine)
    engine.runs.apply(version.plan_id)
    assert dict(standing(told))["1"] == "skipped"
    assert not any(task.status.value == "completed" for task in engine.tasks(version))


@pytest.mark.req("S2-13")
def test_a_task_that_was_carried_out_knows_its_tools_times_and_result(engine: Engine) -> None:
    version = approved(engine, write("a", "1"), write("b", "1"), run("exit 3", "2"))
    before = engine.boards.board(version).get_task(TaskId("1"))
    assert [(call.tool, call.operation_id) for call in before.tools_to_execute] == [("write", "s1"), ("write", "s2")]
    assert (before.tools_executed, before.started_at, before.active_form) == ((), None, "Create types…")
    assert (before.agent, before.priority, before.created_at) == ("koda", "high", version.created_at)
    ended = engine.runs.apply(version.plan_id, FailurePolicy.STOP).record
    done, failed = (engine.boards.board(version).get_task(TaskId(name)) for name in "12")
    assert [(tool.operation_id, tool.succeeded) for tool in done.tools_executed] == [("s1", True), ("s2", True)]
    assert (done.progress, done.result, done.error) == (100, "2 of 2 operations done.", None)
    assert (done.started_at, done.completed_at) == (ended.started_at, ended.ended_at)
    assert failed.error
    assert failed.tools_executed[0].succeeded is False
    assert failed.blocks == ("4",)


def test_while_it_runs_the_board_is_the_one_that_moves(engine: Engine) -> None:
    version = approved(engine, write("a", "1"), write("b", "2"))
    seen = []

    def hear(event: object) -> None:
        if isinstance(event, TaskNews):
            seen.append(engine.boards.board(version).get_task_progress().completed)

    engine.events.subscribe(hear)
    engine.runs.apply(version.plan_id)
    assert {1, 2} <= set(seen)


@pytest.mark.req("S2-27", "S2-25")
def test_independent_tasks_of_commands_are_under_way_at_once_and_the_failure_of_one_skips_the_last(
    tmp_path: Path,
) -> None:
    (tmp_path / "project").mkdir()
    engine = build_engine(tmp_path / "project", state=tmp_path / "state", lives_on=True)
    if not engine.commands_captured:
        pytest.skip("this system mounts no overlay for this user")

    def meeting(mine: str, other: str) -> str:
        return f"touch {tmp_path}/{mine}; while [ ! -e {tmp_path}/{other} ]; do sleep 0.02; done"

    steps = (run("true", "1"), run(f"{meeting('two', 'three')}; exit 3", "2"), run(meeting("three", "two"), "3"))
    version = approved(engine, *steps, run("true", "4"))
    told = told_by(engine)
    record = engine.runs.apply(version.plan_id, FailurePolicy.CONTINUE).record
    moved = standing(told)
    begun = moved.index(("2", "in_progress")), moved.index(("3", "in_progress"))
    assert max(begun) < min(moved.index(("2", "failed")), moved.index(("3", "completed")))
    assert dict(moved) == {"1": "completed", "2": "failed", "3": "completed", "4": "skipped"}
    assert record.summary == "2 of 4 operations done (2/4 tasks succeeded)"
    engine.close()
