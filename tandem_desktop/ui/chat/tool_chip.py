"""The tool call chip."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QVBoxLayout, QWidget

from tandem_desktop.ui.chat.code_block import CodeView
from tandem_desktop.ui.chat.entry_widget import EntryWidget
from tandem_desktop.ui.chat.tool_text import ChipMark, ChipWords, chip_words
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.models.transcript import TranscriptRow
from tandem_desktop.ui.theme.style import pixmap
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.labels import plain_tooltip

_ICONS = {
    ChipMark.WORKING: ("clock", "muted"),
    ChipMark.DONE: ("check", "muted"),
    ChipMark.STAGED: ("plan", "muted"),
    ChipMark.FAILED: ("cross", "removed_ink"),
}
_TALLEST_OUTPUT = 240
_SHOWN_OUTPUT = 100_000
_MIDDLE, _END = Qt.TextElideMode.ElideMiddle, Qt.TextElideMode.ElideRight


class ChipLine(QAbstractButton):
    """The line of a tool call. A click on the file name opens the file; elsewhere it unfolds the output."""

    file_activated = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = ChipWords(ChipMark.DONE, "", "")
        self._subject_place = QRect()
        self.setObjectName("tool-chip")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_words(self, words: ChipWords) -> None:
        self._words = words
        self.setCheckable(bool(words.output))
        self.setAccessibleName(words.sentence())
        self.setToolTip(plain_tooltip(words.subject))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(160), self._theme.px(30))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        on_file = bool(self._words.path) and self._subject_place.contains(event.position().toPoint())
        points = on_file or self.isCheckable()
        self.setCursor(Qt.CursorShape.PointingHandCursor if points else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._words.path and self._subject_place.contains(event.position().toPoint()):
            self.setDown(False)
            self.file_activated.emit(self._words.path)
            return
        super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._words.path:
                self.file_activated.emit(self._words.path)
            else:
                self.click()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, words = self._theme, self._words
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = "focus" if self.hasFocus() else "line"
        painter.setPen(QPen(theme.color(edge), 1))
        painter.setBrush(theme.color("hover" if self.underMouse() and self.isCheckable() else "panel"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.px(8), theme.px(8))
        name, token = _ICONS[words.mark]
        side, gap = theme.px(14), theme.px(7)
        x = theme.px(10)
        ratio = self.devicePixelRatioF()
        painter.drawPixmap(x, (self.height() - side) // 2, pixmap(theme, name, token, 14, ratio))
        x += side + theme.px(5)
        right = self.width() - theme.px(10)
        if self.isCheckable():
            chevron = "chevron-down" if self.isChecked() else "chevron-right"
            right -= side
            painter.drawPixmap(right, (self.height() - side) // 2, pixmap(theme, chevron, "muted", 14, ratio))
            right -= gap
        x = self._draw(painter, words.verb, theme.ui_font(-1), token, x, right) + gap
        tail = [(f"+{words.added:,}", theme.code_font(), "added_ink")] if words.added else []
        tail += [(f"−{words.removed:,}", theme.code_font(), "removed_ink")] if words.removed else []
        tail += [(words.more, theme.ui_font(-1), "muted")] if words.more else []
        room = right - x - sum(QFontMetrics(font).horizontalAdvance(text) + gap for text, font, _ in tail)
        start = x
        face, cut = (theme.ui_font(-1), _END) if words.is_prose else (theme.code_font(), _MIDDLE)
        x = self._draw(painter, words.subject, face, "text", x, x + max(room, theme.px(40)), cut)
        self._subject_place = QRect(start, 0, x - start, self.height())
        for text, font, ink in tail:
            x = self._draw(painter, text, font, ink, x + gap, right)

    def _draw(
        self,
        painter: QPainter,
        text: str,
        font: QFont,
        token: str,
        x: int,
        right: int,
        cut: Qt.TextElideMode = _MIDDLE,
    ) -> int:
        """Draw from `x`, elided at `right`; returns where it ended."""
        metrics = QFontMetrics(font)
        fitting = metrics.elidedText(text, cut, max(right - x, 0))
        painter.setFont(font)
        painter.setPen(self._theme.color(token))
        width = metrics.horizontalAdvance(fitting)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRect(x, 0, width + 2, self.height()), flags, fitting)
        return x + width


class ToolChip(EntryWidget):
    """A tool call with its output folded below."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.line = ChipLine(theme)
        self.line.file_activated.connect(self.file_activated)
        self.line.toggled.connect(self._toggle)
        self._output: CodeView | None = None
        self._text = ""
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(4))
        layout.addWidget(self.line)

    def set_row(self, row: TranscriptRow) -> None:
        words = chip_words(row.calls, is_allowed=bool(row.last.answer))
        self._text = words.output
        self.line.set_words(words)
        if self._output is not None and words.output:
            self._fill(self._output)

    def set_open(self, is_open: bool) -> None:
        if self.line.isCheckable():
            self.line.setChecked(is_open)

    def _toggle(self, is_open: bool) -> None:
        if is_open and self._output is None:
            self._output = CodeView(self.theme, tallest=_TALLEST_OUTPUT)
            self._output.setObjectName("tool-output")
            self._output.setAccessibleName(tr("Output"))
            self._fill(self._output)
            holder = QVBoxLayout()
            holder.setContentsMargins(self.theme.px(12), 0, self.theme.px(12), self.theme.px(4))
            holder.addWidget(self._output)
            layout = self.layout()
            assert isinstance(layout, QVBoxLayout)
            layout.addLayout(holder)
        if self._output is not None:
            self._output.setVisible(is_open)
        self.opened.emit(is_open)

    def _fill(self, view: CodeView) -> None:
        text = self._text.rstrip("\n")
        if len(text) > _SHOWN_OUTPUT:
            left_out = len(text) - _SHOWN_OUTPUT
            before = tr_n(
                "… {n} character before this is not shown here",
                "… {n} characters before this are not shown here",
                left_out,
            )
            text = f"{before}\n{text[-_SHOWN_OUTPUT:]}"
        view.set_code(text)
