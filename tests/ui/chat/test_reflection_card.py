"""The card of a reflection: what it shows, how each adjustment is accepted or rejected, and how it is settled."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.agent_protocol import EntryKind
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.plan_steps import ExecutionPlan
from tandem_desktop.domain.reflection import AdjustmentVerdict, Judged, PlanSnapshot, Reflection, StepAdjustment
from tandem_desktop.ui.chat.pane import ChatPane
from tandem_desktop.ui.chat.reflection_card import ReflectionFacts, ReflectionRequest
from tests.support.builders import A_MOMENT, a_command, a_version, a_write
from tests.ui.chat import talk

PLAN, RUN = PlanId("PLAN-0badcafe"), RunId("RUN-00000001")


def a_judged(action: str, step: str, problem: str = "", **fields: Any) -> Judged:
    said = {"action": action, "step_id": step, "reason": f"{action} because", **fields}
    return Judged(adjustment=StepAdjustment.model_validate(said), problem=problem)


ADJUSTMENTS = (
    a_judged("MODIFY", "s2", tool_input={"command": "make check"}),
    a_judged("SKIP", "s1"),
    a_judged("ADD_AFTER", "s2", "gone.txt does not exist.", tool="delete", tool_input={"path": "gone.txt"}),
)


def a_reflection(assessment: str = "NEEDS_ADJUSTMENT", **fields: Any) -> Reflection:
    version = a_version(a_write("one.txt", id="s1"), a_command("make test\u202e", id="s2"))
    plan = ExecutionPlan.of(version, PlanStatus.FAILED)
    facts = {
        "plan_id": PLAN,
        "run_id": RUN,
        "snapshot": PlanSnapshot(plan=plan, run_id=RUN, cycle=0, taken_at=A_MOMENT),
        "assessment": assessment,
        "reasoning": "There is <b>no</b> such target.",
        "adjustments": ADJUSTMENTS,
        "at": A_MOMENT,
    }
    return Reflection.model_validate({**facts, **fields})


@pytest.fixture
def requests(pane: ChatPane) -> list[ReflectionRequest]:
    heard: list[ReflectionRequest] = []
    pane.reflection_requested.connect(heard.append)
    return heard


def shown(pane: ChatPane, reflection: Reflection, *, is_open: bool = True) -> ReflectionFacts:
    facts = ReflectionFacts(reflection, is_open)
    pane.set_entries([talk.said(1, "NEEDS_ADJUSTMENT", EntryKind.REFLECTION, plan_id=PLAN, run_id=RUN)])
    pane.set_reflection(facts)
    pane.transcript.settle_now()
    return facts


def find(pane: ChatPane, name: str) -> QWidget:
    return next(each for each in pane.findChildren(QWidget, name) if each.isVisible())


def click(pane: ChatPane, name: str) -> None:
    button = find(pane, name)
    assert isinstance(button, QAbstractButton)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def words(pane: ChatPane) -> str:
    return "\n".join(label.text() for label in find(pane, "reflection").findChildren(QLabel) if label.isVisible())


@pytest.mark.req("S4-23")
def test_the_card_shows_assessment_reasoning_and_every_adjustment_letter_by_letter(pane: ChatPane) -> None:
    shown(pane, a_reflection())
    said = words(pane)
    assert "Needs adjustment" in said
    assert "There is <b>no</b> such target." in said
    assert [line for line in said.splitlines() if line in ("Change s2", "Leave out s1", "Add a step after s2")]
    assert "make test⟨U+202E⟩" in said
    assert "make check" in said
    assert "Cannot be accepted: gone.txt does not exist." in said
    assert "0 of 3 accepted" in said


@pytest.mark.req("S4-23")
def test_each_adjustment_is_accepted_or_rejected_by_mouse_and_only_what_was_accepted_can_be_made(
    qtbot: QtBot, pane: ChatPane, requests: list[ReflectionRequest]
) -> None:
    facts = shown(pane, a_reflection())
    assert not find(pane, "reflection-make").isEnabled()
    click(pane, "segmented-adjustment-1-accepted")
    click(pane, "segmented-adjustment-2-rejected")
    assert [(request.number, request.verdict) for request in requests] == [
        (1, AdjustmentVerdict.ACCEPTED),
        (2, AdjustmentVerdict.REJECTED),
    ]
    judged = facts.reflection.judged(1, AdjustmentVerdict.ACCEPTED).judged(2, AdjustmentVerdict.REJECTED)
    pane.set_reflection(ReflectionFacts(judged, is_open=True))
    assert "1 of 3 accepted" in words(pane)
    qtbot.waitUntil(find(pane, "reflection-make").isEnabled)
    click(pane, "reflection-make")
    assert requests[-1] == ReflectionRequest(RUN, makes_revision=True)


@pytest.mark.req("S4-23")
def test_digits_accept_and_then_reject_and_enter_makes_the_revision(
    qtbot: QtBot, pane: ChatPane, requests: list[ReflectionRequest]
) -> None:
    facts = shown(pane, a_reflection())
    card = find(pane, "reflection")
    assert not card.hasFocus()  # the keys may be meant for the composer
    card.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(find(pane, "reflection-again").isEnabled)
    for key in ("1", "1", "2", "3"):
        QTest.keyClicks(card, key)
    assert [(request.number, request.verdict) for request in requests] == [
        (1, AdjustmentVerdict.ACCEPTED),
        (1, AdjustmentVerdict.REJECTED),
        (2, AdjustmentVerdict.ACCEPTED),
        (3, AdjustmentVerdict.REJECTED),
    ]
    pane.set_reflection(ReflectionFacts(facts.reflection.judged(2, AdjustmentVerdict.ACCEPTED), is_open=True))
    QTest.keyClick(card, Qt.Key.Key_Return)
    assert requests[-1].makes_revision


def test_an_adjustment_that_does_not_apply_cannot_be_accepted(
    pane: ChatPane, requests: list[ReflectionRequest]
) -> None:
    shown(pane, a_reflection())
    assert not find(pane, "segmented-adjustment-3-accepted").isEnabled()
    assert find(pane, "segmented-adjustment-3-rejected").isEnabled()


def test_letters_go_to_the_composer_and_the_card_stays(pane: ChatPane, qtbot: QtBot) -> None:
    shown(pane, a_reflection())
    QTest.keyClicks(find(pane, "reflection"), "x")
    qtbot.waitUntil(lambda: pane.composer.text == "x")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"made_revision": 2}, "What was accepted became revision 2."),
        ({}, "The plan has gone on since"),
    ],
)
def test_a_settled_card_says_what_became_of_it_and_offers_nothing(
    pane: ChatPane, fields: dict[str, Any], said: str
) -> None:
    accepted = a_reflection(**fields).judged(1, AdjustmentVerdict.ACCEPTED)
    shown(pane, accepted, is_open=False)
    assert said in words(pane)
    assert "Accepted" in words(pane)
    assert not [each for each in pane.findChildren(QWidget, "reflection-make") if each.isVisible()]
    assert pane.transcript.waiting_card() is None


@pytest.mark.req("S4-09")
def test_without_an_answer_the_card_says_so_and_offers_to_ask_again(
    qtbot: QtBot, pane: ChatPane, requests: list[ReflectionRequest]
) -> None:
    shown(pane, a_reflection("UNKNOWN", adjustments=()))
    assert "No answer" in words(pane)
    assert not [each for each in pane.findChildren(QWidget, "reflection-make") if each.isVisible()]
    qtbot.waitUntil(find(pane, "reflection-again").isEnabled)
    click(pane, "reflection-again")
    assert requests == [ReflectionRequest(RUN)]
