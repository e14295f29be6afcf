"""Parses and renders Markdown without HTML."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import (
    QBrush,
    QColor,
    QPainter,
    QPen,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextLength,
    QTextList,
    QTextListFormat,
    QTextTable,
    QTextTableFormat,
)
from PySide6.QtWidgets import QTextEdit

from tandem_desktop.domain.paths import shown
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.theme.theme import Theme

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


_FENCES = ("fence", "code_block")


@dataclass(frozen=True, slots=True)
class TextBlock:
    """One block of prose: a paragraph, a heading, a list, a quote, a table or a rule."""

    source: str
    tokens: "tuple[Token, ...]"


@dataclass(frozen=True, slots=True)
class CodeText:
    """A code block, verbatim."""

    source: str
    language: str
    code: str


Block = TextBlock | CodeText


class MarkdownStream:
    """Parses a text that mostly grows at its end.

    Raw HTML and links other than web and mail stay text; of an image only the name is shown. An unchanged block is the
    same object as before, so its widget can be reused.
    """

    def __init__(self) -> None:
        self._references: dict[str, Any] = {}
        self._text = ""
        self._blocks: tuple[Block, ...] = ()
        self._settled = 0
        """Start of the last block; appending cannot change anything before it."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        return self._blocks

    def update(self, text: str) -> tuple[Block, ...]:
        """The blocks of `text`."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if text == self._text:
            return self._blocks
        if self._blocks and text.startswith(self._text):
            kept = self._blocks[:-1]
        else:
            kept, self._settled, self._references = (), 0, {}
        # Only \n ends a line, as in the parser, unlike in str.splitlines.
        lines = [f"{line}\n" for line in text[self._settled :].split("\n")]
        tokens = _parser().parse(text[self._settled :], self._references)
        fresh = tuple(_blocks(tokens, lines))
        start = _last_start(tokens)
        self._settled += sum(len(line) for line in lines[:start])
        self._text = text
        if len(kept) < len(self._blocks) and fresh and fresh[0].source == self._blocks[len(kept)].source:
            fresh = (self._blocks[len(kept)], *fresh[1:])
        self._blocks = (*kept, *fresh)
        return self._blocks


@cache
def _parser() -> "MarkdownIt":
    """Shared by all messages: it is stateless, and creating it is slow."""
    from markdown_it import MarkdownIt  # imported on first use: a plan may be shown before any message

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _blocks(tokens: "Sequence[Token]", lines: Sequence[str]) -> Iterator[Block]:
    for group in _groups(tokens):
        first = group[0]
        start, end = first.map or (0, 0)
        source = "".join(lines[start:end])
        if first.type in _FENCES:
            yield CodeText(source, first.info.strip().partition(" ")[0], first.content.removesuffix("\n"))
        else:
            yield TextBlock(source, group)


def _groups(tokens: "Sequence[Token]") -> "Iterator[tuple[Token, ...]]":
    """The tokens of each top-level block."""
    group: list[Token] = []
    depth = 0
    for token in tokens:
        group.append(token)
        depth += token.nesting
        if depth == 0:
            yield tuple(group)
            group = []


def _last_start(tokens: "Sequence[Token]") -> int:
    starts = [token.map[0] for token in tokens if token.level == 0 and token.map is not None and token.nesting >= 0]
    return starts[-1] if starts else 0


UNMARKED = QTextListFormat.Style.ListStyleUndefined
"""An indented list without Qt's own bullet."""
SIZE = 5
GAP = 8


def paint_bullets(view: QTextEdit, theme: Theme, ink: QColor, area: QRect) -> None:
    """Draw the bullets inside `area`, alternating dot and ring by level."""
    painter = QPainter(view.viewport())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for block in _list_blocks(view, area):
        items = block.textList()
        if items is None or items.format().style() != UNMARKED:
            continue
        is_ring = items.format().indent() % 2 == 0
        painter.setPen(QPen(ink, theme.px(1)) if is_ring else ink)
        painter.setBrush(QColor(0, 0, 0, 0) if is_ring else ink)
        painter.drawEllipse(place_of(view, theme, block))
    painter.end()


def place_of(view: QTextEdit, theme: Theme, block: QTextBlock) -> QRectF:
    """The position of an item's bullet: centred on its first line."""
    line = block.layout().lineAt(0)
    at = view.document().documentLayout().blockBoundingRect(block).topLeft() - _scrolled(view)
    size, middle = theme.px(SIZE), line.y() + line.ascent() - view.fontMetrics().xHeight() / 2
    return QRectF(at.x() + line.x() - theme.px(GAP) - size, at.y() + middle - size / 2, size, size)


def _list_blocks(view: QTextEdit, area: QRect) -> Iterator[QTextBlock]:
    layout, bottom = view.document().documentLayout(), area.bottom() + _scrolled(view).y()
    block = view.cursorForPosition(area.topLeft()).block()
    while block.isValid() and layout.blockBoundingRect(block).top() <= bottom:
        yield block
        block = block.next()


def _scrolled(view: QTextEdit) -> QPointF:
    return QPointF(view.horizontalScrollBar().value(), view.verticalScrollBar().value())


FILE_LINK = "tandem-file:"
"""Scheme of links to workspace files. Agents cannot create links to schemes that are not listed here."""
LINE_SEPARATOR = "\u2028"

_WEB = ("http://", "https://", "mailto:")
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")
_ADDRESS = re.compile(r"https?://[^\s<>\"'`)\]}]+[^\s<>\"'`)\]}.,;:!?]")
_FILE = re.compile(r"^(?=.*[/.])[\w@.][\w@./+-]*\.\w{1,8}(:\d+)?$|^[\w@.-]+(/[\w@.-]+)+(:\d+)?$")
_HEADING_POINTS = {"h1": 3, "h2": 2, "h3": 1}
_LINE_HEIGHT = 122


class ProseWriter:
    """Appends blocks to a document in the theme's colours and fonts."""

    def __init__(self, theme: Theme, document: QTextDocument, ink: str = "text") -> None:
        self._theme = theme
        self._document = document
        self._ink = ink
        self._cursor = QTextCursor(document)
        self._lists: list[QTextList | None] = []
        self._quotes = 0
        self._styles: list[tuple[QTextListFormat.Style, int]] = []
        self._item_waits = False

    def write(self, block: TextBlock) -> int:
        """Append a block; returns its start position."""
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        start = self._cursor.position()
        self._blocks(block.tokens)
        return start

    def write_plain(self, text: str) -> None:
        """Append plain text with its line breaks."""
        for line in text.split("\n"):
            self._new_block(bottom=0)
            self._cursor.insertText(line, self._plain())

    def _blocks(self, tokens: "Sequence[Token]") -> None:
        position = 0
        while position < len(tokens):
            token = tokens[position]
            match token.type:
                case "heading_open":
                    self._heading(tokens[position + 1], token.tag)
                case "paragraph_open":
                    self._paragraph(tokens[position + 1], is_tight=token.hidden)
                case "bullet_list_open" | "ordered_list_open":
                    self._open_list(token)
                case "bullet_list_close" | "ordered_list_close":
                    self._lists.pop()
                case "list_item_open":
                    self._item_waits = True
                case "blockquote_open":
                    self._quotes += 1
                case "blockquote_close":
                    self._quotes -= 1
                case "fence" | "code_block":
                    self._code(token.content)
                case "hr":
                    self._rule()
                case "table_open":
                    end = next(at for at in range(position, len(tokens)) if tokens[at].type == "table_close")
                    self._table(tokens[position:end])
                    position = end
                case _:
                    pass
            position += 1

    def _new_block(self, *, top: int = 0, bottom: int = 8, line_height: int = _LINE_HEIGHT) -> None:
        form = QTextBlockFormat()
        form.setTopMargin(self._theme.px(top))
        form.setBottomMargin(self._theme.px(bottom))
        form.setLineHeight(line_height, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        if self._quotes:
            form.setLeftMargin(self._theme.px(14 * self._quotes))
        if self._document.isEmpty() and self._document.blockCount() == 1:
            form.setTopMargin(0)
            self._cursor.setBlockFormat(form)
        else:
            self._cursor.insertBlock(form)
        self._cursor.setBlockCharFormat(self._plain())
        if self._lists:
            self._join_list(form)

    def _join_list(self, form: QTextBlockFormat) -> None:
        if not self._item_waits:
            # A further paragraph of the same item: indented, without a bullet.
            form.setIndent(len(self._lists))
            self._cursor.setBlockFormat(form)
            return
        self._item_waits = False
        current = self._lists[-1]
        if current is None:
            style = QTextListFormat()
            style.setStyle(self._styles[-1][0])
            style.setStart(self._styles[-1][1])
            style.setIndent(len(self._lists))
            self._lists[-1] = self._cursor.createList(style)
        else:
            current.add(self._cursor.block())

    def _open_list(self, token: "Token") -> None:
        ordered = token.type.startswith("ordered")
        style = QTextListFormat.Style.ListDecimal if ordered else UNMARKED
        self._styles = [*self._styles[: len(self._lists)], (style, int(token.attrs.get("start", 1)))]
        self._lists.append(None)

    def _heading(self, inline: "Token", tag: str) -> None:
        self._new_block(top=8, bottom=6)
        form = self._plain()
        form.setFont(self._theme.ui_font(_HEADING_POINTS.get(tag, 0), bold=True))
        self._inline(inline, form)

    def _paragraph(self, inline: "Token", *, is_tight: bool) -> None:
        self._new_block(bottom=3 if is_tight else 8)
        form = self._plain()
        if self._quotes:
            form.setForeground(self._theme.color("muted"))
        self._inline(inline, form)

    def _code(self, code: str) -> None:
        self._new_block(bottom=8, line_height=120)
        form = self._code_format()
        block = self._cursor.blockFormat()
        block.setBackground(self._theme.color("raised"))
        self._cursor.setBlockFormat(block)
        self._cursor.insertText(code.rstrip("\n").replace("\n", LINE_SEPARATOR), form)

    def _rule(self) -> None:
        self._new_block(top=4, bottom=8)
        block = self._cursor.blockFormat()
        full = QTextLength(QTextLength.Type.PercentageLength, 100)
        block.setProperty(QTextBlockFormat.Property.BlockTrailingHorizontalRulerWidth, full)
        block.setProperty(QTextBlockFormat.Property.BackgroundBrush, QBrush(self._theme.color("line")))
        self._cursor.setBlockFormat(block)

    def _table(self, tokens: "Sequence[Token]") -> None:
        rows = list(_table_rows(tokens))
        if not rows:
            return
        form = QTextTableFormat()
        form.setCellPadding(self._theme.px(5))
        form.setCellSpacing(0)
        form.setBorder(1)
        form.setBorderCollapse(True)
        form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        form.setBorderBrush(QBrush(self._theme.color("line")))
        form.setHeaderRowCount(1)
        form.setTopMargin(self._theme.px(2))
        form.setBottomMargin(self._theme.px(8))
        table = self._cursor.insertTable(len(rows), max(map(len, rows)), form)
        for at, row in enumerate(rows):
            self._table_row(table, at, row)
        self._cursor.movePosition(QTextCursor.MoveOperation.End)

    def _table_row(self, table: QTextTable, at: int, row: "Sequence[Token]") -> None:
        for column, inline in enumerate(row):
            self._cursor = table.cellAt(at, column).firstCursorPosition()
            form = self._plain()
            if at == 0:
                form.setFont(self._theme.ui_font(bold=True))
            self._inline(inline, form)
        self._cursor = QTextCursor(self._document)

    def _inline(self, inline: "Token", base: QTextCharFormat) -> None:
        form = QTextCharFormat(base)
        links: list[tuple[str, int]] = []
        for token in inline.children or ():
            match token.type:
                case "text":
                    self._text(token.content, form)
                case "code_inline":
                    self._inline_code(token.content, form)
                case "softbreak":
                    self._cursor.insertText(" ", form)
                case "hardbreak":
                    self._cursor.insertText(LINE_SEPARATOR, form)
                case "strong_open":
                    form.setFontWeight(700)
                case "strong_close":
                    form.setFontWeight(base.fontWeight())
                case "em_open" | "em_close":
                    form.setFontItalic(token.nesting == 1)
                case "s_open" | "s_close":
                    form.setFontStrikeOut(token.nesting == 1)
                case "link_open":
                    links.append((str(token.attrs.get("href", "")), self._cursor.position()))
                    self._lead(form, links[-1][0])
                case "link_close":
                    target, start = links.pop()
                    _lead_nowhere(form, base)
                    self._name_target(target, start, base)
                case "image":
                    self._image(token, base)
                case _:
                    self._cursor.insertText(token.content, form)

    def _text(self, text: str, form: QTextCharFormat) -> None:
        """Insert text; addresses in it become links."""
        if form.isAnchor():
            self._cursor.insertText(text, form)
            return
        at = 0
        for found in _ADDRESS.finditer(text):
            self._cursor.insertText(text[at : found.start()], form)
            linked = QTextCharFormat(form)
            self._lead(linked, found.group())
            self._cursor.insertText(found.group(), linked)
            at = found.end()
        self._cursor.insertText(text[at:], form)

    def _inline_code(self, code: str, around: QTextCharFormat) -> None:
        form = self._code_format()
        form.setBackground(self._theme.color("raised"))
        if around.isAnchor():
            form.setAnchor(True)
            form.setAnchorHref(around.anchorHref())
            form.setForeground(around.foreground())
        elif _FILE.match(code):
            form.setAnchor(True)
            form.setAnchorHref(FILE_LINK + code)
        self._cursor.insertText(code, form)

    def _image(self, token: "Token", base: QTextCharFormat) -> None:
        form = QTextCharFormat(base)
        form.setForeground(self._theme.color("muted"))
        name, source = token.content or tr("image"), shown(str(token.attrs.get("src", "")))
        self._cursor.insertText(tr("[image: {name}, not loaded: {source}]", name=name, source=source), form)

    def _lead(self, form: QTextCharFormat, target: str) -> None:
        if target.startswith(_WEB):
            form.setAnchorHref(target)
        elif not _SCHEME.match(target) and not target.startswith(("#", "//")) and target:
            form.setAnchorHref(FILE_LINK + target)
        else:
            return
        form.setAnchor(True)
        form.setForeground(self._theme.color("link"))
        form.setFontUnderline(True)

    def _name_target(self, target: str, start: int, base: QTextCharFormat) -> None:
        """Show the target of a link, unless it equals the text."""
        reader = QTextCursor(self._document)
        reader.setPosition(start)
        reader.setPosition(self._cursor.position(), QTextCursor.MoveMode.KeepAnchor)
        if target in (reader.selectedText(), f"mailto:{reader.selectedText()}"):
            return
        form = QTextCharFormat(base)
        form.setForeground(self._theme.color("muted"))
        self._cursor.insertText(f" ({shown(target, limit=200)})", form)

    def _plain(self) -> QTextCharFormat:
        form = QTextCharFormat()
        form.setFont(self._theme.ui_font())
        form.setForeground(self._theme.color(self._ink))
        return form

    def _code_format(self) -> QTextCharFormat:
        form = QTextCharFormat()
        form.setFont(self._theme.code_font())
        form.setForeground(self._theme.color(self._ink))
        return form


def _lead_nowhere(form: QTextCharFormat, base: QTextCharFormat) -> None:
    form.setAnchor(False)
    form.clearProperty(QTextCharFormat.Property.AnchorHref.value)
    form.setForeground(base.foreground())
    form.setFontUnderline(False)


def _table_rows(tokens: "Sequence[Token]") -> "Iterator[list[Token]]":
    row: list[Token] = []
    for token in tokens:
        if token.type == "tr_open":
            row = []
        elif token.type == "inline":
            row.append(token)
        elif token.type == "tr_close":
            yield row
