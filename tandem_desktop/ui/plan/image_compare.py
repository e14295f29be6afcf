"""Compares two images."""

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QImageReader, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.theme.style import paint_focus_ring
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.chips import Segmented
from tandem_desktop.ui.widgets.labels import plain_label

MOST_PIXELS = 64_000_000
"""Larger images are only described; a tiny file can declare a huge image."""
_TALLEST, _CELL, _STEP = 360, 8, 0.05
_FORMATS = (b"png", b"jpeg", b"gif", b"bmp", b"webp", b"ico")


def read_image(content: bytes) -> QImage | None:
    """The decoded image; None if it is damaged, too large or no image."""
    buffer = QBuffer()
    buffer.setData(QByteArray(content))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setDecideFormatFromContent(True)
    size = reader.size()
    if bytes(reader.format().data()) not in _FORMATS or size.width() * size.height() > MOST_PIXELS:
        return None
    image = reader.read()
    return None if image.isNull() else image


class ImageCompare(QWidget):
    """Shows the image before and after; one of them may be missing."""

    def __init__(
        self, theme: Theme, before: QImage | None, after: QImage | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("image-compare")
        self.setAccessibleName(tr("Images, before and after"))
        self.picture = _Pictures(theme, before, after)
        self.way: Segmented | None = None
        layout = QVBoxLayout(self)
        Spacing(theme, layout, (14, 8, 14, 10), 8)
        if before is not None and after is not None:
            self.way = Segmented(theme, (("beside", tr("Side by side")), ("swipe", tr("Swipe"))), tr("Compare images"))
            self.way.chosen.connect(lambda way: self.picture.set_swiping(way == "swipe"))
            bar = QHBoxLayout()
            bar.addWidget(self.way)
            bar.addWidget(plain_label(_sizes(before, after), "muted"), 1)
            layout.addLayout(bar)
        layout.addWidget(self.picture)

    def wanted_height(self, width: int) -> int:
        layout = self.layout()
        assert layout is not None
        margins = layout.contentsMargins()
        bar = self.way.sizeHint().height() + layout.spacing() if self.way is not None else 0
        inner = width - margins.left() - margins.right()
        return margins.top() + bar + self.picture.heightForWidth(inner) + margins.bottom()


class _Pictures(QWidget):
    """Paints both at one scale, never larger than they are."""

    def __init__(self, theme: Theme, before: QImage | None, after: QImage | None) -> None:
        super().__init__()
        self._theme, self._before, self._after = theme, before, after
        self._swiping = False
        self._share = 0.5
        self.setObjectName("image-pictures")
        self.setAccessibleName(tr("The two images"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.updateGeometry)

    @property
    def share(self) -> float:
        """How much of the width shows the image before."""
        return self._share

    def set_swiping(self, swiping: bool) -> None:
        self._swiping = swiping
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        scale = self._scale(width)
        return round(max(image.height() for image in self._images()) * scale) + 2

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(320), self.heightForWidth(max(1, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(120), self.heightForWidth(max(1, self.width())))

    def resizeEvent(self, event: object) -> None:
        self.setFixedHeight(self.heightForWidth(self.width()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.mouseMoveEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._swiping and event.buttons() & Qt.MouseButton.LeftButton:
            area = self._area(self._largest(), 0, self.width())
            self._set_share((event.position().x() - area.left()) / max(1, area.width()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -_STEP, Qt.Key.Key_Right: _STEP}.get(Qt.Key(event.key()))
        if self._swiping and step is not None:
            self._set_share(self._share + step)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self._swiping and self._before is not None and self._after is not None:
            self._paint_swipe(painter, self._before, self._after)
        else:
            images = self._images()
            width = self.width() // len(images)
            for place, image in enumerate(images):
                self._paint_image(painter, image, self._area(image, place * width, width))
        if self.hasFocus():
            paint_focus_ring(painter, self._theme, QRectF(self.rect()), radius=4)
        painter.end()

    def _paint_swipe(self, painter: QPainter, before: QImage, after: QImage) -> None:
        area = self._area(self._largest(), 0, self.width())
        line = area.left() + round(area.width() * self._share)
        for image, clip in (
            (before, QRect(0, 0, line, self.height())),
            (after, QRect(line, 0, self.width() - line, self.height())),
        ):
            painter.setClipRect(clip)
            self._paint_image(painter, image, self._area(image, 0, self.width()))
        painter.setClipping(False)
        painter.setPen(QPen(self._theme.color("accent"), 2))
        painter.drawLine(line, 0, line, self.height())

    def _paint_image(self, painter: QPainter, image: QImage, area: QRect) -> None:
        """On a chequered background, so that transparent and white differ."""
        cell = self._theme.px(_CELL)
        light, dark = QColor(255, 255, 255), QColor(222, 222, 222)
        painter.fillRect(area, light)
        for row, top in enumerate(range(area.top(), area.bottom() + 1, cell)):
            for left in range(area.left() + (row % 2) * cell, area.right() + 1, 2 * cell):
                painter.fillRect(QRect(left, top, cell, cell).intersected(area), dark)
        painter.drawImage(area, image)
        painter.setPen(QPen(self._theme.color("line"), 1))
        painter.drawRect(area.adjusted(0, 0, -1, -1))

    def _images(self) -> tuple[QImage, ...]:
        return tuple(image for image in (self._before, self._after) if image is not None)

    def _largest(self) -> QImage:
        return max(self._images(), key=lambda image: image.width())

    def _scale(self, width: int) -> float:
        images = self._images()
        room = width - 2 if self._swiping else (width // len(images)) - self._theme.px(8)
        widest, tallest = max(i.width() for i in images), max(i.height() for i in images)
        return min(1.0, max(1, room) / widest, self._theme.px(_TALLEST) / tallest)

    def _area(self, image: QImage, left: int, width: int) -> QRect:
        scale = self._scale(self.width())
        size = QSize(max(1, round(image.width() * scale)), max(1, round(image.height() * scale)))
        return QRect(left, 1, size.width(), size.height())

    def _set_share(self, share: float) -> None:
        self._share = min(1.0, max(0.0, share))
        self.update()


def _sizes(before: QImage, after: QImage) -> str:
    was, now = (f"{image.width()} × {image.height()}" for image in (before, after))
    return tr("{was}, unchanged in size", was=was) if was == now else f"{was} → {now}"
