"""Plans with tasks, for tests and pictures: refactor auth and deploy, and as many tasks as a test needs."""

from typing import Any

from tandem_desktop.domain.ids import OperationId, TaskId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tandem_desktop.domain.tasks import PlanTask, TaskPriority, TaskStatus
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.ui.models.tasks import TaskProgressModel
from tests.support.builders import a_command, a_write
from tests.ui.plan.pages import a_page, viewed

P, R, D, F, S = (
    TaskStatus.PENDING,
    TaskStatus.IN_PROGRESS,
    TaskStatus.COMPLETED,
    TaskStatus.FAILED,
    TaskStatus.SKIPPED,
)


def a_task(name: str, subject: str = "", *waits_for: str, **facts: Any) -> PlanTask:
    return PlanTask(
        id=TaskId(name),
        subject=subject or f"Task {name}",
        **{"agent": "koda", "blocked_by": tuple(map(TaskId, waits_for)), **facts},
    )


def a_view(number: int, task: str | None, *waits_for: str, command: str = "", path: str = "") -> OperationView:
    facts = {"id": f"s{number}", "task": task, "blocked_by": tuple(map(OperationId, waits_for)), "description": ""}
    if command:
        return viewed(a_command(command, **facts))
    return viewed(a_write(path or f"app/part{number}.py", b"a = 1\n", **facts), b"", b"a = 1\n")


def four(status: PlanStatus = PlanStatus.PROPOSED, **fields: Any) -> PlanPage:
    """1 → (2 ∥ 3) → 4."""
    tasks = (
        a_task("1", "Create types", priority=TaskPriority.HIGH, active_form="Creating types…"),
        a_task("2", "Implement service", "1", active_form="Implementing the service…"),
        a_task("3", "Add tests", "1"),
        a_task("4", "Update docs", "2", "3", agent="devo"),
    )
    views = (
        a_view(1, "1", path="app/types.py"),
        a_view(2, "1", path="app/models/session.py"),
        a_view(3, "2", "s1", "s2", path="app/service.py"),
        a_view(4, "3", "s1", "s2", command="pytest -q tests/test_types.py"),
        a_view(5, "4", "s3", "s4", path="docs/service.md"),
    )
    return a_page(*views, status=status, **{"title": "Add a session service", "tasks": tasks, **fields})


def six_under_way() -> PlanPage:
    """A plan in the middle of its run, with a failure and what it costs."""
    said = "The command ended with exit code 1."
    skipped = "It waits for 'migrate', which was not completed."
    tasks = (
        a_task("types", "Update auth types", status=D, progress=100, priority=TaskPriority.HIGH),
        a_task(
            "service",
            "Refactor auth service",
            "types",
            status=R,
            progress=60,
            active_form="Refactoring the auth service…",
        ),
        a_task("tests", "Add tests", "types", status=D, progress=100),
        a_task("middleware", "Update middleware", "service"),
        a_task("migrate", "Migration script", "tests", status=F, error=said, priority=TaskPriority.CRITICAL),
        a_task("deploy", "Deploy to staging", "middleware", "migrate", agent="devo", status=S, error=skipped),
    )
    views = (
        a_view(1, "types", path="app/auth/types.py"),
        a_view(2, "tests", "s1", path="tests/test_auth.py"),
        a_view(3, "migrate", "s2", command="python scripts/migrate.py"),
        a_view(4, "service", "s1", path="app/auth/service.py"),
        a_view(5, "service", "s1", path="app/auth/sessions.py"),
        a_view(6, "middleware", "s4", "s5", path="app/middleware.py"),
        a_view(7, "deploy", "s3", "s6", command="make deploy ENV=staging"),
        a_view(8, None, path="CHANGELOG.md"),
    )
    ended = {"s1": ResultStatus.COMPLETED, "s2": ResultStatus.COMPLETED, "s3": ResultStatus.FAILED}
    ended |= {"s4": ResultStatus.COMPLETED, "s5": ResultStatus.RUNNING, "s7": ResultStatus.SKIPPED}
    results = [
        OperationResult(id=OperationId(name), status=status, error=said if status is ResultStatus.FAILED else None)
        for name, status in ended.items()
    ]
    return a_page(*views, status=PlanStatus.EXECUTING, results=results, title="Refactor auth and deploy", tasks=tasks)


def scattered() -> PlanPage:
    """Two tasks whose operations alternate."""
    tasks = (a_task("1", "Create types"), a_task("2", "Add tests"))
    return a_page(*(a_view(number, "12"[number % 2]) for number in range(1, 5)), tasks=tasks)


def many(count: int) -> PlanPage:
    """Layers of tasks, each waiting for some of the layer before, each with one operation."""
    width = 10
    tasks, views = [], []
    for number in range(count):
        above = number - width
        waits = [str(each) for each in (above, above + (number * 7) % 4 - 1) if 0 <= each < number - number % width]
        tasks.append(a_task(str(number), f"Part {number} of the work", *dict.fromkeys(waits)))
        views.append(a_view(number, str(number), *(f"s{each}" for each in dict.fromkeys(waits))))
    return a_page(*views, title="A large change", tasks=tuple(tasks))


def shown(page: PlanPage) -> TaskProgressModel:
    work = TaskProgressModel()
    work.show_page(page, page.results)
    return work
