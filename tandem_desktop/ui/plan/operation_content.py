"""The opened content of an operation."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QHideEvent, QImage, QKeyEvent, QPaintEvent, QResizeEvent, QTextOption
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget
from shiboken6 import isValid

from tandem_desktop.diff.text import visible, visible_command, visible_in_a_line, visible_name
from tandem_desktop.domain.operations import (
    NEW_FILE_MODE,
    Absent,
    DirectoryState,
    FileState,
    StagedOperation,
    SymlinkState,
)
from tandem_desktop.domain.review import Comment, Side
from tandem_desktop.review.choices import ChoicePart
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.staging.hazards import Hazard
from tandem_desktop.ui.diff.loader import DiffLoader
from tandem_desktop.ui.diff.options import DiffPreferences
from tandem_desktop.ui.diff.rows import InlineComment, SeenLines
from tandem_desktop.ui.diff.special import image_text, node_notes
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.models.operations import OperationRow
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.comments import CommentArea, CommentSpot
from tandem_desktop.ui.plan.image_compare import ImageCompare, read_image
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.threads import Commands

_SLACK = 4
"""Pixels of a line that may be covered although it counts as seen."""


class CodeBox(QPlainTextEdit):
    """A command or its output: complete, selectable, as high as its lines up to a limit."""

    fitted = Signal()
    """The wanted height changed."""
    all_seen = Signal()
    """Every line was on screen."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._shown: str | None = None
        self._lines_seen = SeenLines()
        self.is_seen = False
        """Whether every line was on screen, in the box and in the list around it."""
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setProperty("role", "code-block")
        self.setFont(theme.code_font())
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(theme.px(8))
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setStyleSheet(
            f"QPlainTextEdit {{ background: {theme.tokens.surface}; border: 1px solid {theme.tokens.line};"
            f" border-radius: {theme.px(6)}px; color: {theme.tokens.text}; padding: 0; }}"
            f"QPlainTextEdit:focus {{ border: 1px solid {theme.tokens.focus}; padding: 0; }}"
        )
        self.textChanged.connect(self._fit)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    def show_command(self, command: str) -> None:
        """Show a command, with hidden characters as tokens and long runs of blanks as their number."""
        self.setPlainText("\n".join(visible_command(command.rstrip("\n"))))

    def show_text(self, text: str) -> bool:
        """Set the text, hidden characters as tokens; True if it changed."""
        if text == self._shown:
            return False
        self._shown = text
        self.setPlainText("\n".join(wording.visible_lines(text.rstrip("\n"))))
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lines_seen = SeenLines()  # lines wrap elsewhere now
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        region = self.viewport().visibleRegion().boundingRect()
        if self.is_seen or region.isEmpty():
            return
        above, line = self._theme.px(8) - _SLACK, self.fontMetrics().lineSpacing()
        first, count = self.verticalScrollBar().value(), round(self.document().size().height()) or 1
        start = max(0, -(-(region.top() - above - 2 * _SLACK) // line))
        end = (region.bottom() + 1 - above) // line
        if end > start:
            self._lines_seen.add(first + start, first + end - 1)
        if self._lines_seen.covers(0, count - 1):
            self.is_seen = True
            self.all_seen.emit()

    def _fit(self) -> None:
        """Wrapped lines count: a long command is read without scrolling sideways."""
        lines = round(self.document().size().height()) or 1
        height = min(lines, 16) * self.fontMetrics().lineSpacing() + 2 * self._theme.px(8) + 4
        if height != self.height() or self.minimumHeight() != height:
            self.setFixedHeight(height)
            self.fitted.emit()


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

    pictures_ready = Signal(object, object)
    """Two images, one of which may be missing."""
    opened = Signal()
    """Its beginning was on screen."""

    def __init__(self, view: OperationView, theme: Theme, source: DiffSource) -> None:
        super().__init__(theme)
        self._view = view
        self._source = source
        self._entry = 0
        self._enters_unproved = False
        self._loader = DiffLoader(self, source.commands, source.executor, self)
        self._loader.ready.connect(self._arrived)
        self._is_ready = False
        self.is_opened = False
        """Whether its beginning was on screen."""
        self._is_gone = False
        self._comments: tuple[Comment, ...] = ()
        self.setObjectName(f"diff-{view.operation.id}")
        self.set_options(source.preferences.options)
        source.preferences.changed.connect(self.set_options)
        self.layout_changed.connect(lambda: source.preferences.update(self.options))
        source.load(view, self._loaded)

    @staticmethod
    def suits(view: OperationView) -> bool:
        """Whether there are two contents to compare; a mode, link or folder is described in text."""
        base, after = view.operation.base, view.operation.after
        is_file = isinstance(base, FileState) or isinstance(after, FileState)
        return not view.operation.is_run and is_file and bool(view.hunks or not _same_bytes(view))

    @property
    def patch_names(self) -> tuple[str | None, str | None]:
        operation = self._view.operation
        before = None if isinstance(operation.base, Absent) else operation.path
        return before, None if isinstance(operation.after, Absent) else operation.to or operation.path

    def enter(self, forward: bool, *, only_unproved: bool = False) -> None:
        """Go to the first change, or the last one when coming from below, once loaded."""
        self._entry = 1 if forward else -1
        self._enters_unproved = only_unproved
        if self._is_ready:
            self._arrived()

    def try_step(self, forward: bool, *, only_unproved: bool = False) -> bool:
        """Go one change on, or to the next one that is not proved; False if this was the last."""
        if not self._is_ready or self.diff.is_binary:
            return False
        step = 1 if forward else -1
        wanted = self.current_hunk + step
        while only_unproved and 1 <= wanted <= len(self.diff.hunks) and self.is_proved(wanted):
            wanted += step
        if not 1 <= wanted <= len(self.diff.hunks):
            return False
        self.go_to_change(wanted)
        return True

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

    def show_comments(self, comments: Sequence[Comment]) -> None:
        """Show comments under their lines; others are shown elsewhere."""
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
        """Whether all changes were visible; binary content counts as seen."""
        return self._is_ready and (self.diff.is_binary or self.unseen_changes == 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._is_ready and not self.is_opened and not self.visibleRegion().isEmpty():
            self.is_opened = True
            self.opened.emit()

    def comment(self, number: int) -> Comment:
        """The inline comment with this index."""
        return self._comments[number]

    def next_whitespace(self) -> None:
        """The same as the view's own key."""
        none = Qt.KeyboardModifier.NoModifier
        self.keyPressEvent(QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_W, none, "w"))

    def forget(self) -> None:
        """Ignore everything that arrives from now on."""
        self._is_gone = True
        self._loader.stop()

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
        if image_text(before) or image_text(after):
            both = self._source.executor.submit(lambda: (read_image(before), read_image(after)))
            self._source.commands.run(both, self._show_pictures)

    def _show_pictures(self, both: tuple[QImage | None, QImage | None]) -> None:
        if isValid(self) and not self._is_gone and any(each is not None for each in both):
            self.pictures_ready.emit(*both)

    def _arrived(self, _diff: object = None) -> None:
        self._is_ready = True
        if self._entry:
            hunks = [n for n in range(1, len(self.diff.hunks) + 1) if not (self._enters_unproved and self.is_proved(n))]
            self.go_to_change((hunks or [1])[0 if self._entry > 0 else -1])
            self._entry = 0


def _has_choice(view: OperationView) -> bool:
    """Single changes can be dropped only from written content; a move or removal is dropped as a whole."""
    return isinstance(view.operation.after, FileState) and view.operation.to is None and bool(view.hunks)


def _same_bytes(view: OperationView) -> bool:
    base, after = view.operation.base, view.operation.after
    return isinstance(base, FileState) and isinstance(after, FileState) and base.sha256 == after.sha256


_LINE = 20
_FITS_THE_LINE = 48
_SHARE = 0.72
"""The share of the list a long diff may take before it scrolls inside."""


class ContentPart(QWidget):
    """An additional widget at the end of an expanded card."""

    height_changed = Signal()

    def wanted_height(self, width: int, page: int) -> int:
        raise NotImplementedError

    def show_row(self, row: OperationRow, *, is_decidable: bool) -> None:
        raise NotImplementedError


class OperationContent(QWidget):
    """The inside of an expanded card: selectable text and the diff, uncut."""

    height_changed = Signal()
    looked_at = Signal()
    """It was opened, or all of it was on screen."""
    left_behind = Signal(bool)
    """Navigation went past the last change (True) or before the first one."""
    drop_requested = Signal(int)
    keep_requested = Signal(int)
    lines_requested = Signal(object, object)
    """Added and removed lines to drop or keep."""
    commented = Signal(object, str)
    """A `CommentSpot` and the text."""
    comment_edited = Signal(str, str)
    comment_removed = Signal(str)
    open_requested = Signal(str, int)

    def __init__(self, row: OperationRow, theme: Theme, diff: RowDiff | None, part: ContentPart | None = None) -> None:
        super().__init__()
        self._theme = theme
        self._diff = diff
        self._part = part
        self._output: CodeBox | None = None
        self._command: CodeBox | None = None
        self._most = 0
        self._images: ImageCompare | None = None
        self.comments = CommentArea(theme)
        self.setObjectName(f"operation-content-{row.operation.id}")
        self.setAccessibleName(tr("Content of {title}", title=wording.title(row.operation)))
        self._head = QWidget(self)
        self._head.setObjectName("operation-facts")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        inner = QVBoxLayout(self._head)
        inner.setContentsMargins(theme.px(14), theme.px(8), theme.px(14), theme.px(8))
        inner.setSpacing(theme.px(6))
        for each in self._parts(row):
            inner.addWidget(each)
        self._has_head = inner.count() > 0
        if not self._has_head:
            self._head.hide()
        layout.addWidget(self._head)
        if diff is not None:
            layout.addWidget(diff, 1)
            diff.pictures_ready.connect(self._show_pictures)
            diff.all_seen.connect(self.looked_at)
            diff.opened.connect(self.looked_at)
            diff.passed_end.connect(lambda direction: self.left_behind.emit(direction > 0))
            diff.drop_requested.connect(self.drop_requested)
            diff.keep_requested.connect(self.keep_requested)
            diff.lines_requested.connect(self.lines_requested)
            diff.comment_requested.connect(self._comment_on_lines)
            diff.comment_chosen.connect(lambda number: self.comments.edit(diff.comment(number)))
            diff.open_requested.connect(self.open_requested)
        if part is not None:
            layout.addWidget(part)
            part.height_changed.connect(self.height_changed)
        layout.addWidget(self.comments)
        if diff is None:
            layout.addStretch(1)
        self.comments.added.connect(self.commented)
        self.comments.edited.connect(self.comment_edited)
        self.comments.removed.connect(self.comment_removed)
        self.comments.left.connect(self._back_to_the_diff)

    @staticmethod
    def estimated_height(row: OperationRow, theme: Theme, width: int, page: int) -> int:
        """An estimate until the content is created."""
        lines = sum(len(hunk.lines) + 2 for hunk in row.view.hunks)
        words = 3 + len(row.view.flags) + len(row.view.notes) if row.operation.is_run or row.view.flags else 1
        return min(round(page * _SHARE), lines * theme.px(_LINE)) + words * theme.px(_LINE)

    def wanted_height(self, width: int, page: int) -> int:
        height = 0
        if self._has_head:
            layout = self._head.layout()
            assert layout is not None
            height += max(layout.minimumSize().height(), layout.totalHeightForWidth(width))
        if self._diff is not None:
            most = max(self._theme.px(160), round(page * _SHARE))
            if most != self._most:
                self._most = most
                self._diff.set_tallest(round(most / self._theme.zoom))
            height += min(most, self._diff.sizeHint().height())
        if self._part is not None and self._part.isVisibleTo(self):
            height += self._part.wanted_height(width, page)
        if self._images is not None:
            height += self._images.wanted_height(width)
        if self.comments.isVisibleTo(self):
            height += self.comments.wanted_height(width)
        return height

    def show_row(self, row: OperationRow, *, is_decidable: bool = False) -> None:
        """Update choices and results while expanded."""
        has_lines = self._diff is not None and (row.part is None or row.part.edited is None)
        in_lines, apart = _by_place(row.comments) if has_lines else ((), row.comments)
        if self._diff is not None:
            self._diff.show_choice(row, is_decidable=is_decidable and not row.dropped)
            self._diff.show_comments(in_lines)
            self._diff.set_line_marks({line: (mark.text, mark.is_error) for line, mark in row.line_marks.items()})
        self.comments.show_comments(apart, editable=is_decidable)
        output = row.result.output if row.result is not None else None
        if self._part is not None:
            self._part.show_row(row, is_decidable=is_decidable)
        if not output:
            return
        if self._output is None:
            self._output = CodeBox(self._theme, tr("Output of the command"))
            self._output.setObjectName("operation-output")
            self._output.fitted.connect(self.height_changed)
            layout = self._head.layout()
            assert layout is not None
            layout.addWidget(_label(tr("Output"), "section"))
            layout.addWidget(self._output)
            self._has_head = True
            self._head.show()
        if self._output.show_text(output):
            self.height_changed.emit()

    @property
    def is_seen(self) -> bool:
        """Whether all of it was visible."""
        is_read = self._command is None or self._command.is_seen
        return is_read and (self._diff is None or self._diff.is_seen)

    @property
    def is_opened(self) -> bool:
        """Whether its beginning was visible."""
        return self._diff is None or self._diff.is_opened

    @property
    def folded_regions(self) -> int:
        return self._diff.folded_regions if self._diff is not None else 0

    @property
    def folded_proofs(self) -> int:
        return self._diff.folded_proofs if self._diff is not None else 0

    def go_to_unproved(self, forward: bool) -> bool:
        return self._diff is not None and self._diff.try_step(forward, only_unproved=True)

    def comment(self) -> None:
        """Begin a comment on the whole operation."""
        self.comments.begin(CommentSpot())

    def go_to_change(self, forward: bool) -> bool:
        return self._diff is not None and self._diff.try_step(forward)

    def enter(self, forward: bool, *, only_unproved: bool = False) -> None:
        """Go to the first change, or the last one when coming from below."""
        if self._diff is not None:
            self._diff.enter(forward, only_unproved=only_unproved)

    def toggle(self, what: str) -> None:
        """Toggle `split`, `whitespace` or `whole-file` of the diff."""
        if self._diff is None:
            return
        match what:
            case "split":
                self._diff.set_split(not self._diff.is_split)
            case "whitespace":
                self._diff.next_whitespace()
            case _:
                self._diff.toggle_whole_file()

    def forget(self) -> None:
        """Ignore everything that arrives later; called before deletion."""
        if self._diff is not None:
            self._diff.forget()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.height_changed.emit()
        return bool(super().event(event))

    def _comment_on_lines(self, is_old: bool, first: int, last: int) -> None:
        self.comments.begin(CommentSpot(Side.BEFORE if is_old else Side.AFTER, (first, last)))

    def _show_pictures(self, before: QImage | None, after: QImage | None) -> None:
        layout = self.layout()
        if self._images is None and isinstance(layout, QVBoxLayout):
            self._images = ImageCompare(self._theme, before, after)
            layout.insertWidget(1, self._images)
            self.height_changed.emit()

    def _back_to_the_diff(self) -> None:
        if self._diff is not None:
            self._diff.setFocus()
        elif (above := self.parentWidget()) is not None:
            above.setFocus()

    def _parts(self, row: OperationRow) -> Iterator[QWidget]:
        operation = row.operation
        for flag in row.view.flags:
            yield _flag(self._theme, flag, row)
        for note in row.view.notes:
            yield _label(note, "risk")
        if (text := operation.call_text) is not None:
            is_external = operation.kind.spec.is_external
            command = CodeBox(self._theme, tr("The call in full") if is_external else tr("The command in full"))
            command.setObjectName("operation-command")
            command.fitted.connect(self.height_changed)
            command.all_seen.connect(self.looked_at)
            command.show_command(text)
            self._command = command
            yield command
        facts = tuple(_facts(row.view))
        if facts:
            yield _grid(self._theme, facts)
        for label, words in (
            (tr("The agent says"), "" if operation.recorded_from else operation.description),
            (tr("Its reason"), operation.rationale),
            (tr("Its view of the risk"), operation.risk),
        ):
            # Do not repeat what the row's own line shows in full.
            in_line = words and wording.agent_reason(operation) == visible(" ".join(words.split()))
            if words.strip() and not (in_line and len(words) <= _FITS_THE_LINE):
                yield _grid(self._theme, ((label, f"“{visible(' '.join(words.split()))}”"),), muted=True)


def _by_place(comments: tuple[Comment, ...]) -> tuple[tuple[Comment, ...], tuple[Comment, ...]]:
    """Inline comments, and the others."""
    in_lines = tuple(comment for comment in comments if comment.place.last_line is not None and not comment.outdated)
    return in_lines, tuple(comment for comment in comments if comment not in in_lines)


def _facts(view: OperationView) -> Iterator[tuple[str, str]]:
    operation = view.operation
    if (external := operation.external_call) is not None:
        yield tr("Tool"), visible_in_a_line(external.tool)
        if external.target:
            yield tr("Acts on"), visible_in_a_line(external.target)
        yield tr("Made by"), tr("the agent that asked, once, after approval")
        yield tr("Undo"), tr("cannot be undone: its effects are outside the workspace")
    call = operation.command_call
    if call is not None:
        yield tr("Folder"), tr("the workspace itself") if call.cwd == "." else visible_name(call.cwd)
        yield from (
            (tr("With {name}", name=visible_name(name)), "\n".join(visible_command(value))) for name, value in call.env
        )
        yield tr("Time limit"), f"{call.timeout_s:,} s"
        yield tr("Undo"), _undo_words(view)
    base, after = operation.base, operation.after
    if operation.to is not None:
        yield tr("From"), visible_name(operation.path or "")
        yield tr("To"), visible_name(operation.to)
    if isinstance(base, SymlinkState):
        yield tr("Link until now"), visible_name(base.target)
    if isinstance(after, SymlinkState):
        yield tr("Link to"), visible_name(after.target)
    if change := wording.mode_change(operation):
        yield tr("Mode"), change
    elif isinstance(base, Absent) and isinstance(after, FileState) and after.mode != NEW_FILE_MODE:
        yield tr("Mode"), f"{after.mode:04o}"
    if isinstance(base, DirectoryState) or isinstance(after, DirectoryState):
        yield tr("Until now"), wording.state_text(base)
        yield tr("Afterwards"), wording.state_text(after)
    if Hazard.BINARY in view.flags:
        yield tr("Size"), _sizes(view)
    elif not view.hunks and not operation.is_run and _comes_or_goes(operation):
        yield (
            tr("Content"),
            tr("empty") if isinstance(after, FileState) or isinstance(base, FileState) else tr("no text"),
        )
    if operation.recorded_from:
        yield tr("Recorded from"), visible_in_a_line(operation.recorded_from)
        yield tr("That command"), tr("will not run; this is what it did in the rehearsal")
    if operation.blocked_by:
        yield tr("Waits for"), ", ".join(operation.blocked_by)


def _comes_or_goes(operation: StagedOperation) -> bool:
    """Whether a file is made, or anything is removed."""
    if isinstance(operation.after, Absent):
        return True
    return isinstance(operation.base, Absent) and isinstance(operation.after, FileState)


def _undo_words(view: OperationView) -> str:
    if Hazard.IRREVERSIBLE in view.flags:
        return tr("what it does cannot be undone")
    return tr("its changes in the workspace are captured and can be undone")


def _sizes(view: OperationView) -> str:
    base, after = view.operation.base, view.operation.after
    sizes = [tr_n("{n} byte", "{n} bytes", each.size) for each in (base, after) if isinstance(each, FileState)]
    return " → ".join(sizes)


def _flag(theme: Theme, flag: Hazard, row: OperationRow) -> QWidget:
    frame = QFrame()
    frame.setProperty("role", "banner-risk")
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(theme.px(10), theme.px(6), theme.px(10), theme.px(6))
    layout.setSpacing(theme.px(2))
    title = _label(wording.flag_sentence(flag, row.operation), "risk")
    title.setFont(theme.ui_font(bold=True))
    layout.addWidget(title)
    layout.addWidget(_label(wording.flag_reason(row.view, flag), "risk"))
    return frame


def _grid(theme: Theme, facts: tuple[tuple[str, str], ...], *, muted: bool = False) -> QWidget:
    holder = QWidget()
    grid = QGridLayout(holder)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(theme.px(12))
    grid.setVerticalSpacing(theme.px(4))
    grid.setColumnMinimumWidth(0, theme.px(108))
    grid.setColumnStretch(1, 1)
    for number, (label, words) in enumerate(facts):
        grid.addWidget(_label(label, "muted"), number, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(_label(words, "muted" if muted else "code"), number, 1)
    return holder


def _label(text: str, role: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", role)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
