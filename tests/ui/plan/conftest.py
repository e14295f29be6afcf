"""A panel with contents that arrive through the real crossing."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.threads import Commands
from tests.support.builders import A_MOMENT
from tests.ui.plan.pages import Contents, every_kind, source_of, the_operations


@pytest.fixture
def theme(qapp: object) -> Theme:
    made = Theme()
    made.set_reduced_motion(True)
    return made


@pytest.fixture
def contents() -> Contents:
    return {**the_operations()[1], **every_kind()[1]}


@pytest.fixture(scope="session")
def executor() -> ThreadPoolExecutor:
    """Outlives every panel, as in the window: a view that closes may still be about to ask."""
    return ThreadPoolExecutor(1)


@pytest.fixture(scope="session")
def commands(qapp: object) -> Commands:
    return Commands()


@pytest.fixture
def panel(
    qtbot: QtBot, theme: Theme, contents: Contents, executor: ThreadPoolExecutor, commands: Commands
) -> ExecutionPlanPanel:
    made = ExecutionPlanPanel(
        theme,
        source_of(contents, commands, executor),
        workspace="orders-api",
        now=lambda: A_MOMENT + timedelta(hours=2),
    )
    qtbot.addWidget(made)
    made.resize(800, 800)
    with qtbot.waitExposed(made):
        made.show()
    return made
