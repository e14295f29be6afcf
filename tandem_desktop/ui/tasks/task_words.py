"""Tasks in words: where one stands, what it waits for, what waits for it, and how all of them stand together."""

from collections.abc import Sequence

from tandem_desktop.domain.execution import ResultStatus
from tandem_desktop.domain.tasks import PlanTask, TaskPriority, TaskProgress, TaskStatus
from tandem_desktop.staging.text import visible
from tandem_desktop.tasks.task_summary import succeeded
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.tasks.plan_work import PlanWork

STATUSES = {
    TaskStatus.PENDING: "waiting",
    TaskStatus.IN_PROGRESS: "in progress",
    TaskStatus.COMPLETED: "completed",
    TaskStatus.FAILED: "failed",
    TaskStatus.SKIPPED: "skipped",
}
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
    names = ", ".join(subject(task) for task in tasks[:_NAMED])
    return f"{names} and {len(tasks) - _NAMED:,} more" if len(tasks) > _NAMED else names


def facts(work: PlanWork, task: PlanTask) -> str:
    """One line: who, how urgent, what it waits for, what waits for it."""
    waiting = [each for each in work.blockers(task.id) if each.status is not TaskStatus.COMPLETED]
    count = len(work.views_of(task.id))
    parts = (
        visible(task.active_form).strip() if task.status is TaskStatus.IN_PROGRESS else "",
        visible(task.agent).upper() if task.agent else "",
        f"{task.priority.value} priority" if task.priority is not TaskPriority.NORMAL else "",
        wording.counted(count, "operation") if count else "no operations",
        f"waits for {named(waiting)}" if waiting else "",
        f"blocks {named(blocked)}" if (blocked := work.blocks(task.id)) else "",
    )
    return " · ".join(part for part in parts if part)


def remark(work: PlanWork, task: PlanTask) -> str:
    """Why it failed or was skipped, or what its agent says about it; one line, or nothing."""
    lost = [each for each in work.blockers(task.id) if each.status in (TaskStatus.FAILED, TaskStatus.SKIPPED)]
    if task.status is TaskStatus.SKIPPED and lost:
        return f"It waits for {named(lost)}, which {'was' if len(lost) == 1 else 'were'} not completed."
    if task.status in (TaskStatus.FAILED, TaskStatus.SKIPPED) and task.error:
        return in_one_line(task.error)
    said = work.agents_words(task.id)
    return f"The agent says: {visible(said)}" if said else ""


def spoken(work: PlanWork, task: PlanTask) -> str:
    """The whole row for a screen reader."""
    parts = (f"Task {subject(task)}", status_word(task), facts(work, task).replace(" · ", ", "), remark(work, task))
    return ", ".join(part for part in parts if part)


def counts(progress: TaskProgress) -> str:
    """`4 tasks · 2 completed · 1 failed · 1 skipped`."""
    told = [(progress.in_progress, "in progress"), (progress.completed, "completed")]
    told += [(progress.failed, "failed"), (progress.skipped, "skipped"), (progress.pending, "waiting")]
    parts = [f"{number:,} {word}" for number, word in told if number]
    return " · ".join((wording.counted(progress.total, "task"), *parts))


def summary(progress: TaskProgress) -> str:
    """`(5/5 tasks succeeded)`."""
    return f"({succeeded(progress.completed, progress.total)})"


def result_word(status: ResultStatus) -> str:
    return wording.RESULTS[status]


def in_one_line(text: str) -> str:
    """Somebody else's words without breaks and with hidden characters as tokens."""
    return visible(" ".join(text.split()))
