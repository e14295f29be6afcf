"""The steps under the conversation keep their words whatever room there is."""

import pytest
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.state_machine import EventKind, PlanState, PlanStateMachine
from tandem_desktop.ui.plan.footer import PlanActionButtons
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import Button


@pytest.mark.parametrize("width", [430, 452, 520, 820])
def test_no_word_is_cut_off_in_a_pane_of_any_width(width: int, theme: Theme, qtbot: QtBot) -> None:
    buttons = PlanActionButtons(theme)
    qtbot.addWidget(buttons)
    buttons.resize(width, 60)
    buttons.show()
    buttons.follow(PlanStateMachine(PlanState.REVIEWING), comments=2, tasks=3)
    layout = buttons.layout()
    assert layout is not None
    layout.activate()
    shown = buttons.findChildren(Button)
    assert all(button.width() >= button.sizeHint().width() for button in shown)
    assert max(button.geometry().right() for button in shown) < width
    assert "2" in buttons.button(EventKind.REQUEST_REVISION).hint
