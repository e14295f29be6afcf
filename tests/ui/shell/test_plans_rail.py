from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.approval import WorkspaceIdentity
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.plans.index import PlanSummary
from tandem_desktop.ui.models.plans import PlansModel
from tandem_desktop.ui.plan_text import RunFacts
from tandem_desktop.ui.shell.plans_rail import PlanListMenu, PlansRail
from tandem_desktop.ui.state import WindowState
from tandem_desktop.ui.theme.theme import Theme

NOW = datetime(2026, 5, 4, 15, 0, tzinfo=UTC)


def a_plan(number: int, status: PlanStatus, title: str = "") -> PlanSummary:
    when = NOW - timedelta(hours=number)
    return PlanSummary(PlanId(f"PLAN-0000000{number}"), title or f"Plan {number}", status, 1, f"sha-{number}", when)


def a_run(number: int, way_back: str, *, at: datetime = NOW) -> RunFacts:
    return RunFacts(RunId(f"RUN-{number}"), PlanId(f"PLAN-0000000{number}"), 1, at, way_back, way_back == "Undo")


def lines(model: PlansModel) -> list[str]:
    rows = [model.index(row).data(PlansModel.RowRole) for row in range(model.rowCount())]
    return [row.title if row.is_heading else f"{row.title}: {row.subtitle}" for row in rows]


@pytest.fixture
def model() -> PlansModel:
    made = PlansModel(lambda: NOW)
    made.set_plans(
        (a_plan(1, PlanStatus.COMPLETED), a_plan(2, PlanStatus.PROPOSED), a_plan(3, PlanStatus.EXECUTING, "Move it"))
    )
    return made


@pytest.fixture
def rail(qtbot: QtBot, model: PlansModel) -> PlansRail:
    made = PlansRail(Theme(name="dark"), model)
    qtbot.addWidget(made)
    made.resize(216, 500)
    made.show()
    return made


def test_plans_stand_in_three_groups_with_what_needs_the_person_first(
    model: PlansModel, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(model)
    assert [line for line in lines(model) if ":" not in line] == ["Needs you", "Running", "Done"]


def test_applied_plan_says_when_and_that_it_can_be_undone(model: PlansModel) -> None:
    model.set_runs((a_run(1, "Undo"),))
    assert f"Plan 1: completed {NOW.astimezone():%H:%M} · undo available" in lines(model)


def test_plan_applied_the_day_before_says_yesterday(model: PlansModel) -> None:
    model.set_runs((a_run(1, "Undo", at=NOW - timedelta(days=1)),))
    assert "Plan 1: completed yesterday · undo available" in lines(model)


def test_undone_plan_no_longer_says_that_it_is_applied(model: PlansModel) -> None:
    model.set_runs((a_run(1, "Redo"),))
    assert "Plan 1: undone · can be redone" in lines(model)


def test_plan_whose_run_was_cut_off_needs_the_person(model: PlansModel) -> None:
    model.set_interrupted({"PLAN-00000003": (4, 9)})
    assert lines(model)[1:3] == [
        "Plan 2: r1 · proposed",
        "Move it: interrupted at 4/9 · resume or roll back",
    ]
    assert model.waiting == 2


def test_search_narrows_the_list_and_enter_opens_the_first_find(qtbot: QtBot, rail: PlansRail) -> None:
    qtbot.keyClicks(rail.search, "move")
    with qtbot.waitSignal(rail.plan_chosen) as told:
        qtbot.keyClick(rail.search, Qt.Key.Key_Return)
    assert told.args == ["PLAN-00000003"]


def test_menu_of_a_plan_offers_the_way_back_of_its_run(qtbot: QtBot, rail: PlansRail, model: PlansModel) -> None:
    model.set_runs((a_run(1, "Undo"),))
    rail.show_chosen(PlanId("PLAN-00000001"))
    rail.list.customContextMenuRequested.emit(rail.list.rect().bottomRight())
    menu = rail.findChild(QMenu, "plan-menu")
    assert menu is not None
    entries = {action.text(): action for action in menu.actions()}
    with qtbot.waitSignal(rail.way_back_requested) as told:
        entries["Undo…"].trigger()
    assert told.args == ["RUN-1"]
    menu.close()


def test_long_title_takes_two_lines_and_ends_in_a_mark(rail: PlansRail, model: PlansModel) -> None:
    model.set_plans((a_plan(1, PlanStatus.PROPOSED), a_plan(2, PlanStatus.PROPOSED, "Rename every total " * 9)))
    short, tall = (rail.list.visualRect(model.index(row)).height() for row in (1, 2))
    assert short < tall < 2 * short


def own(model: PlansModel, rail: PlansRail, folder: Path) -> PlanListMenu:
    state = WindowState(folder, WorkspaceIdentity(real_path="/w", device=1, inode=2))
    return PlanListMenu(Theme(name="dark"), state, model, rail)


def test_plan_that_is_done_can_be_archived_found_again_and_brought_back(
    model: PlansModel, rail: PlansRail, tmp_path: Path
) -> None:
    own(model, rail, tmp_path)
    rail.archive_requested.emit("PLAN-00000001", True)
    assert "Done" not in lines(model)
    rail.search.setText("archived")
    assert [line for line in lines(model) if ":" in line] == ["Plan 1: archived · r1 · completed"]
    rail.archive_requested.emit("PLAN-00000001", False)
    rail.search.clear()
    assert "Plan 1: r1 · completed" in lines(model)


def test_archived_plan_is_listed_again_when_it_needs_the_person(
    model: PlansModel, rail: PlansRail, tmp_path: Path
) -> None:
    own(model, rail, tmp_path)
    rail.archive_requested.emit("PLAN-00000001", True)
    model.set_plans((a_plan(1, PlanStatus.STALLED),))
    assert lines(model)[0] == "Needs you"


def test_name_a_person_gave_a_plan_stays_and_an_empty_one_brings_its_title_back(
    qtbot: QtBot, model: PlansModel, rail: PlansRail, tmp_path: Path
) -> None:
    journal_store = own(model, rail, tmp_path)
    for name, shown in (("Limits", "Limits"), ("", "Plan 2")):
        rail.rename_requested.emit("PLAN-00000002", "Plan 2")
        assert journal_store._sheet is not None
        journal_store._sheet.field.setText(name)
        guard = journal_store._sheet.guard
        qtbot.waitUntil(lambda guard=guard: guard.is_ready)
        qtbot.keyClick(journal_store._sheet.field, Qt.Key.Key_Return)
        assert f"{shown}: r1 · proposed" in lines(model)
