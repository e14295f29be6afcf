"""The marks before the items of a list: drawn here, because Qt moves its own with the face of an item's first word."""

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QColor, QPainter, QPen, QTextBlock, QTextListFormat
from PySide6.QtWidgets import QTextEdit

from tandem_desktop.ui.theme.theme import Theme

UNMARKED = QTextListFormat.Style.ListStyleUndefined
"""A list that is indented like any other, and that Qt puts no mark before."""
SIZE = 5
GAP = 8


def paint_bullets(view: QTextEdit, theme: Theme, ink: QColor, area: QRect) -> None:
    """A dot, inside of it a ring, and so on, each as far from its text; only those that `area` shows."""
    painter = QPainter(view.viewport())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for block in _blocks(view, area):
        items = block.textList()
        if items is None or items.format().style() != UNMARKED:
            continue
        is_ring = items.format().indent() % 2 == 0
        painter.setPen(QPen(ink, theme.px(1)) if is_ring else ink)
        painter.setBrush(QColor(0, 0, 0, 0) if is_ring else ink)
        painter.drawEllipse(place_of(view, theme, block))
    painter.end()


def place_of(view: QTextEdit, theme: Theme, block: QTextBlock) -> QRectF:
    """Where the mark of an item stands: in the middle of its first line."""
    line = block.layout().lineAt(0)
    at = view.document().documentLayout().blockBoundingRect(block).topLeft() - _scrolled(view)
    size, middle = theme.px(SIZE), line.y() + line.ascent() - view.fontMetrics().xHeight() / 2
    return QRectF(at.x() + line.x() - theme.px(GAP) - size, at.y() + middle - size / 2, size, size)


def _blocks(view: QTextEdit, area: QRect) -> Iterator[QTextBlock]:
    layout, bottom = view.document().documentLayout(), area.bottom() + _scrolled(view).y()
    block = view.cursorForPosition(area.topLeft()).block()
    while block.isValid() and layout.blockBoundingRect(block).top() <= bottom:
        yield block
        block = block.next()


def _scrolled(view: QTextEdit) -> QPointF:
    return QPointF(view.horizontalScrollBar().value(), view.verticalScrollBar().value())
