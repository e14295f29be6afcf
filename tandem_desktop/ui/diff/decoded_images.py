"""Images decoded by a process of their own, and how two of them differ."""

import json
import logging
import subprocess
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPainter

from tandem_desktop.processes.child import scrubbed_environment
from tandem_desktop.processes.own_program import own_module
from tandem_desktop.ui.diff.image_worker import LARGEST_SIDE, is_svg
from tandem_desktop.ui.diff.special import image_text, size_text
from tandem_desktop.ui.i18n import tr, tr_n, tr_table

LIMIT_S = 30.0
_MOST_FRAMES = 1_000_000
_CHANGED = QColor(255, 0, 160)
_FADED = 0.25
_KINDS = {"png": "PNG", "jpeg": "JPEG", "gif": "GIF", "bmp": "BMP", "webp": "WebP", "ico": "ICO", "svg": "SVG"}
_WHY_NOT = tr_table(
    {
        "large": "too large to be drawn",
        "damaged": "damaged, or not an image",
        "outside": "not drawn, because it refers to something outside of itself",
        "failed": "not drawn: decoding it failed or took too long",
    }
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class DecodedImage:
    """One side: its picture, or why there is none. `size` are the bytes of the file; 0 if there is no file."""

    size: int
    image: QImage | None = None
    kind: str = ""
    width: int = 0
    height: int = 0
    frames: int = 1
    why: str = ""

    @property
    def text(self) -> str:
        """`PNG, 640 × 480 pixels, 12.3 kB`, and why it is not drawn."""
        if not self.size:
            return tr("not there")
        parts = [_KINDS.get(self.kind, "")]
        if self.width:
            parts.append(tr("{width} × {height} pixels", width=f"{self.width:,}", height=f"{self.height:,}"))
        parts.append(size_text(self.size))
        if self.frames > 1:
            parts.append(tr_n("{n} picture, the first is shown", "{n} pictures, the first is shown", self.frames))
        if self.image is not None and self.kind != "svg" and self.image.width() != self.width:
            parts.append(tr("shown smaller"))
        if self.why:
            parts.append(_WHY_NOT[self.why])
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True)
class ImagePair:
    """Both sides of an image."""

    before: DecodedImage
    after: DecodedImage

    @property
    def images(self) -> tuple[QImage, ...]:
        return tuple(each.image for each in (self.before, self.after) if each.image is not None)

    @cached_property
    def difference(self) -> tuple[QImage, int] | None:
        """Where they differ, over the faded image after, and how many pixels that are; None without two images."""
        if self.before.image is None or self.after.image is None:
            return None
        return difference(self.before.image, self.after.image)

    @property
    def text(self) -> str:
        """How many pixels differ, in words; of a drawing only the share."""
        found = self.difference
        if found is None:
            return ""
        image, count = found
        total = image.width() * image.height()
        if not count:
            return tr("No pixel differs: the files differ in other bytes.")
        share = f"{max(0.1, 100 * count / total):.1f}"
        if "svg" in (self.before.kind, self.after.kind):  # it has no pixels of its own
            return tr("{share} % of the drawing differs", share=share)
        return tr_n("{n} pixel differs ({share} %)", "{n} pixels differ ({share} %)", count, share=share)


def may_be_image(path: str, before: bytes, after: bytes) -> bool:
    """Whether there is something to be drawn: known by its first bytes, or a drawing by its name."""
    if path.lower().endswith(".svg"):
        return is_svg(before) or is_svg(after)
    return bool(image_text(before) or image_text(after))


def decode_images(before: bytes, after: bytes, limit_s: float = LIMIT_S) -> ImagePair:
    """Decode both sides in one process. Waits for it; call it on another thread."""
    contents = (before, after)
    question = json.dumps([len(content) for content in contents]).encode() + b"\n"
    try:
        done = subprocess.run(
            own_module("tandem_desktop.ui.diff.image_worker", frozen=("image-worker",)),
            input=b"".join((question, *contents)),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=scrubbed_environment(),
            cwd="/",
            timeout=limit_s,
            start_new_session=True,
            check=True,
        )
        return ImagePair(*_read(done.stdout, contents))
    except (OSError, subprocess.SubprocessError, ValueError, LookupError, TypeError) as failed:
        _log.info("images could not be decoded: %s", type(failed).__name__)
        return ImagePair(*(DecodedImage(len(each), why="failed" if each else "") for each in contents))


def _read(answer: bytes, contents: tuple[bytes, bytes]) -> list[DecodedImage]:
    line, _, pixels = answer.partition(b"\n")
    sides: list[dict[str, Any]] = json.loads(line)
    found: list[DecodedImage] = []
    for about, content in zip(sides, contents, strict=True):
        columns, rows = int(about.get("columns", 0)), int(about.get("rows", 0))
        if not (0 <= columns <= LARGEST_SIDE and 0 <= rows <= LARGEST_SIDE) or len(pixels) < 4 * columns * rows:
            raise ValueError("the pixels are not what was announced")
        own, pixels = pixels[: 4 * columns * rows], pixels[4 * columns * rows :]
        image = None
        if own:
            image = QImage(own, columns, rows, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied).copy()
        why = str(about.get("why", ""))
        found.append(
            DecodedImage(
                len(content),
                image,
                str(about.get("kind", "")),
                int(about.get("width", 0)),
                int(about.get("height", 0)),
                min(_MOST_FRAMES, int(about.get("frames", 1))),
                why if why in _WHY_NOT or not why else "failed",
            )
        )
    return found


def difference(before: QImage, after: QImage) -> tuple[QImage, int]:
    """The pixels that differ, marked over the faded second image, and their number.

    Compared on white and on black: two pixels that are alike on both have the same colour and the same transparency.
    """
    wide, high = max(before.width(), after.width()), max(before.height(), after.height())
    drawn = QImage(wide, high, QImage.Format.Format_ARGB32_Premultiplied)
    drawn.fill(Qt.GlobalColor.white)
    painter = QPainter(drawn)
    painter.setOpacity(_FADED)
    painter.drawImage(0, 0, after)
    painter.setOpacity(1)
    changed = QImage(wide, high, QImage.Format.Format_Grayscale8)
    changed.fill(0)
    marker = QPainter(changed)
    for ground in (Qt.GlobalColor.white, Qt.GlobalColor.black):
        mask = _mask(_on(ground, before, wide, high), _on(ground, after, wide, high))
        marker.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        marker.drawImage(0, 0, _coloured(mask, QColor(Qt.GlobalColor.white)))
        painter.drawImage(0, 0, _coloured(mask, _CHANGED))
    for one, other in ((before, after), (after, before)):  # where only one of them has pixels
        for left, top, right, bottom in (
            (other.width(), 0, one.width(), one.height()),
            (0, other.height(), one.width(), one.height()),
        ):
            if right > left and bottom > top:
                marker.fillRect(left, top, right - left, bottom - top, Qt.GlobalColor.white)
                painter.fillRect(left, top, right - left, bottom - top, _CHANGED)
    marker.end()
    painter.end()
    return drawn, _count(changed)


def _on(ground: Qt.GlobalColor, image: QImage, wide: int, high: int) -> QImage:
    made = QImage(wide, high, QImage.Format.Format_RGB32)
    made.fill(ground)
    painter = QPainter(made)
    painter.drawImage(0, 0, image)
    painter.end()
    return made


def _mask(one: QImage, other: QImage) -> QImage:
    painter = QPainter(one)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Difference)
    painter.drawImage(0, 0, other)
    painter.end()
    return one.createMaskFromColor(0xFF000000, Qt.MaskMode.MaskOutColor)


def _coloured(mask: QImage, colour: QColor) -> QImage:
    """Where the mask is set, the colour; else nothing."""
    made = mask.convertToFormat(QImage.Format.Format_Indexed8)
    made.setColorTable([QColor(0, 0, 0, 0).rgba(), colour.rgba()])
    return made.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)


def _count(changed: QImage) -> int:
    raw, step, wide = bytes(changed.constBits()), changed.bytesPerLine(), changed.width()
    rows = (raw[at * step : at * step + wide] for at in range(changed.height()))
    return sum(wide - row.count(0) for row in rows)
