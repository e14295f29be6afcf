"""The board answers for the tasks of one plan: each function, and the rules behind it."""

from datetime import timedelta
from functools import partial

import pytest

from tandem_desktop.domain.errors import TaskCycleError, TaskError
from tandem_desktop.domain.events import TasksListed, TaskUpdated, task_news
from tandem_desktop.domain.ids import OperationId, PlanId, TaskId
from tandem_desktop.domain.tasks import ExecutedTool, PlanTask, TaskPriority, TaskStatus, TrackedTask
from tandem_desktop.tasks.board import TaskBoard
from tests.support.builders import A_MOMENT
from tests.support.clocks import Clock
from tests.support.threads import run_together

PLAN = PlanId("PLAN-0badcafe")
ONE, TWO, THREE, FOUR = (TaskId(name) for name in "1234")
DOING, DONE, FAILED = TaskStatus.IN_PROGRESS, TaskStatus.COMPLETED, TaskStatus.FAILED


def a_task(name: str, blocked_by: str = "", **fields: object) -> PlanTask:
    return PlanTask.model_validate({"id": name, "subject": f"Task {name}", "blocked_by": tuple(blocked_by), **fields})


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def board(clock: Clock) -> TaskBoard:
    """The sample: 1 → (2 ∥ 3) → 4."""
    return TaskBoard(PLAN, clock, [a_task("1"), a_task("2", "1"), a_task("3", "1"), a_task("4", "23")])


def names(tasks: tuple[TrackedTask, ...]) -> str:
    return "".join(task.id for task in tasks)


def standing(board: TaskBoard) -> list[str]:
    return [task.status.value for task in board.get_tasks()]


@pytest.mark.req("S2-22", "S2-13")
def test_create_task_adds_a_task_that_knows_its_plan_and_who_waits_for_it(clock: Clock) -> None:
    board = TaskBoard(PLAN, clock)
    board.create_task(a_task("1"))
    created = board.create_task(a_task("2", "1", active_form="Moving…"))
    assert (created.plan_id, created.blocked_by, created.active_form) == (PLAN, (ONE,), "Moving…")
    assert created.created_at is not None
    assert board.get_task(ONE).blocks == (TWO,)
    assert board.get_task(ONE).active_form == "Task 1…"


@pytest.mark.req("S2-22")
@pytest.mark.parametrize("task", [a_task("1"), a_task("9", "8")], ids=["an id twice", "an unknown blocker"])
def test_create_task_refuses_what_makes_no_sense_and_keeps_what_it_has(board: TaskBoard, task: PlanTask) -> None:
    with pytest.raises(TaskError):
        board.create_task(task)
    assert names(board.get_tasks_in_order()) == "1234"


@pytest.mark.req("S2-22")
def test_get_task_finds_by_id_and_refuses_another(board: TaskBoard) -> None:
    assert board.get_task(THREE).subject == "Task 3"
    with pytest.raises(TaskError, match="nothing called '9'"):
        board.get_task(TaskId("9"))


@pytest.mark.req("S2-22")
def test_get_tasks_keeps_their_order_and_get_tasks_in_order_puts_blockers_first(clock: Clock) -> None:
    board = TaskBoard(PLAN, clock, [a_task("3", "1"), a_task("1"), a_task("2")])
    assert names(board.get_tasks()) == "312"
    assert names(board.get_tasks_in_order()) == "132"


@pytest.mark.req("S2-22", "S2-24")
def test_get_next_task_offers_a_task_only_when_everything_it_waits_for_is_completed(board: TaskBoard) -> None:
    offered = []
    while (task := board.get_next_task()) is not None:
        offered.append(task.id)
        board.update_task_status(task.id, DOING)
        waiting = board.get_next_task()
        assert waiting is None or set(waiting.blocked_by) <= set(offered[:-1])
        board.update_task_status(task.id, DONE)
    assert offered == ["1", "2", "3", "4"]


@pytest.mark.req("S2-24", "S2-27")
def test_two_tasks_are_ready_side_by_side_and_the_one_after_them_waits_for_both(board: TaskBoard) -> None:
    assert names(board.get_ready_tasks()) == "1"
    board.update_task_status(ONE, DONE)
    assert names(board.get_ready_tasks()) == "23"
    board.update_task_status(TWO, DONE)
    assert names(board.get_ready_tasks()) == "3"
    board.update_task_status(THREE, DOING)
    assert board.get_next_task() is None


@pytest.mark.req("S2-12", "S2-22")
def test_get_next_task_offers_the_most_urgent_first(clock: Clock) -> None:
    ranks = (TaskPriority.LOW, TaskPriority.NORMAL, TaskPriority.CRITICAL, TaskPriority.HIGH)
    board = TaskBoard(PLAN, clock, [a_task(str(number), priority=rank) for number, rank in enumerate(ranks)])
    assert names(board.get_ready_tasks()) == "2310"


@pytest.mark.req("S2-22", "S2-13")
def test_update_task_status_keeps_when_it_began_and_ended_and_what_was_said(board: TaskBoard, clock: Clock) -> None:
    clock.forward(minutes=1)
    begun = board.update_task_status(ONE, DOING, progress=30, active_form="Half way…")
    assert (begun.status, begun.progress, begun.active_form) == (DOING, 30, "Half way…")
    assert (begun.started_at, begun.completed_at) == (A_MOMENT + timedelta(minutes=1), None)
    clock.forward(minutes=2)
    done = board.update_task_status(ONE, DONE, result="Two files written.")
    assert (done.progress, done.result, done.error) == (100, "Two files written.", None)
    assert (done.started_at, done.completed_at) == (begun.started_at, A_MOMENT + timedelta(minutes=3))


@pytest.mark.req("S2-22")
def test_update_task_status_of_an_unknown_task_is_refused(board: TaskBoard) -> None:
    with pytest.raises(TaskError):
        board.update_task_status(TaskId("9"), DONE)


@pytest.mark.req("S2-13")
@pytest.mark.parametrize("progress", [-1, 101])
def test_update_task_status_refuses_progress_that_is_none(board: TaskBoard, progress: int) -> None:
    with pytest.raises(TaskError, match="done"):
        board.update_task_status(ONE, DOING, progress=progress)
    assert board.get_task(ONE).status is TaskStatus.PENDING


@pytest.mark.req("S2-22")
def test_add_task_dependency_makes_one_task_wait_for_another(board: TaskBoard) -> None:
    assert board.add_task_dependency(THREE, TWO).blocked_by == (ONE, TWO)
    assert board.add_task_dependency(THREE, TWO).blocked_by == (ONE, TWO)
    assert board.get_task(TWO).blocks == (THREE, FOUR)
    board.update_task_status(ONE, DONE)
    assert names(board.get_ready_tasks()) == "2"


@pytest.mark.req("S2-22", "S2-26")
def test_add_task_dependency_refuses_a_circle_and_changes_nothing(board: TaskBoard) -> None:
    with pytest.raises(TaskCycleError):
        board.add_task_dependency(ONE, FOUR)
    with pytest.raises(TaskError):
        board.add_task_dependency(ONE, TaskId("9"))
    assert names(board.get_ready_tasks()) == "1"


@pytest.mark.req("S2-22")
def test_a_task_that_has_begun_can_wait_for_nothing_more(board: TaskBoard) -> None:
    board.create_task(a_task("5"))
    board.update_task_status(ONE, DOING)
    with pytest.raises(TaskError, match="'1' is in progress"):
        board.add_task_dependency(ONE, TaskId("5"))


@pytest.mark.req("S2-22", "S2-13")
def test_add_executed_tool_keeps_every_tool_in_order(board: TaskBoard) -> None:
    wrote = ExecutedTool(tool="write", operation_id=OperationId("s1"), succeeded=True)
    failed = ExecutedTool(tool="bash", operation_id=OperationId("s2"), succeeded=False, error="exit code 1")
    board.add_executed_tool(ONE, wrote)
    assert board.add_executed_tool(ONE, failed).tools_executed == (wrote, failed)
    assert board.get_task(TWO).tools_executed == ()


@pytest.mark.req("S2-22")
def test_tasks_are_found_by_status_and_by_agent(clock: Clock) -> None:
    board = TaskBoard(PLAN, clock, [a_task("1", agent="koda"), a_task("2", agent="devo"), a_task("3", agent="koda")])
    board.update_task_status(TWO, DOING)
    assert names(board.get_tasks_by_status(DOING)) == "2"
    assert names(board.get_tasks_by_status(TaskStatus.PENDING)) == "13"
    assert names(board.get_tasks_by_agent("koda")) == "13"
    assert board.get_tasks_by_agent("chapo") == ()


@pytest.mark.req("S2-22")
def test_are_all_tasks_completed_only_when_each_one_is(board: TaskBoard, clock: Clock) -> None:
    for task_id in (ONE, TWO, THREE):
        board.update_task_status(task_id, DONE)
    assert not board.are_all_tasks_completed()
    board.update_task_status(FOUR, TaskStatus.SKIPPED)
    assert not board.are_all_tasks_completed()
    board.update_task_status(FOUR, DONE)
    assert board.are_all_tasks_completed()
    assert not TaskBoard(PLAN, clock).are_all_tasks_completed()


@pytest.mark.req("S2-22", "S2-20")
def test_get_task_progress_follows_every_change(board: TaskBoard) -> None:
    board.update_task_status(ONE, DONE)
    board.update_task_status(TWO, FAILED)
    board.update_task_status(THREE, DOING)
    found = board.get_task_progress()
    assert (found.total, found.pending, found.in_progress) == (4, 0, 1)
    assert (found.completed, found.failed, found.skipped, found.percent_complete) == (1, 1, 1, 25)


@pytest.mark.req("S2-25")
def test_a_failed_task_skips_everything_that_waits_for_it_through_others_too(clock: Clock) -> None:
    board = TaskBoard(PLAN, clock, [a_task("1"), a_task("2", "1"), a_task("3", "2"), a_task("4"), a_task("5", "34")])
    board.update_task_status(ONE, FAILED, error="no space left")
    assert standing(board) == ["failed", "skipped", "skipped", "pending", "skipped"]
    assert board.get_task(ONE).error == "no space left"
    assert board.get_task(THREE).error == "It waits for '1', which was not completed."


@pytest.mark.req("S2-22", "S2-25")
def test_skip_blocked_tasks_names_who_was_skipped_and_leaves_what_has_begun(board: TaskBoard) -> None:
    board.update_task_status(ONE, DONE)
    board.update_task_status(THREE, DONE)
    assert board.skip_blocked_tasks(TWO) == (FOUR,)
    assert standing(board) == ["completed", "pending", "completed", "skipped"]
    assert board.skip_blocked_tasks(ONE) == (TWO,)
    assert standing(board) == ["completed", "skipped", "completed", "skipped"]


def test_threads_that_tell_at_once_lose_nothing(board: TaskBoard) -> None:
    tools = [ExecutedTool(tool=f"t{number}", succeeded=True) for number in range(8)]
    run_together(*(partial(board.add_executed_tool, ONE, tool) for tool in tools))
    assert set(board.get_task(ONE).tools_executed) == set(tools)


def test_a_board_that_follows_the_news_of_another_stands_as_it_does(board: TaskBoard, clock: Clock) -> None:
    follower = TaskBoard(PLAN, clock, board.get_tasks())
    follower.update_task_status(TaskId("4"), TaskStatus.COMPLETED)
    follower.begin()
    for task_id, status in (("1", "in_progress"), ("1", "completed"), ("2", "in_progress"), ("2", "failed")):
        moved = board.update_task_status(
            TaskId(task_id), TaskStatus(status), error="It broke." if status == "failed" else None
        )
        assert follower.follow(task_news(moved)) == (task_id,)
    for skipped in board.get_tasks_by_status(TaskStatus.SKIPPED):
        follower.follow(task_news(skipped))
    assert standing(follower) == standing(board)
    assert follower.get_task(TaskId("2")).error == "It broke."
    assert follower.get_task_progress() == board.get_task_progress()
    assert follower.follow(TasksListed(plan_id=PLAN, tasks=board.get_tasks())) == ("1", "2", "3", "4")
    assert follower.get_tasks() == board.get_tasks()


def test_what_an_agent_says_of_a_task_or_of_another_plan_moves_nothing(board: TaskBoard) -> None:
    said = {"plan_id": PLAN, "status": TaskStatus.COMPLETED, "is_agents_word": True}
    assert board.follow(TaskUpdated(task_id=TaskId("1"), **said)) == ("1",)
    assert board.follow(TaskUpdated(task_id=TaskId("9"), **said)) == ()
    assert board.get_task_progress().pending == 4
