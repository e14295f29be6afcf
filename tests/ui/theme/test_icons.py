"""Icons take their colour from the theme."""

import xml.etree.ElementTree as Xml

import pytest
from PySide6.QtGui import QIcon, QImage
from pytestqt.qtbot import QtBot

from tandem_desktop.storage.paths import resource
from tandem_desktop.ui.theme.style import icon, pixmap
from tandem_desktop.ui.theme.theme import Theme

NAMES = sorted(path.stem for path in resource("icons").glob("*.svg"))


@pytest.mark.parametrize("name", NAMES)
def test_every_icon_is_a_small_drawing_with_something_in_it(name: str, qtbot: QtBot) -> None:
    root = Xml.parse(resource(f"icons/{name}.svg")).getroot()
    assert root.get("viewBox") == "0 0 16 16"
    assert _paint_cache(pixmap(Theme(), name, size=64).toImage())


def test_an_icon_is_drawn_in_the_colour_of_its_token(qtbot: QtBot) -> None:
    theme = Theme()
    assert _paint_cache(pixmap(theme, "stop", "accent").toImage()) == {theme.tokens.accent}
    theme.set_theme("light")
    assert _paint_cache(pixmap(theme, "stop", "accent").toImage()) == {theme.tokens.accent}


def test_the_two_rings_of_the_logo_keep_their_own_colours(qtbot: QtBot) -> None:
    theme = Theme(name="light")
    assert {theme.tokens.accent, theme.tokens.ok} <= _paint_cache(pixmap(theme, "logo", size=64).toImage())


def test_an_icon_is_sharp_at_every_zoom_and_on_every_screen(qtbot: QtBot) -> None:
    theme = Theme(zoom=2)
    assert pixmap(theme, "check", size=16, ratio=1.5).width() == 48
    assert {size.width() for size in icon(theme, "check").availableSizes()} == {32, 64, 96}


def test_a_disabled_icon_is_dimmed(qtbot: QtBot) -> None:
    theme = Theme()
    made = icon(theme, "stop")
    assert _paint_cache(made.pixmap(16, 16, QIcon.Mode.Disabled).toImage()) == {theme.tokens.line_strong}


def _paint_cache(image: QImage) -> set[str]:
    solid = image.convertToFormat(QImage.Format.Format_ARGB32)
    colors = (solid.pixelColor(x, y) for x in range(solid.width()) for y in range(solid.height()))
    return {color.name() for color in colors if color.alpha() == 255}
