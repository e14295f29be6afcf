"""Images are decoded in a process of its own, compared as pictures, and nothing that only claims to be one is drawn."""

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QBuffer, QIODevice, QPoint, Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.diff.decoded_images import DecodedImage, ImagePair, decode_images, difference, may_be_image
from tandem_desktop.ui.diff.image import ImageCompare
from tandem_desktop.ui.diff.image_worker import refusal
from tandem_desktop.ui.theme.theme import Theme

_SPACES = b'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
SVG = b"<svg " + _SPACES + b' width="40" height="20">%s</svg>'
RED = SVG % b'<rect width="40" height="20" fill="#ff0000"/>'


def an_image(color: str, width: int = 40, height: int = 20) -> QImage:
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(color))
    return image


def encoded(image: QImage, kind: str = "PNG") -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert image.save(buffer, kind)
    return bytes(buffer.data().data())


def a_png_that_claims(width: int, height: int) -> bytes:
    parts = (b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0), b"IDAT" + zlib.compress(bytes(99)))
    chunks = (struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part)) for part in parts)
    return b"".join((b"\x89PNG\r\n\x1a\n", *chunks))


def a_pair(before: QImage | None, after: QImage | None) -> ImagePair:
    sides = (
        DecodedImage(0) if image is None else DecodedImage(120, image, "png", image.width(), image.height())
        for image in (before, after)
    )
    return ImagePair(*sides)


def test_image_is_decoded_with_its_kind_pixels_and_bytes_and_a_bomb_is_only_described(qapp: object) -> None:
    pair = decode_images(encoded(an_image("red")), a_png_that_claims(30_000, 30_000))
    assert pair.before.image is not None
    assert pair.before.image.pixelColor(5, 5).name() == "#ff0000"
    assert pair.before.text.startswith("PNG, 40 × 20 pixels, ")
    assert pair.after.image is None
    assert pair.after.text.endswith("too large to be drawn")


def test_drawing_is_rendered_and_what_is_no_image_is_said_to_be_none(qapp: object) -> None:
    pair = decode_images(RED, b"BM no image at all, whatever its first bytes say")
    assert pair.before.image is not None
    assert pair.before.image.pixelColor(5, 5).name() == "#ff0000"
    assert (pair.before.width, pair.before.height) == (40, 20)
    assert pair.after.why == "damaged"


def test_decoder_that_does_not_end_is_given_up(qapp: object) -> None:
    assert decode_images(b"", RED, limit_s=0.001).after.why == "failed"


@pytest.mark.parametrize(
    "inside",
    [
        b'<image href="file:///etc/hostname" width="9" height="9"/>',
        b'<image xlink:href="http://127.0.0.1:9/x.png" width="9" height="9"/>',
        b'<image href="/tmp/x.png" width="9" height="9"/>',
        b'<image href="../x.png" width="9" height="9"/>',
        b'<image href="data:image/svg+xml;base64,PHN2Zy8+" width="9" height="9"/>',
        b'<image href="data:image/png;base64,PHN2Zy8+" width="9" height="9"/>',
        b'<use href="other.svg#a"/>',
        b'<rect fill="url(http://127.0.0.1:9/#a)"/>',
        b"<rect style=\"fill: url('other.svg#a')\"/>",
        b"<style>@import 'other.css';</style>",
    ],
)
def test_drawing_that_refers_to_anything_outside_of_itself_is_not_drawn(inside: bytes) -> None:
    assert refusal(SVG % inside) == "outside"


def test_drawing_with_entities_is_refused_and_one_with_places_of_its_own_is_not() -> None:
    bomb = b'<!DOCTYPE svg [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>' + SVG % b"<text>&b;</text>"
    assert refusal(bomb) == "outside"
    assert refusal(SVG % b'<defs><g id="a"/></defs><use href="#a" fill="url(#a)"/><a href="https://x.example"/>') == ""
    assert refusal(SVG[:-7]) == "damaged"


@given(st.binary(max_size=300))
def test_no_content_makes_the_first_look_fail(content: bytes) -> None:
    refusal(content)
    may_be_image("a.svg", content, b"<svg " + content)
    may_be_image("a.png", content, content[::-1])


def test_difference_counts_pixels_of_other_colour_transparency_or_size(qapp: object) -> None:
    clear = an_image("#00000000", 4, 4)
    other = clear.copy()
    other.setPixelColor(1, 1, QColor(0, 0, 0, 255))
    other.setPixelColor(2, 2, QColor(255, 255, 255, 255))
    assert difference(clear, other)[1] == 2
    assert difference(clear, clear.copy())[1] == 0
    assert difference(clear, clear.copy(0, 0, 2, 4))[1] == 8
    assert "No pixel differs" in a_pair(clear, clear.copy()).text


def test_of_a_drawing_the_share_that_differs_is_told(qapp: object) -> None:
    sides = (DecodedImage(9, image=an_image(colour, 4, 4), kind="svg") for colour in ("red", "blue"))
    assert ImagePair(*sides).text == "100.0 % of the drawing differs"


def shown(qtbot: QtBot, theme: Theme, pair: ImagePair) -> ImageCompare:
    view = ImageCompare(theme, pair)
    qtbot.addWidget(view)
    view.resize(700, 160)
    view.show()
    return view


def test_swiping_moves_the_line_between_the_images_by_key_and_pointer(qtbot: QtBot, theme: Theme) -> None:
    view = shown(qtbot, theme, a_pair(an_image("red"), an_image("blue")))
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


def test_images_stand_side_by_side_at_first_and_plus_makes_them_larger(qtbot: QtBot, theme: Theme) -> None:
    view = shown(qtbot, theme, a_pair(an_image("red"), an_image("blue")))
    width, height = view.picture.width(), view.picture.height()
    assert colours(view.picture.grab().toImage(), 10, width // 2 + 10) == ("#ff0000", "#0000ff")
    view.picture.setFocus()
    qtbot.keyClicks(view.picture, "++")
    assert view.picture.zoom == 4
    assert view.picture.height() > 3 * height
    qtbot.keyClicks(view.picture, "0")
    assert view.picture.height() == height


def test_difference_marks_what_differs(qtbot: QtBot, theme: Theme) -> None:
    after = an_image("red")
    after.setPixelColor(10, 8, QColor("blue"))
    view = shown(qtbot, theme, a_pair(an_image("red"), after))
    qtbot.mouseClick(view.findChild(object, "segmented-compare-images-difference"), Qt.MouseButton.LeftButton)
    assert colours(view.picture.grab().toImage(), 10)[0] == "#ff00a0"
    assert "1 pixel differs (0.1 %)" in view.said.text()
    assert view.accessibleDescription() == view.said.text()


def test_image_that_is_not_drawn_says_why(qtbot: QtBot, theme: Theme) -> None:
    view = shown(qtbot, theme, ImagePair(DecodedImage(0), DecodedImage(99, why="outside", kind="svg")))
    assert view.said.text() == "New: SVG, 99 bytes, not drawn, because it refers to something outside of itself"
    assert not view.picture.isVisible()


def colours(image: QImage, *places: int) -> tuple[str, ...]:
    return tuple(image.pixelColor(x, 9).name() for x in places)
