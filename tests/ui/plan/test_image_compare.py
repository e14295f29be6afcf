"""Images are compared as pictures, and nothing that only claims to be one is read."""

import struct
import zlib

import pytest
from PySide6.QtCore import QBuffer, QIODevice, QPoint, Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.plan.image_compare import ImageCompare, read_image
from tandem_desktop.ui.theme.theme import Theme


def a_png(color: str, width: int = 40, height: int = 20) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(color))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


def a_png_that_claims(width: int, height: int) -> bytes:
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))


@pytest.mark.parametrize("content", [b"", b"text\n", b"<svg/>", a_png_that_claims(1_000_000, 1_000_000)])
def test_what_is_no_image_of_a_sane_size_is_not_read(content: bytes) -> None:
    assert read_image(content) is None


def test_swiping_moves_the_line_between_the_images_by_key_and_pointer(qtbot: QtBot, theme: Theme) -> None:
    view = ImageCompare(theme, read_image(a_png("red")), read_image(a_png("blue")))
    qtbot.addWidget(view)
    view.resize(300, 120)
    view.show()
    qtbot.mouseClick(view.findChild(object, "segmented-compare-images-swipe"), Qt.MouseButton.LeftButton)
    picture = view.picture
    assert colours(picture.grab().toImage(), 10, 30) == ("#ff0000", "#0000ff")
    qtbot.mousePress(picture, Qt.MouseButton.LeftButton, pos=QPoint(36, 10))
    assert colours(picture.grab().toImage(), 10, 30) == ("#ff0000", "#ff0000")
    picture.setFocus()
    for _ in range(20):
        qtbot.keyClick(picture, Qt.Key.Key_Left)
    assert picture.share == 0
    assert colours(picture.grab().toImage(), 10, 30) == ("#0000ff", "#0000ff")


def test_images_stand_side_by_side_at_first(qtbot: QtBot, theme: Theme) -> None:
    view = ImageCompare(theme, read_image(a_png("red")), read_image(a_png("blue")))
    qtbot.addWidget(view)
    view.resize(300, 120)
    view.show()
    width = view.picture.width()
    assert colours(view.picture.grab().toImage(), 10, width // 2 + 10) == ("#ff0000", "#0000ff")


def colours(image: QImage, *places: int) -> tuple[str, ...]:
    return tuple(image.pixelColor(x, 8).name() for x in places)
