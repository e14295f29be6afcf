"""The opened content of an operation."""

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent, QResizeEvent, QTextOption
from PySide6.QtWidgets import QApplication, QFrame, QGridLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

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
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.staging.hazards import Hazard
from tandem_desktop.ui.diff.change_table import ChangeTable
from tandem_desktop.ui.diff.decoded_images import ImagePair
from tandem_desktop.ui.diff.image import ImageCompare
from tandem_desktop.ui.diff.seen import SeenLines
from tandem_desktop.ui.diff.viewers import FileViewer, NoView, Prepared, TableView
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.models.operations import OperationRow
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.comments import CommentArea, CommentSpot
from tandem_desktop.ui.plan.row_diff import RowDiff
from tandem_desktop.ui.theme.theme import Theme

_SLACK = 4
"""Pixels of a line that may be covered although it counts as seen."""


class CodeBox(QPlainTextEdit):
    """A command or its output: complete, selectable, as high as its lines up to a limit."""

    fitted = Signal()
    """The wanted height changed."""
    all_seen = Signal()
    """Every line was on screen."""

    def __init__(self, theme: Theme, name: str, *, most_lines: int = 400) -> None:
        super().__init__()
        self._theme = theme
        self._most_lines = most_lines
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
        height = min(lines, self._most_lines) * self.fontMetrics().lineSpacing() + 2 * self._theme.px(8) + 4
        if height != self.height() or self.minimumHeight() != height:
            self.setFixedHeight(height)
            self.fitted.emit()


_LINE = 20
_FITS_THE_LINE = 48


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
    whole_requested = Signal()
    """Drop the operation: its changes cannot be dropped one by one."""
    lines_requested = Signal(object, object)
    """Added and removed lines to drop or keep."""
    commented = Signal(object, str)
    """A `CommentSpot` and the text."""
    comment_edited = Signal(str, str)
    comment_removed = Signal(str)
    open_requested = Signal(str, int)
    lines_moved = Signal(int)
    """Its lines take more or less room; scroll by so many pixels to keep what is read in its place."""
    scroll_requested = Signal(int)
    """Pixels to scroll by."""
    reveal_requested = Signal(int, int, bool)
    """Top and bottom of what is to be on screen, from the top of the content; and whether in its upper part."""

    def __init__(self, row: OperationRow, theme: Theme, diff: RowDiff | None, part: ContentPart | None = None) -> None:
        super().__init__()
        self._theme = theme
        self._diff = diff
        self._part = part
        self._output: CodeBox | None = None
        self._command: CodeBox | None = None
        self._images: ImageCompare | None = None
        self.viewer: FileViewer | None = None
        """Shows the file as something else than its lines; they are hidden meanwhile."""
        self._entry: bool | None = None
        self._wants_keyboard = False
        self._above = 0
        self._came_from_row = False
        self._said: QLabel | None = None
        self.comments = CommentArea(theme)
        self.setObjectName(f"operation-content-{row.operation.id}")
        self.setAccessibleName(tr("Content of {title}", title=wording.title(row.named)))
        self._head = QWidget(self)
        self._head.setObjectName("operation-facts")
        inner = QVBoxLayout(self._head)
        inner.setContentsMargins(theme.px(14), theme.px(8), theme.px(14), theme.px(8))
        inner.setSpacing(theme.px(6))
        for each in self._parts(row):
            inner.addWidget(each)
        self._head.setVisible(inner.count() > 0)
        if diff is not None:
            self._add_diff(diff)
        if part is not None:
            part.setParent(self)
            part.height_changed.connect(self.height_changed)
        self.comments.setParent(self)
        self.comments.added.connect(self.commented)
        self.comments.edited.connect(self.comment_edited)
        self.comments.removed.connect(self.comment_removed)
        self.comments.opened.connect(self._show_editor)
        self.comments.left.connect(self._end_writing)

    def _add_diff(self, diff: RowDiff) -> None:
        diff.setParent(self)
        diff.setVisible(not diff.may_have_view)
        diff.prepared.connect(self._show_view)
        diff.pictures_ready.connect(self._show_pictures)
        diff.all_seen.connect(self.looked_at)
        diff.opened.connect(self.looked_at)
        diff.passed_end.connect(lambda direction: self.left_behind.emit(direction > 0))
        diff.drop_requested.connect(self.drop_requested)
        diff.keep_requested.connect(self.keep_requested)
        diff.whole_requested.connect(self.whole_requested)
        diff.lines_requested.connect(self.lines_requested)
        diff.comment_requested.connect(self._comment_on_lines)
        diff.comment_chosen.connect(self._edit_comment)
        diff.line_hidden.connect(self._show_editor_above_lines, Qt.ConnectionType.QueuedConnection)
        diff.open_requested.connect(self.open_requested)
        diff.height_changed.connect(self.lines_moved)
        diff.scroll_requested.connect(self.scroll_requested)
        diff.reveal_requested.connect(self._reveal_lines)

    @staticmethod
    def estimated_height(row: OperationRow, theme: Theme) -> int:
        """An estimate until the content is created."""
        words = 3 + len(row.view.flags) + len(row.view.notes) if row.operation.is_run or row.view.flags else 1
        return RowDiff.estimated_height(row.view, theme) + words * theme.px(_LINE)

    def wanted_height(self, width: int, page: int) -> int:
        return sum(height for _, height in self._stack(width, page))

    def place(self, area: QRect, above: int, page: int) -> None:
        """Show what begins `above` pixels below the top of the content in this area of the list."""
        self._above = above
        self.setGeometry(area)
        self.show()
        y = -above
        for widget, height in self._stack(area.width(), page):
            if widget is self._diff:
                top = max(0, y)
                shown = min(area.height(), y + height) - top
                if shown <= 0:  # out of sight; hiding it would lose the keyboard
                    top, shown = (y, min(height, page)) if y > 0 else (min(0, y + height - page), page)
                self._diff.position.show_slice(QRect(0, top, area.width(), shown), max(0, -y), page)
            else:
                widget.setGeometry(0, y, area.width(), height)
            y += height

    def _stack(self, width: int, page: int) -> Iterator[tuple[QWidget, int]]:
        """The visible parts from top to bottom, with their heights."""
        if not self._head.isHidden():
            layout = self._head.layout()
            assert layout is not None
            yield self._head, max(layout.minimumSize().height(), layout.totalHeightForWidth(width))
        if not self.comments.isHidden():
            yield self.comments, self.comments.wanted_height(width)
        if self._images is not None:
            yield self._images, self._images.wanted_height(width)
        if self.viewer is not None:
            yield self.viewer, self.viewer.wanted_height(width)
        if self._said is not None:
            yield self._said, self._said.heightForWidth(width)
        if self._diff is not None and not self._diff.isHidden():
            yield self._diff, self._diff.full_height
        if self._part is not None and not self._part.isHidden():
            yield self._part, self._part.wanted_height(width, page)

    def reveal(self, widget: QWidget, area: QRect) -> None:
        """Bring an area of one of its widgets on screen."""
        top = widget.mapTo(self, area.topLeft()).y() + self._above
        self.reveal_requested.emit(top, top + area.height(), False)

    def _reveal_lines(self, top: int, bottom: int, at_top: bool) -> None:
        above = 0
        for widget, height in self._stack(self.width(), self.height()):
            if widget is self._diff:
                above += self._diff.search.height
                self.reveal_requested.emit(above + top, above + bottom, at_top)
                return
            above += height

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
            self._head.show()
        if self._output.show_text(output):
            self.height_changed.emit()

    @property
    def is_seen(self) -> bool:
        """Whether all of it was visible."""
        is_read = self._command is None or self._command.is_seen
        is_told = self.viewer is not None and self.viewer.is_seen
        return is_read and (self._diff is None or self._diff.is_seen or is_told)

    @property
    def is_opened(self) -> bool:
        """Whether its beginning was visible."""
        return self._diff is None or self._diff.is_opened or (self.viewer is not None and self.viewer.is_opened)

    @property
    def folded_regions(self) -> int:
        return self._diff.folded_regions if self._diff is not None else 0

    @property
    def folded_proofs(self) -> int:
        return self._diff.folded_proofs if self._diff is not None else 0

    def go_to_unproved(self, forward: bool) -> bool:
        if (view := self._shown_view) is not None:
            return view.step(forward)
        return self._diff is not None and self._diff.try_step(forward, only_unproved=True)

    @property
    def shows_unproved(self) -> bool:
        """Whether each change that is not proved is on screen."""
        return self._shown_view is None and self._diff is not None and self._diff.shows_unproved

    def change_area(self, surface: QWidget) -> QRect:
        """Where the current change is on the surface that shows this content; empty before the first one."""
        if self._shown_view is not None:
            top = self.mapTo(surface, QPoint(0, -self._above))
            return QRect(top, QSize(self.width(), self.wanted_height(self.width(), surface.height())))
        if self._diff is None or not self._diff.is_ready:
            return QRect()
        area = self._diff.hunk_area(self._diff.current_hunk)
        return area.translated(self._diff.viewport().mapTo(surface, QPoint())) if not area.isEmpty() else area

    def comment(self) -> None:
        """Begin a comment on the whole operation, from its row: the keyboard goes back there."""
        self._came_from_row = True
        self.comments.begin(CommentSpot())

    def go_to_change(self, forward: bool) -> bool:
        if (view := self._shown_view) is not None:
            return view.step(forward)
        return self._diff is not None and self._diff.try_step(forward)

    @property
    def may_be_entered(self) -> bool:
        """Whether its lines have not arrived and no step waits for them."""
        return self._diff is not None and not self._diff.is_ready and self._entry is None

    def enter(self, forward: bool, *, only_unproved: bool = False) -> None:
        """Go to the first change, or the last one when coming from below."""
        self._entry = forward
        if (view := self._shown_view) is not None:
            view.enter(forward)
        elif self._diff is not None:
            self._diff.enter(forward, only_unproved=only_unproved)

    def find_text(self, text: str, *, goes: bool) -> None:
        """Mark a text in the lines; with `goes`, go to its first place."""
        if self._diff is not None:
            self._diff.find_text(text, goes=goes)

    def take_keyboard(self) -> bool:
        """Focus the diff, or what the file is shown as; False if there is none, or not yet."""
        shown = self._shown_view or self._diff
        self._wants_keyboard = shown is not None and shown.isHidden()  # what the file is shown as is being read
        if shown is not None and not self._wants_keyboard:
            shown.setFocus(Qt.FocusReason.OtherFocusReason)
        return shown is not None and not self._wants_keyboard

    def toggle(self, what: str) -> None:
        """Toggle what a key toggles of the diff, or with `as-lines` what the file is shown as."""
        if self._diff is None:
            return
        if what == "as-lines":
            if self.viewer is not None:
                self.viewer.toggle()
            return
        match what:
            case "split":
                self._diff.set_split(not self._diff.is_split)
            case "whitespace":
                self._diff.next_whitespace()
            case "ignore-space":
                self._diff.set_ignores_space(not self._diff.options.ignores_space)
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

    def _edit_comment(self, number: int) -> None:
        comment = self._diff.comment(number) if self._diff is not None else None
        if comment is not None:
            self.comments.edit(comment)

    def _show_editor(self) -> None:
        """Below the line that is written about, or above the lines."""
        diff, line = self._diff, self.comments.line
        if line is not None and diff is not None and not diff.isHidden():
            is_held = diff.hold(self.comments.writing, line[1], is_old=line[0])
            self.comments.show_needed()
            diff.show_editor()
            if is_held:
                return
        self._show_editor_above_lines()

    def _show_editor_above_lines(self) -> None:
        had_focus = self.comments.editor.hasFocus()
        if self._diff is not None:
            self._diff.release()
        self.comments.take_editor()
        if had_focus:
            self.comments.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        self.height_changed.emit()  # the page makes room first
        bottom = 0
        for widget, height in self._stack(self.width(), self.height()):
            bottom += height
            if widget is self.comments:
                self.reveal_requested.emit(bottom - height, bottom, False)
                return

    def _comment_on_lines(self, is_old: bool, first: int, last: int) -> None:
        self.comments.begin(CommentSpot(Side.BEFORE if is_old else Side.AFTER, (first, last)))

    @property
    def _shown_view(self) -> ChangeTable | None:
        """What the file is shown as, unless that is its lines."""
        return self.viewer.view if self.viewer is not None and not self.viewer.shows_lines else None

    def _show_view(self, prepared: Prepared | None) -> None:
        """Show the file as something else than its lines, or say why not."""
        diff = self._diff
        if diff is None or self.viewer is not None:
            return
        if isinstance(prepared, TableView):
            self.viewer = FileViewer(self._theme, prepared)
            self.viewer.switched.connect(self._switch)
            self.viewer.height_changed.connect(self.height_changed)
            self.viewer.all_seen.connect(self.looked_at)
            self.viewer.opened.connect(self.looked_at)
            table = self.viewer.view
            table.reveal_requested.connect(lambda area: self.reveal(table.viewport(), area))
            diff.leave_lines = self.viewer.toggle
            self.viewer.setParent(self)
            self.viewer.show()
            if (view := self._shown_view) is not None and self._entry is not None:
                view.enter(self._entry)
        elif isinstance(prepared, NoView):
            self._said = self._why_lines(prepared.why)
            self._said.setParent(self)
            self._said.show()
        diff.setVisible(self._shown_view is None)
        if self._wants_keyboard:
            self.take_keyboard()
        self.height_changed.emit()

    def _why_lines(self, why: str) -> QLabel:
        said = _label(why, "muted")
        said.setObjectName("why-lines")
        said.setContentsMargins(*(self._theme.px(each) for each in (14, 6, 14, 6)))
        return said

    def _switch(self) -> None:
        """The lines, or the other view: the keyboard goes along."""
        assert self._diff is not None
        view = self._shown_view
        focused = QApplication.focusWidget()
        had_focus = focused is not None and self.isAncestorOf(focused)
        self._diff.setVisible(view is None)
        if had_focus:
            (view or self._diff).setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_pictures(self, pair: ImagePair) -> None:
        if self._images is None:
            self._images = ImageCompare(self._theme, pair)
            self._images.height_changed.connect(self.height_changed)
            self._images.setParent(self)
            self._images.show()
            self.height_changed.emit()

    def _end_writing(self) -> None:
        """The keyboard goes back to where writing began: the row, or the lines."""
        from_row, self._came_from_row = self._came_from_row, False
        if self._diff is not None:
            self._diff.release()
        if self._diff is not None and not from_row:
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
        if row.move is not None:
            facts = (*_places(row.move), *facts)
        if facts:
            yield _grid(self._theme, facts)
        for label, words in (
            (tr("The agent says"), operation.agent_description),
            (tr("Its reason"), operation.rationale),
            (tr("Its view of the risk"), operation.risk),
        ):
            # Do not repeat what the row's own line shows in full.
            in_line = words and wording.agent_reason(operation) == visible(" ".join(words.split()))
            if wording.only_names(" ".join(words.split()), operation.path or ""):
                continue
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
    yield from _places(operation)
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


def _places(operation: StagedOperation) -> Iterator[tuple[str, str]]:
    """From where to where a move leads."""
    if operation.to is not None:
        yield tr("From"), visible_name(operation.path or "")
        yield tr("To"), visible_name(operation.to)


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
    title = _label(wording.flag_title(row.view, flag), "risk")
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
