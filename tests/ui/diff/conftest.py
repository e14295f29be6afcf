"""A view on an offscreen screen, with the threads that serve it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.diff.loader import DiffLoader
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.threads import Commands


@pytest.fixture
def theme(qtbot: QtBot) -> Theme:
    return Theme()


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> DiffView:
    made = DiffView(theme)
    qtbot.addWidget(made)
    made.resize(1500, 400)
    made.show()
    qtbot.waitExposed(made)
    made.setFocus()
    return made


@pytest.fixture
def loader(view: DiffView) -> Iterator[DiffLoader]:
    executor = ThreadPoolExecutor(1)
    made = DiffLoader(view, Commands(view), executor)
    yield made
    made.stop()
    executor.shutdown(cancel_futures=True)
