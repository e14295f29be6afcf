"""Paints diff rows and their text."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetrics, QPainter, QPen, QPixmap, QStaticText, QTransform

from tandem_desktop.diff.hunk_classes import ChangeClass, ProvedChange
from tandem_desktop.diff.text import visible_name
from tandem_desktop.ui.diff.options import DiffDisplay, ShownLine, Whitespace, cell_kind
from tandem_desktop.ui.diff.panes import MORE_LABEL, Pane, Panes, header_buttons, more_area
from tandem_desktop.ui.diff.rows import CellKind, DiffRow, DiffRows, RowKind
from tandem_desktop.ui.diff.selection import line_of
from tandem_desktop.ui.diff.styles import StyledLine, pieces
from tandem_desktop.ui.i18n import tr, tr_marked, tr_n, tr_table
from tandem_desktop.ui.theme.style import paint_icon
from tandem_desktop.ui.theme.theme import Theme

_WORDS_KEPT = 8_000
LONGEST_WORD = 24
"""Longer pieces rarely repeat, so they are not cached."""


class DiffPaintCache:
    """Colours and shaped text of one theme. Create a new one when the theme changes."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.px = theme.px
        self.code = theme.code_font()
        self.small = theme.ui_font(-1)
        self.small_bold = theme.ui_font(-1, bold=True)
        panel, muted, risk = theme.color("panel"), theme.color("muted"), theme.color("risk")
        self._colors = {
            "gutter": _between(theme.color("surface"), panel, 0.5),
            "number": _between(muted, panel, 0.8),
            "glyph": _between(muted, panel, 0.85),
            "found": _between(risk, panel, 0.35),
            "info_strong": _between(theme.color("link"), theme.color("info_surface"), 0.35),
            "found_now": _between(risk, panel, 0.65),
        }
        self._pens: dict[str, QPen] = {}
        self._words: dict[str, QStaticText] = {}
        self.hatch = QBrush(_hatching(theme))

    def color(self, token: str) -> QColor:
        color = self._colors.get(token)
        if color is None:
            color = self._colors[token] = self.theme.color(token)
        return color

    def pen(self, token: str) -> QPen:
        pen = self._pens.get(token)
        if pen is None:
            pen = self._pens[token] = QPen(self.color(token))
        return pen

    def word(self, text: str) -> QStaticText:
        """Cached: the same pieces of source code repeat often."""
        word = self._words.get(text)
        if word is None:
            if len(self._words) > _WORDS_KEPT:
                self._words.clear()
            word = self._words[text] = QStaticText(text)
            word.setTextFormat(Qt.TextFormat.PlainText)
            word.prepare(QTransform(), self.code)
        return word

    def box(self, painter: QPainter, area: QRectF, token: str, radius: int, edge: str | None = None) -> None:
        """A rounded background, aligned to whole pixels."""
        painter.setPen(Qt.PenStyle.NoPen if edge is None else self.pen(edge))
        painter.setBrush(self.color(token))
        if edge is not None:
            area = area.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawRoundedRect(area, self.px(radius), self.px(radius))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _between(one: QColor, other: QColor, share: float) -> QColor:
    parts = ((one.red(), other.red()), (one.green(), other.green()), (one.blue(), other.blue()))
    return QColor(*(round(a * share + b * (1 - share)) for a, b in parts))


def _hatching(theme: Theme) -> QPixmap:
    side = theme.px(12)
    picture = QPixmap(side, side)
    picture.fill(theme.color("panel"))
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.color("line"), 1.3 * max(1.0, theme.zoom)))
    for shift in (-side, 0, side):
        painter.drawLine(QPointF(shift, side), QPointF(shift + side, 0))
    painter.end()
    return picture


GROUNDS = {CellKind.CONTEXT: "panel", CellKind.ADDED: "added", CellKind.REMOVED: "removed", CellKind.FILLER: "panel"}


class TextPainter:
    """Draws text; backgrounds are drawn by RowPainter."""

    def __init__(self, paint_cache: DiffPaintCache) -> None:
        self._paint_cache = paint_cache

    def paint(
        self,
        painter: QPainter,
        display: DiffDisplay,
        row: DiffRow,
        index: int,
        pane: Pane,
        line: ShownLine,
        area: QRect,
    ) -> None:
        text = line.styled.text
        is_plain = not row.is_change and display.search is None and display.selection is None
        layers = [] if is_plain else [*_layers(display, row, index, pane, line)]
        for visual, start in enumerate(line.starts):
            y = area.top() + visual * display.panes.line
            if y + display.panes.line < 0 or y > painter.viewport().bottom():
                continue
            end = line.starts[visual + 1] if visual + 1 < len(line.starts) else len(text)
            self._stroke(
                painter, _Stroke(display.panes, pane, y, line.styled, start, end, line.scrolled), display, layers
            )
        if line.styled.cut or line.is_open:
            self._end(painter, display, index, pane, line, area)

    def end_area(self, display: DiffDisplay, pane: Pane, line: ShownLine, area: QRect) -> QRect:
        """Where the note after a line is; that of a cut line is always visible."""
        width = QFontMetrics(self._paint_cache.small).horizontalAdvance(line.end_text) + self._paint_cache.px(16)
        cells = line.styled.width - line.styled.cells[line.starts[-1]]
        x = round(pane.text + cells * display.panes.cell) - line.scrolled + self._paint_cache.px(8)
        if line.styled.cut:
            x = min(x, pane.right - width - self._paint_cache.px(4))
        y = area.top() + (len(line.starts) - 1) * display.panes.line
        return QRect(x, y + self._paint_cache.px(2), width, display.panes.line - self._paint_cache.px(4))

    def _stroke(self, painter: QPainter, stroke: "_Stroke", display: DiffDisplay, layers: list["_Layer"]) -> None:
        first, last = stroke.in_sight()
        text = stroke.styled.text
        left, top, cell = stroke.left, stroke.y + stroke.panes.word_top, stroke.panes.cell
        paint_cache = self._paint_cache
        for start, end, begin, token, part in stroke.styled.pieces:
            if start >= last:
                break
            if start < first or end > last:
                if end > first:
                    self._letters(painter, stroke, max(start, first), min(end, last), token)
                continue
            painter.setPen(paint_cache.pen(token))
            if len(part) <= LONGEST_WORD and part.isascii():
                painter.drawStaticText(QPointF(left + begin * cell, top), paint_cache.word(part))
            else:
                painter.drawText(QPointF(left + begin * cell, stroke.base), part)
        for start, end, ground, takes_newline in layers:
            a, b = max(start, first), min(end, last)
            reaches_out = takes_newline and stroke.end == len(text) and end > len(text)
            if a < b or (reaches_out and a <= b):
                box = stroke.box(a, b)
                if reaches_out:
                    box.setWidth(box.width() + display.panes.cell / 2)
                self._paint_cache.box(painter, box, ground, 3)
                for one, other in pieces(text, a, b) if a < b else ():
                    self._letters(painter, stroke, one, other, "text")
        if stroke.styled.tokens:
            self._tokens(painter, stroke, first, last)
        if display.whitespace is not Whitespace.NONE:
            self._glyphs(painter, stroke, display, layers, first, last)

    def _letters(self, painter: QPainter, stroke: "_Stroke", start: int, end: int, token: str) -> None:
        part = stroke.styled.text[start:end]
        if not part.isspace():
            painter.setPen(self._paint_cache.pen(token))
            painter.drawText(QPointF(stroke.x(start), stroke.base), part)

    def _tokens(self, painter: QPainter, stroke: "_Stroke", first: int, last: int) -> None:
        text = stroke.styled.text
        for a, b in stroke.styled.tokens:
            if a < last and b > first and (text[a:b] != "␍" or b < len(text)):
                painter.setPen(self._paint_cache.pen("risk"))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.drawRoundedRect(stroke.box(a, b).adjusted(0.5, 1.5, -0.5, -1.5), 3, 3)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _glyphs(
        self, painter: QPainter, stroke: "_Stroke", display: DiffDisplay, layers: list["_Layer"], first: int, last: int
    ) -> None:
        """Spaces as dots and tabs as arrows, as the white space option says."""
        text, is_all = stroke.styled.text, display.whitespace is Whitespace.ALL
        trailing = len(text.removesuffix("␍").rstrip(" \t"))
        blank = [(a, b) for a, b, ground, _ in layers if ground.endswith("_strong") and text[a:b].isspace()]
        if not is_all and not blank and trailing >= last and "\t" not in text:
            return
        painter.setPen(self._paint_cache.pen("glyph"))
        for at in range(first, last):
            character = text[at]
            if character not in " \t":
                continue
            if is_all or at >= trailing or character == "\t" or any(a <= at < b for a, b in blank):
                painter.drawText(QPointF(stroke.x(at), stroke.base), "·" if character == " " else "→")

    def _end(
        self, painter: QPainter, display: DiffDisplay, index: int, pane: Pane, line: ShownLine, area: QRect
    ) -> None:
        chip = self.end_area(display, pane, line, area)
        if line.styled.cut:
            rest = QRect(chip.left(), chip.top() - 1, pane.right - chip.left(), chip.height() + 2)
            painter.fillRect(rest, self._paint_cache.color(GROUNDS[line.kind]))
            is_hot = display.hovered == (index, "cut")
            self._paint_cache.box(painter, QRectF(chip), "hover" if is_hot else "raised", 6, edge="line_strong")
        painter.setFont(self._paint_cache.small)
        painter.setPen(self._paint_cache.pen("link" if line.styled.cut else "muted"))
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, line.end_text)
        painter.setFont(self._paint_cache.code)


_Layer = tuple[int, int, str, bool]
"""First character, end, background, and whether the newline can be part of it."""


def _layers(display: DiffDisplay, row: DiffRow, index: int, pane: Pane, line: ShownLine) -> Iterator[_Layer]:
    if row.is_change:
        ground = f"{GROUNDS[line.kind]}_strong"
        yield from ((start, end, ground, False) for start, end in line.marks)
    found, now = display.found_in(row, line)
    yield from ((*match, "found_now" if match == now else "found", False) for match in found)
    if display.selection is not None and display.selection.is_old == pane.is_old:
        chosen = display.selection.columns(index, len(line.styled.text))
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


_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_WRAPPED = int(Qt.TextFlag.TextWordWrap)
_SIGN_INKS = {CellKind.ADDED: "added_ink", CellKind.REMOVED: "removed_ink"}
_VEIL = 150
_LIGHT_VEIL = 110


class VisibleRow(NamedTuple):
    """A row in sight, and where it stands in the viewport."""

    number: int
    row: DiffRow
    area: QRect


class RowPainter:
    """Draws rows at given places, without scroll state. Create a new one when the theme changes."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._paint_cache = DiffPaintCache(theme)
        self.text = TextPainter(self._paint_cache)
        self._number_inset = theme.px(10)

    def paint(self, painter: QPainter, display: DiffDisplay, visible: Sequence[VisibleRow], area: QRect) -> None:
        """All visible rows: shared backgrounds first, then each line, pane by pane."""
        self._ground(painter, display, area)
        painter.setFont(self._paint_cache.code)
        lines = [each for each in visible if each.row.kind is RowKind.LINE]
        for pane in display.panes.panes:
            for each in lines:
                self._beside(painter, display, each, pane)
            painter.setClipRect(QRect(pane.text, area.top(), pane.text_width, area.height()))
            for index, row, at in lines:
                line = display.shown(row, pane)
                if line is not None:
                    self.text.paint(painter, display, row, index, pane, line, at)
            painter.setClipping(False)
        self._veils(painter, display, lines)
        for index, row, at in visible:
            if row.kind is not RowKind.LINE:
                self._special(painter, display, row, index, at)
            if index == display.current and display.has_focus:
                self._focus(painter, display, row, at)

    def _special(self, painter: QPainter, display: DiffDisplay, row: DiffRow, index: int, area: QRect) -> None:
        match row.kind:
            case RowKind.HEADER:
                self._header(painter, display, row, index, area)
            case RowKind.FOLD:
                self._fold(painter, display, row, index, area)
            case RowKind.COMMENT:
                self._comment(painter, display, row, area)
            case _:
                self._words(painter, display, row, area)

    def note_height(self, text: str, width: int) -> int:
        return self._wrapped(text, width - self._paint_cache.px(48)).height() + self._paint_cache.px(12)

    def comment_height(self, text: str, width: int) -> int:
        body = self._wrapped(text, self._card(QRect(0, 0, width, 0)).width() - self._paint_cache.px(28))
        return QFontMetrics(self._paint_cache.small).height() + body.height() + self._paint_cache.px(32)

    # Lines

    def _ground(self, painter: QPainter, display: DiffDisplay, area: QRect) -> None:
        painter.fillRect(area, self._paint_cache.color("panel"))
        for pane in display.panes.panes:
            painter.fillRect(
                pane.left, area.top(), display.panes.numbers(pane), area.height(), self._paint_cache.color("gutter")
            )
        if len(display.panes.panes) == 2:
            painter.fillRect(
                display.panes.panes[0].right, area.top(), 1, area.height(), self._paint_cache.color("line")
            )

    def _beside(self, painter: QPainter, display: DiffDisplay, each: VisibleRow, pane: Pane) -> None:
        """Tint, sign and numbers of one line."""
        index, row, area = each
        panes, paint_cache = display.panes, self._paint_cache
        base = area.top() + panes.ascent
        if row.is_change:
            kind, numbers = cell_kind(row, pane), panes.numbers(pane)
            body = QRect(pane.left + numbers, area.top(), pane.right - pane.left - numbers, area.height())
            if kind is CellKind.FILLER:
                painter.fillRect(body, paint_cache.hatch)
            else:
                painter.fillRect(body, paint_cache.color(GROUNDS[kind]))
                painter.setPen(paint_cache.pen(_SIGN_INKS[kind]))
                painter.drawText(QPointF(pane.sign, base), kind.value)
        painter.setPen(paint_cache.pen("text" if index == display.current else "number"))
        shown = (row.old, row.new) if pane.is_old is None else (row.old if pane.is_old else row.new,)
        right = pane.left - self._number_inset
        for line in shown:
            right += panes.number
            if line is not None:
                text = str(line + 1)
                painter.drawText(QPointF(right - len(text) * panes.cell, base), text)
        if pane.is_old is not True and row.new is not None and row.new in display.line_marks:
            self._mark(painter, display, row.new, pane, area)
        if (
            display.hovered == (index, "gutter")
            and pane is panes.panes[-1]
            and row.hunk
            and "comment" in display.offers
        ):
            self._plus(painter, display, pane, area)

    def _mark(self, painter: QPainter, display: DiffDisplay, line: int, pane: Pane, area: QRect) -> None:
        """A message of a check: an icon at the left edge of the numbers."""
        side = self._paint_cache.px(12)
        top = area.top() + (display.panes.line - side) / 2
        name, ink = ("error", "removed_ink") if display.line_marks[line][1] else ("warning", "risk")
        box = QRectF(pane.left + self._paint_cache.px(2), top, side, side)
        self._paint_cache.box(painter, box.adjusted(-1, -1, 1, 1), "gutter", 3)
        paint_icon(painter, self._theme, name, ink, box)

    def _plus(self, painter: QPainter, display: DiffDisplay, pane: Pane, area: QRect) -> None:
        side = self._paint_cache.px(16)
        middle = area.top() + (display.panes.line - side) / 2
        box = QRectF(pane.left + display.panes.numbers(pane) - side / 2, middle, side, side)
        self._paint_cache.box(painter, box, "accent", 4)
        paint_icon(painter, self._theme, "plus", "accent_text", box.adjusted(2, 2, -2, -2))

    def _veils(self, painter: QPainter, display: DiffDisplay, lines: Sequence[VisibleRow]) -> None:
        """Dim lines that are dropped or proved to be mechanical; they stay readable."""
        if not display.dropped and not display.dropped_lines and not display.rows.proved:
            return
        veil = QColor(self._paint_cache.color("panel"))
        for _, row, area in lines:
            for pane in display.panes.panes if row.is_change else ():
                line = line_of(row, pane.is_old)
                is_dropped = row.hunk in display.dropped or line in display.dropped_lines
                if is_dropped or (line is not None and display.rows.is_quiet(*line)):
                    veil.setAlpha(_VEIL if is_dropped else _LIGHT_VEIL)
                    left = pane.left + display.panes.numbers(pane)
                    painter.fillRect(left, area.top(), pane.right - left, area.height(), veil)

    # Rows that are no lines

    def _header(self, painter: QPainter, display: DiffDisplay, row: DiffRow, index: int, area: QRect) -> None:
        paint_cache = self._paint_cache
        painter.fillRect(area, paint_cache.color("gutter"))
        if index:
            painter.fillRect(area.left(), area.top(), area.width(), 1, paint_cache.color("line"))
        painter.fillRect(area.left(), area.bottom(), area.width(), 1, paint_cache.color("line"))
        buttons = header_buttons(self._theme, area, is_dropped=row.hunk in display.dropped, offers=display.offers)
        painter.setFont(paint_cache.small)
        for button in buttons:
            is_hot = display.hovered == (index, button.name)
            edge = "line_strong" if is_hot else "line"
            paint_cache.box(painter, QRectF(button.area), "hover" if is_hot else "panel", 6, edge=edge)
            painter.setPen(paint_cache.pen("text"))
            painter.drawText(button.area, Qt.AlignmentFlag.AlignCenter, button.label)
        painter.setFont(paint_cache.code)
        painter.setPen(paint_cache.pen("muted"))
        title = display.titles.get(row.hunk, "")
        title_text = f"{row.hunk} of {len(display.rows.diff.hunks)}{' · ' + title if title else ''}"
        end = buttons[0].area.left() if buttons else area.right()
        room = end - paint_cache.px(24) - area.left()
        shown = painter.fontMetrics().elidedText(title_text, Qt.TextElideMode.ElideRight, room)
        painter.drawText(area.adjusted(paint_cache.px(12), 0, 0, 0), _LEFT, shown)

    def _fold(self, painter: QPainter, display: DiffDisplay, row: DiffRow, index: int, area: QRect) -> None:
        is_hot = display.hovered == (index, "fold")
        painter.fillRect(area, self._paint_cache.color("hover" if is_hot else "raised"))
        is_risk = row.is_change and display.rows.proof(row) is None
        if is_risk and not is_hot and not display.rows.hides_space(row):
            painter.fillRect(area, self._paint_cache.color("removed" if row.new is None else "added"))
        painter.setPen(self._paint_cache.pen("risk" if is_risk else "text" if is_hot else "muted"))
        painter.setFont(self._paint_cache.small)
        painter.drawText(area.adjusted(self._paint_cache.px(12), 0, 0, 0), _LEFT, fold_text(display.rows, row))
        more = more_area(self._theme, area, row)
        if not more.isEmpty():
            painter.setPen(self._paint_cache.pen("text" if display.hovered == (index, "more") else "muted"))
            painter.drawText(more, Qt.AlignmentFlag.AlignCenter, tr_marked(MORE_LABEL))
        painter.setFont(self._paint_cache.code)

    def _words(self, painter: QPainter, display: DiffDisplay, row: DiffRow, area: QRect) -> None:
        note, px = display.rows.diff.notes[row.number], self._paint_cache.px
        painter.fillRect(area, self._paint_cache.color("risk_surface" if note.is_risk else "panel"))
        icon = QRectF(px(12), area.top() + px(6), px(16), px(16))
        paint_icon(painter, self._theme, note.icon, "risk" if note.is_risk else "muted", icon)
        painter.setFont(self._paint_cache.small)
        painter.setPen(self._paint_cache.pen("risk" if note.is_risk else "text"))
        painter.drawText(area.adjusted(px(36), px(6), -px(12), 0), _WRAPPED, note.text)
        painter.setFont(self._paint_cache.code)

    def _comment(self, painter: QPainter, display: DiffDisplay, row: DiffRow, area: QRect) -> None:
        self._ground(painter, display, area)
        paint_cache, comment, card = self._paint_cache, display.rows.comments[row.number], self._card(area)
        if comment.room:
            return
        paint_cache.box(painter, QRectF(card), "raised", 8, edge="line")
        bar = QRectF(card.left(), card.top(), paint_cache.px(3), card.height())
        paint_cache.box(painter, bar, "accent", 2)
        inner = card.adjusted(paint_cache.px(14), paint_cache.px(6), -paint_cache.px(14), 0)
        painter.setFont(paint_cache.small_bold)
        painter.setPen(paint_cache.pen("text"))
        author = tr_marked(comment.author)
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignTop), author)
        offset = QFontMetrics(paint_cache.small_bold).horizontalAdvance(author + " ")
        painter.setFont(paint_cache.small)
        painter.setPen(paint_cache.pen("muted"))
        line = comment.line
        place = tr("line {line} before", line=line) if comment.is_old else tr("line {line}", line=line)
        painter.drawText(inner.adjusted(offset, 0, 0, 0), int(Qt.AlignmentFlag.AlignTop), place)
        painter.setPen(paint_cache.pen("text"))
        below = QFontMetrics(paint_cache.small).height() + paint_cache.px(2)
        painter.drawText(inner.adjusted(0, below, 0, 0), _WRAPPED, comment.text)
        painter.setFont(paint_cache.code)

    def _focus(self, painter: QPainter, display: DiffDisplay, row: DiffRow, area: QRect) -> None:
        color = self._paint_cache.color("focus")
        if row.kind is RowKind.LINE:
            for pane in display.panes.panes:
                painter.fillRect(pane.left, area.top(), self._paint_cache.px(3), area.height(), color)
            return
        painter.setPen(QPen(color, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area.adjusted(1, 1, -1, -1))

    def _card(self, area: QRect) -> QRect:
        px = self._paint_cache.px
        return QRect(area.left() + px(52), area.top() + px(8), area.width() - px(64), area.height() - px(16))

    def _wrapped(self, text: str, width: int) -> QRect:
        return QFontMetrics(self._paint_cache.small).boundingRect(QRect(0, 0, max(width, 40), 100_000), _WRAPPED, text)


PROVED_WORDS = tr_table(
    {
        ChangeClass.FORMAT: "Format only",
        ChangeClass.COMMENT: "Comments only",
        ChangeClass.MOVE: "Moved",
        ChangeClass.RENAME: "Renamed",
    }
)


def proof_text(proof: ProvedChange) -> str:
    """`Moved from a.py:12 · 30 lines`."""
    (old, old_end), (new, new_end) = proof.lines.old, proof.lines.new
    words = PROVED_WORDS[proof.kind]
    if proof.kind is ChangeClass.RENAME:
        words = tr("Renamed {names}", names=visible_name(proof.path))
    elif proof.path:
        place = f"{visible_name(proof.path)}:{proof.line:,}"
        words = tr("Moved to {place}", place=place) if old < old_end else tr("Moved from {place}", place=place)
    lines = tr_n("{n} line", "{n} lines", max(old_end - old, new_end - new))
    return f"{words} · {lines}"


def fold_text(rows: DiffRows, row: DiffRow) -> str:
    if (proof := rows.proof(row)) is not None:
        return f"≡ {proof_text(proof)}"
    if rows.hides_space(row):
        return tr_n("⋯ White space only · {n} line hidden", "⋯ White space only · {n} lines hidden", row.lines)
    if row.is_change:
        if row.old is None:
            told = tr_n("{n} empty line added", "{n} empty lines added", row.lines)
        elif row.new is None:
            told = tr_n("{n} empty line removed", "{n} empty lines removed", row.lines)
        else:
            told = tr_n("{n} empty line changed", "{n} empty lines changed", row.lines)
        return f"⟨¶×{row.lines:,}⟩ {told}"
    if row.number < 0:
        return tr_n(
            "⋯ {n} change in bytes that are no text · show",
            "⋯ {n} changes in bytes that are no text · show",
            len(rows.diff.hunks),
        )
    return tr_n("⋯ {n} unchanged line", "⋯ {n} unchanged lines", row.lines)
