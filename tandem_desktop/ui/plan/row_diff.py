"""The diff of one operation inside its card: fetched when it is opened, compared elsewhere, left when it ends."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QHideEvent, QImage, QKeyEvent
from shiboken6 import isValid

from tandem_desktop.domain.operations import Absent, FileState
from tandem_desktop.domain.review import Comment, Side
from tandem_desktop.review.draft import Part
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.ui.commands import Commands
from tandem_desktop.ui.diff.diff_loader import DiffLoader
from tandem_desktop.ui.diff.diff_rows import InlineComment
from tandem_desktop.ui.diff.diff_view import DiffView
from tandem_desktop.ui.diff.reading import ReadingHabits
from tandem_desktop.ui.diff.special_content import image_in_words, words_about_nodes
from tandem_desktop.ui.models.operation_row import OperationRow
from tandem_desktop.ui.plan.image_compare import read_image
from tandem_desktop.ui.theme.theme import Theme

LoadContents = Callable[[OperationView, Callable[[bytes, bytes], None]], None]
"""Fetch the bytes before and after an operation and hand them over on the GUI thread."""


@dataclass(frozen=True, slots=True)
class DiffSource:
    """Where contents come from and where they are compared."""

    load: LoadContents
    commands: Commands
    executor: ThreadPoolExecutor
    habits: ReadingHabits = field(default_factory=ReadingHabits)
    """How the person likes to read."""


class RowDiff(DiffView):
    """A view that fills itself with its operation's contents, and waits to be told where to stand until it has them."""

    pictures_ready = Signal(object, object)
    """Two images, one of which may be missing."""

    def __init__(self, view: OperationView, theme: Theme, source: DiffSource) -> None:
        super().__init__(theme)
        self._view = view
        self._source = source
        self._entry = 0
        self._loader = DiffLoader(self, source.commands, source.executor, self)
        self._loader.ready.connect(self._arrived)
        self._is_ready = False
        self._is_gone = False
        self._comments: tuple[Comment, ...] = ()
        self.setObjectName(f"diff-{view.operation.id}")
        self.read_as(source.habits.reading)
        source.habits.changed.connect(self.read_as)
        self.layout_changed.connect(lambda: source.habits.learn(self.reading))
        source.load(view, self._loaded)

    @staticmethod
    def suits(view: OperationView) -> bool:
        """Whether there are two contents to compare; a mode, a link or a folder is said in words instead."""
        base, after = view.operation.base, view.operation.after
        is_file = isinstance(base, FileState) or isinstance(after, FileState)
        return not view.operation.is_run and is_file and bool(view.hunks or not _same_bytes(view))

    @property
    def patch_names(self) -> tuple[str | None, str | None]:
        operation = self._view.operation
        before = None if isinstance(operation.base, Absent) else operation.path
        return before, None if isinstance(operation.after, Absent) else operation.to or operation.path

    def enter(self, forward: bool) -> None:
        """Stand on the first change, or on the last one when coming from below, as soon as it is there."""
        self._entry = 1 if forward else -1
        if self._is_ready:
            self._arrived()

    def try_step(self, forward: bool) -> bool:
        """One change on; False where this was the last."""
        if not self._is_ready or self.diff.is_binary:
            return False
        wanted = self.current_hunk + (1 if forward else -1)
        if not 1 <= wanted <= len(self.diff.hunks):
            return False
        self.go_to_change(wanted)
        return True

    def show_choice(self, row: OperationRow, *, is_decidable: bool) -> None:
        """Which changes are dropped, and whether that can still be decided."""
        every = range(1, len(row.view.hunks) + 1)
        part = row.part if row.part is not None and row.part.edited is None else Part(operation=row.operation.id)
        self.set_dropped(tuple(every) if row.dropped else part.hunks)
        self.set_dropped_lines(added=part.added, removed=part.removed)
        is_edited = row.part is not None and row.part.edited is not None
        # The agent never saw the lines of the person's own version: there is nothing in them to comment on.
        offers = {"comment"} if is_decidable and not is_edited else set()
        self.set_offers(offers | {"drop", "keep"} if offers and _has_choice(row.view) else offers)

    def show_comments(self, comments: Sequence[Comment]) -> None:
        """Under the lines they are about; those that have none there stand elsewhere."""
        self._comments = tuple(comments)
        self.set_comments(
            [
                InlineComment(line=place.last_line, text=comment.text, is_old=place.side is Side.BEFORE)
                for comment in self._comments
                if (place := comment.place).last_line is not None
            ]
        )

    @property
    def is_seen(self) -> bool:
        """Whether everything that changes has been in sight; bytes and images are told, not shown line by line."""
        return self._is_ready and (self.diff.is_binary or self.unseen_changes == 0)

    def comment(self, number: int) -> Comment:
        """The comment that stands there."""
        return self._comments[number]

    def next_whitespace(self) -> None:
        """What the view's own key does, asked for from outside."""
        none = Qt.KeyboardModifier.NoModifier
        self.keyPressEvent(QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_W, none, "w"))

    def forget(self) -> None:
        """What arrives from now on finds nobody."""
        self._is_gone = True
        self._loader.stop()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.courtesy.thank()  # nobody paints any more, so whoever compares need not wait

    def _loaded(self, before: bytes, after: bytes) -> None:
        if not isValid(self) or self._is_gone:
            return
        operation = self._view.operation
        moved_from = operation.path if operation.to is not None else None
        path = operation.to or operation.path or ""
        words = words_about_nodes(operation.base, operation.after, path, moved_from)
        self._loader.show(path, before, after, known_hunks=self._view.hunks or None, words=words)
        if image_in_words(before) or image_in_words(after):
            both = self._source.executor.submit(lambda: (read_image(before), read_image(after)))
            self._source.commands.run(both, self._show_pictures)

    def _show_pictures(self, both: tuple[QImage | None, QImage | None]) -> None:
        if isValid(self) and not self._is_gone and any(each is not None for each in both):
            self.pictures_ready.emit(*both)

    def _arrived(self, _diff: object = None) -> None:
        self._is_ready = True
        if self._entry:
            self.go_to_change(1 if self._entry > 0 else -1)
            self._entry = 0


def _has_choice(view: OperationView) -> bool:
    """A part can be left out only of what is written; a move or a removal is dropped whole."""
    return isinstance(view.operation.after, FileState) and view.operation.to is None and bool(view.hunks)


def _same_bytes(view: OperationView) -> bool:
    base, after = view.operation.base, view.operation.after
    return isinstance(base, FileState) and isinstance(after, FileState) and base.sha256 == after.sha256
