"""Files shown as what they are (versions, a table, cells), with their lines one key away."""

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from tandem_desktop.diff.notebooks import has_cells, notebook_diff
from tandem_desktop.diff.tables import has_table, table_diff
from tandem_desktop.diff.text import Document
from tandem_desktop.diff.versions import VersionList, has_versions, version_list
from tandem_desktop.ui.diff import notebooks, tables, versions
from tandem_desktop.ui.diff.change_table import ChangeModel, ChangeRow, ChangeTable
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.chips import Segmented
from tandem_desktop.ui.widgets.labels import KeyHint, plain_label

LINES_KEY = "B"
_NAME = 48
"""The widest column, in characters; longer texts wrap."""


@dataclass(frozen=True, slots=True)
class TableView:
    """A file as a table of changes; `is_complete` if the table and its summary tell all that differs."""

    label: str
    titles: tuple[str, ...]
    rows: tuple[ChangeRow, ...]
    summary: str
    is_complete: bool
    stretches: bool = False


@dataclass(frozen=True, slots=True)
class NoView:
    """Why a file that could be shown otherwise is shown as its lines."""

    why: str


Prepared = TableView | NoView


def may_have_view(path: str) -> bool:
    """Whether a file of this name may be shown as something else than its lines."""
    return has_versions(path) or has_table(path) or has_cells(path)


def prepare(path: str, before: bytes, after: bytes) -> Prepared | None:
    """What a file is shown as besides its lines; None if it is only lines. Slow: call it on another thread."""
    if has_versions(path):
        return _versions(path, before, after)
    if has_cells(path):
        return _notebook(before, after)
    return _table(path, before, after) if has_table(path) else None


def _notebook(before: bytes, after: bytes) -> Prepared:
    found = notebook_diff(before, after)
    if found is None:
        return NoView(tr("This file is no notebook, or too much of it changes, so it is shown as lines."))
    rows = () if found.is_formatting_only else tuple(notebooks.notebook_rows(found))
    # Not all of a notebook is in its cells, so its lines are still to be read.
    told = notebooks.summary(found)
    return TableView(tr("Cells"), notebooks.notebook_titles(), rows, told, is_complete=False, stretches=True)


def _table(path: str, before: bytes, after: bytes) -> Prepared:
    found = table_diff(path, before, after)
    if found is None:
        return NoView(tr("This file is no table, or too large for one, so it is shown as lines."))
    is_formatting_only = found.is_formatting_only
    rows = () if is_formatting_only else tuple(tables.table_rows(found))
    is_complete = not found.reformatted and not is_formatting_only
    return TableView(tr("Table"), tables.table_titles(found), rows, tables.summary(found), is_complete)


def _versions(path: str, before: bytes, after: bytes) -> Prepared:
    found = version_list(path, before, after)
    if found is None:
        return NoView(tr("This file is not written as its package manager writes it, so it is shown as lines."))
    return _version_table(found, before, after)


def _version_table(found: VersionList, before: bytes, after: bytes) -> TableView:
    rows = tuple(versions.version_rows(found, Document.of(before), Document.of(after)))
    # What only moved or is written otherwise is counted, not shown, so its lines are still to be read.
    is_complete = not found.moved and not found.reformatted and not found.is_formatting_only
    return TableView(
        tr("Versions"), versions.version_titles(), rows, versions.summary(found), is_complete, stretches=True
    )


class FileViewer(QWidget):
    """The bar that switches between a view and the lines, and the view below it."""

    switched = Signal()
    """The person chose the view or the lines."""
    all_seen = Signal()
    opened = Signal()
    height_changed = Signal()

    def __init__(self, theme: Theme, prepared: TableView) -> None:
        super().__init__()
        self._theme = theme
        self._is_complete = prepared.is_complete
        self.setObjectName("file-viewer")
        self.setAccessibleName(prepared.label)
        self.setAccessibleDescription(prepared.summary)
        self.way = Segmented(theme, (("view", prepared.label), ("lines", tr("Lines"))), tr("Show the file as"))
        self.way.chosen.connect(lambda _way: self._switch())
        self.said = plain_label(prepared.summary, "muted", wrap=True)
        self.said.setObjectName("file-viewer-summary")
        bar = QHBoxLayout()
        bar.setContentsMargins(theme.px(14), theme.px(6), theme.px(14), theme.px(6))
        bar.setSpacing(theme.px(10))
        bar.addWidget(self.way, 0, Qt.AlignmentFlag.AlignVCenter)
        bar.addWidget(self.said, 1)
        bar.addWidget(KeyHint(theme, LINES_KEY), 0, Qt.AlignmentFlag.AlignVCenter)
        self._bar = bar
        self.view = ChangeTable(
            theme,
            ChangeModel(theme, prepared.titles, prepared.rows),
            prepared.label,
            widest=_NAME,
            stretches=prepared.stretches,
        )
        self.view.all_seen.connect(self.all_seen)
        self.view.opened.connect(self.opened)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self.view, 1)
        if not prepared.rows:
            self.way.set_current("lines")
        self.view.setVisible(bool(prepared.rows))

    @property
    def shows_lines(self) -> bool:
        """Whether the person wants the lines."""
        return self.way.current == "lines"

    @property
    def is_seen(self) -> bool:
        """Whether the view tells all that differs, and all of it was on screen."""
        return self._is_complete and self.view.is_seen

    @property
    def is_opened(self) -> bool:
        return self.view.is_opened

    def toggle(self) -> None:
        """Show the lines, or the view again."""
        self.way.set_current("view" if self.shows_lines else "lines")
        self._switch()

    def focus_view(self) -> None:
        self.view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def wanted_height(self, width: int) -> int:
        margins = self._bar.contentsMargins()
        inner = width - margins.left() - margins.right() - self.way.sizeHint().width() - self._theme.px(60)
        bar = max(self.way.sizeHint().height(), self.said.heightForWidth(max(1, inner)))
        height = bar + margins.top() + margins.bottom()
        if not self.shows_lines and self.view.changes.rows:
            height += self.view.wanted_height(width)
        return height

    def _switch(self) -> None:
        self.view.setVisible(not self.shows_lines and bool(self.view.changes.rows))
        self.switched.emit()
        self.height_changed.emit()
