"""Runs as a timeline: newest first, day by day, each with how it ended and when."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from tandem_desktop.domain.execution import RunStatus
from tandem_desktop.orchestration.plan_runs import ListedRun
from tandem_desktop.ui.models.runs_model import RunsModel
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.status_mark import paint_status_mark
from tandem_desktop.ui.words import tr

_ROW, _DAY, _TIME = 56, 30, 48
_MARKS = {
    RunStatus.RUNNING: "running",
    RunStatus.COMPLETED: "done",
    RunStatus.FAILED: "failed",
    RunStatus.CANCELLED: "skipped",
    RunStatus.INTERRUPTED: "failed",
    RunStatus.UNDONE: "skipped",
}


class RunsTimeline(QListView):
    """Letters and Enter are wishes; what they lead to is for others."""

    entered_row = Signal()
    undo_pressed = Signal()
    back_pressed = Signal()

    def __init__(self, theme: Theme, model: RunsModel) -> None:
        super().__init__()
        self.single_letters = True
        self.setObjectName("runs-list")
        self.setAccessibleName(tr("Runs"))
        self.setModel(model)
        self.setItemDelegate(_RunDelegate(theme, self))
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.doubleClicked.connect(self.entered_row)
        theme.changed.connect(self.scheduleDelayedItemsLayout)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_row.emit()
        elif self.single_letters and event.text() == "u":
            self.undo_pressed.emit()
        elif self.single_letters and event.text() == "b":
            self.back_pressed.emit()
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Letters are commands here."""


class _RunDelegate(QStyledItemDelegate):
    """A heading where a day begins; then a mark on a line through all of them, what was run, and how it ended."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, self._theme.px(_ROW + (_DAY if index.data(RunsModel.DayRole) else 0)))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme, px = self._theme, self._theme.px
        place: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = place.left() + px(24)
        is_first, is_last = index.row() == 0, index.row() == index.model().rowCount() - 1
        day = index.data(RunsModel.DayRole)
        top = place.top()
        if day:
            painter.setFont(theme.ui_font(-2, bold=True))
            painter.setPen(theme.color("muted"))
            words = QRect(place.left() + px(14 if is_first else 44), top, place.width() - px(56), px(_DAY))
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, day)
            top += px(_DAY)
        middle = top + px(_ROW) / 2
        painter.setPen(QPen(theme.color("line"), 2))
        painter.drawLine(
            QPointF(line, middle if is_first else place.top()), QPointF(line, middle if is_last else place.bottom() + 1)
        )
        self._card(painter, QRect(place.left() + px(44), top, place.width() - px(56), px(_ROW)), option.state, index)
        run: ListedRun = index.data(RunsModel.RunRole)
        side = px(16)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("panel"))
        painter.drawEllipse(QPointF(line, middle), side / 2 + px(3), side / 2 + px(3))
        paint_status_mark(painter, theme, _MARKS[run.status], QRectF(line - side / 2, middle - side / 2, side, side))
        painter.restore()

    def _card(
        self, painter: QPainter, room: QRect, state: QStyle.StateFlag, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme, px = self._theme, self._theme.px
        card = room.adjusted(0, px(4), 0, -px(4))
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        current = bool(state & QStyle.StateFlag.State_Selected)
        painter.setBrush(theme.color("raised" if current else "panel"))
        edge = "focus" if focused else "line_strong" if current else "line"
        painter.setPen(QPen(theme.color(edge), 2 if focused else 1))
        painter.drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), px(8), px(8))
        left, middle, right = card.left() + px(14), card.center().y(), card.right() - px(14)
        small = theme.ui_font(-1)
        painter.setFont(small)
        painter.setPen(theme.color("muted"))
        time = QRect(right - px(_TIME), middle - px(19), px(_TIME), px(18))
        painter.drawText(
            time, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, index.data(RunsModel.TimeRole)
        )
        for text, font, token, top, width in (
            (index.data(), theme.ui_font(bold=True), "text", middle - px(19), time.left() - left - px(8)),
            (index.data(RunsModel.DetailRole), small, "muted", middle + px(1), right - left),
        ):
            painter.setFont(font)
            painter.setPen(theme.color(token))
            shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, width)
            painter.drawText(QRect(left, top, width, px(18)), Qt.AlignmentFlag.AlignVCenter, shown)
