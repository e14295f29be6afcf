"""A diff as plain text: for screen readers, the clipboard and patches."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from tandem_desktop.diff.hunks import displayed, unified
from tandem_desktop.ui.diff.model import FileDiff
from tandem_desktop.ui.diff.options import DiffDisplay
from tandem_desktop.ui.diff.painter import fold_text
from tandem_desktop.ui.diff.rows import RowKind
from tandem_desktop.ui.i18n import tr, tr_marked
from tandem_desktop.ui.theme.theme import Theme

_PATCHED = ("utf-8", "ascii")


class PlainTextView(QPlainTextEdit):
    """Covers a diff view until Escape."""

    left = Signal()

    def __init__(self, theme: Theme, text: str, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("diff-as-text")
        self.setAccessibleName(tr("{name}, as text", name=name))
        self.setProperty("role", "code-block")
        self.setFont(theme.code_font())
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByKeyboard | Qt.TextInteractionFlag.TextSelectableByMouse
        )
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setPlainText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_T):
            self.left.emit()
        else:
            super().keyPressEvent(event)


def row_text(display: DiffDisplay, index: int) -> str:
    """The text of a row for screen readers."""
    rows, diff = display.rows, display.rows.diff
    row = rows.row(index)
    if row.kind is RowKind.HEADER:
        title, count = display.title(row.hunk), len(diff.hunks)
        header = tr("Change {number} of {count} {title}", number=row.hunk, count=count, title=title).strip()
        return tr("{change}, dropped", change=header) if row.hunk in display.dropped else header
    if row.kind is RowKind.FOLD:
        return fold_text(rows, row).removeprefix("⋯ ").removeprefix("≡ ")
    if row.kind is RowKind.COMMENT:
        comment = rows.comments[row.number]
        return tr(
            "{author} on line {line}: {text}",
            author=tr_marked(comment.author),
            line=comment.line,
            text=comment.text,
        )
    if row.kind is RowKind.NOTE:
        return diff.notes[row.number].text
    if not row.is_change and row.new is not None:
        return f"{row.new + 1} {diff.new.line(row.new)}"
    parts = []
    if row.old is not None:
        parts.append(tr("removed {number} {line}", number=row.old + 1, line=diff.old.line(row.old)))
    if row.new is not None:
        parts.append(tr("added {number} {line}", number=row.new + 1, line=diff.new.line(row.new)))
    return "\n".join(parts)


def as_text(diff: FileDiff) -> str:
    """The whole change as a unified diff, hidden characters as tokens."""
    parts = [each.text for each in diff.notes]
    for hunk in diff.hunks:
        parts.append(hunk.header)
        parts += (kind + text for kind, text in displayed(hunk, diff.old.document, diff.new.document))
    return "\n".join(parts)


def patch(diff: FileDiff, names: tuple[str | None, str | None], hunk: int) -> str:
    """One hunk (0: all of them) as a patch; empty if the files have no patchable text."""
    documents = (diff.old.document, diff.new.document)
    if diff.banner or any(each.is_binary or each.encoding not in _PATCHED for each in documents):
        return ""
    wanted = [each for each in diff.hunks if hunk in (0, each.n)]
    return unified(*names, wanted).decode() if wanted else ""
