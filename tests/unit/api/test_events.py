"""Tasks over HTTP, in the names its clients know."""

import pytest

from tandem_desktop.api.events import told
from tandem_desktop.domain.events import TaskCreated, TasksListed, task_news
from tandem_desktop.domain.ids import TaskId
from tandem_desktop.domain.tasks import TaskStatus, TrackedTask
from tests.support.builders import A_MOMENT, PLAN_ID

TASK = TrackedTask(
    id=TaskId("t1"),
    plan_id=PLAN_ID,
    subject="Create types",
    active_form="Creating types…",
    agent="koda",
    blocks=(TaskId("t2"),),
    created_at=A_MOMENT,
)


def standing(status: TaskStatus, **facts: object) -> TrackedTask:
    return TASK.model_copy(update={"status": status, **facts})


@pytest.mark.req("S2-15")
def test_a_task_that_was_created_is_told_whole() -> None:
    (line,) = told(TaskCreated(plan_id=PLAN_ID, task=TASK))
    assert (line["type"], line["planId"]) == ("task_created", PLAN_ID)
    task = line["task"]
    assert (task["taskId"], task["assignedAgent"], task["blocks"]) == ("t1", "koda", ["t2"])


@pytest.mark.req("S2-15")
def test_all_tasks_are_told_with_how_far_they_are() -> None:
    (line,) = told(TasksListed(plan_id=PLAN_ID, tasks=(TASK, standing(TaskStatus.COMPLETED))))
    assert (line["type"], [task["status"] for task in line["tasks"]]) == ("tasks_list", ["pending", "completed"])
    assert (line["progress"]["total"], line["progress"]["percentComplete"]) == (2, 50)


@pytest.mark.req("S2-15")
@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (standing(TaskStatus.IN_PROGRESS), {"type": "task_started", "agent": "koda", "activeForm": "Creating types…"}),
        (
            standing(TaskStatus.IN_PROGRESS, progress=50),
            {"type": "task_update", "status": "in_progress", "progress": 50},
        ),
        (standing(TaskStatus.COMPLETED, result="Done."), {"type": "task_completed", "result": "Done."}),
        (standing(TaskStatus.FAILED, error="exit 3"), {"type": "task_failed", "error": "exit 3"}),
        (standing(TaskStatus.SKIPPED, error="It waits."), {"type": "task_update", "status": "skipped"}),
    ],
    ids=lambda value: value.get("type") if isinstance(value, dict) else None,
)
def test_a_change_of_a_task_makes_one_line(task: TrackedTask, expected: dict[str, object]) -> None:
    (line,) = told(task_news(task))
    assert (line["planId"], line["taskId"]) == (PLAN_ID, "t1")
    assert expected.items() <= line.items()
