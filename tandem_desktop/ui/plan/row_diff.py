"""The diff of one operation: loads its contents, shows choices and comments in its lines."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from tandem_desktop.domain.operations import Absent, FileState
from tandem_desktop.domain.review import Comment, Side
from tandem_desktop.review.choices import ChoicePart
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.ui.diff.decoded_images import ImagePair, decode_images, may_be_image
from tandem_desktop.ui.diff.loader import DiffLoader
from tandem_desktop.ui.diff.options import DiffOptions, DiffPreferences
from tandem_desktop.ui.diff.rows import InlineComment, RowKind
from tandem_desktop.ui.diff.search import DiffSearch
from tandem_desktop.ui.diff.special import node_notes
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.diff.viewers import Prepared, may_have_view, prepare
from tandem_desktop.ui.models.operations import OperationRow
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.threads import Commands

_LINE, _FOLD = 20, 24
_EDITOR_ROOM, _EDITOR_SIDE = 8, 48

LoadContents = Callable[[OperationView, Callable[[bytes, bytes], None]], None]
"""Fetch the bytes before and after an operation and hand them over on the GUI thread."""


@dataclass(frozen=True, slots=True)
class DiffSource:
    """Where contents come from and where they are compared."""

    load: LoadContents
    commands: Commands
    executor: ThreadPoolExecutor
    preferences: DiffPreferences = field(default_factory=DiffPreferences)
    """The diff options of the window."""


class RowDiff(DiffView):
    """A diff view that loads its operation's contents and then goes to the requested change."""

    pictures_ready = Signal(object)
    """An `ImagePair`."""
    prepared = Signal(object)
    """What the file is shown as besides its lines; nothing if it is only lines."""
    opened = Signal()
    """Its beginning was on screen."""
    line_hidden = Signal()
    """The line that a comment is being written about is no longer shown."""
    whole_requested = Signal()
    """Drop the operation: its changes cannot be dropped one by one."""

    def __init__(self, view: OperationView, theme: Theme, source: DiffSource) -> None:
        self._view = view
        self.is_ready = False
        """Whether its contents have arrived."""
        self._editor: QWidget | None = None
        self._room: InlineComment | None = None
        self._wanted: tuple[str, bool] | None = None
        super().__init__(theme)
        self._source = source
        self._entry = 0
        self._enters_unproved = False
        self._loader = DiffLoader(self, source.commands, source.executor, self)
        self._loader.ready.connect(self._arrived)
        self.may_have_view = may_have_view(view.operation.to or view.operation.path or "")
        """Whether the file may be shown as something else than its lines."""
        self.is_opened = False
        """Whether its beginning was on screen."""
        self._is_gone = False
        self._comments: tuple[Comment, ...] = ()
        self.setObjectName(f"diff-{view.operation.id}")
        self.set_options(source.preferences.options)
        source.preferences.changed.connect(self._follow_options)
        self.layout_changed.connect(lambda: source.preferences.update(self.options))
        source.load(view, self._loaded)

    @staticmethod
    def suits(view: OperationView) -> bool:
        """Whether there are two contents to compare; a mode, link or folder is described in text."""
        base, after = view.operation.base, view.operation.after
        is_file = isinstance(base, FileState) or isinstance(after, FileState)
        return not view.operation.is_run and is_file and bool(view.hunks or not _same_bytes(view))

    @staticmethod
    def estimated_height(view: OperationView, theme: Theme) -> int:
        """The height of its changes in one column."""
        lines = sum(len(hunk.lines) for hunk in view.hunks)
        return lines * theme.px(_LINE) + len(view.hunks) * theme.px(_LINE + 2 * _FOLD)

    @property
    def full_height(self) -> int:
        """Estimated until loaded, so that what lies below keeps its place."""
        is_known = self.is_ready or not self._view.hunks
        return super().full_height if is_known else self.estimated_height(self._view, self.theme)

    @property
    def patch_names(self) -> tuple[str | None, str | None]:
        operation = self._view.operation
        before = None if isinstance(operation.base, Absent) else operation.path
        return before, None if isinstance(operation.after, Absent) else operation.to or operation.path

    def enter(self, forward: bool, *, only_unproved: bool = False) -> None:
        """Go to the first change, or the last one when coming from below, once loaded."""
        self._entry = 1 if forward else -1
        self._enters_unproved = only_unproved
        if self.is_ready:
            self._arrived()

    def find_text(self, text: str, *, goes: bool) -> None:
        """Mark a text once loaded, and with `goes` go to its first place."""
        self._wanted = (text, goes)
        if self.is_ready:
            self._arrived()

    def try_step(self, forward: bool, *, only_unproved: bool = False) -> bool:
        """Go one change on, or to the next one that is not proved; False if this was the last.

        Forward, those that are on screen below the current one are passed over as well.
        """
        if not self.is_ready or self.diff.is_binary:
            return False
        step = 1 if forward else -1
        wanted = self.current_hunk + step
        shown = only_unproved and forward and self.current_hunk > 0
        while only_unproved and 1 <= wanted <= len(self.diff.hunks):
            if not self.is_proved(wanted) and not (shown and self.is_in_sight(wanted)):
                break
            wanted += step
        if not 1 <= wanted <= len(self.diff.hunks):
            return False
        self.go_to_change(wanted)
        return True

    @property
    def shows_unproved(self) -> bool:
        """Whether each change that is not proved is on screen."""
        hunks = range(1, len(self.diff.hunks) + 1)
        return (
            self.is_ready
            and not self.diff.is_binary
            and all(self.is_proved(hunk) or self.is_in_sight(hunk) for hunk in hunks)
        )

    def show_choice(self, row: OperationRow, *, is_decidable: bool) -> None:
        """Show dropped changes, and whether that can still be changed."""
        every = range(1, len(row.view.hunks) + 1)
        part = row.part if row.part is not None and row.part.edited is None else ChoicePart(operation=row.operation.id)
        self.set_dropped(tuple(every) if row.dropped else part.hunks)
        self.set_dropped_lines(added=part.added, removed=part.removed)
        self.set_proved(row.proved)
        is_edited = row.part is not None and row.part.edited is not None
        # The agent does not know the user's own version, so its lines cannot be commented on.
        offers = {"comment"} if is_decidable and not is_edited else set()
        self.set_offers(offers | {"drop", "keep"} if offers and _has_choice(row.view) else offers)

    def drop_or_keep(self) -> None:
        """The change one is at; the operation where its changes are no single choice."""
        if "drop" not in self.display.offers and "comment" in self.display.offers:
            self.whole_requested.emit()
        else:
            super().drop_or_keep()

    def show_comments(self, comments: Sequence[Comment]) -> None:
        """Show comments under their lines; others are shown elsewhere."""
        self._comments = tuple(comments)
        shown = [
            InlineComment(line=place.last_line, text=comment.text, is_old=place.side is Side.BEFORE)
            for comment in self._comments
            if (place := comment.place).last_line is not None
        ]
        self.set_comments([*shown, self._room] if self._room is not None else shown)

    def hold(self, editor: QWidget, line: int, *, is_old: bool) -> bool:
        """Show the editor of a comment under a line; False if that line is not shown."""
        height = editor.sizeHint().height() + 2 * self.theme.px(_EDITOR_ROOM)
        self._room = InlineComment(line=line, text="", is_old=is_old, room=height)
        editor.setParent(self.viewport())  # before there is room for it: where it was needs none any more
        self.show_comments(self._comments)
        if self._room_row is None:
            self.release()
            return False
        self._editor = editor
        self._place_editor()
        editor.show()
        return True

    def release(self) -> None:
        """The editor is no longer shown here."""
        self._editor = self._room = None
        self.show_comments(self._comments)

    @property
    def _room_row(self) -> int | None:
        """The row that is kept free for the editor."""
        number = len(self.rows.comments) - 1
        rows = (index for index, kind in self.rows.special if kind is RowKind.COMMENT)
        return next((each for each in rows if self._room and self.rows.row(each).number == number), None)

    def show_editor(self) -> None:
        """Bring the editor on screen."""
        if (index := self._room_row) is not None:
            self.position.reveal(index)

    def _place_editor(self) -> None:
        index = self._room_row if self._editor is not None else None
        if self._editor is not None and index is not None:
            side, room = self.theme.px(_EDITOR_SIDE), self.theme.px(_EDITOR_ROOM)
            self._editor.setGeometry(self.row_area(index).adjusted(side, room, -side, -room))
        elif self._editor is not None:
            self.line_hidden.emit()

    def _fit(self) -> None:
        super()._fit()
        self._place_editor()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        self._place_editor()

    @property
    def is_seen(self) -> bool:
        """Whether all changes were visible; binary content counts as seen."""
        return self.is_ready and (self.diff.is_binary or self.unseen_changes == 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.is_ready and not self.is_opened and not self.visibleRegion().isEmpty():
            self.is_opened = True
            self.opened.emit()

    def comment(self, number: int) -> Comment | None:
        """The inline comment with this index; None for the one being written."""
        return self._comments[number] if number < len(self._comments) else None

    def next_whitespace(self) -> None:
        """The same as the view's own key."""
        none = Qt.KeyboardModifier.NoModifier
        self.keyPressEvent(QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_W, none, "w"))

    def forget(self) -> None:
        """Ignore everything that arrives from now on."""
        self._is_gone = True
        self._loader.stop()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.set_options(self._source.preferences.options)

    def _follow_options(self, options: DiffOptions) -> None:
        """A diff out of sight takes them over when it is shown: many may be open."""
        if self.isVisible():
            self.set_options(options)

    def _restyle(self) -> None:
        if not self._is_gone:  # each theme is met by new contents
            super()._restyle()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.yielding.resume()  # no longer painted, so workers need not wait

    def _loaded(self, before: bytes, after: bytes) -> None:
        if not isValid(self) or self._is_gone:
            return
        operation = self._view.operation
        moved_from = operation.path if operation.to is not None else None
        path = operation.to or operation.path or ""
        notes = node_notes(operation.base, operation.after, path, moved_from)
        self._loader.show(path, before, after, known_hunks=self._view.hunks or None, notes=notes)
        if self.may_have_view:
            made = self._source.executor.submit(prepare, path, before, after)
            self._source.commands.run(made, self._tell_view, lambda _error: self._tell_view(None))
        if may_be_image(path, before, after):
            both = self._source.executor.submit(_compared_images, before, after)
            self._source.commands.run(both, self._show_pictures)

    def _tell_view(self, prepared: Prepared | None) -> None:
        if isValid(self) and not self._is_gone:
            self.prepared.emit(prepared)

    def _show_pictures(self, pair: ImagePair) -> None:
        if isValid(self) and not self._is_gone:
            self.pictures_ready.emit(pair)

    def _arrived(self, _diff: object = None) -> None:
        if not self.is_ready:
            self.is_ready = True
            self.updateGeometry()
        if self._wanted is not None:
            (text, goes), self._wanted = self._wanted, None
            if goes:
                self.search.set_text(text)
            else:
                # In a turn of its own: the first search has every line made as it is shown.
                QTimer.singleShot(0, self, lambda: self._mark(text))
        if self._entry:
            hunks = [n for n in range(1, len(self.diff.hunks) + 1) if not (self._enters_unproved and self.is_proved(n))]
            self.go_to_change((hunks or [1])[0 if self._entry > 0 else -1])
            self._entry = 0

    def _mark(self, text: str) -> None:
        if not self._is_gone:
            self.display.search = DiffSearch(self.diff, text)
            self.viewport().update()


def _compared_images(before: bytes, after: bytes) -> ImagePair:
    pair = decode_images(before, after)
    _ = pair.text  # compares the pixels, here and not when they are painted
    return pair


def _has_choice(view: OperationView) -> bool:
    """Single changes can be dropped only from written content; a move or removal is dropped as a whole."""
    return isinstance(view.operation.after, FileState) and view.operation.to is None and bool(view.hunks)


def _same_bytes(view: OperationView) -> bool:
    base, after = view.operation.base, view.operation.after
    return isinstance(base, FileState) and isinstance(after, FileState) and base.sha256 == after.sha256
