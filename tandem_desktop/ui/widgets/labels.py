"""Labels, badges, key hints and announcements."""

import html
import math
import textwrap
from collections.abc import Iterator

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFont,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption, QWidget

from tandem_desktop.ui.theme.style import paint_ground, paint_icon
from tandem_desktop.ui.theme.theme import Theme

_TOOLTIP = textwrap.TextWrapper(
    90,
    break_on_hyphens=False,
    break_long_words=False,
    replace_whitespace=False,
    drop_whitespace=False,
    expand_tabs=False,
)


def plain_tooltip(text: str) -> str:
    """A tool tip that shows `text` verbatim; screen readers get it too, so only what may be markup is escaped."""
    if "<" in text:
        return f'<p style="white-space: pre-wrap">{html.escape(text)}</p>'
    return "\n".join(_TOOLTIP.fill(line) for line in text.splitlines())


class WrappedLabel(QLabel):
    """A label whose lines wrap, also inside words wider than itself; Qt would cut those off at its edge."""

    _measured: tuple[str, dict[int, int]] = ("", {})
    """The text that was measured, and its height for each width: layouts ask again and again."""

    def changeEvent(self, event: QEvent) -> None:
        self._measured = ("", {})
        super().changeEvent(event)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(min(least.width(), self._narrow()), least.height())

    def sizeHint(self) -> QSize:
        wanted, widest = super().sizeHint(), 4 * self._narrow()
        if not self._breaks_words(widest):
            return wanted
        return QSize(widest, self.heightForWidth(widest))

    def heightForWidth(self, width: int) -> int:
        text, heights = self.text(), self._measured[1]
        if text != self._measured[0]:
            self._measured = (text, heights := {})
        if width not in heights:
            heights[width] = self._height_for(width)
        return heights[width]

    def _height_for(self, width: int) -> int:
        if not self._breaks_words(width):
            return super().heightForWidth(width)
        margins = self.contentsMargins()
        inner = width - margins.left() - margins.right() - 2 * self.margin()
        high = sum(math.ceil(part.boundingRect().height()) for part in self._paragraphs(inner))
        return high + margins.top() + margins.bottom() + 2 * self.margin()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._breaks_words(self.width()):
            super().paintEvent(event)
            return
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        inside = self.contentsRect().adjusted(self.margin(), self.margin(), -self.margin(), -self.margin())
        top = float(inside.top())
        for part in self._paragraphs(inside.width()):
            part.draw(painter, QPointF(inside.left(), top))
            top += math.ceil(part.boundingRect().height())
        painter.end()

    def _breaks_words(self, width: int) -> bool:
        return super().minimumSizeHint().width() > width

    def _narrow(self) -> int:
        return 20 * self.fontMetrics().averageCharWidth()

    def _paragraphs(self, width: int) -> Iterator[QTextLayout]:
        wrapping = QTextOption()
        wrapping.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        for text in self.text().split("\n"):
            part = QTextLayout(text or " ", self.font(), self)
            part.setTextOption(wrapping)
            part.beginLayout()
            top = 0.0
            while (line := part.createLine()).isValid():
                line.setLineWidth(max(1, width))
                line.setPosition(QPointF(0, top))
                top += self.fontMetrics().lineSpacing()
            part.endLayout()
            yield part


def plain_label(text: str = "", role: str = "", *, wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    """A plain-text label: it never loads, links or formats anything."""
    label = WrappedLabel(parent) if wrap else QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setText(text)
    label.setWordWrap(wrap)
    if role:
        label.setProperty("role", role)
    return label


_MIDDLE = Qt.TextElideMode.ElideMiddle


_BETWEEN = " · "


class ElidedLabel(QLabel):
    """One line of plain text, elided; the tool tip has the full text."""

    def __init__(
        self,
        theme: Theme,
        text: str = "",
        *,
        mode: Qt.TextElideMode = _MIDDLE,
        token: str = "text",
        code: bool = False,
        bold: bool = False,
        points_delta: float = 0,
        least: int = 0,
        by_parts: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """If narrower than `least` it shows nothing; `by_parts` leaves out whole parts, from the last."""
        super().__init__(parent)
        self._by_parts = by_parts
        self._theme = theme
        self._mode = mode
        self._least = least
        self._token = token
        self._code = code
        self._bold = bold
        self._points_delta = points_delta
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setAccessibleName(text)
        self._restyle()

    @property
    def shown_text(self) -> str:
        """The text as drawn at the current width."""
        if self._least and self.width() < self._theme.px(self._least):
            return ""
        line, metrics = self.text().replace("\n", " "), QFontMetrics(self._font())
        whole = line
        while _BETWEEN in whole and metrics.horizontalAdvance(whole) > self.width():
            whole = whole.rpartition(_BETWEEN)[0]
        if self._by_parts and metrics.horizontalAdvance(whole) <= self.width():
            return whole
        return metrics.elidedText(line, self._mode, self.width())

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._font())
        line = self.text().replace("\n", " ")
        return QSize(metrics.horizontalAdvance(line) + 1, max(metrics.height(), self._theme.px(16)))

    def minimumSizeHint(self) -> QSize:
        whole = self.sizeHint()
        least = 0 if self._least else self._theme.px(48)
        return QSize(min(whole.width(), least), whole.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_the_whole()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        font = self._font()
        painter.setFont(font)
        self._paint_line(painter, self.shown_text, QFontMetrics(font))
        painter.end()

    def _paint_line(self, painter: QPainter, shown: str, metrics: QFontMetrics) -> None:
        painter.setPen(self._theme.color(self._token if self.isEnabled() else "muted"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | self.alignment(), shown)

    def _font(self) -> QFont:
        if self._code:
            return self._theme.code_font(self._points_delta, bold=self._bold)
        return self._theme.ui_font(self._points_delta, bold=self._bold)

    def _tell_the_whole(self) -> None:
        self.setToolTip(plain_tooltip(self.text()) if self.shown_text != self.text() else "")

    def _restyle(self) -> None:
        self._tell_the_whole()
        self.updateGeometry()
        self.update()


class IconLabel(QWidget):
    """An icon beside a text with the same meaning; it has no accessible name."""

    def __init__(
        self, theme: Theme, icon_name: str, token: str = "text", size: int = 16, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon_name = icon_name
        self._token = token
        self._size = size
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def set_icon(self, icon_name: str, token: str) -> None:
        self._icon_name = icon_name
        self._token = token
        self.update()

    def sizeHint(self) -> QSize:
        side = self._theme.px(self._size)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_icon(painter, self._theme, self._icon_name, self._token, QRectF(self.rect()))
        painter.end()

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


class KeyHint(QLabel):
    """One key or chord, such as `Ctrl+Shift+P`."""

    def __init__(self, theme: Theme, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(keys)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def sizeHint(self) -> QSize:
        words = QFontMetrics(self._theme.ui_font(-2)).horizontalAdvance(self.text())
        height = self._theme.px(20)
        return QSize(max(height, words + self._theme.px(12)), height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ground, edge = self._theme.color("raised"), self._theme.color("line")
        paint_ground(painter, self._theme, QRectF(self.rect()), ground, edge, radius=5)
        painter.setFont(self._theme.ui_font(-2))
        painter.setPen(self._theme.color("muted"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


def announce(widget: QWidget, words: str, *, urgent: bool = False) -> None:
    """Announce `words` through the screen reader; `urgent` interrupts its speech."""
    event = QAccessibleAnnouncementEvent(widget, words)
    level = QAccessible.AnnouncementPoliteness.Assertive if urgent else QAccessible.AnnouncementPoliteness.Polite
    event.setPoliteness(level)
    QAccessible.updateAccessibility(event)


TONES = {
    "neutral": ("raised", "muted"),
    "info": ("info_surface", "link"),
    "ok": ("added", "added_ink"),
    "risk": ("risk_surface", "risk"),
    "error": ("removed", "removed_ink"),
}
"""Background and text colour of each tone."""


class Badge(QLabel):
    """A state as text with a coloured background."""

    def __init__(self, theme: Theme, text: str = "", tone: str = "neutral", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tone = tone
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)
        self.set_state(text, tone)

    @property
    def tone(self) -> str:
        return self._tone

    def set_state(self, text: str, tone: str) -> None:
        self._tone = tone
        self.setText(text)
        self.setAccessibleName(text)
        self._restyle()

    def sizeHint(self) -> QSize:
        width = QFontMetrics(self._theme.ui_font(-2, bold=True)).horizontalAdvance(self.text())
        return QSize(width + 2 * self._theme.px(8), self._theme.px(20))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        ground, ink = TONES[self._tone]
        edge = self._theme.color("line") if self._tone == "neutral" else None
        painter = QPainter(self)
        paint_ground(painter, self._theme, QRectF(self.rect()), self._theme.color(ground), edge, radius=5)
        painter.setFont(self._theme.ui_font(-2, bold=True))
        painter.setPen(self._theme.color(ink))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
