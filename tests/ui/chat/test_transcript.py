from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent, QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.agent_protocol import ChatEntry, EntryKind, ToolCallStatus, ToolKind
from tandem_desktop.sessions.interceptor import Decision
from tandem_desktop.ui.chat.cards import DecisionCard
from tandem_desktop.ui.chat.pane import ChatPane
from tandem_desktop.ui.chat.plan_card import PlanCard
from tandem_desktop.ui.chat.prose_view import ProseView
from tandem_desktop.ui.chat.tool_chip import ToolChip
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.labels import ElidedLabel
from tests.ui.chat import talk

Key = Qt.Key


def long_talk(count: int) -> list[ChatEntry]:
    return [
        talk.asked(n, f"question {n}")
        if n % 4 == 1
        else talk.wrote(n, f"file{n}.py", n % 7 + 1)
        if n % 4 == 2
        else talk.said(n, f"Answer **{n}**. " + "Words go on and on. " * (n % 9))
        for n in range(1, count + 1)
    ]


def press(qtbot: QtBot, parent: QWidget, name: str) -> None:
    button = parent.findChild(QAbstractButton, name)
    assert button is not None, name
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def at_bottom(pane: ChatPane) -> bool:
    bar = pane.transcript.verticalScrollBar()
    return bar.value() == bar.maximum() > 0


def with_waiting_plan(pane: ChatPane) -> PlanCard:
    pane.set_entries((*talk.review()[:2], talk.a_plan(3)))
    pane.set_plan(talk.facts(1))
    pane.transcript.settle_now()
    card = pane.transcript._widgets.get(3)
    assert isinstance(card, PlanCard)
    return card


def go_to_card(qtbot: QtBot, pane: ChatPane) -> DecisionCard:
    """Move the focus to the waiting card as a person would, and wait until it may be answered."""
    qtbot.waitUntil(lambda: pane.transcript.waiting_card() is not None)
    card = pane.transcript.waiting_card()
    assert card is not None
    card.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(
        lambda: card.guard.is_ready and all(b.isEnabled() for b in card.choices.findChildren(QAbstractButton))
    )
    return card


def test_of_two_thousand_entries_only_those_near_the_eye_are_widgets(qtbot: QtBot, pane: ChatPane) -> None:
    pane.set_entries(long_talk(2000))
    qtbot.waitUntil(lambda: at_bottom(pane))
    assert pane.transcript._widgets.get(2000) is not None
    assert len(pane.transcript._widgets) < 60
    pane.transcript.verticalScrollBar().setValue(0)
    qtbot.waitUntil(lambda: pane.transcript._widgets.get(1) is not None)
    assert pane.transcript._widgets.get(2000) is None
    assert len(pane.transcript._widgets) < 60


def test_rows_stand_under_one_another_wherever_one_scrolls(qtbot: QtBot, pane: ChatPane) -> None:
    pane.set_entries(long_talk(300))
    qtbot.waitUntil(lambda: at_bottom(pane))
    bar = pane.transcript.verticalScrollBar()
    for part in (1.0, 0.7, 0.31, 0.3, 0.0):
        bar.setValue(int(bar.maximum() * part))
        qtbot.waitUntil(lambda: not pane.transcript._soon.isActive())
        shown = sorted(pane.transcript._widgets.items())
        places = [widget.geometry() for _, widget in shown]
        assert all(upper.bottom() < lower.top() for upper, lower in pairwise(places))
        assert places[0].top() <= 16
        for _, widget in shown:
            assert widget.height() == widget.needed_height(widget.width())


def test_every_line_of_a_message_is_in_sight_after_the_pane_changes_its_width(qtbot: QtBot, pane: ChatPane) -> None:
    pane.set_entries((talk.said(1, talk.MARKDOWN),))
    for width in (900, 330, 452):
        pane.resize(width, 828)
        qtbot.waitUntil(lambda: all(pane.transcript._places._measured))
        widget = pane.transcript._widgets.get(1)
        assert widget is not None
        for prose in widget.findChildren(ProseView):
            assert prose.height() >= prose.document().size().height() - 1


def test_text_that_streams_in_keeps_the_end_in_sight(qtbot: QtBot, pane: ChatPane) -> None:
    pane.set_entries(long_talk(40))
    qtbot.waitUntil(lambda: at_bottom(pane))
    for words in range(1, 60):
        pane.put_entry(talk.said(41, "And so it goes on.\n\n" * words))
    message = pane.transcript._widgets.get
    qtbot.waitUntil(lambda: message(41) is not None and "on." in message(41).findChild(ProseView).toPlainText())  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: at_bottom(pane))


def test_who_reads_further_up_is_left_there_and_can_jump_to_the_latest(qtbot: QtBot, pane: ChatPane) -> None:
    pane.set_entries(long_talk(80))
    qtbot.waitUntil(lambda: at_bottom(pane))
    jump = pane.findChild(QAbstractButton, "jump-to-latest")
    assert jump is not None
    assert not jump.isVisible()
    pane.transcript.setFocus()
    qtbot.keyClick(pane.transcript, Key.Key_PageUp)
    qtbot.keyClick(pane.transcript, Key.Key_PageUp)
    assert jump.isVisible()
    first = next(widget for _, widget in sorted(pane.transcript._widgets.items()) if widget.y() >= 0)
    place = first.pos()
    for number in range(81, 90):
        pane.put_entry(talk.said(number, "News. " * 50))
    qtbot.waitUntil(lambda: len(pane.transcript._places) == 89 and not pane.transcript._soon.isActive())
    assert first.pos() == place
    qtbot.mouseClick(jump, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: at_bottom(pane))
    assert not jump.isVisible()
    assert pane.transcript._widgets.get(89) is not None


def test_output_and_thinking_are_folded_until_asked_for_and_stay_as_they_were(qtbot: QtBot, pane: ChatPane) -> None:
    thought = talk.said(1, "First this.\nThen that.", EntryKind.THOUGHT)
    ran = talk.used(2, ToolKind.EXECUTE, command="ls", output="a.py\nb.py")
    pane.set_entries((thought, ran, *(entry for entry in long_talk(120)[2:])))
    pane.transcript.verticalScrollBar().setValue(0)
    qtbot.waitUntil(lambda: pane.transcript._widgets.get(1) is not None)
    chip, thinking = pane.transcript._widgets.get(2), pane.transcript._widgets.get(1)
    assert isinstance(chip, ToolChip)
    assert thinking is not None
    assert chip.findChild(QWidget, "tool-output") is None
    qtbot.mouseClick(chip.line, Qt.MouseButton.LeftButton, pos=QPoint(chip.line.width() - 12, 12))
    press(qtbot, thinking, "thinking-fold")
    output = chip.findChild(QWidget, "tool-output")
    assert output is not None
    assert output.isVisible()
    pane.focus_composer()
    pane.transcript.jump_to_end()
    assert pane.transcript._widgets.get(2) is None
    pane.transcript.verticalScrollBar().setValue(0)
    again = pane.transcript._widgets.get(2)
    assert again is not None
    found = again.findChild(QWidget, "tool-output")
    assert found is not None
    assert found.isVisible()


def test_the_name_on_a_chip_opens_the_file(qtbot: QtBot, pane: ChatPane) -> None:
    pane.set_entries(talk.review())
    qtbot.waitUntil(lambda: pane.transcript._widgets.get(8) is not None)
    chip = pane.transcript._widgets.get(8)
    assert isinstance(chip, ToolChip)
    chip.line.grab()
    with qtbot.waitSignal(pane.file_activated) as told:
        qtbot.mouseClick(chip.line, Qt.MouseButton.LeftButton, pos=QPoint(110, 12))
    assert told.args == ["app/ratelimit.py"]


def test_code_is_copied_whole_with_one_press(qtbot: QtBot, pane: ChatPane) -> None:
    pane.set_entries((talk.said(1, "```py\nx = 1\n\ty = 2\n```"),))
    qtbot.waitUntil(lambda: pane.transcript._widgets.get(1) is not None)
    press(qtbot, pane, "code-copy")
    assert QGuiApplication.clipboard().text() == "x = 1\n\ty = 2"


@pytest.mark.parametrize("typed", ["", "wait, "])
def test_a_card_that_arrives_takes_no_focus(qtbot: QtBot, pane: ChatPane, typed: str) -> None:
    qtbot.keyClicks(pane.composer.edit, typed)
    pane.put_entry(a_question())
    pane.put_entry(talk.a_plan(2))
    pane.set_plan(talk.facts(1))
    qtbot.waitUntil(lambda: pane.transcript.waiting_card() is not None)
    assert pane.composer.edit.hasFocus()
    with qtbot.assertNotEmitted(pane.permission_answered):
        qtbot.keyClicks(QApplication.focusWidget(), "1 thing")
    assert pane.composer.text == f"{typed}1 thing"


def test_letters_typed_on_a_card_go_to_the_composer(qtbot: QtBot, pane: ChatPane) -> None:
    pane.put_entry(a_question())
    qtbot.keyClicks(go_to_card(qtbot, pane), "n")
    assert pane.composer.text == "n"
    assert pane.composer.edit.hasFocus()


def test_card_of_a_plan_only_leads_to_it_and_is_a_line_once_there_is_another(qtbot: QtBot, pane: ChatPane) -> None:
    card = with_waiting_plan(pane)
    assert [each.objectName() for each in card.findChildren(QAbstractButton) if each.isVisible()] == ["plan-card-view"]
    with qtbot.waitSignal(pane.view_requested) as told:
        press(qtbot, card, "plan-card-view")
    assert told.args == [talk.PLAN, 1]
    pane.put_entry(talk.a_plan(4, revision=2))  # from the moment there is another one, whatever is known of that
    pane.set_plan(talk.facts(1))  # told late
    with qtbot.waitSignal(pane.view_requested):
        press(qtbot, card, "plan-line-view")


def a_question(command: str = "rm -rf build") -> ChatEntry:
    return talk.a_request(1, talk.a_call(1, ToolKind.EXECUTE, title="Clean up", command=command))


@pytest.mark.req("S1-20")
@pytest.mark.parametrize(("key", "decision"), [(Key.Key_1, Decision.YES), (Key.Key_2, Decision.SKIP)])
def test_a_digit_answers_a_permission_card_once(qtbot: QtBot, pane: ChatPane, key: Qt.Key, decision: Decision) -> None:
    pane.put_entry(a_question())
    card = go_to_card(qtbot, pane)
    with qtbot.waitSignal(pane.permission_answered) as told:
        qtbot.keyClick(card, key)
    assert told.args == ["request-1", decision, ""]
    with qtbot.assertNotEmitted(pane.permission_answered):
        qtbot.keyClick(card, Key.Key_1)


def test_three_denies_with_the_persons_words(qtbot: QtBot, pane: ChatPane) -> None:
    pane.put_entry(a_question())
    qtbot.keyClick(go_to_card(qtbot, pane), Key.Key_3)
    qtbot.keyClicks(QApplication.focusWidget(), "never delete")
    with qtbot.waitSignal(pane.permission_answered) as told:
        qtbot.keyClick(QApplication.focusWidget(), Key.Key_Return)
    assert told.args == ["request-1", Decision.NO, "never delete"]


def test_a_command_is_asked_about_in_full_with_everything_invisible_spelled_out(qtbot: QtBot, pane: ChatPane) -> None:
    command = "echo " + "x" * 3000 + "\u202e && rm y"
    pane.put_entry(a_question(command))
    shown = pane.findChild(ProseView, "permission-command")
    assert shown is not None
    assert shown.toPlainText() == command.replace("\u202e", "⟨U+202E⟩")
    assert shown.height() >= shown.document().size().height() - 1


def test_an_answered_question_no_longer_asks(qtbot: QtBot, pane: ChatPane) -> None:
    pane.put_entry(a_question())
    call = a_question().request
    assert call is not None
    pane.put_entry(talk.a_request(1, call.call, "reject", "not now"))
    qtbot.waitUntil(lambda: pane.transcript.waiting_card() is None)


def test_a_problem_says_its_cause_and_offers_to_start_again(qtbot: QtBot, pane: ChatPane) -> None:
    pane.set_entries((talk.said(1, "It ended.", EntryKind.PROBLEM, details=("boom", "bye")),))
    qtbot.waitUntil(lambda: pane.transcript._widgets.get(1) is not None)
    press(qtbot, pane, "problem-fold")
    details = pane.findChild(QWidget, "problem-details")
    assert details is not None
    assert details.isVisible()
    with qtbot.waitSignal(pane.restart_requested):
        press(qtbot, pane, "problem-restart")
    with qtbot.waitSignal(pane.log_requested):
        press(qtbot, pane, "problem-log")


def test_another_program_of_an_agent_is_told_and_offers_nothing_to_send_again(qtbot: QtBot, pane: ChatPane) -> None:
    pane.set_entries((talk.said(1, "It is another one.", EntryKind.PROBLEM, problem_kind="agent_program_changed"),))
    qtbot.waitUntil(lambda: pane.transcript._widgets.get(1) is not None)
    for name in ("problem-restart", "problem-log"):
        button = pane.findChild(QWidget, name)
        assert button is not None
        assert button.isHidden()


def a_run_note(pane: ChatPane, qtbot: QtBot, way_back: str) -> None:
    pane.set_entries((talk.said(1, "7 of 7 operations done", EntryKind.NOTE, plan_id=talk.PLAN, run_id=talk.RUN),))
    pane.set_runs((talk.a_run(way_back),))
    qtbot.waitUntil(lambda: pane.transcript._widgets.get(1) is not None)


@pytest.mark.parametrize("way_back", ["Undo", "Redo"])
def test_after_a_run_there_is_a_way_to_see_it_and_a_way_back(qtbot: QtBot, pane: ChatPane, way_back: str) -> None:
    a_run_note(pane, qtbot, way_back)
    button = pane.findChild(QAbstractButton, "note-undo")
    assert button is not None
    assert button.text() == way_back
    with qtbot.waitSignal(pane.undo_requested) as told:
        press(qtbot, pane, "note-undo")
    assert told.args == [talk.RUN]


def test_run_that_was_undone_no_longer_offers_undo(qtbot: QtBot, pane: ChatPane) -> None:
    a_run_note(pane, qtbot, "Undo")
    pane.set_runs((talk.a_run(""),))
    button = pane.findChild(QAbstractButton, "note-undo")
    assert button is not None
    assert button.isHidden()


def test_note_of_a_run_says_what_was_written(qtbot: QtBot, pane: ChatPane) -> None:
    pane.set_plan(talk.facts(3, is_waiting=False))
    a_run_note(pane, qtbot, "Undo")
    words = [label.text() for label in pane.transcript.findChildren(QLabel)]
    assert "Completed: 5 files +142 −38" in words


def test_a_message_can_be_taken_back_into_the_composer(qtbot: QtBot, pane: ChatPane) -> None:
    pane.set_entries(talk.review())
    qtbot.waitUntil(lambda: pane.transcript._widgets.get(1) is not None)
    bubble = pane.transcript._widgets.get(1)
    assert bubble is not None
    place = QPointF(bubble.rect().center())
    QApplication.sendEvent(bubble, QEnterEvent(place, place, place))
    press(qtbot, bubble, "message-edit")
    assert pane.composer.text.startswith("Limit login to 5 attempts")


def test_another_theme_and_zoom_redraw_the_conversation(qtbot: QtBot, pane: ChatPane, theme: Theme) -> None:
    pane.set_entries(talk.review())
    theme.set_theme("light")
    theme.set_zoom(1.5)
    qtbot.waitUntil(lambda: pane.transcript._widgets.get(13) is not None)
    pane.grab()


def test_everything_that_takes_focus_has_a_name(qtbot: QtBot, pane: ChatPane) -> None:
    pane.set_entries((*talk.review(), a_question().model_copy(update={"number": 14})))
    pane.set_working(True)
    pane.set_queue(("one",))
    qtbot.waitUntil(lambda: pane.transcript.waiting_card() is not None)
    nameless = [
        widget
        for widget in pane.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible()
        if not (widget.objectName() and widget.accessibleName())
    ]
    assert [type(widget).__name__ for widget in nameless] == []


def test_a_megabyte_on_one_line_is_cut_with_a_mark_that_opens_it(qtbot: QtBot, pane: ChatPane) -> None:
    text = "x" * 1_000_000
    pane.set_entries((talk.said(1, text), talk.asked(2, text), a_question(text).model_copy(update={"number": 3})))
    qtbot.waitUntil(lambda: pane.transcript._widgets.get(3) is not None)
    command = pane.findChild(ProseView, "permission-command")
    assert command is not None
    assert len(command.toPlainText()) < 10_000
    assert pane.findChild(QAbstractButton, "permission-command-more") is not None
    pane.transcript.verticalScrollBar().setValue(0)
    message = pane.transcript._widgets.get(1)
    assert message is not None
    shown = len(message.findChild(ProseView).toPlainText())
    press(qtbot, message, "message-more")
    assert shown < len(message.findChild(ProseView).toPlainText()) < 20_000


def test_tab_goes_through_the_rows_as_they_stand(qtbot: QtBot, pane: ChatPane) -> None:
    pane.set_entries(talk.wrote(number, f"{number}.py", 1) for number in range(1, 60))
    qtbot.waitUntil(lambda: at_bottom(pane))
    pane.transcript.setFocus()
    qtbot.keyClick(pane.transcript, Key.Key_Home)
    qtbot.waitUntil(lambda: pane.transcript._widgets.get(1) is not None)
    names = []
    for _ in range(4):
        qtbot.keyClick(QApplication.focusWidget(), Key.Key_Tab)
        names.append(QApplication.focusWidget().accessibleName())
    assert names == [f"staged {number}.py +1" for number in (1, 2, 3, 4)]


def test_what_the_focus_reaches_is_scrolled_into_sight(qtbot: QtBot, pane: ChatPane) -> None:
    pane.set_entries(talk.wrote(number, f"{number}.py", 1) for number in range(1, 60))
    qtbot.waitUntil(lambda: at_bottom(pane))
    pane.transcript.setFocus()
    qtbot.keyClick(pane.transcript, Key.Key_Home)
    for _ in range(30):
        qtbot.keyClick(QApplication.focusWidget(), Key.Key_Tab)
        focused = QApplication.focusWidget()
        top = focused.mapTo(pane.transcript.viewport(), QPoint(0, 0)).y()
        assert 0 <= top <= pane.transcript.viewport().height() - focused.height()
    assert "30.py" in QApplication.focusWidget().accessibleName()


def test_esc_stops_the_agent_from_a_card_and_from_the_conversation(qtbot: QtBot, pane: ChatPane) -> None:
    pane.set_working(True)
    pane.put_entry(a_question())
    with qtbot.waitSignal(pane.stop_requested):
        qtbot.keyClick(go_to_card(qtbot, pane), Key.Key_Escape)
    pane.transcript.setFocus()
    with qtbot.waitSignal(pane.stop_requested):
        qtbot.keyClick(pane.transcript, Key.Key_Escape)


def test_words_in_a_card_survive_when_rows_above_it_part(qtbot: QtBot, pane: ChatPane) -> None:
    asked = talk.a_request(4, talk.a_call(4, ToolKind.EXECUTE, title="Clean up", command="rm -rf build"))
    pane.set_entries((talk.read(1, "a.py"), talk.read(2, "b.py"), talk.read(3, "c.py"), asked))
    assert go_to_card(qtbot, pane).press("3")
    qtbot.keyClicks(QApplication.focusWidget(), "half a rea")
    failed = talk.used(2, ToolKind.READ, paths=("b.py",), status=ToolCallStatus.FAILED)
    pane.put_entry(failed)
    qtbot.waitUntil(lambda: pane.transcript._widgets.get(2) is not None)
    qtbot.keyClicks(QApplication.focusWidget(), "son")
    field = pane.findChild(QPlainTextEdit, "permission-reason")
    assert field is not None
    assert field.toPlainText() == "half a reason"
    tops = [pane.transcript._widgets.get(number).y() for number in (1, 2, 3, 4)]  # type: ignore[union-attr]
    assert tops == sorted(set(tops))


def test_plan_line_spells_out_what_its_words_hide_before_its_facts_are_known(pane: ChatPane) -> None:
    words = "Fix\u202eit" + " " * 300 + "p\u0430y"
    pane.set_entries([talk.said(1, words, EntryKind.PLAN, plan_id=talk.PLAN, revision=2)])
    lines = [each.text() for each in pane.findChildren(ElidedLabel) if "Revision 2" in each.text()]
    assert lines == ["Revision 2 · Fix⟨U+202E⟩it⟨·×300⟩p⟨U+0430⟩y"]
