from datetime import timedelta

from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.runs import FailurePolicy, RunKind, RunRecord, RunStatus
from tandem_desktop.services.runs import ListedRun
from tandem_desktop.ui.models.plans import RevisionsModel
from tandem_desktop.ui.models.runs import RunsModel
from tests.support.builders import A_MOMENT, PLAN_ID


def a_run(
    number: int = 1,
    status: RunStatus = RunStatus.COMPLETED,
    *,
    undoable: bool = True,
    rolled_back: bool = False,
    hours_ago: int = 2,
) -> ListedRun:
    record = RunRecord(
        run_id=RunId(f"RUN-0000000{number}"),
        kind=RunKind.APPLY,
        plan_id=PLAN_ID,
        revision=3,
        digest="0" * 64,
        on_failure=FailurePolicy.ROLLBACK,
        status=status,
        rolled_back=rolled_back,
        started_at=A_MOMENT - timedelta(hours=hours_ago),
    )
    return ListedRun(record, status, undoable)


def test_runs_keep_qts_promises(qtmodeltester: ModelTester, qtbot: QtBot) -> None:
    model = RunsModel(lambda: A_MOMENT)
    qtmodeltester.check(model)
    model.show((a_run(1), a_run(2)), {PLAN_ID: "A change"})
    model.show(())


def test_a_run_says_when_it_was_how_it_ended_and_what_can_be_done(qtbot: QtBot) -> None:
    model = RunsModel(lambda: A_MOMENT)
    model.show((a_run(1), a_run(2, RunStatus.FAILED, undoable=False, rolled_back=True)), {PLAN_ID: "A change"})
    assert model.index(0).data() == "Apply A change r3"
    assert model.index(0).data(RunsModel.DetailRole) == "2 h ago · completed · can be undone"
    assert "nothing on disk has changed" in model.index(1).data(RunsModel.DetailRole)


def test_revisions_are_listed_newest_first(qtmodeltester: ModelTester, qtbot: QtBot) -> None:
    model = RevisionsModel()
    qtmodeltester.check(model)
    model.show(3, 2)
    assert [model.index(row).data() for row in range(3)] == ["r3 · latest", "r2", "r1"]
    model.show(3, 3)
    assert model.current == 3


def test_runs_stand_under_the_day_they_were_begun(qtbot: QtBot) -> None:
    model = RunsModel(lambda: A_MOMENT)
    model.show((a_run(1, hours_ago=0), a_run(2, hours_ago=0), a_run(3, hours_ago=24), a_run(4, hours_ago=24 * 40)))
    headings = [model.index(row).data(RunsModel.DayRole) for row in range(4)]
    assert headings[:3] == ["Today", "", "Yesterday"]
    assert str((A_MOMENT - timedelta(days=40)).astimezone().year) in headings[3]


def test_title_of_a_plan_that_is_listed_later_reaches_its_runs(qtbot: QtBot) -> None:
    model = RunsModel(lambda: A_MOMENT)
    model.show((a_run(1),))
    with qtbot.waitSignal(model.dataChanged):
        model.set_titles({PLAN_ID: "A change"})
    assert model.title_of(RunId("RUN-00000001")) == "Apply A change r3, 2 h ago"


def test_going_back_is_offered_as_long_as_one_run_since_can_be_undone(qtbot: QtBot) -> None:
    model = RunsModel(lambda: A_MOMENT)
    undone = a_run(1, RunStatus.UNDONE, undoable=False)
    model.show((undone, a_run(2), a_run(3, RunStatus.UNDONE, undoable=False)))
    assert [model.can_go_back_to(row) for row in range(3)] == [False, True, True]
