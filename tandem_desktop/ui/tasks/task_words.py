"""Tasks in words: where one stands, what it waits for, what waits for it, and how all of them stand together."""

from collections.abc import Sequence

from tandem_desktop.domain.execution import ResultStatus
from tandem_desktop.domain.tasks import PlanTask, TaskPriority, TaskProgress, TaskStatus
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.tasks.plan_work import PlanWork
from tandem_desktop.ui.words import some_of, tr, tr_n, tr_table

STATUSES = tr_table(
    {
        TaskStatus.PENDING: "waiting",
        TaskStatus.IN_PROGRESS: "in progress",
        TaskStatus.COMPLETED: "completed",
        TaskStatus.FAILED: "failed",
        TaskStatus.SKIPPED: "skipped",
    }
)
_PRIORITIES = tr_table(
    {
        TaskPriority.CRITICAL: "critical priority",
        TaskPriority.HIGH: "high priority",
        TaskPriority.LOW: "low priority",
    }
)
MARKS = {
    TaskStatus.PENDING: "waiting",
    TaskStatus.IN_PROGRESS: "running",
    TaskStatus.COMPLETED: "done",
    TaskStatus.FAILED: "failed",
    TaskStatus.SKIPPED: "skipped",
}
TONES = {
    TaskStatus.PENDING: "neutral",
    TaskStatus.IN_PROGRESS: "info",
    TaskStatus.COMPLETED: "ok",
    TaskStatus.FAILED: "error",
    TaskStatus.SKIPPED: "risk",
}
RESULT_MARKS = {
    ResultStatus.PENDING: "waiting",
    ResultStatus.RUNNING: "running",
    ResultStatus.COMPLETED: "done",
    ResultStatus.FAILED: "failed",
    ResultStatus.SKIPPED: "skipped",
    ResultStatus.ROLLED_BACK: "skipped",
    ResultStatus.CANCELLED: "skipped",
}
_NAMED = 2


def status_word(task: PlanTask) -> str:
    """`in progress · 60 %`."""
    word = STATUSES[task.status]
    return f"{word} · {task.progress} %" if task.status is TaskStatus.IN_PROGRESS and task.progress else word


def subject(task: PlanTask) -> str:
    return in_one_line(task.subject)


def named(tasks: Sequence[PlanTask]) -> str:
    """The first few by name, the rest counted."""
    return some_of([subject(task) for task in tasks], _NAMED)


def facts(work: PlanWork, task: PlanTask) -> str:
    """One line: who, how urgent, what it waits for, what waits for it."""
    waiting = [each for each in work.blockers(task.id) if each.status is not TaskStatus.COMPLETED]
    count = len(work.views_of(task.id))
    parts = (
        visible(task.active_form).strip() if task.status is TaskStatus.IN_PROGRESS else "",
        visible(task.agent).upper() if task.agent else "",
        _PRIORITIES.get(task.priority, ""),
        tr_n("{n} operation", "{n} operations", count) if count else tr("no operations"),
        tr("waits for {named}", named=named(waiting)) if waiting else "",
        tr("blocks {named}", named=named(blocked)) if (blocked := work.blocks(task.id)) else "",
    )
    return " · ".join(part for part in parts if part)


def remark(work: PlanWork, task: PlanTask) -> str:
    """Why it failed or was skipped, or what its agent says about it; one line, or nothing."""
    lost = [each for each in work.blockers(task.id) if each.status in (TaskStatus.FAILED, TaskStatus.SKIPPED)]
    if task.status is TaskStatus.SKIPPED and lost:
        return tr_n(
            "It waits for {tasks}, which was not completed.",
            "It waits for {tasks}, which were not completed.",
            len(lost),
            tasks=named(lost),
        )
    if task.status in (TaskStatus.FAILED, TaskStatus.SKIPPED) and task.error:
        return in_one_line(task.error)
    said = work.agents_words(task.id)
    return tr("The agent says: {said}", said=visible(said)) if said else ""


def spoken(work: PlanWork, task: PlanTask) -> str:
    """The whole row for a screen reader."""
    parts = (
        tr("Task {subject}", subject=subject(task)),
        status_word(task),
        facts(work, task).replace(" · ", ", "),
        remark(work, task),
    )
    return ", ".join(part for part in parts if part)


def counts(progress: TaskProgress) -> str:
    """`4 tasks · 2 completed · 1 failed · 1 skipped`."""
    told = [(progress.in_progress, TaskStatus.IN_PROGRESS), (progress.completed, TaskStatus.COMPLETED)]
    told += [(progress.failed, TaskStatus.FAILED), (progress.skipped, TaskStatus.SKIPPED)]
    told += [(progress.pending, TaskStatus.PENDING)]
    parts = [f"{number:,} {STATUSES[status]}" for number, status in told if number]
    return " · ".join((tr_n("{n} task", "{n} tasks", progress.total), *parts))


def summary(progress: TaskProgress) -> str:
    """`(5/5 tasks succeeded)`."""
    done, total = progress.completed, progress.total
    return tr_n("({done}/{n} task succeeded)", "({done}/{n} tasks succeeded)", total, done=done)


def result_word(status: ResultStatus) -> str:
    return wording.RESULTS[status]


def in_one_line(text: str) -> str:
    """Somebody else's words without breaks and with hidden characters as tokens."""
    return visible(" ".join(text.split()))
