"""A theme for the kit, without dressing the application."""

import pytest
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.theme.theme import Theme


@pytest.fixture
def theme(qtbot: QtBot) -> Theme:
    return Theme()
