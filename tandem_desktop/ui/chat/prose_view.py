"""A read-only text view that loads nothing."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QTextCursor,
    QTextDocument,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QWidget

from tandem_desktop.ui.chat.markdown import FILE_LINK, ProseWriter, TextBlock, paint_bullets
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.labels import plain_tooltip


class SafeDocument(QTextDocument):
    """A document that loads no resources: no images, styles, files or addresses."""

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        return None


class ProseView(QTextEdit):
    """Shows blocks of prose at their full height. Only blocks after the first change are rewritten."""

    link_activated = Signal(str)
    file_activated = Signal(str)

    def __init__(self, theme: Theme, ink: str = "text", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._ink = ink
        self._blocks: tuple[TextBlock, ...] = ()
        self._starts: list[int] = []
        self._measured: tuple[int, int] = (-1, 0)
        document = SafeDocument(self)
        document.setDocumentMargin(0)
        document.setUndoRedoEnabled(False)
        document.setDefaultFont(theme.ui_font())
        document.setIndentWidth(theme.px(20))
        document.contentsChanged.connect(self._forget_measure)
        self.setDocument(document)
        self.setProperty("role", "bare")
        self.setObjectName("chat-prose")
        self.setReadOnly(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.viewport().setAutoFillBackground(False)
        self.viewport().setMouseTracking(True)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_blocks(self, blocks: Sequence[TextBlock]) -> None:
        """Show these blocks; rewrites from the first one that differs."""
        same = 0
        while same < min(len(blocks), len(self._blocks)) and blocks[same] is self._blocks[same]:
            same += 1
        self._cut(same)
        writing = QTextCursor(self.document())
        writing.beginEditBlock()  # lay out once, not after each insertion
        writer = ProseWriter(self._theme, self.document(), self._ink)
        for block in blocks[same:]:
            self._starts.append(writer.write(block))
        writing.endEditBlock()
        self._blocks = tuple(blocks)
        self._name_it()

    def set_plain(self, text: str) -> None:
        """Show plain text."""
        self._cut(0)
        self._blocks = ()
        ProseWriter(self._theme, self.document(), self._ink).write_plain(text)
        self._name_it()

    def ideal_width(self) -> int:
        """The width of the text without wrapping."""
        return self._at_width(-1, lambda: math.ceil(self.document().idealWidth()))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if self._measured[0] != width:
            self._measured = (width, self._at_width(width, lambda: math.ceil(self.document().size().height())))
        return self._measured[1]

    def sizeHint(self) -> QSize:
        width = max(self.width(), self._theme.px(120))
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(40), self._theme.px(16))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        paint_bullets(self, self._theme, self._theme.color(self._ink), event.rect())

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # pass the wheel on to the conversation

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        target = self.anchorAt(event.position().toPoint())
        if target and event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self._follow(target)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        target = self.anchorAt(event.position().toPoint())
        shape = Qt.CursorShape.PointingHandCursor if target else Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape)
        self.setToolTip(plain_tooltip(target.removeprefix(FILE_LINK)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        form = self.textCursor().charFormat()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and form.isAnchor():
            self._follow(form.anchorHref())
            return
        super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.moveCursor(QTextCursor.MoveOperation.Start)
            self._select_link(forward=event.reason() == Qt.FocusReason.TabFocusReason)

    def focusNextPrevChild(self, forward: bool) -> bool:
        return self._select_link(forward) or super().focusNextPrevChild(forward)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason and self.textCursor().hasSelection():
            cursor = self.textCursor()
            cursor.clearSelection()
            self.setTextCursor(cursor)

    def _select_link(self, forward: bool) -> bool:
        """Select the next or previous link; returns whether there is one."""
        links, cursor = self._links(), self.textCursor()
        if forward:
            here = cursor.selectionEnd() if cursor.hasSelection() else -1
            ahead = [link for link in links if link[0] >= here]
        else:
            here = cursor.selectionStart() if cursor.hasSelection() else self.document().characterCount()
            ahead = [link for link in reversed(links) if link[1] <= here]
        if not ahead:
            return False
        cursor.setPosition(ahead[0][0])
        cursor.setPosition(ahead[0][1], QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        return True

    def _links(self) -> list[tuple[int, int]]:
        """Start and end of each link."""
        found: list[tuple[int, int, str]] = []
        block = self.document().begin()
        while block.isValid():
            pieces = block.begin()
            while not pieces.atEnd():
                piece = pieces.fragment()
                target = piece.charFormat().anchorHref() if piece.charFormat().isAnchor() else ""
                if target and found and found[-1][1:] == (piece.position(), target):
                    found[-1] = (found[-1][0], piece.position() + piece.length(), target)
                elif target:
                    found.append((piece.position(), piece.position() + piece.length(), target))
                pieces += 1
            block = block.next()
        return [(start, end) for start, end, _ in found]

    def _follow(self, target: str) -> None:
        if target.startswith(FILE_LINK):
            self.file_activated.emit(target.removeprefix(FILE_LINK))
        else:
            self.link_activated.emit(target)

    def _cut(self, kept: int) -> None:
        if kept == 0:
            self.document().clear()
        elif kept < len(self._starts):
            cursor = QTextCursor(self.document())
            cursor.setPosition(self._starts[kept])
            cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
        del self._starts[kept:]

    def _name_it(self) -> None:
        self.setAccessibleName(self.toPlainText()[:200])
        links = any(
            token.type == "link_open"
            for block in self._blocks
            for part in block.tokens
            for token in part.children or ()
        )
        # Only a text with links is in the tab order.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if links else Qt.FocusPolicy.ClickFocus)
        if not self.hasFocus():
            self.moveCursor(QTextCursor.MoveOperation.Start)
        self.updateGeometry()

    def _at_width(self, width: int, measure: Callable[[], int]) -> int:
        """Measure at another width, with signals blocked: the view would reset the width."""
        document, layout = self.document(), self.document().documentLayout()
        before, was_blocked = document.textWidth(), layout.blockSignals(True)
        try:
            document.setTextWidth(width)
            return measure()
        finally:
            if self.isVisible():
                document.setTextWidth(before)  # otherwise the width is set on layout
            layout.blockSignals(was_blocked)

    def _forget_measure(self) -> None:
        self._measured = (-1, 0)
