"""Shared painting functions."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QPainter, QPen

from tandem_desktop.ui.theme.theme import Theme

RADIUS = 8


def paint_ground(
    painter: QPainter, theme: Theme, rect: QRectF, ground: QColor | None, edge: QColor | None, radius: float = RADIUS
) -> None:
    """Draw a rounded rectangle with its border on whole pixels."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(edge, 1) if edge is not None else Qt.PenStyle.NoPen)
    painter.setBrush(ground if ground is not None else Qt.BrushStyle.NoBrush)
    corner = theme.px(radius)
    inset = 0.5 if edge is not None else 0
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), corner, corner)


def paint_focus_ring(
    painter: QPainter, theme: Theme, rect: QRectF, radius: float = RADIUS, ground: str | None = None
) -> None:
    """Draw the two-pixel focus ring; on a filled control with a gap."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    corner = theme.px(radius)
    painter.setPen(QPen(theme.color("focus"), 2))
    painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), corner, corner)
    if ground is not None:
        painter.setPen(QPen(theme.color(ground), 1))
        painter.drawRoundedRect(rect.adjusted(2.5, 2.5, -2.5, -2.5), corner - 2, corner - 2)


def shows_focus(event: QFocusEvent, before: bool) -> bool:
    """Whether to show the focus ring: not after a click, and as `before` after a window or menu change."""
    if event.reason() in (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason):
        return before
    return event.reason() != Qt.FocusReason.MouseFocusReason


def see_through(color: QColor, opacity: float) -> QColor:
    made = QColor(color)
    made.setAlphaF(opacity)
    return made
