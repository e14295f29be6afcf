"""Runs tasks in dependency order, in parallel where possible."""

import asyncio
from collections.abc import Awaitable, Callable

from tandem_desktop.domain.tasks import TaskProgress, TaskStatus, TrackedTask
from tandem_desktop.tasks.board import TaskBoard

Work = Callable[[TrackedTask], Awaitable[str]]
"""Does one task and returns a line about it. Raises on failure."""

AT_ONCE = 4


class TaskRunner:
    """Runs tasks as they become ready. Always terminates: a task that can never begin is skipped with the reason."""

    def __init__(self, board: TaskBoard, work: Work, *, at_once: int = AT_ONCE) -> None:
        self._board = board
        self._work = work
        self._at_once = at_once

    async def run(self) -> TaskProgress:
        """Run until no task can begin; returns the progress.

        If cancelled, it cancels running tasks, which count as failed.
        """
        under_way: set[asyncio.Task[None]] = set()
        try:
            while True:
                for task in self._board.get_ready_tasks()[: self._at_once - len(under_way)]:
                    self._board.update_task_status(task.id, TaskStatus.IN_PROGRESS)
                    under_way.add(asyncio.create_task(self._carry_out(task)))
                if not under_way:
                    break
                _, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in under_way:
                each.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
        self._skip_blocked_tasks()
        return self._board.get_task_progress()

    async def _carry_out(self, task: TrackedTask) -> None:
        try:
            result = await self._work(task)
        except asyncio.CancelledError:
            self._board.update_task_status(task.id, TaskStatus.FAILED, error="It was stopped.")
            raise
        except Exception as error:  # an exception of a worker fails its task, not the others
            self._board.update_task_status(task.id, TaskStatus.FAILED, error=str(error) or type(error).__name__)
        else:
            self._board.update_task_status(task.id, TaskStatus.COMPLETED, result=result)

    def _skip_blocked_tasks(self) -> None:
        """Skip the tasks that can never begin."""
        standing = {task.id: task.status for task in self._board.get_tasks()}
        for task in self._board.get_tasks_by_status(TaskStatus.PENDING):
            stuck = ", ".join(f"'{each}'" for each in task.blocked_by if standing[each] is not TaskStatus.COMPLETED)
            reason = f"It waits for {stuck}, which is not completed."
            self._board.update_task_status(task.id, TaskStatus.SKIPPED, error=reason)
