"""Paint one operation as a card: a line that says what it is, and bands below it for what must not be missed."""

import time
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from tandem_desktop.domain.execution import ResultStatus
from tandem_desktop.review.totals import line_counts
from tandem_desktop.ui.models.operation_row import OperationRow
from tandem_desktop.ui.models.staged_operations_model import StagedOperationsModel
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.inks import Inks
from tandem_desktop.ui.plan.row_geometry import ROW, RowZones, Zone
from tandem_desktop.ui.plan.row_notes import Note, Tone, note_height, notes_height, notes_of, wrapping
from tandem_desktop.ui.plan.since_looked import WORDS as CHANGED_SINCE
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.status_mark import paint_status_mark
from tandem_desktop.ui.words import tr, tr_marked, tr_n

_RADIUS = 8
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_MARKS = {
    ResultStatus.RUNNING: "running",
    ResultStatus.COMPLETED: "done",
    ResultStatus.FAILED: "failed",
    ResultStatus.SKIPPED: "skipped",
    ResultStatus.CANCELLED: "skipped",
}
_RESULT_TOKENS = {
    ResultStatus.COMPLETED: "muted",
    ResultStatus.FAILED: "removed_ink",
    ResultStatus.ROLLED_BACK: "risk",
}


@dataclass(frozen=True, slots=True)
class Pointing:
    """What the person points at and holds, so that it can be shown."""

    hovered: bool = False
    zone: Zone | None = None
    current: bool = False
    focused: bool = False
    editable: bool = True
    movable: bool = True
    lifted: bool = False
    """Dragged away; its place is still shown."""
    turn: int = 0
    """Degrees of the sign that something is under way."""


class OperationDelegate(QStyledItemDelegate):
    """Draws; decides nothing. Colours, faces and lengths are the theme's."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._inks = Inks(theme)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        row: OperationRow = index.data(StagedOperationsModel.RowRole)
        width = option.rect.width()
        return QSize(width, self._theme.px(ROW) + notes_height(self._theme, row, width))

    def zones(self, line: QRect, row: OperationRow, *, editable: bool, movable: bool) -> RowZones:
        staged = editable and not row.running
        return RowZones(self._theme, line, movable=staged and movable, removable=staged)

    def paint_row(self, painter: QPainter, card: QRect, row: OperationRow, pointing: Pointing) -> None:
        """The whole card; what is opened is a widget that lies in it."""
        theme = self._theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        outline, radius = QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), theme.px(_RADIUS)
        line = QRect(card.left(), card.top(), card.width(), theme.px(ROW))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._inks.color("panel"))
        if row.expanded or pointing.hovered or card.height() > line.height():
            painter.drawRoundedRect(outline, radius, radius)
            self._inside(painter, card, line, row, raised=row.expanded or pointing.hovered)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        ring = pointing.current and pointing.focused
        token = "focus" if ring else "line_strong" if pointing.current else "line"
        painter.setPen(QPen(self._inks.color(token), 2 if ring else 1))
        painter.drawRoundedRect(outline, radius, radius)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        self._line(painter, line, row, pointing)
        painter.restore()

    def _inside(self, painter: QPainter, card: QRect, line: QRect, row: OperationRow, *, raised: bool) -> None:
        """What reaches into the rounded corners. Clipping to them costs more than a whole row; most rows need none."""
        shape = QPainterPath()
        radius = self._theme.px(_RADIUS)
        shape.addRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.setClipPath(shape)
        if raised:
            painter.fillRect(line, self._inks.color("raised"))
        self._bands(painter, card, line, row)
        painter.setClipping(False)

    def _bands(self, painter: QPainter, card: QRect, line: QRect, row: OperationRow) -> None:
        theme, top = self._theme, line.bottom() + 1
        notes = notes_of(row)
        if notes or row.expanded:
            painter.fillRect(QRect(card.left(), top - 1, card.width(), 1), self._inks.color("line"))
        for note in notes:
            band = QRect(card.left(), top, card.width(), note_height(theme, note, card.width()))
            self._note(painter, band, note)
            top = band.bottom() + 1

    def note_at(self, card: QRect, row: OperationRow, y: int) -> Note | None:
        """The band below the line at this height."""
        top = card.top() + self._theme.px(ROW)
        for note in notes_of(row):
            bottom = top + note_height(self._theme, note, card.width())
            if top <= y < bottom:
                return note
            top = bottom
        return None

    def _note(self, painter: QPainter, band: QRect, note: Note) -> None:
        theme = self._theme
        if note.tone is Tone.REHEARSED:
            self._pieces(painter, band, note)
            return
        ground, ink, sign = {
            Tone.RISK: ("risk_surface", "risk", "warning"),
            Tone.ERROR: ("removed", "removed_ink", "error"),
            Tone.LOG: ("surface", "muted", ""),
        }[note.tone]
        painter.fillRect(band, self._inks.color(ground))
        painter.setPen(self._inks.color(ink))
        if note.tone is Tone.LOG:
            painter.setFont(self._inks.font("code"))
            inner = band.adjusted(theme.px(14), theme.px(10), -theme.px(14), -theme.px(10))
            height = theme.px(18)
            metrics = self._inks.metrics("code")
            for number, text in enumerate(note.text.split("\n")):
                place = QRect(inner.left(), inner.top() + number * height, inner.width(), height)
                painter.drawText(place, _LEFT, metrics.elidedText(text, Qt.TextElideMode.ElideRight, place.width()))
            return
        side = theme.px(14)
        mark = QRectF(band.left() + theme.px(12), band.top() + theme.px(7), side, side)
        self._inks.icon(painter, sign, ink, mark)
        painter.setFont(self._inks.font("ui"))
        inner = band.adjusted(theme.px(32), 0, -theme.px(16), 0)
        flags = _LEFT | wrapping(self._inks.metrics("ui"), f"{note.text} {note.link}", inner.width())
        words = self._inks.metrics("ui").horizontalAdvance(f"{note.text}  ")
        if not note.link or words + self._inks.metrics("ui").horizontalAdvance(note.link) > inner.width():
            painter.drawText(inner, flags, f"{note.text}  {note.link}".rstrip())
            return
        painter.drawText(inner, flags, note.text)
        font = QFont(painter.font())
        font.setUnderline(True)
        painter.setFont(font)
        painter.drawText(inner.adjusted(words, 0, 0, 0), _LEFT, note.link)

    def _pieces(self, painter: QPainter, band: QRect, note: Note) -> None:
        metrics, left = self._inks.metrics("code"), band.left() + self._theme.px(14)
        right = band.right() - self._theme.px(14)
        for words, token in note.pieces:
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(0, right - left))
            left = self._text(painter, QRect(left, band.top(), right - left + 2, band.height()), shown, "code", token)

    def _line(self, painter: QPainter, line: QRect, row: OperationRow, pointing: Pointing) -> None:
        zones = self.zones(line, row, editable=pointing.editable, movable=pointing.movable)
        if not zones.handle.isNull():
            token = "text" if pointing.zone is Zone.HANDLE else "muted"
            self._inks.icon(painter, "drag", token, QRectF(zones.handle).adjusted(-3, 0, 3, 0))
        if row.running:
            self._result_sign(painter, QRectF(zones.box), row, pointing.turn)
        else:
            self._box(painter, QRectF(zones.box), row.viewed, hovered=pointing.zone is Zone.BOX)
        self._tag(painter, zones.tag, wording.kind_word(row.operation))
        if not zones.remove.isNull():
            pointed = pointing.hovered or pointing.current
            hot = "text" if row.dropped else "removed_ink"
            token = hot if pointing.zone is Zone.REMOVE else "muted" if pointed or row.dropped else "line_strong"
            sign = "undo" if row.dropped else "cross"
            self._inks.icon(painter, sign, token, QRectF(zones.remove).adjusted(3, 3, -3, -3))
        arrow = "chevron-down" if row.expanded else "chevron-right"
        token = "text" if pointing.zone is Zone.EXPANDER else "muted"
        self._inks.icon(painter, arrow, token, QRectF(zones.expander).adjusted(3, 3, -3, -3))
        self._words(painter, zones.middle, row)

    def _box(self, painter: QPainter, box: QRectF, viewed: bool, *, hovered: bool) -> None:
        theme = self._theme
        shape = box.adjusted(1, 1, -1, -1)
        painter.setPen(QPen(self._inks.color("accent" if viewed or hovered else "line_strong"), 1.2))
        painter.setBrush(self._inks.color("accent") if viewed else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(shape, theme.px(4), theme.px(4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if viewed:
            self._inks.icon(painter, "check", "accent_text", box.adjusted(2, 2, -2, -2))

    def _result_sign(self, painter: QPainter, place: QRectF, row: OperationRow, turn: int) -> None:
        status = row.result.status if row.result is not None else ResultStatus.PENDING
        if status is ResultStatus.ROLLED_BACK:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._inks.color("risk_surface"))
            painter.drawEllipse(place)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            self._inks.icon(painter, "undo", "risk", place.adjusted(3, 3, -3, -3))
        else:
            paint_status_mark(painter, self._theme, _MARKS.get(status, "waiting"), place, turn)

    def _tag(self, painter: QPainter, place: QRect, word: str) -> None:
        theme = self._theme
        painter.setPen(QPen(self._inks.color("line"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), theme.px(5), theme.px(5))
        painter.setFont(self._inks.font("tag"))
        painter.setPen(self._inks.color("muted"))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, word)

    def _words(self, painter: QPainter, place: QRect, row: OperationRow) -> None:
        """Right to left what must not be cut, then the path, then as much of the agent's reason as there is room."""
        theme = self._theme
        left, right = place.left(), place.right()
        right = self._right_side(painter, place, right, row)
        folder, name = wording.subject(row.operation)
        metrics = self._inks.metrics("code")
        room = max(0, right - left)
        wanted = metrics.horizontalAdvance(folder + name)
        if wanted > room:
            kept = metrics.horizontalAdvance(name)
            if kept < room:
                folder = metrics.elidedText(folder, Qt.TextElideMode.ElideLeft, room - kept)
            else:
                folder, name = "", metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
        begin = left
        for text, token in ((folder, "muted"), (name, "muted" if row.dropped else "text")):
            left = self._text(painter, QRect(left, place.top(), right - left + 1, place.height()), text, "code", token)
        if row.dropped:
            painter.fillRect(QRect(begin, place.center().y() + 1, left - begin, 1), self._inks.color("muted"))
        words = wording.agent_words(row.operation)
        left += theme.px(10)
        if words and right - left > theme.px(72) and row.operation.description != wording.title(row.operation):
            shown = self._inks.metrics("words").elidedText(f"“{words}”", Qt.TextElideMode.ElideRight, right - left)
            self._text(painter, QRect(left, place.top(), right - left, place.height()), shown, "words", "muted")

    def _right_side(self, painter: QPainter, place: QRect, right: int, row: OperationRow) -> int:
        """Counts, or how it went; then flags. Answers where they begin."""
        theme = self._theme
        metrics = self._inks.metrics("code")
        pieces: list[tuple[str, str]] = []
        if row.running:
            status = row.result.status if row.result is not None else ResultStatus.PENDING
            words = wording.RESULTS[status]
            if row.result is not None and row.result.exit_code:
                words = tr("{result}, exit {code}", result=words, code=row.result.exit_code)
            if status is ResultStatus.RUNNING and row.since is not None:
                words = f"{time.monotonic() - row.since:.1f} s"
            pieces.append((words, _RESULT_TOKENS.get(status, "muted")))
        elif row.operation.is_run:
            # The command itself comes first; where it stands is only said where there is room left.
            needed = metrics.horizontalAdvance(wording.subject(row.operation)[1])
            if row.position and place.width() - needed > theme.px(300):
                pieces.append((tr_n("after {n} operation", "after {n} operations", row.position), "muted"))
        elif any(counts := line_counts(row.view)):
            added, removed = counts
            if removed:
                pieces.append((f"−{removed:,}", "removed_ink"))
            if added:
                pieces.append((f"+{added:,}", "added_ink"))
        elif change := wording.mode_change(row.operation):
            pieces.append((change, "muted"))
        if row.view.generated:
            pieces.append((wording.GENERATED.get(row.view.generated, row.view.generated), "muted"))
        if row.dropped:
            pieces = [(tr("dropped"), "muted")]
        elif row.part is not None and (chosen := wording.part_words(row.part)):
            pieces.append((chosen, "risk"))
        if row.operation.recorded_from:
            pieces.append((tr("recorded effect"), "link"))
        if row.comments:
            pieces.append((tr_n("{n} comment", "{n} comments", len(row.comments)), "accent"))
        right -= theme.px(4)
        for text, token in pieces:
            width = metrics.horizontalAdvance(text)
            self._text(painter, QRect(right - width, place.top(), width + 2, place.height()), text, "code", token)
            right -= width + theme.px(8)
        if row.view.flags and not row.running and not row.dropped:
            right = self._flags(painter, place, right, row)
        if row.change and not (row.viewed and row.change == CHANGED_SINCE):
            narrow = place.width() < theme.px(360)
            shorter = tr("changed") if narrow and row.change == CHANGED_SINCE else tr_marked(row.change)
            right = self._change(painter, place, right, shorter)
        return right - theme.px(8)

    def _change(self, painter: QPainter, place: QRect, right: int, word: str) -> int:
        theme = self._theme
        width = self._inks.metrics("tag").horizontalAdvance(word) + theme.px(14)
        chip = QRect(right - width, place.center().y() - theme.px(9), width, theme.px(20))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._inks.color("info_surface"))
        painter.drawRoundedRect(chip, theme.px(6), theme.px(6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        self._text(painter, chip.adjusted(theme.px(7), 0, 0, 0), word, "tag", "link")
        return chip.left() - theme.px(4)

    def _flags(self, painter: QPainter, place: QRect, right: int, row: OperationRow) -> int:
        theme, flags = self._theme, row.view.flags
        words = wording.FLAGS.get(flags[-1], flags[-1].value) if row.operation.is_run else wording.FLAGS[flags[0]]
        text = words + (f" +{len(flags) - 1}" if len(flags) > 1 else "")
        metrics = self._inks.metrics("tag")
        side = theme.px(12)
        if place.width() < theme.px(360):
            text = str(len(flags))
        width = metrics.horizontalAdvance(text) + side + theme.px(18)
        chip = QRectF(right - width, place.center().y() - theme.px(9), width, theme.px(20))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._inks.color("risk_surface"))
        painter.drawRoundedRect(chip, theme.px(6), theme.px(6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        sign = QRectF(chip.left() + theme.px(6), chip.center().y() - side / 2, side, side)
        self._inks.icon(painter, "warning", "risk", sign)
        inner = chip.toRect().adjusted(side + theme.px(10), 0, 0, 0)
        self._text(painter, inner, text, "tag", "risk")
        return int(chip.left()) - theme.px(4)

    def _text(self, painter: QPainter, place: QRect, text: str, face: str, token: str) -> int:
        if not text:
            return place.left()
        painter.setFont(self._inks.font(face))
        painter.setPen(self._inks.color(token))
        painter.drawText(place, _LEFT | Qt.TextFlag.TextSingleLine, text)
        return place.left() + self._inks.metrics(face).horizontalAdvance(text)


def paint_drop_line(painter: QPainter, theme: Theme, left: int, right: int, y: int) -> None:
    """Where a dragged operation would go."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.color("accent"), 2))
    painter.drawLine(QPointF(left + 6, y), QPointF(right, y))
    painter.drawEllipse(QPointF(left + 3, y), 3, 3)
