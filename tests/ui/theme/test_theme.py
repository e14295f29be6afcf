"""One look for every widget, changed in one place."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF, QGuiApplication, QTextLayout
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.ui.theme.theme import CODE_FAMILY, THEMES, Theme, load_tokens


@pytest.fixture
def theme(qtbot: QtBot) -> Theme:
    return Theme()


@pytest.mark.parametrize("name", THEMES)
def test_every_theme_gives_every_colour(name: str, qtbot: QtBot) -> None:
    tokens = Theme(name=name).tokens
    values = {token: getattr(tokens, token) for token in tokens.__slots__ if token != "scheme"}
    assert all(len(value) == 7 and value.startswith("#") for value in values.values()), values


def test_a_theme_that_is_not_there_is_refused_and_nothing_changes(theme: Theme) -> None:
    with pytest.raises(BadInputError, match="sepia") as refusal:
        theme.set_theme("sepia")
    assert "colour-blind-light" in refusal.value.next
    assert (theme.name, theme.color("surface").name()) == ("dark", "#0f1115")


def test_changing_the_theme_is_told_once_and_only_when_it_changes(theme: Theme, qtbot: QtBot) -> None:
    with qtbot.waitSignal(theme.changed):
        theme.set_theme("light")
    assert theme.color("surface").name() == load_tokens("light").surface
    with qtbot.assertNotEmitted(theme.changed):
        theme.set_theme("light")


def test_zoom_scales_lengths_and_both_faces(theme: Theme, qtbot: QtBot) -> None:
    before = theme.ui_font().pixelSize(), theme.code_font().pixelSize(), theme.px(12)
    with qtbot.waitSignal(theme.changed):
        theme.set_zoom(2)
    after = theme.ui_font().pixelSize(), theme.code_font().pixelSize(), theme.px(12)
    assert after == tuple(2 * size for size in before)


def test_zoom_stays_within_what_can_be_used(theme: Theme) -> None:
    theme.set_zoom(50)
    assert theme.zoom == 3
    theme.set_zoom(0)
    assert theme.zoom == 0.5
    assert theme.px(1) == 1
    assert theme.px(0) == 0


def test_code_is_written_in_the_bundled_face(theme: Theme) -> None:
    assert QFontInfo(theme.code_font()).family() == CODE_FAMILY
    metrics = QFontMetricsF(theme.code_font())
    assert metrics.horizontalAdvance("i") == metrics.horizontalAdvance("W")


def test_characters_do_not_melt_into_ligatures(theme: Theme) -> None:
    font = theme.code_font()
    melted = QFont(font)
    for feature in font.featureTags():
        melted.unsetFeature(feature)
    assert _glyphs("-> != ===", font) == [glyph for sign in "-> != ===" for glyph in _glyphs(sign, font)]
    assert _glyphs("-> != ===", melted) != _glyphs("-> != ===", font)


def test_a_following_theme_changes_with_the_system(theme: Theme, qtbot: QtBot) -> None:
    theme.follow_system(True)
    with qtbot.waitSignal(theme.changed):
        _system_turns(Qt.ColorScheme.Light)
    assert theme.name == "light"
    with qtbot.waitSignal(theme.changed):
        _system_turns(Qt.ColorScheme.Dark)
    assert theme.name == "dark"


def test_a_colour_blind_theme_follows_within_its_pair(theme: Theme) -> None:
    theme.set_theme("colour-blind-dark")
    theme.follow_system(True)
    _system_turns(Qt.ColorScheme.Light)
    assert theme.name == "colour-blind-light"


def test_high_contrast_stays_whatever_the_system_says(theme: Theme) -> None:
    theme.set_theme("high-contrast")
    theme.follow_system(True)
    _system_turns(Qt.ColorScheme.Light)
    assert theme.name == "high-contrast"


def test_a_chosen_theme_no_longer_follows(theme: Theme) -> None:
    theme.follow_system(True)
    theme.set_theme("dark")
    _system_turns(Qt.ColorScheme.Light)
    assert theme.name == "dark"


def test_a_persons_wish_for_stillness_wins(theme: Theme) -> None:
    theme.set_reduced_motion(True)
    assert theme.reduced_motion
    theme.set_reduced_motion(False)
    assert not theme.reduced_motion


def _glyphs(text: str, font: QFont) -> list[int]:
    layout = QTextLayout(text, font)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return [glyph for run in layout.glyphRuns() for glyph in run.glyphIndexes()]


def _system_turns(scheme: Qt.ColorScheme) -> None:
    """What Qt tells when the desktop changes; the offscreen platform has no desktop to change."""
    QGuiApplication.styleHints().colorSchemeChanged.emit(scheme)


def test_high_contrast_is_worn_while_the_system_asks_for_it_and_left_afterwards(qtbot: QtBot) -> None:
    asks = [False]
    theme = Theme(name="light", wants_contrast=lambda: asks[0])
    theme.follow_system(True)
    worn = theme.name
    asks[0] = True
    with qtbot.waitSignal(theme.changed):
        theme.look_at_system()
    assert theme.name == "high-contrast"
    theme.look_at_system()
    asks[0] = False
    theme.look_at_system()
    assert theme.name == worn


def test_chosen_theme_is_kept_although_the_system_asks_for_high_contrast() -> None:
    theme = Theme(name="dark", wants_contrast=lambda: True)
    theme.set_theme("light")
    theme.look_at_system()
    assert theme.name == "light"


def test_code_takes_its_own_size_and_ligatures_only_where_asked_for(theme: Theme) -> None:
    theme.set_code_face("", 18, ligatures=True)
    assert theme.code_font().pixelSize() == 18
    assert not theme.code_font().isFeatureSet(QFont.Tag("calt"))
    theme.set_code_face("")
    assert theme.code_font().pixelSize() == 12
    assert theme.code_font().featureValue(QFont.Tag("calt")) == 0
    assert not theme.ui_font().featureValue(QFont.Tag("liga"))
