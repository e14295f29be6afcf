"""The tab of perspectives: three voices, whoever is missing, what each rests on, and the way there when it is empty."""

import pytest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.events import PerspectiveFailed, PerspectiveMoved, PlanningStarted
from tandem_desktop.domain.perspectives import Role
from tandem_desktop.ui.perspectives.tab import PerspectivesView
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banners import Banner
from tests.support.builders import SESSION_ID
from tests.support.scripted_perspectives import all_voices
from tests.ui.plan.pages import a_page, the_operations


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> PerspectivesView:
    made = PerspectivesView(theme)
    qtbot.addWidget(made)
    made.resize(theme.px(780), theme.px(800))
    made.show()
    return made


def words(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible() and label.text()]


def test_every_voice_shows_concerns_recommendations_effort_risk_and_the_files_it_read(view: PerspectivesView) -> None:
    view.show_perspectives(all_voices())
    chapo, koda = words(view.cards[Role.CHAPO]), words(view.cards[Role.KODA])
    assert "OpenCode · claude-sonnet-4-5" in chapo
    assert {"medium risk", "medium effort", "Sessions of people who are logged in end."} <= set(chapo)
    assert {"small effort", "Keep the name login in src/auth.py.", "Files read (3)", "src/middleware.py"} <= set(koda)
    assert {"Wanted to do more, and was refused", "Edit src/auth.py"} <= set(koda)
    assert "None: this rests on no file of the workspace." in words(view.cards[Role.DEVO])


@pytest.mark.req("S2-01")
def test_the_first_look_at_the_task_is_shown_while_they_look_and_afterwards(view: PerspectivesView) -> None:
    look = "Nothing known of it calls for a plan: code task."
    view.follow(PlanningStarted(session_id=SESSION_ID, task="Refactor it", qualification=look))
    assert look in words(view)
    view.show_perspectives(all_voices())
    assert look not in words(view)
    assert any(each.startswith("Plan it first: mixed task, complex") for each in words(view))


def test_whoever_is_missing_is_named_with_the_reason(view: PerspectivesView) -> None:
    view.show_perspectives(all_voices(lost="devo"))
    assert [banner.text for banner in view.findChildren(Banner) if not banner.isHidden()] == [
        "Without DEVO: devo handed in no usable answer. `rollback_strategy` is missing."
    ]
    assert words(view.cards[Role.DEVO]) == ["DEVO", "Operations", "Gave no answer."]


def test_voices_stand_side_by_side_and_below_each_other_where_it_is_narrow(
    view: PerspectivesView, qtbot: QtBot, theme: Theme
) -> None:
    view.show_perspectives(all_voices())
    cards = list(view.cards.values())
    qtbot.waitUntil(lambda: len({card.y() for card in cards}) == 1)
    view.resize(theme.px(420), theme.px(800))
    qtbot.waitUntil(lambda: len({card.x() for card in cards}) == 1)
    assert len({card.y() for card in cards}) == 3


def test_the_advisors_are_followed_while_they_look_and_other_events_are_none_of_its_business(
    view: PerspectivesView,
) -> None:
    assert view.follow(PlanningStarted(session_id=SESSION_ID, task="x"))
    assert view.follow(PerspectiveMoved(session_id=SESSION_ID, agent=Role.CHAPO, doing="Read README.md"))
    assert view.follow(PerspectiveFailed(session_id=SESSION_ID, agent=Role.KODA, reason="It was away."))
    assert words(view.cards[Role.CHAPO])[-1] == "Looks at it…\nRead README.md"
    assert words(view.cards[Role.KODA])[-1] == "Gave no answer. It was away."


def test_where_nobody_was_asked_the_tab_says_what_to_do(panel: ExecutionPlanPanel, qtbot: QtBot) -> None:
    panel.show_page(a_page(*the_operations()[0]))
    panel.tabs.show_tab("perspectives")
    with qtbot.waitSignal(panel.perspectives.ask_requested):
        panel.perspectives.findChild(QWidget, "empty-state-action").click()
