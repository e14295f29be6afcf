"""The child process that decodes images.

The question is a line of JSON with the sizes of the contents, followed by them; the answer a line of JSON that says for
each how large it is, followed by the pixels. Decoders are native code that reads foreign bytes: when one fails, or does
not end, only this process is lost.
"""

import base64
import binascii
import json
import os
import re
import resource
import sys
from typing import Any
from xml.etree import ElementTree

MOST_BYTES = 32 << 20
MOST_PIXELS = 32_000_000
"""An image that claims more is not decoded; a tiny file can declare a huge one."""
LARGEST_SIDE = 2_048
"""Larger images are scaled down before they are handed over."""
_MOST_SVG_BYTES = 4 << 20
_MEMORY, _SECONDS = 2 << 30, 20
_FORMATS = (b"png", b"jpeg", b"gif", b"bmp", b"webp", b"ico")
_ADDRESS = re.compile(r"url\(\s*[\"']?\s*([^#\s\"')][^\"')]*)|@import")
_PICTURE = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a")
_DRAWN_SIDE = 1_024
"""What a drawing without pixels of its own is drawn at."""


def main() -> int:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtGui import QGuiApplication  # after the limits, which hold for it too

    application = QGuiApplication(["image-worker"])
    question = json.loads(sys.stdin.buffer.readline())
    answers = [decode(sys.stdin.buffer.read(size)) for size in question]
    line = json.dumps([about for about, _ in answers]).encode() + b"\n"
    sys.stdout.buffer.write(b"".join((line, *(pixels for _, pixels in answers))))
    sys.stdout.buffer.flush()
    del application
    return 0


def decode(content: bytes) -> tuple[dict[str, Any], bytes]:
    """What an image is, and its pixels: premultiplied ARGB, row after row. Only `why` if it is not drawn."""
    if not content:
        return {}, b""
    if len(content) > MOST_BYTES:
        return {"why": "large"}, b""
    return _drawing(content) if is_svg(content) else _picture(content)


def is_svg(content: bytes) -> bool:
    """Whether the first element of a text is a drawing."""
    return (
        re.match(
            rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>|<!--.*?-->|<!DOCTYPE[^>\[]*>|\s)*<(?:\w+:)?svg[\s>/]",
            content[:65_536],
            re.DOTALL,
        )
        is not None
    )


def _picture(content: bytes) -> tuple[dict[str, Any], bytes]:
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice
    from PySide6.QtGui import QImageReader

    buffer = QBuffer()
    buffer.setData(QByteArray(content))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setDecideFormatFromContent(True)
    QImageReader.setAllocationLimit(MOST_PIXELS * 4 >> 20)
    size, kind = reader.size(), bytes(reader.format().data())
    if kind not in _FORMATS:
        return {"why": "damaged"}, b""
    if size.isValid() and size.width() * size.height() > MOST_PIXELS:
        return {"why": "large", "width": size.width(), "height": size.height()}, b""
    image = reader.read()  # of an animation the first picture
    if image.isNull():
        return {"why": "damaged"}, b""
    about = {
        "kind": kind.decode(),
        "width": image.width(),
        "height": image.height(),
        "frames": max(1, reader.imageCount()),
    }
    return _handed_over(image, about)


def _drawing(content: bytes) -> tuple[dict[str, Any], bytes]:
    from PySide6.QtCore import QByteArray, QRectF
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    if why := refusal(content):
        return {"why": why, "kind": "svg"}, b""
    renderer = QSvgRenderer(QByteArray(content))
    size = renderer.defaultSize()
    if not renderer.isValid() or size.isEmpty():
        return {"why": "damaged", "kind": "svg"}, b""
    scale = min(_DRAWN_SIDE / size.width(), _DRAWN_SIDE / size.height(), 4.0)
    wide, high = max(1, round(size.width() * scale)), max(1, round(size.height() * scale))
    image = QImage(wide, high, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, wide, high))
    painter.end()
    return _handed_over(image, {"kind": "svg", "width": size.width(), "height": size.height(), "frames": 1})


def refusal(content: bytes) -> str:
    """Why a drawing is not drawn: `damaged`, `large`, or `outside` if it refers to anything outside of itself."""
    if len(content) > _MOST_SVG_BYTES:
        return "large"
    if b"<!ENTITY" in content or b"<?xml-stylesheet" in content or re.search(rb"<!DOCTYPE[^>]*\[", content):
        return "outside"
    try:
        content.decode("utf-8")
        root = ElementTree.fromstring(content)  # noqa: S314 - without entities, and in a process with limits
    except (ElementTree.ParseError, UnicodeDecodeError, ValueError):
        return "damaged"
    for element in root.iter():
        texts = (*element.attrib.values(), element.text or "")
        if any(_ADDRESS.search(text) for text in texts):
            return "outside"
        for name, value in element.attrib.items():
            if name.rpartition("}")[2].lower() in ("href", "src") and not _is_inside(value.strip(), element.tag):
                return "outside"
    return ""


def _is_inside(address: str, tag: str) -> bool:
    """Whether it is a place in the drawing itself, or a picture that is part of it; a link is not followed."""
    if address.startswith("#") or not address or tag.rpartition("}")[2] == "a":
        return True
    head, comma, data = address.partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        return False
    try:
        return base64.b64decode(re.sub(r"\s", "", data), validate=True).startswith(_PICTURE)
    except (binascii.Error, ValueError):
        return False


def _handed_over(image: Any, about: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage

    if max(image.width(), image.height()) > LARGEST_SIDE:
        image = image.scaled(
            LARGEST_SIDE, LARGEST_SIDE, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
    image = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    pixels = bytes(image.constBits())  # four bytes a pixel: rows have no gap
    return {**about, "columns": image.width(), "rows": image.height()}, pixels


if __name__ == "__main__":
    raise SystemExit(main())
