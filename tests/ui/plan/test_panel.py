import dataclasses

import pytest
import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.events import (
    OperationFinished,
    OperationStaged,
    OperationStarted,
    OperationUnstaged,
    RunFinished,
    RunPaused,
    RunStarted,
    StagingCleared,
)
from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.domain.network import NetworkMode, NetworkReport, RefusedHost
from tandem_desktop.domain.plan_states import EventKind, PlanState, PlanStatus
from tandem_desktop.domain.review import Comments, Place
from tandem_desktop.domain.runs import FailurePolicy, OperationResult, ResultStatus, RunKind, RunStatus
from tandem_desktop.domain.state_machine import PlanStateMachine
from tandem_desktop.execution.recovery import InterruptedRun
from tandem_desktop.execution.undo import UndoPlan
from tandem_desktop.review.compare import compare
from tandem_desktop.review.drift import Drifted
from tandem_desktop.staging.changes import Difference
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.footer import PlanActionButtons
from tandem_desktop.ui.plan.operations_tab import Emptiness
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.plan.sheets import Sheet
from tandem_desktop.ui.plan.undo_sheet import UndoRequest
from tandem_desktop.ui.theme.style import install
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banners import Banner
from tandem_desktop.ui.widgets.buttons import LinkButton
from tests.support.builders import A_MOMENT, PLAN_ID, SESSION_ID, a_command, a_write, an_external_call
from tests.ui.plan.pages import a_page, a_staged, the_operations, viewed
from tests.ui.plan.test_runs_and_revisions_models import a_run

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier
RUN = RunId("RUN-00000001")
SETTINGS_DRIFTED = (Drifted("app/settings.py", Difference.MODIFIED),)


def click(qtbot: QtBot, panel: QWidget, name: str) -> None:
    button = panel.findChild(QWidget, name)
    assert button is not None, name
    qtbot.mouseClick(button, LEFT)


def banners(panel: ExecutionPlanPanel) -> str:
    return "\n".join(each.text for each in panel.operations.findChildren(Banner) if not each.isHidden())


def reviewing(panel: ExecutionPlanPanel, **fields: object) -> None:
    panel.show_page(a_page(*the_operations()[0], **fields))  # type: ignore[arg-type]
    panel.operations.list.setFocus()


def approving(panel: ExecutionPlanPanel, qtbot: QtBot) -> Sheet:
    reviewing(panel)
    QTest.keyClick(panel.operations.list, Qt.Key.Key_Return, CONTROL)
    sheet = panel.sheets.approval
    assert sheet.isVisible()
    return sheet


# The head


def test_the_head_says_what_the_plan_comes_to(panel: ExecutionPlanPanel) -> None:
    reviewing(panel, revision=3, parent=2)
    assert panel.header.title.text() == "Rate-limit the login route"
    assert panel.header.badge.text() == "Proposed"
    assert panel.header.totals.words().startswith("6 operations · 5 files · +127 · −35 · 1 command · sha256 ")
    assert panel.header.compare.text() == "Compare with r2"


def test_bytes_that_are_no_text_count_as_a_file_and_as_no_lines(panel: ExecutionPlanPanel) -> None:
    image = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    panel.show_page(a_page(viewed(a_write("logo.png", image, id="s1"), b"", image)))
    assert panel.header.totals.words().startswith("1 operation · 1 file · sha256")


def test_a_click_copies_the_whole_digest(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    reviewing(panel)
    click(qtbot, panel, "plan-totals")
    assert panel.page is not None
    assert QGuiApplication.clipboard().text() == panel.page.digest


def test_comparing_names_both_revisions(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    reviewing(panel, revision=3, parent=2)
    with qtbot.waitSignal(panel.compare_requested) as asked:
        click(qtbot, panel, "plan-compare")
    assert asked.args == [PLAN_ID, 2, 3]


@pytest.mark.qt_log_ignore("does not support grabbing the keyboard", extend=True)  # as the offscreen platform says
def test_the_menu_of_revisions_asks_for_another_one(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QMenu

    reviewing(panel, revision=3, parent=2)
    click(qtbot, panel, "plan-revision")
    menu = panel.findChild(QMenu, "plan-revision-menu")
    assert isinstance(menu, QMenu)
    with qtbot.waitSignal(panel.revision_requested) as asked:
        menu.actions()[1].trigger()
    assert asked.args == [PLAN_ID, 2]
    menu.close()


def test_a_comparison_marks_what_is_new_and_names_what_is_gone(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    before = a_page(*the_operations()[0][1:])
    reviewing(panel, revision=3, parent=2)
    assert panel.page is not None
    panel.show_comparison(2, compare(before.version, panel.page.version))
    assert panel.model.row(0).change == "new"
    assert panel.model.row(1).change == ""
    assert "Compared with r2: 1 new." in banners(panel)
    panel.show_comparison(2, compare(panel.page.version, before.version))
    assert "1 gone (gone: app/ratelimit.py)." in banners(panel)
    panel.show_page(panel.page)
    assert "Compared with r2" in banners(panel), "the same revision was loaded again"
    click(qtbot, panel, "banner-compared")
    assert "Compared" not in banners(panel)


def test_a_page_that_was_edited_by_hand_is_named_with_what_is_really_approved(panel: ExecutionPlanPanel) -> None:
    page = a_page(*the_operations()[0])
    panel.show_page(page)
    assert "edited by hand" not in banners(panel)
    panel.show_page(dataclasses.replace(page, edited_page="/p/r001.md"))
    assert "/p/r001.md was edited by hand." in banners(panel)
    assert "what is approved and applied is r001.json" in banners(panel)


def test_only_the_persons_own_marks_are_told_to_be_kept(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    reviewing(panel)
    panel.operations.list.setCurrentIndex(panel.model.index(1))
    with qtbot.waitSignal(panel.viewed_changed) as told:
        QTest.keyClicks(panel.operations.list, " ")
    assert told.args is not None
    assert [mark.partition(":")[0] for mark in told.args[1]] == ["s2"]
    with qtbot.assertNotEmitted(panel.viewed_changed):
        panel.show_page(a_page(*the_operations()[0], plan_id="PLAN-00000002"))
        reviewing(panel)
        panel.set_viewed(told.args[1])
    assert panel.model.viewed == {"s2"}


def test_a_kept_mark_does_not_fit_an_operation_that_has_changed(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    panel.show_page(a_page(viewed(a_write("a.py", b"1\n", id="s1"), b"", b"1\n")))
    panel.operations.list.setCurrentIndex(panel.model.index(0))
    with qtbot.waitSignal(panel.viewed_changed) as told:
        QTest.keyClicks(panel.operations.list, " ")
    assert told.args is not None
    panel.show_page(a_page(viewed(a_write("a.py", b"2\n", id="s1"), b"", b"2\n"), revision=2))
    panel.set_viewed(told.args[1])
    assert not panel.model.viewed


# Deciding


@pytest.mark.parametrize("state", list(PlanState))
def test_buttons_allow_exactly_what_the_machine_allows(state: PlanState, theme: Theme, qtbot: QtBot) -> None:
    buttons = PlanActionButtons(theme)
    qtbot.addWidget(buttons)
    machine = PlanStateMachine(state)
    buttons.follow(machine)
    for kind in (EventKind.APPROVE, EventKind.REQUEST_REVISION, EventKind.CANCEL):
        assert buttons.button(kind).isEnabled() is machine.can(kind)


def test_a_button_only_asks(theme: Theme, qtbot: QtBot) -> None:
    buttons = PlanActionButtons(theme)
    qtbot.addWidget(buttons)
    buttons.follow(PlanStateMachine(PlanState.REVIEWING), tasks=2)
    with qtbot.waitSignal(buttons.requested) as asked:
        click(qtbot, buttons, "plan-action-request_revision")
    assert asked.args == [EventKind.REQUEST_REVISION]
    with qtbot.waitSignal(buttons.tasks_requested):
        click(qtbot, buttons, "plan-action-view_tasks")


def test_implement_opens_a_sheet_and_approves_nothing_by_itself(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(panel.sheets.approval.approved):
        sheet = approving(panel, qtbot)
        assert QGuiApplication.focusObject() is panel.sheets.approval.back
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            QTest.keyClick(sheet, key)
            QTest.keyClick(sheet, key, CONTROL)
            QTest.keyClick(panel.sheets.approval.implement, key)
        assert sheet.isVisible()
        QTest.keyClick(panel.sheets.approval.back, Qt.Key.Key_Return)
    assert not sheet.isVisible(), "Enter goes back to the review"


def test_every_flagged_operation_is_acknowledged_before_implement_can_be_pressed(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    approving(panel, qtbot)
    implement = panel.sheets.approval.implement
    box = panel.window().findChild(QWidget, "acknowledge-s5")
    assert box is not None
    assert "Tick the box" in panel.sheets.approval.note.text()
    QTest.keyClick(box, Qt.Key.Key_Space)
    qtbot.waitUntil(implement.isEnabled)
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert not implement.isEnabled()


def test_an_external_call_is_named_apart_from_files_and_commands(panel: ExecutionPlanPanel) -> None:
    page = a_page(viewed(an_external_call("mcp__odoo__create_invoice", amount=3)))
    panel.show_page(page)
    assert "1 external call" in panel.header.totals.words()
    assert "command" not in panel.header.totals.words()
    sheet = panel.sheets.approval
    sheet.ask(page)
    assert "and 1 call made outside it. Nothing else." in sheet.said.text()
    assert sheet.commands.text() == "none"
    assert sheet.external_calls.text() == "and 1 external call, which the agent makes once; it cannot be undone"
    assert not sheet.external_calls.isHidden()


@pytest.mark.req("S2-27")
def test_the_sheet_says_which_commands_run_side_by_side(panel: ExecutionPlanPanel) -> None:
    views = [
        viewed(a_command(text, id=f"s{number}")) for number, text in enumerate(("make\nmake docs", "lint", "ship"))
    ]
    first, second = OperationId("s0"), OperationId("s1")
    page = dataclasses.replace(a_page(*views), beside={first: (second,), second: (first,)})
    panel.show_page(page)
    sheet = panel.sheets.approval
    sheet.ask(page)
    said = {each.text() for each in sheet.findChildren(QLabel)}
    assert "3 commands; 2 side by side" in said
    assert "Runs side by side with “make …”; neither sees what the other changes." in said
    assert "Runs side by side with “lint”; neither sees what the other changes." in said
    assert not any("“ship”" in words for words in said)


def test_in_a_small_window_the_list_of_the_sheet_scrolls_and_covers_nothing(panel: ExecutionPlanPanel) -> None:
    views = [viewed(a_command(f"make\nmake {number}", id=f"s{number}")) for number in range(8)]
    panel.resize(420, 640)
    page = a_page(*views)
    panel.show_page(page)
    sheet = panel.sheets.approval
    sheet.ask(page)
    listed = sheet.findChild(QWidget, "approval-scroll")
    assert listed is not None
    assert listed.geometry().bottom() < sheet.notes.geometry().top()
    for each in listed.findChildren(QLabel):
        assert each.height() >= each.heightForWidth(each.width()), each.text()
    assert sheet.card.rect().contains(sheet.notes.geometry())


def test_the_approval_carries_the_digest_that_was_on_screen_and_the_policy(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    approving(panel, qtbot)
    sheet = panel.sheets.approval
    QTest.keyClick(panel.window().findChild(QWidget, "acknowledge-s5"), Qt.Key.Key_Space)
    sheet.policy.setCurrentIndex(1)
    qtbot.waitUntil(sheet.implement.isEnabled)
    assert panel.page is not None
    with qtbot.waitSignal(panel.sheets.approval.approved) as asked:
        qtbot.mouseClick(sheet.implement, LEFT)
    assert asked.args == [PLAN_ID, panel.page.digest, FailurePolicy.STOP]
    assert not sheet.isVisible()


def test_a_plan_that_changes_under_the_sheet_cannot_be_approved_from_it(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    approving(panel, qtbot)
    sheet = panel.sheets.approval
    QTest.keyClick(panel.window().findChild(QWidget, "acknowledge-s5"), Qt.Key.Key_Space)
    qtbot.waitUntil(sheet.implement.isEnabled)
    panel.show_page(a_page(*the_operations()[0][:5], revision=2))
    assert not sheet.implement.isEnabled()
    assert "changed while you were looking" in sheet.said.text()
    with qtbot.assertNotEmitted(panel.sheets.approval.approved):
        qtbot.mouseClick(sheet.implement, LEFT)


def test_a_sheet_of_a_plan_that_changed_asks_for_no_tick(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    approving(panel, qtbot)
    sheet = panel.sheets.approval
    assert sheet.note.text() == "Tick the box to go on"
    panel.show_page(a_page(*the_operations()[0][:5], revision=2))
    assert sheet.note.text() == ""


def test_the_sheet_shows_commands_in_full(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QLabel

    command = "set -e\n" + "\n".join(f"echo part {number}" for number in range(30))
    panel.show_page(a_page(viewed(a_command(command, cwd="tools", env=(("A", "1"),), id="c1"))))
    panel.request(EventKind.APPROVE)
    card = panel.window().findChild(QWidget, "acknowledgement-c1")
    assert card is not None
    texts = [label.text() for label in card.findChildren(QLabel)]
    assert command in texts
    assert "with A=1" in texts
    assert "Will really run in orders-api/tools · 600 s at most" in texts


def test_escape_leaves_the_sheet_and_gives_the_focus_back(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    sheet = approving(panel, qtbot)
    QTest.keyClick(panel.sheets.approval.back, Qt.Key.Key_Escape)
    assert not sheet.isVisible()
    assert panel.operations.list.hasFocus()


def test_tab_stays_inside_the_sheet(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    sheet = approving(panel, qtbot)
    for _ in range(12):
        focused = QGuiApplication.focusObject()
        assert isinstance(focused, QWidget)
        assert sheet.isAncestorOf(focused)
        QTest.keyClick(focused, Qt.Key.Key_Tab)


def test_show_leads_from_the_sheet_to_the_operation(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    approving(panel, qtbot)
    click(qtbot, panel.window(), "show-s5")
    row = panel.operations.list.current_row()
    assert row is not None
    assert (row.operation.id, row.expanded) == ("s5", True)


@pytest.mark.req("S0-39")
def test_approve_opens_the_sheet_that_executes_the_plan(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    reviewing(panel)
    with qtbot.assertNotEmitted(panel.sheets.approval.approved):
        click(qtbot, panel, "plan-action-approve")
    sheet = panel.sheets.approval
    assert sheet.title.text() == "Implement revision 1"
    QTest.keyClick(panel.window().findChild(QWidget, "acknowledge-s5"), Qt.Key.Key_Space)
    qtbot.waitUntil(sheet.implement.isEnabled)
    with qtbot.waitSignal(panel.sheets.approval.approved):
        QTest.keyClick(sheet.implement, Qt.Key.Key_Space)


def test_an_empty_rework_is_refused_in_words(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    reviewing(panel)
    panel.request(EventKind.REQUEST_REVISION)
    sheet = panel.sheets.rework
    qtbot.waitUntil(sheet.send.isEnabled)
    with qtbot.assertNotEmitted(panel.sheets.rework.confirmed):
        QTest.keyClicks(sheet.feedback, "   ")
        QTest.keyClick(sheet.feedback, Qt.Key.Key_Return, CONTROL)
    assert sheet.isVisible()
    assert "Say what should be different" in sheet.refusal.text()


@pytest.mark.req("S0-42")
def test_rework_sends_the_words(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    reviewing(panel)
    panel.request(EventKind.REQUEST_REVISION)
    sheet = panel.sheets.rework
    QTest.keyClicks(sheet.feedback, "Use the settings.")
    with qtbot.waitSignal(panel.sheets.rework.confirmed) as asked:
        qtbot.waitUntil(sheet.send.isEnabled)
        qtbot.mouseClick(sheet.send, LEFT)
    assert asked.args == [PLAN_ID, "Use the settings."]


def test_comments_that_were_not_sent_are_offered_as_rework_before_implementing(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    reviewing(panel)
    panel.set_comments(Comments(plan_id=PLAN_ID).add(Place(), "Keep it to rate limiting.", 1, A_MOMENT))
    panel.request(EventKind.APPROVE)
    assert "1 comment not sent yet" in panel.sheets.approval.note.text()
    assert panel.sheets.approval.passed_on.isVisible()
    assert panel.sheets.approval.passed_on.text() == "Implement passes your comment on as a note."
    qtbot.mouseClick(panel.sheets.approval.rework, LEFT)
    with qtbot.waitSignal(panel.sheets.rework.confirmed) as asked:
        assert "Keep it to rate limiting." in panel.sheets.rework.drafts.text()
        qtbot.waitUntil(panel.sheets.rework.send.isEnabled)
        qtbot.mouseClick(panel.sheets.rework.send, LEFT)
    assert asked.args == [PLAN_ID, ""]


@pytest.mark.req("S0-40")
def test_discard_asks_first_and_clears_all_operations(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    reviewing(panel)
    with qtbot.assertNotEmitted(panel.cancel_requested):
        click(qtbot, panel, "plan-action-cancel")
    confirm = panel.sheets.confirm
    assert "6 operations" in confirm.title.text()
    qtbot.waitUntil(confirm.sure.isEnabled)
    with qtbot.waitSignal(panel.cancel_requested):
        qtbot.mouseClick(confirm.sure, LEFT)


# What stands in the way


def test_of_several_messages_the_gravest_is_shown_and_the_others_are_behind_it(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    reviewing(panel, drifted=SETTINGS_DRIFTED, warnings=("A warning",), latest=4)

    def shown() -> list[str]:
        return [each.text for each in panel.operations.findChildren(Banner) if each.isVisible()]

    assert [words.split(" (")[0] for words in shown()] == ["1 file drifted since staging"]
    more = next(each for each in panel.findChildren(LinkButton, "banner-more") if each.isVisible())
    assert more.text() == "2 more"
    qtbot.mouseClick(more, LEFT)
    assert len(shown()) == 3
    panel.show_drift(())
    assert ["drifted" in words for words in shown()] == [False, False]


def test_only_tabs_with_something_in_them_are_shown(panel: ExecutionPlanPanel) -> None:
    def shown() -> list[str]:
        bar = panel.tabs.bar
        return [bar.tabText(at) for at in range(bar.count()) if bar.isTabVisible(at)]

    assert shown() == ["Operations"]
    reviewing(panel)
    assert shown() == ["Operations", "Plan text"]
    started(panel)
    assert shown() == ["Operations", "Plan text", "Runs"]


def test_a_drifted_plan_cannot_be_implemented_and_says_where(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    reviewing(panel, drifted=SETTINGS_DRIFTED)
    assert panel.model.row(2).drift == "The file changed on disk after it was staged."
    assert "1 file drifted since staging (app/settings.py)" in banners(panel)
    assert not panel.footer.buttons.button(EventKind.APPROVE).isEnabled()
    QTest.keyClick(panel.operations.list, Qt.Key.Key_Return, CONTROL)
    assert not panel.sheets.approval.isVisible()


def test_plan_whose_files_were_put_back_after_the_agent_worked_can_be_implemented(panel: ExecutionPlanPanel) -> None:
    page = a_page(*the_operations()[0])
    changed = page.version.model_copy(update={"drifted": ("app/settings.py",)})
    panel.show_page(dataclasses.replace(page, version=changed))
    assert panel.model.row(2).drift == ""
    assert "drifted" not in banners(panel)
    assert panel.footer.buttons.button(EventKind.APPROVE).isEnabled()


def test_drift_that_is_found_later_closes_the_way_that_was_open(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    approving(panel, qtbot)
    panel.show_drift(SETTINGS_DRIFTED)
    assert not panel.sheets.approval.implement.isEnabled()
    assert not panel.footer.buttons.button(EventKind.APPROVE).isEnabled()
    panel.sheets.approval.leave()
    panel.show_drift(())
    assert panel.footer.buttons.button(EventKind.APPROVE).isEnabled()


REFUSED = NetworkReport(
    mode=NetworkMode.LEASHED,
    refused=(RefusedHost(host="docs.example", port=443, count=2), RefusedHost(host="127.0.0.1", port=4010)),
)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"incomplete": "It was stopped."}, "The agent did not finish: It was stopped."),
        ({"warnings": ("A file is very large.",)}, "A file is very large."),
        ({"confinement": "not confined: bubblewrap is missing"}, "the agent was not confined"),
        ({"confinement": "confined by Landlock ABI 7 and seccomp"}, "the agent was confined by Landlock ABI 7"),
        ({"network": NetworkReport(mode=NetworkMode.OPEN)}, "press the buttons of this window"),
        ({"network": REFUSED}, "The network refused the agent docs.example:443 ×2, 127.0.0.1:4010."),
        ({"status": PlanStatus.EXPIRED}, "expired"),
        ({"status": PlanStatus.NEEDS_REVIEW}, "sent back three times"),
        ({"status": PlanStatus.CANCELLED}, "cancelled"),
        ({"status": PlanStatus.STALLED}, "interrupted"),
        ({"latest": 4}, "The latest is 4."),
    ],
)
def test_what_a_person_must_know_stands_above_the_list(
    fields: dict[str, object], words: str, panel: ExecutionPlanPanel
) -> None:
    reviewing(panel, **fields)
    assert words in banners(panel)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"confinement": "not confined: bubblewrap is missing"}, "not confined while it planned"),
        ({"network": NetworkReport(mode=NetworkMode.OPEN)}, "open network"),
        ({"network": REFUSED}, ""),
        ({}, ""),
    ],
)
def test_what_did_not_hold_the_agent_back_stands_on_the_approval_sheet(
    fields: dict[str, object], words: str, panel: ExecutionPlanPanel
) -> None:
    reviewing(panel, **fields)
    panel.footer.buttons.button(EventKind.APPROVE).click()
    unheld = panel.sheets.approval.unheld
    assert words in unheld.text()
    assert unheld.isVisible() is bool(words)


@pytest.mark.parametrize(("key", "lasting"), [("allow-agent", True), ("allow-once", False)])
def test_refused_hosts_can_be_allowed_from_the_plan(
    panel: ExecutionPlanPanel, qtbot: QtBot, key: str, lasting: bool
) -> None:
    reviewing(panel, network=REFUSED)
    link = panel.findChild(LinkButton, f"banner-{key}")
    assert link is not None
    assert not link.isEnabled()  # it came this moment
    qtbot.waitUntil(link.isEnabled)
    with qtbot.waitSignal(panel.hosts_allowed) as asked:
        click(qtbot, panel, f"banner-{key}")
    assert asked.args == [PLAN_ID, ("docs.example", "127.0.0.1:4010"), lasting]


def test_hosts_are_offered_to_be_allowed_only_if_each_of_them_is_named(panel: ExecutionPlanPanel) -> None:
    many = tuple(RefusedHost(host=f"h{number}.example", port=443, count=1) for number in range(13))
    reviewing(panel, network=REFUSED.model_copy(update={"refused": many[:12]}))
    assert all(f"{each.host}:443" in banners(panel) for each in many[:12])
    assert panel.findChild(LinkButton, "banner-allow-agent") is not None
    reviewing(panel, network=REFUSED.model_copy(update={"refused": many}))
    assert "and 1 more" in banners(panel)
    shown = panel.findChild(LinkButton, "banner-allow-agent")
    assert shown is None or not shown.isVisible()


def test_an_earlier_revision_can_be_looked_at_and_brought_back_but_not_changed(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    reviewing(panel, latest=4)
    assert not panel.footer.buttons.button(EventKind.APPROVE).isEnabled()
    panel.operations.list.setCurrentIndex(panel.model.index(0))
    with qtbot.assertNotEmitted(panel.choices_changed):
        QTest.keyClicks(panel.operations.list, "x")
    with qtbot.waitSignal(panel.restore_requested) as asked:
        click(qtbot, panel, "banner-restore")
    assert asked.args == [PLAN_ID, 1]


def test_the_attention_strip_jumps_to_what_is_flagged(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    reviewing(panel)
    assert panel.operations.attention.words.text() == "Needs attention (1)"
    QTest.keyClicks(panel.operations.filter.field, "settings")
    assert panel.model.rowCount() == 1
    click(qtbot, panel, "attention-s5")
    row = panel.operations.list.current_row()
    assert row is not None
    assert (row.operation.id, row.expanded) == ("s5", True)


def test_the_attention_strip_keeps_its_weight_in_another_theme(
    panel: ExecutionPlanPanel, theme: Theme, qapp: QApplication
) -> None:
    install(qapp, theme)
    reviewing(panel)
    theme.set_theme("light")
    weight = panel.operations.attention.words.font().weight()
    qapp.setStyleSheet("")
    assert weight == theme.ui_font(bold=True).weight()


def test_ctrl_f_filters_and_escape_leads_back(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    reviewing(panel)
    QTest.keyClick(panel.operations.list, Qt.Key.Key_F, CONTROL)
    field = panel.operations.filter.field
    assert field.hasFocus()
    QTest.keyClicks(field, "auth")
    assert panel.model.rowCount() == 2
    assert field.count == "2 of 6"
    QTest.keyClicks(field, " nothing like it")
    assert panel.operations.empty.isVisible()
    click(qtbot, panel.operations.empty, "empty-state-action")
    assert panel.model.rowCount() == 6


# Drafting and running


@pytest.mark.req("S0-35")
def test_operations_appear_while_the_agent_drafts(panel: ExecutionPlanPanel) -> None:
    panel.show_drafting("Rate-limit the login route")
    assert panel.operations.empty.why is Emptiness.DRAFTING
    for view in the_operations()[0][:3]:
        panel.show_progress(a_staged(view))
    panel.show_progress(OperationUnstaged(session_id=SESSION_ID, operation_id=OperationId("s2")))
    assert panel.model.rowCount() == 2
    assert panel.header.badge.text() == "Drafting"
    assert [each.objectName() for each in panel.footer.findChildren(QAbstractButton) if each.isVisible()] == [
        "plan-action-cancel"
    ]


@pytest.mark.req("S0-35")
def test_operation_staged_again_while_the_agent_drafts_takes_its_own_place(panel: ExecutionPlanPanel) -> None:
    panel.show_drafting("Rate-limit the login route")
    for name, path in (("s1", "b.py"), ("s2", "c.py"), ("s1", "a.py"), ("s2", "b.py"), ("s3", "c.py")):
        panel.show_progress(OperationStaged(session_id=SESSION_ID, operation=a_write(path, id=name)))
    assert [view.operation.path for view in panel.model.views()] == ["a.py", "b.py", "c.py"]
    assert [panel.model.row(number).operation.path for number in range(3)] == ["a.py", "b.py", "c.py"]
    panel.show_progress(StagingCleared(session_id=SESSION_ID, operation_ids=(OperationId("s1"),)))
    panel.show_progress(OperationStaged(session_id=SESSION_ID, operation=a_write("d.py", id="s1")))
    assert [view.operation.path for view in panel.model.views()] == ["d.py"]


@pytest.mark.req("S0-35")
def test_lines_are_counted_while_the_agent_drafts(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    views = the_operations()[0][:3]
    panel.show_drafting("Rate-limit the login route")
    for view in views:
        panel.show_progress(a_staged(view))
    panel.show_progress(OperationStaged(session_id=SESSION_ID, operation=a_write("logo.png", id="s9")))
    shown = [panel.model.row(number).view for number in range(4)]
    assert [(view.added, view.removed) for view in shown] == [*((view.added, view.removed) for view in views), (0, 0)]
    qtbot.waitUntil(lambda: f"+{sum(view.added for view in views)}" in panel.header.totals.words())
    assert "61 added, 0 removed" in panel.model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)


def started(panel: ExecutionPlanPanel) -> None:
    reviewing(panel)
    panel.show_progress(
        RunStarted(
            run_id=RUN,
            plan_id=PLAN_ID,
            revision=1,
            run_kind=RunKind.APPLY,
            on_failure=FailurePolicy.ROLLBACK,
            operations=6,
        )
    )


def finished(panel: ExecutionPlanPanel, operation_id: str, run_id: RunId = RUN) -> None:
    result = OperationResult(id=OperationId(operation_id), status=ResultStatus.COMPLETED)
    panel.show_progress(OperationFinished(run_id=run_id, result=result))


@pytest.mark.req("S3-37")
def test_a_run_is_followed_operation_by_operation(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    started(panel)
    assert panel.tabs.current == "runs"
    finished(panel, "s1")
    panel.show_progress(OperationStarted(run_id=RUN, operation_id=OperationId("s2")))
    finished(panel, "s3", RunId("RUN-0000000f"))
    assert panel.header.progress.words == "Operation 2 of 6"
    row = panel.model.row(1)
    assert row.result is not None
    assert row.result.status is ResultStatus.RUNNING
    with qtbot.waitSignal(panel.stop_requested):
        click(qtbot, panel, "plan-stop")
    assert not panel.header.stop.isEnabled()


def test_a_run_can_be_paused_and_go_on(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    started(panel)
    with qtbot.waitSignal(panel.header.pause_requested):
        click(qtbot, panel, "plan-pause")
    panel.show_progress(RunPaused(run_id=RUN))
    assert panel.header.badge.text() == "Paused"
    with qtbot.waitSignal(panel.header.resume_requested):
        click(qtbot, panel, "plan-pause")


def test_stop_under_the_chat_stops_the_run_and_cancels_no_plan(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    started(panel)
    with qtbot.waitSignal(panel.stop_requested), qtbot.assertNotEmitted(panel.cancel_requested):
        panel.request(EventKind.CANCEL)


def completed(panel: ExecutionPlanPanel, status: PlanStatus = PlanStatus.COMPLETED, **fields: object) -> None:
    results = [OperationResult(id=view.operation.id, status=ResultStatus.COMPLETED) for view in the_operations()[0]]
    meta = {"execution_session": RUN, "rating": fields.pop("rating", None)}
    reviewing(panel, status=status, results=fields.pop("results", results), meta=meta)


def test_the_end_of_a_run_says_what_it_did_and_offers_the_way_back(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    started(panel)
    panel.show_progress(RunFinished(run_id=RUN, plan_id=PLAN_ID, status=RunStatus.COMPLETED, summary="done"))
    completed(panel)
    panel.show_runs((a_run(1),))
    panel.tabs.show_tab("operations")
    assert panel.operations.result.text == "Completed: 5 files +127 −35, 1 command run"
    with qtbot.waitSignal(panel.operations.result.undo_requested) as asked:
        click(qtbot, panel.operations.result, "banner-undo")
    assert asked.args == [RUN]


@pytest.mark.req("S0-82")
def test_a_run_is_rated_with_one_click_or_one_key_and_the_rating_is_shown_again(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    completed(panel)
    panel.tabs.show_tab("operations")
    stars = panel.operations.result.rating
    assert (stars.value, stars.accessibleName()) == (None, "Rate what was done: 1 to 5")
    with qtbot.waitSignal(panel.rated) as clicked:
        spot = QPoint(int(stars.width() * 0.7), stars.height() // 2)
        QTest.mouseClick(stars, Qt.MouseButton.LeftButton, pos=spot)
    with qtbot.waitSignal(panel.rated) as pressed:
        QTest.keyClick(stars, Qt.Key.Key_2)
    assert (clicked.args, pressed.args) == ([PLAN_ID, 4], [PLAN_ID, 2])
    completed(panel, rating=2)
    assert stars.accessibleName() == "Your rating: 2 of 5, fair"


def test_an_undo_lists_its_files_before_it_is_confirmed(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    from tandem_desktop.domain.operations import PathChange

    completed(panel)
    changes = tuple(
        PathChange(path=view.operation.path or "", before=view.operation.after, after=view.operation.base)
        for view in the_operations()[0][:2]
    )
    undoing = UndoPlan(changes, ("app/routes/auth.py",), (), (), (), {}, {})
    panel.show_undo(UndoRequest(RUN), undoing)
    sheet = panel.sheets.undo
    words = [sheet.files.item(row).text() for row in range(sheet.files.count())]
    assert words == ["remove    app/ratelimit.py", "put back  app/routes/auth.py  keeps your later edits"]
    qtbot.waitUntil(sheet.undo.isEnabled)
    with qtbot.waitSignal(panel.sheets.undo.confirmed) as asked:
        qtbot.mouseClick(sheet.undo, LEFT)
    assert asked.args == [UndoRequest(RUN), undoing]


def test_an_undo_with_a_conflict_names_it_and_cannot_be_confirmed(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    panel.show_undo(UndoRequest(RUN), UndoPlan((), (), (), (("a.py", "was edited since"),), (), {}, {}))
    sheet = panel.sheets.undo
    assert "a.py  was edited since" in sheet.files.item(0).text()
    assert "nothing is undone" in sheet.said.text()
    QTest.keyClick(sheet.back, Qt.Key.Key_Tab)
    assert not sheet.undo.isEnabled()


def test_a_failed_run_says_where_it_failed_and_that_nothing_changed(panel: ExecutionPlanPanel) -> None:
    results = [
        OperationResult(id=OperationId("s1"), status=ResultStatus.ROLLED_BACK),
        OperationResult(id=OperationId("s5"), status=ResultStatus.FAILED, error="It ended with 1.", exit_code=1),
    ]
    completed(panel, PlanStatus.FAILED, results=results)
    assert "Your files are as before" in panel.operations.result.text
    assert "pytest" in panel.operations.result.text


def test_runs_offer_undo_and_redo_where_they_are_possible(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    panel.show_runs((a_run(1), a_run(2, RunStatus.UNDONE, undoable=False)))
    panel.tabs.show_tab("runs")
    panel.runs.list.setFocus()
    with qtbot.waitSignal(panel.runs.undo_requested) as asked:
        QTest.keyClicks(panel.runs.list, "u")
    assert asked.args == ["RUN-00000001"]
    QTest.keyClick(panel.runs.list, Qt.Key.Key_Down)
    assert not panel.runs.undo.isEnabled()
    with qtbot.waitSignal(panel.runs.redo_requested) as asked:
        qtbot.mouseClick(panel.runs.redo, LEFT)
    assert asked.args == ["RUN-00000002"]


@pytest.mark.req("S3-24")
def test_an_interrupted_run_greets_the_person_with_three_ways_out(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    panel.show_interrupted(InterruptedRun(RUN, PLAN_ID, 3, 9, A_MOMENT), "Migrate session store")
    sheet = panel.sheets.interrupted
    assert "Steps 3 of 9 are done, started 2 h ago." in sheet.said.text()
    qtbot.waitUntil(sheet.buttons["rollback"].isEnabled)
    with qtbot.waitSignal(panel.sheets.interrupted.chosen) as asked:
        qtbot.mouseClick(sheet.buttons["rollback"], LEFT)
    assert asked.args == [RUN, "rollback"]


def test_a_command_that_was_cut_off_is_run_again_only_when_the_person_says_so(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    run = InterruptedRun(RUN, PLAN_ID, 3, 9, A_MOMENT, command=OperationId("s4"), command_text="make clean")
    panel.show_interrupted(run, "Migrate session store")
    sheet = panel.sheets.interrupted
    qtbot.waitUntil(sheet.buttons["mark-failed"].isEnabled)
    assert not sheet.buttons["resume"].isEnabled()
    assert "“make clean” ran" in sheet.warning.text()
    qtbot.keyClick(sheet.again, Qt.Key.Key_Space)
    with qtbot.waitSignal(panel.sheets.interrupted.chosen) as asked:
        qtbot.mouseClick(sheet.buttons["resume"], Qt.MouseButton.LeftButton)
    assert asked.args == [RUN, "resume-again"]


# Everywhere


def test_everything_that_takes_the_focus_has_a_name(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    approving(panel, qtbot)
    panel.model.set_expanded(OperationId("s2"), True)
    panel.show_runs((a_run(1),))
    for widget in panel.findChildren(QWidget):
        inner = widget.objectName().startswith("qt_") or (
            isinstance(widget.parent(), QWidget)
            and (widget.parent().metaObject().className() in ("QComboBox", "QTabBar", "QComboBoxPrivateContainer"))
        )
        is_lent = widget.focusProxy() is not None  # such as the inside of a view
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and not inner and not is_lent and not widget.isHidden():
            assert widget.objectName(), widget
            assert widget.accessibleName(), widget.objectName()


def test_an_agents_words_are_never_read_as_markup(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QLabel

    title = "<b>bold</b><img src='file:///etc/passwd'>"
    written = viewed(a_write("a.py", b"a\n", id="s1", description=title, rationale=title * 4), b"", b"a\n")
    panel.show_page(a_page(written, title=title, warnings=(title,)))
    panel.model.set_expanded(OperationId("s1"), True)
    panel.operations.list.lay_out()
    assert panel.header.title.text() == title
    for label in panel.findChildren(QLabel):
        assert label.textFormat() is Qt.TextFormat.PlainText or not label.text(), label.text()


def test_a_warning_is_drawn_with_its_tokens_and_what_else_is_hidden_spelled_out(panel: ExecutionPlanPanel) -> None:
    written = viewed(a_write("a.py", b"a\n", id="s1"), b"", b"a\n")
    panel.show_page(a_page(written, warnings=("bad⟨U+DCFF⟩ cannot be staged, nor can \u202ex.",)))
    shown = [each.text for each in panel.operations.findChildren(Banner)]
    assert "bad⟨U+DCFF⟩ cannot be staged, nor can ⟨U+202E⟩x." in shown


@pytest.mark.parametrize("zoom", [1.0, 2.0])
def test_the_panel_follows_the_zoom_and_the_theme(zoom: float, panel: ExecutionPlanPanel, theme: Theme) -> None:
    reviewing(panel)
    theme.set_zoom(zoom)
    theme.set_theme("light")
    panel.operations.list.lay_out()
    assert panel.operations.list.visualRect(panel.model.index(0)).height() == round(32 * zoom)
    panel.grab()


def test_sheet_closes_when_what_opened_it_has_gone(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    reviewing(panel)
    link = QPushButton("Rebase", panel)
    link.show()
    link.setFocus()
    panel.sheets.confirm.ask("Sure?", "Words.", "Yes", lambda: None)
    shiboken6.delete(link)
    panel.sheets.confirm.shut()
    assert panel.sheets.confirm.isHidden()


def test_no_button_of_the_timeline_is_cut_where_the_panel_is_narrow(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    panel.show_runs((a_run(1),))
    panel.tabs.show_tab("runs")
    panel.resize(560, 700)
    buttons = [each for each in panel.runs.findChildren(QPushButton) if each.isVisible()]
    qtbot.waitUntil(lambda: panel.runs.width() == 560)
    assert len(buttons) == 6
    assert [each.text() for each in buttons if each.width() < each.sizeHint().width()] == []


def test_the_window_and_the_command_line_give_a_status_one_name() -> None:
    assert dict(wording.STATUSES) == {status: status.label for status in PlanStatus}
    assert set(wording.STATUS_TONES) == set(PlanStatus)
