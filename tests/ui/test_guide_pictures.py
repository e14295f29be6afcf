"""Every picture of the documents has a scene it can be taken of anew."""

from PySide6.QtGui import QColor, QImage

from tests.guide_pictures import DOCS, NAMES, path_of, small


def test_every_picture_of_the_documents_can_be_taken_anew() -> None:
    assert {path_of(name) for name in NAMES} == set(DOCS.rglob("*.png"))


def test_small_picture_keeps_its_size_and_the_colours_that_count() -> None:
    image = QImage(64, 64, QImage.Format.Format_RGB32)
    image.fill(QColor("#16181f"))
    for at in range(64):
        image.setPixelColor(at, 0, QColor(at * 4, 255 - at * 4, 128))
    few = small(image)
    assert (few.width(), few.height()) == (64, 64)
    assert few.colorCount() <= 256
    assert few.pixelColor(32, 32) == QColor("#16181f")
    assert abs(few.pixelColor(40, 0).red() - 160) <= 12
