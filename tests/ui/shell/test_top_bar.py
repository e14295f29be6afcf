"""The bar above the panes."""

from pytestqt.qtbot import QtBot

from tandem_desktop.ui.shell.top_bar import TopBar
from tandem_desktop.ui.theme.theme import Theme


def test_title_of_an_agent_is_spelled_out_where_it_passes_for_another(qtbot: QtBot) -> None:
    bar = TopBar(Theme())
    qtbot.addWidget(bar)
    bar.show_agents([("mine", "Сlaude Code", ""), ("other", "Мой помощник", "")], "mine", "confined")
    assert bar.agent.text() == "⟨U+0421⟩laude Code"
    bar.show_agents([("mine", "Сlaude Code", ""), ("other", "Мой помощник", "")], "other", "confined")
    assert bar.agent.text() == "Мой помощник"
