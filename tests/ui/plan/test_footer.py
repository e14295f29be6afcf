"""The decision bar keeps its words whatever room there is."""

import pytest
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.plan_states import EventKind, PlanState
from tandem_desktop.domain.state_machine import PlanStateMachine
from tandem_desktop.ui.plan.footer import PlanFooter
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import Button


@pytest.mark.parametrize("width", [430, 520, 600, 820])
def test_no_word_is_cut_off_in_a_bar_of_any_width(width: int, theme: Theme, qtbot: QtBot) -> None:
    footer = PlanFooter(theme)
    qtbot.addWidget(footer)
    footer.resize(width, 100)
    footer.show()
    footer.follow(PlanStateMachine(PlanState.REVIEWING), operations=2, comments=2, tasks=3)
    shown = [each for each in footer.findChildren(Button) if each.isVisible()]
    qtbot.waitUntil(lambda: all(button.width() >= button.sizeHint().width() for button in shown))
    assert max(button.mapTo(footer, button.rect().topRight()).x() for button in shown) < width
    assert "2" in footer.buttons.button(EventKind.REQUEST_REVISION).hint
