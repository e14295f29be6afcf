"""Recovery information of plans whose run was interrupted."""

from datetime import datetime, timedelta

from tandem_desktop.domain.plan import PlanMeta, PlanStatus
from tandem_desktop.storage.clock import Since

EXECUTOR_TIMEOUT = timedelta(minutes=30)


def is_overdue(meta: PlanMeta, since: Since, timeout: timedelta = EXECUTOR_TIMEOUT) -> bool:
    """Whether a run began longer ago than it may take. A clock that was set makes nothing overdue."""
    if meta.status is not PlanStatus.EXECUTING:
        return False
    return meta.execution_started_at is None or since(meta.execution_started_at) >= timeout


def describe(done: int, total: int, started_at: datetime | None, now: datetime) -> str:
    """How far an interrupted run came, as in "steps 3 of 9, started 2 h ago"."""
    steps = f"steps {done} of {total}"
    return steps if started_at is None else f"{steps}, started {_ago(now - started_at)}"


def _ago(elapsed: timedelta) -> str:
    minutes = int(elapsed.total_seconds() // 60)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    if minutes < 48 * 60:
        return f"{minutes // 60} h ago"
    return f"{minutes // (24 * 60)} days ago"
