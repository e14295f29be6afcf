"""Labels that wrap show all of their text."""

import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.labels import ElidedLabel, plain_label

WIDTH = 200


def shown(qtbot: QtBot, label: QLabel) -> QImage:
    """The label at that width, black on white, as high as it wants to be."""
    label.setStyleSheet("background: white; color: black;")
    label.resize(WIDTH, label.heightForWidth(WIDTH))
    qtbot.addWidget(label)
    with qtbot.waitExposed(label):
        label.show()
    return label.grab().toImage()


def has_ink(image: QImage, top: int, bottom: int) -> bool:
    return any(
        image.pixelColor(x, y).lightness() < QColor("gray").lightness()
        for y in range(max(0, top), min(bottom, image.height()))
        for x in range(image.width())
    )


@pytest.mark.parametrize("before", ["", "run ", "one\n\n"])
def test_a_word_wider_than_the_label_is_broken_and_drawn_to_its_end(qtbot: QtBot, before: str) -> None:
    label = plain_label(f"{before}{'W' * 300}", wrap=True)
    image = shown(qtbot, label)
    line = label.fontMetrics().lineSpacing()
    assert label.minimumSizeHint().width() <= WIDTH
    needed = label.fontMetrics().horizontalAdvance("W" * 300) // WIDTH
    assert image.height() >= needed * line
    assert has_ink(image, image.height() - line, image.height())


def test_text_without_a_long_word_wraps_as_in_any_label(qtbot: QtBot) -> None:
    text = "several short words that wrap where one of them ends " * 3
    label, plain = plain_label(text, wrap=True), QLabel(text)
    plain.setWordWrap(True)
    assert shown(qtbot, label) == shown(qtbot, plain)


def test_a_line_of_hints_leaves_out_whole_hints(qtbot: QtBot) -> None:
    label = ElidedLabel(Theme(), "Space marks viewed · a next to read · x drop", by_parts=True)
    qtbot.addWidget(label)
    widths = range(label.sizeHint().width(), 0, -1)
    shown = []
    for width in widths:
        label.resize(width, 20)
        shown.append(label.shown_text)
    whole = [text for text in dict.fromkeys(shown) if text and "…" not in text]
    assert whole == [
        "Space marks viewed · a next to read · x drop",
        "Space marks viewed · a next to read",
        "Space marks viewed",
    ]
