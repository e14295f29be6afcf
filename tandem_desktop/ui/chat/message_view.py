"""An agent message: prose and code blocks."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from tandem_desktop.ui.chat.code_block import CodeBlock
from tandem_desktop.ui.chat.markdown import Block, CodeText, MarkdownStream, TextBlock
from tandem_desktop.ui.chat.prose_view import ProseView
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import LinkButton

LONGEST = 60_000
LONGEST_UNBROKEN = 8_000
"""Limit for text without spaces, which is much slower to lay out."""

_LONG_WORD = 2_000


def room_for(text: str) -> int:
    """How many characters of `text` to show before it is cut."""
    if len(text) <= LONGEST_UNBROKEN:
        return len(text)
    head = text[:LONGEST]
    unbroken = any(len(word) > _LONG_WORD for word in head.split())
    return LONGEST_UNBROKEN if unbroken else min(len(text), LONGEST)


def cut_words(left: int) -> str:
    """Label of the link that shows more."""
    return tr_n("Cut here: show {n} more character", "Cut here: show {n} more characters", left)


_Part = ProseView | CodeBlock


class MessageView(QWidget):
    """Shows sanitised Markdown. Unchanged parts are kept while text streams in."""

    link_activated = Signal(str)
    file_activated = Signal(str)

    def __init__(self, theme: Theme, ink: str = "text", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._ink = ink
        self._text = ""
        self._room = 0
        """Number of characters the user asked to see; may exceed the default."""
        self._more: LinkButton | None = None
        self._stream = MarkdownStream()
        self._parts: list[tuple[_Part, tuple[Block, ...]]] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(theme.px(8))

    @property
    def text(self) -> str:
        return self._text

    def set_text(self, text: str) -> None:
        """Show `text`; fast if it extends the shown text."""
        self._text = text
        room = max(room_for(text), self._room)
        self._mark_cut(len(text) - room)
        groups = _grouped(self._stream.update(text[:room]))
        for at, group in enumerate(groups):
            self._show(at, group)
        for part, _ in self._parts[len(groups) :]:
            self._layout.removeWidget(part)
            part.hide()
            part.deleteLater()
        del self._parts[len(groups) :]

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        copy = QAction(tr("Copy reply as Markdown"), menu)
        copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(self._text))
        menu.addAction(copy)
        menu.exec(event.globalPos())

    def _mark_cut(self, left: int) -> None:
        if left > 0 and self._more is None:
            self._more = LinkButton(self._theme, "")
            self._more.setObjectName("message-more")
            self._more.clicked.connect(self._show_more)
            self._layout.addWidget(self._more)
        if self._more is not None:
            self._more.setVisible(left > 0)
            self._more.setText(cut_words(left))
            self._more.setAccessibleName(cut_words(left))
            self._more.updateGeometry()

    def _show_more(self) -> None:
        shown = max(room_for(self._text), self._room)
        self._room = shown + room_for(self._text[shown:])
        self.set_text(self._text)

    def _show(self, at: int, group: tuple[Block, ...]) -> None:
        if at < len(self._parts):
            part, shown = self._parts[at]
            if len(shown) == len(group) and all(a is b for a, b in zip(shown, group, strict=True)):
                return
            if isinstance(part, CodeBlock) == isinstance(group[0], CodeText):
                _fill(part, group)
                self._parts[at] = (part, group)
                return
            self._layout.removeWidget(part)
            part.hide()
            part.deleteLater()
            del self._parts[at]
        made = self._make(group)
        self._layout.insertWidget(at, made)
        self._parts.insert(at, (made, group))

    def _make(self, group: tuple[Block, ...]) -> _Part:
        if isinstance(group[0], CodeText):
            block = CodeBlock(self._theme)
            _fill(block, group)
            return block
        prose = ProseView(self._theme, self._ink)
        prose.link_activated.connect(self.link_activated)
        prose.file_activated.connect(self.file_activated)
        _fill(prose, group)
        return prose


def _fill(part: _Part, group: Sequence[Block]) -> None:
    if isinstance(part, CodeBlock):
        code = group[0]
        assert isinstance(code, CodeText)
        part.set_code(code.code, code.language)
    else:
        part.set_blocks([block for block in group if isinstance(block, TextBlock)])


def _grouped(blocks: Sequence[Block]) -> list[tuple[Block, ...]]:
    """Group consecutive prose blocks; each code block is a group of its own."""
    groups: list[tuple[Block, ...]] = []
    for block in blocks:
        follows = groups and isinstance(groups[-1][-1], TextBlock)
        if follows and isinstance(block, TextBlock):
            groups[-1] = (*groups[-1], block)
        else:
            groups.append((block,))
    return groups
