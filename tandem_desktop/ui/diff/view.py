"""The diff view: navigation, search, keys and mouse."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QGuiApplication, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit, QWidget

from tandem_desktop.diff.hunks import unified
from tandem_desktop.ui.diff.canvas import DiffCanvas
from tandem_desktop.ui.diff.model import FileDiff
from tandem_desktop.ui.diff.options import (
    CONTEXTS,
    FEWEST,
    NEXT_WHITESPACE,
    WHITESPACE_WORDS,
    WHOLE_FILE,
    DiffOptions,
    Whitespace,
)
from tandem_desktop.ui.diff.painter import fold_text
from tandem_desktop.ui.diff.panes import Pane, header_buttons, more_area
from tandem_desktop.ui.diff.rows import RowKind
from tandem_desktop.ui.diff.search import DiffSearch, SearchBar
from tandem_desktop.ui.diff.selection import Selection, TextPosition, line_of, selected_text
from tandem_desktop.ui.diff.styles import character_at
from tandem_desktop.ui.i18n import tr, tr_marked
from tandem_desktop.ui.keys import LETTERS
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.labels import announce


class PlainTextView(QPlainTextEdit):
    """Lies over a diff until it is left."""

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


MORE = 10
"""Lines that are shown at once of a fold that is not opened whole."""
_PATCHED = ("utf-8", "ascii")


class DiffView(DiffCanvas):
    """Asks by signal and performs nothing: dropping, keeping and commenting are for others to do."""

    passed_end = Signal(int)
    """There is no further change in this direction (1 or -1) here."""
    current_changed = Signal(int)
    """The hunk a person is at; 0 above the first."""
    drop_requested = Signal(int)
    keep_requested = Signal(int)
    lines_requested = Signal(object, object)
    """Added and removed lines, counted from one, that are to be left out or taken again."""
    comment_requested = Signal(bool, int, int)
    """Old side or not, and the first and last line, counted from one."""
    comment_chosen = Signal(int)
    """One of the comments that stand between the lines."""
    open_requested = Signal(str, int)
    """A path and a line, for the person's editor."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._plain: PlainTextView | None = None
        self._bar = SearchBar(theme, self)
        self._bar.changed.connect(self.set_search)
        self._bar.step_wanted.connect(self.step_to_match)
        self._bar.closed.connect(self.close_search)
        self.single_letters = True
        """Whether n, p, v, w, x, c and o do anything; a setting turns them off."""
        self._drags = False
        self._pulled: tuple[int, int] | None = None
        """From which line to which the pointer is being pulled over the numbers."""
        self._gutter: tuple[bool, int] | None = None
        """The line whose number was clicked last; Shift+click in the numbers comments from there."""

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

    @property
    def reading(self) -> DiffOptions:
        """What the person chose here."""
        look = self._look
        return DiffOptions(self._wants_split, look.wraps, look.whitespace.name, look.context)

    def read_as(self, reading: DiffOptions) -> None:
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
        self._plain = PlainTextView(self._theme, self.as_text(), self.accessibleName(), self)
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
        self._look.selection = selection._replace(head=TextPosition(index, column))

    def _selection_at(self, index: int) -> Selection:
        """Begun with a key: on the new side, which is what will be."""
        place = TextPosition(index, 0)
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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self._action(event)
        if action is None:
            event.ignore()
            return
        action()
        event.accept()

    def _action(self, event: QKeyEvent) -> Callable[[], object] | None:
        key, modifiers = event.key(), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        shift = modifiers == Qt.KeyboardModifier.ShiftModifier
        control = modifiers == Qt.KeyboardModifier.ControlModifier
        if control:
            return {
                Qt.Key.Key_C: self.copy,
                Qt.Key.Key_A: self.select_all,
                Qt.Key.Key_F: self.open_search,
                Qt.Key.Key_Home: lambda: self.set_current(0),
                Qt.Key.Key_End: lambda: self.set_current(len(self.rows) - 1),
            }.get(Qt.Key(key))
        if modifiers == Qt.KeyboardModifier.AltModifier:
            return (lambda: self.set_wrap(not self.wraps)) if key == Qt.Key.Key_Z else None
        if key == Qt.Key.Key_F7:
            return lambda: self.step_to_change(-1 if shift else 1)
        if key == Qt.Key.Key_F3:
            return lambda: self.step_to_match(-1 if shift else 1)
        if key == Qt.Key.Key_Escape:
            return self._escape()
        if key in _STEPS or key in _PAGES:
            distance = _STEPS.get(Qt.Key(key)) or _PAGES[Qt.Key(key)] * self._rows_per_page()
            return lambda: self._move(distance, shift)
        if key in _SIDEWAYS:
            return lambda: self._sideways(_SIDEWAYS[Qt.Key(key)], shift)
        if shift and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and (fold := self._fold_here()) is not None:
            return lambda: self.show_more(fold)
        if shift and key == Qt.Key.Key_X and self.single_letters:
            return self._drop_or_keep_lines
        if modifiers:
            return None
        return self._plain_action(Qt.Key(key))

    def _plain_action(self, key: Qt.Key) -> Callable[[], object] | None:
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return self._enter()
        if key == Qt.Key.Key_Home:
            return lambda: self.horizontalScrollBar().setValue(0)
        if key == Qt.Key.Key_End:
            return lambda: self.horizontalScrollBar().setValue(self.horizontalScrollBar().maximum())
        if not self.single_letters:
            return None
        letter = chr(key).lower() if Qt.Key.Key_A <= key <= Qt.Key.Key_Z else ""
        return {
            "next-change": lambda: self.step_to_change(1),
            "previous-change": lambda: self.step_to_change(-1),
            "split": lambda: self.set_split(not self.is_split),
            "whitespace": lambda: self.set_whitespace(NEXT_WHITESPACE[self.whitespace]),
            "whole-file": self.toggle_whole_file,
            "as-text": self.read_as_text,
            "drop": self._drop_or_keep,
            "comment": self._comment,
            "open-file": self._open,
        }.get(LETTERS.get(letter, ""))

    def _escape(self) -> Callable[[], object] | None:
        """Only what there is to leave; otherwise the key belongs to the window."""
        if self._bar.isVisible():
            return self.close_search
        if self._look.selection is not None:
            return self.unselect
        return None

    def _enter(self) -> Callable[[], object] | None:
        index = self._look.current
        row = self.rows.row(index) if index >= 0 else None
        if row is None:
            return None
        if row.kind is RowKind.FOLD:
            return lambda: self._unfold_at(index)
        if row.kind is RowKind.COMMENT:
            return lambda: self.comment_chosen.emit(row.number)
        shown = [self._look.shown(row, pane) for pane in self._look.panes.panes]
        cut = [line.key for line in shown if line and line.styled.cut]
        if cut:
            return lambda: self._open_lines(cut)
        return None

    def _fold_here(self) -> int | None:
        row = self.rows.row(self._look.current) if self._look.current >= 0 else None
        return row.number if row is not None and row.kind is RowKind.FOLD and row.number >= 0 else None

    def _open_lines(self, lines: list[tuple[bool, int]]) -> None:
        for line in lines:
            self.open_line(*line)

    def _move(self, distance: int, extends: bool) -> None:
        start = self._look.current
        if start < 0:
            start = (self.row_at(0) or 0) - (1 if distance > 0 else 0)
        self.set_current(start + distance, extends=extends)

    def _rows_per_page(self) -> int:
        return max(1, self.viewport().height() // self._look.panes.line - 1)

    def _sideways(self, direction: int, extends: bool) -> None:
        if not extends:
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() + direction * bar.singleStep())
            return
        selection = self._look.selection or self._selection_at(max(0, self._look.current))
        line = line_of(self.rows.row(selection.head.row), selection.is_old)
        length = len(self._look.styles.line(*line).text) if line else 0
        column = max(0, min(length, selection.head.column + direction))
        self._look.selection = selection._replace(head=selection.head._replace(column=column))
        self.viewport().update()

    def _drop_or_keep(self) -> None:
        self._ask("keep" if self.current_hunk in self._look.dropped else "drop", self.current_hunk)

    def _drop_or_keep_lines(self) -> None:
        added, removed = self.marked_changes
        if (added or removed) and "drop" in self._look.offers:
            self.lines_requested.emit(added, removed)

    def _comment(self) -> None:
        if "comment" in self._look.offers and len(self.rows):
            self.comment_requested.emit(*self.marked_lines)

    def _open(self) -> None:
        self.open_requested.emit(self.diff.path, self.current_line)

    def _ask(self, what: str, hunk: int) -> None:
        if not hunk or what not in self._look.offers:
            return
        if what == "drop":
            self.drop_requested.emit(hunk)
        elif what == "keep":
            self.keep_requested.emit(hunk)
        else:
            self._comment()

    def _unfold_at(self, index: int) -> None:
        self.unfold(self.rows.row(index).number)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        place = event.position().toPoint()
        index = self.row_at(place.y())
        if index is None:
            return
        what = self._what_is_at(index, place)
        row = self.rows.row(index)
        if what in ("fold", "more"):
            self._unfold_at(index) if what == "fold" else self.show_more(row.number)
            return
        if what in ("drop", "keep", "comment"):
            self.set_current(index)
            self._ask(what, row.hunk)
            return
        if row.kind is RowKind.COMMENT:
            self.set_current(index)
            self.comment_chosen.emit(row.number)
            return
        pane = self._look.panes.at(place.x())
        if what == "cut" and (line := self._look.shown(row, pane)):
            self.open_line(*line.key)
            return
        extends = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier) and self._look.selection is not None
        anchor = self._look.selection.anchor if extends and self._look.selection else self._place(index, pane, place)
        self.set_current(index)
        if what == "gutter" and "comment" in self._look.offers and (clicked := line_of(row, pane.is_old)):
            is_old, number = clicked
            self._pulled = (self._gutter_start(event, is_old, number), number)
            self._gutter = (is_old, number)
            return
        self._look.selection = Selection(anchor, self._place(index, pane, place), pane.is_old)
        self._drags = True

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        if self._pulled is not None:
            self._pull_to(place)
            return
        if self._drags and self._look.selection is not None:
            self._drag_to(place)
            return
        index = self.row_at(place.y())
        what = self._what_is_at(index, place) if index is not None else ""
        hovered = (index, what) if index is not None and what else None
        if hovered != self._look.hovered:
            self._look.hovered = hovered
            self.viewport().setCursor(_CURSORS.get(what, Qt.CursorShape.IBeamCursor))
            self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drags = False
        if self._pulled is not None and self._gutter is not None:
            (one, other), self._pulled = self._pulled, None
            self.comment_requested.emit(self._gutter[0], min(one, other) + 1, max(one, other) + 1)
        elif self._look.selection is not None and self._look.selection.anchor == self._look.selection.head:
            self.unselect()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Mark the word."""
        place = event.position().toPoint()
        index = self.row_at(place.y())
        pane = self._look.panes.at(place.x())
        line = line_of(self.rows.row(index), pane.is_old) if index is not None else None
        if index is None or line is None or self._what_is_at(index, place):
            self.mousePressEvent(event)
            return
        text, at = self._look.styles.line(*line).text, self._place(index, pane, place).column
        start, end = at, at
        while start > 0 and _is_word(text[start - 1]):
            start -= 1
        while end < len(text) and _is_word(text[end]):
            end += 1
        self._look.selection = Selection(TextPosition(index, start), TextPosition(index, end), pane.is_old)
        self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.row_at(event.pos().y())
        if event.reason() == QContextMenuEvent.Reason.Mouse and index is not None and self._look.selection is None:
            self.set_current(index)
        self.menu().exec(event.globalPos())

    def menu(self) -> QMenu:
        """Everything that can be done here, for those who know no keys yet."""
        menu = QMenu(self)
        hunk, offers = self.current_hunk, self._look.offers
        if hunk and hunk in self._look.dropped and "keep" in offers:
            menu.addAction(tr("Keep this change") + "\tX", lambda: self._ask("keep", hunk))
        elif hunk and "drop" in offers:
            menu.addAction(tr("Drop this change") + "\tX", lambda: self._ask("drop", hunk))
        if any(self.marked_changes) and "drop" in offers:
            menu.addAction(tr("Drop or keep these lines") + "\tShift+X", self._drop_or_keep_lines)
        if "comment" in offers and len(self.rows):
            menu.addAction(tr("Comment") + "\tC", self._comment)
        if hunk and offers:
            menu.addSeparator()
        add_copying(menu, self)
        menu.addAction(tr("Open in editor") + "\tO", self._open)
        menu.addAction(tr("Search") + "\tCtrl+F", self.open_search)
        menu.addSeparator()
        add_reading(menu, self)
        return menu

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._look.current < 0 and event.reason() in _KEYBOARD_REASONS and len(self.rows):
            self._look.current = self.row_at(0) or 0
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def _drag_to(self, place: QPoint) -> None:
        assert self._look.selection is not None
        bar = self.verticalScrollBar()
        if place.y() < 0 or place.y() > self.viewport().height():
            bar.setValue(bar.value() + (-1 if place.y() < 0 else 1) * bar.singleStep())
        y = max(0, min(self.viewport().height() - 1, place.y()))
        index = self.row_at(y)
        if index is None:
            index = len(self.rows) - 1
        wanted = self._look.selection.is_old
        pane = next(pane for pane in self._look.panes.panes if pane.is_old == wanted)
        self._look.selection = self._look.selection._replace(head=self._place(index, pane, place))
        self._look.current = index
        self.viewport().update()

    def _pull_to(self, place: QPoint) -> None:
        """The line the pointer is at is the other end of what will be commented on, on the side it began."""
        index = self.row_at(max(0, min(self.viewport().height() - 1, place.y())))
        assert self._gutter is not None
        assert self._pulled is not None
        is_old = self._gutter[0]
        row = self.rows.row(index) if index is not None else None
        line = line_of(row, is_old) if row is not None else None
        if line is None or index is None:
            return
        self._pulled = (self._pulled[0], line[1])
        first = self.rows.row_of(old=self._pulled[0]) if is_old else self.rows.row_of(new=self._pulled[0])
        top, bottom = sorted((index if first is None else first, index))
        length = len(self._look.styles.line(*line).text)
        self._look.selection = Selection(
            TextPosition(top, 0), TextPosition(bottom, max(1, length)), is_old if self.is_split else None
        )
        self._look.current = index
        self.viewport().update()

    def _gutter_start(self, event: QMouseEvent, is_old: bool, number: int) -> int:
        extends = event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._gutter is not None
        return self._gutter[1] if extends and self._gutter and self._gutter[0] == is_old else number

    def _what_is_at(self, index: int, place: QPoint) -> str:
        """The name of what would answer to a click there; nothing for text."""
        row, area, panes = self.rows.row(index), self.row_area(index), self._look.panes
        if row.kind is RowKind.FOLD:
            return "more" if more_area(self._theme, area, row).contains(place) else "fold"
        if row.kind is RowKind.HEADER:
            is_dropped, offers = row.hunk in self._look.dropped, self._look.offers
            buttons = header_buttons(self._theme, area, is_dropped=is_dropped, offers=offers)
            return next((button.name for button in buttons if button.area.contains(place)), "bar")
        if row.kind is not RowKind.LINE:
            return "bar"
        pane = panes.at(place.x())
        if place.x() < pane.left + panes.numbers(pane):
            return "gutter"
        line = self._look.shown(row, pane)
        is_cut = line is not None and line.styled.cut > 0
        return (
            "cut"
            if line and is_cut and self._painter.text.end_area(self._look, pane, line, area).contains(place)
            else ""
        )

    def _place(self, index: int, pane: Pane, place: QPoint) -> TextPosition:
        line = self._look.shown(self.rows.row(index), pane)
        if line is None:
            return TextPosition(index, 0)
        visual = (place.y() - self.row_area(index).top()) // self._look.panes.line
        begin = line.starts[max(0, min(len(line.starts) - 1, visual))]
        cell = (place.x() - pane.text + line.scrolled) / self._look.panes.cell + line.styled.cells[begin]
        return TextPosition(index, character_at(line.styled.cells, cell))


def add_copying(menu: QMenu, reader: DiffView) -> None:
    """Marked text, the path, and patches where there can be one."""
    menu.addAction(tr("Copy") + "\tCtrl+C", reader.copy).setEnabled(bool(reader.selected_text()))
    hunk = reader.current_hunk
    texts = (
        (tr("Copy the path"), reader.diff.path),
        (tr("Copy this change as a patch"), reader.patch(hunk) if hunk else ""),
        (tr("Copy the patch of this file"), reader.patch()),
    )
    for words, text in texts:
        menu.addAction(words, partial(QApplication.clipboard().setText, text)).setEnabled(bool(text))


def add_reading(menu: QMenu, reader: DiffView) -> None:
    """Where in it, and how it is looked at."""
    menu.addAction(tr("Next change") + "\tN", partial(reader.step_to_change, 1))
    menu.addAction(tr("Previous change") + "\tP", partial(reader.step_to_change, -1))
    context = reader.reading.context
    around = menu.addMenu(tr("Lines around changes"))
    for lines, words in CONTEXTS:
        action = around.addAction(tr_marked(words), partial(reader.set_context, lines))
        action.setCheckable(True)
        action.setChecked(lines == context)
    whole = tr("Only the changes") if context == WHOLE_FILE else tr("The whole file")
    menu.addAction(f"{whole}\tF", reader.toggle_whole_file)
    menu.addAction(tr("Read as text") + "\tT", reader.read_as_text)
    other = tr("One column") if reader.is_split else tr("Side by side")
    menu.addAction(f"{other}\tV", lambda: reader.set_split(not reader.is_split))
    menu.addAction(tr("Wrap long lines") + "\tAlt+Z", lambda: reader.set_wrap(not reader.wraps))
    following = NEXT_WHITESPACE[reader.whitespace]
    menu.addAction(f"{WHITESPACE_WORDS[following]}\tW", lambda: reader.set_whitespace(following))


def _is_word(character: str) -> bool:
    return character == "_" or character.isalnum()


_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
_KEYBOARD_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
_PAGES = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}
_SIDEWAYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_CURSORS = {
    **dict.fromkeys(("fold", "more", "drop", "keep", "comment", "cut", "gutter"), Qt.CursorShape.PointingHandCursor),
    "bar": Qt.CursorShape.ArrowCursor,
}
