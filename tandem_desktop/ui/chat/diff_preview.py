"""What an agent says it will change, line by line, small enough for a card."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tandem_desktop.domain.agents import ProposedDiff
from tandem_desktop.domain.paths import shown
from tandem_desktop.staging.hunks import hunks
from tandem_desktop.ui.chat.code_block import CodeView
from tandem_desktop.ui.commands import Commands
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.link_button import LinkButton
from tandem_desktop.ui.words import tr, tr_n

LINES_AT_FIRST = 400
_LINE_AT_FIRST = 2_000
_COMPARED_AT_ONCE = 100_000
"""Larger texts are compared beside the window's thread."""
_TALLEST = 260
_INKS = {"+": ("added", "added_ink"), "-": ("removed", "removed_ink"), " ": ("", "text"), "@": ("", "muted")}


@dataclass(frozen=True, slots=True)
class PreviewLine:
    """A sign and a line, everything invisible in it spelled out."""

    sign: str
    text: str


def preview_lines(diff: ProposedDiff) -> tuple[PreviewLine, ...]:
    """The whole proposal; a header before each stretch."""
    before = (diff.old_text or "").encode("utf-8", "surrogatepass")
    found = hunks(before, diff.new_text.encode("utf-8", "surrogatepass"))
    lines: list[PreviewLine] = []
    for hunk in found:
        lines.append(PreviewLine("@", hunk.header))
        lines.extend(PreviewLine(line.kind, visible(line.raw.decode("utf-8", "replace"))) for line in hunk.lines)
    return tuple(lines)


def visible(line: str) -> str:
    """The line without its end; tabs stay, other characters nobody can see are spelled out."""
    bare = line.rstrip("\n")
    return "\t".join(shown(part, limit=len(part)) for part in bare.split("\t"))


class DiffPreview(QWidget):
    """Shows a proposal. A long one is cut with a mark that opens the rest."""

    def __init__(self, theme: Theme, diff: ProposedDiff, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: tuple[PreviewLine, ...] = ()
        self._answers = Commands(self)
        self._view = CodeView(theme, tallest=_TALLEST)
        self._view.setObjectName("permission-diff")
        self._view.setAccessibleName(tr("Proposed change of {path}", path=diff.path))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(4))
        layout.addWidget(self._view)
        if len(diff.old_text or "") + len(diff.new_text) < _COMPARED_AT_ONCE:
            self._show(preview_lines(diff))
        else:
            self._write((PreviewLine("@", tr("Comparing…")),))
            worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="diff-preview")
            self._answers.run(worker.submit(preview_lines, diff), self._show)
            worker.shutdown(wait=False)

    @property
    def text(self) -> str:
        return self._view.toPlainText()

    def _show(self, lines: tuple[PreviewLine, ...]) -> None:
        self._lines = lines
        self._write([_shortened(line) for line in lines[:LINES_AT_FIRST]])
        longer = len(lines) - LINES_AT_FIRST
        if longer > 0 or any(len(line.text) > _LINE_AT_FIRST for line in lines[:LINES_AT_FIRST]):
            words = tr("Long lines are cut: show them whole")
            if longer > 0:
                words = tr_n("Cut here: show {n} more line", "Cut here: show {n} more lines", longer)
            more = LinkButton(self._theme, words, ink="risk")
            more.setObjectName("permission-diff-more")
            more.clicked.connect(lambda: self._write(self._lines))
            more.clicked.connect(more.hide)
            layout = self.layout()
            assert layout is not None
            layout.addWidget(more)

    def _write(self, lines: Sequence[PreviewLine]) -> None:
        document = self._view.document()
        document.clear()
        cursor = QTextCursor(document)
        for at, line in enumerate(lines or (PreviewLine("@", tr("The text stays as it is.")),)):
            ground, ink = _INKS[line.sign]
            block = QTextBlockFormat()
            if ground:
                block.setBackground(self._theme.color(ground))
            if at:
                cursor.insertBlock(block)
            else:
                cursor.setBlockFormat(block)
            form = QTextCharFormat()
            form.setFont(self._theme.code_font())
            form.setForeground(self._theme.color(ink))
            sign = {"-": "− ", "@": ""}.get(line.sign, f"{line.sign} ")
            cursor.insertText(f"{sign}{line.text}", form)
        self._view.moveCursor(QTextCursor.MoveOperation.Start)


def _shortened(line: PreviewLine) -> PreviewLine:
    left = len(line.text) - _LINE_AT_FIRST
    if left <= 0:
        return line
    shown = line.text[:_LINE_AT_FIRST]
    return PreviewLine(line.sign, tr_n("{text}… {n} more character", "{text}… {n} more characters", left, text=shown))
