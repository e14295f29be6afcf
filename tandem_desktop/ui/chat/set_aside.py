"""Entries a person went back behind: kept, folded into one line, no longer part of the conversation."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from tandem_desktop.staging.text import visible
from tandem_desktop.ui.chat.entry_widget import EntryWidget
from tandem_desktop.ui.chat.fold import Fold
from tandem_desktop.ui.models.transcript_model import Row
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import tr

_MOST_LINES, _LONGEST = 60, 160


class SetAside(EntryWidget):
    """Says how many; opened, it tells each of them in a line."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("set-aside")
        self._row: Row | None = None
        self._fold = Fold(theme, self._make)
        self._fold.line.setObjectName("set-aside-fold")
        self._fold.toggled.connect(self.opened)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._fold)

    def set_row(self, row: Row) -> None:
        self._row = row
        self._fold.line.set_words(row.words(), icon="undo")

    def set_open(self, is_open: bool) -> None:
        self._fold.set_open(is_open)

    def _make(self) -> QWidget:
        entries = self._row.entries if self._row is not None else ()
        lines = [Row((entry.model_copy(update={"set_aside": False}),)).words() for entry in entries[:_MOST_LINES]]
        if len(entries) > _MOST_LINES:
            lines.append(tr("… and {n} more", n=f"{len(entries) - _MOST_LINES:,}"))
        said = plain_label("\n".join(visible(" ".join(line.split()))[:_LONGEST] for line in lines), "muted", wrap=True)
        said.setContentsMargins(self.theme.px(24), 0, 0, 0)
        return said
