"""The whole window on its way through a change; the tour of the set-up takes the same way."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtWidgets import QApplication, QWidget

from tandem_desktop.ui.theme.theme import Theme

TOUR = Path(__file__).parents[3] / "packaging" / "window_tour.py"


def pictures(app: QApplication, theme: Theme) -> Iterator[tuple[str, QWidget]]:
    found = importlib.util.spec_from_file_location("window_tour", TOUR)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    yield from module.pictures(app, theme)
