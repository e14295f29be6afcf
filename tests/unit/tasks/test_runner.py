"""Tasks run in the order their dependencies allow, and a run of them always ends."""

import asyncio

import pytest

from tandem_desktop.domain.ids import PlanId, TaskId
from tandem_desktop.domain.tasks import PlanTask, TaskProgress, TaskStatus, TrackedTask
from tandem_desktop.tasks.board import TaskBoard
from tandem_desktop.tasks.runner import TaskRunner
from tests.support.clocks import Clock
from tests.support.patience import PATIENCE_S

SAMPLE = {"1": "", "2": "1", "3": "1", "4": "23"}


def a_board(**blocked_by: str) -> TaskBoard:
    tasks = [
        PlanTask(id=TaskId(name), subject=name, blocked_by=tuple(TaskId(each) for each in blockers))
        for name, blockers in blocked_by.items()
    ]
    return TaskBoard(PlanId("PLAN-0badcafe"), Clock(), tasks)


class Workers:
    """Work that goes on until it is told to end; the test sees what is under way together."""

    def __init__(self) -> None:
        self.under_way: list[str] = []
        self.ends: dict[str, asyncio.Future[str]] = {}
        self.moved = asyncio.Event()

    async def work(self, task: TrackedTask) -> str:
        self.ends[task.id] = asyncio.get_running_loop().create_future()
        self.under_way.append(task.id)
        self.moved.set()
        try:
            return await self.ends[task.id]
        finally:
            self.under_way.remove(task.id)
            self.moved.set()

    async def until(self, *names: str) -> None:
        """Wait until exactly these are under way."""
        while sorted(self.under_way) != sorted(names):
            self.moved.clear()
            await asyncio.wait_for(self.moved.wait(), timeout=PATIENCE_S)

    def done(self, name: str) -> None:
        self.ends[name].set_result(f"{name} is done")

    def failed(self, name: str) -> None:
        self.ends[name].set_exception(RuntimeError(f"{name} broke"))


def standing(board: TaskBoard) -> dict[str, str]:
    return {task.id: task.status.value for task in board.get_tasks()}


@pytest.mark.req("S2-27", "S2-24")
async def test_the_sample_graph_runs_one_then_two_beside_three_then_four() -> None:
    board, workers = a_board(**SAMPLE), Workers()
    run = asyncio.create_task(TaskRunner(board, workers.work).run())
    await workers.until("1")
    workers.done("1")
    await workers.until("2", "3")
    assert standing(board) == {"1": "completed", "2": "in_progress", "3": "in_progress", "4": "pending"}
    workers.done("3")
    await workers.until("2")
    workers.done("2")
    await workers.until("4")
    workers.done("4")
    assert await run == TaskProgress(total=4, pending=0, in_progress=0, completed=4, failed=0, skipped=0)
    assert board.get_task(TaskId("2")).result == "2 is done"


@pytest.mark.req("S2-25", "S2-27")
async def test_the_failure_of_two_skips_four_while_three_goes_on() -> None:
    board, workers = a_board(**SAMPLE), Workers()
    run = asyncio.create_task(TaskRunner(board, workers.work).run())
    await workers.until("1")
    workers.done("1")
    await workers.until("2", "3")
    workers.failed("2")
    await workers.until("3")
    workers.done("3")
    progress = await run
    assert standing(board) == {"1": "completed", "2": "failed", "3": "completed", "4": "skipped"}
    assert (progress.failed, progress.skipped, progress.percent_complete) == (1, 1, 50)
    assert board.get_task(TaskId("2")).error == "2 broke"


@pytest.mark.req("S2-26")
async def test_tasks_blocked_by_one_that_nobody_works_on_end_the_run_instead_of_hanging() -> None:
    board, workers = a_board(lost="", free=""), Workers()
    board.create_task(PlanTask(id=TaskId("waits"), subject="waits", blocked_by=(TaskId("lost"),)))
    board.create_task(PlanTask(id=TaskId("later"), subject="later", blocked_by=(TaskId("waits"),)))
    board.update_task_status(TaskId("lost"), TaskStatus.IN_PROGRESS)  # begun elsewhere, and nobody goes on with it
    run = asyncio.create_task(TaskRunner(board, workers.work).run())
    await workers.until("free")
    workers.done("free")
    progress = await asyncio.wait_for(run, timeout=PATIENCE_S)
    assert (progress.completed, progress.skipped, progress.in_progress, progress.pending) == (1, 2, 1, 0)
    assert board.get_task(TaskId("waits")).error == "It waits for 'lost', which is not completed."


async def test_no_more_are_under_way_than_was_asked_for() -> None:
    board, workers = a_board(a="", b="", c=""), Workers()
    run = asyncio.create_task(TaskRunner(board, workers.work, at_once=2).run())
    await workers.until("a", "b")
    workers.done("b")
    await workers.until("a", "c")
    workers.done("a")
    workers.done("c")
    assert (await run).completed == 3


async def test_a_run_that_is_cancelled_stops_its_workers_and_skips_the_rest() -> None:
    board, workers = a_board(**SAMPLE), Workers()
    run = asyncio.create_task(TaskRunner(board, workers.work).run())
    await workers.until("1")
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert workers.under_way == []
    assert standing(board) == {"1": "failed", "2": "skipped", "3": "skipped", "4": "skipped"}


async def test_nothing_to_do_is_done_at_once() -> None:
    assert (await TaskRunner(a_board(), Workers().work).run()).total == 0
