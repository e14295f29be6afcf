"""Draw the text of one line: its letters in their colours, and over them what changed, was found, was chosen."""

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter

from tandem_desktop.ui.diff.cells import pieces
from tandem_desktop.ui.diff.diff_rows import CellKind, Row
from tandem_desktop.ui.diff.inks import LONGEST_WORD, Inks
from tandem_desktop.ui.diff.line_styles import StyledLine
from tandem_desktop.ui.diff.look import Look, ShownLine, Whitespace
from tandem_desktop.ui.diff.panes import Pane, Panes

GROUNDS = {CellKind.CONTEXT: "panel", CellKind.ADDED: "added", CellKind.REMOVED: "removed", CellKind.FILLER: "panel"}


class TextPainter:
    """Knows where letters go; the ground below them is somebody else's."""

    def __init__(self, inks: Inks) -> None:
        self._inks = inks

    def paint(
        self, painter: QPainter, look: Look, row: Row, index: int, pane: Pane, line: ShownLine, area: QRect
    ) -> None:
        text = line.styled.text
        is_plain = not row.is_change and look.search is None and look.selection is None
        layers = [] if is_plain else [*_layers(look, row, index, pane, line)]
        for visual, start in enumerate(line.starts):
            y = area.top() + visual * look.panes.line
            if y + look.panes.line < 0 or y > painter.viewport().bottom():
                continue
            end = line.starts[visual + 1] if visual + 1 < len(line.starts) else len(text)
            self._stroke(painter, _Stroke(look.panes, pane, y, line.styled, start, end, line.scrolled), look, layers)
        if line.styled.cut or line.is_open:
            self._end(painter, look, index, pane, line, area)

    def end_area(self, look: Look, pane: Pane, line: ShownLine, area: QRect) -> QRect:
        """Where the words after a line stand; those about a cut are always within reach."""
        width = QFontMetrics(self._inks.small).horizontalAdvance(line.end_text) + self._inks.px(16)
        cells = line.styled.width - line.styled.cells[line.starts[-1]]
        x = round(pane.text + cells * look.panes.cell) - line.scrolled + self._inks.px(8)
        if line.styled.cut:
            x = min(x, pane.right - width - self._inks.px(4))
        y = area.top() + (len(line.starts) - 1) * look.panes.line
        return QRect(x, y + self._inks.px(2), width, look.panes.line - self._inks.px(4))

    def _stroke(self, painter: QPainter, stroke: "_Stroke", look: Look, layers: list["_Layer"]) -> None:
        first, last = stroke.in_sight()
        text = stroke.styled.text
        left, top, cell = stroke.left, stroke.y + stroke.panes.word_top, stroke.panes.cell
        inks = self._inks
        for start, end, begin, token, part in stroke.styled.pieces:
            if start >= last:
                break
            if start < first or end > last:
                if end > first:
                    self._letters(painter, stroke, max(start, first), min(end, last), token)
                continue
            painter.setPen(inks.pen(token))
            if len(part) <= LONGEST_WORD and part.isascii():
                painter.drawStaticText(QPointF(left + begin * cell, top), inks.word(part))
            else:
                painter.drawText(QPointF(left + begin * cell, stroke.base), part)
        for start, end, ground, takes_newline in layers:
            a, b = max(start, first), min(end, last)
            reaches_out = takes_newline and stroke.end == len(text) and end > len(text)
            if a < b or (reaches_out and a <= b):
                box = stroke.box(a, b)
                if reaches_out:
                    box.setWidth(box.width() + look.panes.cell / 2)
                self._inks.box(painter, box, ground, 3)
                for one, other in pieces(text, a, b) if a < b else ():
                    self._letters(painter, stroke, one, other, "text")
        if stroke.styled.tokens:
            self._tokens(painter, stroke, first, last)
        if look.whitespace is not Whitespace.NONE:
            self._glyphs(painter, stroke, look, layers, first, last)

    def _letters(self, painter: QPainter, stroke: "_Stroke", start: int, end: int, token: str) -> None:
        part = stroke.styled.text[start:end]
        if not part.isspace():
            painter.setPen(self._inks.pen(token))
            painter.drawText(QPointF(stroke.x(start), stroke.base), part)

    def _tokens(self, painter: QPainter, stroke: "_Stroke", first: int, last: int) -> None:
        text = stroke.styled.text
        for a, b in stroke.styled.tokens:
            if a < last and b > first and (text[a:b] != "␍" or b < len(text)):
                painter.setPen(self._inks.pen("risk"))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.drawRoundedRect(stroke.box(a, b).adjusted(0.5, 1.5, -0.5, -1.5), 3, 3)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _glyphs(
        self, painter: QPainter, stroke: "_Stroke", look: Look, layers: list["_Layer"], first: int, last: int
    ) -> None:
        """Spaces as dots and tabs as arrows, where the person wants to see them."""
        text, is_all = stroke.styled.text, look.whitespace is Whitespace.ALL
        trailing = len(text.removesuffix("␍").rstrip(" \t"))
        blank = [(a, b) for a, b, ground, _ in layers if ground.endswith("_strong") and text[a:b].isspace()]
        if not is_all and not blank and trailing >= last and "\t" not in text:
            return
        painter.setPen(self._inks.pen("glyph"))
        for at in range(first, last):
            character = text[at]
            if character not in " \t":
                continue
            if is_all or at >= trailing or character == "\t" or any(a <= at < b for a, b in blank):
                painter.drawText(QPointF(stroke.x(at), stroke.base), "·" if character == " " else "→")

    def _end(self, painter: QPainter, look: Look, index: int, pane: Pane, line: ShownLine, area: QRect) -> None:
        chip = self.end_area(look, pane, line, area)
        if line.styled.cut:
            rest = QRect(chip.left(), chip.top() - 1, pane.right - chip.left(), chip.height() + 2)
            painter.fillRect(rest, self._inks.color(GROUNDS[line.kind]))
            is_hot = look.hovered == (index, "cut")
            self._inks.box(painter, QRectF(chip), "hover" if is_hot else "raised", 6, edge="line_strong")
        painter.setFont(self._inks.small)
        painter.setPen(self._inks.pen("link" if line.styled.cut else "muted"))
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, line.end_text)
        painter.setFont(self._inks.code)


_Layer = tuple[int, int, str, bool]
"""First character, end, ground, and whether the newline can be part of it."""


def _layers(look: Look, row: Row, index: int, pane: Pane, line: ShownLine) -> Iterator[_Layer]:
    if row.is_change:
        ground = f"{GROUNDS[line.kind]}_strong"
        yield from ((start, end, ground, False) for start, end in line.marks)
    found, now = look.found_in(row, line)
    yield from ((*match, "found_now" if match == now else "found", False) for match in found)
    if look.selection is not None and look.selection.is_old == pane.is_old:
        chosen = look.selection.columns(index, len(line.styled.text))
        if chosen is not None:
            yield (*chosen, "selection", True)


class _Stroke(NamedTuple):
    """One visual line of a text and where it is drawn."""

    panes: Panes
    pane: Pane
    y: int
    styled: StyledLine
    start: int
    end: int
    scrolled: int

    @property
    def base(self) -> float:
        return self.y + self.panes.ascent

    @property
    def left(self) -> float:
        """Where cell 0 of the line would be."""
        return self.pane.text - self.styled.cells[self.start] * self.panes.cell - self.scrolled

    def x(self, at: int) -> float:
        return self.left + self.styled.cells[at] * self.panes.cell

    def box(self, start: int, end: int) -> QRectF:
        left = self.x(start)
        return QRectF(left, self.y + 1, self.x(min(end, len(self.styled.text))) - left, self.panes.line - 2)

    def in_sight(self) -> tuple[int, int]:
        """The first character that can be seen, and the one after the last."""
        if not isinstance(self.styled.cells, range):
            return self.start, self.end
        first = int(self.scrolled / self.panes.cell)
        last = first + int(self.pane.text_width / self.panes.cell) + 2
        return min(self.start + first, self.end), min(self.start + last, self.end)
