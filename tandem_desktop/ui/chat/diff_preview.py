"""What an agent says it will change, line by line, small enough for a card."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tandem_desktop.domain.agents import ProposedDiff
from tandem_desktop.domain.paths import shown
from tandem_desktop.staging.hunks import hunks
from tandem_desktop.ui.chat.code_block import CodeView
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.link_button import LinkButton

LINES_AT_FIRST = 400
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
        self._lines = preview_lines(diff)
        self._view = CodeView(theme, tallest=_TALLEST)
        self._view.setObjectName("permission-diff")
        self._view.setAccessibleName(f"Proposed change of {diff.path}")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(4))
        layout.addWidget(self._view)
        self._write(self._lines[:LINES_AT_FIRST])
        left = len(self._lines) - LINES_AT_FIRST
        if left > 0:
            more = LinkButton(theme, f"Cut here: show {left:,} more lines")
            more.setObjectName("permission-diff-more")
            more.clicked.connect(lambda: self._write(self._lines))
            more.clicked.connect(more.hide)
            layout.addWidget(more)

    @property
    def text(self) -> str:
        return self._view.toPlainText()

    def _write(self, lines: Sequence[PreviewLine]) -> None:
        document = self._view.document()
        document.clear()
        cursor = QTextCursor(document)
        for at, line in enumerate(lines or (PreviewLine("@", "The text stays as it is."),)):
            ground, ink = _INKS[line.sign]
            block = QTextBlockFormat()
            block.setLineHeight(116, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
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
