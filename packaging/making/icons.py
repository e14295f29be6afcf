"""Draw the application's icon in every size from its one SVG.

`python packaging/making/icons.py DIR` fills DIR as a hicolor theme.
"""

import os
import shutil
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

NAME = "tandem-desktop"
SVG = Path(__file__).resolve().parents[2] / "resources" / "icons" / "application" / f"{NAME}.svg"
SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)


def main(words: list[str]) -> int:
    if len(words) != 1:
        print(__doc__)
        return 2
    application = QGuiApplication([])
    draw_all(Path(words[0]))
    del application
    return 0


def draw_all(theme: Path) -> None:
    for size in SIZES:
        target = theme / f"{size}x{size}" / "apps" / f"{NAME}.png"
        target.parent.mkdir(parents=True, exist_ok=True)
        if not drawn(size).save(str(target)):
            raise OSError(f"{target} could not be written")
    scalable = theme / "scalable" / "apps" / f"{NAME}.svg"
    scalable.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(SVG, scalable)


def drawn(size: int) -> QImage:
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(SVG)).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return image


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
