"""Pictures that were pasted or dropped and wait to go with the next message."""

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QHBoxLayout, QWidget

from tandem_desktop.domain.agents import Picture
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.announce import announce
from tandem_desktop.ui.widgets.chip import Chip
from tandem_desktop.ui.words import tr

_MOST = 8
_LONGEST_SIDE = 2000
"""Agents make larger pictures smaller anyway, and a message has a limit."""


class Pictures(QWidget):
    """A chip for each; every one can be taken out again."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._kept: list[tuple[Chip, Picture]] = []
        self.setObjectName("composer-pictures")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, theme.px(6))
        self._row.setSpacing(theme.px(6))
        self._row.addStretch(1)
        self.hide()

    def add(self, image: QImage) -> bool:
        """Keep a picture for the next message; False when there are too many, or it is none."""
        if image.isNull() or len(self._kept) >= _MOST:
            return False
        words = tr("Picture {width} × {height}", width=image.width(), height=image.height())
        chip = Chip(self._theme, words, "image", removable=True)
        chip.setObjectName(f"picture-{len(self._kept) + 1}")
        kept = (chip, Picture(mime_type="image/png", data=_as_png(image)))
        chip.removed.connect(lambda: self._remove(kept))
        self._kept.append(kept)
        self._row.insertWidget(self._row.count() - 1, chip)
        self.show()
        announce(self, tr("{words} goes with the next message", words=words))
        return True

    def take(self) -> tuple[Picture, ...]:
        """The pictures, for the message that is sent now."""
        pictures = tuple(picture for _, picture in self._kept)
        for kept in tuple(self._kept):
            self._remove(kept)
        return pictures

    def _remove(self, kept: tuple[Chip, Picture]) -> None:
        self._kept.remove(kept)
        self._row.removeWidget(kept[0])
        kept[0].hide()
        kept[0].deleteLater()
        self.setVisible(bool(self._kept))


def _as_png(image: QImage) -> bytes:
    if max(image.width(), image.height()) > _LONGEST_SIDE:
        keep, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        image = image.scaled(_LONGEST_SIDE, _LONGEST_SIDE, keep, smooth)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stub knows bytes here, Qt wants words
    return bytes(buffer.data().data())
