"""Compares two images: side by side, by swipe, or where they differ."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from tandem_desktop.ui.diff.decoded_images import ImagePair
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.theme.style import paint_focus_ring
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.chips import Segmented
from tandem_desktop.ui.widgets.labels import plain_label

_TALLEST, _CELL, _STEP = 360, 8, 0.05
_LARGEST_ZOOM = 16


class ImageCompare(QWidget):
    """Shows the image before and after; one of them may be missing, or not drawn with the reason said."""

    height_changed = Signal()

    def __init__(self, theme: Theme, pair: ImagePair, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("image-compare")
        self.setAccessibleName(tr("Images, before and after"))
        self.picture = _Pictures(theme, pair)
        self.picture.zoomed.connect(self.height_changed)
        self.way: Segmented | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*(theme.px(each) for each in (14, 8, 14, 10)))
        layout.setSpacing(theme.px(8))
        bar = QHBoxLayout()
        bar.setSpacing(theme.px(10))
        if len(pair.images) == 2:
            ways = (("beside", tr("Side by side")), ("swipe", tr("Swipe")), ("difference", tr("Difference")))
            self.way = Segmented(theme, ways, tr("Compare images"))
            self.way.chosen.connect(self._choose)
            bar.addWidget(self.way)
        self.said = plain_label(_facts(pair), "muted", wrap=True)
        self.said.setObjectName("image-facts")
        self.setAccessibleDescription(self.said.text())
        bar.addWidget(self.said, 1)
        layout.addLayout(bar)
        layout.addWidget(self.picture)
        self.picture.setVisible(bool(pair.images))

    def wanted_height(self, width: int) -> int:
        layout = self.layout()
        assert layout is not None
        margins = layout.contentsMargins()
        inner = width - margins.left() - margins.right()
        beside = self.way.sizeHint().width() + layout.spacing() if self.way is not None else 0
        bar = max(self.said.heightForWidth(max(1, inner - beside)), self.way.sizeHint().height() if self.way else 0)
        picture = self.picture.heightForWidth(inner) + layout.spacing() if self.picture.has_images else 0
        return margins.top() + bar + picture + margins.bottom()

    def _choose(self, way: str) -> None:
        self.picture.set_way(way)
        self.height_changed.emit()


def _facts(pair: ImagePair) -> str:
    """Kind, pixels and bytes of both sides, and how many pixels differ."""
    sides = [each.text for each in (pair.before, pair.after)]
    if not pair.before.size:
        told = tr("New: {after}", after=sides[1])
    elif not pair.after.size:
        told = tr("Removed: {before}", before=sides[0])
    else:
        told = f"{sides[0]} → {sides[1]}"
    return " · ".join(part for part in (told, pair.text) if part)


class _Pictures(QWidget):
    """Paints both at one scale: they fit, and are larger than they are only on request."""

    zoomed = Signal()

    def __init__(self, theme: Theme, pair: ImagePair) -> None:
        super().__init__()
        self._theme, self._pair = theme, pair
        self._before, self._after = pair.before.image, pair.after.image
        self._way = "beside"
        self._share = 0.5
        self._zoom = 1
        self.setObjectName("image-pictures")
        self.setAccessibleName(tr("The two images"))
        self.setAccessibleDescription(tr("Left and Right move the swipe; plus, minus and 0 zoom."))
        self.setToolTip(tr("Left and Right move the swipe; plus, minus and 0 zoom."))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.updateGeometry)

    @property
    def share(self) -> float:
        """How much of the width shows the image before."""
        return self._share

    @property
    def has_images(self) -> bool:
        return bool(self._images())

    @property
    def zoom(self) -> int:
        """How many times larger than fitting."""
        return self._zoom

    def set_way(self, way: str) -> None:
        """Show them `beside` each other, by `swipe`, or their `difference`."""
        self._way = way
        self._fit()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if not self._images():
            return 0
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
        if self._way == "swipe" and event.buttons() & Qt.MouseButton.LeftButton:
            area = self._area(self._largest(), 0, self.width())
            self._set_share((event.position().x() - area.left()) / max(1, area.width()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -_STEP, Qt.Key.Key_Right: _STEP}.get(Qt.Key(event.key()))
        zoom = {"+": self._zoom * 2, "=": self._zoom * 2, "-": self._zoom // 2, "0": 1}.get(event.text())
        if self._way == "swipe" and step is not None:
            self._set_share(self._share + step)
        elif zoom is not None:
            self._zoom = min(_LARGEST_ZOOM, max(1, zoom))
            self._fit()
            self.zoomed.emit()
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, self._zoom == 1)
        found = self._pair.difference if self._way == "difference" else None
        if self._way == "swipe" and self._before is not None and self._after is not None:
            self._paint_swipe(painter, self._before, self._after)
        elif found is not None:
            self._paint_image(painter, found[0], self._area(found[0], 0, self.width()))
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
        room = width - 2 if self._way != "beside" else (width // len(images)) - self._theme.px(8)
        widest, tallest = max(i.width() for i in images), max(i.height() for i in images)
        fitting = min(1.0, max(1, room) / widest, self._theme.px(_TALLEST) / tallest)
        return min(fitting * self._zoom, max(1, room) / widest)

    def _area(self, image: QImage, left: int, width: int) -> QRect:
        scale = self._scale(self.width())
        size = QSize(max(1, round(image.width() * scale)), max(1, round(image.height() * scale)))
        return QRect(left, 1, size.width(), size.height())

    def _fit(self) -> None:
        if self.width() > 1:
            self.setFixedHeight(self.heightForWidth(self.width()))
        self.updateGeometry()
        self.update()

    def _set_share(self, share: float) -> None:
        self._share = min(1.0, max(0.0, share))
        self.update()
