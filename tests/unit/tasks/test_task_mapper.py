"""A task's status is what became of its operations, and nothing else."""

from functools import partial
from itertools import combinations_with_replacement

import pytest

from tandem_desktop.domain.ids import OperationId, TaskId
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tandem_desktop.domain.tasks import TaskMapping, TaskStatus
from tandem_desktop.tasks.graph import TaskMapper, status_of
from tests.support.builders import a_write
from tests.support.threads import run_together

T1, T2 = TaskId("t1"), TaskId("t2")
S1, S2 = OperationId("s1"), OperationId("s2")


def results(**statuses: str) -> list[OperationResult]:
    return [OperationResult(id=OperationId(name), status=ResultStatus(status)) for name, status in statuses.items()]


def a_mapper() -> TaskMapper:
    mapper = TaskMapper()
    mapper.map_operation_to_task(T1, S1)
    mapper.map_operation_to_task(T1, S2)
    return mapper


@pytest.mark.req("S0-66", "S0-67")
def test_the_first_operation_makes_a_pending_mapping_and_later_ones_are_appended() -> None:
    mapper = TaskMapper()
    assert mapper.map_operation_to_task(T1, S1) == TaskMapping(
        task_id=T1, operation_ids=(S1,), status=TaskStatus.PENDING
    )
    assert mapper.map_operation_to_task(T1, S2).operation_ids == (S1, S2)


@pytest.mark.req("S0-67")
def test_mapping_an_operation_again_does_not_double_it() -> None:
    mapper = a_mapper()
    mapper.map_operation_to_task(T1, S1)
    assert mapper.get_task_operations(T1) == (S1, S2)


def test_an_operation_mapped_elsewhere_leaves_its_former_task() -> None:
    mapper = a_mapper()
    mapper.map_operation_to_task(T2, S1)
    assert (mapper.get_task_operations(T1), mapper.get_task_operations(T2)) == ((S2,), (S1,))
    assert mapper.get_operation_task(S1) == T2


@pytest.mark.req("S0-68")
def test_an_unknown_task_has_no_operations() -> None:
    assert TaskMapper().get_task_operations(T1) == ()
    assert TaskMapper().get_operation_task(S1) is None


def test_operations_that_name_their_task_are_mapped_from_the_start() -> None:
    mapper = TaskMapper([a_write(id="s1", task=T1), a_write(id="s2"), a_write(id="s3", task=T1)])
    assert mapper.get_task_operations(T1) == (S1, OperationId("s3"))
    assert mapper.get_operation_task(OperationId("s2")) is None


@pytest.mark.req("S0-69")
def test_an_empty_or_unknown_mapping_is_pending_never_completed() -> None:
    mapper = TaskMapper()
    assert mapper.update_task_status(T1, []) is TaskStatus.PENDING
    mapper.map_operation_to_task(T1, S1)
    mapper.map_operation_to_task(T2, S1)
    assert mapper.update_task_status(T1, results(s1="completed")) is TaskStatus.PENDING


@pytest.mark.req("S0-69")
def test_an_operation_without_a_result_has_not_failed() -> None:
    mapper = a_mapper()
    assert mapper.update_task_status(T1, results(s1="completed")) is TaskStatus.IN_PROGRESS
    assert mapper.update_task_status(T1, results(s2="completed")) is TaskStatus.COMPLETED


@pytest.mark.req("S0-69")
def test_a_new_operation_reopens_a_completed_task() -> None:
    mapper = a_mapper()
    mapper.update_task_status(T1, results(s1="completed", s2="completed"))
    assert mapper.map_operation_to_task(T1, OperationId("s3")).status is TaskStatus.IN_PROGRESS


EXPECTED = {
    "pending pending": "pending",
    "pending running": "in_progress",
    "pending completed": "in_progress",
    "pending failed": "failed",
    "pending skipped": "in_progress",
    "pending rolled_back": "in_progress",
    "pending cancelled": "in_progress",
    "running running": "in_progress",
    "running completed": "in_progress",
    "running failed": "failed",
    "running skipped": "in_progress",
    "running rolled_back": "in_progress",
    "running cancelled": "in_progress",
    "completed completed": "completed",
    "completed failed": "failed",
    "completed skipped": "skipped",
    "completed rolled_back": "skipped",
    "completed cancelled": "skipped",
    "failed failed": "failed",
    "failed skipped": "failed",
    "failed rolled_back": "failed",
    "failed cancelled": "failed",
    "skipped skipped": "skipped",
    "skipped rolled_back": "skipped",
    "skipped cancelled": "skipped",
    "rolled_back rolled_back": "skipped",
    "rolled_back cancelled": "skipped",
    "cancelled cancelled": "skipped",
}


@pytest.mark.req("S0-69")
def test_every_pair_of_results_gives_the_status_written_down_for_it() -> None:
    pairs = list(combinations_with_replacement(ResultStatus, 2))
    assert {f"{one} {other}": status_of([one, other]).value for one, other in pairs} == EXPECTED
    assert all(status_of(pair) is status_of(reversed(pair)) for pair in pairs)


def test_threads_that_map_at_once_lose_no_operation() -> None:
    mapper = TaskMapper()

    def map_many(worker: int) -> None:
        for number in range(50):
            mapper.map_operation_to_task(T1, OperationId(f"w{worker}.{number}"))

    run_together(*(partial(map_many, worker) for worker in range(8)))
    assert set(mapper.get_task_operations(T1)) == {f"w{worker}.{number}" for worker in range(8) for number in range(50)}
