"""The bar above the panes."""

from pytestqt.qtbot import QtBot

from tandem_desktop.domain.network import NetworkMode
from tandem_desktop.shadow.factory import Confinement
from tandem_desktop.ui.shell.top_bar import TopBar, held_in_words
from tandem_desktop.ui.theme.theme import Theme

HELD = Confinement("overlay", confined=True, held="confined by bubblewrap")


def test_sandbox_with_an_open_network_is_called_that() -> None:
    assert held_in_words(HELD) == "sandboxed"
    assert held_in_words(HELD.with_network(NetworkMode.OPEN)) == "sandboxed, open network"
    assert held_in_words(Confinement("copy", confined=False, held="not confined")) == "not sandboxed"


def test_title_of_an_agent_is_spelled_out_where_it_passes_for_another(qtbot: QtBot) -> None:
    bar = TopBar(Theme())
    qtbot.addWidget(bar)
    bar.show_agents([("mine", "Сlaude Code", ""), ("other", "Мой помощник", "")], "mine", HELD)
    assert bar.agent.text() == "⟨U+0421⟩laude Code"
    bar.show_agents([("mine", "Сlaude Code", ""), ("other", "Мой помощник", "")], "other", HELD)
    assert bar.agent.text() == "Мой помощник"
