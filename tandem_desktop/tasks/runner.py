"""Runs tasks in dependency order, in parallel where possible."""

import asyncio
from collections.abc import Awaitable, Callable

from tandem_desktop.domain.tasks import TaskProgress, TaskStatus, TrackedTask
from tandem_desktop.tasks.board import TaskBoard

Work = Callable[[TrackedTask], Awaitable[str]]
"""Does one task and answers with a line about it. Raises when it could not."""

AT_ONCE = 4


class TaskRunner:
    """Start what is ready, wait, look again. It ends always: what can never begin is skipped and says why."""

    def __init__(self, board: TaskBoard, work: Work, *, at_once: int = AT_ONCE) -> None:
        self._board = board
        self._work = work
        self._at_once = at_once

    async def run(self) -> TaskProgress:
        """Until nothing is left that could begin; the answer tells how it went.

        Cancelled, it cancels what is under way, and that stands as failed.
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
        self._give_up_on_the_rest()
        return self._board.get_task_progress()

    async def _carry_out(self, task: TrackedTask) -> None:
        try:
            result = await self._work(task)
        except asyncio.CancelledError:
            self._board.update_task_status(task.id, TaskStatus.FAILED, error="It was stopped.")
            raise
        except Exception as error:  # whatever a worker throws is the failure of its task, not of the others
            self._board.update_task_status(task.id, TaskStatus.FAILED, error=str(error) or type(error).__name__)
        else:
            self._board.update_task_status(task.id, TaskStatus.COMPLETED, result=result)

    def _give_up_on_the_rest(self) -> None:
        """Nothing is under way here and nothing is ready: whoever still waits would wait for ever."""
        standing = {task.id: task.status for task in self._board.get_tasks()}
        for task in self._board.get_tasks_by_status(TaskStatus.PENDING):
            stuck = ", ".join(f"'{each}'" for each in task.blocked_by if standing[each] is not TaskStatus.COMPLETED)
            reason = f"It waits for {stuck}, which nobody completes."
            self._board.update_task_status(task.id, TaskStatus.SKIPPED, error=reason)
