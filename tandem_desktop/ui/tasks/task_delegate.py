"""Paint one task as a card with its state in words, and one operation as a line below it."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from tandem_desktop.domain.execution import ResultStatus
from tandem_desktop.domain.tasks import PlanTask, TaskStatus
from tandem_desktop.ui.models.task_tree_model import OperationEntry, TaskEntry, TaskTreeModel
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.inks import Inks
from tandem_desktop.ui.tasks import task_words
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.badge import TONES
from tandem_desktop.ui.widgets.status_mark import paint_status_mark
from tandem_desktop.ui.words import tr

_TASK, _REMARK, _GROUP, _OPERATION = 60, 20, 32, 30
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RESULT_INKS = {ResultStatus.FAILED: "removed_ink", ResultStatus.ROLLED_BACK: "risk", ResultStatus.SKIPPED: "risk"}


class TaskDelegate(QStyledItemDelegate):
    """Draws; decides nothing. `turn` moves the mark of what is under way."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._inks = Inks(theme)
        self.turn = 0

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        entry = index.data(TaskTreeModel.EntryRole)
        if isinstance(entry, OperationEntry):
            return QSize(0, self._theme.px(_OPERATION))
        if entry.task is None:
            return QSize(0, self._theme.px(_GROUP))
        return QSize(0, self._theme.px(_TASK + (_REMARK if entry.remark else 0) + 8))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        entry = index.data(TaskTreeModel.EntryRole)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(entry, OperationEntry):
            self._operation(painter, option.rect, option.state, entry)
        elif entry.task is None:
            self._group(painter, option.rect, entry)
        else:
            self._task(painter, option.rect, option.state, entry, entry.task)
        painter.restore()

    def _task(self, painter: QPainter, place: QRect, state: QStyle.StateFlag, entry: TaskEntry, task: PlanTask) -> None:
        px = self._theme.px
        card = place.adjusted(px(12), px(4), -px(12), -px(4))
        self._card(painter, card, state)
        is_open = bool(state & QStyle.StateFlag.State_Open)
        has_more = bool(state & QStyle.StateFlag.State_Children)
        middle = card.top() + px(_TASK) // 2
        if has_more:
            arrow = QRectF(card.left() + px(8), middle - px(7), px(14), px(14))
            self._inks.icon(painter, "chevron-down" if is_open else "chevron-right", "muted", arrow)
        mark = QRectF(card.left() + px(28), middle - px(9), px(18), px(18))
        paint_status_mark(painter, self._theme, task_words.MARKS[task.status], mark, self.turn)
        right = self._badge(painter, card.right() - px(12), card.top() + px(10), task)
        left = card.left() + px(56)
        room = QRect(left, card.top() + px(10), right - left - px(8), px(20))
        self._text(painter, room, task_words.subject(task), "title", "text")
        room = QRect(left, card.top() + px(32), card.right() - px(12) - left, px(18))
        self._text(painter, room, entry.facts, "small", "muted")
        if entry.remark:
            ink = {TaskStatus.FAILED: "removed_ink", TaskStatus.SKIPPED: "risk"}.get(task.status, "muted")
            self._text(painter, room.translated(0, px(_REMARK)), entry.remark, "small", ink)
        if task.status is TaskStatus.IN_PROGRESS and task.progress:
            self._progress(painter, card, task.progress)

    def _card(self, painter: QPainter, card: QRect, state: QStyle.StateFlag) -> None:
        current = bool(state & QStyle.StateFlag.State_Selected)
        focused = current and bool(state & QStyle.StateFlag.State_HasFocus)
        painter.setBrush(self._inks.color("raised" if current else "panel"))
        edge = "focus" if focused else "line_strong" if current else "line"
        painter.setPen(QPen(self._inks.color(edge), 2 if focused else 1))
        corner = self._theme.px(8)
        painter.drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), corner, corner)

    def _badge(self, painter: QPainter, right: int, top: int, task: PlanTask) -> int:
        """The state in a word, as everywhere; its left edge."""
        px, words = self._theme.px, task_words.status_word(task)
        ground, ink = TONES[task_words.TONES[task.status]]
        width = self._inks.metrics("tag").horizontalAdvance(words) + 2 * px(8)
        box = QRect(right - width, top, width, px(20))
        painter.setPen(self._inks.color("line") if ground == "raised" else Qt.PenStyle.NoPen)
        painter.setBrush(self._inks.color(ground))
        painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), px(5), px(5))
        painter.setFont(self._inks.font("tag"))
        painter.setPen(self._inks.color(ink))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        return box.left()

    def _progress(self, painter: QPainter, card: QRect, percent: int) -> None:
        px = self._theme.px
        room = QRectF(card.left() + px(8), card.bottom() - px(3), card.width() - px(16), px(2))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._inks.color("line"))
        painter.drawRect(room)
        painter.setBrush(self._inks.color("accent"))
        painter.drawRect(QRectF(room.left(), room.top(), room.width() * percent / 100, room.height()))

    def _group(self, painter: QPainter, place: QRect, entry: TaskEntry) -> None:
        px = self._theme.px
        room = place.adjusted(px(20), 0, -px(20), 0)
        self._text(painter, room, tr("Operations of no task · {facts}", facts=entry.facts), "small", "muted")

    def _operation(self, painter: QPainter, place: QRect, state: QStyle.StateFlag, entry: OperationEntry) -> None:
        px, operation = self._theme.px, entry.view.operation
        line = place.adjusted(px(56), px(1), -px(12), -px(1))
        current = bool(state & QStyle.StateFlag.State_Selected)
        if current:
            focused = bool(state & QStyle.StateFlag.State_HasFocus)
            painter.setPen(QPen(self._inks.color("focus" if focused else "line_strong"), 2 if focused else 1))
            painter.setBrush(self._inks.color("raised"))
            painter.drawRoundedRect(QRectF(line).adjusted(1, 1, -1, -1), px(6), px(6))
        left, right, middle = line.left() + px(10), line.right() - px(10), line.center().y()
        if entry.has_run:
            mark = QRectF(left, middle - px(7), px(14), px(14))
            paint_status_mark(painter, self._theme, task_words.RESULT_MARKS[entry.status], mark, self.turn)
            left += px(22)
            words = task_words.result_word(entry.status)
            width = self._inks.metrics("words").horizontalAdvance(words)
            self._text(
                painter,
                QRect(right - width, line.top(), width + 1, line.height()),
                words,
                "words",
                _RESULT_INKS.get(entry.status, "muted"),
            )
            right -= width + px(10)
        kind = wording.kind_word(operation)
        tag = QRect(left, middle - px(9), px(48), px(18))
        painter.setPen(self._inks.color("line"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(tag).adjusted(0.5, 0.5, -0.5, -0.5), px(4), px(4))
        painter.setFont(self._inks.font("tag"))
        painter.setPen(self._inks.color("muted"))
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, kind)
        left += px(58)
        folder, name = wording.subject(operation)
        self._text(painter, QRect(left, line.top(), right - left, line.height()), f"{folder}{name}", "code", "text")

    def _text(self, painter: QPainter, room: QRect, text: str, face: str, token: str) -> None:
        font = {"title": self._theme.ui_font(bold=True), "small": self._theme.ui_font(-1)}.get(face)
        painter.setFont(font or self._inks.font(face))
        painter.setPen(self._inks.color(token))
        mode = Qt.TextElideMode.ElideMiddle if face == "code" else Qt.TextElideMode.ElideRight
        painter.drawText(room, _LEFT, painter.fontMetrics().elidedText(text, mode, room.width()))
