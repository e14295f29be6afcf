"""The card of an agent's question: what it shows, what it sends, and that it leaves the keyboard where it is."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.agent_protocol import ChatEntry
from tandem_desktop.domain.questions import FieldKind, QuestionAction, QuestionField
from tandem_desktop.ui.chat.pane import ChatPane
from tests.ui.chat import talk


def find(pane: ChatPane, name: str) -> Any:
    found = [each for each in pane.findChildren(QWidget, name) if each.isVisible()]
    assert found, f"nothing on screen is called {name}"
    return found[0]


def click(pane: ChatPane, name: str) -> None:
    widget = find(pane, name)
    spot = widget.rect().center()
    if isinstance(widget, QAbstractButton):
        spot.setX(8)
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot)


def ask(qtbot: QtBot, pane: ChatPane, question: ChatEntry) -> None:
    """Show a question until it can be answered."""
    pane.put_entry(question)
    qtbot.waitUntil(lambda: find(pane, "question-answer").isEnabled())


@pytest.fixture
def answers(pane: ChatPane) -> list[tuple[str, QuestionAction, Any]]:
    found: list[tuple[str, QuestionAction, Any]] = []
    pane.question_answered.connect(lambda *answer: found.append(answer))
    return found


def test_a_new_card_leaves_the_focus_where_it_is_and_shows_its_start(pane: ChatPane, qtbot: QtBot) -> None:
    pane.resize(452, 300)
    pane.put_entry(talk.asked(1, "Make a service of it."))
    pane.put_entry(talk.a_question(2, "A few facts first.", *talk.FORM, talk.LIBRARY))
    assert pane.window().focusWidget() is pane.composer.edit
    words = find(pane, "question-words")
    top = words.mapTo(pane.transcript.viewport(), words.rect().topLeft()).y()
    assert 0 <= top < pane.transcript.viewport().height()


def test_words_of_ones_own_and_a_choice_exclude_each_other(qtbot: QtBot, pane: ChatPane, answers: list[Any]) -> None:
    ask(qtbot, pane, talk.a_question(1, "Which library?", talk.LIBRARY, talk.OWN))
    click(pane, "question-choice-0-1")
    own = find(pane, "question-input-0-other")
    QTest.keyClicks(own, "urllib")
    click(pane, "question-choice-0-0")
    assert own.text() == ""
    QTest.keyClicks(own, "urllib")
    QTest.keyClick(own, Qt.Key.Key_Return)
    assert answers == [("ASK-1", QuestionAction.ACCEPT, {"0-other": "urllib"})]
    QTest.keyClick(own, Qt.Key.Key_Return)
    assert len(answers) == 1


def test_defaults_are_filled_in_and_a_missing_value_is_named_and_given_the_focus(
    qtbot: QtBot, pane: ChatPane, answers: list[Any]
) -> None:
    ask(qtbot, pane, talk.a_question(1, "A few facts first.", *talk.FORM))
    click(pane, "question-answer")
    assert find(pane, "question-complaint").text() == "Name of the service needs an answer."
    name = pane.window().focusWidget()
    assert isinstance(name, QLineEdit)
    QTest.keyClicks(name, "orders")
    qtbot.waitUntil(lambda: find(pane, "question-answer").isEnabled())
    click(pane, "question-answer")
    values = {"name": "orders", "port": 8080, "parts": ("api",), "docs": True}
    assert answers == [("ASK-1", QuestionAction.ACCEPT, values)]


def test_enter_on_decline_declines(qtbot: QtBot, pane: ChatPane, answers: list[Any]) -> None:
    ask(qtbot, pane, talk.a_question(1, "Which library?", talk.LIBRARY))
    decline = find(pane, "question-decline")
    decline.setFocus()
    QTest.keyClick(decline, Qt.Key.Key_Return)
    assert answers == [("ASK-1", QuestionAction.DECLINE, {})]


def test_the_words_of_an_agent_are_plain_text_with_hidden_characters_spelled_out(pane: ChatPane) -> None:
    field = QuestionField(name="a", kind=FieldKind.TEXT, title="<b>T\u200b</b>", description="see\u202e https://x.org")
    pane.put_entry(talk.a_question(1, "<img src=x> \u2066hi", field))
    shown = [label.text() for label in find(pane, "question-form").findChildren(QLabel)]
    assert "<b>T⟨U+200B⟩</b>" in shown
    assert "see⟨U+202E⟩ https://x.org" in shown
    assert find(pane, "question-words").toPlainText() == "“<img src=x> ⟨U+2066⟩hi”"
    assert all(not label.openExternalLinks() for label in find(pane, "question-form").findChildren(QLabel))


@pytest.mark.parametrize(
    ("url", "note"),
    [
        ("http://example.org/x", "This address is not encrypted."),
        ("https://xn--exmple-cua.org/", "This host is written with characters that may look like others."),
    ],
)
def test_a_doubtful_address_carries_a_note(pane: ChatPane, url: str, note: str) -> None:
    pane.put_entry(talk.a_question(1, "Log in", url=url))
    assert note in [label.text() for label in find(pane, "question-form").findChildren(QLabel)]


def test_a_begun_answer_is_kept_while_its_card_is_out_of_sight(pane: ChatPane) -> None:
    pane.put_entry(talk.a_question(1, "Which library?", talk.LIBRARY, talk.OWN))
    QTest.keyClicks(find(pane, "question-input-0-other"), "url")
    pane.focus_composer()
    for number in range(2, 60):
        pane.put_entry(talk.said(number, "A line.\n\n" * 20))
    pane.transcript.jump_to_end()
    pane.transcript.verticalScrollBar().setValue(0)
    assert find(pane, "question-input-0-other").text() == "url"


def test_nothing_covers_an_open_question_and_nothing_is_left_to_jump_to_when_it_has_ended(pane: ChatPane) -> None:
    pane.resize(452, 420)
    pane.put_entry(talk.asked(1, "Make a service of it."))
    pane.put_entry(talk.a_question(2, "A few facts first.", *talk.FORM, talk.LIBRARY))
    jump = pane.findChild(QWidget, "jump-to-latest")
    assert jump.isHidden()
    pane.put_entry(talk.a_question(2, "A few facts first.", *talk.FORM, talk.LIBRARY, answer="decline"))
    pane.transcript._draw_grown()
    assert pane.transcript.is_at_end
    assert jump.isHidden()
