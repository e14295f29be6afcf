"""Between a choice and the page that answers it nothing is approved, lost or handed to another plan."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.plan import Origin
from tandem_desktop.domain.plan_states import EventKind
from tandem_desktop.domain.review import Comments, Place
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.ui.plan.comments import CommentSpot
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tests.support.builders import A_MOMENT, PLAN_ID
from tests.ui.plan.pages import a_page, the_operations

LEFT = Qt.MouseButton.LeftButton
OTHER = PlanId("PLAN-0000beef")


@pytest.fixture
def page() -> PlanPage:
    return a_page(*the_operations()[0])


def of_another_plan(page: PlanPage) -> PlanPage:
    version = page.version.model_copy(update={"plan_id": OTHER})
    meta = page.meta.model_copy(update={"plan_id": OTHER})
    return PlanPage(version, meta, page.digest, page.views, (), (), ())


def test_what_was_just_dropped_is_never_on_the_approval_sheet(
    panel: ExecutionPlanPanel, qtbot: QtBot, page: PlanPage
) -> None:
    panel.show_page(page)
    panel.chooser.set_dropped((page.views[0].operation.id,), True)
    with qtbot.waitSignal(panel.save_requested) as saved:
        panel.request(EventKind.APPROVE)
    assert saved.args is not None
    assert saved.args[0].operations == (page.views[0].operation.id,)
    assert panel.sheets.approval.isHidden()


@pytest.mark.parametrize(("origin", "is_asked"), [(Origin.PERSON, True), (Origin.REWORK, False)])
def test_only_the_revision_made_of_the_choices_is_asked_about(
    panel: ExecutionPlanPanel, page: PlanPage, origin: Origin, is_asked: bool
) -> None:
    panel.show_page(page)
    panel.chooser.set_dropped((page.views[0].operation.id,), True)
    panel.request(EventKind.APPROVE)
    following = page.version.revision + 1
    version = page.version.model_copy(update={"revision": following, "origin": origin})
    panel.show_page(replace(page, version=version, meta=page.meta.model_copy(update={"revision": following})))
    assert panel.sheets.approval.isVisibleTo(panel) is is_asked


@pytest.mark.req("S1-26")
def test_approving_is_asked_in_the_window_itself_and_never_in_one_of_its_own(
    panel: ExecutionPlanPanel, page: PlanPage
) -> None:
    panel.show_page(page)
    panel.request(EventKind.APPROVE)
    sheet = panel.sheets.approval
    assert not sheet.isHidden()
    assert (sheet.isWindow(), sheet.isModal(), sheet.window()) == (False, False, panel.window())


def test_choice_made_while_the_sheet_is_open_makes_it_worthless(panel: ExecutionPlanPanel, page: PlanPage) -> None:
    panel.show_page(page)
    panel.request(EventKind.APPROVE)
    panel.chooser.set_dropped((page.views[0].operation.id,), True)
    assert not panel.sheets.approval.implement.isEnabled()


def test_older_page_does_not_take_a_newer_choice_away(panel: ExecutionPlanPanel, page: PlanPage) -> None:
    panel.show_page(page)
    first, second = (view.operation.id for view in page.views[:2])
    panel.chooser.set_dropped((first,), True)
    panel.show_page(page)
    panel.chooser.set_dropped((second,), True)
    assert panel.chooser.choices is not None
    assert panel.chooser.choices.operations == (first, second)
    panel.chooser.give_up()
    panel.show_page(page)
    assert panel.chooser.choices.is_empty


def test_edit_is_a_choice_on_top_of_the_others(panel: ExecutionPlanPanel, page: PlanPage) -> None:
    panel.show_page(page)
    first, second = (view.operation.id for view in page.views[:2])
    panel.chooser.set_dropped((first,), True)
    panel.chooser.edit(second, "0" * 64)
    panel.chooser.set_dropped((first,), False)
    choices = panel.chooser.choices
    assert choices is not None
    assert (choices.operations, choices.part(second).edited) == ((), "0" * 64)


def test_words_begun_about_one_plan_are_kept_with_it_when_another_is_shown(
    panel: ExecutionPlanPanel, qtbot: QtBot, page: PlanPage
) -> None:
    panel.show_page(page)
    panel.text.comments.begin(CommentSpot())
    panel.text.comments.editor.setPlainText("about the first")
    with qtbot.waitSignal(panel.commented) as kept:
        panel.show_page(of_another_plan(page))
    assert kept.args is not None
    assert (kept.args[0], kept.args[3]) == (PLAN_ID, "about the first")
    assert not panel.text.comments.is_writing


def test_text_begun_for_one_plan_is_its_own_when_another_is_shown(
    panel: ExecutionPlanPanel, qtbot: QtBot, page: PlanPage
) -> None:
    panel.show_page(page)
    panel.tabs.show_tab("plan-text")
    qtbot.mouseClick(panel.findChild(object, "plan-text-edit"), LEFT)
    panel.text.findChild(object, "plan-text-editor").setPlainText("mine")
    with qtbot.waitSignal(panel.choices_changed) as kept:
        panel.show_page(of_another_plan(page))
    assert kept.args is not None
    assert (kept.args[0].plan_id, kept.args[0].text) == (PLAN_ID, "mine")
    assert panel.chooser.choices is not None
    assert panel.chooser.choices.text is None


def test_comment_that_could_not_be_kept_stands_again_where_it_was_written(
    panel: ExecutionPlanPanel, page: PlanPage
) -> None:
    panel.show_page(page)
    panel.set_comments(Comments(plan_id=PLAN_ID).add(Place(), "kept", 1, A_MOMENT))
    panel.remarks.write_again(OperationId(page.views[0].operation.id), CommentSpot(), "not kept")
    content = next(each for each in panel.operations.list.contents._contents.values())
    assert content.comments.editor.toPlainText() == "not kept"
