"""Paints operation rows."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from tandem_desktop.diff.text import visible
from tandem_desktop.domain.runs import ResultStatus
from tandem_desktop.review.operation_view import line_counts
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_n
from tandem_desktop.ui.models.operations import OperationRow, StagedOperationsModel
from tandem_desktop.ui.plan import rehearsal_text, wording
from tandem_desktop.ui.plan.rehearsal_text import Piece, Rehearsed
from tandem_desktop.ui.plan.row_geometry import ROW, RowZones, Zone
from tandem_desktop.ui.plan.viewed import WORDS as CHANGED_SINCE
from tandem_desktop.ui.plan.wording import visible_lines
from tandem_desktop.ui.theme.style import paint_icon
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.progress import paint_status_mark


class RowPaintCache:
    """Colours, fonts and icons, cached until the theme changes."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme

    def color(self, token: str) -> QColor:
        return self._theme.kept(("ink", token), lambda: self._theme.color(token))  # type: ignore[no-any-return]

    def font(self, face: str) -> QFont:
        """`ui`, `words` (a little smaller), `tag` (small and bold), `code` or `letter` (bold code)."""
        return self._theme.kept(("ink-font", face), lambda: self._font(face))  # type: ignore[no-any-return]

    def metrics(self, face: str) -> QFontMetrics:
        key = ("ink-metrics", face)
        return self._theme.kept(key, lambda: QFontMetrics(self.font(face)))  # type: ignore[no-any-return]

    def icon(self, painter: QPainter, name: str, token: str, target: QRectF) -> None:
        ratio = painter.device().devicePixelRatio()
        key = ("ink-icon", name, token, target.width(), target.height(), ratio)
        picture = self._theme.kept(key, lambda: self._icon(name, token, target, ratio))
        painter.drawPixmap(target.topLeft(), picture)

    def _font(self, face: str) -> QFont:
        if face in ("code", "letter"):
            font = self._theme.code_font()
            font.setBold(face == "letter")
            return font
        delta = {"words": -0.5, "tag": -2.0}.get(face, 0.0)
        return self._theme.ui_font(delta, bold=face == "tag")

    def _icon(self, name: str, token: str, target: QRectF, ratio: float) -> QPixmap:
        picture = QPixmap(round(target.width() * ratio), round(target.height() * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        inner = QPainter(picture)
        paint_icon(inner, self._theme, name, token, QRectF(0, 0, target.width(), target.height()))
        inner.end()
        return picture


LOG_LINES = 6
SEE_MERGE = later("See merge")
_LINE, _PADDING = 18, 10


class NoteTone(StrEnum):
    """The style of a note."""

    RISK = "risk"
    ERROR = "error"
    LOG = "log"
    REHEARSED = "rehearsed"


@dataclass(frozen=True, slots=True)
class RowNote:
    """A band below the row."""

    tone: NoteTone
    text: str
    pieces: tuple[Piece, ...] = ()
    """The same text in coloured pieces."""
    link: str = ""
    """The action of a click on it."""


def notes_of(row: OperationRow) -> tuple[RowNote, ...]:
    """The notes below a row, the most important first."""
    notes = []
    if row.drift:
        notes.append(
            RowNote(NoteTone.RISK, row.drift, link=tr_marked(SEE_MERGE) if row.operation.path is not None else "")
        )
    if row.problem and not row.dropped:
        notes.append(RowNote(NoteTone.RISK, tr("No longer applies: {problem}", problem=row.problem)))
    if row.rehearsed is not None and not row.running:
        notes += _rehearsed(row.rehearsed, is_open=row.expanded)
    result = row.result
    if result is not None and result.error:
        notes.append(RowNote(NoteTone.ERROR, "\n".join(visible_lines(result.error))))
    # The whole output is shown in the expanded row; a failed command always shows its last lines.
    if result is not None and result.output and not row.expanded and result.status is not ResultStatus.PENDING:
        notes.append(RowNote(NoteTone.LOG, _end_of(result.output)))
    return tuple(notes)


def note_height(theme: Theme, note: RowNote, width: int) -> int:
    if note.tone is NoteTone.REHEARSED:
        return theme.px(ROW)
    if note.tone is NoteTone.LOG:
        lines = note.text.count("\n") + 1
        return lines * theme.px(_LINE) + theme.px(2 * _PADDING)
    inner = max(theme.px(80), width - theme.px(48))
    metrics, words = QFontMetrics(theme.ui_font()), f"{note.text}  {note.link}"
    bounds = metrics.boundingRect(QRect(0, 0, inner, 10_000), wrapping(metrics, words, inner), words)
    return max(theme.px(_LINE), bounds.height()) + theme.px(_PADDING)


def wrapping(metrics: QFontMetrics, text: str, width: int) -> Qt.TextFlag:
    """Lines end between words; inside one only where it would not fit by itself."""
    is_long = any(metrics.horizontalAdvance(word) > width for word in text.split())
    return Qt.TextFlag.TextWordWrap | (Qt.TextFlag.TextWrapAnywhere if is_long else Qt.TextFlag(0))


def notes_height(theme: Theme, row: OperationRow, width: int) -> int:
    return sum(note_height(theme, note, width) for note in notes_of(row))


def _rehearsed(found: Rehearsed, *, is_open: bool) -> list[RowNote]:
    if found.problem:
        return [RowNote(NoteTone.RISK, tr("Did not apply in the rehearsal: {problem}", problem=visible(found.problem)))]
    line = rehearsal_text.pieces(found)
    notes = [RowNote(NoteTone.REHEARSED, rehearsal_text.sentence(found), line)]
    if found.is_running and found.output and not is_open:
        notes.append(RowNote(NoteTone.LOG, _end_of(found.output)))
    return notes


def _end_of(output: str) -> str:
    lines = visible_lines(output.rstrip("\n"))
    if len(lines) <= LOG_LINES:
        return "\n".join(lines)
    left_out = len(lines) - LOG_LINES + 1
    above = tr_n("… {n} line above; open to read them all", "… {n} lines above; open to read them all", left_out)
    return "\n".join((above, *lines[-(LOG_LINES - 1) :]))


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
    """Hover, focus and drag state of a row."""

    hovered: bool = False
    zone: Zone | None = None
    current: bool = False
    selected: bool = False
    focused: bool = False
    editable: bool = True
    movable: bool = True
    lifted: bool = False
    """Being dragged; its place is shown dimmed."""
    turn: int = 0
    """Rotation of the progress icon in degrees."""


class OperationDelegate(QStyledItemDelegate):
    """Draws one row."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._paint_cache = RowPaintCache(theme)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        row: OperationRow = index.data(StagedOperationsModel.RowRole)
        width = option.rect.width()
        return QSize(width, self._theme.px(ROW) + notes_height(self._theme, row, width))

    def zones(self, line: QRect, row: OperationRow, *, editable: bool, movable: bool) -> RowZones:
        staged = editable and not row.running
        return RowZones(self._theme, line, movable=staged and movable, removable=staged)

    def paint_row(self, painter: QPainter, card: QRect, row: OperationRow, pointing: Pointing) -> None:
        """Draw the whole row; expanded content is a widget on top of it."""
        theme, color = self._theme, self._paint_cache.color
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = QRect(card.left(), card.top(), card.width(), theme.px(ROW))
        ground = "selection" if pointing.selected else "hover" if pointing.hovered else "raised" if row.expanded else ""
        painter.fillRect(line, color(ground or "panel"))
        self._bands(painter, card, line, row)
        painter.fillRect(QRect(card.left(), card.bottom(), card.width(), 1), color("line"))
        if pointing.current:
            # The current row has a bar at its left, and a ring while the list has the keyboard.
            painter.fillRect(QRect(card.left(), line.top(), theme.px(3), line.height()), color("accent"))
        if pointing.current and pointing.focused:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(color("focus"), 2))
            painter.drawRect(QRectF(line).adjusted(1, 1, -1, -1))
        self._line(painter, line, row, pointing)
        painter.restore()

    def _bands(self, painter: QPainter, card: QRect, line: QRect, row: OperationRow) -> None:
        theme, top = self._theme, line.bottom() + 1
        notes = notes_of(row)
        if notes or row.expanded:
            painter.fillRect(QRect(card.left(), top - 1, card.width(), 1), self._paint_cache.color("line"))
        for note in notes:
            band = QRect(card.left(), top, card.width(), note_height(theme, note, card.width()))
            self._note(painter, band, note)
            top = band.bottom() + 1

    def note_at(self, card: QRect, row: OperationRow, y: int) -> RowNote | None:
        """The band below the line at this height."""
        top = card.top() + self._theme.px(ROW)
        for note in notes_of(row):
            bottom = top + note_height(self._theme, note, card.width())
            if top <= y < bottom:
                return note
            top = bottom
        return None

    def _note(self, painter: QPainter, band: QRect, note: RowNote) -> None:
        theme = self._theme
        if note.tone is NoteTone.REHEARSED:
            self._pieces(painter, band, note)
            return
        ground, ink, sign = {
            NoteTone.RISK: ("risk_surface", "risk", "warning"),
            NoteTone.ERROR: ("removed", "removed_ink", "error"),
            NoteTone.LOG: ("surface", "muted", ""),
        }[note.tone]
        painter.fillRect(band, self._paint_cache.color(ground))
        painter.setPen(self._paint_cache.color(ink))
        if note.tone is NoteTone.LOG:
            painter.setFont(self._paint_cache.font("code"))
            inner = band.adjusted(theme.px(14), theme.px(10), -theme.px(14), -theme.px(10))
            height = theme.px(18)
            metrics = self._paint_cache.metrics("code")
            for number, text in enumerate(note.text.split("\n")):
                place = QRect(inner.left(), inner.top() + number * height, inner.width(), height)
                painter.drawText(place, _LEFT, metrics.elidedText(text, Qt.TextElideMode.ElideRight, place.width()))
            return
        side = theme.px(14)
        mark = QRectF(band.left() + theme.px(12), band.top() + theme.px(7), side, side)
        self._paint_cache.icon(painter, sign, ink, mark)
        painter.setFont(self._paint_cache.font("ui"))
        inner = band.adjusted(theme.px(32), 0, -theme.px(16), 0)
        flags = _LEFT | wrapping(self._paint_cache.metrics("ui"), f"{note.text} {note.link}", inner.width())
        words = self._paint_cache.metrics("ui").horizontalAdvance(f"{note.text}  ")
        if not note.link or words + self._paint_cache.metrics("ui").horizontalAdvance(note.link) > inner.width():
            painter.drawText(inner, flags, f"{note.text}  {note.link}".rstrip())
            return
        painter.drawText(inner, flags, note.text)
        font = QFont(painter.font())
        font.setUnderline(True)
        painter.setFont(font)
        painter.drawText(inner.adjusted(words, 0, 0, 0), _LEFT, note.link)

    def _pieces(self, painter: QPainter, band: QRect, note: RowNote) -> None:
        metrics, left = self._paint_cache.metrics("code"), band.left() + self._theme.px(14)
        right = band.right() - self._theme.px(14)
        for words, token in note.pieces:
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(0, right - left))
            left = self._text(painter, QRect(left, band.top(), right - left + 2, band.height()), shown, "code", token)

    def _line(self, painter: QPainter, line: QRect, row: OperationRow, pointing: Pointing) -> None:
        zones = self.zones(line, row, editable=pointing.editable, movable=pointing.movable)
        if not zones.handle.isNull():
            token = "text" if pointing.zone is Zone.HANDLE else "muted"
            self._paint_cache.icon(painter, "drag", token, QRectF(zones.handle).adjusted(-3, 0, 3, 0))
        if row.running:
            self._result_sign(painter, QRectF(zones.box), row, pointing.turn)
        else:
            self._box(painter, QRectF(zones.box), row.viewed, hovered=pointing.zone is Zone.BOX)
        self._letter(painter, zones.tag, *wording.kind_letter(row.named))
        if not zones.remove.isNull():
            pointed = pointing.hovered or pointing.current
            hot = "text" if row.dropped else "removed_ink"
            token = hot if pointing.zone is Zone.REMOVE else "muted" if pointed or row.dropped else "line_strong"
            sign = "undo" if row.dropped else "cross"
            self._paint_cache.icon(painter, sign, token, QRectF(zones.remove).adjusted(3, 3, -3, -3))
        arrow = "chevron-down" if row.expanded else "chevron-right"
        token = "text" if pointing.zone is Zone.EXPANDER else "muted"
        self._paint_cache.icon(painter, arrow, token, QRectF(zones.expander).adjusted(3, 3, -3, -3))
        self._words(painter, zones.middle, row)

    def _box(self, painter: QPainter, box: QRectF, viewed: bool, *, hovered: bool) -> None:
        theme = self._theme
        shape = box.adjusted(1, 1, -1, -1)
        painter.setPen(QPen(self._paint_cache.color("accent" if viewed or hovered else "line_strong"), 1.2))
        painter.setBrush(self._paint_cache.color("accent") if viewed else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(shape, theme.px(4), theme.px(4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if viewed:
            self._paint_cache.icon(painter, "check", "accent_text", box.adjusted(2, 2, -2, -2))

    def _result_sign(self, painter: QPainter, place: QRectF, row: OperationRow, turn: int) -> None:
        status = row.result.status if row.result is not None else ResultStatus.PENDING
        if status is ResultStatus.ROLLED_BACK:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._paint_cache.color("risk_surface"))
            painter.drawEllipse(place)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            self._paint_cache.icon(painter, "undo", "risk", place.adjusted(3, 3, -3, -3))
        else:
            paint_status_mark(painter, self._theme, _MARKS.get(status, "waiting"), place, turn)

    def _letter(self, painter: QPainter, place: QRect, letter: str, token: str) -> None:
        painter.setFont(self._paint_cache.font("letter"))
        painter.setPen(self._paint_cache.color(token))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, letter)

    def _words(self, painter: QPainter, place: QRect, row: OperationRow) -> None:
        """From the right what must not be cut, then the path, then as much of the agent's reason as fits."""
        theme = self._theme
        left, right = place.left(), place.right()
        right = self._right_side(painter, place, right, row)
        folder, name = wording.subject(row.named)
        metrics = self._paint_cache.metrics("code")
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
            painter.fillRect(QRect(begin, place.center().y() + 1, left - begin, 1), self._paint_cache.color("muted"))
        words = wording.agent_reason(row.operation)
        left += theme.px(10)
        if words and right - left > theme.px(72) and row.operation.description != wording.title(row.operation):
            shown = self._paint_cache.metrics("words").elidedText(
                f"“{words}”", Qt.TextElideMode.ElideRight, right - left
            )
            self._text(painter, QRect(left, place.top(), right - left, place.height()), shown, "words", "muted")

    def _right_side(self, painter: QPainter, place: QRect, right: int, row: OperationRow) -> int:
        """Draw counts or the result, then flags. Returns their left edge."""
        theme = self._theme
        metrics = self._paint_cache.metrics("code")
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
            # The command has priority; its position is shown only if there is room.
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
        elif row.proved and (words := wording.proved_words(row.view, row.proved)):
            pieces.append((words, "muted"))
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
        width = self._paint_cache.metrics("tag").horizontalAdvance(word) + theme.px(14)
        chip = QRect(right - width, place.center().y() - theme.px(9), width, theme.px(20))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._paint_cache.color("info_surface"))
        painter.drawRoundedRect(chip, theme.px(6), theme.px(6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        self._text(painter, chip.adjusted(theme.px(7), 0, 0, 0), word, "tag", "link")
        return chip.left() - theme.px(4)

    def _flags(self, painter: QPainter, place: QRect, right: int, row: OperationRow) -> int:
        theme, flags = self._theme, row.view.flags
        telling = flags[1] if row.operation.is_run and len(flags) > 1 else flags[0]  # that a command runs code is plain
        words = wording.flag_title(row.view, telling)
        text = words + (f" +{len(flags) - 1}" if len(flags) > 1 else "")
        metrics = self._paint_cache.metrics("tag")
        side = theme.px(12)
        if place.width() < theme.px(360):
            text = str(len(flags))
        width = metrics.horizontalAdvance(text) + side + theme.px(18)
        chip = QRectF(right - width, place.center().y() - theme.px(9), width, theme.px(20))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._paint_cache.color("risk_surface"))
        painter.drawRoundedRect(chip, theme.px(6), theme.px(6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        sign = QRectF(chip.left() + theme.px(6), chip.center().y() - side / 2, side, side)
        self._paint_cache.icon(painter, "warning", "risk", sign)
        inner = chip.toRect().adjusted(side + theme.px(10), 0, 0, 0)
        self._text(painter, inner, text, "tag", "risk")
        return int(chip.left()) - theme.px(4)

    def _text(self, painter: QPainter, place: QRect, text: str, face: str, token: str) -> int:
        if not text:
            return place.left()
        painter.setFont(self._paint_cache.font(face))
        painter.setPen(self._paint_cache.color(token))
        painter.drawText(place, _LEFT | Qt.TextFlag.TextSingleLine, text)
        return place.left() + self._paint_cache.metrics(face).horizontalAdvance(text)


def paint_drop_line(painter: QPainter, theme: Theme, left: int, right: int, y: int) -> None:
    """Where a dragged operation would go."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.color("accent"), 2))
    painter.drawLine(QPointF(left + 6, y), QPointF(right, y))
    painter.drawEllipse(QPointF(left + 3, y), 3, 3)


_TURN_MS = 40
_MOST_TURNING = 200


class TurningRows(QObject):
    """Animates the progress icons of running rows; `paint` repaints one row."""

    def __init__(self, paint: Callable[[int], None], parent: QObject) -> None:
        super().__init__(parent)
        self._paint = paint
        self._rows: tuple[int, ...] = ()
        self.degrees = 0
        self._timer = QTimer(self, interval=_TURN_MS)
        self._timer.timeout.connect(self._turn)

    def follow(self, model: StagedOperationsModel, *, reduced_motion: bool) -> None:
        """Animate the rows that are under way now, unless motion is reduced."""
        self._rows = tuple(row for row in model.exceptional()[:_MOST_TURNING] if model.row(row).is_under_way)
        if not self._rows or reduced_motion:
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()

    def _turn(self) -> None:
        self.degrees = (self.degrees + 12) % 360
        for row in self._rows:
            self._paint(row)
