"""The message composer."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMimeData, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QDragEnterEvent,
    QDragMoveEvent,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from tandem_desktop.diff.text import visible_line
from tandem_desktop.domain.agent_protocol import AgentOption, Attachment, UsageReported
from tandem_desktop.ui.chat.completion import (
    SOURCE_WORDS,
    WINDOW_COMMANDS,
    ChatCommand,
    CommandSource,
    CompletionItem,
    CompletionPopup,
    command_being_typed,
    file_being_typed,
    matching,
    mention,
    mentions,
)
from tandem_desktop.ui.i18n import later, tr, tr_marked
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.threads import Commands
from tandem_desktop.ui.widgets.buttons import IconButton
from tandem_desktop.ui.widgets.chips import Chip
from tandem_desktop.ui.widgets.labels import announce, plain_label, plain_tooltip

_MOST_LINES = 12
_PLACEHOLDERS = (
    later("Ask for a change, / for commands, @ for files"),
    later("Ask for a change, / commands, @ files"),
    later("Ask for a change"),
)


_CONTROL, _ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
_READLINE = {
    (_CONTROL, Qt.Key.Key_E): (QTextCursor.MoveOperation.EndOfBlock, False),
    (_CONTROL, Qt.Key.Key_K): (QTextCursor.MoveOperation.EndOfBlock, True),
    (_CONTROL, Qt.Key.Key_U): (QTextCursor.MoveOperation.StartOfBlock, True),
    (_CONTROL, Qt.Key.Key_W): (QTextCursor.MoveOperation.PreviousWord, True),
    (_ALT, Qt.Key.Key_B): (QTextCursor.MoveOperation.PreviousWord, False),
    (_ALT, Qt.Key.Key_F): (QTextCursor.MoveOperation.NextWord, False),
    (_ALT, Qt.Key.Key_D): (QTextCursor.MoveOperation.NextWord, True),
}
"""Cursor movement and whether it deletes. Ctrl+A is not listed: it selects all, as elsewhere on the desktop."""


class ComposerEdit(QPlainTextEdit):
    """The message field; turns keys, pastes and drops into signals."""

    submitted = Signal()
    escaped = Signal()
    recalled = Signal()
    """Up in an empty field: recall the last message."""
    implement_requested = Signal()
    """Ctrl+Enter in an empty field."""
    focus_moved = Signal()
    """The field got the keyboard, or lost it."""
    files_given = Signal(object)
    """A tuple of paths, pasted or dropped."""
    image_given = Signal(QImage)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.popup: CompletionPopup | None = None
        self.setObjectName("composer-text")
        self.setAccessibleName(tr("Message"))
        self.setProperty("role", "bare")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        theme.changed.connect(self._grow)
        self._grow()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(200), self._wanted_height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = event.key(), event.modifiers()
        if self.popup is not None and not modifiers and self.popup.take(key):
            return
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if modifiers & Qt.KeyboardModifier.ShiftModifier:
                self.insertPlainText("\n")
            elif not modifiers & ~Qt.KeyboardModifier.KeypadModifier:
                self.submitted.emit()
            elif modifiers & Qt.KeyboardModifier.ControlModifier and not self.toPlainText().strip():
                if not event.isAutoRepeat():
                    self.implement_requested.emit()
            else:
                event.ignore()
            return
        if key == Qt.Key.Key_Escape:
            self.escaped.emit()
            return
        if key == Qt.Key.Key_Up and not modifiers & ~Qt.KeyboardModifier.KeypadModifier and not self.toPlainText():
            self.recalled.emit()
            return
        if (way := _READLINE.get((modifiers, Qt.Key(key)))) is not None:
            self._edit_as_in_a_shell(*way)
            return
        super().keyPressEvent(event)

    def _edit_as_in_a_shell(self, move: QTextCursor.MoveOperation, deletes: bool) -> None:
        cursor = self.textCursor()
        if not (deletes and cursor.hasSelection()):
            keep = QTextCursor.MoveMode.KeepAnchor if deletes else QTextCursor.MoveMode.MoveAnchor
            cursor.movePosition(move, keep)
        if deletes:
            cursor.removeSelectedText()
        self.setTextCursor(cursor)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_moved.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_moved.emit()

    def focusNextPrevChild(self, forward: bool) -> bool:
        # While completions are shown, Tab accepts one.
        chooses = forward and self.popup is not None and not self.popup.isHidden()
        return not chooses and super().focusNextPrevChild(forward)

    def set_text(self, text: str) -> None:
        """Replace the text as one undoable edit and move the cursor to the end."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.setTextCursor(cursor)

    def before_cursor(self) -> str:
        cursor = self.textCursor()
        return self.toPlainText()[: cursor.position()]

    def replace_before_cursor(self, length: int, text: str) -> None:
        """Replace the last `length` characters before the cursor."""
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, length)
        cursor.insertText(text)
        self.setTextCursor(cursor)

    def insert_words(self, words: str) -> None:
        """Insert text at the cursor, separated by spaces."""
        before = self.before_cursor()
        space = "" if not before or before[-1].isspace() else " "
        self.insertPlainText(f"{space}{words} ")

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasUrls() or source.hasImage() or source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        paths = tuple(url.toLocalFile() for url in source.urls() if url.isLocalFile())
        if paths:
            self.files_given.emit(paths)
        elif source.hasImage() and not source.hasText():
            self.image_given.emit(QImage(source.imageData()))
        elif source.hasText():
            self.insertPlainText(source.text())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.canInsertFromMimeData(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.acceptProposedAction()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # A wrapped placeholder would be clipped in a one-line field.
        room = self.viewport().width()
        fitting = (
            words for words in map(tr_marked, _PLACEHOLDERS) if self.fontMetrics().horizontalAdvance(words) < room
        )
        self.setPlaceholderText(next(fitting, ""))
        self._grow()

    def _wanted_height(self) -> int:
        line = self.fontMetrics().lineSpacing()
        lines = max(1, min(int(self.document().size().height()), _MOST_LINES))
        return lines * line + self._theme.px(4)

    def _grow(self) -> None:
        height = self._wanted_height()
        if height != self.height():
            self.setFixedHeight(height)
        whole = int(self.document().size().height()) <= _MOST_LINES
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if whole else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setVerticalScrollBarPolicy(policy)


_MOST = 8
_LONGEST_SIDE = 2000
"""Larger pictures are scaled down: agents do it anyway, and messages have a size limit."""


class Pictures(QWidget):
    """The attached pictures, as removable chips."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._kept: list[tuple[Chip, Attachment]] = []
        self.setObjectName("composer-pictures")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, theme.px(6))
        self._row.setSpacing(theme.px(6))
        self._row.addStretch(1)
        self.hide()

    def add(self, image: QImage) -> bool:
        """Attach a picture; False if there are too many or it cannot be encoded."""
        if image.isNull() or len(self._kept) >= _MOST:
            return False
        words = tr("Picture {width} × {height}", width=image.width(), height=image.height())
        chip = Chip(self._theme, words, "image", removable=True)
        chip.setObjectName(f"picture-{len(self._kept) + 1}")
        kept = (chip, Attachment(mime_type="image/png", data=_as_png(image)))
        chip.removed.connect(lambda: self._remove(kept))
        self._kept.append(kept)
        self._row.insertWidget(self._row.count() - 1, chip)
        self.show()
        announce(self, tr("{words} goes with the next message", words=words))
        return True

    def take(self) -> tuple[Attachment, ...]:
        """Remove and return the attached pictures."""
        pictures = tuple(picture for _, picture in self._kept)
        for kept in tuple(self._kept):
            self._remove(kept)
        return pictures

    def _remove(self, kept: tuple[Chip, Attachment]) -> None:
        self._kept.remove(kept)
        self._row.removeWidget(kept[0])
        kept[0].hide()
        kept[0].deleteLater()
        self.setVisible(bool(self._kept))


def _as_png(image: QImage) -> bytes:
    if max(image.width(), image.height()) > _LONGEST_SIDE:
        keep, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        image = image.scaled(_LONGEST_SIDE, _LONGEST_SIDE, keep, smooth)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stub knows bytes here, Qt wants words
    return bytes(buffer.data().data())


FindFiles = Callable[[str], "Future[tuple[str, ...]] | tuple[str, ...]"]
_NEARLY_FULL = 0.85
_MIDDLE = Qt.TextElideMode.ElideMiddle
_PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp")


class Composer(QFrame):
    """The message field with its buttons. `ChatPane` decides whether a message is sent, queued or run."""

    submitted = Signal(str)
    stop_requested = Signal()
    recalled = Signal()
    implement_requested = Signal()
    """Ctrl+Enter in an empty field."""
    model_requested = Signal()
    """Open the page of the built-in agent's model."""
    option_chosen = Signal(str, str)
    """An option of the agent, such as its model, and the value."""
    refused = Signal(str)
    """Why something cannot be attached."""

    def __init__(self, theme: Theme, popup_parent: QWidget | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._root: Path | None = None
        self._commands: tuple[ChatCommand, ...] = WINDOW_COMMANDS
        self._find: FindFiles | None = None
        self._asked = 0
        self._answers = Commands(self)
        self._works = False
        self._options: tuple[AgentOption, ...] = ()
        self.setObjectName("composer")
        self.edit = ComposerEdit(theme)
        self.pictures = Pictures(theme)
        self._popup = CompletionPopup(theme, popup_parent or self)
        self._popup.chosen.connect(self._choose)
        self.edit.popup = self._popup
        self._editing = plain_label(tr("Editing an earlier message: it is sent as a new one"), "small")
        self._editing.setObjectName("composer-editing")
        self._editing.hide()
        self._usage = QLabel()
        self._usage.setTextFormat(Qt.TextFormat.PlainText)
        self._usage.setObjectName("composer-usage")
        self._usage.setProperty("role", "code-muted")
        self._send = IconButton(theme, "send", tr("Send"), key="Enter", filled=True, size=28)
        self._send.setObjectName("composer-send")
        self._send.clicked.connect(self._send_or_stop)
        self._lay_out()
        self.edit.submitted.connect(self._submit)
        self.edit.escaped.connect(self._escape)
        self.edit.recalled.connect(self.recalled)
        self.edit.implement_requested.connect(self.implement_requested)
        self.edit.files_given.connect(lambda paths: self.edit.insert_words(mentions(paths, self._root)))
        self.edit.image_given.connect(self._add_picture)
        self.edit.focus_moved.connect(self.update)  # the ring is painted by the composer
        self.edit.textChanged.connect(self._text_changed)
        self.edit.cursorPositionChanged.connect(self._complete)
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def text(self) -> str:
        return self.edit.toPlainText()

    @property
    def popup(self) -> CompletionPopup:
        return self._popup

    def set_text(self, text: str, *, is_edit: bool = False) -> None:
        """Set the text and focus the field."""
        self.edit.set_text(text)
        self._editing.setVisible(is_edit)
        self.edit.setFocus()

    def set_draft(self, text: str) -> None:
        """Restore an unsent message without changing the focus."""
        if text != self.text:
            self.edit.set_text(text)
            self._popup.hide()
        self._editing.hide()

    def type_on(self, text: str) -> None:
        """Insert characters that were typed elsewhere."""
        self.edit.setFocus()
        self.edit.insertPlainText(text)

    def clear(self) -> None:
        self.edit.set_text("")
        self._editing.hide()

    def set_commands(self, commands: Sequence[ChatCommand]) -> None:
        self._commands = tuple(commands)

    def set_files(self, root: Path | None, find: FindFiles | None) -> None:
        """Set where @ searches; `find` may answer later, from any thread."""
        self._root, self._find = root, find

    def set_working(self, works: bool) -> None:
        self._works = works
        self._text_changed()

    def set_options(self, options: Sequence[AgentOption], model: str | None = None) -> None:
        """What can be chosen of the agent; `model` is that of the built-in agent, which has a page: empty for none."""
        self._options = tuple(options)
        chosen = self._options[0].shown if self._options else model
        self._model.setText(self.fontMetrics().elidedText(chosen or tr("Add a model…"), _MIDDLE, self._theme.px(180)))
        self._model.setAccessibleName(tr("Model: {model}", model=chosen) if chosen else tr("Add a model…"))
        self._model.setToolTip(plain_tooltip(chosen or ""))
        self._model.setVisible(bool(self._options) or model is not None)

    def _offer_options(self) -> None:
        if not self._options:
            self.model_requested.emit()
            return
        menu = QMenu(self)
        menu.setObjectName("option-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for option in self._options:
            menu.addSection(visible_line(option.name))
            group = QActionGroup(menu)
            for each in option.values:
                action = QAction(visible_line(each.name).replace("&", "&&"), group)
                action.setCheckable(True)
                action.setChecked(each.value == option.current)
                action.triggered.connect(
                    lambda checked=False, at=option.id, value=each.value: self.option_chosen.emit(at, value)
                )
                menu.addAction(action)
        menu.popup(self._model.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def set_usage(self, usage: UsageReported | None) -> None:
        """Show the agent's token usage and cost; None hides it."""
        self._usage.setText(usage_words(usage))
        full = usage is not None and usage.size > 0 and usage.used >= usage.size * _NEARLY_FULL
        self._usage.setProperty("role", "risk" if full else "code-muted")
        self._usage.style().polish(self._usage)
        self._usage.setToolTip(plain_tooltip(_context_words(usage, full=full)))
        self._usage.setAccessibleName(self._usage.text())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.edit.setFocus()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.edit.setFocus()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = self.edit.hasFocus()
        painter.setPen(QPen(self._theme.color("focus" if focused else "line"), 1))
        painter.setBrush(self._theme.color("panel"))
        frame = self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(frame, self._theme.px(12), self._theme.px(12))
        painter.end()

    def _lay_out(self) -> None:
        theme = self._theme
        plan = self._hint("/plan", tr("Turn Plan mode on or off"))
        attach = self._hint(tr("Attach…"), tr("Attach files and pictures"))
        plan.setObjectName("composer-plan")
        attach.setObjectName("composer-attach")
        self._model = self._hint("", tr("Model"))
        self._model.setObjectName("composer-model")
        self._model.clicked.connect(self._offer_options)
        self._model.hide()
        plan.clicked.connect(lambda: self.submitted.emit("/plan"))
        attach.clicked.connect(self._attach)
        self._row = QHBoxLayout()
        for widget in (plan, attach, self._model):
            self._row.addWidget(widget)
        self._row.addStretch(1)
        self._row.addWidget(self._usage)
        self._row.addSpacing(theme.px(8))
        self._row.addWidget(self._send)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self._editing)
        self._column.addWidget(self.pictures)
        self._column.addWidget(self.edit)
        self._column.addLayout(self._row)

    def _hint(self, text: str, about: str) -> QPushButton:
        button = QPushButton(text)
        button.setProperty("role", "hint")
        button.setAccessibleName(about)
        button.setToolTip(about)
        button.setAutoDefault(False)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        return button

    def _restyle(self) -> None:
        theme, tokens = self._theme, self._theme.tokens
        self._column.setContentsMargins(theme.px(12), theme.px(12), theme.px(12), theme.px(10))
        self._column.setSpacing(theme.px(10))
        self._row.setSpacing(theme.px(6))
        edge = theme.px(6)
        self.setStyleSheet(
            f"QPlainTextEdit {{ placeholder-text-color: {tokens.muted}; }}"
            f"QPushButton[role=hint] {{ background: transparent; border: 1px solid transparent; color: {tokens.muted};"
            f" font-size: {theme.px(12)}px; padding: 2px {theme.px(2)}px; border-radius: {edge}px; min-height: 0; }}"
            f"QPushButton[role=hint]:hover {{ color: {tokens.text}; }}"
            f"QPushButton[role=hint]:focus {{ border: 1px solid {tokens.focus}; }}"
        )
        self.update()

    def _add_picture(self, image: QImage) -> None:
        if not self.pictures.add(image):
            self.refused.emit(tr("This picture cannot go along: it cannot be read, or there are eight already."))

    # Sending and stopping

    def _submit(self) -> None:
        text = self.text.strip()
        if not text:
            self.edit.setFocus()
            return
        self._popup.hide()
        self.clear()
        self.submitted.emit(text)

    def _send_or_stop(self) -> None:
        if self._works:
            self.stop_requested.emit()
        else:
            self._submit()
            self.edit.setFocus()  # so that the user can type on without a click

    def _escape(self) -> None:
        if not self._editing.isHidden():
            self.clear()
        elif self._works:
            self.stop_requested.emit()

    def _text_changed(self) -> None:
        if self._works:
            self._send.set_icon_name("stop")
            self._send.set_name(tr("Stop"), "Esc")
        else:
            self._send.set_icon_name("send")
            self._send.set_name(tr("Send"), "Enter")
        if not self.text:
            self._editing.hide()
        self.update()

    # Completing

    def _attach(self) -> None:
        """Pictures go along with the message; other files are mentioned in it."""
        chosen, _ = QFileDialog.getOpenFileNames(self, tr("Attach files and pictures"), str(self._root or ""))
        pictures = [path for path in chosen if Path(path).suffix.lower() in _PICTURES]
        for path in pictures:
            self._add_picture(QImage(path))
        if others := tuple(path for path in chosen if path not in pictures):
            self.edit.insert_words(mentions(others, self._root))
        self.edit.setFocus()

    def _complete(self) -> None:
        self._asked += 1
        before = self.edit.before_cursor()
        command, file = command_being_typed(before), file_being_typed(before)
        if command is not None:
            self._offer(tuple(_command_offer(each) for each in matching(command, self._commands)))
        elif file is not None and self._find is not None:
            self._look_for(file)
        else:
            self._popup.hide()

    def _look_for(self, text: str) -> None:
        assert self._find is not None
        found, asked = self._find(text), self._asked
        if isinstance(found, tuple):
            self._offer_files(found)
            return

        def show(paths: tuple[str, ...]) -> None:
            if asked == self._asked:  # the text has changed since the search
                self._offer_files(paths)

        self._answers.run(found, show, lambda error: self._popup.hide())

    def _offer_files(self, paths: Sequence[str]) -> None:
        self._offer(tuple(CompletionItem(f"{mention(path, self._root)} ", path) for path in paths))

    def _offer(self, offers: Sequence[CompletionItem]) -> None:
        parent = self._popup.parentWidget()
        assert parent is not None
        over = QRect(self.mapTo(parent, self.rect().topLeft()), self.size())
        self._popup.offer(offers, over)

    def _choose(self, offer: CompletionItem) -> None:
        before = self.edit.before_cursor()
        command, file = command_being_typed(before), file_being_typed(before)
        typed = len(before) if command is not None else len(before) - before.rindex("@") if file is not None else 0
        self._popup.hide()
        self.edit.replace_before_cursor(typed, offer.insert)
        self._popup.hide()


def usage_words(usage: UsageReported | None) -> str:
    """`12.4k tokens · $0.31`"""
    if usage is None or not (usage.used or usage.cost):
        return ""
    words = [tr("{used} tokens", used=_short(usage.used))] if usage.used else []
    if usage.cost is not None:
        sign = {"USD": "$", "EUR": "€", "GBP": "£"}.get(usage.currency)
        amount = f"{usage.cost:.2f}" if usage.cost >= 0.01 or not usage.cost else f"{usage.cost:.4f}"
        words.append(f"{sign}{amount}" if sign else f"{amount} {usage.currency}".strip())
    return " · ".join(words)


def _context_words(usage: UsageReported | None, *, full: bool) -> str:
    if usage is None or not usage.size:
        return ""
    used, size = f"{usage.used:,}", f"{usage.size:,}"
    if full:
        return tr("{used} of {size} tokens of the agent's context. It is nearly full.", used=used, size=size)
    return tr("{used} of {size} tokens of the agent's context", used=used, size=size)


def _short(count: int) -> str:
    if count < 1000:
        return str(count)
    return f"{count / 1000:.1f}k" if count < 1_000_000 else f"{count / 1_000_000:.1f}M"


def _command_offer(command: ChatCommand) -> CompletionItem:
    hint = f" {command.hint}" if command.hint else ""
    about = tr_marked(command.description) if command.source is CommandSource.WINDOW else command.description
    return CompletionItem(f"/{command.name} ", f"/{command.name}{hint}", about, SOURCE_WORDS[command.source])
