"""A task says everything about itself, and progress counts every task once."""

import pytest

from tandem_desktop.domain.ids import PlanId, TaskId
from tandem_desktop.domain.tasks import PlanTask, TaskPriority, TaskProgress, TaskStatus, TrackedTask

FIELDS = {
    "id",
    "plan_id",
    "subject",
    "description",
    "active_form",
    "agent",
    "priority",
    "status",
    "progress",
    "blocked_by",
    "blocks",
    "tools_to_execute",
    "tools_executed",
    "created_at",
    "started_at",
    "completed_at",
    "result",
    "error",
}


def tasks(*statuses: str) -> list[PlanTask]:
    return [
        PlanTask(id=TaskId(str(number)), subject="x", status=TaskStatus(status))
        for number, status in enumerate(statuses)
    ]


@pytest.mark.req("S2-12")
def test_a_task_stands_in_one_of_five_places_and_matters_in_one_of_four_ways() -> None:
    assert [status.value for status in TaskStatus] == ["pending", "in_progress", "completed", "failed", "skipped"]
    assert [priority.value for priority in TaskPriority] == ["critical", "high", "normal", "low"]


@pytest.mark.req("S2-13")
def test_a_task_in_its_plan_has_every_field_and_no_other() -> None:
    assert set(TrackedTask.model_fields) == FIELDS
    fresh = TrackedTask(id=TaskId("1"), plan_id=PlanId("PLAN-0badcafe"), subject="Create types")
    assert (fresh.status, fresh.priority, fresh.progress) == (TaskStatus.PENDING, TaskPriority.NORMAL, 0)


@pytest.mark.req("S2-13")
@pytest.mark.parametrize("progress", [-1, 101])
def test_progress_is_between_0_and_100(progress: int) -> None:
    with pytest.raises(ValueError, match="progress"):
        PlanTask(id=TaskId("1"), subject="x", progress=progress)


@pytest.mark.req("S2-20")
def test_progress_counts_every_task_where_it_stands() -> None:
    found = TaskProgress.of(tasks("pending", "pending", "in_progress", "completed", "completed"))
    assert found == TaskProgress(total=5, pending=2, in_progress=1, completed=2, failed=0, skipped=0)
    assert found.percent_complete == 40


@pytest.mark.req("S2-20")
def test_only_completed_tasks_make_it_complete() -> None:
    assert TaskProgress.of(tasks("completed", "failed", "skipped")).percent_complete == 33
    assert TaskProgress.of(tasks("completed", "completed")).percent_complete == 100
    assert TaskProgress.of([]).percent_complete == 0
