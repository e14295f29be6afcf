"""Move through a change, search it, mark parts of it, and put each row into words."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QWidget

from tandem_desktop.staging.unified import unified
from tandem_desktop.ui.diff.diff_canvas import DiffCanvas
from tandem_desktop.ui.diff.diff_rows import RowKind
from tandem_desktop.ui.diff.diff_search import DiffSearch
from tandem_desktop.ui.diff.file_diff import FileDiff
from tandem_desktop.ui.diff.look import FEWEST, Whitespace
from tandem_desktop.ui.diff.plain_reading import PlainReading
from tandem_desktop.ui.diff.reading import WHOLE_FILE, Reading
from tandem_desktop.ui.diff.row_painter import fold_text
from tandem_desktop.ui.diff.search_bar import SearchBar
from tandem_desktop.ui.diff.selection import Place, Selection, line_of, selected_text
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.announce import announce
from tandem_desktop.ui.words import tr, tr_marked

MORE = 10
"""Lines that are shown at once of a fold that is not opened whole."""
_PATCHED = ("utf-8", "ascii")


class DiffReader(DiffCanvas):
    """A canvas with a place one is at, a selection and a search; still deaf to keys and pointers."""

    passed_end = Signal(int)
    """There is no further change in this direction (1 or -1) here."""
    current_changed = Signal(int)
    """The hunk a person is at; 0 above the first."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._plain: PlainReading | None = None
        self._bar = SearchBar(theme, self)
        self._bar.changed.connect(self.set_search)
        self._bar.step_wanted.connect(self.step_to_match)
        self._bar.closed.connect(self.close_search)

    # Moving

    @property
    def current_hunk(self) -> int:
        return self.rows.hunk_at(self._look.current) if self._look.current >= 0 else 0

    @property
    def current_line(self) -> int:
        """Counted from one; on a bar, the first line that changes below it."""
        for index in range(max(0, self._look.current), len(self.rows)):
            row = self.rows.row(index)
            if row.kind is RowKind.LINE and (row.is_change or index == self._look.current):
                line = row.new if row.new is not None else row.old
                return (line or 0) + 1
        return 1

    @property
    def is_current_line_old(self) -> bool:
        """Whether that number counts lines of the old side, because the line is removed."""
        row = self.rows.row(self._look.current) if self._look.current >= 0 else None
        return row is not None and row.kind is RowKind.LINE and row.new is None

    @property
    def marked_lines(self) -> tuple[bool, int, int]:
        """Old or not, and the first and last line of what is selected, or of where the person is; counted from one."""
        selection = self._look.selection
        if selection is not None:
            rows = (self.rows.row(index) for index in range(selection.first.row, selection.last.row + 1))
            lines = [line for row in rows if (line := line_of(row, selection.is_old)) is not None]
            is_old = bool(lines) and all(line[0] for line in lines)
            numbers = [number + 1 for side, number in lines if side == is_old]
            if numbers:
                return is_old, min(numbers), max(numbers)
        return self.is_current_line_old, self.current_line, self.current_line

    @property
    def marked_changes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Added and removed lines among those, each counted on its own side; alone, a line with its counterpart."""
        selection, current = self._look.selection, self._look.current
        if selection is None:
            row = self.rows.row(current) if current >= 0 else None
            if row is None or row.kind is not RowKind.LINE or not row.is_change:
                return (), ()
            old, new = row.pair or (row.old, row.new)
            return () if new is None else (new + 1,), () if old is None else (old + 1,)
        side = selection.is_old
        rows = (self.rows.row(index) for index in range(selection.first.row, selection.last.row + 1))
        changed = [row for row in rows if row.kind is RowKind.LINE and row.is_change]
        added = tuple(row.new + 1 for row in changed if row.new is not None and side is not True)
        removed = tuple(row.old + 1 for row in changed if row.old is not None and side is not False)
        return added, removed

    def step_to_change(self, direction: int) -> None:
        """The next change or the one before; past the last, `passed_end` is emitted."""
        wanted = self.current_hunk + direction
        header = self.rows.header(wanted)
        if header is None or (self.diff.is_binary and -1 not in self.rows.unfolded):
            self.passed_end.emit(direction)
            return
        self.set_current(header, at_top=True)

    def go_to_change(self, hunk: int) -> None:
        """Go to a change by its number; -1 is the last."""
        header = self.rows.header(len(self.diff.hunks) if hunk < 0 else hunk)
        if header is not None:
            self.set_current(header, at_top=True)

    def go_to_line(self, line: int, *, is_old: bool = False) -> None:
        """Counted from one; a fold that hides it opens."""
        key = (is_old, line - 1)
        index = self._row_of(key)
        if index is not None and self.rows.row(index).kind is RowKind.FOLD:
            self.unfold(self.rows.row(index).number)
            index = self._row_of(key)
        if index is not None:
            self.set_current(index)

    def set_current(self, index: int, *, at_top: bool = False, extends: bool = False) -> None:
        before = self.current_hunk
        index = max(0, min(len(self.rows) - 1, index))
        if extends:
            self._select_to(index)
        else:
            self._look.selection = None
        self._look.current = index
        self.ensure_visible(index, at_top=at_top)
        self.viewport().update()
        announce(self, self.row_text(index))
        if self.current_hunk != before:
            self.current_changed.emit(self.current_hunk)

    @property
    def unseen_changes(self) -> int:
        """How many changes have a line that was never in sight."""
        return self._seen.unseen(self.diff)

    @property
    def folded_regions(self) -> int:
        """How many stretches of unchanged lines are still hidden."""
        return sum(kind is RowKind.FOLD for _, kind in self.rows.special)

    # How it is read

    @property
    def reading(self) -> Reading:
        """What the person chose here."""
        look = self._look
        return Reading(self._wants_split, look.wraps, look.whitespace.name, look.context)

    def read_as(self, reading: Reading) -> None:
        """As the person chose elsewhere; nobody is told."""
        if reading == self.reading:
            return
        look = self._look
        self._wants_split, look.wraps, look.context = reading.splits, reading.wraps, reading.context
        look.whitespace = Whitespace[reading.whitespace]
        self._rebuild(self.diff, self.rows.unfolded, self.rows.comments)

    def set_context(self, lines: int) -> None:
        """So many unchanged lines around each change."""
        self._look.context, self._look.more = lines, {}
        self._rebuild(self.diff, frozenset(), self.rows.comments)
        self.layout_changed.emit()

    def toggle_whole_file(self) -> None:
        self.set_context(FEWEST if self._look.context == WHOLE_FILE else WHOLE_FILE)

    def show_more(self, number: int, lines: int = MORE) -> None:
        """Some more lines at both ends of a fold."""
        more = self._look.more
        self._look.more = {**more, number: more.get(number, 0) + lines}
        self._rebuild(self.diff, self.rows.unfolded, self.rows.comments)

    @property
    def patch_names(self) -> tuple[str | None, str | None]:
        """The path before and after; none where there is no file."""
        return self.diff.path, self.diff.path

    def patch(self, hunk: int = 0) -> str:
        """A change, or all of them, as other tools take it; nothing where that cannot be said in visible text."""
        documents = (self.diff.old.document, self.diff.new.document)
        if self.diff.banner or any(each.is_binary or each.encoding not in _PATCHED for each in documents):
            return ""
        wanted = [each for each in self.diff.hunks if hunk in (0, each.n)]
        return unified(*self.patch_names, wanted).decode() if wanted else ""

    # Words

    def row_text(self, index: int) -> str:
        """What a person who listens is told about a row."""
        row = self.rows.row(index)
        if row.kind is RowKind.HEADER:
            title, count = self._look.title(row.hunk), len(self.diff.hunks)
            said = tr("Change {number} of {count} {title}", number=row.hunk, count=count, title=title).strip()
            return tr("{change}, dropped", change=said) if row.hunk in self._look.dropped else said
        if row.kind is RowKind.FOLD:
            return fold_text(self.rows, row).removeprefix("⋯ ")
        if row.kind is RowKind.COMMENT:
            comment = self.rows.comments[row.number]
            return tr(
                "{author} on line {line}: {text}",
                author=tr_marked(comment.author),
                line=comment.line,
                text=comment.text,
            )
        if row.kind is RowKind.WORDS:
            return self.diff.words[row.number].text
        if not row.is_change and row.new is not None:
            return f"{row.new + 1} {self.diff.new.line(row.new)}"
        parts = []
        if row.old is not None:
            parts.append(tr("removed {number} {line}", number=row.old + 1, line=self.diff.old.line(row.old)))
        if row.new is not None:
            parts.append(tr("added {number} {line}", number=row.new + 1, line=self.diff.new.line(row.new)))
        return "\n".join(parts)

    def as_text(self) -> str:
        """The whole change as a unified diff, hidden characters as tokens."""
        parts = [words.text for words in self.diff.words]
        for hunk in self.diff.hunks:
            parts.append(hunk.header)
            for line in hunk.lines:
                document = (self.diff.new if line.kind == "+" else self.diff.old).document
                parts.append(line.kind + document.display(line.raw))
                if line.no_newline:
                    parts.append("\\ No newline at end of file")
        return "\n".join(parts)

    def read_as_text(self) -> None:
        """Lay the text over the lines; Escape takes it away."""
        self._leave_text()
        self._plain = PlainReading(self._theme, self.as_text(), self.accessibleName(), self)
        self._plain.left.connect(self._leave_text)
        self._plain.setGeometry(self.rect())
        self._plain.show()
        self._plain.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _leave_text(self) -> None:
        plain, self._plain = self._plain, None
        if plain is not None:
            plain.hide()
            plain.deleteLater()
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def selected_text(self) -> str:
        return selected_text(self.rows, self._look.selection) if self._look.selection else ""

    # Searching

    def open_search(self) -> None:
        self._bar.show()
        self._make_room(self._bar.sizeHint().height())
        self._bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._bar.field.selectAll()

    def close_search(self) -> None:
        self._bar.hide()
        self._make_room(0)
        self.set_search("")
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_search(self, text: str) -> int:
        """Mark every place of a text; how many there are."""
        self._look.search = DiffSearch(self.diff, text) if text else None
        self._look.found = -1
        count = len(self._look.search) if self._look.search else 0
        self._fit_ruler()
        self.viewport().update()
        if count:
            self.step_to_match(1)
        else:
            self._bar.tell(-1, 0)
        return count

    def step_to_match(self, direction: int) -> None:
        """Round and round; a fold that hides the place opens."""
        search = self._look.search
        if search is None or not len(search):
            return
        self._look.found = (self._look.found + direction) % len(search)
        match = search.matches[self._look.found]
        self.go_to_line(match.line + 1, is_old=match.is_old)
        self._show_column(match.start, match.end, is_old=match.is_old)
        self._bar.tell(self._look.found, len(search))

    def show_diff(self, diff: FileDiff) -> None:
        searched = self._look.search.text if self._look.search else ""
        self._look.more = {}
        super().show_diff(diff)
        if self.hasFocus() and len(self.rows):
            self._look.current = 0  # whoever waited for it with the keyboard is somewhere in it
        if searched and self._bar.isVisible():
            self.set_search(searched)

    # Selecting

    def select_all(self) -> None:
        if len(self.rows):
            self._look.selection = self._selection_at(0)
            self._select_to(len(self.rows) - 1)
            self.viewport().update()

    def unselect(self) -> None:
        self._look.selection = None
        self.viewport().update()

    def copy(self) -> None:
        text = self.selected_text()
        if text:
            QGuiApplication.clipboard().setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_bar()
        if self._plain is not None:
            self._plain.setGeometry(self.rect())

    def _select_to(self, index: int) -> None:
        selection = self._look.selection or self._selection_at(max(0, self._look.current))
        line = line_of(self.rows.row(index), selection.is_old)
        length = len(self._look.styles.line(*line).text) if line else 0
        column = length if index >= selection.anchor.row else 0
        self._look.selection = selection._replace(head=Place(index, column))

    def _selection_at(self, index: int) -> Selection:
        """Begun with a key: on the new side, which is what will be."""
        place = Place(index, 0)
        return Selection(place, place, False if self.is_split else None)

    def _make_room(self, pixels: int) -> None:
        self._room_above = pixels
        self._fit_ruler()
        self._place_bar()

    def _show_column(self, start: int, end: int, *, is_old: bool) -> None:
        if self.wraps:
            return
        panes = self._look.panes
        pane = next(pane for pane in panes.panes if pane.is_old in (None, is_old))
        bar, left, right = self.horizontalScrollBar(), round(start * panes.cell), round((end + 2) * panes.cell)
        if left < bar.value() or right > bar.value() + pane.text_width:
            bar.setValue(left - pane.text_width // 3)

    def _place_bar(self) -> None:
        """Above the text, never over it: the place one searched for must not lie beneath."""
        view, height = self.viewport().geometry(), self._bar.sizeHint().height()
        self._bar.setGeometry(view.left(), view.top() - self._room_above, self.width(), height)
