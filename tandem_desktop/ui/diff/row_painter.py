"""Draw one row of a comparison; nothing here knows how far it is scrolled or who asked."""

from dataclasses import dataclass, field
from enum import Enum, auto

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetrics, QPainter, QPen, QPixmap

from tandem_desktop.ui.diff.cells import pieces, wrap
from tandem_desktop.ui.diff.diff_rows import CellKind, DiffRows, Row, RowKind
from tandem_desktop.ui.diff.diff_search import DiffSearch
from tandem_desktop.ui.diff.line_styles import LineStyles, StyledLine
from tandem_desktop.ui.diff.panes import Pane, Panes, header_buttons
from tandem_desktop.ui.diff.selection import Selection, line_of
from tandem_desktop.ui.theme.icons import paint_icon
from tandem_desktop.ui.theme.theme import Theme


class Whitespace(Enum):
    """Where spaces and tabs are drawn: where they changed or end a line, everywhere, or nowhere."""

    CHANGED = auto()
    ALL = auto()
    NONE = auto()


@dataclass
class Look:
    """What a view shows at the moment; its painter reads it anew for every row."""

    rows: DiffRows
    styles: LineStyles
    panes: Panes
    titles: dict[int, str] = field(default_factory=dict)
    dropped: frozenset[int] = frozenset()
    whitespace: Whitespace = Whitespace.CHANGED
    wraps: bool = False
    scrolled: int = 0
    current: int = -1
    has_focus: bool = False
    selection: Selection | None = None
    search: DiffSearch | None = None
    found: int = -1
    hovered: tuple[int, str] | None = None
    """A row and what the pointer is on: a button of its bar, `gutter`, `fold`, or `cut`."""


class RowPainter:
    """Holds pens and brushes of the theme; make a new one when the theme changes."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._code = theme.code_font()
        self._small = theme.ui_font(-1)
        self._pens: dict[str, QPen] = {}
        self._colors: dict[str, QColor] = {}
        gutter, panel = theme.color("surface"), theme.color("panel")
        self._colors["gutter"] = _between(gutter, panel)
        self._colors["number"] = _between(theme.color("muted"), theme.color("panel"), 0.72)
        self._colors["number_current"] = theme.color("text")
        self._colors["found"] = _between(theme.color("risk"), panel, 0.35)
        self._colors["found_now"] = _between(theme.color("risk"), panel, 0.62)
        self._colors["glyph"] = _between(theme.color("muted"), panel, 0.62)
        self._hatch = QBrush(_hatching(theme))

    def paint(self, painter: QPainter, look: Look, index: int, area: QRect) -> None:
        row = look.rows.row(index)
        if row.kind is RowKind.LINE:
            self._line(painter, look, row, index, area)
        elif row.kind is RowKind.HEADER:
            self._header(painter, look, row, index, area)
        elif row.kind is RowKind.FOLD:
            self._fold(painter, look, row, index, area)
        elif row.kind is RowKind.COMMENT:
            self._comment(painter, look, row, area)
        else:
            self._words(painter, look, row, area)
        if index == look.current and look.has_focus:
            self._focus(painter, look, row, area)

    def finish(self, painter: QPainter, look: Look, area: QRect) -> None:
        """The ground below the last row."""
        painter.fillRect(area, self._color("panel"))
        for pane in look.panes.panes:
            columns = look.panes.number * (2 if pane.is_old is None else 1)
            painter.fillRect(pane.left, area.top(), columns, area.height(), self._color("gutter"))
        if len(look.panes.panes) == 2:
            painter.fillRect(look.panes.panes[0].right, area.top(), 1, area.height(), self._color("line"))

    def words_height(self, text: str, width: int) -> int:
        return self._wrapped(text, width - self._theme.px(48)).height() + self._theme.px(12)

    def comment_height(self, text: str, width: int) -> int:
        body = self._wrapped(text, self._card(QRect(0, 0, width, 0)).width() - self._theme.px(28)).height()
        return body + self._theme.px(20 + 12 + 16)

    # Lines

    def _line(self, painter: QPainter, look: Look, row: Row, index: int, area: QRect) -> None:
        panes = look.panes
        is_dropped = row.hunk in look.dropped
        for pane in panes.panes:
            kind = row.left if pane.is_old else row.right
            if pane.is_old is None and row.is_change:
                kind = CellKind.REMOVED if row.new is None else CellKind.ADDED
            columns = panes.number * (2 if pane.is_old is None else 1)
            body = QRect(pane.left + columns, area.top(), pane.right - pane.left - columns, area.height())
            painter.fillRect(pane.left, area.top(), columns, area.height(), self._color("gutter"))
            painter.fillRect(body, self._hatch if kind is CellKind.FILLER else self._color(_GROUNDS[kind]))
            self._numbers(painter, look, row, index, pane, area)
            if kind is CellKind.FILLER:
                continue
            if kind is not CellKind.CONTEXT:
                painter.setPen(self._pen(_INKS[kind]))
                painter.drawText(QPointF(pane.sign, area.top() + panes.ascent), kind.value)
            line = line_of(row, pane.is_old)
            if line is not None:
                painter.save()
                painter.setClipRect(QRect(pane.text, area.top(), pane.text_width, area.height()))
                self._text(painter, look, row, index, pane, area, line, kind)
                painter.restore()
            if is_dropped and row.is_change:
                veil = QColor(self._color("panel"))
                veil.setAlpha(150)
                painter.fillRect(body, veil)
        if len(panes.panes) == 2:
            painter.fillRect(panes.panes[0].right, area.top(), 1, area.height(), self._color("line"))

    def _numbers(self, painter: QPainter, look: Look, row: Row, index: int, pane: Pane, area: QRect) -> None:
        width = look.panes.number
        painter.setPen(self._pen("number_current" if index == look.current else "number"))
        numbers = (row.old, row.new) if pane.is_old is None else (row.old if pane.is_old else row.new,)
        inset = self._theme.px(10)
        for place, line in enumerate(numbers):
            if line is not None:
                text = str(line + 1)
                right = pane.left + (place + 1) * width - inset
                base = QPointF(right - len(text) * look.panes.cell, area.top() + look.panes.ascent)
                painter.drawText(base, text)
        if look.hovered == (index, "gutter") and pane is look.panes.panes[-1] and row.hunk:
            side = self._theme.px(16)
            box = QRectF(
                pane.left + len(numbers) * width - side / 2, area.top() + (look.panes.line - side) / 2, side, side
            )
            self._rounded(painter, box, "accent", 4)
            paint_icon(painter, self._theme, "plus", "accent_text", box.adjusted(2, 2, -2, -2))

    def _text(
        self,
        painter: QPainter,
        look: Look,
        row: Row,
        index: int,
        pane: Pane,
        area: QRect,
        line: tuple[bool, int],
        kind: CellKind,
    ) -> None:
        is_old, number = line
        styled = look.styles.line(is_old, number)
        marks = look.styles.marks(row.pair, is_old) if row.is_change else ()
        selected = look.selection
        chosen = None
        if selected is not None and selected.is_old == pane.is_old:
            chosen = selected.columns(index, len(styled.text))
        found = look.search.in_line(is_old, number) if look.search else []
        starts = wrap(styled.text, styled.cells, look.panes.columns()) if look.wraps else (0,)
        for visual, start in enumerate(starts):
            end = starts[visual + 1] if visual + 1 < len(starts) else len(styled.text)
            y = area.top() + visual * look.panes.line
            if y > painter.viewport().bottom() or y + look.panes.line < 0:
                continue
            stroke = _Stroke(look.panes, pane, y, styled, start, end, 0 if look.wraps else look.scrolled)
            self._stroke(painter, stroke, look, kind, marks, chosen, found)
        if styled.cut or not look.rows.diff.is_preview:
            self._end(painter, look, index, pane, line, styled, starts, area)

    def _stroke(
        self,
        painter: QPainter,
        stroke: "_Stroke",
        look: Look,
        kind: CellKind,
        marks: tuple[tuple[int, int], ...],
        chosen: tuple[int, int] | None,
        found: list[tuple[int, int]],
    ) -> None:
        """One visual line: its letters, then over them what is marked, found and chosen."""
        first, last = stroke.in_sight()
        text, base = stroke.styled.text, stroke.base
        for a, b, _, token in stroke.styled.pieces:
            if a >= last:
                break
            if b > first:
                self._letters(painter, stroke, max(a, first), min(b, last), token)
        layers = [(mark, f"{_GROUNDS[kind]}_strong", "text") for mark in marks] if kind is not CellKind.CONTEXT else []
        layers += [(match, "found", "text") for match in found]
        if chosen is not None:
            layers.append((chosen, "selection", "text"))
        for (a, b), ground, ink in layers:
            a, b = max(a, first), min(b, last)
            ends_row = (
                chosen is not None and ground == "selection" and chosen[1] > len(text) and stroke.end == len(text)
            )
            if a < b or (ends_row and a <= b):
                box = stroke.box(a, b)
                if ends_row:
                    box.setWidth(box.width() + look.panes.cell / 2)
                self._rounded(painter, box, ground, 3 if ground.endswith("_strong") else 2)
                for start, end in pieces(text, a, b):
                    self._letters(painter, stroke, start, end, ink)
        for a, b in stroke.styled.tokens:
            if a < last and b > first and (text[a:b] != "␍" or b < len(text)):
                painter.setPen(self._pen("risk"))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(stroke.box(a, b).adjusted(0.5, 2.5, -0.5, -2.5), 3, 3)
        self._glyphs(painter, stroke, look, marks, first, last, base)

    def _letters(self, painter: QPainter, stroke: "_Stroke", start: int, end: int, token: str) -> None:
        part = stroke.styled.text[start:end]
        if part.strip():
            painter.setPen(self._pen(token))
            painter.drawText(QPointF(stroke.x(start), stroke.base), part)

    def _glyphs(
        self,
        painter: QPainter,
        stroke: "_Stroke",
        look: Look,
        marks: tuple[tuple[int, int], ...],
        first: int,
        last: int,
        base: float,
    ) -> None:
        """Spaces as dots and tabs as arrows, where the person wants to see them."""
        if look.whitespace is Whitespace.NONE:
            return
        text = stroke.styled.text
        trailing = len(text.removesuffix("␍").rstrip(" \t"))
        if look.whitespace is Whitespace.CHANGED and not marks and trailing >= last and "\t" not in text:
            return
        painter.setPen(self._pen("glyph"))
        for at in range(first, last):
            character = text[at]
            if character not in " \t":
                continue
            is_wanted = look.whitespace is Whitespace.ALL or at >= trailing or character == "\t"
            if is_wanted or _is_blank_mark(text, marks, at):
                painter.drawText(QPointF(stroke.x(at), base), "·" if character == " " else "→")

    def _end(
        self,
        painter: QPainter,
        look: Look,
        index: int,
        pane: Pane,
        line: tuple[bool, int],
        styled: StyledLine,
        starts: tuple[int, ...],
        area: QRect,
    ) -> None:
        """What stands after the last character: how much is not shown, or that there is no newline."""
        side = look.rows.diff.old if line[0] else look.rows.diff.new
        if not styled.cut and side.has_newline(line[1]):
            return
        chip = self.end_chip(look, pane, styled, starts, area)
        if styled.cut:
            is_hot = look.hovered == (index, "cut")
            self._rounded(painter, QRectF(chip), "hover" if is_hot else "raised", 6, edge="line_strong")
        painter.setFont(self._small)
        painter.setPen(self._pen("link" if styled.cut else "muted"))
        text = f"⋯ {styled.cut:,} more characters · show" if styled.cut else "no newline at the end"
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, text)
        painter.setFont(self._code)

    def end_chip(self, look: Look, pane: Pane, styled: StyledLine, starts: tuple[int, ...], area: QRect) -> QRect:
        """Where that stands, so that a click can find it; a cut is always within reach of the eye."""
        text = f"⋯ {styled.cut:,} more characters · show" if styled.cut else "no newline at the end"
        width = QFontMetrics(self._small).horizontalAdvance(text) + self._theme.px(16)
        cells = styled.width - styled.cells[starts[-1]]
        x = round(pane.text + cells * look.panes.cell) - (0 if look.wraps else look.scrolled) + self._theme.px(8)
        if styled.cut:
            x = min(x, pane.right - width - self._theme.px(4))
        y = area.top() + (len(starts) - 1) * look.panes.line
        return QRect(x, y + self._theme.px(2), width, look.panes.line - self._theme.px(4))

    # Rows that are no lines

    def _header(self, painter: QPainter, look: Look, row: Row, index: int, area: QRect) -> None:
        painter.fillRect(area, self._color("gutter"))
        if index:
            painter.fillRect(area.left(), area.top(), area.width(), 1, self._color("line"))
        painter.fillRect(area.left(), area.bottom(), area.width(), 1, self._color("line"))
        buttons = header_buttons(self._theme, area, is_dropped=row.hunk in look.dropped)
        for button in buttons:
            is_hot = look.hovered == (index, button.name)
            self._rounded(painter, QRectF(button.area), "hover" if is_hot else "panel", 6, edge="line")
            painter.setFont(self._small)
            painter.setPen(self._pen("text"))
            painter.drawText(button.area, Qt.AlignmentFlag.AlignCenter, button.label)
        painter.setFont(self._code)
        painter.setPen(self._pen("muted"))
        title = look.titles.get(row.hunk, "")
        words = f"{row.hunk} of {len(look.rows.diff.hunks)}{' · ' + title if title else ''}"
        room = buttons[0].area.left() - self._theme.px(24) - area.left()
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, room)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(area.adjusted(self._theme.px(12), 0, 0, 0), flags, shown)

    def _fold(self, painter: QPainter, look: Look, row: Row, index: int, area: QRect) -> None:
        is_hot = look.hovered == (index, "fold")
        painter.fillRect(area, self._color("hover" if is_hot else "raised"))
        painter.setPen(self._pen("text" if is_hot else "muted"))
        painter.setFont(self._small)
        painter.drawText(
            area.adjusted(self._theme.px(12), 0, 0, 0),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            fold_text(look.rows, row),
        )
        painter.setFont(self._code)

    def _words(self, painter: QPainter, look: Look, row: Row, area: QRect) -> None:
        words = look.rows.diff.words[row.number]
        painter.fillRect(area, self._color("risk_surface" if words.is_risk else "panel"))
        token = "risk" if words.is_risk else "muted"
        side = self._theme.px(16)
        place = QRectF(self._theme.px(12), area.top() + self._theme.px(6), side, side)
        paint_icon(painter, self._theme, words.icon, token, place)
        painter.setFont(self._small)
        painter.setPen(self._pen("risk" if words.is_risk else "text"))
        body = area.adjusted(self._theme.px(36), self._theme.px(6), -self._theme.px(12), -self._theme.px(4))
        painter.drawText(body, int(Qt.TextFlag.TextWordWrap), words.text)
        painter.setFont(self._code)

    def _comment(self, painter: QPainter, look: Look, row: Row, area: QRect) -> None:
        self.finish(painter, look, area)
        comment = look.rows.comments[row.number]
        card = self._card(area)
        painter.fillRect(card, self._color("panel"))
        self._rounded(painter, QRectF(card), "raised", 8, edge="line")
        painter.fillRect(card.left(), card.top() + 2, self._theme.px(3), card.height() - 4, self._color("accent"))
        inner = card.adjusted(self._theme.px(14), self._theme.px(6), -self._theme.px(14), -self._theme.px(6))
        name = self._theme.ui_font(-1, bold=True)
        painter.setFont(name)
        painter.setPen(self._pen("text"))
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignTop), comment.author)
        offset = QFontMetrics(name).horizontalAdvance(comment.author + " ")
        painter.setFont(self._small)
        painter.setPen(self._pen("muted"))
        place = f"line {comment.line}{' before' if comment.is_old else ''}"
        painter.drawText(inner.adjusted(offset, 0, 0, 0), int(Qt.AlignmentFlag.AlignTop), place)
        painter.setPen(self._pen("text"))
        body = inner.adjusted(0, QFontMetrics(self._small).height() + self._theme.px(2), 0, 0)
        painter.drawText(body, int(Qt.TextFlag.TextWordWrap), comment.text)
        painter.setFont(self._code)

    def _focus(self, painter: QPainter, look: Look, row: Row, area: QRect) -> None:
        if row.kind is RowKind.LINE:
            for pane in look.panes.panes:
                painter.fillRect(pane.left, area.top(), self._theme.px(3), area.height(), self._color("focus"))
        else:
            painter.setPen(QPen(self._color("focus"), max(1, self._theme.px(1))))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(area.adjusted(0, 0, -1, -1))

    # Tools

    def _card(self, area: QRect) -> QRect:
        px = self._theme.px
        return QRect(area.left() + px(52), area.top() + px(8), area.width() - px(52 + 12), area.height() - px(16))

    def _wrapped(self, text: str, width: int) -> QRect:
        room = QRect(0, 0, max(width, 40), 100_000)
        return QFontMetrics(self._small).boundingRect(room, int(Qt.TextFlag.TextWordWrap), text)

    def _rounded(self, painter: QPainter, box: QRectF, token: str, radius: int, edge: str | None = None) -> None:
        painter.setPen(Qt.PenStyle.NoPen if edge is None else self._pen(edge))
        painter.setBrush(self._color(token))
        if edge is not None:
            box = box.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(box, self._theme.px(radius), self._theme.px(radius))

    def _color(self, token: str) -> QColor:
        found = self._colors.get(token)
        if found is None:
            found = self._colors[token] = self._theme.color(token)
        return found

    def _pen(self, token: str) -> QPen:
        found = self._pens.get(token)
        if found is None:
            found = self._pens[token] = QPen(self._color(token))
        return found


def fold_text(rows: DiffRows, row: Row) -> str:
    if row.number < 0:
        count = len(rows.diff.hunks)
        return f"⋯ {count:,} change{'' if count == 1 else 's'} in bytes that are no text · show"
    return f"⋯ {row.lines:,} unchanged lines"


@dataclass(frozen=True, slots=True)
class _Stroke:
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

    def x(self, at: int) -> float:
        cells = self.styled.cells
        return self.pane.text + (cells[at] - cells[self.start]) * self.panes.cell - self.scrolled

    def box(self, start: int, end: int) -> QRectF:
        left = self.x(start)
        return QRectF(left, self.y + 1, self.x(min(end, len(self.styled.text))) - left, self.panes.line - 2)

    def in_sight(self) -> tuple[int, int]:
        """The first character that can be seen, and the one after the last."""
        cells = self.styled.cells
        if isinstance(cells, range):
            first = int(self.scrolled / self.panes.cell)
            last = first + int(self.pane.text_width / self.panes.cell) + 2
            return min(max(self.start, self.start + first), self.end), min(self.end, self.start + last)
        return self.start, self.end


def _is_blank_mark(text: str, marks: tuple[tuple[int, int], ...], at: int) -> bool:
    """Whether only white space changed here: then it is the whole point of the line."""
    return any(start <= at < end and text[start:end].isspace() for start, end in marks)


def _between(one: QColor, other: QColor, share: float = 0.5) -> QColor:
    parts = ((one.red(), other.red()), (one.green(), other.green()), (one.blue(), other.blue()))
    return QColor(*(round(a * share + b * (1 - share)) for a, b in parts))


def _hatching(theme: Theme) -> QPixmap:
    side = theme.px(10)
    picture = QPixmap(side, side)
    picture.fill(theme.color("panel"))
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.color("line"), max(1.3, 1.3 * theme.zoom)))
    for shift in (-side, 0, side):
        painter.drawLine(QPointF(shift, side), QPointF(shift + side, 0))
    painter.end()
    return picture


_GROUNDS = {CellKind.CONTEXT: "panel", CellKind.ADDED: "added", CellKind.REMOVED: "removed", CellKind.FILLER: "panel"}
_INKS = {CellKind.ADDED: "added_ink", CellKind.REMOVED: "removed_ink"}
