"""Draw one row of a comparison: lines with their numbers and signs, the bar above a change, folds, words, comments."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen

from tandem_desktop.ui.diff.diff_rows import CellKind, DiffRows, Row, RowKind
from tandem_desktop.ui.diff.inks import Inks
from tandem_desktop.ui.diff.look import Look, cell_kind
from tandem_desktop.ui.diff.panes import MORE_WORDS, Pane, header_buttons, more_area
from tandem_desktop.ui.diff.selection import line_of
from tandem_desktop.ui.diff.text_painter import GROUNDS, TextPainter
from tandem_desktop.ui.theme.icons import paint_icon
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.words import tr, tr_marked, tr_n

_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_WRAPPED = int(Qt.TextFlag.TextWordWrap)
_SIGN_INKS = {CellKind.ADDED: "added_ink", CellKind.REMOVED: "removed_ink"}
_VEIL = 150


class VisibleRow(NamedTuple):
    """A row in sight, and where it stands in the viewport."""

    number: int
    row: Row
    area: QRect


class RowPainter:
    """Nothing here knows how far a view is scrolled, or who asked. Make a new one when the theme changes."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._inks = Inks(theme)
        self.text = TextPainter(self._inks)
        self._number_inset = theme.px(10)

    def paint(self, painter: QPainter, look: Look, visible: Sequence[VisibleRow], area: QRect) -> None:
        """All rows in sight: what they have in common first and once, then each line, pane by pane."""
        self._ground(painter, look, area)
        painter.setFont(self._inks.code)
        lines = [each for each in visible if each.row.kind is RowKind.LINE]
        for pane in look.panes.panes:
            for each in lines:
                self._beside(painter, look, each, pane)
            painter.setClipRect(QRect(pane.text, area.top(), pane.text_width, area.height()))
            for index, row, at in lines:
                line = look.shown(row, pane)
                if line is not None:
                    self.text.paint(painter, look, row, index, pane, line, at)
            painter.setClipping(False)
        self._veils(painter, look, lines)
        for index, row, at in visible:
            if row.kind is not RowKind.LINE:
                self._special(painter, look, row, index, at)
            if index == look.current and look.has_focus:
                self._focus(painter, look, row, at)

    def _special(self, painter: QPainter, look: Look, row: Row, index: int, area: QRect) -> None:
        match row.kind:
            case RowKind.HEADER:
                self._header(painter, look, row, index, area)
            case RowKind.FOLD:
                self._fold(painter, look, row, index, area)
            case RowKind.COMMENT:
                self._comment(painter, look, row, area)
            case _:
                self._words(painter, look, row, area)

    def words_height(self, text: str, width: int) -> int:
        return self._wrapped(text, width - self._inks.px(48)).height() + self._inks.px(12)

    def comment_height(self, text: str, width: int) -> int:
        body = self._wrapped(text, self._card(QRect(0, 0, width, 0)).width() - self._inks.px(28))
        return QFontMetrics(self._inks.small).height() + body.height() + self._inks.px(32)

    # Lines

    def _ground(self, painter: QPainter, look: Look, area: QRect) -> None:
        painter.fillRect(area, self._inks.color("panel"))
        for pane in look.panes.panes:
            painter.fillRect(pane.left, area.top(), look.panes.numbers(pane), area.height(), self._inks.color("gutter"))
        if len(look.panes.panes) == 2:
            painter.fillRect(look.panes.panes[0].right, area.top(), 1, area.height(), self._inks.color("line"))

    def _beside(self, painter: QPainter, look: Look, each: VisibleRow, pane: Pane) -> None:
        """Tint, sign and numbers of one line."""
        index, row, area = each
        panes, inks = look.panes, self._inks
        base = area.top() + panes.ascent
        if row.is_change:
            kind, numbers = cell_kind(row, pane), panes.numbers(pane)
            body = QRect(pane.left + numbers, area.top(), pane.right - pane.left - numbers, area.height())
            if kind is CellKind.FILLER:
                painter.fillRect(body, inks.hatch)
            else:
                painter.fillRect(body, inks.color(GROUNDS[kind]))
                painter.setPen(inks.pen(_SIGN_INKS[kind]))
                painter.drawText(QPointF(pane.sign, base), kind.value)
        painter.setPen(inks.pen("text" if index == look.current else "number"))
        shown = (row.old, row.new) if pane.is_old is None else (row.old if pane.is_old else row.new,)
        right = pane.left - self._number_inset
        for line in shown:
            right += panes.number
            if line is not None:
                text = str(line + 1)
                painter.drawText(QPointF(right - len(text) * panes.cell, base), text)
        if look.hovered == (index, "gutter") and pane is panes.panes[-1] and row.hunk and "comment" in look.offers:
            self._plus(painter, look, pane, area)

    def _plus(self, painter: QPainter, look: Look, pane: Pane, area: QRect) -> None:
        side = self._inks.px(16)
        middle = area.top() + (look.panes.line - side) / 2
        box = QRectF(pane.left + look.panes.numbers(pane) - side / 2, middle, side, side)
        self._inks.box(painter, box, "accent", 4)
        paint_icon(painter, self._theme, "plus", "accent_text", box.adjusted(2, 2, -2, -2))

    def _veils(self, painter: QPainter, look: Look, lines: Sequence[VisibleRow]) -> None:
        """Over what a person dropped; it stays readable."""
        if not look.dropped and not look.dropped_lines:
            return
        veil = QColor(self._inks.color("panel"))
        veil.setAlpha(_VEIL)
        for _, row, area in lines:
            for pane in look.panes.panes if row.is_change else ():
                if row.hunk in look.dropped or line_of(row, pane.is_old) in look.dropped_lines:
                    left = pane.left + look.panes.numbers(pane)
                    painter.fillRect(left, area.top(), pane.right - left, area.height(), veil)

    # Rows that are no lines

    def _header(self, painter: QPainter, look: Look, row: Row, index: int, area: QRect) -> None:
        inks = self._inks
        painter.fillRect(area, inks.color("gutter"))
        if index:
            painter.fillRect(area.left(), area.top(), area.width(), 1, inks.color("line"))
        painter.fillRect(area.left(), area.bottom(), area.width(), 1, inks.color("line"))
        buttons = header_buttons(self._theme, area, is_dropped=row.hunk in look.dropped, offers=look.offers)
        painter.setFont(inks.small)
        for button in buttons:
            is_hot = look.hovered == (index, button.name)
            edge = "line_strong" if is_hot else "line"
            inks.box(painter, QRectF(button.area), "hover" if is_hot else "panel", 6, edge=edge)
            painter.setPen(inks.pen("text"))
            painter.drawText(button.area, Qt.AlignmentFlag.AlignCenter, button.label)
        painter.setFont(inks.code)
        painter.setPen(inks.pen("muted"))
        title = look.titles.get(row.hunk, "")
        words = f"{row.hunk} of {len(look.rows.diff.hunks)}{' · ' + title if title else ''}"
        end = buttons[0].area.left() if buttons else area.right()
        room = end - inks.px(24) - area.left()
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, room)
        painter.drawText(area.adjusted(inks.px(12), 0, 0, 0), _LEFT, shown)

    def _fold(self, painter: QPainter, look: Look, row: Row, index: int, area: QRect) -> None:
        is_hot = look.hovered == (index, "fold")
        painter.fillRect(area, self._inks.color("hover" if is_hot else "raised"))
        painter.setPen(self._inks.pen("text" if is_hot else "muted"))
        painter.setFont(self._inks.small)
        painter.drawText(area.adjusted(self._inks.px(12), 0, 0, 0), _LEFT, fold_text(look.rows, row))
        more = more_area(self._theme, area, row)
        if not more.isEmpty():
            painter.setPen(self._inks.pen("text" if look.hovered == (index, "more") else "muted"))
            painter.drawText(more, Qt.AlignmentFlag.AlignCenter, tr_marked(MORE_WORDS))
        painter.setFont(self._inks.code)

    def _words(self, painter: QPainter, look: Look, row: Row, area: QRect) -> None:
        words, px = look.rows.diff.words[row.number], self._inks.px
        painter.fillRect(area, self._inks.color("risk_surface" if words.is_risk else "panel"))
        icon = QRectF(px(12), area.top() + px(6), px(16), px(16))
        paint_icon(painter, self._theme, words.icon, "risk" if words.is_risk else "muted", icon)
        painter.setFont(self._inks.small)
        painter.setPen(self._inks.pen("risk" if words.is_risk else "text"))
        painter.drawText(area.adjusted(px(36), px(6), -px(12), 0), _WRAPPED, words.text)
        painter.setFont(self._inks.code)

    def _comment(self, painter: QPainter, look: Look, row: Row, area: QRect) -> None:
        self._ground(painter, look, area)
        inks, comment, card = self._inks, look.rows.comments[row.number], self._card(area)
        inks.box(painter, QRectF(card), "raised", 8, edge="line")
        bar = QRectF(card.left(), card.top(), inks.px(3), card.height())
        inks.box(painter, bar, "accent", 2)
        inner = card.adjusted(inks.px(14), inks.px(6), -inks.px(14), 0)
        painter.setFont(inks.small_bold)
        painter.setPen(inks.pen("text"))
        author = tr_marked(comment.author)
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignTop), author)
        offset = QFontMetrics(inks.small_bold).horizontalAdvance(author + " ")
        painter.setFont(inks.small)
        painter.setPen(inks.pen("muted"))
        line = comment.line
        place = tr("line {line} before", line=line) if comment.is_old else tr("line {line}", line=line)
        painter.drawText(inner.adjusted(offset, 0, 0, 0), int(Qt.AlignmentFlag.AlignTop), place)
        painter.setPen(inks.pen("text"))
        below = QFontMetrics(inks.small).height() + inks.px(2)
        painter.drawText(inner.adjusted(0, below, 0, 0), _WRAPPED, comment.text)
        painter.setFont(inks.code)

    def _focus(self, painter: QPainter, look: Look, row: Row, area: QRect) -> None:
        color = self._inks.color("focus")
        if row.kind is RowKind.LINE:
            for pane in look.panes.panes:
                painter.fillRect(pane.left, area.top(), self._inks.px(3), area.height(), color)
            return
        painter.setPen(QPen(color, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area.adjusted(1, 1, -1, -1))

    def _card(self, area: QRect) -> QRect:
        px = self._inks.px
        return QRect(area.left() + px(52), area.top() + px(8), area.width() - px(64), area.height() - px(16))

    def _wrapped(self, text: str, width: int) -> QRect:
        return QFontMetrics(self._inks.small).boundingRect(QRect(0, 0, max(width, 40), 100_000), _WRAPPED, text)


def fold_text(rows: DiffRows, row: Row) -> str:
    if row.number < 0:
        return tr_n(
            "⋯ {n} change in bytes that are no text · show",
            "⋯ {n} changes in bytes that are no text · show",
            len(rows.diff.hunks),
        )
    return tr_n("⋯ {n} unchanged line", "⋯ {n} unchanged lines", row.lines)
