"""The tree of tasks: what each row says, and that it follows a run event by event."""

import pytest
from PySide6.QtCore import QModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.events import (
    OperationFinished,
    OperationStarted,
    RunFinished,
    RunStarted,
    TaskFailed,
    TaskStarted,
    TaskUpdated,
)
from tandem_desktop.domain.ids import OperationId, RunId, TaskId
from tandem_desktop.domain.runs import FailurePolicy, OperationResult, ResultStatus, RunKind, RunStatus
from tandem_desktop.domain.tasks import TaskStatus
from tandem_desktop.ui.models import tasks
from tandem_desktop.ui.models.tasks import REST, OperationEntry, TaskEntry, TaskTreeModel
from tests.support.builders import PLAN_ID
from tests.ui.tasks.work import a_task, four, many, shown, six_under_way

RUN = RunId("RUN-0badcafe")
STARTED = RunStarted(
    run_id=RUN, plan_id=PLAN_ID, revision=1, run_kind=RunKind.APPLY, on_failure=FailurePolicy.CONTINUE, operations=5
)


def entry(model: TaskTreeModel, row: int) -> TaskEntry:
    found = model.entry(model.index(row, 0))
    assert isinstance(found, TaskEntry)
    return found


def below(model: TaskTreeModel, row: int) -> list[str]:
    task = model.index(row, 0)
    return [model.index(each, 0, task).data() for each in range(model.rowCount(task))]


def test_the_tree_keeps_qts_promises_while_plans_and_results_come_and_go(
    qtmodeltester: ModelTester, qtbot: QtBot
) -> None:
    work = shown(four())
    model = TaskTreeModel(work)
    qtmodeltester.check(model)
    work.follow(STARTED)
    work.follow(TaskStarted(plan_id=PLAN_ID, task_id=TaskId("1")))
    work.follow(OperationStarted(run_id=RUN, operation_id=OperationId("s1")))
    work.show_page(six_under_way(), six_under_way().results)
    qtmodeltester.check(model)
    work.show_page(many(200), ())
    work.clear()
    assert model.rowCount() == 0


def test_every_task_stands_after_those_it_waits_for_with_its_operations_below(qtbot: QtBot) -> None:
    model = TaskTreeModel(shown(six_under_way()))
    assert [model.index(row, 0).data() for row in range(model.rowCount())] == [
        *("Update auth types", "Refactor auth service", "Add tests", "Update middleware"),
        *("Migration script", "Deploy to staging", REST),
    ]
    assert below(model, 1) == ["create app/auth/service.py", "create app/auth/sessions.py"]
    assert below(model, 6) == ["create CHANGELOG.md"]
    operation = model.index(0, 0, model.index(1, 0))
    assert model.parent(operation) == model.index(1, 0)
    assert model.parent(model.index(1, 0)) == QModelIndex()


@pytest.mark.req("S2-12", "S2-13")
def test_a_task_says_who_how_urgent_what_it_waits_for_and_what_waits_for_it(qtbot: QtBot) -> None:
    model = TaskTreeModel(shown(six_under_way()))
    assert entry(model, 0).facts == "KODA · high priority · 1 operation · blocks Refactor auth service, Add tests"
    assert entry(model, 1).facts.startswith("Refactoring the auth service… · KODA · 2 operations")
    assert "waits for Refactor auth service" in entry(model, 3).facts
    assert entry(model, 4).remark == "The command ended with exit code 1."
    assert entry(model, 5).remark == "It waits for Migration script, which was not completed."
    spoken = model.index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("Task Refactor auth service, in progress · 60 %, ")


def test_a_run_is_followed_task_by_task_and_operation_by_operation(qtbot: QtBot) -> None:
    work = shown(four())
    model = TaskTreeModel(work)
    work.follow(STARTED)
    with qtbot.waitSignal(model.dataChanged):
        work.follow(TaskStarted(plan_id=PLAN_ID, task_id=TaskId("1"), agent="koda"))
    work.follow(OperationStarted(run_id=RUN, operation_id=OperationId("s1")))
    first = model.index(0, 0)
    under_way = model.entry(model.index(0, 0, first))
    assert isinstance(under_way, OperationEntry)
    assert (under_way.status, under_way.has_run) == (ResultStatus.RUNNING, True)
    assert entry(model, 0).facts.startswith("Creating types… · KODA")
    done = OperationResult(id=OperationId("s1"), status=ResultStatus.COMPLETED)
    work.follow(OperationFinished(run_id=RUN, result=done))
    work.follow(OperationStarted(run_id=RUN, operation_id=OperationId("s1")))
    assert work.status(OperationId("s1")) is ResultStatus.COMPLETED
    half = TaskUpdated(plan_id=PLAN_ID, task_id=TaskId("1"), status=TaskStatus.IN_PROGRESS, progress=50)
    work.follow(half)
    assert tasks.status_word(work.task(TaskId("1"))) == "in progress · 50 %"


@pytest.mark.req("S2-25", "S2-30")
def test_a_failure_shows_what_it_skips_and_the_end_counts_what_succeeded(qtbot: QtBot) -> None:
    work = shown(four())
    model = TaskTreeModel(work)
    work.follow(STARTED)
    work.follow(TaskFailed(plan_id=PLAN_ID, task_id=TaskId("2"), error="The command ended with exit code 3."))
    work.follow(TaskUpdated(plan_id=PLAN_ID, task_id=TaskId("4"), status=TaskStatus.SKIPPED, note="It waits."))
    assert entry(model, 3).remark == "It waits for Implement service, which was not completed."
    assert tasks.counts(work.progress) == "4 tasks · 1 failed · 1 skipped · 2 waiting"
    work.follow(RunFinished(run_id=RUN, plan_id=PLAN_ID, status=RunStatus.FAILED))
    assert not work.is_running
    assert tasks.summary(work.progress) == "(0/4 tasks succeeded)"


def test_what_an_agent_says_about_a_task_is_its_word_and_moves_nothing(qtbot: QtBot) -> None:
    work = shown(four())
    claim = TaskUpdated(
        plan_id=PLAN_ID, task_id=TaskId("1"), status=TaskStatus.COMPLETED, note="All good.", is_agents_word=True
    )
    work.follow(claim)
    model = TaskTreeModel(work)
    assert work.task(TaskId("1")).status is TaskStatus.PENDING
    assert entry(model, 0).remark == "The agent says: completed. All good."


def test_events_of_other_plans_and_runs_change_nothing(qtbot: QtBot) -> None:
    work = shown(four())
    before = work.tasks
    work.follow(TaskStarted(plan_id="PLAN-ffffffff", task_id=TaskId("1")))
    work.follow(TaskStarted(plan_id=PLAN_ID, task_id=TaskId("nobody")))
    work.follow(OperationStarted(run_id=RunId("RUN-ffffffff"), operation_id=OperationId("s1")))
    assert work.tasks == before
    assert work.status(OperationId("s1")) is ResultStatus.PENDING


def test_hidden_characters_in_a_subject_are_shown_as_such(qtbot: QtBot) -> None:
    page = four(tasks=(a_task("1", "Update\u202e types\nnow"),))
    model = TaskTreeModel(shown(page))
    assert "\u202e" not in model.index(0, 0).data()
    assert "\n" not in model.index(0, 0).data()
