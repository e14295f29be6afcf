"""Take the pictures of the guide and of the README anew: `python -m tests.guide_pictures [name…]`.

Each is taken of the real window, on a project of its own, and saved with at most 256 colours: interfaces need no more,
and a repository keeps every picture for ever.
"""

import os
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from collections import Counter
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from tandem_desktop.ui.theme.style import install
from tandem_desktop.ui.theme.theme import Theme
from tests.ui.pictures.guide import SCENES, Scene, first_run, part_of
from tests.ui.pictures.stage import Stage

DOCS = Path(__file__).resolve().parents[1] / "docs"
FIRST, FRONT = "first-run", "reviewing"
NAMES = (FIRST, *SCENES)
_MOST_COLOURS = 256
_NEAR = 12
"""Two colours that differ by less, over all three channels, are one."""


def path_of(name: str) -> Path:
    """The front page shows the review; everything else is the guide's."""
    return DOCS / "window.png" if name == FRONT else DOCS / "pictures" / f"{name}.png"


def main(words: list[str]) -> int:
    if unknown := [word for word in words if word not in NAMES]:
        print(f"{__doc__}\nNo picture is called {', '.join(unknown)}. There are: {', '.join(NAMES)}.")
        return 2
    application = QApplication.instance() or QApplication([])
    assert isinstance(application, QApplication)
    (DOCS / "pictures").mkdir(exist_ok=True)
    for name in words or NAMES:
        path = path_of(name)
        small(taken(application, name)).save(str(path), "PNG", 0)  # 0: packed as tightly as can be
        print(f"{path.relative_to(DOCS)}  {path.stat().st_size // 1024} KB", flush=True)
    return 0


def taken(application: QApplication, name: str) -> QImage:
    scene = SCENES.get(name)
    theme = Theme(name=scene.theme if scene else "dark")
    install(application, theme)
    with Stage(theme.name) as stage:
        if scene is None:
            window = first_run(stage, theme)
            image = _grabbed(stage, window, Scene(Stage.open, size=(1280, 880)))
            window.close()
            window.leave()
            return image
        person = scene.reach(stage)
        return _grabbed(stage, person.window, scene)


def _grabbed(stage: Stage, window: QWidget, scene: Scene) -> QImage:
    window.resize(*scene.size)
    stage.settle()
    return part_of(window, scene.part).grab().toImage()


def small(image: QImage) -> QImage:
    """The same picture with its most used colours only."""
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    counted = Counter(memoryview(plain.constBits()).cast("I"))  # type: ignore[arg-type]  # bytes, whatever it is called
    kept: list[int] = []
    for colour, _ in counted.most_common():
        if len(kept) == _MOST_COLOURS:
            break
        if all(_apart(colour, other) >= _NEAR for other in kept):
            kept.append(colour)
    flags = Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    return plain.convertToFormat(QImage.Format.Format_Indexed8, kept, flags)


def _apart(one: int, other: int) -> int:
    return sum(abs((one >> shift & 255) - (other >> shift & 255)) for shift in (0, 8, 16))


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)  # windows of scenes that are over may still be at work; nobody waits for them
